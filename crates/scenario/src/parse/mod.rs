//! The parser: text to program.

pub(crate) mod arithmetic;
mod call;
mod characters;
mod clean;
mod cursor;
mod dialect;
mod emit;
mod expr;
mod finish;
mod items;
mod lex;
mod outcome;
mod prefix;
mod process;
mod reader;
mod record;
mod recover;
mod skipped;
mod suggest;
mod suspicious;
mod tracer;

use std::collections::BTreeMap;
use std::ops::Range;

use sealab_core::call::Call;
use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};
use crate::interp::{EvalContext, Event, Interp};
use crate::limits::Limits;
use crate::program::Program;
use crate::text::floor_boundary;

use emit::{Emit, RawDiagnostic};
use reader::Reader;

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
pub fn parse(text: &str, options: &ParseOptions) -> Parsed {
    let most = options.limits.text_bytes.min(u32::MAX as usize);
    let kept = whole_lines(text, most);
    if kept.len() == text.len() && crate::lackey::is_lackey(kept) {
        return crate::lackey::program(kept, options);
    }
    let mut emit = Emit::new(options.limits);
    if kept.len() < text.len() {
        emit.report(RawDiagnostic {
            severity: Severity::Error,
            code: "limit-text",
            span: kept.len()..kept.len(),
            message: format!(
                "the text has {} bytes, more than {most}; what lies beyond is left out",
                text.len()
            ),
            hint: Some("split the text".to_owned()),
        });
    }
    let clean = clean::clean(kept);
    let dialect = dialect::of(&clean.text);
    characters::report(kept, &mut emit, dialect == Dialect::Trace);
    let mut reader = Reader::new(&clean, dialect == Dialect::Trace, emit);
    reader.run();
    let Reader { emit, state, .. } = reader;
    finish::finish(kept, emit, &state, dialect, options)
}

/// The lines of `text` that end within its first `most` bytes.
fn whole_lines(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let kept = text.get(..floor_boundary(text, most)).unwrap_or("");
    let end = memchr::memrchr2(b'\n', b'\r', kept.as_bytes()).map_or(0, |at| at + 1);
    kept.get(..end).unwrap_or("")
}

/// Parses one call without names, for example out of a record:
/// `mprotect(0x7f0000000000, 4096, PROT_READ)`. A result behind it is read over.
///
/// # Errors
/// The first fault in it, or `no-call` where it is none that is simulated.
pub fn parse_call(text: &str) -> Result<Call, Diagnostic> {
    let parsed = parse(text, &ParseOptions::default());
    if let Some(fault) = parsed.diagnostics.iter().find(|d| d.is_error()) {
        return Err(fault.clone());
    }
    match Interp::new(&parsed.program, EvalContext::default()).next_event() {
        Event::Call(step) => Ok(step.call),
        Event::Error(fault) => Err(*fault),
        _ => Err(Diagnostic {
            severity: Severity::Error,
            code: "no-call",
            span: 0..text.len(),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: u32::try_from(text.chars().count() + 1).unwrap_or(u32::MAX),
            message: "this is no call that is simulated".to_owned(),
            hint: None,
        }),
    }
}

/// A text cleaned of what mail and web pages did to it, for the other readers of pasted text.
pub(crate) fn clean_text(text: &str) -> clean::Clean<'_> {
    clean::clean(text)
}

pub(crate) use expr::excerpt;

/// Whether `ch` closes a text in quotes like `"`.
pub(crate) fn ends_text(ch: char) -> bool {
    suspicious::meant_mark(ch) == Some(b'"')
}

// What the highlighter and the editor's help share with the parser.

pub(crate) use call::angle_length;
pub(crate) use lex::{Lex, Lexer};

/// Who wrote a text.
pub(crate) fn dialect_of(text: &str) -> Dialect {
    dialect::of(text)
}

/// The lines of a text without their ends, each with its start.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut lines = record::Lines::new(text);
    std::iter::from_fn(move || {
        let range = lines.next_line()?;
        Some((range.start, text.get(range)?))
    })
}

/// Length of what stands before a line's statement.
pub(crate) fn prefix_length(line: &str, lenient: bool) -> usize {
    prefix::strip(line, lenient).length
}

/// Whether a line without its prefix starts a statement.
pub(crate) fn starts_statement(body: &str, lenient: bool) -> bool {
    prefix::starts_statement(body, lenient)
}

/// What a line without its prefix is noted as, if it is no statement at first sight.
pub(crate) fn note_of_line(body: &str) -> Option<NoteKind> {
    match tracer::classify(body) {
        tracer::TracerLine::Note(kind) => Some(kind),
        _ => tracer::mark(body)
            .filter(|(_, length)| *length == body.trim_end().len())
            .map(|(kind, _)| kind),
    }
}

/// Whether a line of a trace without its prefix is no statement, a comment or part of a call.
pub(crate) fn is_prose(body: &str, lenient: bool) -> bool {
    lenient
        && tracer::classify(body) == tracer::TracerLine::Statements
        && !prefix::starts_statement(body, true)
        && !body.trim_start().starts_with(['=', '}', ')', ','])
        && tracer::next_call(body).is_none()
}

/// The value of a number as it is written.
pub(crate) fn number_of(text: &str) -> Option<u64> {
    lex::number(text).ok()
}
