//! Text in: what a person types and what a tool printed, turned into a program for the simulated
//! (or the real) kernel.
//!
//! Knows the calls and flags of `sealab-core`; knows nothing of how they are answered. Parsing
//! never fails: it gives what could be understood, and a diagnostic with place and remedy for
//! what could not.
//!
//! ```
//! use sealab_scenario::{ParseOptions, parse};
//!
//! let parsed = parse("heap = mmap(NULL, 32K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)", &ParseOptions::default());
//! assert!(parsed.diagnostics.is_empty());
//! ```

// Whatever stands in a text, nothing here may panic.
#![warn(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]

pub mod calls;
pub mod diagnostic;
pub mod help;
pub mod interp;
pub mod lackey;
pub mod limits;
pub mod link;
pub mod maps;
mod parse;
pub mod program;
pub mod render;
pub mod text;
pub mod tokens;

pub use diagnostic::{Diagnostic, Severity};
pub use interp::{EvalContext, Event, Interp, PatternStep, Step};
pub use limits::Limits;
pub use parse::{Dialect, Note, NoteKind, ParseOptions, Parsed, ProcessInfo, parse, parse_call};
pub use program::{Expected, Program, StatementId};
pub use tokens::{Token, TokenKind, tokens};
