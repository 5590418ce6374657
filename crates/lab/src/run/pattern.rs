//! Patterns of accesses, made one by one.

use sealab_core::call::{Call, MemorySystem as _, Outcome};
use sealab_core::machine::Machine;
use sealab_scenario::PatternStep;
use sealab_scenario::program::{AccessKind, PatternKind};

use crate::random::Rng;

/// Makes the accesses of `step`; stops at the first that a signal ends, or when `go_on`, asked now
/// and then, says no. The number of accesses made and how they ended.
pub fn run(
    machine: &mut Machine,
    step: &PatternStep,
    go_on: &mut dyn FnMut() -> bool,
) -> (u64, Outcome) {
    for (done, call) in (0..).zip(calls(step)) {
        if done % 4096 == 4095 && !go_on() {
            return (done, Outcome::Value(0));
        }
        let outcome = machine.call(step.by, &call);
        if !outcome.is_ok() {
            return (done + 1, outcome);
        }
    }
    (step.count, Outcome::Value(0))
}

/// The accesses of `step` in their order, one byte each.
pub fn calls(step: &PatternStep) -> impl Iterator<Item = Call> {
    let step = step.clone();
    let mut random = Rng::new(step.seed);
    let len = step.len.max(1);
    let mut offset = 0_u64;
    (0..step.count).map(move |_| {
        if step.pattern == PatternKind::Random {
            offset = random.below(len);
        }
        let addr = step.addr.wrapping_add(offset);
        offset = offset.wrapping_add(step.stride) % len;
        match step.access {
            AccessKind::Load => Call::Load { addr, len: 1 },
            AccessKind::Store => Call::Store { addr, len: 1 },
            AccessKind::Exec => Call::Exec { addr, len: 1 },
        }
    })
}
