//! The mmperf loop of the mseal mails: calls over 1 to 32 of a thousand one-page mappings that do
//! not merge, what they count here, and what was published of them.

use sealab_core::meter::Counts;

use crate::report::Variant;
use crate::run::RunOptions;
use crate::session::{Input, Session};

/// The published table in reference cycles, with its source in the first lines.
pub const CYCLES: &str = include_str!("../../data/published/mseal_v10_6.8_cycles.csv");
/// The same loop in nanoseconds.
pub const TIME_NS: &str = include_str!("../../data/published/mseal_v10_6.8_time_ns.csv");

/// One row of a published table.
#[derive(Clone, PartialEq, Debug)]
pub struct Published {
    /// The system call.
    pub syscall: String,
    /// How many mappings it is over.
    pub vmas: u64,
    /// Without mseal, in the table's unit.
    pub base: f64,
    /// With mseal as merged in 6.10.
    pub sealing: f64,
}

/// The rows of a published table.
#[must_use]
pub fn published(table: &str) -> Vec<Published> {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut fields = line.split(',');
        Some(Published {
            syscall: fields.next()?.to_owned(),
            vmas: fields.next()?.parse().ok()?,
            base: fields.next()?.parse().ok()?,
            sealing: fields.next()?.parse().ok()?,
        })
    })
    .collect()
}

/// The loop for one call and number of mappings, as a scenario. Neighbours differ in protection, so
/// they do not merge; every second page has been written.
#[must_use]
pub fn scenario(syscall: &str, vmas: u64) -> String {
    let call = match syscall {
        "mprotect" => "mprotect(field + i * N * PAGE, N * PAGE, PROT_READ|PROT_EXEC)",
        "madvise" => "madvise(field + i * N * PAGE, N * PAGE, MADV_DONTNEED)",
        _ => "munmap(field + i * N * PAGE, N * PAGE)",
    };
    let rounds = 1000 / vmas.max(1);
    format!(
        "field = 0x10000000\n\
         N = {vmas}\n\
         repeat 500 as i {{\n    \
             mmap(field + 2 * i * PAGE, PAGE, PROT_READ, MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, -1, 0)\n    \
             mmap(field + (2 * i + 1) * PAGE, PAGE, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS, -1, 0)\n    \
             store(field + (2 * i + 1) * PAGE, PAGE)\n\
         }}\n\
         repeat {rounds} as i {{ measure \"{syscall}, {vmas}\" {{ {call} }} }}\n"
    )
}

/// What one call counts on average under `kernel`, and how many calls there were. `None` where the
/// scenario does not run, which its test rules out.
#[must_use]
pub fn counted(syscall: &str, vmas: u64, kernel: &str) -> Option<(Counts, u64)> {
    let input = Input {
        text: scenario(syscall, vmas),
        ..Input::default()
    };
    let variant = Variant {
        kernel: kernel.to_owned(),
        ..Variant::default()
    };
    let session = Session::run(input, &[variant], &RunOptions::default(), &mut |_| true).ok()?;
    let measure = session.runs().first()?.measures.first()?;
    Some((measure.counts, measure.samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_core::meter::Counter;

    #[test]
    fn the_published_tables_are_read_whole() {
        for table in [CYCLES, TIME_NS] {
            assert_eq!(published(table).len(), 18);
        }
    }

    #[test]
    fn checking_for_seals_is_one_walk_more_a_call() {
        for syscall in ["munmap", "mprotect", "madvise"] {
            for vmas in [1, 4] {
                let (base, samples) = counted(syscall, vmas, "6.8").expect("runs");
                let (sealing, _) = counted(syscall, vmas, "6.11").expect("runs");
                let more = sealing.since(&base).get(Counter::TreeWalk);
                assert_eq!(more, samples, "{syscall} over {vmas}");
            }
        }
    }
}
