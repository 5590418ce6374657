//! Completion, hover, signature help and the reference, all from the one table of calls.

mod complete;
mod context;
mod hover;
mod reference;

use std::ops::Range;

use serde::Serialize;

pub use complete::complete;
pub use hover::{hover, signature};
pub use reference::reference;

/// Something that may be written at the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Completion {
    /// Bytes of the text it takes the place of.
    pub replace: Range<usize>,
    /// What is shown in the list.
    pub label: String,
    /// What is written.
    pub insert: String,
    /// Where in `insert` the cursor goes, in bytes.
    pub cursor: usize,
    /// `call`, `access`, `setting`, `flag`, `keyword`, `name`, `errno`, `constant`, `text`.
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
    /// One line on the argument, or on the call.
    pub detail: String,
}
