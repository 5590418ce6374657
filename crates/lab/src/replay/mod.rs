//! Recorded cases of real kernels, made again on the simulator and compared: every call's result,
//! the final maps line by line, flags and resident memory of every mapping the recording lists.

mod case;
pub mod compare;
mod conditions;
mod load;
mod maps_text;
pub mod pack;
pub mod pages;
mod recorder;
mod stopgap;

use sealab_core::addr::{AddrRange, PageSize};
use sealab_core::call::{Call, MemorySystem as _, Outcome, ProcessId};
use sealab_core::kernel::Kernel;
use sealab_core::machine::{Config, Machine};
use sealab_core::start::{StartMapping, StartState};

pub use case::{Case, LoadError};
pub use compare::{Difference, Place};
pub use load::load;

use maps_text::MapsLine;

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
    let calls = stopgap::calls(&case.strace).map_err(|e| format!("{}: {e}", case.place))?;
    let before = maps_text::parse_maps(&case.before);
    let mut machine = start(kernel, case, &before, &calls);
    let process = ProcessId(0);

    let mut differences = Vec::new();
    for recorded in &calls {
        let outcome = machine.call(process, &recorded.call);
        if outcome != recorded.expected {
            differences.push(Difference {
                at: Place::Call {
                    line: recorded.line,
                    text: recorded.text.clone(),
                },
                recorded: Some(outcome_text(recorded.expected)),
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
        let after = maps_text::parse_maps(&case.after);
        compare::maps(&after, &simulated, &mut names, &mut differences);
        let smaps = maps_text::parse_smaps(&case.smaps);
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

fn start(
    kernel: &'static Kernel,
    case: &Case,
    before: &[MapsLine],
    calls: &[stopgap::Recorded],
) -> Machine {
    let known = maps_text::parse_smaps(case.before_smaps.as_deref().unwrap_or(""));
    let mut resident = Vec::new();
    let mappings = before
        .iter()
        .map(|line| {
            let told = known.iter().find(|e| e.maps == *line);
            let usual = recorder::usual(&case.kernel, line);
            let flags = told.map(|e| e.flags).or(usual.as_ref().map(|u| u.flags));
            // The extract says how much is resident, the table also where.
            let whole = told.filter(|e| usual.as_ref().is_none_or(|u| u.size() != e.rss));
            let (rss, parts) = match (whole, usual) {
                (Some(entry), _) => (Some(entry.rss), Vec::new()),
                (None, Some(usual)) => (usual.rss, usual.resident),
                (None, None) => (None, Vec::new()),
            };
            resident.extend(parts);
            StartMapping {
                range: AddrRange::new(line.start, line.end),
                prot: line.prot(),
                shared: line.shared(),
                offset: line.offset,
                dev: line.dev,
                inode: line.ino,
                name: line.name.as_str().into(),
                flags,
                rss,
            }
        })
        .collect();
    let start = StartState::from_mappings(mappings, PageSize::K4);
    let start_brk = start.start_brk;
    let limits = conditions::limits(kernel.id, &start);
    let mut machine = Machine::new(Config {
        kernel,
        memory: sealab_core::paging::MemoryDesign::BASELINE_4K
            .on(sealab_core::paging::Arch::X86_64),
        limits,
        start,
    });
    for range in resident {
        machine.bring_in(ProcessId(0), range);
    }
    // A heap of no length shows in no maps: what the first `brk` says is its start.
    if let Some(brk) = first_break(calls) {
        machine.set_brk(ProcessId(0), start_brk.unwrap_or(brk), brk);
    }
    machine
}

/// The break before the first call, as the recording's first `brk(NULL)` tells.
fn first_break(calls: &[stopgap::Recorded]) -> Option<u64> {
    let first = calls.iter().find(|c| matches!(c.call, Call::Brk { .. }))?;
    match (&first.call, first.expected) {
        (Call::Brk { addr: 0 }, Outcome::Value(brk)) => Some(brk),
        _ => None,
    }
}

fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Value(0) => "0".to_owned(),
        Outcome::Value(value) => format!("{value:#x}"),
        Outcome::Errno(errno) => format!("-1 {} ({})", errno.name(), errno.message()),
        Outcome::Signal(signal) => format!("-1 {}", signal.name()),
    }
}
