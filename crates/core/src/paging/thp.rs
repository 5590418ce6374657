//! PMD blocks: faults that map one, writes to them, and their split into last-level entries.

use super::entry::Pte;
use super::fault::Faulting;
use super::folio::Backing;
use super::table::Slot;
use super::{Fault, Paging};
use crate::addr::AddrRange;
use crate::flags::VmFlags;
use crate::kernel::KernelId;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// The PMD-aligned range `addr` lies in.
    pub(crate) fn pmd_range(&self, addr: u64) -> AddrRange {
        let bytes = self.table.pmd_bytes();
        let start = addr & !(bytes - 1);
        AddrRange::new(start, start.saturating_add(bytes))
    }

    fn pmd_fits(&self, vma: &Vma, addr: u64) -> bool {
        let range = self.pmd_range(addr);
        range.start >= vma.start && range.end <= vma.end
    }

    /// `create_huge_pmd` where the PMD entry is empty: `None` says that the fault goes on with
    /// last-level entries.
    pub(crate) fn create_block(&mut self, fault: Faulting<'_>) -> Option<Fault> {
        let vma = fault.vma;
        let order = self.mem.design.pmd_order();
        let allowed = self.mem.settings.anon_orders(vma.flags) & 1 << order != 0;
        if !vma.is_anonymous() || !allowed || !self.pmd_fits(vma, fault.addr) {
            return None;
        }
        // do_huge_pmd_anonymous_page prepares it for reads too.
        if vma.anon_vma.is_none() {
            return Some(Fault::NeedAnonVma);
        }
        let bits = Self::prot_bits(vma);
        if !fault.write && self.mem.settings.use_zero_page {
            self.put_block(fault.addr, Pte::zero_page(bits), true);
            return Some(Fault::Done);
        }
        let folio = self.mem.alloc_zeroed(self.counts, order, Backing::Anon)?;
        let mm = self.table.mm();
        let new = self.mem.arena.get_mut(folio);
        new.add_entire(mm);
        new.set_exclusive(0, true);
        let pte = Pte::new(folio, 0, Self::own_bits(vma));
        self.put_block(fault.addr, pte, true);
        Some(Fault::Done)
    }

    /// Maps a block where the PMD entry is empty. `deposit` keeps a table page aside for its split.
    pub(crate) fn put_block(&mut self, addr: u64, pte: Pte, deposit: bool) {
        let made = self.table.insert_slot(addr, Slot::Block { pte, deposit });
        self.counts
            .add(Counter::TableAlloc, made + u64::from(deposit));
        self.counts.add(Counter::PteWrite, 1);
    }

    /// A fault on a block: `None` says that it is split now (or gone) and the fault goes on below.
    pub(crate) fn block_fault(&mut self, fault: Faulting<'_>, pte: Pte) -> Option<Fault> {
        if !fault.write || pte.writable() {
            let mut new = pte.with(Pte::YOUNG);
            if fault.write {
                new = new.with(Pte::DIRTY);
            }
            self.table.set_block(fault.addr, new);
            self.counts.add(Counter::PteWrite, 1);
            return Some(Fault::Done);
        }
        if fault.vma.flags.contains(VmFlags::SHARED) && !pte.special() {
            // do_set_pmd maps shared writable memory writable; a block made read-only and given
            // back its write permission is split and its pages faulted anew.
            self.split_block(fault.vma, fault.addr);
            return None;
        }
        if pte.special() {
            return self.write_huge_zero(fault);
        }
        let folio = self.mem.arena.get_mut(pte.folio());
        if folio.is_anon() && (folio.exclusive(0) || folio.references() == 1) {
            folio.set_exclusive(0, true);
            let mut new = pte.with(Pte::YOUNG | Pte::DIRTY);
            if fault.vma.flags.contains(VmFlags::WRITE) {
                new = new.with(Pte::WRITE);
            }
            self.table.set_block(fault.addr, new);
            self.counts.add(Counter::PteWrite, 1);
            self.flush(self.pmd_range(fault.addr), self.table.pmd_bytes());
            return Some(Fault::Done);
        }
        self.split_block(fault.vma, fault.addr);
        None
    }

    /// A write to the huge zero page: a huge page of its own from 6.13 on, before that one page
    /// after a split.
    fn write_huge_zero(&mut self, fault: Faulting<'_>) -> Option<Fault> {
        let order = self.mem.design.pmd_order();
        let allowed = self.mem.settings.anon_orders(fault.vma.flags) & 1 << order != 0;
        if self.mem.kernel().id >= KernelId::V6_18
            && allowed
            && self.pmd_fits(fault.vma, fault.addr)
        {
            if fault.vma.anon_vma.is_none() {
                return Some(Fault::NeedAnonVma);
            }
            if let Some(folio) = self.mem.alloc_zeroed(self.counts, order, Backing::Anon) {
                let mm = self.table.mm();
                let new = self.mem.arena.get_mut(folio);
                new.add_entire(mm);
                new.set_exclusive(0, true);
                let pte = Pte::new(folio, 0, Self::own_bits(fault.vma));
                self.counts.add(Counter::PteClear, 1);
                self.flush(self.pmd_range(fault.addr), self.table.pmd_bytes());
                self.table.set_block(fault.addr, pte);
                self.counts.add(Counter::PteWrite, 1);
                return Some(Fault::Done);
            }
        }
        self.split_block(fault.vma, fault.addr);
        None
    }

    /// A VMA boundary comes to lie at `addr` (`vma_adjust_trans_huge`): a block it cuts is split.
    /// Call it for every split of a VMA and for every end that moves, before the VMA changes.
    pub fn boundary(&mut self, vma: &Vma, addr: u64) {
        if addr & (self.table.pmd_bytes() - 1) != 0 && self.table.block(addr).is_some() {
            self.split_block(vma, addr);
        }
    }

    /// `__split_huge_pmd`: anonymous blocks become one entry a page, set in one batch; those of
    /// files go and are faulted anew.
    pub(crate) fn split_block(&mut self, vma: &Vma, addr: u64) {
        let range = self.pmd_range(addr);
        let Some(pte) = self.table.block(addr) else {
            return;
        };
        let anon = pte.special() && vma.is_anonymous()
            || !pte.special() && self.mem.arena.get(pte.folio()).is_anon();
        self.counts.add(Counter::PteClear, 1);
        self.flush(range, self.table.pmd_bytes());
        let Some(Slot::Block { deposit, .. }) = self.table.take_slot(range.start) else {
            return;
        };
        let mm = self.table.mm();
        if !anon {
            if deposit {
                self.counts.add(Counter::TableFree, 1);
            }
            if !pte.special() {
                let folio = self.mem.arena.get_mut(pte.folio());
                folio.dirty |= pte.dirty();
                folio.remove_entire(mm);
                self.mem.free_if_unused(self.counts, pte.folio());
            }
            return;
        }
        let made = self.table.make_leaf(range.start);
        self.counts
            .add(Counter::TableAlloc, made.saturating_sub(u64::from(deposit)));
        let pages = range.len() >> self.page_shift();
        if pte.special() {
            let zero = pte.without(Pte::CONT | Pte::DIRTY | Pte::WRITE);
            for i in 0..pages {
                self.set_ptes(range.start + (i << self.page_shift()), zero, 1);
            }
            return;
        }
        let folio = self.mem.arena.get_mut(pte.folio());
        folio.dirty |= pte.dirty();
        if folio.exclusive(0) {
            for page in 0..folio.len() {
                folio.set_exclusive(page, true);
            }
        }
        folio.entire_to_pages(mm);
        self.set_ptes(range.start, pte, pages);
    }
}
