//! The simulator against a real kernel: random programs, what differs, and the smallest scenario
//! that shows it.
//!
//! Pure logic: the real kernel is a function that runs a program, whoever provides it.

mod case;
mod compare;
mod family;
mod generate;
mod lockstep;
mod minimise;
mod unasked;

use sealab_core::call::{Call, Mapping, MemorySystem, Outcome, ProcessId};

pub use case::write_case;
pub use compare::{Mismatch, Place, compare, outcome_text, same_mappings};
pub use family::{Family, UnknownFamily};
pub use generate::{Generated, generate};
pub use lockstep::{Asked, Ended, Line, Lockstep, lockstep};
pub use minimise::{Minimised, minimise};
pub use unasked::Unasked;

/// One call of a program, and the process that makes it.
pub type Step = (ProcessId, Call);

/// What a program did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// How each call ended.
    pub outcomes: Vec<Outcome>,
    /// Each process's mappings after the last call, in order of birth.
    pub after: Vec<Vec<Mapping>>,
}

/// Runs `program` on a fresh machine.
pub fn run(machine: &mut dyn MemorySystem, program: &[Step]) -> Run {
    let mut processes = 1;
    let mut outcomes = Vec::with_capacity(program.len());
    for (by, call) in program {
        let outcome = machine.call(*by, call);
        processes += u32::from(*call == Call::Fork && outcome.is_ok());
        outcomes.push(outcome);
    }
    let after = (0..processes)
        .map(|number| machine.mappings(ProcessId(number)))
        .collect();
    Run { outcomes, after }
}
