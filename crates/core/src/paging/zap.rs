//! Clearing entries: munmap, MAP_FIXED, exit, MADV_DONTNEED, truncation.

use super::entry::Pte;
use super::folio::FolioId;
use super::table::Slot;
use super::{ContPte, Paging};
use crate::addr::AddrRange;
use crate::file::InodeId;
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::Vma;

/// Which entries a zap takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Zap {
    /// All of them.
    Everything,
    /// All but guard markers (MADV_DONTNEED and its like).
    Pages,
    /// Pages of the file itself, not private copies (a hole was punched).
    FilePages,
}

impl Paging<'_> {
    /// Clears `range` of `vma` (munmap, MAP_FIXED, exit): entries go, folios that nobody maps
    /// any more are freed. TLB invalidations are gathered until [`Self::end_gather`].
    pub fn unmap(&mut self, vma: &Vma, range: AddrRange) {
        self.zap(vma, range, Zap::Everything);
    }

    /// Tells that the process ends: nothing of it is used again, so its TLB entries are flushed
    /// all at once. Call before unmapping its VMAs.
    pub fn begin_exit(&mut self) {
        self.table.exiting = true;
    }

    /// Drops page-table pages that map nothing but `range`, whose mapped neighbours end at
    /// `floor` and start at `ceiling` (0: none above), as `free_pgtables` does.
    pub fn free_tables(&mut self, range: AddrRange, floor: u64, ceiling: u64) {
        let freed = self.table.free_tables(range, floor, ceiling);
        if freed > 0 {
            self.counts.add(Counter::TableFree, freed);
        }
    }

    /// Issues the TLB invalidation that [`Self::unmap`] gathered, if it cleared anything.
    pub fn end_gather(&mut self) {
        if let Some(range) = self.table.gather.take() {
            let all = AddrRange::new(0, u64::MAX);
            let range = if self.table.exiting { all } else { range };
            self.flush(range, self.page_bytes());
        }
    }

    /// Clears the entries of `vma` that map pages `first..end` (page offsets) of `inode` when a
    /// hole is punched there: private copies stay. Called for each mapping of the inode.
    pub fn unmap_file_pages(&mut self, vma: &Vma, inode: InodeId, first: u64, end: u64) {
        self.unmap_file_range(vma, inode, first, end, Zap::FilePages);
    }

    /// As [`Self::unmap_file_pages`] when the file is cut short: private copies go too.
    pub fn truncate_file_pages(&mut self, vma: &Vma, inode: InodeId, first: u64, end: u64) {
        self.unmap_file_range(vma, inode, first, end, Zap::Pages);
    }

    /// A folio that reaches over an edge of what is cut out is split, for which all of it is unmapped
    /// first (`truncate_inode_partial_folio`); private copies stay.
    pub fn unmap_split_folios(&mut self, vma: &Vma, inode: InodeId, first: u64, end: u64) {
        for edge in [first, end] {
            if let Some((from, to)) = self.mem.folio_over(inode, edge) {
                self.unmap_file_range(vma, inode, from, to, Zap::FilePages);
            }
        }
    }

    fn unmap_file_range(&mut self, vma: &Vma, inode: InodeId, first: u64, end: u64, what: Zap) {
        if vma.file.map(|f| self.files.inode_of(f)) != Some(inode) {
            return;
        }
        let shift = self.page_shift();
        let pages = vma.len() >> shift;
        let from = first.saturating_sub(vma.pgoff).min(pages);
        let to = end.saturating_sub(vma.pgoff).min(pages);
        let range = AddrRange::new(vma.start + (from << shift), vma.start + (to << shift));
        self.zap(vma, range, what);
        self.end_gather();
    }

    /// `unmap_page_range`.
    pub(crate) fn zap(&mut self, vma: &Vma, range: AddrRange, what: Zap) {
        self.counts.add(Counter::RangeWalk, 1);
        if !self.table.any_slot(range) {
            return;
        }
        let last = self.table.key(range.end - 1);
        let mut key = self.table.key(range.start);
        while let Some(found) = self.table.next_slot(key, last) {
            let start = self.table.key_start(found);
            let whole = AddrRange::new(start, start.saturating_add(self.table.pmd_bytes()));
            self.zap_slot(vma, range.intersect(whole), whole, what);
            key = found + 1;
        }
    }

    fn zap_slot(&mut self, vma: &Vma, part: AddrRange, whole: AddrRange, what: Zap) {
        if let Some(pte) = self.table.block(whole.start) {
            if part == whole {
                if what != Zap::FilePages || !self.is_private_copy(pte) {
                    self.zap_block(whole, pte);
                }
                return;
            }
            self.split_block(vma, whole.start);
        }
        self.zap_leaf(part, what);
        let reclaim = self.mem.rules.reclaims_tables && what == Zap::Pages && part == whole;
        if reclaim
            && self
                .table
                .leaf(whole.start)
                .is_some_and(super::table::Leaf::is_empty)
        {
            self.table.take_slot(whole.start);
            self.counts.add(Counter::TableFree, 1);
        }
    }

    /// `zap_huge_pmd`.
    fn zap_block(&mut self, whole: AddrRange, pte: Pte) {
        self.counts.add(Counter::PteClear, 1);
        self.gather(whole);
        if let Some(Slot::Block { deposit: true, .. }) = self.table.take_slot(whole.start) {
            self.counts.add(Counter::TableFree, 1);
        }
        if pte.special() {
            return;
        }
        let mm = self.table.mm();
        let id = pte.folio();
        let folio = self.mem.arena.get_mut(id);
        folio.dirty |= !folio.is_anon() && pte.dirty();
        folio.remove_entire(mm);
        self.mem.free_if_unused(self.counts, id);
    }

    fn is_private_copy(&self, pte: Pte) -> bool {
        !pte.special() && self.mem.arena.get(pte.folio()).is_anon()
    }

    /// `zap_pte_range`.
    fn zap_leaf(&mut self, part: AddrRange, what: Zap) {
        if self
            .table
            .leaf(part.start)
            .is_none_or(super::table::Leaf::is_empty)
        {
            return;
        }
        let mut addr = part.start;
        while addr < part.end {
            addr += self.zap_entry(addr, part.end, what) << self.page_shift();
        }
    }

    /// Clears the entry at `addr` and those that go with it; says how many entries to go on.
    fn zap_entry(&mut self, addr: u64, end: u64, what: Zap) -> u64 {
        let pte = self.table.pte(addr);
        if pte.is_empty() {
            return 1;
        }
        if !pte.present() {
            if what == Zap::Everything {
                self.counts.add(Counter::PteClear, 1);
                self.table.put(addr, Pte::EMPTY);
            }
            return 1;
        }
        if what == Zap::FilePages && self.is_private_copy(pte) {
            return 1;
        }
        let pte = self.get_pte(addr);
        let nr = if self.zaps_in_batches(pte) {
            self.batch(addr, end, pte, Same::Folio).pages
        } else {
            1
        };
        let cleared = self.clear_ptes(addr, nr);
        self.gather(AddrRange::new(addr, addr + (nr << self.page_shift())));
        if !pte.special() {
            let folio = self.mem.arena.get_mut(pte.folio());
            folio.dirty |= !folio.is_anon() && cleared.dirty();
            self.drop_mapping(pte, nr);
        }
        nr
    }

    /// Large folios are cleared in batches since 6.9. The first posting had none: munmap and
    /// MADV_DONTNEED cleared entry by entry.
    fn zaps_in_batches(&self, pte: Pte) -> bool {
        !pte.special()
            && self.mem.arena.get(pte.folio()).is_large()
            && (self.mem.design.contpte != ContPte::FirstPosting || self.table.exiting)
    }

    /// Adds `range` to what the gather will flush.
    pub(crate) fn gather(&mut self, range: AddrRange) {
        let all = self.table.gather.map_or(range, |g| {
            AddrRange::new(g.start.min(range.start), g.end.max(range.end))
        });
        self.table.gather = Some(all);
    }

    /// `folio_remove_rmap_ptes` for `nr` pages from the one `pte` maps, which were just cleared.
    pub(crate) fn drop_mapping(&mut self, pte: Pte, nr: u64) {
        if pte.special() {
            return;
        }
        let mm = self.table.mm();
        let id = pte.folio();
        let nr = u32::try_from(nr).unwrap_or(u32::MAX);
        self.mem.arena.get_mut(id).remove_pages(mm, pte.index(), nr);
        self.mem.free_if_unused(self.counts, id);
    }

    /// `folio_pte_batch`: how many entries from `addr` on, which `pte` is, map consecutive pages
    /// of its folio alike, up to `end`.
    pub(crate) fn batch(&mut self, addr: u64, end: u64, pte: Pte, same: Same) -> Batch {
        let shift = self.page_shift();
        let left = u64::from(self.mem.arena.get(pte.folio()).len() - pte.index());
        let most = left
            .min((end - addr) >> shift)
            .min((self.table.pmd_bytes() - (addr & (self.table.pmd_bytes() - 1))) >> shift);
        let mut found = Batch {
            pages: 1,
            writable: pte.writable(),
            young: pte.young(),
            dirty: pte.dirty(),
        };
        let loose = same.loose();
        let first = self.table.leaf_index(addr);
        let Some(leaf) = self.table.leaf(addr) else {
            return found;
        };
        let head = pte.without(loose);
        while found.pages < most {
            let i = found.pages;
            let here = leaf.get(first + i as usize);
            if here.without(loose) != head.advance(u32::try_from(i).unwrap_or(0)) {
                break;
            }
            found.writable |= here.writable();
            found.young |= here.young();
            found.dirty |= here.dirty();
            found.pages += 1;
        }
        self.counts.add(Counter::PteRead, found.pages.min(most) - 1);
        found
    }

    /// Whether the mapping's private pages are write-protected by fork.
    pub(crate) fn is_cow(vma: &Vma) -> bool {
        !vma.flags.contains(VmFlags::SHARED) && vma.flags.contains(VmFlags::MAYWRITE)
    }
}

/// What entries of one batch must agree in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Same {
    /// Everything but young, dirty (zap, madvise, mprotect of 6.17) and write... see `loose`.
    Folio,
    /// Everything but young and write; dirty too (fork of private memory).
    FolioAndDirty,
    /// Everything but young and dirty: the write bit must agree (6.17: mprotect, mremap).
    FolioAndWrite,
}

impl Same {
    /// Bits that may differ.
    fn loose(self) -> u64 {
        let always = Pte::YOUNG | Pte::STORED | Pte::CONT;
        match self {
            Self::Folio => always | Pte::DIRTY | Pte::WRITE,
            Self::FolioAndDirty => always | Pte::WRITE,
            Self::FolioAndWrite => always | Pte::DIRTY,
        }
    }
}

/// A run of entries of one folio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Batch {
    pub pages: u64,
    /// Whether any is.
    pub writable: bool,
    pub young: bool,
    pub dirty: bool,
}

/// The zero page has no folio to look up.
pub(crate) fn folio_of(pte: Pte) -> Option<FolioId> {
    (pte.present() && !pte.special()).then(|| pte.folio())
}
