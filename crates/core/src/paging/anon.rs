//! Anonymous memory: first touches.

use super::entry::Pte;
use super::fault::Faulting;
use super::folio::{Backing, FolioId};
use super::{Fault, Paging};
use crate::flags::VmFlags;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// `do_anonymous_page`: a read maps the zero page, a write the largest folio that fits.
    pub(crate) fn anonymous(&mut self, fault: Faulting<'_>) -> Fault {
        let Faulting { vma, addr, write } = fault;
        if !write {
            self.make_leaf(addr);
            self.set_ptes(addr, Pte::zero_page(Self::prot_bits(vma)), 1);
            return Fault::Done;
        }
        if vma.anon_vma.is_none() {
            return Fault::NeedAnonVma;
        }
        self.make_leaf(addr);
        let order = self.anon_order(vma, addr);
        let Some((folio, order)) = self.alloc_anon(order, self.orders_below_pmd(vma)) else {
            return Fault::Oom;
        };
        let pages = 1u64 << order;
        let start = addr & !((pages << self.page_shift()) - 1);
        self.map_new_anon(folio, 0, pages);
        let mut bits = Self::prot_bits(vma);
        if vma.flags.contains(VmFlags::WRITE) {
            bits |= Pte::WRITE | Pte::DIRTY;
        }
        self.set_ptes(start, Pte::new(folio, 0, bits), pages);
        Fault::Done
    }

    /// Orders below a PMD's that sysfs allows in `vma`.
    fn orders_below_pmd(&self, vma: &Vma) -> u32 {
        let pmd = 1u32 << self.mem.design.pmd_order();
        self.mem.settings.anon_orders(vma.flags) & (pmd - 1)
    }

    /// `alloc_anon_folio`: the highest order that is on, whose aligned range around `addr` lies in
    /// the VMA and has no entries.
    fn anon_order(&self, vma: &Vma, addr: u64) -> u32 {
        let mut orders = self.orders_below_pmd(vma);
        while orders != 0 {
            let order = orders.ilog2();
            let bytes = self.page_bytes() << order;
            let start = addr & !(bytes - 1);
            let inside =
                start >= vma.start && start.checked_add(bytes).is_some_and(|e| e <= vma.end);
            if inside && self.all_empty(start, 1 << order) {
                return order;
            }
            orders &= !(1 << order);
        }
        0
    }

    /// `pte_range_none` for `nr` entries of one table.
    pub(crate) fn all_empty(&self, start: u64, nr: u64) -> bool {
        let first = self.table.leaf_index(start);
        match self.table.leaf(start) {
            None => self.table.slot(start).is_none(),
            Some(leaf) => (first..first + nr as usize).all(|i| leaf.get(i).is_empty()),
        }
    }

    /// A zeroed folio of `order`, or of the next order that is on where memory is short.
    fn alloc_anon(&mut self, order: u32, allowed: u32) -> Option<(FolioId, u32)> {
        let mut order = order;
        loop {
            if let Some(id) = self.mem.alloc_zeroed(self.counts, order, Backing::Anon) {
                return Some((id, order));
            }
            if order == 0 {
                return None;
            }
            let lower = allowed & ((1 << order) - 1);
            order = if lower == 0 { 0 } else { lower.ilog2() };
        }
    }

    /// `folio_add_new_anon_rmap`: pages of a new folio, which nobody else can reach.
    pub(crate) fn map_new_anon(&mut self, folio: FolioId, first: u32, pages: u64) {
        let mm = self.table.mm();
        let nr = u32::try_from(pages).unwrap_or(u32::MAX);
        let folio = self.mem.arena.get_mut(folio);
        folio.add_pages(mm, first, nr);
        for page in first..first + nr {
            folio.set_exclusive(page, true);
        }
    }
}
