//! Unmapping a range: `do_vmi_munmap`, as munmap, MAP_FIXED, brk and mremap use it.
//!
//! Up to 6.11 the VMAs of the range are taken out one by one; from 6.12 on they are gathered
//! first, and nothing is unmapped before all of them are known to go. Either way the first VMA is
//! split at the start of the range before anything behind it is looked at.

use super::area::Vma;
use super::iter::Cursor;
use super::split::NewPiece;
use super::tree::VmaId;
use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::VmFlags;
use crate::machine::ChangeKind;
use crate::meter::Counter;

/// The VMAs of a range that is about to go, and the mappings around it.
#[derive(Clone, Copy, Debug)]
pub struct Gathered {
    pub range: AddrRange,
    /// First VMA of the range; the range begins and ends with one of its VMAs' bounds or outside.
    pub first: VmaId,
    pub prev: Option<VmaId>,
    pub next: Option<VmaId>,
    /// Pages in it.
    pub pages: u64,
    /// Pages of it that were charged.
    pub accounted_pages: u64,
}

impl Cx<'_> {
    /// `can_modify_mm`: a walk over the whole range, holes skipped; false at the first sealed VMA.
    pub fn can_modify_mm(&mut self, start: u64, end: u64) -> bool {
        self.within("can_modify_mm", |cx| {
            let mut cursor = Cursor::Start(start);
            while let Some(id) = cx.vma_find(&mut cursor, end) {
                let vma = *cx.mm.tree.get(id);
                if cx.sees_seal(&vma) {
                    return false;
                }
            }
            true
        })
    }

    /// `do_munmap` and `do_vmi_munmap`: checks the arguments and unmaps what lies in the range.
    /// The cursor ends in the gap that is left.
    ///
    /// # Errors
    /// `EINVAL` for arguments, `EPERM` for a seal, `ENOMEM` at `max_map_count`.
    pub fn do_vmi_munmap(
        &mut self,
        cursor: &mut Cursor,
        start: u64,
        len: u64,
    ) -> Result<(), Errno> {
        let task_size = self.limits.task_size;
        if !self.page.is_aligned(start) || start > task_size || len > task_size - start {
            return Err(Errno::EINVAL);
        }
        let len = self.page.align_up_wrapping(len);
        if len == 0 {
            return Err(Errno::EINVAL);
        }
        let end = start + len;
        self.within("do_vmi_munmap", |cx| {
            if cx.kernel.checks_out_of_loop() && !cx.can_modify_mm(start, end) {
                return Err(Errno::EPERM);
            }
            match cx.vma_find(cursor, end) {
                None => Ok(()),
                Some(first) => cx.unmap_from(cursor, first, start, end),
            }
        })
    }

    /// `do_vma_munmap`: unmaps `start..end`, whose first VMA is `first` and on which the cursor
    /// stands.
    ///
    /// # Errors
    /// As [`Self::do_vmi_munmap`], without the arguments.
    pub fn unmap_from(
        &mut self,
        cursor: &mut Cursor,
        first: VmaId,
        start: u64,
        end: u64,
    ) -> Result<(), Errno> {
        if self.kernel.gathers {
            let gathered = self.gather(cursor, first, start, end)?;
            self.count_store(*cursor);
            self.complete_unmap(cursor, &gathered);
        } else {
            self.align_munmap(cursor, first, start, end)?;
        }
        Ok(())
    }

    /// `vms_gather_munmap_vmas` (6.12): splits at both ends and tests every VMA's seal. The cursor
    /// ends on the first VMA of the range.
    ///
    /// # Errors
    /// `EPERM` at the first sealed VMA, `ENOMEM` at `max_map_count`; the splits made stay.
    pub fn gather(
        &mut self,
        cursor: &mut Cursor,
        first: VmaId,
        start: u64,
        end: u64,
    ) -> Result<Gathered, Errno> {
        self.within("vms_gather_munmap_vmas", |cx| {
            let vma = *cx.mm.tree.get(first);
            if start > vma.start {
                if end < vma.end && !cx.below_map_limit() {
                    return Err(Errno::ENOMEM);
                }
                // No use in splitting what cannot be unmapped anyway.
                if cx.refused_in_loop(&vma) {
                    return Err(Errno::EPERM);
                }
                cx.split_unchecked(cursor, first, start, NewPiece::Below)?;
            }
            let prev = cx.vma_prev(cursor);
            let mut gathered = Gathered {
                range: AddrRange::new(start, end),
                first,
                prev,
                next: None,
                pages: 0,
                accounted_pages: 0,
            };
            while let Some(id) = cx.vma_find(cursor, end) {
                let vma = *cx.mm.tree.get(id);
                if cx.refused_in_loop(&vma) {
                    return Err(Errno::EPERM);
                }
                if vma.end > end {
                    cx.split_unchecked(cursor, id, end, NewPiece::Above)?;
                }
                let pages = cx.pages_of(cx.mm.tree.get(id).len());
                gathered.pages += pages;
                if vma.flags.contains(VmFlags::ACCOUNT) {
                    gathered.accounted_pages += pages;
                }
            }
            gathered.next = cx.vma_next(cursor);
            while cx.iter_addr(*cursor) > start {
                cx.iter_prev_range(cursor);
            }
            Ok(gathered)
        })
    }

    /// Up to 6.11 (`do_vmi_align_munmap`).
    fn align_munmap(
        &mut self,
        cursor: &mut Cursor,
        first: VmaId,
        start: u64,
        end: u64,
    ) -> Result<(), Errno> {
        self.within("do_vmi_align_munmap", |cx| {
            let vma = *cx.mm.tree.get(first);
            if start > vma.start {
                if end < vma.end && !cx.below_map_limit() {
                    return Err(Errno::ENOMEM);
                }
                cx.split_unchecked(cursor, first, start, NewPiece::Below)?;
            }
            let mut current = Some(first);
            while let Some(id) = current {
                if cx.mm.tree.get(id).end > end {
                    cx.split_unchecked(cursor, id, end, NewPiece::Above)?;
                }
                current = cx.vma_find(cursor, end);
            }
            while cx.iter_addr(*cursor) > start {
                cx.iter_prev_range(cursor);
            }
            cx.count_store(*cursor);
            let gathered = Gathered {
                range: AddrRange::new(start, end),
                first,
                prev: None,
                next: None,
                pages: 0,
                accounted_pages: 0,
            };
            cx.complete_unmap(cursor, &gathered);
            cx.iter_prev_range(cursor);
            if cx.vma_next(cursor).is_some() {
                cx.iter_prev_range(cursor);
            }
            Ok(())
        })
    }

    /// Takes the gathered VMAs out, their pages with them. The cursor ends in the gap.
    pub fn complete_unmap(&mut self, cursor: &mut Cursor, gathered: &Gathered) {
        let AddrRange { start, end } = gathered.range;
        let below = self.mm.tree.prev(gathered.first);
        let floor = below.map_or(0, |id| self.mm.tree.get(id).end);
        let mut current = Some(gathered.first);
        while let Some(id) = current {
            if self.mm.tree.get(id).start >= end {
                break;
            }
            current = self.mm.tree.next(id);
            let vma = self.mm.tree.remove(id);
            self.forget(&vma);
        }
        let ceiling = current.map_or(0, |id| self.mm.tree.get(id).start);
        let mut paging = self.paging();
        paging.free_tables(AddrRange::new(start, end), floor, ceiling);
        paging.end_gather();
        *cursor = Cursor::Gap {
            below,
            above: current,
        };
    }

    /// Drops the pages and the accounts of a VMA that is no longer in the tree.
    fn forget(&mut self, vma: &Vma) {
        self.meter.count(Counter::VmaFree);
        self.paging().unmap(vma, vma.range());
        let pages = self.pages_of(vma.len());
        self.mm.account(vma.flags, -pages.cast_signed());
        if vma.flags.contains(VmFlags::LOCKED) {
            self.mm.locked_vm = self.mm.locked_vm.saturating_sub(pages);
        }
        self.changed(ChangeKind::Unmapped, vma.start, vma.end);
    }
}
