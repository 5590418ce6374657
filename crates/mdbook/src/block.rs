//! One block: its scenario run, drawn and written.

use std::path::Path;

use sealab_lab::report::Variant;
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_lab::{cost, variant};
use sealab_picture::embed::Embed;
use sealab_picture::{Picture, Scene, calls};
use sealab_scenario::link::{self, LinkState, LinkVariant};

use crate::options::Options;

/// What a block becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// An element with picture and table in it, for HTML.
    #[default]
    Element,
    /// The scenario in a fence and a table, for everything else.
    Markdown,
}

/// A block, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// In its place.
    pub text: String,
    /// Whether the page needs the element's script.
    pub live: bool,
}

/// Runs and writes one block. `folder` is where its files are looked for.
///
/// # Errors
/// Sentences, each with the line of the scenario where there is one.
pub fn render(
    text: &str,
    options: &Options,
    base: &str,
    output: Output,
    folder: &Path,
) -> Result<Rendered, Vec<(usize, String)>> {
    let wrong = |message: String| vec![(0, message)];
    let maps = options.maps.as_ref().map(|file| {
        let path = folder.join(file);
        std::fs::read_to_string(&path)
            .map_err(|error| wrong(format!("maps={file} cannot be read: {error}")))
    });
    let maps = maps.transpose()?;
    let variants: Vec<Variant> = if options.variants.is_empty() {
        variant::defaults()
    } else {
        let given = options.variants.iter();
        given
            .map(|(kernel, memory)| Variant {
                kernel: kernel.clone(),
                memory: memory.clone(),
                cpu: cost::DEFAULT_CPU.to_owned(),
            })
            .collect()
    };
    let input = Input {
        text: text.to_owned(),
        maps: maps.clone(),
        pid: None,
    };
    let mut session = Session::run(input, &variants, &RunOptions::default(), &mut |_| true)
        .map_err(|error| wrong(error.to_string()))?;
    if !options.faulty {
        let problems = problems(&session);
        if !problems.is_empty() {
            return Err(problems);
        }
    }
    let scene = Scene::of(&mut session, options.step);
    if options.step.is_some_and(|step| step > scene.steps) {
        return Err(wrong(format!("step is beyond the last, {}", scene.steps)));
    }
    let fragment = fragment(text, options, &session, maps)
        .map_err(|error| wrong(format!("no link can carry it: {error}")))?;
    let title = options.title.as_deref().unwrap_or(&scene.title);
    let more: Vec<(&str, &str)> = [
        ("loading", &options.loading),
        ("controls", &options.controls),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    .collect();
    let embed = Embed {
        base,
        fragment: &fragment,
        text,
        title,
        view: options.view.name(),
        step: options.step.map(|step| step as u64),
        theme: options.theme,
        height: options.height,
        more: &more,
        result: "",
    };
    if output == Output::Markdown {
        let link = base.contains("://").then(|| embed.link());
        return Ok(Rendered {
            text: session.markdown_with_scenario(link.as_deref()),
            live: false,
        });
    }
    let link = embed.link();
    let picture = Picture {
        view: options.view,
        theme: options.theme,
        link: &link,
        ..Picture::of(&scene)
    };
    let result = format!(
        "<figure class=\"sealab-picture\">{}</figure>\n{}",
        picture.svg().replace('\n', " "),
        calls::html_table(&scene)
    );
    let embed = Embed {
        result: &result,
        ..embed
    };
    let text = if options.fixed {
        embed
            .element()
            .replacen("<sealab-play ", "<div class=\"sealab-static\" data-", 1)
            .replacen("</sealab-play>", "</div>", 1)
    } else {
        embed.element()
    };
    Ok(Rendered {
        text,
        live: !options.fixed,
    })
}

/// What would make the block a lie: faults of the text, and calls that no variant answers as the
/// text says.
fn problems(session: &Session) -> Vec<(usize, String)> {
    let report = session.report();
    let faults = report.diagnostics.iter().filter(|d| d.severity == "error");
    let mut problems: Vec<(usize, String)> = faults
        .map(|d| {
            let hint = d.hint.as_ref().map(|hint| format!(" ({hint})"));
            let words = format!("{}{}", d.message, hint.unwrap_or_default());
            (d.line as usize, words)
        })
        .collect();
    let calls = report.runs.iter().map(|run| run.calls.len()).max();
    for at in 0..calls.unwrap_or(0) {
        let calls: Vec<_> = report
            .runs
            .iter()
            .filter_map(|run| run.calls.get(at))
            .collect();
        if let Some(call) = calls
            .first()
            .filter(|_| calls.iter().all(|call| !call.agrees))
        {
            let words = format!("no variant ends {} as the text says", call.text);
            problems.push((call.line as usize, words));
        }
    }
    problems
}

fn fragment(
    text: &str,
    options: &Options,
    session: &Session,
    maps: Option<String>,
) -> Result<String, link::LinkError> {
    let chosen = session.runs().iter().map(|run| LinkVariant {
        kernel: run.variant.ids.kernel.clone(),
        memory: run.variant.ids.memory.clone(),
        cpu: String::new(),
    });
    link::encode(&LinkState {
        text: text.to_owned(),
        variants: if options.variants.is_empty() {
            Vec::new()
        } else {
            chosen.collect()
        },
        maps,
        ..LinkState::default()
    })
}
