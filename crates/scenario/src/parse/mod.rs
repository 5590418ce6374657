//! The parser: text to program.

use std::collections::BTreeMap;
use std::ops::Range;

use sealab_core::call::Call;
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::program::Program;

/// What the parser is told beforehand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParseOptions {
    /// The process of a trace to take; `None` takes the first that makes memory calls.
    pub pid: Option<i64>,
    /// Bounds on the text.
    pub limits: Limits,
}

/// A text that was parsed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parsed {
    /// What it says.
    pub program: Program,
    /// What is wrong with it, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// System calls that are not simulated, by name, and how often each was skipped.
    pub skipped: BTreeMap<String, u64>,
    /// Lines that are no calls, kept.
    pub notes: Vec<Note>,
    /// The processes of a trace, in the order of their first call.
    pub processes: Vec<ProcessInfo>,
    /// The process that the program is of, where the text names processes.
    pub pid: Option<i64>,
    /// Who wrote it.
    pub dialect: Dialect,
    /// Whether the traced process is a 32-bit one.
    pub is_32bit: bool,
}

impl Parsed {
    /// Whether any diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Who wrote a text: decides how strictly it is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// A person: a line that is no statement is an error.
    #[default]
    HandWritten,
    /// A tool (most calls carry results): such a line is a note.
    Trace,
}

/// A line or part of one that is no call, kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Note {
    /// Its bytes.
    pub span: Range<usize>,
    /// Its line, from 1.
    pub line: u32,
    /// What it is taken for.
    pub kind: NoteKind,
}

/// What a note is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// Anything: a program's own output, a person's remark.
    Text,
    /// `--- SIGSEGV {…} ---`
    Signal,
    /// `+++ exited with 0 +++`
    Exit,
    /// `strace: Process 123 attached`
    Chatter,
    /// A line of a stack trace (`strace -k`).
    Stack,
    /// A call that was begun and never ended.
    Unfinished,
    /// Markdown fences, carets under a line.
    Decoration,
}

/// A process of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ProcessInfo {
    /// Its number in the trace; `None` where the trace shows none.
    pub pid: Option<i64>,
    /// Its memory calls since its last `execve`.
    pub calls: u64,
    /// Its command line, where an `execve` shows it.
    pub command: Option<String>,
    /// Line of its first call, from 1.
    pub line: u32,
}

/// Parses `text`; never fails.
#[must_use]
pub fn parse(_text: &str, _options: &ParseOptions) -> Parsed {
    Parsed::default()
}

/// Parses one call without names, for example out of a record:
/// `mprotect(0x7f0000000000, 4096, PROT_READ)`.
///
/// # Errors
/// The first fault in it.
pub fn parse_call(_text: &str) -> Result<Call, Diagnostic> {
    Err(Diagnostic {
        severity: crate::Severity::Error,
        code: "empty",
        span: 0..0,
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 1,
        message: String::new(),
        hint: None,
    })
}
