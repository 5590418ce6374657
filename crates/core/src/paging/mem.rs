//! Physical memory: what all processes of a machine share.

use std::collections::BTreeMap;

use super::cache::{FileCache, FileSystem};
use super::folio::{Arena, Backing, FolioId};
use super::log::PageLog;
use super::readahead::ReadAhead;
use super::settings::Settings;
use super::table::PageTable;
use super::{Arch, MemoryDesign, MmId};
use crate::errno::Errno;
use crate::file::{FileId, InodeId};
use crate::kernel::{Kernel, KernelId};
use crate::meter::{Counter, Counts};

/// How page handling differs between releases, derived from the kernel and the design.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    /// 6.17: mprotect and mremap change entries of one folio in batches.
    pub batches: bool,
    /// 6.15: address spaces that map a large folio are told apart, so that one that is no longer
    /// shared is written in place (`__wp_can_reuse_large_anon_folio`).
    pub knows_owners: bool,
    /// Up to 6.9: MADV_FREE and MADV_COLD split every large folio.
    pub advice_always_splits: bool,
    /// 6.12: a split maps pages of zeros to the zero page.
    pub split_drops_zeros: bool,
    /// 6.14 (x86-64): MADV_DONTNEED over a whole PMD gives its empty table back.
    pub reclaims_tables: bool,
    /// 6.17: a fault maps a whole tmpfs folio, not one page of it.
    pub maps_whole_tmpfs_folio: bool,
    /// 6.17: a write fault is needed for the dirty state only if the folio is clean.
    pub maps_dirty_shmem: bool,
}

impl Rules {
    fn new(kernel: &Kernel, design: &MemoryDesign) -> Self {
        let at_least = |id: KernelId| kernel.id >= id;
        Self {
            batches: kernel.batches_ptes,
            knows_owners: at_least(KernelId::V6_18),
            advice_always_splits: !at_least(KernelId::V6_10),
            split_drops_zeros: at_least(KernelId::V6_12),
            reclaims_tables: at_least(KernelId::V6_18) && design.arch == Arch::X86_64,
            maps_whole_tmpfs_folio: at_least(KernelId::V6_18),
            maps_dirty_shmem: at_least(KernelId::V6_18),
        }
    }
}

/// Physical memory: folios, page cache, sysfs settings.
#[derive(Clone, Debug)]
pub struct PhysMem {
    pub(crate) design: MemoryDesign,
    pub(crate) rules: Rules,
    pub(crate) settings: Settings,
    pub(crate) arena: Arena,
    pub(crate) caches: BTreeMap<InodeId, FileCache>,
    pub(crate) readahead: BTreeMap<FileId, ReadAhead>,
    kernel: &'static Kernel,
    next_mm: u32,
    files_cached: bool,
    /// Folds, unfolds and TLB invalidations, while switched on.
    pub log: PageLog,
}

impl PhysMem {
    /// Empty memory of that design under `kernel`.
    #[must_use]
    pub fn new(kernel: &'static Kernel, design: MemoryDesign) -> Self {
        Self {
            rules: Rules::new(kernel, &design),
            settings: Settings::new(&design),
            arena: Arena::new(),
            caches: BTreeMap::new(),
            readahead: BTreeMap::new(),
            kernel,
            next_mm: 0,
            files_cached: false,
            log: PageLog::default(),
            design,
        }
    }

    /// Its design.
    #[must_use]
    pub fn design(&self) -> &MemoryDesign {
        &self.design
    }

    /// The kernel it runs under.
    #[must_use]
    pub fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    /// An empty page table for a new process (or a new image after execve).
    pub fn new_table(&mut self) -> PageTable {
        self.next_mm = self.next_mm.wrapping_add(1);
        PageTable::new(MmId(self.next_mm), self.design.page_size)
    }

    /// How many bytes around a read fault of a file are mapped with it.
    #[must_use]
    pub fn fault_around(&self) -> u64 {
        self.settings.fault_around
    }

    /// Writes a sysfs file below `/sys/kernel/mm/transparent_hugepage/`, or
    /// `/sys/kernel/debug/fault_around_bytes`.
    ///
    /// # Errors
    /// `ENOENT` for a file the kernel does not have, `EACCES` for one that cannot be written,
    /// `EINVAL` for a value it does not take.
    pub fn set_sysfs(&mut self, path: &str, value: &str) -> Result<(), Errno> {
        self.settings.write(path, value)
    }

    /// The same machine with a disk whose files are read `bytes` ahead (`read_ahead_kb`).
    #[must_use]
    pub fn with_read_ahead(mut self, bytes: u64) -> Self {
        self.settings.read_ahead = bytes;
        self
    }

    /// Whether files on disk are taken to have been read into the page cache, in single pages,
    /// before the first access (true), or are read as faults ask for them (false, the default).
    pub fn assume_files_cached(&mut self, cached: bool) {
        self.files_cached = cached;
    }

    /// What [`Self::assume_files_cached`] was last told.
    #[must_use]
    pub fn assumes_files_cached(&self) -> bool {
        self.files_cached
    }

    /// Says which file system an inode lives on, before its first page is used. Without it, files
    /// opened by name live on ext4, memfds and shared anonymous memory on the internal tmpfs.
    pub fn set_file_system(&mut self, inode: InodeId, fs: FileSystem) {
        let cached = self.files_cached;
        self.caches
            .entry(inode)
            .or_insert_with(|| FileCache::new(fs, cached))
            .fs = fs;
    }

    /// Base pages in use by folios.
    #[must_use]
    pub fn used_pages(&self) -> u64 {
        self.arena.pages
    }

    /// The page cache of `inode`, made when first asked for.
    pub(crate) fn cache(&mut self, inode: InodeId, default_fs: FileSystem) -> &mut FileCache {
        let cached = self.files_cached;
        self.caches
            .entry(inode)
            .or_insert_with(|| FileCache::new(default_fs, cached))
    }

    /// A new folio, or `None` where the machine has not that many pages left.
    pub(crate) fn alloc(
        &mut self,
        counts: &mut Counts,
        order: u32,
        backing: Backing,
    ) -> Option<FolioId> {
        if self.arena.pages + (1 << order) > self.design.memory_pages {
            return None;
        }
        counts.add(Counter::FolioAlloc, 1);
        Some(self.arena.alloc(order, backing))
    }

    /// As [`Self::alloc`], filled with zeros.
    pub(crate) fn alloc_zeroed(
        &mut self,
        counts: &mut Counts,
        order: u32,
        backing: Backing,
    ) -> Option<FolioId> {
        let id = self.alloc(counts, order, backing)?;
        counts.add(Counter::LargeFolioZeroed, u64::from(order > 0));
        counts.add(Counter::ZeroedBytes, self.design.page_size.bytes() << order);
        Some(id)
    }

    /// Frees a folio that nothing maps and no page cache holds.
    pub(crate) fn free_if_unused(&mut self, counts: &mut Counts, id: FolioId) {
        if id == FolioId::ZERO {
            return;
        }
        let folio = self.arena.get(id);
        if folio.birth != 0 && folio.mapcount == 0 && !folio.cached {
            counts.add(Counter::FolioFree, 1);
            self.arena.free(id);
        }
    }

    /// `folio_likely_mapped_shared` (up to 6.14: a guess from the first page) and
    /// `folio_maybe_mapped_shared` (6.15 on: by its owners).
    pub(crate) fn maybe_shared(&self, id: FolioId) -> bool {
        let folio = self.arena.get(id);
        if !folio.is_large() {
            return folio.mapcount > 1;
        }
        if folio.mapcount <= 1 {
            return false;
        }
        if self.rules.knows_owners {
            return folio.maybe_shared;
        }
        folio.entire > 0 || folio.mapcount > folio.len() || folio.page_mapcount(0) > 1
    }
}
