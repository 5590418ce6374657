//! What may merge, and merging itself.
//!
//! Two adjacent ranges merge where every attribute is equal, their page offsets run on, and their
//! anon_vmas allow it. When a kernel looks for a neighbour, and how it finds it, differs: see
//! [`Cx::merge_existing`] and [`Cx::merge_new`].

use super::area::{AnonVma, SpecialName, Vma};
use super::iter::Cursor;
use super::tree::VmaId;
use crate::cx::Cx;
use crate::file::FileId;
use crate::flags::VmFlags;
use crate::machine::ChangeKind;
use crate::meter::Counter;

/// `VM_SPECIAL`: mappings with any of these never merge.
const SPECIAL: VmFlags = VmFlags::IO
    .union(VmFlags::DONTEXPAND)
    .union(VmFlags::PFNMAP)
    .union(VmFlags::MIXEDMAP);

/// A range that is to become (part of) a mapping with these attributes (`struct vma_merge_struct`).
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    pub start: u64,
    pub end: u64,
    pub flags: VmFlags,
    /// Page offset of `start`.
    pub pgoff: u64,
    pub file: Option<FileId>,
    /// The anon_vma its pages have, `None` for a new range.
    pub anon_vma: Option<AnonVma>,
}

impl Proposal {
    /// Part `start..end` of `vma`, with other flags.
    pub fn part(vma: &Vma, start: u64, end: u64, flags: VmFlags, cx: &Cx<'_>) -> Self {
        Self {
            start,
            end,
            flags,
            pgoff: vma.pgoff_at(start, cx.page),
            file: vma.file,
            anon_vma: vma.anon_vma,
        }
    }
}

impl Cx<'_> {
    /// Flags that merging ignores, and that the result has if either side had them.
    #[inline]
    pub fn sticky_flags(&self) -> VmFlags {
        if self.kernel.marks_guards {
            VmFlags::SOFTDIRTY | VmFlags::MAYBE_GUARD
        } else {
            VmFlags::SOFTDIRTY
        }
    }

    /// `is_mergeable_vma`.
    #[inline]
    fn attributes_match(&self, vma: &Vma, range: &Proposal) -> bool {
        (vma.flags ^ range.flags)
            .difference(self.sticky_flags())
            .is_empty()
            && vma.file == range.file
            && vma.special == SpecialName::None
    }

    /// `is_mergeable_anon_vma`: whether pages that belong to `source` may become `target`'s, a
    /// mapping that is there.
    #[inline]
    fn anon_vmas_match(&self, source: Option<AnonVma>, target: Option<AnonVma>) -> bool {
        match (source, target) {
            (None, None) => true,
            (None, Some(target)) => target.chain == 1,
            // Up to 6.15 an untouched mapping's empty chain is "not singular".
            (Some(source), None) => self.kernel.merges_faulted_into_unfaulted && source.chain == 1,
            (Some(source), Some(target)) => source.id == target.id,
        }
    }

    /// Whether two mappings' anon_vmas can both end up in one that merges with either.
    #[inline]
    fn sides_match(prev: Option<AnonVma>, next: Option<AnonVma>) -> bool {
        match (prev, next) {
            (Some(prev), Some(next)) => prev.id == next.id,
            _ => true,
        }
    }

    /// `can_vma_merge_after`: whether `range` may join `prev`, the mapping that ends at its start.
    #[inline]
    fn joins_prev(&self, prev: &Vma, range: &Proposal) -> bool {
        prev.end == range.start
            && self.attributes_match(prev, range)
            && self.anon_vmas_match(range.anon_vma, prev.anon_vma)
            && prev.pgoff_at(prev.end, self.page) == range.pgoff
    }

    /// `can_vma_merge_before`: whether `range` may join `next`, which starts at its end.
    #[inline]
    fn joins_next(&self, next: &Vma, range: &Proposal) -> bool {
        next.start == range.end
            && self.attributes_match(next, range)
            && self.anon_vmas_match(range.anon_vma, next.anon_vma)
            && next.pgoff
                == range
                    .pgoff
                    .wrapping_add(self.pages_of(range.end - range.start))
    }

    /// Tries to join the changed part `range` of the VMA `current` to its neighbours.
    ///
    /// `prev` is the mapping below `range`, or `current` itself where `range` starts inside it.
    /// Returns the VMA that then holds `range`.
    pub fn merge_existing(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        current: VmaId,
        range: &Proposal,
    ) -> Option<VmaId> {
        if self.kernel.gathers {
            self.within("vma_merge_existing_range", |cx| {
                cx.merge_existing_by_iterator(cursor, prev, current, range)
            })
        } else {
            self.within("vma_merge", |cx| {
                cx.merge_by_lookup(cursor, prev, range, None)
            })
        }
    }

    /// 6.12 on (`vma_merge_existing_range`): the iterator finds the next mapping, and only where
    /// the range reaches the VMA's end.
    fn merge_existing_by_iterator(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        current: VmaId,
        range: &Proposal,
    ) -> Option<VmaId> {
        let vma = *self.mm.tree.get(current);
        let left_side = range.start == vma.start;
        let right_side = range.end == vma.end;
        if range.flags.intersects(SPECIAL) || !(left_side || right_side) {
            return None;
        }
        let prev = prev.filter(|&id| left_side && self.joins_prev(self.mm.tree.get(id), range));
        let mut next = None;
        if right_side {
            next = self.iter_next_range(cursor);
            self.iter_prev_range(cursor);
            next = next.filter(|&id| self.joins_next(self.mm.tree.get(id), range));
            if let (Some(below), Some(above)) = (prev, next)
                && !Self::sides_match(
                    self.mm.tree.get(below).anon_vma,
                    self.mm.tree.get(above).anon_vma,
                )
            {
                next = None;
            }
        }
        if prev.is_some() {
            self.vma_prev(cursor);
        }
        self.absorb(cursor, prev, next, Some(current), range)
    }

    /// Up to 6.11 (`vma_merge`): every neighbour is found by a fresh lookup.
    ///
    /// `extended` is the mapping being grown by `range`, where that is the case: it may join
    /// whatever its anon_vma.
    fn merge_by_lookup(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        range: &Proposal,
        extended: Option<VmaId>,
    ) -> Option<VmaId> {
        if range.flags.intersects(SPECIAL) {
            return None;
        }
        let prev_end = prev.map_or(0, |id| self.mm.tree.get(id).end);
        let current = self.find_vma_intersection(prev_end, range.end);
        let next = match current {
            Some(id) if self.mm.tree.get(id).end != range.end => None,
            _ => self.vma_lookup(range.end),
        };
        let joined_prev =
            prev.filter(|&id| extended == Some(id) || self.joins_prev(self.mm.tree.get(id), range));
        if joined_prev.is_some() {
            self.vma_prev(cursor);
        }
        let mut joined_next = next.filter(|&id| self.joins_next(self.mm.tree.get(id), range));
        if let (Some(below), Some(above)) = (joined_prev, joined_next)
            && !Self::sides_match(
                self.mm.tree.get(below).anon_vma,
                self.mm.tree.get(above).anon_vma,
            )
        {
            joined_next = None;
        }
        // Where the range starts inside `prev` itself, that is the VMA that gives it away.
        let current = current.or_else(|| prev.filter(|_| range.start < prev_end));
        self.absorb(cursor, joined_prev, joined_next, current, range)
    }

    /// Gives `range` to `prev`, `next` or both; `current`, if there is one, loses it and vanishes
    /// where nothing is left of it.
    fn absorb(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        next: Option<VmaId>,
        current: Option<VmaId>,
        range: &Proposal,
    ) -> Option<VmaId> {
        let target = prev.or(next)?;
        self.count_store(*cursor);
        let source = current.and_then(|id| self.mm.tree.get(id).anon_vma);
        if let Some(id) = current {
            self.give_up(id, range);
        }
        let below = prev.map(|id| *self.mm.tree.get(id));
        let above = next.map(|id| *self.mm.tree.get(id));
        if let (Some(_), Some(id)) = (prev, next) {
            self.mm.tree.remove(id);
            self.merged_away();
        }
        if below.is_some() {
            self.changed(ChangeKind::Merged, range.start, range.start);
        }
        if above.is_some() {
            self.changed(ChangeKind::Merged, range.end, range.end);
        }

        let sides = || below.iter().chain(&above);
        let start = below.map_or(range.start, |vma| vma.start);
        let end = above.map_or(range.end, |vma| vma.end);
        let sticky =
            sides().fold(range.flags, |flags, vma| flags | vma.flags) & self.sticky_flags();
        self.mm.tree.set_bounds(target, start, end);
        let vma = self.mm.tree.get_mut(target);
        vma.pgoff = below.map_or(range.pgoff, |vma| vma.pgoff);
        vma.anon_vma = sides()
            .find_map(|vma| vma.anon_vma)
            .or(source)
            .or(range.anon_vma);
        vma.flags |= sticky;
        *cursor = Cursor::On(target);
        Some(target)
    }

    /// Takes `range` away from the VMA `id`, which vanishes where nothing is left of it.
    fn give_up(&mut self, id: VmaId, range: &Proposal) {
        let vma = *self.mm.tree.get(id);
        if range.start <= vma.start && range.end >= vma.end {
            self.mm.tree.remove(id);
            self.merged_away();
            return;
        }
        if range.start <= vma.start {
            let pgoff = vma.pgoff_at(range.end, self.page);
            self.mm.tree.set_bounds(id, range.end, vma.end);
            self.mm.tree.get_mut(id).pgoff = pgoff;
        } else {
            self.mm.tree.set_bounds(id, vma.start, range.start);
        }
        self.meter.count(Counter::VmaMerge);
    }

    fn merged_away(&mut self) {
        self.meter.count(Counter::VmaMerge);
        self.meter.count(Counter::VmaFree);
    }

    /// Tries to join the new range to `prev` and `next`, the mappings around the gap the cursor
    /// stands in. `only_left` is brk's rule.
    ///
    /// Returns the VMA that then holds the range; otherwise the cursor stands in the gap as it
    /// did.
    pub fn merge_new(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        next: Option<VmaId>,
        range: &Proposal,
        only_left: bool,
    ) -> Option<VmaId> {
        if range.flags.intersects(SPECIAL) {
            return None;
        }
        let prev = prev.filter(|&id| self.joins_prev(self.mm.tree.get(id), range));
        let mut next =
            next.filter(|&id| !only_left && self.joins_next(self.mm.tree.get(id), range));
        if let (Some(below), Some(above)) = (prev, next)
            && !Self::sides_match(
                self.mm.tree.get(below).anon_vma,
                self.mm.tree.get(above).anon_vma,
            )
        {
            next = None;
        }
        if prev.is_some() && !only_left {
            self.within("vma_merge_new_range", |cx| cx.vma_prev(cursor));
        }
        self.absorb(cursor, prev, next, None, range)
    }

    /// Up to 6.11 mmap has a merge of its own: it tests the next mapping first, and then the
    /// previous one against the next one's anon_vma.
    pub fn merge_mmap_next_first(
        &mut self,
        cursor: &mut Cursor,
        range: &Proposal,
    ) -> Option<VmaId> {
        let next = self.vma_next(cursor);
        let prev = self.vma_prev(cursor);
        let special = range.flags.intersects(SPECIAL);
        let next = next.filter(|&id| !special && self.joins_next(self.mm.tree.get(id), range));
        let towards_prev = match next {
            Some(id) => Proposal {
                anon_vma: self.mm.tree.get(id).anon_vma,
                ..*range
            },
            None => *range,
        };
        let joined =
            prev.filter(|&id| !special && self.joins_prev(self.mm.tree.get(id), &towards_prev));
        if joined.is_none() && prev.is_some() {
            self.iter_next_range(cursor);
        }
        self.absorb(cursor, joined, next, None, range)
    }

    /// `vma_merge_extend`: grows `id` upwards to `end` over free space, joining what then
    /// follows if that matches.
    pub fn merge_extend(&mut self, id: VmaId, end: u64) -> Option<VmaId> {
        let vma = *self.mm.tree.get(id);
        let mut cursor = Cursor::Start(vma.end);
        let range = Proposal {
            end,
            ..Proposal::part(&vma, vma.end, vma.end, vma.flags, self)
        };
        self.within("vma_merge_extend", |cx| {
            if cx.kernel.gathers {
                let (_, next) = cx.iter_next_rewind(&mut cursor);
                // Whether the pages came from a parent is not asked here: `vmg.middle` is not set.
                let anon_vma = range.anon_vma.map(|anon| AnonVma { chain: 1, ..anon });
                let range = Proposal { anon_vma, ..range };
                cx.merge_new(&mut cursor, Some(id), next, &range, false)
            } else {
                cx.within("vma_merge", |cx| {
                    cx.merge_by_lookup(&mut cursor, Some(id), &range, Some(id))
                })
            }
        })
    }

    /// The merge of a moved mapping at its new place (`copy_vma`).
    pub fn merge_moved(&mut self, prev: Option<VmaId>, range: &Proposal) -> Option<VmaId> {
        let mut cursor = Cursor::Start(range.start);
        if self.kernel.gathers {
            let (_, next) = self.iter_next_rewind(&mut cursor);
            self.merge_new(&mut cursor, prev, next, range, false)
        } else {
            self.within("vma_merge_new_vma", |cx| {
                cx.within("vma_merge", |cx| {
                    cx.merge_by_lookup(&mut cursor, prev, range, None)
                })
            })
        }
    }
}
