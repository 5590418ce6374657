//! Random programs, aimed at what is mapped at that moment.
//!
//! A program is drawn call by call against a simulated machine, which says what is mapped; once
//! drawn it is fixed, and any kernel can be asked the same.

mod aim;
mod arena;
mod bad_args;
mod brk;
mod draw;
mod extra;
mod files;
mod fork;
mod growsdown;
mod mmperf;
mod mremap;
mod placement;
mod self_seal;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Call, Mapping, MemorySystem, Outcome, ProcessId};
use sealab_core::start::StartState;

use super::family::Family;
use super::{Run, Step};
use crate::random::Rng;

use aim::ARENA;

const PAGE: u64 = 4096;

/// A program that was drawn, and what the simulated machine answered meanwhile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The calls.
    pub program: Vec<Step>,
    /// How they ended on the simulated machine, and what it then had mapped.
    pub run: Run,
}

/// Draws the program of `family` and `seed`. `machine` is fresh and starts from `start`; `admits`
/// says whether a call may be made at all on the kernel that will be asked, and is told every
/// call of the program in order.
pub fn generate(
    family: Family,
    seed: u64,
    machine: &mut dyn MemorySystem,
    start: &StartState,
    admits: &mut dyn FnMut(&Call) -> bool,
) -> Generated {
    // Families of one seed are not to begin alike.
    let mut mixed = Rng::new(seed);
    let stream = mixed.word() ^ (family as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mut g = Generator {
        rng: Rng::new(stream),
        maps: machine.mappings(ProcessId(0)),
        machine,
        start,
        admits,
        by: ProcessId(0),
        processes: 1,
        program: Vec::new(),
        outcomes: Vec::new(),
        refused: 0,
    };
    match family {
        Family::ArenaFixed => arena::mixed(&mut g),
        Family::Placement => placement::program(&mut g),
        Family::SealHeavy => arena::seal_heavy(&mut g),
        Family::MremapHeavy => mremap::program(&mut g),
        Family::BadArgs => bad_args::program(&mut g),
        Family::FileAndShared => files::program(&mut g),
        Family::Brk => brk::program(&mut g),
        Family::Mmperf => mmperf::program(&mut g),
        Family::Extra => extra::program(&mut g),
        Family::Growsdown => growsdown::program(&mut g),
        Family::SelfSeal => self_seal::program(&mut g),
        Family::Fork => fork::program(&mut g),
    }
    let after = (0..g.processes)
        .map(|number| g.machine.mappings(ProcessId(number)))
        .collect();
    Generated {
        program: g.program,
        run: Run {
            outcomes: g.outcomes,
            after,
        },
    }
}

/// A program being drawn.
struct Generator<'a> {
    rng: Rng,
    machine: &'a mut dyn MemorySystem,
    start: &'a StartState,
    admits: &'a mut dyn FnMut(&Call) -> bool,
    /// Who makes the next call.
    by: ProcessId,
    processes: u32,
    /// What that process has mapped now.
    maps: Vec<Mapping>,
    program: Vec<Step>,
    outcomes: Vec<Outcome>,
    /// Calls drawn that may not be made.
    refused: u32,
}

impl Generator<'_> {
    /// Adds `call` to the program, unless it may not be made; how it ended.
    fn make(&mut self, call: Call) -> Option<Outcome> {
        if !(self.admits)(&call) {
            self.refused += 1;
            return None;
        }
        let outcome = self.machine.call(self.by, &call);
        if call == Call::Fork && outcome.is_ok() {
            self.processes += 1;
        }
        self.program.push((self.by, call));
        self.outcomes.push(outcome);
        self.maps = self.machine.mappings(self.by);
        Some(outcome)
    }

    /// The value that `call` returned, if it was made and succeeded.
    fn value(&mut self, call: Call) -> Option<u64> {
        match self.make(call) {
            Some(Outcome::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// Goes on as process `by`.
    fn turn_to(&mut self, by: ProcessId) {
        self.by = by;
        self.maps = self.machine.mappings(by);
    }

    /// Whether the program is to go on: it has fewer calls than `length`, and not everything that
    /// is drawn is refused.
    fn wants_more(&self, length: u64) -> bool {
        (self.program.len() as u64) < length && self.refused < 400
    }

    /// How many calls a program has: 6 to 40, as the recordings'.
    fn length(&mut self) -> u64 {
        self.rng.within(6, 40)
    }

    /// What the program has mapped itself, in address order: everything but the start's own.
    fn made(&self) -> Vec<AddrRange> {
        let start = &self.start.mappings;
        self.maps
            .iter()
            .filter(|m| !start.iter().any(|s| s.range == m.range && s.name == m.name))
            .map(|m| m.range)
            .collect()
    }
}
