//! One scenario on two kernels at once: names are bound to what each of them returned.

use std::fmt;

use sealab_core::call::{Call, Mapping, MemorySystem, Outcome, ProcessId};
use sealab_scenario::program::{Expected, Program};
use sealab_scenario::{Diagnostic, EvalContext, Event, Interp, PatternStep, render};

use super::Step;
use super::compare::{Mismatch, same_mappings};
use crate::run::pattern;

/// Calls that one scenario may make on a real kernel.
const MOST_CALLS: u64 = 200_000;

/// A kernel that may refuse to be asked.
pub trait Asked {
    /// Why it was not asked.
    type Refusal: fmt::Display;

    /// Makes `call` in process `by`.
    ///
    /// # Errors
    /// Where it may not or cannot be made.
    fn ask(&mut self, by: ProcessId, call: &Call) -> Result<Outcome, Self::Refusal>;

    /// The mappings of the first process.
    ///
    /// # Errors
    /// Where they cannot be read.
    fn mappings(&mut self) -> Result<Vec<Mapping>, Self::Refusal>;
}

/// One call on both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its line in the scenario, from 1.
    pub line: u32,
    /// The call as the real kernel was asked it.
    pub text: String,
    /// How it ended; otherwise why it was not made on either.
    pub ended: Result<Ended, String>,
    /// What the text says, where it says anything.
    pub expected: Option<Expected>,
}

/// How a call ended on both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// On the real kernel.
    pub kernel: Outcome,
    /// On the simulated one.
    pub simulated: Outcome,
}

impl Line {
    /// Whether it ended differently.
    #[must_use]
    pub fn differs(&self) -> bool {
        matches!(self.ended, Ok(Ended { kernel, simulated }) if kernel != simulated)
    }
}

/// What came of a scenario on both.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lockstep {
    /// The calls that were made, as the real kernel was asked them.
    pub made: Vec<Step>,
    /// Every call, in order.
    pub lines: Vec<Line>,
    /// What the address spaces differ in at the end, if every call ended alike.
    pub mismatch: Option<Mismatch>,
    /// Statements that could not be run.
    pub faults: Vec<Diagnostic>,
    /// Why it stopped before its end, if it did.
    pub stopped: Option<String>,
}

impl Lockstep {
    /// Whether everything that was asked was answered alike.
    #[must_use]
    pub fn agrees(&self) -> bool {
        !self.lines.iter().any(Line::differs) && self.mismatch.is_none() && self.stopped.is_none()
    }
}

/// Runs `program` on `kernel` and on `simulated`, which start alike. `length_of` tells the length
/// of a file that the program opens and the text does not know.
pub fn lockstep<K: Asked>(
    program: &Program,
    kernel: &mut K,
    simulated: &mut dyn MemorySystem,
    length_of: &dyn Fn(&str) -> u64,
) -> Lockstep {
    let context = EvalContext {
        max_calls: MOST_CALLS,
        ..EvalContext::default()
    };
    let before = kernel.mappings();
    let mut both = Both {
        kernel,
        simulated,
        length_of,
        out: Lockstep::default(),
    };
    let mut real = Interp::new(program, context);
    let mut model = Interp::new(program, context);
    while both.out.stopped.is_none() {
        match (real.next_event(), model.next_event()) {
            (Event::Done, Event::Done) => break,
            (Event::Call(asked), Event::Call(modelled)) => {
                let line = both.call((asked.by, asked.call), (modelled.by, modelled.call));
                if let Ok(ended) = line.ended {
                    real.answer(ended.kernel);
                    model.answer(ended.simulated);
                }
                both.out.lines.push(Line {
                    line: asked.line,
                    expected: asked.expected,
                    ..line
                });
            }
            (Event::Pattern(asked), Event::Pattern(modelled)) => both.pattern(&asked, &modelled),
            (Event::Error(fault), Event::Error(_)) => both.out.faults.push(*fault),
            (
                Event::MeasureBegin(_) | Event::MeasureEnd(_) | Event::IterationEnd(_),
                Event::MeasureBegin(_) | Event::MeasureEnd(_) | Event::IterationEnd(_),
            ) => {}
            _ => both.out.stopped = Some(PARTED.to_owned()),
        }
    }
    both.compare_ends(before)
}

const PARTED: &str = "the two runs part here: what follows depends on a result that differs";

/// The two kernels at work.
struct Both<'a, K> {
    kernel: &'a mut K,
    simulated: &'a mut dyn MemorySystem,
    length_of: &'a dyn Fn(&str) -> u64,
    out: Lockstep,
}

impl<K: Asked> Both<'_, K> {
    /// Makes one call on both, with the arguments it has there.
    fn call(&mut self, asked: Step, modelled: Step) -> Line {
        let (by, call) = (asked.0, with_length(asked.1, self.length_of));
        let ended = self.kernel.ask(by, &call).map(|kernel| {
            let (by, call) = (modelled.0, with_length(modelled.1, self.length_of));
            Ended {
                kernel,
                simulated: self.simulated.call(by, &call),
            }
        });
        if ended.is_ok() {
            self.out.made.push((by, call.clone()));
        }
        Line {
            line: 0,
            text: render::call_text(&call),
            ended: ended.map_err(|why| why.to_string()),
            expected: None,
        }
    }

    /// Makes the accesses of a pattern one by one, up to the first that fails.
    fn pattern(&mut self, asked: &PatternStep, modelled: &PatternStep) {
        let left = MOST_CALLS.saturating_sub(self.out.lines.len() as u64);
        if asked.count > left {
            self.out.stopped = Some(format!(
                "line {}: {MOST_CALLS} calls and accesses at most are made on a real kernel",
                asked.line
            ));
            return;
        }
        for (call, same) in pattern::calls(asked).zip(pattern::calls(modelled)) {
            let made = self.call((asked.by, call), (modelled.by, same));
            let fine =
                matches!(made.ended, Ok(ended) if ended.kernel.is_ok() && ended.simulated.is_ok());
            self.out.lines.push(Line {
                line: asked.line,
                ..made
            });
            if !fine {
                return;
            }
        }
    }

    fn compare_ends(mut self, before: Result<Vec<Mapping>, K::Refusal>) -> Lockstep {
        if self.out.agrees() {
            match (before, self.kernel.mappings()) {
                (Ok(before), Ok(after)) => {
                    let simulated = self.simulated.mappings(ProcessId(0));
                    self.out.mismatch = same_mappings(&before, &after, &simulated);
                }
                (Err(why), _) | (_, Err(why)) => self.out.stopped = Some(why.to_string()),
            }
        }
        self.out
    }
}

fn with_length(call: Call, length_of: &dyn Fn(&str) -> u64) -> Call {
    match call {
        Call::Open {
            path,
            flags,
            fd,
            size: None,
        } => Call::Open {
            size: Some(length_of(&path)),
            path,
            flags,
            fd,
        },
        call => call,
    }
}
