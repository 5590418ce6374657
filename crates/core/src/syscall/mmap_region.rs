//! The second half of mmap: room is made, and the new mapping merges or gets a VMA of its own.

use std::sync::Arc;

use crate::cx::Cx;
use crate::errno::Errno;
use crate::file::{FileId, InodeKind};
use crate::flags::VmFlags;
use crate::machine::ChangeKind;
use crate::meter::Counter;
use crate::mm::enough_memory;
use crate::vma::area::{SpecialName, Vma};
use crate::vma::iter::Cursor;
use crate::vma::merge::Proposal;
use crate::vma::tree::VmaId;

/// What a checked request wants mapped.
pub(super) struct Request {
    pub addr: u64,
    pub len: u64,
    pub flags: VmFlags,
    pub pgoff: u64,
    pub file: Option<FileId>,
    /// What the file says when it is asked at last, if it refuses.
    pub refusal: Option<Errno>,
}

impl Cx<'_> {
    /// `mmap_region`: makes room, merges or makes a VMA. Two ways to make room: up to 6.11 what
    /// is in the way goes before anything else can fail, from 6.12 on after.
    pub(super) fn mmap_region(&mut self, want: Request) -> Result<VmaId, Errno> {
        let end = want.addr + want.len;
        let mut cursor = Cursor::Start(want.addr);
        if self.kernel.gathers {
            self.within("__mmap_region", |cx| {
                cx.replace_late(&mut cursor, want, end)
            })
        } else {
            self.replace_early(&mut cursor, want, end)
        }
    }

    /// Up to 6.11.
    fn replace_early(
        &mut self,
        cursor: &mut Cursor,
        mut want: Request,
        end: u64,
    ) -> Result<VmaId, Errno> {
        let pages = self.pages_of(want.len);
        if !self
            .mm
            .may_expand(self.limits, self.page, want.flags, pages)
        {
            let there = self
                .mm
                .mapped_bytes(crate::addr::AddrRange::new(want.addr, end));
            let new = pages - self.pages_of(there);
            if !self.mm.may_expand(self.limits, self.page, want.flags, new) {
                return Err(Errno::ENOMEM);
            }
        }
        self.do_vmi_munmap(cursor, want.addr, want.len)
            .map_err(|e| if e == Errno::EPERM { e } else { Errno::ENOMEM })?;
        if is_accountable(want.flags) {
            enough_memory(self.limits, want.len)?;
            want.flags |= VmFlags::ACCOUNT;
        }
        want.may_be_made()?;
        let range = want.proposal(end);
        match self.merge_mmap_next_first(cursor, &range) {
            Some(id) => {
                self.mapped(&want, id);
                Ok(id)
            }
            None => self.new_mapping(cursor, want),
        }
    }

    /// 6.12 on.
    fn replace_late(
        &mut self,
        cursor: &mut Cursor,
        mut want: Request,
        end: u64,
    ) -> Result<VmaId, Errno> {
        let gathered = self.within("__mmap_prepare", |cx| match cx.vma_find(cursor, end) {
            Some(first) => cx.gather(cursor, first, want.addr, end).map(Some),
            None => Ok(None),
        })?;
        let (prev, next) = match &gathered {
            Some(g) => (g.prev, g.next),
            None => self.iter_next_rewind(cursor),
        };
        let pages = self.pages_of(want.len);
        let replaced = gathered.map_or(0, |g| g.pages);
        if !self
            .mm
            .may_expand(self.limits, self.page, want.flags, pages - replaced)
        {
            return Err(Errno::ENOMEM);
        }
        if is_accountable(want.flags) {
            let freed = gathered.map_or(0, |g| g.accounted_pages);
            let charge = pages.saturating_sub(freed) << self.page.shift();
            enough_memory(self.limits, charge)?;
            want.flags |= VmFlags::ACCOUNT;
        }
        // Shared anonymous memory's file is made, and may be refused, only after this: what was in
        // the way is gone by then (`vms_clean_up_area`, `vms_abort_munmap_vmas`).
        if let Some(g) = &gathered {
            self.complete_unmap(cursor, g);
        }
        want.may_be_made()?;
        let range = want.proposal(end);
        match self.merge_new(cursor, prev, next, &range, false) {
            Some(id) => {
                self.mapped(&want, id);
                Ok(id)
            }
            None => self.new_mapping(cursor, want),
        }
    }

    /// Shared anonymous memory is charged whole when it is made (`shmem_acct_size`).
    fn charge_shmem(&self, want: &Request) -> Result<(), Errno> {
        if want.flags.contains(VmFlags::NORESERVE) {
            Ok(())
        } else {
            enough_memory(self.limits, want.len)
        }
    }

    fn new_mapping(&mut self, cursor: &mut Cursor, mut want: Request) -> Result<VmaId, Errno> {
        if want.file.is_none() && want.flags.contains(VmFlags::SHARED) {
            self.charge_shmem(&want)?;
            want.file = Some(self.files.add_tmpfs(
                InodeKind::SharedAnon,
                Arc::from("/dev/zero (deleted)"),
                want.len,
            ));
        }
        self.count_store(*cursor);
        self.meter.count(Counter::VmaAlloc);
        let id = self.mm.tree.insert(Vma {
            start: want.addr,
            end: want.addr + want.len,
            flags: want.flags,
            pgoff: want.pgoff,
            file: want.file,
            anon_vma: None,
            special: SpecialName::None,
        });
        *cursor = Cursor::On(id);
        self.mapped(&want, id);
        Ok(id)
    }

    /// Accounts for a new mapping that is now part of VMA `id`.
    fn mapped(&mut self, want: &Request, id: VmaId) {
        let pages = self.pages_of(want.len);
        self.mm.account(want.flags, pages.cast_signed());
        // Memory the kernel may drop is never locked, whatever mlockall asked for.
        if want.flags.contains(VmFlags::DROPPABLE) {
            let vma = self.mm.tree.get_mut(id);
            vma.flags.remove(VmFlags::LOCKED | VmFlags::LOCKONFAULT);
        } else if want.flags.contains(VmFlags::LOCKED) {
            if self
                .mm
                .tree
                .get(id)
                .flags
                .intersects(VmFlags::IO | VmFlags::PFNMAP)
            {
                self.mm.tree.get_mut(id).flags.remove(VmFlags::LOCKED);
            } else {
                self.mm.locked_vm += pages;
            }
        }
        self.changed(ChangeKind::Mapped, want.addr, want.addr + want.len);
    }
}

impl Request {
    fn may_be_made(&self) -> Result<(), Errno> {
        self.refusal.map_or(Ok(()), Err)
    }

    fn proposal(&self, end: u64) -> Proposal {
        Proposal {
            start: self.addr,
            end,
            flags: self.flags,
            pgoff: self.pgoff,
            file: self.file,
            anon_vma: None,
        }
    }
}

/// `accountable_mapping`: private, writable, not MAP_NORESERVE.
fn is_accountable(flags: VmFlags) -> bool {
    flags & (VmFlags::NORESERVE | VmFlags::SHARED | VmFlags::WRITE) == VmFlags::WRITE
}
