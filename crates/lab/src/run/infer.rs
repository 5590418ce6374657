//! Reading a trace that does not show all of its process: recorded addresses, and calls on
//! memory that only the process itself knew.
//!
//! Without the process's maps a recorded address is taken as given, and a call on memory that
//! the trace never mapped is answered as recorded. With them the simulator places everything
//! itself; where it differs, that is one disagreement, and the memory is then moved to where the
//! trace will look for it.

use sealab_core::call::{Call, MemorySystem as _, Outcome, ProcessId};
use sealab_core::errno::Errno;
use sealab_core::flags::{MapFlags, MremapFlags};
use sealab_core::machine::Machine;
use sealab_scenario::Step;
use sealab_scenario::program::Expected;

use super::record::{Ended, Made};

/// What a traced step came to.
pub struct Traced {
    /// How it ended.
    pub ended: Ended,
    /// Whether it ended as recorded.
    pub agrees: bool,
    /// What was asked of the machine.
    pub made: Vec<Made>,
    /// How many of `made` stand for the call itself; what follows only moves memory to where the
    /// trace has it, and is not counted.
    pub own: usize,
}

/// What a trace has shown of its process so far.
pub struct Inference {
    /// Whether the process's maps are known.
    placed: bool,
    /// Memory that the trace has mapped at some time, as disjoint ascending ranges.
    known: Ranges,
    /// The heap's start; `None` before the trace has shown it.
    start_brk: Option<u64>,
    /// Whether a `brk` was seen.
    seen_brk: bool,
}

impl Inference {
    /// For a trace; `placed`: with its process's maps, whose heap starts at `start_brk`.
    pub fn new(placed: bool, start_brk: Option<u64>) -> Self {
        Self {
            placed,
            known: Ranges::default(),
            start_brk,
            seen_brk: false,
        }
    }

    /// Makes `step`, or answers it as recorded. `before_repair` is called between the call itself
    /// and what follows it.
    pub fn make(
        &mut self,
        machine: &mut Machine,
        step: &Step,
        recorded: Expected,
        before_repair: impl FnOnce(&Machine),
    ) -> Traced {
        let mut made = Vec::new();
        if let Some(answer) = self.beforehand(machine, step, recorded, &mut made) {
            before_repair(machine);
            return answer;
        }
        let call = self.at_recorded_place(&step.call, recorded);
        let mut outcome = ask(machine, step.by, &call, &mut made);
        let mut inferred = false;
        if outcome == Outcome::Errno(Errno::EBADF) && recorded.succeeds() == Some(true) {
            // Opened before the trace began, or by a call that was not traced.
            if let Some(open) = unseen_file(&call) {
                ask(machine, step.by, &open, &mut made);
                outcome = ask(machine, step.by, &call, &mut made);
                inferred = true;
            }
        }
        before_repair(machine);
        let own = made.len();
        let agrees = recorded.agrees(outcome);
        if let (Expected::Value(at), Outcome::Value(got), false) = (recorded, outcome, agrees) {
            for call in moves(&step.call, got, at) {
                ask(machine, step.by, &call, &mut made);
            }
        }
        self.learn(&step.call, recorded);
        let unseen = !self.placed && !agrees && self.shows_too_little(&step.call, recorded);
        let ended = if unseen || inferred && agrees {
            Ended::AsRecorded(recorded)
        } else {
            Ended::Simulated(outcome)
        };
        Traced {
            ended,
            agrees: agrees || unseen,
            made,
            own,
        }
    }

    /// What need not be asked at all.
    fn beforehand(
        &mut self,
        machine: &mut Machine,
        step: &Step,
        recorded: Expected,
        made: &mut Vec<Made>,
    ) -> Option<Traced> {
        if let (Call::Brk { addr }, Expected::Value(value), false) =
            (&step.call, recorded, self.seen_brk)
        {
            self.seen_brk = true;
            // A heap of no length shows in no maps; what the first brk says is where it starts.
            if *addr == 0 || self.start_brk.is_none() {
                let start = *self.start_brk.get_or_insert(value);
                machine.set_brk(step.by, start, value);
                made.push(Made::SetBrk(start, value));
            }
        }
        let nothing_known = !self.placed && self.knows_nothing_of(&step.call);
        let failed_open = matches!(step.call, Call::Open { .. } | Call::MemfdCreate { .. })
            && recorded.succeeds() == Some(false);
        let unseen_close = matches!(step.call, Call::Close { .. } | Call::Dup { .. });
        if !nothing_known && !failed_open && !unseen_close {
            return None;
        }
        if unseen_close {
            let outcome = ask(machine, step.by, &step.call, made);
            if outcome != Outcome::Errno(Errno::EBADF) {
                let own = made.len();
                return Some(Traced {
                    ended: Ended::Simulated(outcome),
                    agrees: recorded.agrees(outcome),
                    made: std::mem::take(made),
                    own,
                });
            }
        }
        let own = made.len();
        Some(Traced {
            ended: Ended::AsRecorded(recorded),
            agrees: true,
            made: std::mem::take(made),
            own,
        })
    }

    /// `call`, asked so that it lands where it was recorded to land: an address that the kernel
    /// chose is given as a hint, which it takes where the place is free, as it was.
    fn at_recorded_place(&self, call: &Call, recorded: Expected) -> Call {
        let Expected::Value(at) = recorded else {
            return call.clone();
        };
        let mut call = call.clone();
        if self.placed {
            return call;
        }
        match &mut call {
            Call::Mmap { addr, flags, .. } if !is_fixed(*flags) => *addr = at,
            Call::Mremap {
                addr,
                flags,
                new_addr,
                ..
            } if at != *addr && *flags & MremapFlags::FIXED.bits() == 0 => {
                *flags |= MremapFlags::FIXED.bits();
                *new_addr = at;
            }
            _ => {}
        }
        call
    }

    fn knows_nothing_of(&self, call: &Call) -> bool {
        let maps_there = matches!(call, Call::Mmap { .. });
        call.range()
            .is_some_and(|range| !maps_there && !self.known.overlaps(range.start, range.end))
    }

    /// Whether a disagreement on `call` may be due to what the trace does not show.
    fn shows_too_little(&self, call: &Call, recorded: Expected) -> bool {
        match call {
            // What was in the way, or not, before the trace began.
            Call::Mmap { .. } => recorded.succeeds() == Some(false),
            Call::Brk { .. } => recorded.succeeds() == Some(true),
            _ => call
                .range()
                .is_some_and(|range| !self.known.covers(range.start, range.end)),
        }
    }

    fn learn(&mut self, call: &Call, recorded: Expected) {
        let Expected::Value(at) = recorded else {
            return;
        };
        match call {
            Call::Mmap { len, .. } => self.known.add(at, at.saturating_add(page_up(*len))),
            Call::Mremap { new_len, .. } => {
                self.known.add(at, at.saturating_add(page_up(*new_len)))
            }
            Call::Brk { .. } => {
                let start = *self.start_brk.get_or_insert(at);
                self.known.add(start, page_up(at));
            }
            _ => {}
        }
    }
}

/// Granules differ by variant; 64K covers them all, and knowing a little too much of the last
/// page does no harm.
fn page_up(len: u64) -> u64 {
    len.saturating_add(0xffff) & !0xffff
}

fn is_fixed(flags: u64) -> bool {
    let fixed = MapFlags::FIXED | MapFlags::FIXED_NOREPLACE;
    flags & fixed.bits() != 0
}

fn ask(machine: &mut Machine, by: ProcessId, call: &Call, made: &mut Vec<Made>) -> Outcome {
    made.push(Made::Call(by, call.clone()));
    machine.call(by, call)
}

/// The call that opens the descriptor which `call` maps.
fn unseen_file(call: &Call) -> Option<Call> {
    let Call::Mmap { fd, .. } = call else {
        return None;
    };
    Some(Call::Open {
        path: format!("(descriptor {fd})").into(),
        flags: sealab_core::flags::open::RDWR,
        fd: Some(*fd),
        size: None,
    })
}

/// Calls that bring what `call` mapped at `got` to `at`.
fn moves(call: &Call, got: u64, at: u64) -> Vec<Call> {
    match call {
        Call::Mmap {
            len,
            prot,
            flags,
            fd,
            offset,
            ..
        } => vec![
            Call::Munmap {
                addr: got,
                len: *len,
            },
            Call::Mmap {
                addr: at,
                len: *len,
                prot: *prot,
                flags: (flags & !MapFlags::FIXED_NOREPLACE.bits()) | MapFlags::FIXED.bits(),
                fd: *fd,
                offset: *offset,
            },
        ],
        Call::Mremap { new_len, .. } => vec![Call::Mremap {
            addr: got,
            old_len: *new_len,
            new_len: *new_len,
            flags: (MremapFlags::MAYMOVE | MremapFlags::FIXED).bits(),
            new_addr: at,
        }],
        _ => Vec::new(),
    }
}

/// Disjoint ascending ranges.
#[derive(Default)]
struct Ranges(std::collections::BTreeMap<u64, u64>);

impl Ranges {
    fn add(&mut self, mut start: u64, mut end: u64) {
        if start >= end {
            return;
        }
        while let Some((&s, &e)) = self
            .0
            .range(..=end)
            .next_back()
            .filter(|&(_, &e)| e >= start)
        {
            start = start.min(s);
            end = end.max(e);
            self.0.remove(&s);
        }
        self.0.insert(start, end);
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        let below = self.0.range(..end).next_back();
        below.is_some_and(|(_, &e)| e > start)
    }

    fn covers(&self, start: u64, end: u64) -> bool {
        let holding = self.0.range(..=start).next_back();
        holding.is_some_and(|(_, &e)| e >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_are_found() {
        let mut ranges = Ranges::default();
        ranges.add(10, 20);
        ranges.add(30, 40);
        assert!(ranges.covers(10, 20) && !ranges.covers(10, 31) && ranges.overlaps(15, 35));
        ranges.add(20, 30);
        assert!(ranges.covers(12, 39) && !ranges.overlaps(40, 50) && !ranges.overlaps(0, 10));
        ranges.add(5, 5);
        assert_eq!(ranges.0.len(), 1);
    }
}
