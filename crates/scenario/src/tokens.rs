//! The text's tokens, for highlighting.

use std::ops::Range;

use serde::Serialize;

/// A stretch of the text and what it is. Stretches ascend and do not overlap; what lies between
/// them is blank.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Token {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it is.
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenKind {
    /// `repeat`, `as`, `measure`.
    Keyword,
    /// A system call that is simulated.
    Call,
    /// `load`, `store`, `exec`, `access`.
    Access,
    /// A system call that is skipped.
    SkippedCall,
    /// A name that the text binds.
    Name,
    /// A number, with its suffix.
    Number,
    /// `PAGE`, `NULL`.
    Constant,
    /// A flag's name.
    Flag,
    /// An error's or a signal's name.
    Errno,
    /// A text in quotes.
    String,
    /// A comment.
    Comment,
    /// `+ - * / % | = <<`
    Operator,
    /// Brackets and commas.
    Punctuation,
    /// What a tracer put before, after or between the calls.
    Trace,
    /// What is no part of any statement.
    Other,
}

/// All tokens of `text`, in order.
#[must_use]
pub fn tokens(_text: &str) -> Vec<Token> {
    Vec::new()
}
