//! mremap(2): what every kernel shares, and the order of checks up to 6.14.
//!
//! 6.11, the never-merged refactor ("source first") and 6.12 differ in where the source's seal is
//! looked at and in whether the destination goes before or after the source is checked. The
//! rewritten call of 6.17 is in [`super::mremap_checked`].

use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::{MapFlags, MremapFlags, VmFlags};
use crate::kernel::MremapDesign;
use crate::machine::ChangeKind;
use crate::meter::Counter;
use crate::mm::enough_memory;
use crate::vma::area::Vma;
use crate::vma::iter::Cursor;
use crate::vma::merge::Proposal;
use crate::vma::place::{PlacedKind, Placement};
use crate::vma::tree::VmaId;

/// Mappings that cannot grow.
pub(super) const NO_EXPAND: VmFlags = VmFlags::DONTEXPAND.union(VmFlags::PFNMAP);
const LOCKED_MASK: VmFlags = VmFlags::LOCKED.union(VmFlags::LOCKONFAULT);

/// A request with its lengths rounded to pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub addr: u64,
    pub old_len: u64,
    pub new_len: u64,
    pub flags: MremapFlags,
    pub new_addr: u64,
    /// By how much the lengths asked for differ, either way.
    pub delta: u64,
}

impl Request {
    pub(super) fn fixed(&self) -> bool {
        self.flags.contains(MremapFlags::FIXED)
    }

    pub(super) fn keeps_source(&self) -> bool {
        self.flags.contains(MremapFlags::DONTUNMAP)
    }

    /// Whether the caller says where to move to.
    pub(super) fn names_new_addr(&self) -> bool {
        self.fixed() || self.keeps_source()
    }

    /// Whether source and destination share a byte; in the kernel's own wrapping arithmetic.
    pub(super) fn overlaps(&self) -> bool {
        self.addr.wrapping_add(self.old_len) > self.new_addr
            && self.new_addr.wrapping_add(self.new_len) > self.addr
    }
}

impl Cx<'_> {
    pub(super) fn mremap(
        &mut self,
        addr: u64,
        old_len: u64,
        new_len: u64,
        flags: u64,
        new_addr: u64,
    ) -> Result<u64, Errno> {
        let want = Request {
            addr,
            old_len: self.page.align_up_wrapping(old_len),
            new_len: self.page.align_up_wrapping(new_len),
            flags: MremapFlags::from_bits_retain(flags),
            new_addr,
            delta: self
                .page
                .align_up_wrapping(old_len)
                .abs_diff(self.page.align_up_wrapping(new_len)),
        };
        if self.kernel.mremap == MremapDesign::CheckedUpFront {
            return self.mremap_checked(want);
        }
        let known = MremapFlags::MAYMOVE | MremapFlags::FIXED | MremapFlags::DONTUNMAP;
        if !known.contains(want.flags)
            || want.names_new_addr() && !want.flags.contains(MremapFlags::MAYMOVE)
            || want.keeps_source() && old_len != new_len
            || !self.page.is_aligned(addr)
            || want.new_len == 0
        {
            return Err(Errno::EINVAL);
        }
        let source = self.vma_lookup(addr).ok_or(Errno::EFAULT)?;
        let vma = *self.mm.tree.get(source);
        if self.refused_in_loop(&vma) {
            return Err(Errno::EPERM);
        }
        if want.names_new_addr() {
            return self.within("mremap_to", |cx| cx.mremap_to_classic(want));
        }
        self.check_source_out_of_loop(&want)?;
        if want.old_len >= want.new_len {
            if want.old_len > want.new_len {
                self.unmap_tail(&want)?;
            }
            return Ok(addr);
        }
        let source = self.vma_to_resize(&want)?;
        self.check_source_after_resize(source)?;
        if let Some(result) = self.expand_in_place(source, &want) {
            return result;
        }
        if !want.flags.contains(MremapFlags::MAYMOVE) {
            return Err(Errno::ENOMEM);
        }
        let to = self.new_area(source, &want, 0, false)?;
        self.move_vma(
            source,
            &Request {
                new_addr: to,
                ..want
            },
        )
    }

    /// Out-of-loop: the whole source range is walked before anything is done.
    fn check_source_out_of_loop(&mut self, want: &Request) -> Result<(), Errno> {
        let walks = self.kernel.checks_out_of_loop()
            && self.kernel.mremap == MremapDesign::DestinationFirst;
        if walks && !self.can_modify_mm(want.addr, want.addr.wrapping_add(want.old_len)) {
            return Err(Errno::EPERM);
        }
        Ok(())
    }

    /// Source first: one test of the one source VMA, once its size is known to be right.
    fn check_source_after_resize(&mut self, source: VmaId) -> Result<(), Errno> {
        let vma = *self.mm.tree.get(source);
        if self.kernel.mremap == MremapDesign::SourceFirst && self.sees_seal(&vma) {
            return Err(Errno::EPERM);
        }
        Ok(())
    }

    /// Shrinking in place unmaps the rest, whatever lies there.
    pub(super) fn unmap_tail(&mut self, want: &Request) -> Result<(), Errno> {
        let tail = want.addr.wrapping_add(want.new_len);
        let mut cursor = Cursor::Start(tail);
        self.do_vmi_munmap(&mut cursor, tail, want.old_len - want.new_len)
    }

    /// `mremap_to` up to 6.14: move to where the caller says.
    fn mremap_to_classic(&mut self, mut want: Request) -> Result<u64, Errno> {
        let task_size = self.limits.task_size;
        if !self.page.is_aligned(want.new_addr)
            || want.new_len > task_size
            || want.new_addr > task_size - want.new_len
            || want.overlaps()
        {
            return Err(Errno::EINVAL);
        }
        if !self.has_headroom_for_move(2) {
            return Err(Errno::ENOMEM);
        }
        self.check_source_out_of_loop(&want)?;
        let source = if self.kernel.mremap == MremapDesign::SourceFirst {
            self.source_then_destination(&mut want)?
        } else {
            self.destination_then_source(&mut want)?
        };
        let flags = self.mm.tree.get(source).flags;
        if want.keeps_source() && !self.may_keep_source(flags, want.new_len) {
            return Err(Errno::ENOMEM);
        }
        let to = self.new_area(source, &want, want.new_addr, want.fixed())?;
        self.move_vma(
            source,
            &Request {
                new_addr: to,
                ..want
            },
        )
    }

    /// As released: the destination is gone before the source is known to be good.
    fn destination_then_source(&mut self, want: &mut Request) -> Result<VmaId, Errno> {
        if want.fixed() {
            self.unmap_destination(want)?;
        }
        self.shrink_source(want)?;
        self.vma_to_resize(want)
    }

    /// The refactor of 2024-08-14.
    fn source_then_destination(&mut self, want: &mut Request) -> Result<VmaId, Errno> {
        self.shrink_source(want)?;
        let source = self.vma_to_resize(want)?;
        self.check_source_after_resize(source)?;
        if !want.fixed() {
            return Ok(source);
        }
        let vma = *self.mm.tree.get(source);
        let destination = AddrRange::new(want.new_addr, want.new_addr + want.new_len);
        if vma.range().overlaps(destination) {
            self.meter.trace.remarks.push(
                "the patch as posted keeps a pointer to the source's VMA over this unmapping, \
                 which changes that VMA: undefined there; simulated as meant",
            );
        }
        self.unmap_destination(want)?;
        match self.cursor_at(want.addr) {
            Cursor::On(source) => Ok(source),
            _ => Err(Errno::EFAULT),
        }
    }

    fn shrink_source(&mut self, want: &mut Request) -> Result<(), Errno> {
        if want.old_len > want.new_len {
            self.within("do_munmap", |cx| cx.unmap_tail(want))?;
            want.old_len = want.new_len;
        }
        Ok(())
    }

    pub(super) fn unmap_destination(&mut self, want: &Request) -> Result<(), Errno> {
        let mut cursor = Cursor::Start(want.new_addr);
        self.within("do_munmap", |cx| {
            cx.do_vmi_munmap(&mut cursor, want.new_addr, want.new_len)
        })
    }

    /// Whether `more` VMAs leave room for the splits of a move.
    pub(super) fn has_headroom_for_move(&self, more: u64) -> bool {
        self.mm.map_count() + more < self.limits.max_map_count.saturating_sub(3)
    }

    pub(super) fn may_keep_source(&self, flags: VmFlags, len: u64) -> bool {
        self.mm
            .may_expand(self.limits, self.page, flags, self.pages_of(len))
    }

    /// `vma_to_resize`: the source VMA, if it can become `new_len` long.
    fn vma_to_resize(&mut self, want: &Request) -> Result<VmaId, Errno> {
        let source = self
            .within("vma_to_resize", |cx| cx.vma_lookup(want.addr))
            .ok_or(Errno::EFAULT)?;
        let vma = *self.mm.tree.get(source);
        self.check_resize(&vma, want, want.old_len)?;
        Ok(source)
    }

    /// Whether `vma` holds `old_len` bytes from the request's address on and can have `new_len`.
    pub(super) fn check_resize(
        &self,
        vma: &Vma,
        want: &Request,
        old_len: u64,
    ) -> Result<(), Errno> {
        // Length 0 duplicates a shared mapping; of a private one it would be unrelated memory.
        if want.old_len == 0 && !vma.flags.intersects(VmFlags::SHARED | VmFlags::MAYSHARE) {
            return Err(Errno::EINVAL);
        }
        if want.keeps_source() && vma.flags.intersects(NO_EXPAND) {
            return Err(Errno::EINVAL);
        }
        if old_len > vma.end - want.addr {
            return Err(Errno::EFAULT);
        }
        if want.new_len == old_len {
            return Ok(());
        }
        vma.pgoff_at(want.addr, self.page)
            .checked_add(self.pages_of(want.new_len))
            .ok_or(Errno::EINVAL)?;
        if vma.flags.intersects(NO_EXPAND) {
            return Err(Errno::EFAULT);
        }
        let more = want.new_len - old_len;
        if !self
            .mm
            .may_lock_more(self.limits, self.page, vma.flags, more)
        {
            return Err(Errno::EAGAIN);
        }
        if !self
            .mm
            .may_expand(self.limits, self.page, vma.flags, self.pages_of(more))
        {
            return Err(Errno::ENOMEM);
        }
        Ok(())
    }

    /// Grows the source where it is, if it ends with the old length and what follows is free.
    pub(super) fn expand_in_place(
        &mut self,
        source: VmaId,
        want: &Request,
    ) -> Option<Result<u64, Errno>> {
        let vma = *self.mm.tree.get(source);
        if want.old_len != vma.end - want.addr {
            return None;
        }
        let delta = want.new_len - want.old_len;
        let end = vma.end.checked_add(delta)?;
        let expandable = self.within("vrm_can_expand_in_place", |cx| {
            cx.within("vma_expandable", |cx| cx.is_expandable(&vma, end))
        });
        if !expandable {
            return None;
        }
        if vma.flags.contains(VmFlags::ACCOUNT) && enough_memory(self.limits, delta).is_err() {
            return Some(Err(Errno::ENOMEM));
        }
        let extended = self.within("expand_vma_in_place", |cx| cx.merge_extend(source, end));
        if extended.is_none() {
            return Some(Err(Errno::ENOMEM));
        }
        let pages = self.pages_of(delta);
        self.mm.account(vma.flags, pages.cast_signed());
        self.changed(ChangeKind::Mapped, vma.end, end);
        if vma.flags.contains(VmFlags::LOCKED) {
            self.mm.locked_vm += pages;
            self.mm_populate(vma.end, delta, true);
        }
        Some(Ok(want.addr))
    }

    fn is_expandable(&mut self, vma: &Vma, end: u64) -> bool {
        self.find_vma_intersection(vma.end, end).is_none()
            && self
                .get_unmapped_area(Placement {
                    addr: vma.start,
                    len: end - vma.start,
                    flags: MapFlags::FIXED,
                    kind: PlacedKind::PrivateAnon,
                    offset: 0,
                })
                .is_ok()
    }

    /// Where the moved mapping goes: as mmap would place it.
    pub(super) fn new_area(
        &mut self,
        source: VmaId,
        want: &Request,
        addr: u64,
        fixed: bool,
    ) -> Result<u64, Errno> {
        let vma = *self.mm.tree.get(source);
        let mut flags = MapFlags::empty();
        flags.set(MapFlags::FIXED, fixed);
        let kind = match vma.file {
            Some(file) => self.placed_kind_of_file(file),
            None => PlacedKind::PrivateAnon,
        };
        let offset = match vma.file {
            Some(_) => vma.pgoff_at(want.addr, self.page) << self.page.shift(),
            None => 0,
        };
        let place = Placement {
            addr,
            len: want.new_len,
            flags,
            kind,
            offset,
        };
        self.within("get_unmapped_area", |cx| cx.get_unmapped_area(place))
    }

    /// `move_vma`: copies the mapping to its new place, moves the pages, and unmaps the source.
    pub(super) fn move_vma(&mut self, source: VmaId, want: &Request) -> Result<u64, Errno> {
        self.within("move_vma", |cx| cx.move_mapping(source, want))
    }

    fn move_mapping(&mut self, source: VmaId, want: &Request) -> Result<u64, Errno> {
        if !self.has_headroom_for_move(0) {
            return Err(Errno::ENOMEM);
        }
        let old = *self.mm.tree.get(source);
        let whole = old.start == want.addr && old.end == want.addr + want.old_len;
        if !whole && !old.may_split() {
            return Err(Errno::EINVAL);
        }
        let charge = if want.keeps_source() {
            want.new_len
        } else if self.kernel.mremap == MremapDesign::CheckedUpFront {
            // The rewritten call charges the difference even where it shrinks.
            want.delta
        } else {
            want.new_len - want.old_len
        };
        let accounted = old.flags.contains(VmFlags::ACCOUNT);
        if accounted {
            enough_memory(self.limits, charge)?;
        }
        let copy = self.within("copy_vma_and_data", |cx| {
            cx.within("copy_vma", |cx| cx.copy_vma(&old, want))
        });
        // The source may have merged into its own copy.
        let Cursor::On(source) = self.cursor_at(want.addr) else {
            return Err(Errno::EFAULT);
        };
        let new = *self.mm.tree.get(copy);
        let moved = self.pages_of(want.new_len);
        self.paging()
            .move_range(&old, &new, want.addr, want.new_addr, want.old_len);
        self.mm.account(old.flags, moved.cast_signed());
        self.changed(
            ChangeKind::Mapped,
            want.new_addr,
            want.new_addr + want.new_len,
        );

        if want.keeps_source() {
            self.leave_source(source, copy, want);
            return Ok(want.new_addr);
        }
        self.within("unmap_source_vma", |cx| {
            cx.unmap_source(source, want, accounted)
        });
        if old.flags.contains(VmFlags::LOCKED) {
            self.mm.locked_vm += moved;
            if want.new_len > want.old_len {
                self.mm_populate(
                    want.new_addr + want.old_len,
                    want.new_len - want.old_len,
                    true,
                );
            }
        }
        Ok(want.new_addr)
    }

    /// `copy_vma`: a VMA like `old` at the new place, merged with its neighbours there if it can.
    fn copy_vma(&mut self, old: &Vma, want: &Request) -> VmaId {
        let start = want.new_addr;
        let end = start + want.new_len;
        // Untouched anonymous memory takes its new place's page numbers, so that it merges there.
        let pgoff = if old.is_anonymous() && old.anon_vma.is_none() {
            start >> self.page.shift()
        } else {
            old.pgoff_at(want.addr, self.page)
        };
        let (_, prev) = self.find_vma_prev(start);
        let range = Proposal {
            start,
            end,
            flags: old.flags,
            pgoff,
            file: old.file,
            anon_vma: old.anon_vma,
        };
        if let Some(merged) = self.merge_moved(prev, &range) {
            return merged;
        }
        self.count_store(Cursor::Start(start));
        self.meter.count(Counter::VmaAlloc);
        self.mm.tree.insert(Vma {
            start,
            end,
            pgoff,
            ..*old
        })
    }

    /// MREMAP_DONTUNMAP: the source stays, empty, and unlocked as a whole.
    fn leave_source(&mut self, source: VmaId, copy: VmaId, want: &Request) {
        let vma = self.mm.tree.get_mut(source);
        vma.flags.remove(LOCKED_MASK);
        let whole = vma.start == want.addr && vma.end == want.addr + want.old_len;
        if source != copy && whole {
            vma.anon_vma = None;
        }
        self.changed(ChangeKind::Discarded, want.addr, want.addr + want.old_len);
    }

    /// Unmaps what was moved. Its charge moved along, so the source must not give it back; what
    /// is left of it on either side keeps its own.
    fn unmap_source(&mut self, source: VmaId, want: &Request, accounted: bool) {
        let vma = *self.mm.tree.get(source);
        let end = want.addr + want.old_len;
        if accounted {
            self.mm.tree.get_mut(source).flags.remove(VmFlags::ACCOUNT);
        }
        let mut cursor = Cursor::Start(want.addr);
        if want.old_len == 0
            || self
                .do_vmi_munmap(&mut cursor, want.addr, want.old_len)
                .is_err()
        {
            return;
        }
        if !accounted {
            return;
        }
        if vma.start < want.addr
            && let Some(below) = self.vma_prev(&mut cursor)
        {
            self.mm.tree.get_mut(below).flags |= VmFlags::ACCOUNT;
        }
        if vma.end > end
            && let Some(above) = self.vma_next(&mut cursor)
        {
            self.mm.tree.get_mut(above).flags |= VmFlags::ACCOUNT;
        }
    }
}
