//! What is wrong with a text, where, and what to do about it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How much a diagnostic matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the text was understood.
    Note,
    /// Understood, but probably not meant so.
    Warning,
    /// Not understood; this statement is left out, the rest still runs.
    Error,
}

impl Severity {
    /// `error`, `warning` or `note`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One fault or remark, with its place in the text as it was given.
///
/// Lines and columns count from 1; columns count characters (Unicode scalar values), so a tab is
/// one. `\n`, `\r\n` and a lone `\r` all end a line, as they do in the editor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Stable code, for example `unknown-call`.
    pub code: &'static str,
    /// Bytes of the text it is about.
    pub span: Range<usize>,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the character after the last.
    pub end_line: u32,
    /// Column of the character after the last.
    pub end_column: u32,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do, for example the name that was probably meant.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
