//! A fenced block of a book
//!
//! ````text
//! ```sealab view=space step=3 variants=6.11,6.12
//! heap = mmap(NULL, 32K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
//! mseal(heap, 4K, 0)
//! ```
//! ````
//!
//! becomes a `<sealab-play>` element with a picture and a result table in it, both made while the
//! book is built: readers without JavaScript, in print and in feeds see them, everyone else plays.
//! A scenario with a fault, or one that no variant answers as it says, stops the build with its
//! chapter and line: examples cannot rot.

mod block;
mod options;
mod rewrite;

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

pub use block::{Output, Rendered, render};
pub use options::{Options, Problem};
pub use rewrite::{Settings, rewrite};

/// The preprocessor, for `mdbook` as a program and for [`mdbook_preprocessor`] as a library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sealab;

impl Preprocessor for Sealab {
    fn name(&self) -> &'static str {
        "sealab"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let base: Option<String> = context.config.get("preprocessor.sealab.base")?;
        let base = base.unwrap_or_else(|| "../".to_owned());
        let output = if context.renderer == "html" {
            Output::Element
        } else {
            Output::Markdown
        };
        let mut problems = Vec::new();
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else {
                return;
            };
            let place = chapter.path.clone().unwrap_or_default();
            let settings = Settings {
                base: base_from(&base, &place),
                output,
                folder: context.root.join(&context.config.book.src).join(
                    chapter
                        .source_path
                        .as_deref()
                        .and_then(Path::parent)
                        .unwrap_or(Path::new("")),
                ),
            };
            match rewrite(&chapter.content, &settings) {
                Ok(content) => chapter.content = content,
                Err(found) => problems.extend(
                    found
                        .into_iter()
                        .map(|problem| format!("{}:{problem}", place.display())),
                ),
            }
        });
        if problems.is_empty() {
            return Ok(book);
        }
        Err(anyhow!(problems.join("\n"))).context("sealab blocks of the book are not right")
    }
}

/// `base` as a page at `place` must write it: one that is relative to the book climbs out of the
/// page's folder first.
fn base_from(base: &str, place: &Path) -> String {
    let absolute = base.contains("://") || base.starts_with('/');
    if absolute {
        return base.to_owned();
    }
    let depth = place.components().count().saturating_sub(1);
    format!("{}{base}", "../".repeat(depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_base_climbs_out_of_folders() {
        let from = |place: &str| base_from("../", Path::new(place));
        assert_eq!([from("a.md"), from("b/c.md")], ["../", "../../"]);
        let fixed = "https://example.org/sealab/";
        assert_eq!(base_from(fixed, Path::new("b/c.md")), fixed);
    }
}
