//! Runs a program step by step: evaluates arguments, unrolls loops lazily, binds names.

use std::sync::Arc;

use sealab_core::addr::PageSize;
use sealab_core::call::{Call, Outcome, ProcessId};

use crate::diagnostic::Diagnostic;
use crate::program::{AccessKind, Expected, LoopId, MeasureId, PatternKind, Program, StatementId};

/// What a run is told beforehand.
#[derive(Clone, Copy, Debug)]
pub struct EvalContext {
    /// What `PAGE` means.
    pub page_size: PageSize,
    /// Most calls and loop iterations to run; see [`crate::limits::CALLS_RUN`].
    pub max_calls: u64,
    /// Whether to report the end of each loop iteration ([`Event::IterationEnd`]).
    pub iteration_events: bool,
}

impl Default for EvalContext {
    fn default() -> Self {
        Self {
            page_size: PageSize::K4,
            max_calls: crate::limits::CALLS_RUN,
            iteration_events: false,
        }
    }
}

/// What comes next in a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// Make this call, then tell [`Interp::answer`] how it ended.
    Call(Step),
    /// Make these accesses.
    Pattern(PatternStep),
    /// A `measure` block begins.
    MeasureBegin(MeasureId),
    /// It ends: one sample more.
    MeasureEnd(MeasureId),
    /// An iteration of the loop is done (only with [`EvalContext::iteration_events`]).
    IterationEnd(LoopId),
    /// A statement could not be run: an unbound name, a division by zero, a limit. Reported once
    /// for each statement; the run goes on without it.
    Error(Box<Diagnostic>),
    /// The program is over.
    Done,
}

/// A call to make.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Where in the program.
    pub statement: StatementId,
    /// Line in the text, from 1.
    pub line: u32,
    /// Who makes it.
    pub by: ProcessId,
    /// The call, with its arguments evaluated.
    pub call: Call,
    /// What the text says it returns.
    pub expected: Option<Expected>,
}

impl Step {
    /// The call in strace's style, with evaluated arguments and flags by name:
    /// `mprotect(0x7ffff7d72000, 16384, PROT_READ)`.
    #[must_use]
    pub fn text(&self) -> String {
        crate::render::call_text(&self.call)
    }
}

/// Accesses to make: `access(addr, len, pattern, count, seed)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternStep {
    /// Where in the program.
    pub statement: StatementId,
    /// Line in the text, from 1.
    pub line: u32,
    /// Who makes them.
    pub by: ProcessId,
    /// First byte of the range.
    pub addr: u64,
    /// Length of the range, in bytes.
    pub len: u64,
    /// How many accesses.
    pub count: u64,
    /// What random addresses are drawn from.
    pub seed: u64,
    /// Bytes from one access to the next (8 for `seq`; 0 for `random`).
    pub stride: u64,
    /// In which order.
    pub pattern: PatternKind,
    /// Reading, writing or running.
    pub access: AccessKind,
}

/// A loop that is running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopState {
    /// Which.
    pub id: LoopId,
    /// The iteration, from 0.
    pub iteration: u64,
    /// How many there will be.
    pub count: u64,
}

/// A program while it runs. Costs no allocation a step, whatever the number of iterations.
#[derive(Debug)]
pub struct Interp<'p> {
    _program: &'p Program,
    loops: Vec<LoopState>,
    measures: Vec<MeasureId>,
}

impl<'p> Interp<'p> {
    /// Ready to run `program` from its start.
    #[must_use]
    pub fn new(program: &'p Program, _context: EvalContext) -> Self {
        let _: Option<Arc<str>> = None;
        Self {
            _program: program,
            loops: Vec::new(),
            measures: Vec::new(),
        }
    }

    /// What comes next.
    pub fn next_event(&mut self) -> Event {
        Event::Done
    }

    /// Tells how the call just given ended: binds its name.
    pub fn answer(&mut self, _outcome: Outcome) {}

    /// The loops around the step just given, outermost first.
    #[must_use]
    pub fn loops(&self) -> &[LoopState] {
        &self.loops
    }

    /// The measures around the step just given, outermost first.
    #[must_use]
    pub fn measures(&self) -> &[MeasureId] {
        &self.measures
    }

    /// Leaves out the next `n` iterations of the innermost loop (as many as there are); returns
    /// how many. The loop variable moves with them. Only at [`Event::IterationEnd`].
    pub fn skip_iterations(&mut self, _n: u64) -> u64 {
        0
    }
}
