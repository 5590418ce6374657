//! Splitting a folio into smaller ones (mm/huge_memory.c: `split_folio` and the debugfs file).

use super::entry::Pte;
use super::folio::FolioId;
use super::{Level, Paging};
use crate::addr::AddrRange;
use crate::errno::Errno;
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// Writes to `/sys/kernel/debug/split_huge_pages`: splits the large folios of `range`, which
    /// lies in `vma`, into folios of `order`. Those that other processes map too stay whole.
    ///
    /// # Errors
    /// `EINVAL` where a PMD's folio is no larger than what is asked for (`order` too high).
    pub fn split_folios(&mut self, vma: &Vma, range: AddrRange, order: u32) -> Result<(), Errno> {
        if order >= self.mem.design.pmd_order() {
            return Err(Errno::EINVAL);
        }
        let mut addr = self.page_down(range.start.max(vma.start));
        let end = range.end.min(vma.end);
        while addr < end {
            let pte = match self.table.block(addr) {
                Some(pte) => pte,
                None => self.table.pte(addr),
            };
            if pte.present() && !pte.special() && self.mem.arena.get(pte.folio()).order > order {
                self.split_folio(vma, pte.folio(), order, addr);
            }
            addr += self.page_bytes();
        }
        Ok(())
    }

    /// `split_folio_to_order`: every entry that maps the folio is cleared one by one, the folio is
    /// cut, and the entries of anonymous ones are set again one by one. Says whether it worked: a
    /// folio that another process maps stays whole.
    pub(crate) fn split_folio(&mut self, vma: &Vma, id: FolioId, order: u32, near: u64) -> bool {
        if let Some(pte) = self.table.block(near)
            && !pte.special()
            && pte.folio() == id
        {
            self.split_block(vma, near);
        }
        let entries = self.entries_of(id, near);
        let folio = self.mem.arena.get(id);
        if entries.len() as u64 != u64::from(folio.mapcount) || folio.entire > 0 {
            return false;
        }
        let anon = folio.is_anon();
        let mm = self.table.mm();
        let mut cleared = Vec::with_capacity(entries.len());
        for addr in entries {
            let pte = self.get_pte(addr);
            self.clear_pte(addr);
            self.flush(self.page_range(addr), self.page_bytes());
            self.mem.arena.get_mut(id).dirty |= pte.dirty();
            cleared.push((addr, pte));
        }
        self.counts.add(Counter::FolioSplit, 1);
        let cached = self.mem.arena.get(id).cached;
        let parts = self.mem.arena.split(id, order, mm);
        if cached {
            self.recache(&parts);
        }
        for (addr, old) in cleared {
            let part = parts[(old.index() >> order) as usize];
            let index = old.index() & ((1 << order) - 1);
            if anon {
                self.put_back(vma, addr, old.pointing_at(part, index), order);
            } else {
                self.mem.arena.get_mut(part).remove_pages(mm, index, 1);
            }
        }
        for part in parts {
            self.mem.free_if_unused(self.counts, part);
        }
        true
    }

    /// `remove_migration_pte`: sets an entry again, or the zero page where the page holds nothing
    /// but zeros (`try_to_map_unused_to_zeropage`, 6.12 on).
    fn put_back(&mut self, vma: &Vma, addr: u64, pte: Pte, order: u32) {
        let stored = self.mem.arena.get(pte.folio()).stored(pte.index());
        let zero = self.mem.rules.split_drops_zeros
            && order == 0
            && !stored
            && !vma.flags.contains(VmFlags::LOCKED);
        if zero {
            self.drop_mapping(pte, 1);
            self.set_ptes(addr, Pte::zero_page(Self::prot_bits(vma)), 1);
        } else {
            self.set_ptes(addr, pte.without(Pte::CONT), 1);
        }
    }

    /// Addresses at which this process maps pages of `id`, ascending: looked for around `near`
    /// first, where all of them usually are.
    pub(crate) fn entries_of(&self, id: FolioId, near: u64) -> Vec<u64> {
        let folio = self.mem.arena.get(id);
        let bytes = u64::from(folio.len()) << self.page_shift();
        let around = AddrRange::new(near.saturating_sub(bytes), near.saturating_add(bytes));
        let found = self.entries_in(id, around);
        if found.len() as u64 == u64::from(folio.mapcount) {
            return found;
        }
        self.entries_in(id, AddrRange::new(0, u64::MAX))
    }

    fn entries_in(&self, id: FolioId, range: AddrRange) -> Vec<u64> {
        self.table
            .entries(range)
            .filter(|&(_, level, pte)| level == Level::Pte && super::zap::folio_of(pte) == Some(id))
            .map(|(addr, _, _)| addr)
            .collect()
    }
}
