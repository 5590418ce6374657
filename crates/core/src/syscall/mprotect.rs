//! mprotect(2) and pkey_mprotect(2): `do_mprotect_pkey`.

use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::{Prot, VmFlags};
use crate::machine::ChangeKind;
use crate::mm::enough_memory;
use crate::vma::iter::Cursor;
use crate::vma::tree::VmaId;

impl Cx<'_> {
    /// `pkey` is -1 for plain mprotect; the machine has no protection keys, so every other is
    /// one that was never allocated.
    pub(super) fn mprotect(
        &mut self,
        addr: u64,
        len: u64,
        prot: u64,
        pkey: i32,
    ) -> Result<u64, Errno> {
        let asked = Prot::from_bits_retain(prot);
        let grows = Prot::GROWSDOWN | Prot::GROWSUP;
        if asked.contains(grows) {
            return Err(Errno::EINVAL);
        }
        if !self.page.is_aligned(addr) {
            return Err(Errno::EINVAL);
        }
        if len == 0 {
            return Ok(0);
        }
        let end = addr.wrapping_add(self.page.align_up_wrapping(len));
        if end <= addr {
            return Err(Errno::ENOMEM);
        }
        let bits = asked.difference(grows);
        let known = Prot::READ | Prot::WRITE | Prot::EXEC | Prot::SEM;
        if !known.contains(bits) || pkey != -1 {
            return Err(Errno::EINVAL);
        }

        let mut cursor = Cursor::Start(addr);
        let first = self.vma_find(&mut cursor, end).ok_or(Errno::ENOMEM)?;
        let vma = *self.mm.tree.get(first);
        let mut range = AddrRange::new(addr, end);
        if asked.contains(Prot::GROWSDOWN) {
            range.start = vma.start;
            if !vma.flags.contains(VmFlags::GROWSDOWN) {
                return Err(Errno::EINVAL);
            }
        } else {
            if vma.start > addr {
                return Err(Errno::ENOMEM);
            }
            // No mapping grows up on these architectures.
            if asked.contains(Prot::GROWSUP) {
                return Err(Errno::EINVAL);
            }
        }
        if self.kernel.checks_out_of_loop() && !self.can_modify_mm(range.start, range.end) {
            return Err(Errno::EPERM);
        }
        self.protect_range(&mut cursor, first, range, bits)
    }

    /// Changes VMA after VMA; those before a failing one stay changed.
    fn protect_range(
        &mut self,
        cursor: &mut Cursor,
        first: VmaId,
        range: AddrRange,
        prot: Prot,
    ) -> Result<u64, Errno> {
        let mut prev = self.vma_prev(cursor);
        if range.start > self.mm.tree.get(first).start {
            prev = Some(first);
        }
        let mut expected = self.mm.tree.get(first).start;
        let mut start = range.start;
        while let Some(id) = self.vma_find(cursor, range.end) {
            let vma = *self.mm.tree.get(id);
            if vma.start != expected {
                return Err(Errno::ENOMEM);
            }
            let flags = VmFlags::from_prot(prot) | vma.flags.difference(VmFlags::ACCESS);
            if !may_access(flags).contains(flags & VmFlags::ACCESS) {
                return Err(Errno::EACCES);
            }
            let part = AddrRange::new(start, vma.end.min(range.end));
            prev = Some(self.within("mprotect_fixup", |cx| {
                cx.mprotect_fixup(cursor, prev, id, part, flags)
            })?);
            expected = self.iter_end(*cursor);
            start = expected;
        }
        if expected < range.end {
            return Err(Errno::ENOMEM);
        }
        Ok(0)
    }

    /// `mprotect_fixup`: one VMA's part of the range.
    fn mprotect_fixup(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        id: VmaId,
        part: AddrRange,
        mut flags: VmFlags,
    ) -> Result<VmaId, Errno> {
        let vma = *self.mm.tree.get(id);
        let old = vma.flags;
        if self.refused_in_loop(&vma) {
            return Err(Errno::EPERM);
        }
        if flags == old {
            return Ok(id);
        }
        let pages = self.pages_of(part.len());
        if flags.contains(VmFlags::WRITE) {
            if !self.mm.may_expand(self.limits, self.page, flags, pages)
                && self.mm.may_expand(self.limits, self.page, old, pages)
            {
                return Err(Errno::ENOMEM);
            }
            // A private mapping made writable is charged from now on.
            let exempt = VmFlags::ACCOUNT
                | VmFlags::WRITE
                | VmFlags::HUGETLB
                | VmFlags::SHARED
                | VmFlags::NORESERVE;
            if !old.intersects(exempt) {
                enough_memory(self.limits, part.len())?;
                flags |= VmFlags::ACCOUNT;
            }
        } else if old.contains(VmFlags::ACCOUNT) && vma.is_anonymous() && vma.anon_vma.is_none() {
            // Never written: the charge can be given back.
            flags.remove(VmFlags::ACCOUNT);
        }
        let id = self.modify_flags(cursor, prev, id, part, flags)?;
        self.mm.account(old, -pages.cast_signed());
        self.mm.account(flags, pages.cast_signed());
        let now = *self.mm.tree.get(id);
        self.paging().protect(old, &now, part);
        // Private memory that is locked and became writable is brought in at once.
        if old & (VmFlags::WRITE | VmFlags::SHARED | VmFlags::LOCKED) == VmFlags::LOCKED
            && flags.contains(VmFlags::WRITE)
        {
            self.populate_vma(id, part);
        }
        self.changed(ChangeKind::Protected, part.start, part.end);
        Ok(id)
    }
}

/// The access that a mapping's MAY flags let mprotect give.
fn may_access(flags: VmFlags) -> VmFlags {
    let mut access = VmFlags::empty();
    access.set(VmFlags::READ, flags.contains(VmFlags::MAYREAD));
    access.set(VmFlags::WRITE, flags.contains(VmFlags::MAYWRITE));
    access.set(VmFlags::EXEC, flags.contains(VmFlags::MAYEXEC));
    access
}
