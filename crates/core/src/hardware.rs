//! What the processor adds to a machine: its TLBs, and which memory its programs have touched.

use std::collections::BTreeMap;

use crate::addr::AddrRange;
use crate::call::{Call, Outcome};
use crate::machine::{CallTrace, ChangeKind};
use crate::paging::{Access, MmId, PageLog, PageTable};
use crate::tlb::{Kind, Tlb, Translation};

/// log2 of the unit in which touched memory is kept: the smallest page there is.
pub const LINE_SHIFT: u32 = 12;

/// TLBs and touched memory.
#[derive(Clone, Debug)]
pub struct Hardware {
    pub tlb: Tlb,
    touched: Touched,
    /// The line touched last, by address space: most accesses go where the one before went.
    last: (MmId, u64),
}

impl Hardware {
    pub fn new(tlb: Tlb) -> Self {
        Self {
            tlb,
            touched: Touched::default(),
            last: (MmId::default(), u64::MAX),
        }
    }

    /// An access that the page tables let through.
    pub fn access(&mut self, table: &PageTable, addr: u64, access: Access) {
        let mm = table.mm();
        self.touch(mm, addr);
        self.tlb
            .access(mm, addr, kind(access), || table.translation(addr));
    }

    /// As [`Self::access`], where line and translation are known.
    #[inline]
    pub fn access_known(&mut self, mm: MmId, addr: u64, access: Access, known: Translation) {
        self.tlb.access(mm, addr, kind(access), || Some(known));
    }

    pub fn touch(&mut self, mm: MmId, addr: u64) {
        let line = addr >> LINE_SHIFT;
        if self.last != (mm, line) {
            self.last = (mm, line);
            self.touched.add(mm, line);
        }
    }

    /// A page fault was handled: what was invalidated is dropped before the access is tried again.
    pub fn fault(&mut self, log: &mut PageLog) {
        self.tlb.fault();
        self.invalidate(log);
    }

    fn invalidate(&mut self, log: &mut PageLog) {
        if log.dropped_flushes > 0 {
            self.tlb.flush_all();
            log.dropped_flushes = 0;
        }
        for flush in log.flushes.drain(..) {
            self.tlb.flush(flush);
        }
    }

    /// A process was forked: the child has touched what its parent has.
    pub fn forked(&mut self, parent: MmId, child: MmId) {
        self.touched.copy(parent, child);
    }

    /// A process's memory is gone.
    pub fn ended(&mut self, mm: MmId) {
        self.touched.forget(mm);
        self.last.1 = u64::MAX;
    }

    /// A call is over: its invalidations are made, and what it unmapped or dropped is untouched.
    pub fn called(
        &mut self,
        mm: Option<MmId>,
        call: &Call,
        outcome: Outcome,
        trace: &CallTrace,
        log: &mut PageLog,
    ) {
        self.invalidate(log);
        let Some(mm) = mm else { return };
        if let Call::Load { addr, len } | Call::Store { addr, len } | Call::Exec { addr, len } =
            *call
        {
            // One byte of each page stands for the range.
            if outcome.is_ok() && len > 1 {
                self.touched.add_range(mm, addr, addr.saturating_add(len));
            }
            return;
        }
        let moved = moved(call, outcome);
        let carried = moved.map(|(from, _)| self.touched.of(mm, from));
        for change in &trace.changes {
            if matches!(
                change.kind,
                ChangeKind::Mapped | ChangeKind::Unmapped | ChangeKind::Discarded
            ) {
                self.touched.remove(mm, change.range);
                self.last.1 = u64::MAX;
            }
        }
        if let (Some((from, to)), Some(lines)) = (moved, carried) {
            for line in lines {
                let addr = (line << LINE_SHIFT).wrapping_sub(from.start);
                self.touched.add(mm, to.wrapping_add(addr) >> LINE_SHIFT);
            }
        }
    }

    /// Lines of `mm` that an access has reached, in address order.
    pub fn touched(&self, mm: MmId) -> impl Iterator<Item = u64> + '_ {
        self.touched.lines(mm, 0, u64::MAX)
    }
}

fn kind(access: Access) -> Kind {
    if access == Access::Exec {
        Kind::Fetch
    } else {
        Kind::Data
    }
}

/// From where to where a call moved memory.
fn moved(call: &Call, outcome: Outcome) -> Option<(AddrRange, u64)> {
    match (call, outcome) {
        (
            &Call::Mremap {
                addr,
                old_len,
                new_len,
                ..
            },
            Outcome::Value(to),
        ) if to != addr => Some((
            AddrRange::new(addr, addr.saturating_add(old_len.min(new_len))),
            to,
        )),
        _ => None,
    }
}

/// Sets of lines, by address space.
#[derive(Clone, Debug, Default)]
struct Touched(BTreeMap<(MmId, u64), [u64; 8]>);

/// log2 of the lines kept together.
const CHUNK_BITS: u32 = 9;

impl Touched {
    fn add(&mut self, mm: MmId, line: u64) {
        let bit = line & ((1 << CHUNK_BITS) - 1);
        let words = self.0.entry((mm, line >> CHUNK_BITS)).or_default();
        if let Some(word) = words.get_mut((bit / 64) as usize) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Every line of `start..end`, whose pages are all mapped.
    fn add_range(&mut self, mm: MmId, start: u64, end: u64) {
        for line in start >> LINE_SHIFT..end.div_ceil(1 << LINE_SHIFT) {
            self.add(mm, line);
        }
    }

    /// Lines of `mm` from `first` to before `end`.
    fn lines(&self, mm: MmId, first: u64, end: u64) -> impl Iterator<Item = u64> + '_ {
        let chunks = (mm, first >> CHUNK_BITS)..=(mm, end >> CHUNK_BITS);
        let chunks = self.0.range(chunks);
        chunks
            .flat_map(|(&(_, chunk), words)| {
                (0..1u64 << CHUNK_BITS).filter_map(move |bit| {
                    let word = words.get((bit / 64) as usize)?;
                    (word >> (bit % 64) & 1 == 1).then_some((chunk << CHUNK_BITS) + bit)
                })
            })
            .filter(move |line| (first..end).contains(line))
    }

    fn of(&self, mm: MmId, range: AddrRange) -> Vec<u64> {
        let end = range.end.div_ceil(1 << LINE_SHIFT);
        self.lines(mm, range.start >> LINE_SHIFT, end).collect()
    }

    fn remove(&mut self, mm: MmId, range: AddrRange) {
        let (first, end) = (
            range.start >> LINE_SHIFT,
            range.end.div_ceil(1 << LINE_SHIFT),
        );
        if first >= end || self.0.is_empty() {
            return;
        }
        let chunks = (mm, first >> CHUNK_BITS)..=(mm, (end - 1) >> CHUNK_BITS);
        let keys: Vec<_> = self.0.range(chunks).map(|(&key, _)| key).collect();
        for key in keys {
            let start = key.1 << CHUNK_BITS;
            let whole = first <= start && start + (1 << CHUNK_BITS) <= end;
            if whole {
                self.0.remove(&key);
            } else if let Some(words) = self.0.get_mut(&key) {
                for bit in 0..1u64 << CHUNK_BITS {
                    if (first..end).contains(&(start + bit))
                        && let Some(word) = words.get_mut((bit / 64) as usize)
                    {
                        *word &= !(1 << (bit % 64));
                    }
                }
            }
        }
    }

    fn copy(&mut self, from: MmId, to: MmId) {
        let chunks = self.0.range((from, 0)..=(from, u64::MAX));
        let copies: Vec<_> = chunks
            .map(|(&(_, chunk), &words)| ((to, chunk), words))
            .collect();
        self.0.extend(copies);
    }

    fn forget(&mut self, mm: MmId) {
        let keys: Vec<_> = self
            .0
            .range((mm, 0)..=(mm, u64::MAX))
            .map(|(&key, _)| key)
            .collect();
        for key in keys {
            self.0.remove(&key);
        }
    }
}
