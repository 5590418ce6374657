//! The machine a case begins on.

use sealab_core::addr::PageSize;
use sealab_core::call::{Call, ProcessId};
use sealab_core::kernel::Kernel;
use sealab_core::machine::{Config, Machine};
use sealab_core::paging::{Arch, MemoryDesign};
use sealab_core::start::StartState;
use sealab_scenario::maps::MapsLine;
use sealab_scenario::program::Expected;

use super::trace::Recorded;
use super::{conditions, recorder};
use crate::start;

/// A machine of `kernel` whose process has the mappings `before`; what `told`, an smaps extract,
/// does not say of them is as the recorder's process usually has it.
pub fn machine(
    kernel: &'static Kernel,
    before: &[MapsLine],
    told: &[MapsLine],
    calls: &[Recorded],
) -> Machine {
    let mut resident = Vec::new();
    let mappings = before
        .iter()
        .map(|line| {
            let told = told.iter().find(|t| same_line(t, line));
            let usual = recorder::usual(kernel.name, &line.mapping);
            // The extract says how much is resident, the table also where.
            let rss = told.filter(|t| t.has_rss).map(|t| t.mapping.rss);
            let (rss, parts) = match usual.as_ref() {
                Some(usual) if rss.is_none_or(|rss| rss == usual.size()) => {
                    (usual.rss, usual.resident.clone())
                }
                _ => (rss, Vec::new()),
            };
            resident.extend(parts);
            let mut mapping = start::mapping(&line.mapping, line.has_flags, false);
            let flags = told.filter(|t| t.has_flags).map(|t| t.mapping.flags);
            mapping.flags = flags.or(usual.map(|u| u.flags)).or(mapping.flags);
            mapping.rss = rss;
            mapping
        })
        .collect();
    let start = StartState::from_mappings(mappings, PageSize::K4);
    let start_brk = start.start_brk;
    let limits = conditions::limits(kernel.id, &start);
    let mut machine = Machine::new(Config {
        kernel,
        memory: MemoryDesign::BASELINE_4K.on(Arch::X86_64),
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

fn same_line(a: &MapsLine, b: &MapsLine) -> bool {
    let of = |l: &MapsLine| (l.mapping.range, l.mapping.prot, l.mapping.offset);
    of(a) == of(b) && a.mapping.name == b.mapping.name
}

/// The break before the first call, as the recording's first `brk(NULL)` tells.
fn first_break(calls: &[Recorded]) -> Option<u64> {
    let first = calls.iter().find(|c| matches!(c.call, Call::Brk { .. }))?;
    match (&first.call, first.expected) {
        (Call::Brk { addr: 0 }, Expected::Value(brk)) => Some(brk),
        _ => None,
    }
}
