//! Fault-around: what a read fault maps besides the page it wants (mm/filemap.c
//! `filemap_map_pages`).

use super::Paging;
use super::cache::FileSystem;
use super::fault::Faulting;
use super::folio::FolioId;
use super::readahead::Reading;
use crate::meter::Counter;

impl Paging<'_> {
    /// `do_fault_around` and `filemap_map_pages`: maps what the page cache has around a read
    /// fault. Says whether the faulting page was among it.
    pub(crate) fn fault_around(&mut self, fault: Faulting<'_>, of: Reading) -> bool {
        let shift = self.page_shift();
        let window = (self.mem.settings.fault_around >> shift).max(1);
        if window <= 1 || fault.vma.is_anonymous() {
            return false;
        }
        let table = 1u64 << (shift - 3);
        let slot = (fault.addr >> shift) & (table - 1);
        let vma_page = (fault.addr - fault.vma.start) >> shift;
        let from = (slot & !(window - 1)).max(slot - slot.min(vma_page));
        let to = (from + window)
            .min(table)
            .min(slot + (fault.vma.len() >> shift) - vma_page);
        let start = fault.addr - ((slot - from) << shift);
        let first = fault.vma.pgoff_at(start, self.mem.design.page_size);
        let end = (first + (to - from)).min(of.pages);
        self.fill_preread(of, first, end);
        if self.keeps_away_from_the_end(of, start, first, end) {
            return false;
        }
        let mut mapped = false;
        let mut index = first;
        while let Some((page, folio)) = self.next_ready(of, index, end) {
            let addr = start + ((page - first) << shift);
            if self.map_block_around(fault, of, folio) {
                return true;
            }
            let (_, inside) = self.cached(of, page).unwrap_or((folio, 0));
            let left = u64::from(self.mem.arena.get(folio).len() - inside);
            let nr = left.min(end - page);
            self.make_leaf(addr);
            mapped |= self.map_around(fault, of, folio, inside, addr, nr);
            index = page + left;
        }
        mapped
    }

    /// From 6.18.y on: where the first folio found holds the file's last page, no page table is made
    /// for it alone, so that nothing is mapped where none was. It keeps a large folio from being
    /// mapped beyond the file's end, and leaves tmpfs alone.
    fn keeps_away_from_the_end(&self, of: Reading, start: u64, first: u64, end: u64) -> bool {
        if !self.mem.kernel().spares_the_end_of_files
            || of.fs.is_tmpfs()
            || self.table.slot(start).is_some()
        {
            return false;
        }
        let Some((page, folio)) = self.next_ready(of, first, end) else {
            return false;
        };
        let cache = self.mem.caches.get(&of.inode);
        let inside = cache.and_then(|cache| cache.find(&self.mem.arena, page));
        let left = self.mem.arena.get(folio).len() - inside.map_or(0, |(_, inside)| inside);
        page + u64::from(left) >= of.pages
    }

    /// Pages of a file read before come into being as they are looked at.
    fn fill_preread(&mut self, of: Reading, first: u64, end: u64) {
        let all =
            self.mem.caches.get(&of.inode).is_some_and(|c| c.preread) || of.fs == FileSystem::Ramfs;
        if all && !of.fs.is_tmpfs() {
            for index in first..end {
                if self.cached(of, index).is_none() {
                    return;
                }
            }
        }
    }

    /// `next_uptodate_folio`: folios marked for readahead and those not read yet are left to the
    /// fault itself.
    fn next_ready(&self, of: Reading, index: u64, end: u64) -> Option<(u64, FolioId)> {
        let cache = self.mem.caches.get(&of.inode)?;
        let mut at = index;
        while let Some((page, id)) = cache.next(&self.mem.arena, at, end) {
            let folio = self.mem.arena.get(id);
            if !folio.readahead && !folio.unread {
                return Some((page, id));
            }
            let (_, inside) = cache.find(&self.mem.arena, page)?;
            at = page + u64::from(folio.len() - inside);
        }
        None
    }

    /// `filemap_map_folio_range`: maps `nr` pages of a folio from `addr` on, leaving what is mapped
    /// already. From 6.18 on the whole folio, where VMA, PMD and file hold it.
    fn map_around(
        &mut self,
        fault: Faulting<'_>,
        of: Reading,
        folio: FolioId,
        inside: u32,
        addr: u64,
        nr: u64,
    ) -> bool {
        let shift = self.page_shift();
        let (mut at, mut page, mut left) = (addr, inside, nr);
        if self.mem.arena.get(folio).is_large()
            && self.maps_whole_folio(fault, of, folio, inside, addr)
        {
            at = addr - (u64::from(inside) << shift);
            page = 0;
            left = u64::from(self.mem.arena.get(folio).len());
        }
        let mut hit = false;
        while left > 0 {
            let mut run = 0;
            while run < left && self.table.pte(at + (run << shift)).is_empty() {
                run += 1;
            }
            self.counts.add(Counter::PteRead, run.max(1));
            if run > 0 {
                self.map_file_pages(fault, folio, page, at, run, false);
                hit |= fault.addr >= at && fault.addr < at + (run << shift);
            }
            // One that is there is stepped over with the run before it.
            let step = (run + 1).min(left);
            at += step << shift;
            page += u32::try_from(step).unwrap_or(0);
            left -= step;
        }
        hit
    }

    /// `filemap_map_pmd`.
    fn map_block_around(&mut self, fault: Faulting<'_>, of: Reading, folio: FolioId) -> bool {
        let within = of.fs.is_tmpfs() || self.within_file(of, folio);
        within && self.map_block(fault, folio)
    }
}
