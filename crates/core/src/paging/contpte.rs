//! The doors through which the kernel's generic code changes last-level entries, and what each
//! does to contiguous blocks (arch/arm64/mm/contpte.c, 6.9 on). Without contiguous PTEs they are
//! plain stores.

use super::entry::Pte;
use super::log::{Reason, TlbFlush};
use super::{Arch, ContPte, Paging};
use crate::addr::AddrRange;
use crate::meter::Counter;

/// Which bits [`Paging::clear_young_dirty`] clears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loose {
    pub young: bool,
    pub dirty: bool,
}

impl Loose {
    fn bits(self) -> u64 {
        let mut bits = 0;
        if self.young {
            bits |= Pte::YOUNG;
        }
        if self.dirty {
            bits |= Pte::DIRTY;
        }
        bits
    }
}

impl Paging<'_> {
    /// Pages of a contiguous block.
    pub(crate) fn cont_ptes(&self) -> u64 {
        self.mem.design.page_size.cont_ptes()
    }

    pub(crate) fn block_of(&self, addr: u64) -> AddrRange {
        let bytes = self.cont_ptes() << self.page_shift();
        let start = addr & !(bytes - 1);
        AddrRange::new(start, start.saturating_add(bytes))
    }

    /// Position of `addr` in its block.
    pub(crate) fn place(&self, addr: u64) -> u64 {
        (addr >> self.page_shift()) & (self.cont_ptes() - 1)
    }

    /// A TLB invalidation of last-level entries: one for the range, or for everything where the
    /// range is longer than the kernel names singly (`MAX_DVM_OPS`, the x86 flush ceiling).
    pub(crate) fn flush(&mut self, range: AddrRange, stride: u64) {
        if range.is_empty() {
            return;
        }
        let entries = range.len().div_ceil(stride.max(1));
        let most = match self.mem.design.arch {
            Arch::X86_64 => 33,
            Arch::Arm64 if self.mem.design.tlb_range => u64::MAX,
            Arch::Arm64 => self.mem.design.page_size.bytes() / 8 - 1,
        };
        let whole = entries > most;
        self.counts.add(Counter::TlbFlush, 1);
        self.counts
            .add(Counter::TlbFlushPages, if whole { 0 } else { entries });
        if self.mem.design.arch == Arch::Arm64 {
            // dsb ishst before, dsb ish after.
            self.counts.add(Counter::Barrier, 2);
        }
        self.mem.log.flush(TlbFlush {
            mm: self.table.mm(),
            range: (!whole).then_some(range),
        });
    }

    /// `ptep_get`: of a contiguous block, young and dirty are the block's.
    pub(crate) fn get_pte(&mut self, addr: u64) -> Pte {
        let pte = self.table.pte(addr);
        if !pte.cont() {
            self.counts.add(Counter::PteRead, 1);
            return pte;
        }
        let pages = self.cont_ptes();
        self.counts.add(Counter::PteRead, pages);
        pte.with(self.gathered(addr))
    }

    /// Young and dirty of any entry of the block.
    pub(crate) fn gathered(&self, addr: u64) -> u64 {
        let block = self.block_of(addr);
        let Some(leaf) = self.table.leaf(addr) else {
            return 0;
        };
        let first = self.table.leaf_index(block.start);
        let count = usize::try_from(self.cont_ptes()).unwrap_or(0);
        (first..first + count).fold(0, |bits, i| {
            bits | leaf.get(i).flags() & (Pte::YOUNG | Pte::DIRTY)
        })
    }

    fn store(&mut self, addr: u64, first: Pte, nr: u64) {
        self.counts.add(Counter::PteWrite, nr);
        let index = self.table.leaf_index(addr);
        if let Some(leaf) = self.table.leaf_mut(addr) {
            for i in 0..nr {
                let by = u32::try_from(i).unwrap_or(0);
                leaf.put(index + i as usize, first.advance(by));
            }
        }
    }

    /// `set_ptes`: entries for `nr` pages of one folio from `first` on, all in one table. More
    /// than one are only set over empty ones.
    pub(crate) fn set_ptes(&mut self, addr: u64, first: Pte, nr: u64) {
        let first = first.without(Pte::CONT);
        if !self.mem.design.has_contpte() {
            self.store(addr, first, nr);
            return;
        }
        if nr == 1 {
            self.counts.add(Counter::PteRead, 1);
            if self.is_cont(addr) {
                self.unfold(addr, Reason::PageSet);
            }
            self.store(addr, first, 1);
            self.try_fold(addr, Reason::LastPageSet);
            return;
        }
        // What was stored is known of each page's folio; the mark in the entry is the first page's.
        let first = first.without(Pte::STORED);
        let shift = self.page_shift();
        let end = addr + (nr << shift);
        let mut at = addr;
        while at < end {
            let block = self.block_of(at);
            let next = block.end.min(end);
            let pages = (next - at) >> shift;
            let skipped = (at - addr) >> shift;
            let pte = first.advance(u32::try_from(skipped).unwrap_or(0));
            let whole = at == block.start && next == block.end;
            let congruent = u64::from(pte.index()) % self.cont_ptes() == 0;
            if whole && congruent && pte.valid() && !pte.special() {
                self.store(at, pte.with(Pte::CONT), pages);
                self.counts.add(Counter::ContFold, 1);
                self.note(at, Reason::WholeBlockSet);
            } else {
                self.store(at, pte, pages);
                let last = next - (1 << shift);
                let askew = u64::from(pte.index()) % self.cont_ptes() != self.place(at);
                if askew && pte.valid() {
                    self.note_askew(last, pte);
                } else {
                    self.note_missed(last, Reason::BatchTooShort);
                }
            }
            at = next;
        }
    }

    /// `ptep_get_and_clear` of one entry: unfolds its block.
    pub(crate) fn clear_pte(&mut self, addr: u64) -> Pte {
        if self.is_cont(addr) {
            self.unfold(addr, Reason::PageCleared);
        }
        self.counts.add(Counter::PteClear, 1);
        let pte = self.table.pte(addr);
        self.table.put(addr, Pte::EMPTY);
        pte
    }

    /// `get_and_clear_full_ptes`: `nr` entries at once. Unfolds only a block of which a part stays.
    /// Returns the first entry with young and dirty of all.
    pub(crate) fn clear_ptes(&mut self, addr: u64, nr: u64) -> Pte {
        if nr == 1 {
            return self.clear_pte(addr);
        }
        self.unfold_ends(addr, nr, Reason::PartCleared);
        self.counts.add(Counter::PteClear, nr);
        let first = self.table.leaf_index(addr);
        let Some(leaf) = self.table.leaf_mut(addr) else {
            return Pte::EMPTY;
        };
        let mut pte = leaf.get(first);
        for i in first..first + nr as usize {
            pte = pte.with(leaf.get(i).flags() & (Pte::YOUNG | Pte::DIRTY));
            leaf.put(i, Pte::EMPTY);
        }
        pte
    }

    /// `contpte_try_unfold_partial`: the blocks at both ends, where the range covers only a part.
    fn unfold_ends(&mut self, addr: u64, nr: u64, reason: Reason) {
        if !self.mem.design.has_contpte() {
            return;
        }
        let shift = self.page_shift();
        let end = addr + (nr << shift);
        let head = self.block_of(addr);
        if (addr != head.start || end < head.end) && self.is_cont(addr) {
            self.unfold(addr, reason);
        }
        let last = end - (1 << shift);
        if end != self.block_of(last).end && self.is_cont(last) {
            self.unfold(last, reason);
        }
    }

    /// `wrprotect_ptes`: fork.
    pub(crate) fn wrprotect_ptes(&mut self, addr: u64, nr: u64) {
        self.unfold_ends(addr, nr, Reason::PartWriteProtected);
        self.counts.add(Counter::PteWrite, nr);
        let first = self.table.leaf_index(addr);
        if let Some(leaf) = self.table.leaf_mut(addr) {
            for i in first..first + nr as usize {
                let pte = leaf.get(i).without(Pte::WRITE);
                leaf.put(i, pte);
            }
        }
        self.fold_after_change(addr + ((nr - 1) << self.page_shift()));
    }

    /// `ptep_set_access_flags`: a fault upgrades an entry. Says whether anything changed.
    pub(crate) fn set_access(&mut self, addr: u64, new: Pte, dirty: bool) -> bool {
        let old = self.get_pte(addr);
        let wanted = new.flags() & (Pte::WRITE | Pte::YOUNG | Pte::DIRTY);
        if old.has(wanted) {
            return false;
        }
        let shift = self.page_shift();
        let spread = wanted & (Pte::YOUNG | Pte::DIRTY);
        if old.cont() && old.writable() == new.writable() {
            let block = self.block_of(addr);
            let pages = self.cont_ptes();
            self.counts.add(Counter::PteWrite, pages);
            let first = self.table.leaf_index(block.start);
            if let Some(leaf) = self.table.leaf_mut(addr) {
                for i in first..first + pages as usize {
                    let pte = leaf.get(i).with(spread);
                    leaf.put(i, pte);
                }
            }
            if dirty {
                self.flush(block, 1 << shift);
            }
            return true;
        }
        if old.cont() {
            self.unfold(addr, Reason::WriteBitChanged);
        }
        self.counts.add(Counter::PteWrite, 1);
        self.table.put(addr, self.table.pte(addr).with(wanted));
        if dirty {
            self.flush(AddrRange::new(addr, addr + (1 << shift)), 1 << shift);
        }
        self.fold_after_change(addr);
        true
    }

    /// The first posting (2023-06-22) also tried to fold after an entry was write-protected or
    /// upgraded.
    fn fold_after_change(&mut self, addr: u64) {
        if self.mem.design.contpte == ContPte::FirstPosting {
            self.try_fold(addr, Reason::AgreesAgain);
        }
    }

    /// `clear_young_dirty_ptes`: of contiguous blocks at the ends, all entries are cleared.
    pub(crate) fn clear_young_dirty(&mut self, addr: u64, nr: u64, what: Loose) {
        let shift = self.page_shift();
        let mut range = AddrRange::new(addr, addr + (nr << shift));
        let last = range.end - (1 << shift);
        if self.is_cont(last) {
            range.end = self.block_of(last).end;
        }
        if self.is_cont(addr) {
            range.start = self.block_of(addr).start;
        }
        self.clear_loose(range, what);
    }

    /// `ptep_test_and_clear_young`: clears the whole block's. Says whether any was young.
    pub(crate) fn clear_young(&mut self, addr: u64) -> bool {
        let young = self.get_pte(addr).young();
        let range = if self.is_cont(addr) {
            self.block_of(addr)
        } else {
            AddrRange::new(addr, addr + (1 << self.page_shift()))
        };
        let young_only = Loose {
            young: true,
            dirty: false,
        };
        self.clear_loose(range, young_only);
        young
    }

    fn clear_loose(&mut self, range: AddrRange, what: Loose) {
        let pages = range.len() >> self.page_shift();
        self.counts.add(Counter::PteWrite, pages);
        let first = self.table.leaf_index(range.start);
        if let Some(leaf) = self.table.leaf_mut(range.start) {
            for i in first..first + pages as usize {
                let pte = leaf.get(i).without(what.bits());
                leaf.put(i, pte);
            }
        }
    }

    /// `pte_batch_hint`: how many entries from `addr` on are certain to belong together.
    pub(crate) fn batch_hint(&self, addr: u64) -> u64 {
        if self.is_cont(addr) {
            self.cont_ptes() - self.place(addr)
        } else {
            1
        }
    }
}
