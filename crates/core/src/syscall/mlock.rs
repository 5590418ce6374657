//! mlock(2), mlock2, munlock, mlockall, munlockall, and bringing locked memory in.

use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::{MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT, MLOCK_ONFAULT, VmFlags};
use crate::machine::ChangeKind;
use crate::paging::{Access, Fault};
use crate::syscall::access::Faulter;
use crate::vma::iter::Cursor;
use crate::vma::tree::VmaId;

/// `VM_LOCKED_MASK`.
const LOCKED_MASK: VmFlags = VmFlags::LOCKED.union(VmFlags::LOCKONFAULT);
/// Mappings mlock leaves as they are.
const NEVER_LOCKED: VmFlags = VmFlags::IO
    .union(VmFlags::DONTEXPAND)
    .union(VmFlags::PFNMAP)
    .union(VmFlags::MIXEDMAP)
    .union(VmFlags::HUGETLB)
    .union(VmFlags::DROPPABLE);

impl Cx<'_> {
    /// `can_do_mlock`.
    pub(super) fn can_do_mlock(&self) -> bool {
        self.limits.rlimit_memlock != 0 || self.limits.privileged
    }

    pub(super) fn mlock2(&mut self, addr: u64, len: u64, flags: u64) -> Result<u64, Errno> {
        if flags & !MLOCK_ONFAULT != 0 {
            return Err(Errno::EINVAL);
        }
        self.mlock(addr, len, flags & MLOCK_ONFAULT != 0)
    }

    /// `do_mlock`.
    pub(super) fn mlock(&mut self, addr: u64, len: u64, on_fault: bool) -> Result<u64, Errno> {
        if !self.can_do_mlock() {
            return Err(Errno::EPERM);
        }
        let offset = addr - self.page.align_down(addr);
        let len = self.page.align_up_wrapping(len.wrapping_add(offset));
        let start = addr - offset;
        let limit = self.limits.rlimit_memlock >> self.page.shift();
        let mut locked = self.pages_of(len).saturating_add(self.mm.locked_vm);
        if locked > limit && !self.limits.privileged {
            // What is locked already does not count twice.
            locked -= self.locked_pages_in(AddrRange::new(start, start.saturating_add(len)));
        }
        if locked > limit && !self.limits.privileged {
            return Err(Errno::ENOMEM);
        }
        let mut flags = VmFlags::LOCKED;
        flags.set(VmFlags::LOCKONFAULT, on_fault);
        self.apply_lock_flags(start, len, flags)?;
        self.populate_locked(start, len)
    }

    /// `__mm_populate` for a caller that hears of its errors; success and failure differ only in
    /// what could not be brought in.
    fn populate_locked(&mut self, start: u64, len: u64) -> Result<u64, Errno> {
        match self.mm_populate(start, len, false) {
            Fault::Done => Ok(0),
            Fault::NeedAnonVma | Fault::Oom => Err(Errno::EAGAIN),
            Fault::Bus | Fault::Guard => Err(Errno::ENOMEM),
        }
    }

    pub(super) fn munlock(&mut self, addr: u64, len: u64) -> Result<u64, Errno> {
        let offset = addr - self.page.align_down(addr);
        let len = self.page.align_up_wrapping(len.wrapping_add(offset));
        self.apply_lock_flags(addr - offset, len, VmFlags::empty())?;
        Ok(0)
    }

    /// `count_mm_mlocked_page_nr`.
    fn locked_pages_in(&self, range: AddrRange) -> u64 {
        self.mm
            .tree
            .iter()
            .filter(|(_, vma)| vma.flags.contains(VmFlags::LOCKED))
            .map(|(_, vma)| self.pages_of(vma.range().intersect(range).len()))
            .sum()
    }

    /// `apply_vma_lock_flags`: VMA after VMA; those before a hole stay changed.
    fn apply_lock_flags(&mut self, start: u64, len: u64, lock: VmFlags) -> Result<(), Errno> {
        let end = start.checked_add(len).ok_or(Errno::EINVAL)?;
        if end == start {
            return Ok(());
        }
        self.within("apply_vma_lock_flags", |cx| {
            let mut cursor = Cursor::Start(start);
            let first = cx.iter_load(&mut cursor).ok_or(Errno::ENOMEM)?;
            let mut prev = cx.vma_prev(&mut cursor);
            if start > cx.mm.tree.get(first).start {
                prev = Some(first);
            }
            let mut expected = cx.mm.tree.get(first).start;
            let mut part_start = start;
            while let Some(id) = cx.vma_find(&mut cursor, end) {
                let vma = *cx.mm.tree.get(id);
                if vma.start != expected {
                    return Err(Errno::ENOMEM);
                }
                let flags = vma.flags.difference(LOCKED_MASK) | lock;
                let part = AddrRange::new(part_start, vma.end.min(end));
                prev = Some(cx.within("mlock_fixup", |cx| {
                    cx.mlock_fixup(&mut cursor, prev, id, part, flags)
                })?);
                expected = cx.iter_end(cursor);
                part_start = expected;
            }
            if expected < end {
                return Err(Errno::ENOMEM);
            }
            Ok(())
        })
    }

    /// `mlock_fixup`: one VMA's part of the range.
    fn mlock_fixup(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        id: VmaId,
        part: AddrRange,
        flags: VmFlags,
    ) -> Result<VmaId, Errno> {
        let old = self.mm.tree.get(id).flags;
        if flags == old || old.intersects(NEVER_LOCKED) {
            return Ok(id);
        }
        let id = self.modify_flags(cursor, prev, id, part, flags)?;
        let pages = self.pages_of(part.len());
        let locks = flags.contains(VmFlags::LOCKED);
        match (old.contains(VmFlags::LOCKED), locks) {
            (false, true) => self.mm.locked_vm += pages,
            (true, false) => self.mm.locked_vm = self.mm.locked_vm.saturating_sub(pages),
            _ => {}
        }
        if !(old.contains(VmFlags::LOCKED) && locks) {
            self.within("mlock_vma_pages_range", |cx| {
                cx.count_page_walk_lookups(part)
            });
            let vma = *self.mm.tree.get(id);
            if locks {
                self.paging().mlock(&vma, part);
            } else {
                self.paging().munlock(&vma, part);
            }
        }
        self.changed(ChangeKind::Flagged, part.start, part.end);
        Ok(id)
    }

    pub(super) fn mlockall(&mut self, flags: u64) -> Result<u64, Errno> {
        let known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
        if flags == 0 || flags & !known != 0 || flags == MCL_ONFAULT {
            return Err(Errno::EINVAL);
        }
        if !self.can_do_mlock() {
            return Err(Errno::EPERM);
        }
        let limit = self.limits.rlimit_memlock >> self.page.shift();
        if flags & MCL_CURRENT != 0 && self.mm.total_vm > limit && !self.limits.privileged {
            return Err(Errno::ENOMEM);
        }
        let mut lock = VmFlags::LOCKED;
        lock.set(VmFlags::LOCKONFAULT, flags & MCL_ONFAULT != 0);
        self.mm.def_flags.remove(LOCKED_MASK);
        if flags & MCL_FUTURE != 0 {
            self.mm.def_flags |= lock;
        }
        if flags & MCL_CURRENT != 0 {
            self.within("apply_mlockall_flags", |cx| cx.lock_every_mapping(lock));
            let end = self.limits.task_size;
            self.mm_populate(0, end, true);
        }
        Ok(0)
    }

    pub(super) fn munlockall(&mut self) -> Result<u64, Errno> {
        self.mm.def_flags.remove(LOCKED_MASK);
        self.within("apply_mlockall_flags", |cx| {
            cx.lock_every_mapping(VmFlags::empty());
        });
        Ok(0)
    }

    /// `apply_mlockall_flags`: errors of single VMAs are passed over.
    fn lock_every_mapping(&mut self, lock: VmFlags) {
        let mut cursor = Cursor::Start(0);
        let mut prev = None;
        while let Some(id) = self.vma_find(&mut cursor, u64::MAX) {
            let vma = *self.mm.tree.get(id);
            let flags = vma.flags.difference(LOCKED_MASK) | lock;
            let fixed = self.within("mlock_fixup", |cx| {
                cx.mlock_fixup(&mut cursor, prev, id, vma.range(), flags)
            });
            prev = fixed.ok().or(Some(id));
        }
    }

    /// `mm_populate`: brings a range in, VMA by VMA, holes skipped. `silent` goes on past what
    /// cannot be brought in.
    pub(super) fn mm_populate(&mut self, start: u64, len: u64, silent: bool) -> Fault {
        let end = start.saturating_add(len);
        self.within("__mm_populate", |cx| {
            let mut at = start;
            while at < end {
                let Some(id) = cx.find_vma_intersection(at, end) else {
                    break;
                };
                let vma = *cx.mm.tree.get(id);
                let part = AddrRange::new(at.max(vma.start), vma.end.min(end));
                if part.is_empty() {
                    break;
                }
                let skipped = VmFlags::IO | VmFlags::PFNMAP | VmFlags::LOCKONFAULT;
                if !vma.flags.intersects(skipped) {
                    let fault = cx.populate_vma(id, part);
                    if fault != Fault::Done && !silent {
                        return fault;
                    }
                }
                at = part.end;
            }
            Fault::Done
        })
    }

    /// `populate_vma_page_range`: private writable memory is written, other memory read.
    pub(super) fn populate_vma(&mut self, id: VmaId, part: AddrRange) -> Fault {
        self.within("populate_vma_page_range", |cx| {
            let flags = cx.mm.tree.get(id).flags;
            if flags.contains(VmFlags::LOCKONFAULT) {
                return Fault::Done;
            }
            // Any access will do, but PROT_NONE allows none.
            if !flags.intersects(VmFlags::ACCESS) {
                return Fault::Guard;
            }
            let write = flags & (VmFlags::WRITE | VmFlags::SHARED) == VmFlags::WRITE;
            cx.within("__get_user_pages", |cx| {
                cx.within("gup_vma_lookup", |cx| cx.find_vma(part.start));
                cx.fault_in(id, part, write)
            })
        })
    }

    /// Faults in every page of `part` that does not allow the access yet.
    pub(super) fn fault_in(&mut self, id: VmaId, part: AddrRange, write: bool) -> Fault {
        let access = if write { Access::Store } else { Access::Load };
        let mut at = part.start;
        while at < part.end {
            if self.paging().would_fault(at, access) {
                let fault = self.within("faultin_page", |cx| {
                    cx.fault_with_anon_vma(id, at, access, Faulter::Kernel)
                });
                if fault != Fault::Done {
                    return fault;
                }
            }
            at += self.page.bytes();
        }
        Fault::Done
    }
}
