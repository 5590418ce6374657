//! Runs a program step by step: evaluates arguments, unrolls loops lazily, binds names.
//!
//! ```
//! use sealab_core::call::Outcome;
//! use sealab_scenario::{EvalContext, Event, Interp, ParseOptions, parse};
//!
//! let text = "a = mmap(NULL, 8K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\nmunmap(a + 4K, 4K)";
//! let parsed = parse(text, &ParseOptions::default());
//! let mut interp = Interp::new(&parsed.program, EvalContext::default());
//! let mut texts = Vec::new();
//! loop {
//!     match interp.next_event() {
//!         Event::Call(step) => {
//!             texts.push(step.text());
//!             interp.answer(Outcome::Value(0x10000));
//!         }
//!         Event::Done => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(texts[1], "munmap(0x11000, 4096)");
//! ```

mod eval;

use std::ops::Range;
use std::sync::Arc;

use sealab_core::addr::PageSize;
use sealab_core::call::{Call, Outcome, ProcessId};

use crate::calls::CallName;
use crate::diagnostic::{Diagnostic, Severity};
use crate::program::{
    AccessKind, By, Expectation, Expected, LoopId, MeasureId, PatternKind, Program, Slot,
    Statement, StatementId, StatementKind,
};

use eval::{Evaluator, Fault, Value};

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
    /// Lines of a trace of accesses ([`crate::lackey`]), which then say all of the above.
    pub trace: Option<Arc<str>>,
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
    program: &'p Program,
    context: EvalContext,
    eval: Evaluator<'p>,
    /// The statement that comes next.
    at: u32,
    /// The blocks around it, outermost first.
    blocks: Vec<Frame>,
    loops: Vec<LoopState>,
    measures: Vec<MeasureId>,
    /// The call that waits for its answer, and the name to bind.
    waiting: Option<(StatementId, Option<Slot>)>,
    /// Calls and iterations run so far.
    spent: u64,
    /// Statements whose fault was reported; sorted.
    faulty: Vec<StatementId>,
    unreported: u64,
    over: bool,
}

/// A block that is open.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    body: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
enum FrameKind {
    Loop { var: Option<Slot>, reported: bool },
    Measure(MeasureId),
}

impl<'p> Interp<'p> {
    /// Ready to run `program` from its start.
    #[must_use]
    pub fn new(program: &'p Program, context: EvalContext) -> Self {
        Self {
            program,
            context,
            eval: Evaluator::new(&program.arena, context.page_size),
            at: 0,
            blocks: Vec::new(),
            loops: Vec::new(),
            measures: Vec::new(),
            waiting: None,
            spent: 0,
            faulty: Vec::new(),
            unreported: 0,
            over: false,
        }
    }

    /// What comes next.
    pub fn next_event(&mut self) -> Event {
        while !self.over {
            if let Some(frame) = self.blocks.last().copied().filter(|f| f.end == self.at) {
                if let Some(event) = self.end_of_block(frame) {
                    return event;
                }
                continue;
            }
            let program = self.program;
            let Some(statement) = program.statements.get(self.at as usize) else {
                self.over = true;
                break;
            };
            let id = StatementId(self.at);
            self.at += 1;
            let event = match self.statement(id, statement) {
                Ok(None) => continue,
                Ok(Some(event)) => event,
                Err(fault) => match self.fault(id, statement, fault) {
                    Some(event) => event,
                    None => continue,
                },
            };
            return event;
        }
        Event::Done
    }

    /// Tells how the call just given ended: binds its name.
    pub fn answer(&mut self, outcome: Outcome) {
        let Some((statement, Some(slot))) = self.waiting.take() else {
            return;
        };
        let value = match outcome {
            Outcome::Value(value) => Value::Known(i128::from(value)),
            Outcome::Errno(errno) => Value::Failed(statement, errno.name()),
            Outcome::Signal(signal) => Value::Failed(statement, signal.name()),
        };
        self.eval.set(slot, value);
    }

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

    /// Calls and loop iterations run so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// How many faults were not reported because their statement had reported one before.
    #[must_use]
    pub fn unreported_faults(&self) -> u64 {
        self.unreported
    }

    /// Leaves out the next `n` iterations of the innermost loop (as many as there are); returns
    /// how many. The loop variable moves with them. Only right after [`Event::IterationEnd`].
    pub fn skip_iterations(&mut self, n: u64) -> u64 {
        let Some(state) = self.loops.last_mut() else {
            return 0;
        };
        let left = state
            .count
            .saturating_sub(state.iteration)
            .saturating_sub(1);
        let skipped = n.min(left);
        state.iteration += skipped;
        skipped
    }

    fn statement(
        &mut self,
        id: StatementId,
        statement: &'p Statement,
    ) -> Result<Option<Event>, Fault> {
        match &statement.kind {
            StatementKind::Call {
                bind,
                by,
                call,
                args,
            } => {
                if let Some(limit) = self.spend(statement) {
                    return Ok(Some(limit));
                }
                // Until it is answered, and if it cannot be made, its name has no value.
                if let Some(slot) = bind {
                    self.eval.set(*slot, Value::NotMade(id));
                }
                let by = self.by(*by)?;
                let recorded = statement.expected.filter(|_| statement.from_trace);
                let call = self.call(*call, args, recorded)?;
                let expected = self.expected(statement.expected)?;
                self.waiting = Some((id, *bind));
                Ok(Some(Event::Call(Step {
                    statement: id,
                    line: statement.line,
                    by,
                    call,
                    expected,
                })))
            }
            StatementKind::Pattern {
                by,
                pattern,
                access,
                args,
            } => {
                if let Some(limit) = self.spend(statement) {
                    return Ok(Some(limit));
                }
                let by = self.by(*by)?;
                let [addr, len, count, seed, stride] = self.eval.numbers(args)?;
                Ok(Some(Event::Pattern(PatternStep {
                    statement: id,
                    line: statement.line,
                    by,
                    addr,
                    len,
                    count,
                    seed,
                    stride,
                    pattern: *pattern,
                    access: *access,
                    trace: None,
                })))
            }
            StatementKind::Trace { by, text, count } => {
                if let Some(limit) = self.spend(statement) {
                    return Ok(Some(limit));
                }
                let by = self.by(*by)?;
                let trace = self.program.arena.strings.get(*text as usize).cloned();
                Ok(Some(Event::Pattern(PatternStep {
                    statement: id,
                    line: statement.line,
                    by,
                    addr: 0,
                    len: 0,
                    count: *count,
                    seed: 0,
                    stride: 0,
                    pattern: PatternKind::Sequential,
                    access: AccessKind::Load,
                    trace,
                })))
            }
            StatementKind::Let { slot, value } => {
                self.eval.set(*slot, Value::NotMade(id));
                let value = self.eval.value(*value)?;
                self.eval.set(*slot, Value::Known(value));
                Ok(None)
            }
            StatementKind::Repeat { id: loop_id, end } => self.enter_loop(*loop_id, *end),
            StatementKind::Measure { id: measure, end } => {
                self.blocks.push(Frame {
                    kind: FrameKind::Measure(*measure),
                    body: self.at,
                    end: end.0,
                });
                self.measures.push(*measure);
                Ok(Some(Event::MeasureBegin(*measure)))
            }
        }
    }

    fn enter_loop(&mut self, id: LoopId, end: StatementId) -> Result<Option<Event>, Fault> {
        let body = self.at;
        // Should its count be unknown, the loop is passed over.
        self.at = end.0;
        let Some(info) = self.program.arena.loops.get(id.0 as usize) else {
            return Ok(None);
        };
        let count = self.eval.value(info.count)?;
        let Ok(count) = u64::try_from(count) else {
            return Err(Fault::NegativeCount);
        };
        if count == 0 || end.0 <= body {
            return Ok(None);
        }
        if let Some(slot) = info.var {
            self.eval.set(slot, Value::Known(0));
        }
        self.at = body;
        self.blocks.push(Frame {
            kind: FrameKind::Loop {
                var: info.var,
                reported: false,
            },
            body,
            end: end.0,
        });
        self.loops.push(LoopState {
            id,
            iteration: 0,
            count,
        });
        Ok(None)
    }

    /// The end of a block's body is reached.
    fn end_of_block(&mut self, frame: Frame) -> Option<Event> {
        match frame.kind {
            FrameKind::Measure(id) => {
                self.blocks.pop();
                self.measures.pop();
                Some(Event::MeasureEnd(id))
            }
            FrameKind::Loop { var, reported } => {
                let state = self.loops.last().copied()?;
                if self.context.iteration_events && !reported {
                    if let Some(Frame {
                        kind: FrameKind::Loop { reported, .. },
                        ..
                    }) = self.blocks.last_mut()
                    {
                        *reported = true;
                    }
                    return Some(Event::IterationEnd(state.id));
                }
                let next = state.iteration + 1;
                if next >= state.count {
                    self.blocks.pop();
                    self.loops.pop();
                    return None;
                }
                if let Some(state) = self.loops.last_mut() {
                    state.iteration = next;
                }
                if let Some(slot) = var {
                    self.eval.set(slot, Value::Known(i128::from(next)));
                }
                if let Some(Frame {
                    kind: FrameKind::Loop { reported, .. },
                    ..
                }) = self.blocks.last_mut()
                {
                    *reported = false;
                }
                self.at = frame.body;
                let head = self
                    .program
                    .statements
                    .get((frame.body as usize).saturating_sub(1));
                head.and_then(|head| self.spend(head))
            }
        }
    }

    /// Counts a call or an iteration; the event that ends the run if there have been too many.
    fn spend(&mut self, at: &Statement) -> Option<Event> {
        if self.spent < self.context.max_calls {
            self.spent += 1;
            return None;
        }
        self.over = true;
        let message = format!(
            "stopped after {} calls and loop iterations, the most that one run makes",
            self.context.max_calls
        );
        let hint = Some("fewer iterations show the same".to_owned());
        Some(Event::Error(Box::new(diagnostic(
            at,
            "limit-calls",
            message,
            hint,
        ))))
    }

    fn by(&mut self, by: By) -> Result<ProcessId, Fault> {
        match by {
            By::Process(process) => Ok(process),
            By::Slot(slot) => {
                let value = self.eval.slot(slot)?;
                u32::try_from(value)
                    .map(ProcessId)
                    .map_err(|_| Fault::NoProcess(slot))
            }
        }
    }

    fn expected(&mut self, expected: Option<Expectation>) -> Result<Option<Expected>, Fault> {
        Ok(match expected {
            None => None,
            Some(Expectation::Settled(expected)) => Some(expected),
            Some(Expectation::Value(arg)) => Some(Expected::Value(self.eval.number(arg)?)),
        })
    }

    fn call(
        &mut self,
        name: CallName,
        args: &Range<u32>,
        recorded: Option<Expectation>,
    ) -> Result<Call, Fault> {
        let recorded = match self.expected(recorded)? {
            Some(Expected::Value(value)) => i32::try_from(value).ok(),
            _ => None,
        };
        self.eval.call(name, args, recorded)
    }

    /// A statement could not be run: reported the first time.
    fn fault(&mut self, id: StatementId, statement: &Statement, fault: Fault) -> Option<Event> {
        match self.faulty.binary_search(&id) {
            Ok(_) => {
                self.unreported += 1;
                return None;
            }
            Err(place) => self.faulty.insert(place, id),
        }
        let (code, message, hint) = fault.describe(self.program);
        Some(Event::Error(Box::new(diagnostic(
            statement, code, message, hint,
        ))))
    }
}

/// A diagnostic on a whole statement. Its columns are those of the statement's line alone, as the
/// text is not at hand: the span has the exact place.
fn diagnostic(
    at: &Statement,
    code: &'static str,
    message: String,
    hint: Option<String>,
) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code,
        span: at.span.start as usize..at.span.end as usize,
        line: at.line,
        column: 1,
        end_line: at.line,
        end_column: 1,
        message,
        hint,
    }
}

/// A path or text argument.
type Text = Arc<str>;
