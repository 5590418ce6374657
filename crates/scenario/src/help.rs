//! Completion, hover, signature help and the reference, all from the one table of calls.

use std::ops::Range;

use serde::Serialize;

/// Something that may be written at the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Completion {
    /// Bytes of the text it takes the place of.
    pub replace: Range<usize>,
    /// What is shown in the list.
    pub label: String,
    /// What is written.
    pub insert: String,
    /// Where in `insert` the cursor goes.
    pub cursor: usize,
    /// `call`, `access`, `flag`, `keyword`, `name`, `errno`, `constant`.
    pub kind: &'static str,
    /// One line on it.
    pub detail: String,
}

/// Help on the word under the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Hover {
    /// Bytes of the text it is about.
    pub span: Range<usize>,
    /// Its heading, for example a call's signature.
    pub title: String,
    /// Plain text, one paragraph an entry.
    pub paragraphs: Vec<String>,
}

/// Which argument of which call the cursor stands in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Signature {
    /// `mprotect(addr, len, prot)`.
    pub label: String,
    /// Each argument's bytes in the label.
    pub parameters: Vec<Range<usize>>,
    /// The argument in hand.
    pub active: Option<usize>,
    /// One line on the argument.
    pub detail: String,
}

/// What may be written at `offset` (bytes).
#[must_use]
pub fn complete(_text: &str, _offset: usize) -> Vec<Completion> {
    Vec::new()
}

/// Help on what stands at `offset` (bytes).
#[must_use]
pub fn hover(_text: &str, _offset: usize) -> Option<Hover> {
    None
}

/// The call around `offset` (bytes) and the argument in hand.
#[must_use]
pub fn signature(_text: &str, _offset: usize) -> Option<Signature> {
    None
}

/// The reference of all calls, accesses, flags and keywords, as Markdown.
#[must_use]
pub fn reference() -> String {
    String::new()
}
