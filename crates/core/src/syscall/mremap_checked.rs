//! mremap(2) as rewritten (6.17 on): every check that needs no lookup first, then the source, and
//! only then is the destination unmapped. A move of equal lengths takes all the VMAs of its range
//! along, gaps between them kept.

use super::mremap::Request;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::MremapFlags;
use crate::vma::iter::Cursor;
use crate::vma::tree::VmaId;

impl Cx<'_> {
    /// `do_mremap`.
    pub(super) fn mremap_checked(&mut self, want: Request) -> Result<u64, Errno> {
        self.check_mremap_params(&want)?;
        if want.fixed() && want.old_len == want.new_len {
            return self.within("remap_move", |cx| cx.remap_move(want));
        }
        let source = self.vma_lookup(want.addr);
        let source = self.check_prep_vma(source, &want)?;
        if want.names_new_addr() {
            return self.within("mremap_to", |cx| cx.mremap_to_checked(source, want));
        }
        self.within("mremap_at", |cx| cx.mremap_at(source, want))
    }

    /// `check_mremap_params`: what can be said without looking anything up.
    fn check_mremap_params(&self, want: &Request) -> Result<(), Errno> {
        let task_size = self.limits.task_size;
        let known = MremapFlags::MAYMOVE | MremapFlags::FIXED | MremapFlags::DONTUNMAP;
        if !known.contains(want.flags)
            || !self.page.is_aligned(want.addr)
            || want.new_len == 0
            || want.new_len > task_size
        {
            return Err(Errno::EINVAL);
        }
        if !want.names_new_addr() {
            return Ok(());
        }
        if want.new_addr > task_size - want.new_len
            || !self.page.is_aligned(want.new_addr)
            || !want.flags.contains(MremapFlags::MAYMOVE)
            || want.keeps_source() && want.old_len != want.new_len
            || want.overlaps()
        {
            return Err(Errno::EINVAL);
        }
        if !self.has_headroom_for_move(2) {
            return Err(Errno::ENOMEM);
        }
        Ok(())
    }

    /// `check_prep_vma`: whether the VMA found can be what the request says.
    fn check_prep_vma(&mut self, source: Option<VmaId>, want: &Request) -> Result<VmaId, Errno> {
        let source = source.ok_or(Errno::EFAULT)?;
        let vma = *self.mm.tree.get(source);
        if self.refused_in_loop(&vma) {
            return Err(Errno::EPERM);
        }
        // In place, keeping or shrinking needs nothing more.
        if !want.names_new_addr() && want.old_len >= want.new_len {
            return Ok(source);
        }
        // What a shrinking move cuts off may lie anywhere.
        let kept = want.old_len.min(want.new_len);
        let old_len = if want.old_len > want.new_len {
            kept
        } else {
            want.old_len
        };
        self.check_resize(&vma, want, old_len)?;
        Ok(source)
    }

    /// `mremap_at`: no new address was asked for.
    fn mremap_at(&mut self, source: VmaId, want: Request) -> Result<u64, Errno> {
        if want.old_len == want.new_len {
            return Ok(want.addr);
        }
        if want.old_len > want.new_len {
            self.within("shrink_vma", |cx| cx.unmap_tail(&want))?;
            return Ok(want.addr);
        }
        self.within("expand_vma", |cx| {
            if let Some(result) = cx.expand_in_place(source, &want) {
                return result;
            }
            if !want.flags.contains(MremapFlags::MAYMOVE) {
                return Err(Errno::ENOMEM);
            }
            let to = cx.within("vrm_set_new_addr", |cx| {
                cx.new_area(source, &want, 0, false)
            })?;
            cx.move_vma(
                source,
                &Request {
                    new_addr: to,
                    ..want
                },
            )
        })
    }

    /// `mremap_to`: the source has been checked; now the destination goes.
    fn mremap_to_checked(&mut self, mut source: VmaId, mut want: Request) -> Result<u64, Errno> {
        if want.fixed() {
            self.unmap_destination(&want)?;
            // That may have taken part of the source's VMA, or all of it.
            source = self.vma_lookup(want.addr).ok_or(Errno::EFAULT)?;
        }
        if want.old_len > want.new_len {
            source = self.within("shrink_vma", |cx| {
                cx.unmap_tail(&want)?;
                cx.vma_lookup(want.addr).ok_or(Errno::EFAULT)
            })?;
            want.old_len = want.new_len;
        }
        let flags = self.mm.tree.get(source).flags;
        if want.keeps_source() && !self.may_keep_source(flags, want.new_len) {
            return Err(Errno::ENOMEM);
        }
        let to = self.within("vrm_set_new_addr", |cx| {
            cx.new_area(source, &want, want.new_addr, want.fixed())
        })?;
        self.move_vma(
            source,
            &Request {
                new_addr: to,
                ..want
            },
        )
    }

    /// `remap_move`: VMA after VMA. Those before one that cannot move stay moved.
    fn remap_move(&mut self, want: Request) -> Result<u64, Errno> {
        let start = want.addr;
        let end = want.addr.wrapping_add(want.old_len);
        let mut cursor = Cursor::Start(start);
        let mut target = want.new_addr;
        let mut result = Err(Errno::EFAULT);
        let mut last_end = None;
        loop {
            let Some(id) = self.vma_find(&mut cursor, end) else {
                return result;
            };
            let vma = *self.mm.tree.get(id);
            if last_end.is_none() && start < vma.start {
                return Err(Errno::EFAULT);
            }
            let addr = vma.start.max(start);
            let len = end.min(vma.end) - addr;
            let gap = last_end.map_or(0, |last| vma.start - last);
            last_end = Some(vma.end);
            let part = Request {
                addr,
                old_len: len,
                new_len: len,
                new_addr: target + gap,
                delta: 0,
                ..want
            };
            let source = self.check_prep_vma(Some(id), &part)?;
            let moved = self.within("mremap_to", |cx| cx.mremap_to_checked(source, part))?;
            if result.is_err() {
                result = Ok(moved);
            }
            target = moved + len;
            // The iterator was invalidated: it walks again from where this VMA ended.
            if vma.end >= end {
                return result;
            }
            cursor = Cursor::Start(vma.end);
        }
    }
}
