//! Faults in file mappings: fault-around, the page cache lookup, private copies (mm/memory.c
//! `do_fault`, mm/filemap.c).

use super::cache::FileSystem;
use super::entry::Pte;
use super::fault::Faulting;
use super::folio::{Backing, FolioId};
use super::readahead::Reading;
use super::{Arch, Fault, Paging};
use crate::file::InodeKind;
use crate::flags::VmFlags;
use crate::kernel::KernelId;
use crate::meter::Counter;
use crate::vma::area::Vma;

/// What the page cache answers a fault.
enum Found {
    Page(FolioId, u32),
    /// It had to read: the fault starts over, not to do so again.
    Retry,
    Beyond,
    Oom,
}

impl Paging<'_> {
    /// The file `vma` maps.
    pub(crate) fn reading(&mut self, vma: &Vma) -> Option<Reading> {
        let file = vma.file?;
        let inode = self.files.inode_of(file);
        let node = self.files.inode(inode);
        let shift = self.page_shift();
        let pages = node.size.map_or(u64::MAX, |s| s.div_ceil(1 << shift));
        let default_fs = FileSystem::of(node.kind);
        let fs = self.mem.cache(inode, default_fs).fs;
        Some(Reading {
            file,
            inode,
            fs,
            pages,
        })
    }

    /// `do_fault`.
    pub(crate) fn file_fault(&mut self, fault: Faulting<'_>) -> Fault {
        let Some(of) = self.reading(fault.vma) else {
            return Fault::Bus;
        };
        let shared = fault.vma.flags.contains(VmFlags::SHARED);
        if fault.write && !shared && fault.vma.anon_vma.is_none() {
            return Fault::NeedAnonVma;
        }
        let mut tried = false;
        // A fault that read starts over once; one that read ahead starts over as if new.
        for _ in 0..4 {
            if !fault.write && self.fault_around(fault, of) {
                return Fault::Done;
            }
            match self.look_up(fault, of, tried) {
                Found::Page(folio, page) if fault.write && !shared => {
                    return self.private_copy(fault, folio, page);
                }
                Found::Page(folio, page) => return self.finish(fault, of, folio, page),
                Found::Retry => tried = true,
                Found::Beyond => return Fault::Bus,
                Found::Oom => return Fault::Oom,
            }
        }
        Fault::Oom
    }

    /// `filemap_fault` or `shmem_fault`.
    fn look_up(&mut self, fault: Faulting<'_>, of: Reading, tried: bool) -> Found {
        let index = fault.vma.pgoff_at(fault.addr, self.mem.design.page_size);
        if index >= of.pages {
            return Found::Beyond;
        }
        if of.fs.is_tmpfs() {
            return match self.shmem_page(fault, of, index) {
                Some((folio, page)) => Found::Page(folio, page),
                None => Found::Oom,
            };
        }
        if let Some((folio, page)) = self.cached(of, index) {
            if !tried && self.read_for_hit(of, fault.vma, index) {
                return Found::Retry;
            }
            self.mem.arena.get_mut(folio).unread = false;
            return Found::Page(folio, page);
        }
        let read = self.read_for_miss(of, fault.vma, index);
        if self.cached(of, index).is_none()
            && self
                .mem
                .add_to_cache(self.counts, of.inode, of.fs, index, 0)
                .is_none()
        {
            return Found::Oom;
        }
        if read && !tried {
            return Found::Retry;
        }
        match self.cached(of, index) {
            Some((folio, page)) => Found::Page(folio, page),
            None => Found::Oom,
        }
    }

    /// The page cache's page `index`; of a file read before, made when first asked for.
    pub(crate) fn cached(&mut self, of: Reading, index: u64) -> Option<(FolioId, u32)> {
        let cache = self.mem.caches.get(&of.inode)?;
        if let Some(found) = cache.find(&self.mem.arena, index) {
            return Some(found);
        }
        let present = cache.preread || of.fs == FileSystem::Ramfs;
        if !present || of.fs.is_tmpfs() || index >= of.pages {
            return None;
        }
        let id = self
            .mem
            .add_to_cache(self.counts, of.inode, of.fs, index, 0)?;
        Some((id, 0))
    }

    /// Whether 6.18 and later map the whole folio: it lies in the VMA, in one PMD, and within the
    /// file (tmpfs aside).
    pub(crate) fn maps_whole_folio(
        &self,
        fault: Faulting<'_>,
        of: Reading,
        folio: FolioId,
        inside: u32,
        addr: u64,
    ) -> bool {
        if !self.mem.rules.maps_whole_tmpfs_folio {
            return false;
        }
        self.folio_fits(fault, folio, inside, addr)
            && (of.fs.is_tmpfs() || self.within_file(of, folio))
    }

    pub(crate) fn within_file(&self, of: Reading, folio: FolioId) -> bool {
        let folio = self.mem.arena.get(folio);
        match folio.backing {
            Backing::File(_, first) | Backing::Shmem(_, first) => {
                first + u64::from(folio.len()) <= of.pages
            }
            _ => false,
        }
    }

    /// Whether a folio whose page `inside` is mapped at `addr` lies in the VMA and in one PMD.
    fn folio_fits(&self, fault: Faulting<'_>, folio: FolioId, inside: u32, addr: u64) -> bool {
        let shift = self.page_shift();
        let before = u64::from(inside) << shift;
        let bytes = u64::from(self.mem.arena.get(folio).len()) << shift;
        let Some(start) = addr.checked_sub(before) else {
            return false;
        };
        let Some(end) = start.checked_add(bytes) else {
            return false;
        };
        start >= fault.vma.start
            && end <= fault.vma.end
            && self.table.key(start) == self.table.key(end - 1)
    }

    /// `finish_fault` for a page of the file itself.
    fn finish(&mut self, fault: Faulting<'_>, of: Reading, folio: FolioId, page: u32) -> Fault {
        if self.map_block(fault, folio) {
            return Fault::Done;
        }
        self.make_leaf(fault.addr);
        if self.table.leaf(fault.addr).is_none() {
            return Fault::Done;
        }
        let shift = self.page_shift();
        let first = fault.addr.wrapping_sub(u64::from(page) << shift);
        let len = u64::from(self.mem.arena.get(folio).len());
        let whole =
            len > 1 && self.finishes_whole(fault, of, folio, page) && self.all_empty(first, len);
        if whole {
            self.map_file_pages(fault, folio, 0, first, len, fault.write);
        } else {
            self.map_file_pages(fault, folio, page, fault.addr, 1, fault.write);
        }
        Fault::Done
    }

    /// Whether a fault maps the whole folio: of shared anonymous memory since 6.11, of any file
    /// since 6.18.
    fn finishes_whole(&self, fault: Faulting<'_>, of: Reading, folio: FolioId, page: u32) -> bool {
        if self.mem.rules.maps_whole_tmpfs_folio {
            return self.maps_whole_folio(fault, of, folio, page, fault.addr);
        }
        let anon_shmem = self.files.inode(of.inode).kind == InodeKind::SharedAnon;
        anon_shmem
            && self.mem.kernel().id >= KernelId::V6_11
            && self.folio_fits(fault, folio, page, fault.addr)
    }

    /// `set_pte_range`.
    pub(crate) fn map_file_pages(
        &mut self,
        fault: Faulting<'_>,
        folio: FolioId,
        page: u32,
        addr: u64,
        nr: u64,
        write: bool,
    ) {
        let vma = fault.vma;
        let mm = self.table.mm();
        let shift = self.page_shift();
        let asked_for = fault.addr >= addr && fault.addr < addr + (nr << shift);
        let mut bits = Self::prot_bits(vma);
        // arch_wants_old_prefaulted_pte: where hardware sets the access flag.
        let old = self.mem.design.arch == Arch::Arm64 && self.mem.design.hardware_af_dirty;
        if !asked_for && old {
            bits &= !Pte::YOUNG;
        }
        if self.maps_writable(vma) {
            bits |= Pte::WRITE;
            if !write && self.mem.rules.maps_dirty_shmem && self.mem.arena.get(folio).dirty {
                bits |= Pte::DIRTY;
            }
        }
        if write {
            bits |= Pte::DIRTY;
            if vma.flags.contains(VmFlags::WRITE) {
                bits |= Pte::WRITE;
            }
        }
        let known = self.mem.arena.get_mut(folio);
        known.dirty |= write;
        known.add_pages(mm, page, u32::try_from(nr).unwrap_or(u32::MAX));
        self.set_ptes(addr, Pte::new(folio, page, bits), nr);
        if let Some(file) = vma.file
            && let Some(ra) = self.mem.readahead.get_mut(&file)
        {
            ra.misses = ra
                .misses
                .saturating_sub(u32::try_from(nr).unwrap_or(u32::MAX));
        }
    }

    /// `do_set_pmd`: a PMD-size folio over an empty PMD that the VMA holds whole and congruent.
    pub(crate) fn map_block(&mut self, fault: Faulting<'_>, folio: FolioId) -> bool {
        let vma = fault.vma;
        let shift = self.page_shift();
        let order = self.mem.design.pmd_order();
        let known = self.mem.arena.get(folio);
        let range = self.pmd_range(fault.addr);
        let congruent = ((vma.start >> shift).wrapping_sub(vma.pgoff)) & ((1 << order) - 1) == 0;
        if known.order != order
            || !congruent
            || range.start < vma.start
            || range.end > vma.end
            || vma.flags.contains(VmFlags::NOHUGEPAGE)
            || self.table.slot(fault.addr).is_some()
        {
            return false;
        }
        let mut bits = Self::prot_bits(vma);
        if self.maps_writable(vma) {
            bits |= Pte::WRITE;
        }
        if fault.write {
            bits |= Pte::DIRTY;
            if vma.flags.contains(VmFlags::WRITE) {
                bits |= Pte::WRITE;
            }
        }
        let mm = self.table.mm();
        let known = self.mem.arena.get_mut(folio);
        known.dirty |= fault.write;
        known.add_entire(mm);
        self.put_block(fault.addr, Pte::new(folio, 0, bits), false);
        true
    }

    /// `do_cow_fault`: a private page, copied from the file's.
    fn private_copy(&mut self, fault: Faulting<'_>, _folio: FolioId, _page: u32) -> Fault {
        let Some(new) = self.mem.alloc(self.counts, 0, Backing::Anon) else {
            return Fault::Oom;
        };
        self.counts.add(Counter::CopiedBytes, self.page_bytes());
        self.mem.arena.get_mut(new).set_stored(0);
        self.make_leaf(fault.addr);
        self.map_new_anon(new, 0, 1);
        let bits = Self::own_bits(fault.vma);
        self.set_ptes(fault.addr, Pte::new(new, 0, bits), 1);
        Fault::Done
    }

    /// `vma_wants_writenotify`: a disk file system must know of the first write to a shared page.
    pub(crate) fn wants_write_notify(&self, vma: &Vma) -> bool {
        let writable = vma.flags.contains(VmFlags::SHARED | VmFlags::WRITE);
        let Some(file) = vma.file else {
            return false;
        };
        let inode = self.files.inode_of(file);
        let fs = self
            .mem
            .caches
            .get(&inode)
            .map_or(FileSystem::of(self.files.inode(inode).kind), |c| c.fs);
        writable && !fs.is_tmpfs() && fs != FileSystem::Ramfs
    }

    /// A page of the vdso: one of the kernel's own, mapped alone.
    pub(crate) fn kernel_page(&mut self, fault: Faulting<'_>) -> Fault {
        if fault.write {
            // The vdso is private memory: a write copies it.
            if fault.vma.anon_vma.is_none() {
                return Fault::NeedAnonVma;
            }
            return self.private_copy(fault, FolioId::ZERO, 0);
        }
        let Some(folio) = self.mem.alloc(self.counts, 0, Backing::Kernel) else {
            return Fault::Oom;
        };
        self.make_leaf(fault.addr);
        let mm = self.table.mm();
        self.mem.arena.get_mut(folio).add_pages(mm, 0, 1);
        self.set_ptes(
            fault.addr,
            Pte::new(folio, 0, Self::prot_bits(fault.vma)),
            1,
        );
        Fault::Done
    }

    /// A frame of vvar: no folio behind it, so it does not count in Rss. Only every second page
    /// has one: the others are for time namespaces and for clocks the machine does not have.
    pub(crate) fn kernel_frame(&mut self, fault: Faulting<'_>) -> Fault {
        let page = (fault.addr - fault.vma.start) >> self.page_shift();
        if page % 2 == 1 {
            return Fault::Bus;
        }
        self.make_leaf(fault.addr);
        let pte = Pte::zero_page(Self::prot_bits(fault.vma));
        self.set_ptes(fault.addr, pte, 1);
        Fault::Done
    }
}
