//! What to say of text that is no statement, and where to go on.

use std::ops::Range;

use crate::calls;
use crate::diagnostic::Severity;

use super::emit::RawDiagnostic;
use super::expr::excerpt;
use super::lex::{Lex, Lexer};
use super::reader::{Block, BlockKind, Reader};
use super::record::Record;
use super::{suggest, suspicious};

/// Where to go on after a fault at `at`: at the end of the statement, of the block, or of the line.
pub(crate) fn after(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let line = rest
        .find(['\n', '\r'])
        .map_or(text.len(), |length| at + length);
    let mut lexer = Lexer::new(text.get(..line).unwrap_or(text), at, false);
    loop {
        let lexeme = lexer.next_or_comment();
        match lexeme.kind {
            Lex::End => return line,
            Lex::Mark(b';') => return lexeme.end,
            Lex::Mark(b'}') => return lexeme.start,
            _ => {}
        }
    }
}

/// Reports a stretch that is no statement.
pub(crate) fn report(reader: &mut Reader<'_>, record: &Record<'_>, range: Range<usize>) {
    let text = record.text.get(range.clone()).unwrap_or("");
    let trimmed = text.trim_end();
    let word_end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    let word = text.get(..word_end).unwrap_or("");
    let seen = suspicious::skeleton(word);
    let starts = ["repeat", "measure"]
        .into_iter()
        .chain(calls::all().map(|spec| spec.name));
    let hint = match suggest::closest(&seen, starts) {
        Some(meant) if meant != word => format!("did you mean `{meant}`?"),
        Some(meant) if calls::by_name(meant).is_some() => {
            format!(
                "write {}",
                calls::by_name(meant).map_or_else(String::new, calls::CallSpec::signature)
            )
        }
        _ => "a statement is a call, NAME = …, `repeat N { … }` or `measure \"NAME\" { … }`"
            .to_owned(),
    };
    let span = reader.original(record, range.start..range.start + trimmed.len());
    let message = format!("`{}` is no statement", excerpt(trimmed));
    reader.emit.report(RawDiagnostic {
        severity: Severity::Error,
        code: "not-a-statement",
        span: span.clone(),
        message,
        hint: Some(hint),
    });
    // Its block counts as one, so that the `}` closes something.
    if trimmed.ends_with('{') {
        reader.state.open(Block {
            kind: BlockKind::Broken,
            statement: None,
            span,
            hidden: None,
        });
    }
}

/// Whether a line of a trace looks like a block whose keyword was mistyped.
pub(crate) fn keyword_slip(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("").trim_end();
    let word = line
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or("");
    line.ends_with('{') && suggest::closest(word, ["repeat", "measure"]).is_some()
}
