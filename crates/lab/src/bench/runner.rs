//! A scenario run for its counts alone: nothing is listed, nothing is lined up.

use sealab_core::call::MemorySystem as _;
use sealab_core::kernel::Kernel;
use sealab_core::machine::{Config, Machine};
use sealab_core::meter::Counts;
use sealab_core::paging::MemoryDesign;
use sealab_scenario::{EvalContext, Event, Interp, ParseOptions, Severity, parse};

use super::BenchError;
use crate::run::pattern;

/// How many steps are made before the watch is asked again.
const WATCH_INTERVAL: u64 = 4096;

/// What a scenario counted.
pub struct Ran {
    /// The named stretches, in the order of the text.
    pub measures: Vec<Measured>,
    /// Calls and accesses made in all.
    pub calls: u64,
    /// Calls that did not succeed.
    pub failed: u64,
    /// The machine at the end.
    pub machine: Machine,
}

/// A named stretch.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub samples: u64,
    /// What it counted in all.
    pub counts: Counts,
}

/// Runs `text` under `kernel` and `memory`. `go_on` is told the calls made and says whether to go on.
///
/// # Errors
/// [`BenchError::Cancelled`] where it said no, [`BenchError::Scenario`] where the text has a fault.
pub fn run(
    text: &str,
    kernel: &'static Kernel,
    memory: &MemoryDesign,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Ran, BenchError> {
    if !go_on(0) {
        return Err(BenchError::Cancelled);
    }
    let parsed = parse(text, &ParseOptions::default());
    if let Some(fault) = parsed
        .diagnostics
        .iter()
        .find(|d| d.severity == Severity::Error)
    {
        return Err(BenchError::Scenario(fault.message.clone()));
    }
    let program = &parsed.program;
    let mut measures: Vec<Measured> = program
        .measures()
        .iter()
        .map(|info| Measured {
            name: info.name.to_string(),
            samples: 0,
            counts: Counts::default(),
        })
        .collect();
    let mut open: Vec<(usize, Counts)> = Vec::new();
    let mut machine = Machine::new(Config::new(kernel, memory.clone()));
    let context = EvalContext {
        page_size: memory.page_size,
        ..EvalContext::default()
    };
    let mut interp = Interp::new(program, context);
    let (mut calls, mut failed) = (0_u64, 0_u64);
    loop {
        match interp.next_event() {
            Event::Call(step) => {
                let outcome = machine.call(step.by, &step.call);
                failed += u64::from(!outcome.is_ok());
                calls += 1;
                interp.answer(outcome);
                if calls % WATCH_INTERVAL == 0 && !go_on(calls) {
                    return Err(BenchError::Cancelled);
                }
            }
            Event::Pattern(step) => {
                let mut cancelled = false;
                let (made, outcome) = pattern::run(&mut machine, &step, &mut |made| {
                    cancelled = !go_on(calls.saturating_add(made));
                    !cancelled
                });
                if cancelled {
                    return Err(BenchError::Cancelled);
                }
                calls += made;
                failed += u64::from(!outcome.is_ok());
            }
            Event::MeasureBegin(id) => open.push((id.0 as usize, *machine.counts())),
            Event::MeasureEnd(id) => {
                let index = id.0 as usize;
                let Some(at) = open.iter().rposition(|(i, _)| *i == index) else {
                    continue;
                };
                let (_, before) = open.swap_remove(at);
                if let Some(measure) = measures.get_mut(index) {
                    measure.samples += 1;
                    measure.counts.merge(&machine.counts().since(&before));
                }
            }
            Event::IterationEnd(_) => {}
            Event::Error(fault) => return Err(BenchError::Scenario(fault.message.clone())),
            Event::Done => break,
        }
    }
    Ok(Ran {
        measures,
        calls,
        failed,
        machine,
    })
}
