//! The book builds: every scenario in it runs, every link in it leads somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(pages(&path));
        } else if path.extension().is_some_and(|end| end == "html") {
            out.push(path);
        }
    }
    out
}

/// Values of `name="…"` in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!(" {name}=\"");
    let parts = page.split(open.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

#[test]
fn the_book_builds_and_every_example_in_it_runs() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(&out);
    // A fault in any scenario of the book fails here, with its chapter and line.
    sealab_docs::build(&source(), &out).unwrap_or_else(|error| panic!("{error:#}"));
    let pages = pages(&out);
    let mut embeds = 0;
    let mut broken = BTreeSet::new();
    for path in &pages {
        let page = fs::read_to_string(path).expect("a page");
        embeds += page.matches("<sealab-play ").count();
        assert!(!page.contains("{{#sealab"), "{}", path.display());
        assert!(
            !page.contains("class=\"language-sealab"),
            "{}",
            path.display()
        );
        for link in attributes(&page, "href") {
            let file = link.split('#').next().unwrap_or_default();
            // To the playground, to another site, within the page, or made by a script.
            let leaves = file.starts_with("../") || file.contains(':') || file.is_empty();
            let folder = path.parent().expect("a folder");
            if !leaves
                && !folder.join(file).exists()
                && path.file_name() != Some("404.html".as_ref())
            {
                broken.insert(format!("{} in {}", link, path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(embeds > 20, "only {embeds} embeds in {} pages", pages.len());
    let tutorial = fs::read_to_string(out.join("tutorial.html")).expect("the tutorial");
    assert!(tutorial.contains("<svg") && tutorial.contains("EPERM"));
    assert!(tutorial.contains("../embed/v1.js"));
}

#[test]
fn every_command_of_the_book_is_one_that_there_is() {
    let mut seen = 0;
    for entry in fs::read_dir(source().join("src"))
        .expect("chapters")
        .flatten()
    {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        // Inside fences: elsewhere it is only a word.
        let fenced = text.split("```").skip(1).step_by(2);
        for line in fenced
            .flat_map(|fence| fence.lines().skip(1))
            .map(str::trim_start)
        {
            let Some(rest) = line
                .strip_prefix("sealab ")
                .filter(|rest| !rest.starts_with(':'))
            else {
                continue;
            };
            let command = rest.split(' ').next().unwrap_or_default();
            if command.contains('=') || command.is_empty() {
                continue;
            }
            let known = ["run", "render", "replay", "verify", "link", "open", "bench"];
            assert!(known.contains(&command), "{line}");
            seen += 1;
        }
    }
    assert!(seen > 5);
}
