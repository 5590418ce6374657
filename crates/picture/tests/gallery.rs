//! Every example drawn at every step: well-formed, complete, free of anything that runs.

use sealab_lab::gallery::EXAMPLES;
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_lab::variant;
use sealab_picture::{Picture, Scene, Theme, View, calls};

fn session(text: &str) -> Session {
    let input = Input {
        text: text.to_owned(),
        ..Input::default()
    };
    Session::run(
        input,
        &variant::defaults(),
        &RunOptions::default(),
        &mut |_| true,
    )
    .expect("the default variants")
}

/// Parses it, and holds what a file of its own must keep to.
fn check(svg: &str) -> roxmltree::Document<'_> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            [
                "svg", "title", "desc", "metadata", "defs", "pattern", "g", "rect", "path", "text",
                "tspan"
            ]
            .contains(&name),
            "{name}"
        );
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "{}", attribute.name());
            assert!(!attribute.value().contains("NaN") && !attribute.value().contains("inf"));
            let fetches = attribute.value().replace("url(#", "").contains("url(");
            assert!(
                !fetches && attribute.name() != "href",
                "{}",
                attribute.value()
            );
        }
    }
    document
}

#[test]
fn every_example_at_every_step_is_a_whole_picture() {
    for example in EXAMPLES {
        let mut session = session(example.text);
        let steps = session.steps().len();
        let middle = [0, 1, steps / 2, steps];
        for step in middle.into_iter().map(Some).chain([None]) {
            let scene = Scene::of(&mut session, step);
            for view in View::ALL {
                for theme in Theme::ALL {
                    let link = "https://example.org/#v1/A&step=1";
                    let picture = Picture {
                        view,
                        theme,
                        link,
                        ..Picture::of(&scene)
                    };
                    let svg = picture.svg();
                    let document = check(&svg);
                    let text = |name: &str| {
                        let found = document
                            .descendants()
                            .find(|n| n.has_tag_name(("http://www.w3.org/2000/svg", name)));
                        found.and_then(|n| n.text()).unwrap_or_default().to_owned()
                    };
                    assert!(text("title").contains(example.title()), "{}", text("title"));
                    assert_eq!(text("metadata"), link);
                    assert!(text("desc").contains("6.12"));
                }
            }
        }
    }
}

#[test]
fn mappings_are_where_the_maps_say() {
    let mut session = session(EXAMPLES[0].text);
    let scene = Scene::of(&mut session, None);
    assert!(
        scene.caption().contains("mprotect(heap, 16K, PROT_READ)"),
        "{}",
        scene.caption()
    );
    let svg = Picture::of(&scene).svg();
    let document = check(&svg);
    let titles: Vec<_> = document
        .descendants()
        .filter(|n| n.has_tag_name("title"))
        .filter_map(|n| n.text())
        .collect();
    for block in scene.space.strips.iter().flat_map(|strip| &strip.blocks) {
        assert!(
            titles.iter().any(|title| title.contains(&block.line)),
            "{}",
            block.line
        );
    }
    assert!(titles.iter().any(|title| title.ends_with(", sealed")));
    assert!(
        titles
            .iter()
            .any(|title| title.ends_with(", changed in this step"))
    );
    assert!(svg.contains("EPERM, 8K changed"));
}

#[test]
fn a_hostile_text_stays_text() {
    let text = "# </title><script>alert(1)</script> & ]]> \u{202e}\u{0}\n\
                a = mmap(NULL, 8K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) # \"><img onerror=x>\n";
    let mut session = session(text);
    let scene = Scene::of(&mut session, Some(usize::MAX));
    let link = "#\"><script>";
    for view in View::ALL {
        check(
            &Picture {
                view,
                link,
                ..Picture::of(&scene)
            }
            .svg(),
        );
    }
    let table = calls::html_table(&scene);
    assert!(
        !table.contains("<script") && !table.contains("<img"),
        "{table}"
    );
    check(
        &Picture {
            width: 1.0,
            ..Picture::of(&Scene::default())
        }
        .svg(),
    );
}

#[test]
fn two_pictures_of_a_page_share_no_id() {
    let mut session = session(EXAMPLES[0].text);
    let ids = |svg: &str| {
        let document = check(svg);
        let ids = document
            .descendants()
            .filter_map(|n| n.attribute("id").map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    let first = Picture::of(&Scene::of(&mut session, Some(1))).svg();
    let second = Picture::of(&Scene::of(&mut session, Some(2))).svg();
    assert!(ids(&first).iter().all(|id| !ids(&second).contains(id)));
}

#[test]
fn a_long_trace_says_what_it_leaves_out() {
    let mut text =
        String::from("a = mmap(NULL, 8K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n");
    for _ in 0..500 {
        text.push_str("load(a, 4K)\n");
    }
    let mut session = session(&text);
    let table = calls::html_table(&Scene::of(&mut session, Some(300)));
    assert!(table.contains("200 calls before these") && table.contains("101 calls after these"));
}
