//! A chapter with its blocks replaced.

use std::ops::Range;
use std::path::PathBuf;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use sealab_picture::embed::Embed;

use crate::block::{Output, render};
use crate::options::{Options, Problem};

/// How a chapter is rewritten.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where the playground is published, as the chapter's page must write it.
    pub base: String,
    /// What blocks become.
    pub output: Output,
    /// The chapter's own folder, for the files that a block names.
    pub folder: PathBuf,
}

/// A fenced block of a chapter.
struct Found {
    place: Range<usize>,
    info: String,
    text: String,
}

/// Replaces every `sealab` block of `chapter`.
///
/// # Errors
/// What is wrong with them, all of it.
pub fn rewrite(chapter: &str, settings: &Settings) -> Result<String, Vec<Problem>> {
    let mut out = String::with_capacity(chapter.len());
    let (mut problems, mut live, mut at) = (Vec::new(), false, 0);
    for Found { place, info, text } in blocks(chapter) {
        let line = chapter
            .get(..place.start)
            .unwrap_or("")
            .matches('\n')
            .count()
            + 1;
        let problem = |(below, message): (usize, String)| Problem {
            line: line + below,
            message,
        };
        let rendered = Options::read(&info)
            .map_err(|message| vec![(0, message)])
            .and_then(|options| {
                render(
                    &text,
                    &options,
                    &settings.base,
                    settings.output,
                    &settings.folder,
                )
            });
        match rendered {
            Ok(block) => {
                out.push_str(chapter.get(at..place.start).unwrap_or(""));
                out.push_str("\n\n");
                out.push_str(block.text.trim_end());
                out.push_str("\n\n");
                live |= block.live;
                at = place.end;
            }
            Err(found) => problems.extend(found.into_iter().map(problem)),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    out.push_str(chapter.get(at..).unwrap_or(""));
    if live {
        let embed = Embed {
            base: &settings.base,
            ..Embed::default()
        };
        out.push_str(&format!("\n\n{}\n", embed.script()));
    }
    Ok(out)
}

/// The chapter's `sealab` blocks, by a Markdown parser: a fence inside another is text.
fn blocks(chapter: &str) -> Vec<Found> {
    let mut out = Vec::new();
    let mut open: Option<Found> = None;
    for (event, place) in Parser::new(chapter).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let rest = info.strip_prefix("sealab");
                let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with([' ', ',']));
                open = rest.map(|rest| Found {
                    place,
                    info: rest.trim_start_matches(',').to_owned(),
                    text: String::new(),
                });
            }
            Event::Text(text) => {
                if let Some(found) = &mut open {
                    found.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => out.extend(open.take()),
            _ => {}
        }
    }
    out
}
