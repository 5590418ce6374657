//! brk(2).

use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::{MapFlags, VmFlags};
use crate::machine::ChangeKind;
use crate::meter::Counter;
use crate::mm::enough_memory;
use crate::vma::area::{SpecialName, Vma};
use crate::vma::iter::Cursor;
use crate::vma::merge::Proposal;
use crate::vma::place::{PlacedKind, Placement, STACK_GUARD_PAGES};

impl Cx<'_> {
    /// Returns the break in force afterwards: the old one where the new could not be set.
    pub(super) fn brk(&mut self, addr: u64) -> u64 {
        let old = self.mm.brk;
        if addr < self.mm.start_brk {
            return old;
        }
        let data = addr - self.mm.start_brk;
        if data > self.limits.rlimit_data {
            return old;
        }
        let old_end = self.page.align_up_wrapping(old);
        let new_end = self.page.align_up_wrapping(addr);
        if old_end == new_end {
            self.mm.brk = addr;
            return addr;
        }
        let moved = if addr <= old {
            self.shrink_heap(addr, new_end, old_end)
        } else {
            self.grow_heap(addr, old_end, new_end)
        };
        if moved.is_ok() { addr } else { old }
    }

    fn shrink_heap(&mut self, addr: u64, new_end: u64, old_end: u64) -> Result<(), Errno> {
        let mut cursor = Cursor::Start(new_end);
        let first = self
            .vma_find(&mut cursor, old_end)
            .filter(|&id| self.mm.tree.get(id).start < old_end)
            .ok_or(Errno::EINVAL)?;
        if self.kernel.checks_out_of_loop()
            && !self.within("do_vma_munmap", |cx| cx.can_modify_mm(new_end, old_end))
        {
            return Err(Errno::EPERM);
        }
        // The break moves first, so that what is `[heap]` is known while VMAs go.
        let old = self.mm.brk;
        self.mm.brk = addr;
        let unmapped = self.unmap_from(&mut cursor, first, new_end, old_end);
        if unmapped.is_err() {
            self.mm.brk = old;
        }
        unmapped
    }

    fn grow_heap(&mut self, addr: u64, old_end: u64, new_end: u64) -> Result<(), Errno> {
        // A break in the last page wraps to 0; the length is then far beyond user space.
        let len = new_end.wrapping_sub(old_end);
        self.get_unmapped_area(Placement {
            addr: old_end,
            len,
            flags: MapFlags::FIXED,
            kind: PlacedKind::PrivateAnon,
            offset: 0,
        })?;
        if !self
            .mm
            .may_lock_more(self.limits, self.page, self.mm.def_flags, len)
        {
            return Err(Errno::EAGAIN);
        }
        let mut cursor = Cursor::Start(old_end);
        let page = self.page.bytes();
        let guarded = new_end
            .saturating_add(page)
            .saturating_add(STACK_GUARD_PAGES << self.page.shift());
        if let Some(next) = self.vma_find(&mut cursor, guarded)
            && new_end.saturating_add(page) > self.start_gap(next)
        {
            return Err(Errno::ENOMEM);
        }
        let start_brk = self.mm.start_brk;
        let below = self.vma_prev_limit(&mut cursor, start_brk);
        self.within("do_brk_flags", |cx| {
            cx.do_brk(&mut cursor, below, AddrRange::new(old_end, new_end))
        })?;
        self.mm.brk = addr;
        if self.mm.def_flags.contains(VmFlags::LOCKED) {
            self.mm_populate(old_end, len, true);
        }
        Ok(())
    }

    /// `do_brk_flags`: grows the mapping that ends at the old break, or makes a new one.
    fn do_brk(
        &mut self,
        cursor: &mut Cursor,
        below: Option<crate::vma::tree::VmaId>,
        range: AddrRange,
    ) -> Result<(), Errno> {
        let flags = VmFlags::READ
            | VmFlags::WRITE
            | VmFlags::MAYREAD
            | VmFlags::MAYWRITE
            | VmFlags::MAYEXEC
            | VmFlags::ACCOUNT
            | self.mm.def_flags;
        let pages = self.pages_of(range.len());
        if !self.mm.may_expand(self.limits, self.page, flags, pages)
            || self.mm.map_count() > self.limits.max_map_count
        {
            return Err(Errno::ENOMEM);
        }
        enough_memory(self.limits, range.len())?;
        let proposal = Proposal {
            start: range.start,
            end: range.end,
            flags,
            pgoff: range.start >> self.page.shift(),
            file: None,
            anon_vma: None,
        };
        if self
            .merge_new(cursor, below, None, &proposal, true)
            .is_none()
        {
            if below.is_some() {
                self.iter_next_range(cursor);
            }
            self.count_store(*cursor);
            self.meter.count(Counter::VmaAlloc);
            self.mm.tree.insert(Vma {
                start: range.start,
                end: range.end,
                flags,
                pgoff: proposal.pgoff,
                file: None,
                anon_vma: None,
                special: SpecialName::None,
            });
        }
        self.mm.account(flags, pages.cast_signed());
        if flags.contains(VmFlags::LOCKED) {
            self.mm.locked_vm += pages;
        }
        self.changed(ChangeKind::Mapped, range.start, range.end);
        Ok(())
    }
}
