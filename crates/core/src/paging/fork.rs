//! fork's copy of entries (mm/memory.c: `copy_page_range`).

use super::entry::Pte;
use super::table::Slot;
use super::zap::Same;
use super::{PageTable, Paging};
use crate::addr::AddrRange;
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// `copy_page_range` of fork: `self` is the parent. VMAs that are not copied at all
    /// (MADV_DONTFORK) are the caller's; those the kernel copies no pages of (memory with neither an
    /// anon_vma nor guard pages, MADV_WIPEONFORK) are known here. The parent's TLB entries are
    /// flushed once, by [`Self::end_fork`].
    pub fn fork(&mut self, child: &mut PageTable, parent_vma: &Vma) {
        let copies = parent_vma.anon_vma.is_some()
            || parent_vma
                .flags
                .intersects(VmFlags::PFNMAP | VmFlags::MIXEDMAP | VmFlags::MAYBE_GUARD);
        if !copies || parent_vma.flags.contains(VmFlags::WIPEONFORK) {
            return;
        }
        let range = parent_vma.range();
        if !self.table.any_slot(range) {
            return;
        }
        let last = self.table.key(range.end - 1);
        let mut key = self.table.key(range.start);
        while let Some(found) = self.table.next_slot(key, last) {
            let start = self.table.key_start(found);
            let whole = AddrRange::new(start, start.saturating_add(self.table.pmd_bytes()));
            if let Some(pte) = self.table.block(start) {
                self.copy_block(child, parent_vma, start, pte);
            } else {
                self.copy_leaf(child, parent_vma, range.intersect(whole));
            }
            key = found + 1;
        }
    }

    /// `flush_tlb_mm` at the end of `dup_mmap`: the parent's entries were write-protected.
    pub fn end_fork(&mut self) {
        let all = AddrRange::new(0, u64::MAX);
        self.flush(all, self.page_bytes());
    }

    /// Runs `work` with the child's table in place of the parent's.
    fn in_child<R>(&mut self, child: &mut PageTable, work: impl FnOnce(&mut Paging<'_>) -> R) -> R {
        let mut paging = Paging {
            table: child,
            mem: self.mem,
            files: self.files,
            counts: self.counts,
        };
        work(&mut paging)
    }

    /// `copy_huge_pmd`: only anonymous memory; others are faulted anew.
    fn copy_block(&mut self, child: &mut PageTable, vma: &Vma, start: u64, pte: Pte) {
        if !vma.is_anonymous() {
            return;
        }
        let mut copy = pte.without(Pte::WRITE | Pte::YOUNG | Pte::STORED);
        if !pte.special() {
            let folio = self.mem.arena.get_mut(pte.folio());
            folio.set_exclusive(0, false);
            folio.add_entire(child.mm());
            let protected = pte.without(Pte::WRITE);
            if protected != pte {
                self.table.set_block(start, protected);
                self.counts.add(Counter::PteWrite, 1);
            }
        } else {
            copy = copy.without(Pte::DIRTY);
        }
        if let Some(Slot::Block { .. }) = self.table.slot(start) {
            self.in_child(child, |c| c.put_block(start, copy, true));
        }
    }

    /// `copy_pte_range`.
    fn copy_leaf(&mut self, child: &mut PageTable, vma: &Vma, part: AddrRange) {
        // The child's table is made even for a table without entries.
        self.in_child(child, |c| c.make_leaf(part.start));
        let mut addr = part.start;
        while addr < part.end {
            let raw = self.table.pte(addr);
            if raw.is_empty() {
                addr += self.page_bytes();
            } else if !raw.present() {
                self.counts.add(Counter::PteWrite, 1);
                child.put(addr, raw);
                addr += self.page_bytes();
            } else {
                addr += self.copy_entries(child, vma, addr, part.end) << self.page_shift();
            }
        }
    }

    /// `copy_present_ptes`: the entry at `addr` and those of its folio that follow alike.
    fn copy_entries(&mut self, child: &mut PageTable, vma: &Vma, addr: u64, end: u64) -> u64 {
        let mut pte = self.get_pte(addr);
        let mut nr = 1;
        if !pte.special() {
            let shared = vma.flags.contains(VmFlags::SHARED);
            if self.mem.arena.get(pte.folio()).is_large() {
                let same = if shared {
                    Same::Folio
                } else {
                    Same::FolioAndDirty
                };
                let batch = self.batch(addr, end, pte, same);
                nr = batch.pages;
                pte = pte.set(Pte::WRITE, batch.writable);
            }
            let mm = child.mm();
            let folio = self.mem.arena.get_mut(pte.folio());
            let pages = u32::try_from(nr).unwrap_or(u32::MAX);
            folio.add_pages(mm, pte.index(), pages);
            if folio.is_anon() {
                for page in pte.index()..pte.index() + pages {
                    folio.set_exclusive(page, false);
                }
            }
            if shared {
                pte = pte.without(Pte::DIRTY);
            }
        }
        if Self::is_cow(vma) && pte.writable() {
            self.wrprotect_ptes(addr, nr);
            pte = pte.without(Pte::WRITE);
        }
        let copy = pte.without(Pte::YOUNG | Pte::CONT | Pte::STORED);
        self.in_child(child, |c| c.set_ptes(addr, copy, nr));
        nr
    }
}
