//! Folding and unfolding a contiguous block, and saying why (arch/arm64/mm/contpte.c).

use super::entry::Pte;
use super::log::{PageEvent, Reason};
use super::{ContPte, Paging};
use crate::meter::Counter;

impl Paging<'_> {
    /// `contpte_try_fold` and, where its cheap test passes, `__contpte_try_fold`.
    pub(crate) fn try_fold(&mut self, addr: u64, reason: Reason) {
        let pte = self.table.pte(addr);
        let last = self.cont_ptes() - 1;
        let special = pte.special() && self.mem.design.contpte == ContPte::Merged;
        if !pte.valid() || pte.cont() || special {
            return;
        }
        if self.place(addr) != last {
            self.note_missed(addr, Reason::OnlyLastPageTries);
            return;
        }
        if u64::from(pte.index()) % self.cont_ptes() != last {
            self.note_askew(addr, pte);
            return;
        }
        // The folio is naturally aligned and so is the page in it: it covers the block exactly if
        // it has that many pages.
        if pte.special() || u64::from(self.mem.arena.get(pte.folio()).len()) <= last {
            self.note_large(addr, pte, Reason::FolioTooSmall);
            return;
        }
        if let Err(read) = self.agrees(addr, pte) {
            self.counts.add(Counter::PteRead, read);
            self.note(addr, Reason::EntryDiffers);
            return;
        }
        self.counts.add(Counter::PteRead, last + 1);
        self.convert(addr, true);
        self.counts.add(Counter::ContFold, 1);
        self.note(addr, reason);
    }

    /// Whether all entries of the block map consecutive pages as `pte` does; otherwise how many
    /// entries it took to see that they do not.
    fn agrees(&self, addr: u64, pte: Pte) -> Result<(), u64> {
        let pages = self.cont_ptes();
        let place = self.place(addr);
        let back = u32::try_from(place).unwrap_or(0);
        if pte.index() < back {
            return Err(1);
        }
        let head = pte.pointing_at(pte.folio(), pte.index() - back).rigid();
        let first = self.table.leaf_index(self.block_of(addr).start);
        let leaf = self.table.leaf(addr).ok_or(0u64)?;
        for i in 0..pages {
            let expected = head.advance(u32::try_from(i).unwrap_or(0));
            if leaf.get(first + i as usize).rigid() != expected {
                return Err(i + 1);
            }
        }
        Ok(())
    }

    /// Writes down that a block that agrees was not folded, which only a reader of the log asks.
    pub(crate) fn note_missed(&mut self, addr: u64, reason: Reason) {
        if !self.mem.log.on {
            return;
        }
        let pte = self.table.pte(addr);
        let could = pte.valid()
            && !pte.special()
            && !pte.cont()
            && u64::from(self.mem.arena.get(pte.folio()).len()) >= self.cont_ptes()
            && u64::from(pte.index()) % self.cont_ptes() == self.place(addr)
            && self.agrees(addr, pte).is_ok();
        if could {
            self.note(addr, reason);
        }
    }

    /// Notes that the page's place in physical memory is not that in the block: for want of a folio
    /// large enough, or of a congruent one.
    pub(crate) fn note_askew(&mut self, addr: u64, pte: Pte) {
        let small = u64::from(self.mem.arena.get(pte.folio()).len()) < self.cont_ptes();
        let reason = if small {
            Reason::FolioTooSmall
        } else {
            Reason::NotCongruent
        };
        self.note_large(addr, pte, reason);
    }

    /// Notes a fold that a large folio missed; single pages are no news.
    fn note_large(&mut self, addr: u64, pte: Pte, reason: Reason) {
        if !pte.special() && self.mem.arena.get(pte.folio()).is_large() {
            self.note(addr, reason);
        }
    }

    pub(crate) fn unfold(&mut self, addr: u64, reason: Reason) {
        self.convert(addr, false);
        self.counts.add(Counter::ContUnfold, 1);
        self.note(addr, reason);
    }

    /// `contpte_convert`: break before make. Every entry is read and cleared, the block flushed
    /// (not with BBML2), every entry written again with the block's young and dirty.
    fn convert(&mut self, addr: u64, fold: bool) {
        let block = self.block_of(addr);
        let pages = self.cont_ptes();
        let gathered = self.gathered(addr);
        self.counts.add(Counter::PteClear, pages);
        if !self.mem.design.bbml2 {
            self.flush(block, 1 << self.page_shift());
        }
        self.counts.add(Counter::PteWrite, pages);
        let first = self.table.leaf_index(block.start);
        if let Some(leaf) = self.table.leaf_mut(addr) {
            for i in first..first + pages as usize {
                let pte = leaf.get(i).with(gathered).set(Pte::CONT, fold);
                leaf.put(i, pte);
            }
        }
    }

    pub(crate) fn is_cont(&self, addr: u64) -> bool {
        let pte = self.table.pte(addr);
        pte.valid() && pte.cont()
    }

    pub(crate) fn note(&mut self, addr: u64, reason: Reason) {
        if self.mem.log.on {
            let event = PageEvent {
                mm: self.table.mm(),
                block: self.block_of(addr).start,
                page: u32::try_from(self.place(addr)).unwrap_or(0),
                reason,
            };
            self.mem.log.event(event);
        }
    }
}
