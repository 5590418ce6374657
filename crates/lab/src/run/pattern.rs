//! Patterns of accesses: in order, in strides, at random.

use sealab_core::call::{Call, Outcome};
use sealab_core::machine::{At, Machine};
use sealab_core::paging::Access;
use sealab_scenario::program::{AccessKind, PatternKind};
use sealab_scenario::{PatternStep, lackey};

use crate::random::Rng;

/// Accesses handed to the machine at a time.
const CHUNK: usize = 1024;
/// Chunks between two questions whether to go on.
const CHUNKS_ASKED: u64 = 64;

/// Makes the accesses of `step`; stops at the first that a signal ends, or when `go_on`, told now
/// and then how many were made, says no. The number of accesses made and how they ended.
pub fn run(
    machine: &mut Machine,
    step: &PatternStep,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> (u64, Outcome) {
    match &step.trace {
        Some(trace) => make(machine, step, &mut traced(trace), go_on),
        None => make(machine, step, &mut each(step), go_on),
    }
}

/// The accesses of a trace; one that straddles two pages goes to both.
fn traced(trace: &str) -> impl Iterator<Item = At> + '_ {
    lackey::accesses(trace).flat_map(|access| {
        let last = access.addr + (access.size - 1);
        let straddles = (access.addr ^ last) >> SMALLEST_PAGE_SHIFT != 0;
        let kind = kind(access.kind);
        let at = move |addr| At { addr, access: kind };
        [Some(at(access.addr)), straddles.then(|| at(last))]
            .into_iter()
            .flatten()
    })
}

/// log2 of the smallest page size.
const SMALLEST_PAGE_SHIFT: u32 = 12;

fn kind(access: AccessKind) -> Access {
    match access {
        AccessKind::Load => Access::Load,
        AccessKind::Store => Access::Store,
        AccessKind::Exec => Access::Exec,
    }
}

fn make(
    machine: &mut Machine,
    step: &PatternStep,
    all: &mut impl Iterator<Item = At>,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> (u64, Outcome) {
    // A trace says how many accesses it has, but straddling ones are two.
    let mut series = machine.accesses(step.by, step.count);
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut done = 0_u64;
    for round in 1_u64.. {
        chunk.clear();
        chunk.extend(all.by_ref().take(CHUNK));
        if let Err((place, signal)) = series.make(&chunk) {
            return (done + place as u64 + 1, Outcome::Signal(signal));
        }
        done += chunk.len() as u64;
        if chunk.len() < CHUNK || round % CHUNKS_ASKED == 0 && !go_on(done) {
            break;
        }
    }
    (done, Outcome::Value(0))
}

/// The accesses of `step` in their order.
fn each(step: &PatternStep) -> impl Iterator<Item = At> + use<> {
    let access = kind(step.access);
    let (start, stride, at_random) = (step.addr, step.stride, step.pattern == PatternKind::Random);
    let mut random = Rng::new(step.seed);
    let len = step.len.max(1);
    let mut offset = 0_u64;
    (0..step.count).map(move |_| {
        if at_random {
            offset = random.below(len);
        }
        let addr = start.wrapping_add(offset);
        offset = offset.wrapping_add(stride);
        if offset >= len {
            offset %= len;
        }
        At { addr, access }
    })
}

/// The accesses of a pattern (not of a trace) in their order, as calls of one byte each.
pub fn calls(step: &PatternStep) -> impl Iterator<Item = Call> + use<> {
    each(step).map(|At { addr, access }| match access {
        Access::Load => Call::Load { addr, len: 1 },
        Access::Store => Call::Store { addr, len: 1 },
        Access::Exec => Call::Exec { addr, len: 1 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_core::call::{MemorySystem as _, ProcessId};
    use sealab_core::kernel::Kernel;
    use sealab_core::machine::Config;
    use sealab_core::paging::MemoryDesign;
    use sealab_core::tlb::NEOVERSE_N1;
    use sealab_scenario::{EvalContext, Event, Interp, ParseOptions, parse};

    const TEXT: &str = "a = mmap(NULL, 4M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
access(a, 4M, random, 20000, 7, store)
access(a, 2M, stride 4K, 3000)
access(a + 1M, 64K, seq, 5000, 1)
access(a + 3M, 2M, stride 64K, 100)
";

    /// The same as one call each, page faults, folds, TLB and all; and it ends at the first signal.
    #[test]
    fn a_pattern_is_its_accesses_one_by_one() {
        let parsed = parse(TEXT, &ParseOptions::default());
        assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
        let design = MemoryDesign::by_name("contpte").unwrap();
        let kernel = Kernel::by_name("6.18").unwrap();
        let mut machines = [0, 1].map(|_| {
            let mut machine = Machine::new(Config::new(kernel, design.clone()));
            machine.attach_tlb(&NEOVERSE_N1);
            machine
        });
        let mut interp = Interp::new(&parsed.program, EvalContext::default());
        let mut ends = Vec::new();
        loop {
            match interp.next_event() {
                Event::Call(step) => {
                    let outcomes = machines.each_mut().map(|m| m.call(step.by, &step.call));
                    interp.answer(outcomes[0]);
                }
                Event::Pattern(step) => {
                    let (made, outcome) = run(&mut machines[0], &step, &mut |_| true);
                    let single = calls(&step).map(|call| machines[1].call(step.by, &call));
                    let single: Vec<Outcome> =
                        single.take(usize::try_from(made).unwrap()).collect();
                    assert_eq!(single.last(), Some(&outcome));
                    ends.push((made, outcome.is_ok()));
                    assert_eq!(machines[0].counts(), machines[1].counts());
                    assert_eq!(
                        machines[0].tlb().unwrap().stats(),
                        machines[1].tlb().unwrap().stats()
                    );
                    assert_eq!(machines[0].memory_use(), machines[1].memory_use());
                    assert_eq!(
                        machines[0].mappings(ProcessId(0)),
                        machines[1].mappings(ProcessId(0))
                    );
                }
                Event::Done => break,
                Event::Error(fault) => panic!("{fault:?}"),
                _ => {}
            }
        }
        assert_eq!(
            ends,
            [(20000, true), (3000, true), (5000, true), (17, false)]
        );
    }
}
