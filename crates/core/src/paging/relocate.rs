//! mremap's move of entries (mm/mremap.c: `move_page_tables`).

use super::Paging;
use super::entry::Pte;
use super::table::Slot;
use super::zap::Same;
use crate::addr::AddrRange;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// `move_page_tables` of mremap: entries of `old_start..+len` of `old` go to `new_start` of
    /// `new`. The target is unmapped. Whole PMDs (both addresses aligned) move as they are, with
    /// their blocks folded or not; anything else entry by entry, from 6.17 on in batches where a
    /// block is folded.
    pub fn move_range(&mut self, old: &Vma, new: &Vma, old_start: u64, new_start: u64, len: u64) {
        let _ = new;
        self.counts.add(Counter::RangeWalk, 1);
        let source = AddrRange::new(old_start, old_start.saturating_add(len));
        if !self.table.any_slot(source) {
            return;
        }
        let mut done = 0;
        while done < len {
            let from = old_start + done;
            let to = new_start + done;
            let extent = (self.pmd_range(from).end - from)
                .min(self.pmd_range(to).end - to)
                .min(len - done);
            self.move_extent(old, from, to, extent);
            done += extent;
        }
    }

    /// Moves what lies in one PMD of the source and one of the target.
    fn move_extent(&mut self, old: &Vma, from: u64, to: u64, extent: u64) {
        if self.table.slot(from).is_none() {
            return;
        }
        if extent == self.table.pmd_bytes() && self.table.slot(to).is_none() {
            self.move_whole(from, to);
            return;
        }
        if self.table.block(from).is_some() {
            self.split_block(old, from);
            if self.table.slot(from).is_none() {
                return;
            }
        }
        self.make_leaf(to);
        self.move_entries(from, to, extent);
    }

    /// `move_huge_pmd` and `move_normal_pmd`.
    fn move_whole(&mut self, from: u64, to: u64) {
        let Some(slot) = self.table.take_slot(from) else {
            return;
        };
        let empty = matches!(&slot, Slot::Table(leaf) if leaf.is_empty());
        self.counts.add(Counter::PteClear, 1);
        let made = self.table.insert_slot(to, slot);
        self.counts.add(Counter::TableAlloc, made);
        self.counts.add(Counter::PteWrite, 1);
        if !empty {
            self.flush(self.pmd_range(from), self.page_bytes());
        }
    }

    /// `move_ptes`.
    fn move_entries(&mut self, from: u64, to: u64, extent: u64) {
        let shift = self.page_shift();
        let end = from + extent;
        let mut addr = from;
        let mut flush = false;
        while addr < end {
            let pte = self.table.pte(addr);
            if pte.is_empty() {
                addr += 1 << shift;
                continue;
            }
            let target = to + (addr - from);
            let nr = self.moves_at_once(addr, end, target);
            flush |= pte.present();
            if pte.present() {
                let pte = self.clear_ptes(addr, nr);
                self.set_ptes(target, pte, nr);
            } else {
                self.counts.add(Counter::PteClear, 1);
                self.table.put(addr, Pte::EMPTY);
                self.counts.add(Counter::PteWrite, 1);
                self.table.put(target, pte);
            }
            addr += nr << shift;
        }
        if flush {
            self.flush(AddrRange::new(from, end), 1 << shift);
        }
    }

    /// `mremap_folio_pte_batch`: how many entries from `addr` on move together.
    fn moves_at_once(&mut self, addr: u64, end: u64, target: u64) -> u64 {
        let folded = self.mem.rules.batches && self.batch_hint(addr) > 1;
        if !folded {
            return 1;
        }
        let pte = self.get_pte(addr);
        let room = (self.pmd_range(target).end - target) >> self.page_shift();
        self.batch(addr, end, pte, Same::FolioAndWrite)
            .pages
            .min(room)
    }
}
