//! The page cache of one inode: which folios hold which of its pages.

use std::collections::BTreeMap;

use super::folio::{Arena, Backing, FolioId};
use super::settings::ShmemHuge;
use super::{Paging, PhysMem};
use crate::addr::PageSize;
use crate::file::{InodeId, InodeKind};
use crate::kernel::KernelId;
use crate::meter::{Counter, Counts};

/// The file system an inode lives on, as far as its page cache depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FileSystem {
    /// Single pages up to 6.15, large folios from 6.16 on.
    Ext4,
    /// Large folios.
    Xfs,
    /// The initial ramfs: single pages, all of them present.
    Ramfs,
    /// tmpfs mounted with this `huge=`.
    Tmpfs(ShmemHuge),
    /// The kernel's internal tmpfs mount (memfd, shared anonymous memory): large folios as
    /// `shmem_enabled` says.
    TmpfsInternal,
}

impl FileSystem {
    /// The one that inodes of `kind` live on unless told otherwise.
    pub(crate) fn of(kind: InodeKind) -> Self {
        match kind {
            InodeKind::Memfd | InodeKind::SharedAnon => Self::TmpfsInternal,
            InodeKind::Regular | InodeKind::Special => Self::Ext4,
        }
    }

    pub(crate) fn is_tmpfs(self) -> bool {
        matches!(self, Self::Tmpfs(_) | Self::TmpfsInternal)
    }
}

/// One inode's page cache.
#[derive(Clone, Debug)]
pub(crate) struct FileCache {
    pub fs: FileSystem,
    /// Everything is taken to have been read before, in single pages.
    pub preread: bool,
    folios: BTreeMap<u64, FolioId>,
    /// xfs: end of the delayed allocation, in bytes.
    delalloc_end: u64,
}

impl FileCache {
    pub fn new(fs: FileSystem, preread: bool) -> Self {
        Self {
            fs,
            preread,
            folios: BTreeMap::new(),
            delalloc_end: 0,
        }
    }

    /// The folio that holds page `index`, and where in it.
    pub fn find(&self, arena: &Arena, index: u64) -> Option<(FolioId, u32)> {
        let (&first, &id) = self.folios.range(..=index).next_back()?;
        let inside = index - first;
        let len = u64::from(arena.get(id).len());
        (inside < len).then(|| (id, u32::try_from(inside).unwrap_or(0)))
    }

    /// The first folio that holds a page of `index..end`: its first such page and the folio.
    pub fn next(&self, arena: &Arena, index: u64, end: u64) -> Option<(u64, FolioId)> {
        if index >= end {
            return None;
        }
        if let Some((id, _)) = self.find(arena, index) {
            return Some((index, id));
        }
        self.folios
            .range(index..end)
            .next()
            .map(|(&i, &id)| (i, id))
    }

    /// Whether none of `index..index + nr` is held.
    pub fn is_hole(&self, arena: &Arena, index: u64, nr: u64) -> bool {
        self.next(arena, index, index.saturating_add(nr)).is_none()
    }

    pub fn insert(&mut self, index: u64, id: FolioId) {
        self.folios.insert(index, id);
    }

    pub fn remove(&mut self, index: u64) {
        self.folios.remove(&index);
    }

    /// Length of the run of held pages that starts at `index`, up to `most`.
    pub fn run_after(&self, arena: &Arena, index: u64, most: u64) -> u64 {
        let mut at = index;
        while at < index.saturating_add(most) {
            let Some((id, inside)) = self.find(arena, at) else {
                break;
            };
            at += u64::from(arena.get(id).len() - inside);
        }
        (at - index).min(most)
    }
}

impl PhysMem {
    /// Largest order of a folio in the page cache of `fs`; 0: single pages only.
    pub(crate) fn max_cache_order(&self, fs: FileSystem) -> u32 {
        let large = match fs {
            // A design with executable folios under an older kernel needs a file system that can
            // hold them.
            FileSystem::Ext4 => self.kernel().id >= KernelId::V6_18 || self.design.exec_order > 0,
            FileSystem::Xfs | FileSystem::Tmpfs(_) | FileSystem::TmpfsInternal => true,
            FileSystem::Ramfs => false,
        };
        if large { self.max_pagecache_order() } else { 0 }
    }

    /// MAX_PAGECACHE_ORDER: the buddy allocator's largest order and what the page cache's tree
    /// can split (`MAX_XAS_ORDER`, 11), at most a PMD's.
    pub(crate) fn max_pagecache_order(&self) -> u32 {
        let buddy = match self.design.page_size {
            PageSize::K4 => 10,
            PageSize::K16 => 11,
            PageSize::K64 => 13,
        };
        self.design.pmd_order().min(buddy).min(11)
    }

    /// Puts a new folio of `order` at `index` of the inode's page cache, `None` where memory is
    /// short.
    pub(crate) fn add_to_cache(
        &mut self,
        counts: &mut Counts,
        inode: InodeId,
        fs: FileSystem,
        index: u64,
        order: u32,
    ) -> Option<FolioId> {
        let id = if fs.is_tmpfs() {
            self.alloc_zeroed(counts, order, Backing::Shmem(inode, index))?
        } else {
            self.alloc(counts, order, Backing::File(inode, index))?
        };
        self.arena.get_mut(id).cached = true;
        self.cache(inode, fs).insert(index, id);
        Some(id)
    }

    /// Writes bytes `from..to` of a file with one `write()`, as far as the page cache sees it:
    /// folios are made as large as the file system makes them for a write of that length.
    /// The caller sets the file's size. Does nothing for pages that are there.
    pub fn write_file(&mut self, counts: &mut Counts, inode: InodeId, from: u64, to: u64) {
        let fs = self.cache(inode, FileSystem::Ext4).fs;
        let shift = self.design.page_size.shift();
        let mut at = from;
        while at < to {
            let stretch_end = self.write_extent_end(inode, fs, at, to);
            while at < stretch_end {
                let index = at >> shift;
                let held = self
                    .caches
                    .get(&inode)
                    .and_then(|c| c.find(&self.arena, index));
                let (id, inside) = match held {
                    Some(found) => found,
                    None => {
                        let order = self.write_order(inode, fs, index, stretch_end - at, to);
                        let first = index >> order << order;
                        match self.add_to_cache(counts, inode, fs, first, order) {
                            Some(id) => (id, u32::try_from(index - first).unwrap_or(0)),
                            None => return,
                        }
                    }
                };
                let folio = self.arena.get_mut(id);
                folio.dirty = true;
                folio.unread = false;
                let left = u64::from(folio.len() - inside);
                at = ((index + left) << shift).min(stretch_end).max(at + 1);
            }
        }
    }

    /// ext4 clears what lies behind the end of a file in its last block
    /// (`ext4_block_truncate_page`). The page comes into the page cache for that, but unread where
    /// nothing was written there; `size` is the end.
    pub(crate) fn clear_tail(&mut self, counts: &mut Counts, inode: InodeId, size: u64) {
        const BLOCK: u64 = 4096;
        let Some(cache) = self.caches.get(&inode) else {
            return;
        };
        let index = size >> self.design.page_size.shift();
        let wanted = cache.fs == FileSystem::Ext4 && !cache.preread && !size.is_multiple_of(BLOCK);
        if !wanted || !cache.is_hole(&self.arena, index, 1) {
            return;
        }
        if let Some(id) = self.add_to_cache(counts, inode, FileSystem::Ext4, index, 0) {
            self.arena.get_mut(id).unread = true;
        }
    }

    /// Order of the folio that a write of `len` bytes at page `index` makes.
    fn write_order(&self, inode: InodeId, fs: FileSystem, index: u64, len: u64, end: u64) -> u32 {
        let shift = self.design.page_size.shift();
        let by_len = (len >> shift).checked_ilog2().unwrap_or(0);
        let wanted = match fs {
            FileSystem::Ramfs => 0,
            FileSystem::Ext4 | FileSystem::Xfs => {
                by_len.min(self.max_cache_order(fs)).min(alignment(index))
            }
            FileSystem::Tmpfs(huge) => self.tmpfs_write_order(huge, index, by_len, end),
            FileSystem::TmpfsInternal => 0,
        };
        let cache = self.caches.get(&inode);
        (0..=wanted)
            .rev()
            .find(|&order| {
                let first = index >> order << order;
                cache.is_none_or(|c| c.is_hole(&self.arena, first, 1 << order))
            })
            .unwrap_or(0)
    }

    /// Up to 6.13 `huge=` gives PMD-size folios or single pages; from 6.14 on `always` and
    /// `within_size` take what the write's length suggests, `always` the largest first.
    fn tmpfs_write_order(&self, huge: ShmemHuge, index: u64, by_len: u32, end: u64) -> u32 {
        let by_length = self.kernel().id >= KernelId::V6_18;
        let pmd = self.design.pmd_order();
        let most = pmd.min(self.max_pagecache_order());
        let shift = self.design.page_size.shift();
        match huge {
            ShmemHuge::Never | ShmemHuge::Advise => 0,
            ShmemHuge::Always if by_length => most,
            ShmemHuge::Always => {
                if pmd <= self.max_pagecache_order() {
                    pmd
                } else {
                    0
                }
            }
            ShmemHuge::WithinSize => {
                let pages = end.div_ceil(1 << shift);
                let fits = |order: u32| ((index >> order) + 1) << order <= pages;
                if by_length {
                    let order = by_len.min(most).min(alignment(index));
                    (0..=order).rev().find(|&o| fits(o)).unwrap_or(0)
                } else if pmd <= self.max_pagecache_order() && fits(pmd) {
                    pmd
                } else {
                    0
                }
            }
        }
    }

    /// How far one mapping of blocks reaches that a write at `at` up to `to` gets. xfs allocates
    /// ahead of a growing file, by the length written so far rounded down to a power of two, from
    /// the last 64 KiB boundary before the write's end on (`xfs_iomap_prealloc_size`,
    /// `XFS_ALLOC_ALIGN`); where that ends, a write is cut.
    fn write_extent_end(&mut self, inode: InodeId, fs: FileSystem, at: u64, to: u64) -> u64 {
        if fs != FileSystem::Xfs {
            return to;
        }
        const ALIGN: u64 = 64 << 10;
        let cache = self.cache(inode, fs);
        if at >= cache.delalloc_end {
            let ahead = if cache.delalloc_end < ALIGN {
                0
            } else {
                1u64 << (cache.delalloc_end.saturating_mul(2)).ilog2()
            };
            let aligned = (to - 1) & !(ALIGN - 1);
            cache.delalloc_end = if ahead == 0 {
                to
            } else {
                aligned.saturating_add(ahead).max(to)
            };
        }
        cache.delalloc_end.min(to)
    }

    /// Drops the page cache of `inode` from page offset `first` to `end` (truncation, hole punch).
    /// Its mappings must have been unmapped before ([`Paging::unmap_file_pages`]).
    pub fn drop_file_pages(&mut self, counts: &mut Counts, inode: InodeId, first: u64, end: u64) {
        let Some(cache) = self.caches.get(&inode) else {
            return;
        };
        let mut found = Vec::new();
        let mut at = first;
        while let Some((page, id)) = cache.next(&self.arena, at, end) {
            let (_, inside) = cache.find(&self.arena, page).unwrap_or((id, 0));
            let start = page - u64::from(inside);
            found.push((start, id));
            at = start + u64::from(self.arena.get(id).len());
        }
        for (start, id) in found {
            let len = u64::from(self.arena.get(id).len());
            if start >= first && start + len <= end {
                self.uncache(counts, inode, start, id);
            } else if self.arena.get(id).mapcount == 0 {
                // A folio over the edge is split; what lies inside goes.
                let parts = self.arena.split(id, 0, super::MmId(0));
                counts.add(Counter::FolioSplit, 1);
                for (i, part) in (start..).zip(parts) {
                    if let Some(cache) = self.caches.get_mut(&inode) {
                        cache.insert(i, part);
                    }
                    if (first..end).contains(&i) {
                        self.uncache(counts, inode, i, part);
                    }
                }
            }
        }
        if let Some(cache) = self.caches.get_mut(&inode) {
            // What is gone from a file that was read before is zeros or beyond its end.
            cache.preread &= first >= end;
        }
    }

    /// The pages of the folio that holds both page `edge` and the one before it.
    pub(crate) fn folio_over(&self, inode: InodeId, edge: u64) -> Option<(u64, u64)> {
        let (id, inside) = self.caches.get(&inode)?.find(&self.arena, edge)?;
        let start = edge - u64::from(inside);
        (inside > 0).then(|| (start, start + u64::from(self.arena.get(id).len())))
    }

    /// Takes one folio out of the page cache.
    pub(crate) fn uncache(&mut self, counts: &mut Counts, inode: InodeId, start: u64, id: FolioId) {
        if let Some(cache) = self.caches.get_mut(&inode) {
            cache.remove(start);
        }
        self.arena.get_mut(id).cached = false;
        self.free_if_unused(counts, id);
    }
}

impl Paging<'_> {
    /// After a split, the page cache names each part.
    pub(crate) fn recache(&mut self, parts: &[FolioId]) {
        for &part in parts {
            if let Backing::File(inode, index) | Backing::Shmem(inode, index) =
                self.mem.arena.get(part).backing
                && let Some(cache) = self.mem.caches.get_mut(&inode)
            {
                cache.insert(index, part);
            }
        }
    }
}

/// Largest order whose folios may start at `index`.
pub(crate) fn alignment(index: u64) -> u32 {
    index.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::paging::MemoryDesign;

    #[test]
    fn runs_are_measured_over_large_folios() {
        let mut arena = Arena::new();
        let mut cache = FileCache::new(FileSystem::Xfs, false);
        let inode = InodeId(0);
        for (index, order) in [(4, 2), (8, 3), (17, 0)] {
            cache.insert(index, arena.alloc(order, Backing::File(inode, index)));
        }
        assert_eq!(cache.run_after(&arena, 5, 32), 11);
        assert_eq!(cache.next(&arena, 16, 18).map(|n| n.0), Some(17));
        assert!(cache.is_hole(&arena, 0, 4) && !cache.is_hole(&arena, 0, 5));
    }

    #[test]
    fn xfs_writes_are_cut_where_its_allocation_ends() {
        // As recorded with 16K pages: the fourth MiB is cut 64 KiB before its end.
        let design = MemoryDesign::from_parts("16k".into(), PageSize::K16);
        let kernel = Kernel::by_id(KernelId::V6_12);
        let mut mem = PhysMem::new(kernel, design);
        let inode = InodeId(0);
        mem.set_file_system(inode, FileSystem::Xfs);
        let mut counts = Counts::default();
        for i in 0..8 {
            mem.write_file(&mut counts, inode, i << 20, (i + 1) << 20);
        }
        let orders: Vec<u32> = mem.caches[&inode]
            .folios
            .values()
            .map(|&id| mem.arena.get(id).order)
            .collect();
        assert_eq!(orders, [6, 6, 6, 5, 4, 3, 2, 2, 6, 6, 6, 5, 4, 3, 2, 2]);
    }
}
