//! What the parser has made so far: statements, names, diagnostics, notes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Severity;
use crate::limits::Limits;
use crate::program::{Arena, Arg, Expr, Slot, Statement, StatementId};

use super::process::{Event, EventKind};
use super::{Note, NoteKind};

/// The process tag of a line that names none.
pub(crate) const NO_PID: i64 = i64::MIN;

/// A diagnostic whose lines and columns are not looked up yet. Its span is of the original text.
#[derive(Clone, Debug)]
pub(crate) struct RawDiagnostic {
    pub severity: Severity,
    pub code: &'static str,
    pub span: Range<usize>,
    pub message: String,
    pub hint: Option<String>,
}

/// Where a collection stood, to take back what a broken-off attempt added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    diagnostics: usize,
    hidden: u64,
    args: usize,
    exprs: usize,
    strings: usize,
}

/// Collects a program.
#[derive(Debug, Default)]
pub(crate) struct Emit {
    pub statements: Vec<Statement>,
    /// The process tag of each statement.
    pub pids: Vec<i64>,
    pub arena: Arena,
    pub names: HashMap<Arc<str>, Slot>,
    pub diagnostics: Vec<RawDiagnostic>,
    /// Diagnostics beyond the limit.
    pub hidden_diagnostics: u64,
    pub notes: Vec<Note>,
    /// Notes beyond the limit.
    pub hidden_notes: u64,
    pub skipped: BTreeMap<String, u64>,
    /// Calls that touch memory and are not modelled: how many, and where the first stands.
    pub unmodelled: BTreeMap<&'static str, (u64, Range<usize>)>,
    pub events: Vec<Event>,
    pub limits: Limits,
    /// Whether the statement limit was met.
    pub full: bool,
}

impl Emit {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    pub fn mark(&self) -> Mark {
        Mark {
            diagnostics: self.diagnostics.len(),
            hidden: self.hidden_diagnostics,
            args: self.arena.args.len(),
            exprs: self.arena.exprs.len(),
            strings: self.arena.strings.len(),
        }
    }

    /// Takes back what was added since `mark`.
    pub fn rewind(&mut self, mark: Mark) {
        self.diagnostics.truncate(mark.diagnostics);
        self.hidden_diagnostics = mark.hidden;
        self.arena.args.truncate(mark.args);
        self.arena.exprs.truncate(mark.exprs);
        self.arena.strings.truncate(mark.strings);
    }

    /// Whether an error was added since `mark`.
    pub fn failed_since(&self, mark: Mark) -> bool {
        self.hidden_diagnostics > mark.hidden
            || self
                .diagnostics
                .iter()
                .skip(mark.diagnostics)
                .any(|d| d.severity == Severity::Error)
    }

    pub fn report(&mut self, diagnostic: RawDiagnostic) {
        if self.diagnostics.len() < self.limits.diagnostics {
            self.diagnostics.push(diagnostic);
        } else {
            self.hidden_diagnostics += 1;
        }
    }

    pub fn note(&mut self, span: Range<usize>, kind: NoteKind) {
        if self.notes.len() < self.limits.notes {
            self.notes.push(Note {
                span,
                line: 0,
                kind,
            });
        } else {
            self.hidden_notes += 1;
        }
    }

    pub fn skip(&mut self, name: &str) {
        match self.skipped.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                self.skipped.insert(name.to_owned(), 1);
            }
        }
    }

    pub fn event(&mut self, pid: i64, kind: EventKind) {
        self.events.push(Event {
            at: self.next_id(),
            pid,
            kind,
        });
    }

    pub fn next_id(&self) -> StatementId {
        StatementId(u32::try_from(self.statements.len()).unwrap_or(u32::MAX))
    }

    /// Adds a statement; `None` once there are too many.
    pub fn push(&mut self, statement: Statement, pid: i64) -> Option<StatementId> {
        if self.statements.len() >= self.limits.statements {
            if !self.full {
                self.full = true;
                let span = statement.span.start as usize..statement.span.end as usize;
                self.report(RawDiagnostic {
                    severity: Severity::Error,
                    code: "limit-statements",
                    span,
                    message: format!(
                        "more than {} statements; this one and all after it are left out",
                        self.limits.statements
                    ),
                    hint: Some("split the text".to_owned()),
                });
            }
            return None;
        }
        let id = self.next_id();
        self.statements.push(statement);
        self.pids.push(pid);
        Some(id)
    }

    pub fn text(&mut self, text: String) -> Arg {
        // Traces open the same few files over and over; only neighbours are looked at.
        let known = self
            .arena
            .strings
            .iter()
            .rev()
            .take(8)
            .position(|s| **s == *text);
        let index = match known {
            Some(back) => self.arena.strings.len() - 1 - back,
            None => {
                self.arena.strings.push(text.into());
                self.arena.strings.len() - 1
            }
        };
        Arg::Text(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub fn expr(&mut self, ops: &[Expr]) -> Arg {
        let start = self.arena.exprs.len();
        self.arena.exprs.extend_from_slice(ops);
        Arg::Expr {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            len: u32::try_from(ops.len()).unwrap_or(0),
        }
    }

    pub fn args(&mut self, args: &[Arg]) -> Range<u32> {
        let start = self.arena.args.len();
        self.arena.args.extend_from_slice(args);
        let end = self.arena.args.len();
        u32::try_from(start).unwrap_or(u32::MAX)..u32::try_from(end).unwrap_or(u32::MAX)
    }

    /// The slot of a name that a statement binds, new or known; `None` once there are too many.
    pub fn bind(&mut self, name: &str) -> Option<Slot> {
        match self.names.get(name) {
            Some(slot) => Some(*slot),
            None => self.bind_anew(name),
        }
    }

    /// A new slot for a name, which hides an older one of that name.
    pub fn bind_anew(&mut self, name: &str) -> Option<Slot> {
        if self.arena.names.len() >= self.limits.names {
            return None;
        }
        let name: Arc<str> = name.into();
        let slot = Slot(u32::try_from(self.arena.names.len()).ok()?);
        self.arena.names.push(name.clone());
        self.names.insert(name, slot);
        Some(slot)
    }
}
