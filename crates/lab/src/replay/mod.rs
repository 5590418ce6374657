//! Recorded cases of real kernels, made again on the simulator and compared: every call's result,
//! the final maps line by line, flags and resident memory of every mapping the recording lists.

mod begin;
mod case;
pub mod compare;
mod conditions;
mod load;
pub mod pack;
pub mod pages;
mod recorder;
mod trace;
mod values;

use sealab_core::call::{MemorySystem as _, Outcome, ProcessId};
use sealab_core::kernel::Kernel;
use sealab_scenario::maps::{MapsLine, parse_maps};

pub use case::{Case, LoadError};
pub use compare::{Difference, Place};
pub use load::load;

/// How a case's replay ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// What differs; empty: the case passed. Only the first difference unless all were asked for.
    pub differences: Vec<Difference>,
    /// Calls made.
    pub calls: usize,
}

impl Verdict {
    /// Whether nothing differs.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Replays `case`; with `all`, goes on past the first call that differs.
///
/// # Errors
/// A kernel id that is none, or a recording that cannot be read.
pub fn replay(case: &Case, all: bool) -> Result<Verdict, String> {
    let kernel = Kernel::by_name(&case.kernel)
        .ok_or_else(|| format!("{}: unknown kernel {}", case.place, case.kernel))?;
    replay_under(case, kernel, all)
}

/// Replays `case` under any kernel, be it one with a rule changed on purpose.
///
/// # Errors
/// A recording that cannot be read.
pub fn replay_under(case: &Case, kernel: &'static Kernel, all: bool) -> Result<Verdict, String> {
    let calls = trace::calls(&case.strace).map_err(|e| format!("{}: {e}", case.place))?;
    let before = maps(case, "before", &case.before)?;
    let told = maps(case, "bsmaps", case.before_smaps.as_deref().unwrap_or(""))?;
    let mut machine = begin::machine(kernel, &before, &told, &calls);
    let process = ProcessId(0);

    let mut differences = Vec::new();
    for recorded in &calls {
        let outcome = machine.call(process, &recorded.call);
        if !recorded.expected.agrees(outcome) {
            differences.push(Difference {
                at: Place::Call {
                    line: recorded.line,
                    text: recorded.text.clone(),
                },
                recorded: Some(recorded.result.clone()),
                simulated: Some(outcome_text(outcome)),
            });
            if !all {
                break;
            }
        }
    }
    // Once a call ended otherwise, the address spaces are no longer of the same history.
    if all || differences.is_empty() {
        let simulated = machine.mappings(process);
        let mut names = compare::Renaming::keeping(&before);
        let after = maps(case, "after", &case.after)?;
        compare::maps(&after, &simulated, &mut names, &mut differences);
        let smaps = maps(case, "smaps", &case.smaps)?;
        compare::smaps(&smaps, &simulated, &mut differences);
        if !all {
            differences.truncate(1);
        }
    }
    Ok(Verdict {
        differences,
        calls: calls.len(),
    })
}

fn maps(case: &Case, file: &str, text: &str) -> Result<Vec<MapsLine>, String> {
    let parsed = parse_maps(text);
    match parsed.diagnostics.first() {
        Some(fault) => Err(format!(
            "{}.{file}: line {}: {}",
            case.place, fault.line, fault.message
        )),
        None => Ok(parsed.lines),
    }
}

/// How a call ended, as strace prints it.
pub(crate) fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Value(0) => "0".to_owned(),
        Outcome::Value(value) => format!("{value:#x}"),
        Outcome::Errno(errno) => format!("-1 {} ({})", errno.name(), errno.message()),
        Outcome::Signal(signal) => format!("-1 {}", signal.name()),
    }
}
