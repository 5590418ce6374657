//! Readahead: which folios a miss (or a marked folio) brings into the page cache, and how large
//! (mm/readahead.c, and the mmap parts of mm/filemap.c).

use super::Paging;
use super::cache::{FileSystem, alignment};
use crate::addr::PageSize;
use crate::file::{FileId, InodeId};
use crate::flags::VmFlags;
use crate::kernel::KernelId;
use crate::vma::area::Vma;

/// `struct file_ra_state`: what an open file remembers of its reads. In pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ReadAhead {
    start: u64,
    size: u64,
    async_size: u64,
    /// 6.17 on: order of the latest folios.
    order: u32,
    /// Misses less hits of its mappings: too many and read-around stops.
    pub misses: u32,
}

/// `MMAP_LOTSAMISS`.
const MANY_MISSES: u32 = 100;

/// A file being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub file: FileId,
    pub inode: InodeId,
    pub fs: FileSystem,
    /// Pages of the file; `u64::MAX` where its length is not known.
    pub pages: u64,
}

impl Paging<'_> {
    fn ra_pages(&self) -> u64 {
        self.mem.settings.read_ahead >> self.page_shift()
    }

    /// From 6.17 on the order grows only with each readahead that was wanted, executable mappings
    /// have an order of their own, and windows end aligned.
    fn newer_readahead(&self) -> bool {
        self.mem.kernel().id >= KernelId::V6_18
    }

    /// `do_sync_mmap_readahead`: a fault missed page `index`. Says whether anything was read.
    pub(crate) fn read_for_miss(&mut self, of: Reading, vma: &Vma, index: u64) -> bool {
        let mut ra = self
            .mem
            .readahead
            .get(&of.file)
            .copied()
            .unwrap_or_default();
        let did = self.plan_miss(of, vma, index, &mut ra);
        self.mem.readahead.insert(of.file, ra);
        did
    }

    fn plan_miss(&mut self, of: Reading, vma: &Vma, index: u64, ra: &mut ReadAhead) -> bool {
        let newer = self.newer_readahead();
        if let Some(order) = self.advised_order(of, vma) {
            let pages = 1u64 << order;
            ra.start = index & !(pages - 1);
            let once = vma.flags.contains(VmFlags::RAND_READ);
            ra.size = if once { pages } else { 2 * pages };
            ra.async_size = pages;
            ra.order = order;
            if !newer && of.pages < pages {
                // A file shorter than a PMD: its folio carries the mark (as recorded with 6.12 and
                // 16K pages).
                ra.size = pages;
            }
            self.read_ordered(of, ra, order);
            return true;
        }
        let exec = vma.flags.contains(VmFlags::EXEC);
        if exec && !newer && self.mem.design.exec_order > 0 {
            // The series of 2023 and 2024: one folio, naturally aligned, nothing ahead.
            let order = self.mem.design.exec_order;
            ra.start = index >> order << order;
            ra.size = 1 << order;
            ra.async_size = 0;
            self.read_ordered(of, ra, order);
            return true;
        }
        let exec = exec && newer;
        if vma.flags.contains(VmFlags::RAND_READ) && !exec {
            return false;
        }
        if vma.flags.contains(VmFlags::SEQ_READ) {
            self.read_sequential(of, index, ra);
            return true;
        }
        if !exec {
            ra.misses = (ra.misses + 1).min(MANY_MISSES * 10);
            if ra.misses > MANY_MISSES {
                return false;
            }
        }
        let window = self.ra_pages();
        if exec {
            let order = self.mem.design.exec_order;
            let align = 1u64 << order;
            let end = vma.pgoff.saturating_add(vma.len() >> self.page_shift());
            ra.order = order;
            ra.start = (index & !(align - 1)).max(vma.pgoff);
            let ra_end = (ra.start + window).next_multiple_of(align).min(end);
            ra.size = ra_end.saturating_sub(ra.start);
            ra.async_size = 0;
        } else {
            ra.start = index.saturating_sub(window / 2);
            ra.size = window;
            ra.async_size = window / 4;
            ra.order = 0;
        }
        let order = ra.order;
        self.read_ordered(of, ra, order);
        true
    }

    /// Order that MADV_HUGEPAGE asks for: a PMD's up to 6.18, later one of 2 MiB whatever the
    /// granule; `None` without it.
    fn advised_order(&self, of: Reading, vma: &Vma) -> Option<u32> {
        if !vma.flags.contains(VmFlags::HUGEPAGE) {
            return None;
        }
        let most = self.mem.max_cache_order(of.fs);
        if self.mem.kernel().id >= KernelId::V7 {
            let two_mib = match self.mem.design.page_size {
                PageSize::K4 => 9,
                PageSize::K16 => 7,
                PageSize::K64 => 5,
            };
            return (most > 0).then_some(two_mib.min(most));
        }
        let pmd = self.mem.design.pmd_order();
        (pmd <= self.mem.max_pagecache_order()).then_some(pmd)
    }

    /// `page_cache_sync_ra` for a mapping read in order (MADV_SEQUENTIAL): a window with more to
    /// come at the file's start, single pages of one window anywhere else.
    fn read_sequential(&mut self, of: Reading, index: u64, ra: &mut ReadAhead) {
        let window = self.ra_pages();
        if index > 0 {
            self.read_single(of, index, window, 0);
            return;
        }
        *ra = ReadAhead {
            size: window,
            async_size: if self.newer_readahead() {
                window / 2
            } else {
                window
            },
            misses: ra.misses,
            ..ReadAhead::default()
        };
        self.read_ordered(of, ra, 0);
    }

    /// `do_async_mmap_readahead`: a fault found page `index` in a folio. Says whether it was
    /// marked, so that the next stretch was read.
    pub(crate) fn read_for_hit(&mut self, of: Reading, vma: &Vma, index: u64) -> bool {
        if vma.flags.contains(VmFlags::RAND_READ) {
            return false;
        }
        let mut ra = self
            .mem
            .readahead
            .get(&of.file)
            .copied()
            .unwrap_or_default();
        ra.misses = ra.misses.saturating_sub(1);
        let found = self
            .mem
            .caches
            .get(&of.inode)
            .and_then(|c| c.find(&self.mem.arena, index));
        let marked = found.is_some_and(|(id, _)| self.mem.arena.get(id).readahead);
        if let Some((id, _)) = found
            && marked
        {
            let folio = self.mem.arena.get_mut(id);
            folio.readahead = false;
            let order = folio.order;
            self.read_marked(of, index, order, &mut ra);
        }
        self.mem.readahead.insert(of.file, ra);
        marked
    }

    /// `page_cache_async_ra`.
    fn read_marked(&mut self, of: Reading, index: u64, folio_order: u32, ra: &mut ReadAhead) {
        let most = self.ra_pages();
        let expected =
            (ra.start + ra.size).saturating_sub(ra.async_size) >> folio_order << folio_order;
        let newer = self.newer_readahead();
        if index == expected {
            ra.start += ra.size;
            let next = next_size(ra.size, most);
            ra.size = if newer { ra.size.max(next) } else { next };
        } else {
            let run = self
                .mem
                .caches
                .get(&of.inode)
                .map_or(0, |c| c.run_after(&self.mem.arena, index + 1, most));
            if run >= most {
                return;
            }
            ra.start = index + 1 + run;
            ra.size = next_size(1 + run + most, most);
        }
        if newer {
            if self.mem.kernel().id < KernelId::V7 || ra.order > 0 {
                // 7.x: single pages stay single (as recorded with 7.3).
                ra.order += 2;
            }
            let align = 1u64 << ra.order.min(most.trailing_zeros());
            let end = ra.start + ra.size;
            let aligned = end & !(align - 1);
            if aligned > ra.start {
                ra.size = aligned - ra.start;
            }
        }
        ra.async_size = ra.size;
        let order = if newer { ra.order } else { folio_order };
        self.read_ordered(of, ra, order);
    }

    /// `page_cache_ra_order`: fills the window with folios of up to `order` (up to 6.16 two more).
    fn read_ordered(&mut self, of: Reading, ra: &mut ReadAhead, order: u32) {
        let newer = self.newer_readahead();
        let max = self.mem.max_cache_order(of.fs);
        if ra.size == 0 || of.pages == 0 {
            return;
        }
        if max == 0 || !newer && ra.size < 4 {
            ra.order = 0;
            self.read_single(of, ra.start, ra.size, ra.async_size);
            return;
        }
        let last = of.pages - 1;
        let end = ra.start + ra.size - 1;
        let mark = if newer && last <= end {
            None
        } else {
            Some(ra.start + ra.size - ra.async_size)
        };
        let limit = last.min(end);
        let wanted = if newer || order >= self.mem.max_pagecache_order() {
            order
        } else {
            order + 2
        };
        let wanted = wanted.min(max).min(ra.size.ilog2());
        ra.order = wanted;
        let mut index = ra.start;
        while index <= limit {
            let mut order = wanted.min(alignment(index));
            while order > 0 && index + (1 << order) - 1 > limit {
                order -= 1;
            }
            let hole = self
                .mem
                .caches
                .get(&of.inode)
                .is_none_or(|c| c.is_hole(&self.mem.arena, index, 1 << order));
            let added = hole
                .then(|| {
                    self.mem
                        .add_to_cache(self.counts, of.inode, of.fs, index, order)
                })
                .flatten();
            let Some(id) = added else {
                // Something is there already: single pages fill the gaps that are left.
                let done = index - ra.start;
                if ra.size > done {
                    self.read_single(of, index, ra.size - done, ra.async_size);
                }
                return;
            };
            if mark.map(|m| m >> order << order) == Some(index) {
                self.mem.arena.get_mut(id).readahead = true;
            }
            index += 1 << order;
        }
    }

    /// `do_page_cache_ra`: single pages where there are none.
    fn read_single(&mut self, of: Reading, start: u64, nr: u64, ahead: u64) {
        if start >= of.pages {
            return;
        }
        let left = of.pages - start;
        let (nr, ahead) = if nr >= left && self.newer_readahead() {
            (left, 0)
        } else {
            (nr.min(left), ahead)
        };
        for i in 0..nr {
            let index = start + i;
            let hole = self
                .mem
                .caches
                .get(&of.inode)
                .is_none_or(|c| c.is_hole(&self.mem.arena, index, 1));
            if !hole {
                continue;
            }
            let Some(id) = self
                .mem
                .add_to_cache(self.counts, of.inode, of.fs, index, 0)
            else {
                return;
            };
            if ahead > 0 && i == nr.saturating_sub(ahead) {
                self.mem.arena.get_mut(id).readahead = true;
            }
        }
    }

    /// `force_page_cache_readahead` of MADV_WILLNEED: single pages of `first..end`.
    pub(crate) fn read_range(&mut self, of: Reading, first: u64, end: u64) {
        self.read_single(of, first, end.saturating_sub(first), 0);
    }
}

/// `get_next_ra_size`.
fn next_size(size: u64, most: u64) -> u64 {
    if size < most / 16 {
        4 * size
    } else if size <= most / 2 {
        2 * size
    } else {
        most
    }
}
