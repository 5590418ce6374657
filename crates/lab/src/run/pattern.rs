//! Patterns of accesses, made one by one.

use sealab_core::call::{Call, MemorySystem as _, Outcome};
use sealab_core::machine::Machine;
use sealab_scenario::PatternStep;
use sealab_scenario::program::{AccessKind, PatternKind};

/// Makes the accesses of `step`; stops at the first that a signal ends, or when `go_on`, asked now
/// and then, says no. The number of accesses made and how they ended.
pub fn run(
    machine: &mut Machine,
    step: &PatternStep,
    go_on: &mut dyn FnMut() -> bool,
) -> (u64, Outcome) {
    let mut random = SplitMix64(step.seed);
    let len = step.len.max(1);
    let mut offset = 0_u64;
    for done in 0..step.count {
        if done % 4096 == 4095 && !go_on() {
            return (done, Outcome::Value(0));
        }
        if step.pattern == PatternKind::Random {
            offset = random.below(len);
        }
        let addr = step.addr.wrapping_add(offset);
        let call = match step.access {
            AccessKind::Load => Call::Load { addr, len: 1 },
            AccessKind::Store => Call::Store { addr, len: 1 },
            AccessKind::Exec => Call::Exec { addr, len: 1 },
        };
        let outcome = machine.call(step.by, &call);
        if !outcome.is_ok() {
            return (done + 1, outcome);
        }
        offset = offset.wrapping_add(step.stride) % len;
    }
    (step.count, Outcome::Value(0))
}

/// Steele, Lea and Flood's SplitMix64: small, seeded, the same everywhere.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, by Lemire's multiplication.
    fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(bound);
        (wide >> 64) as u64
    }
}
