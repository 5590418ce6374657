//! The documentation site: the book of `docs/`, with what is written from the project's own tables
//! put in ([`generated`]) and every scenario run, drawn and made live by `mdbook-sealab`.

pub mod generated;

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use mdbook_driver::MDBook;
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_sealab::Sealab;

/// Builds the book at `source` into `out`.
///
/// # Errors
/// A chapter that cannot be read, or an example that is not right: with its place.
pub fn build(source: &Path, out: &Path) -> Result<()> {
    let mut book = MDBook::load(source).context("the book could not be read")?;
    book.config.build.build_dir = out.to_path_buf();
    // First of all, because some of it holds scenarios.
    fill(&mut book.book, source)?;
    // Takes the place of the program that book.toml would run.
    book.with_preprocessor(Sealab);
    book.build()
}

/// Puts in what `{{#sealab NAME}}` stands for.
fn fill(book: &mut Book, root: &Path) -> Result<()> {
    let mut faults = Vec::new();
    book.for_each_mut(|item| {
        if let BookItem::Chapter(chapter) = item {
            match filled(&chapter.content, root) {
                Ok(content) => chapter.content = content,
                Err(fault) => faults.push(format!("{}: {fault:#}", chapter.name)),
            }
        }
    });
    match faults.is_empty() {
        true => Ok(()),
        false => Err(anyhow!(faults.join("\n"))),
    }
}

fn filled(content: &str, root: &Path) -> Result<String> {
    const OPEN: &str = "{{#sealab ";
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((name, after)) = after.split_once("}}") else {
            bail!("{OPEN} is not closed");
        };
        out.push_str(before);
        out.push_str(&generated::text(name.trim(), root)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}
