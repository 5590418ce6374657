//! The VMA iterator (`struct vma_iterator`) and the fresh lookups, each counting what the kernel's
//! maple tree does for it.
//!
//! A descent from the root is a walk (W), a move from where the iterator stands is a step (N or P)
//! and skips over a gap in one; a step that the entry in hand already answers is refused (r). The
//! definitions and the figures they are tested against were measured on instrumented kernels.

use super::tree::VmaId;
use crate::cx::Cx;
use crate::meter::Counter;

/// Where an iterator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Nowhere yet: the next step is a walk to that address.
    Start(u64),
    /// On a VMA.
    On(VmaId),
    /// On the gap between two VMAs (or below the first, or above the last).
    Gap {
        below: Option<VmaId>,
        above: Option<VmaId>,
    },
}

impl Cx<'_> {
    /// `vma_iter_addr`: first byte of the entry in hand.
    #[inline]
    pub fn iter_addr(&self, cursor: Cursor) -> u64 {
        match cursor {
            Cursor::Start(addr) => addr,
            Cursor::On(id) => self.mm.tree.get(id).start,
            Cursor::Gap { below, .. } => below.map_or(0, |id| self.mm.tree.get(id).end),
        }
    }

    /// `vma_iter_end`: one past the last byte of the entry in hand.
    #[inline]
    pub fn iter_end(&self, cursor: Cursor) -> u64 {
        match cursor {
            Cursor::Start(addr) => addr,
            Cursor::On(id) => self.mm.tree.get(id).end,
            Cursor::Gap { above, .. } => above.map_or(u64::MAX, |id| self.mm.tree.get(id).start),
        }
    }

    /// A cursor on the gap that ends at `above`.
    fn gap_below(&self, above: Option<VmaId>) -> Cursor {
        let below = match above {
            Some(id) => self.mm.tree.prev(id),
            None => self.mm.tree.last(),
        };
        Cursor::Gap { below, above }
    }

    /// A cursor on the entry or gap that holds `addr`. Counts nothing.
    #[inline]
    pub fn cursor_at(&self, addr: u64) -> Cursor {
        match self.mm.tree.find(addr) {
            Some(id) if self.mm.tree.get(id).start <= addr => Cursor::On(id),
            above => self.gap_below(above),
        }
    }

    #[inline]
    fn descend(&mut self, cursor: &mut Cursor, addr: u64, entry: &'static str) {
        self.walk(entry);
        *cursor = self.cursor_at(addr);
    }

    /// The VMA the cursor stands on.
    #[inline]
    pub fn on(cursor: Cursor) -> Option<VmaId> {
        match cursor {
            Cursor::On(id) => Some(id),
            _ => None,
        }
    }

    fn above(&self, cursor: Cursor) -> Option<VmaId> {
        match cursor {
            Cursor::Start(addr) => self.mm.tree.find(addr),
            Cursor::On(id) => self.mm.tree.next(id),
            Cursor::Gap { above, .. } => above,
        }
    }

    fn below(&self, cursor: Cursor) -> Option<VmaId> {
        match cursor {
            Cursor::Start(addr) => match self.cursor_at(addr) {
                Cursor::On(id) => self.mm.tree.prev(id),
                other => self.below(other),
            },
            Cursor::On(id) => self.mm.tree.prev(id),
            Cursor::Gap { below, .. } => below,
        }
    }

    /// `mas_next_slot` without gaps: the next VMA that starts below `max`.
    fn step_up(&mut self, cursor: &mut Cursor, max: u64) -> Option<VmaId> {
        if self.iter_end(*cursor) >= max {
            self.meter.count(Counter::TreeRefused);
            return None;
        }
        self.meter.count(Counter::TreeNext);
        let above = self.above(*cursor);
        match above {
            Some(id) if self.mm.tree.get(id).start < max => {
                *cursor = Cursor::On(id);
                Some(id)
            }
            _ => {
                *cursor = self.gap_below(above);
                None
            }
        }
    }

    /// `vma_find`: the next VMA at or after the cursor that starts below `max`.
    #[inline]
    pub fn vma_find(&mut self, cursor: &mut Cursor, max: u64) -> Option<VmaId> {
        self.find_as(cursor, max, "vma_find")
    }

    #[inline]
    fn find_as(&mut self, cursor: &mut Cursor, max: u64, entry: &'static str) -> Option<VmaId> {
        if let Cursor::Start(addr) = *cursor {
            if addr >= max {
                return None;
            }
            self.descend(cursor, addr, entry);
            if let Cursor::On(id) = *cursor {
                return Some(id);
            }
        } else if self.iter_end(*cursor) >= max {
            return None;
        }
        self.step_up(cursor, max)
    }

    /// `vma_next`.
    #[inline]
    pub fn vma_next(&mut self, cursor: &mut Cursor) -> Option<VmaId> {
        self.find_as(cursor, u64::MAX, "vma_next")
    }

    /// `vma_prev`: the VMA below the cursor.
    #[inline]
    pub fn vma_prev(&mut self, cursor: &mut Cursor) -> Option<VmaId> {
        self.vma_prev_limit(cursor, 0)
    }

    /// `vma_prev_limit`: the VMA below the cursor that ends above `min`.
    #[inline]
    pub fn vma_prev_limit(&mut self, cursor: &mut Cursor, min: u64) -> Option<VmaId> {
        if let Cursor::Start(addr) = *cursor {
            self.descend(cursor, addr, "vma_prev");
        }
        if self.iter_addr(*cursor) <= min {
            return None;
        }
        self.meter.count(Counter::TreePrev);
        let below = self.below(*cursor);
        match below {
            Some(id) if self.mm.tree.get(id).end > min => {
                *cursor = Cursor::On(id);
                Some(id)
            }
            _ => {
                let above = match below {
                    Some(id) => self.mm.tree.next(id),
                    None => self.mm.tree.first(),
                };
                *cursor = Cursor::Gap { below, above };
                None
            }
        }
    }

    /// `vma_iter_next_range`: to the next entry, gaps included; the VMA there if it is one.
    pub fn iter_next_range(&mut self, cursor: &mut Cursor) -> Option<VmaId> {
        if let Cursor::Start(addr) = *cursor {
            self.descend(cursor, addr, "vma_iter_next_range");
        }
        self.meter.count(Counter::TreeNext);
        let end = self.iter_end(*cursor);
        *cursor = match self.above(*cursor) {
            Some(id) if self.mm.tree.get(id).start == end => Cursor::On(id),
            above => self.gap_below(above),
        };
        Self::on(*cursor)
    }

    /// `vma_iter_prev_range`: to the previous entry, gaps included.
    pub fn iter_prev_range(&mut self, cursor: &mut Cursor) -> Option<VmaId> {
        if let Cursor::Start(addr) = *cursor {
            self.descend(cursor, addr, "vma_iter_prev_range");
        }
        self.meter.count(Counter::TreePrev);
        let start = self.iter_addr(*cursor);
        *cursor = match self.below(*cursor) {
            Some(id) if self.mm.tree.get(id).end == start => Cursor::On(id),
            below => {
                let above = match below {
                    Some(id) => self.mm.tree.next(id),
                    None => self.mm.tree.first(),
                };
                Cursor::Gap { below, above }
            }
        };
        Self::on(*cursor)
    }

    /// `vma_iter_load`: a walk; the VMA holding the cursor's address.
    pub fn iter_load(&mut self, cursor: &mut Cursor) -> Option<VmaId> {
        let addr = self.iter_addr(*cursor);
        self.descend(cursor, addr, "vma_iter_load");
        Self::on(*cursor)
    }

    /// `vma_iter_next_rewind` (6.12): the neighbours of the gap the cursor stands in (or at),
    /// which it stands in again afterwards.
    pub fn iter_next_rewind(&mut self, cursor: &mut Cursor) -> (Option<VmaId>, Option<VmaId>) {
        self.within("vma_iter_next_rewind", |cx| {
            let next = cx.vma_next(cursor);
            let prev = cx.vma_prev(cursor);
            if prev.is_some() {
                cx.iter_next_range(cursor);
            }
            (prev, next)
        })
    }

    /// A store through the iterator (S); a fresh one descends first (s).
    #[inline]
    pub fn count_store(&mut self, cursor: Cursor) {
        self.meter.count(Counter::TreeStore);
        if matches!(cursor, Cursor::Start(_)) {
            self.meter.count(Counter::TreeStoreWalk);
        }
    }

    /// `vma_lookup`: the VMA holding `addr`.
    #[inline]
    pub fn vma_lookup(&mut self, addr: u64) -> Option<VmaId> {
        self.walk("vma_lookup");
        let id = self.mm.tree.find(addr)?;
        (self.mm.tree.get(id).start <= addr).then_some(id)
    }

    /// `find_vma`: the first VMA that ends above `addr`.
    pub fn find_vma(&mut self, addr: u64) -> Option<VmaId> {
        self.find_below(addr, u64::MAX, "find_vma")
    }

    /// `find_vma_intersection`: the first VMA that shares a byte with `start..end`. No walk where
    /// that is empty.
    pub fn find_vma_intersection(&mut self, start: u64, end: u64) -> Option<VmaId> {
        if start >= end {
            return None;
        }
        self.find_below(start, end, "find_vma_intersection")
    }

    /// `mt_find`: walks on private state; in a gap it steps up unless the gap reaches `max`.
    fn find_below(&mut self, start: u64, max: u64, entry: &'static str) -> Option<VmaId> {
        self.walk(entry);
        match self.cursor_at(start) {
            Cursor::On(id) => Some(id),
            mut gap => {
                if self.iter_end(gap) >= max {
                    return None;
                }
                self.step_up(&mut gap, max)
            }
        }
    }

    /// `find_vma_prev`: the first VMA that ends above `addr`, and the one below it.
    pub fn find_vma_prev(&mut self, addr: u64) -> (Option<VmaId>, Option<VmaId>) {
        self.within("find_vma_prev", |cx| {
            let mut cursor = Cursor::Start(addr);
            let vma = cx.iter_load(&mut cursor);
            let prev = cx.vma_prev(&mut cursor);
            let vma = match vma {
                Some(id) => Some(id),
                None => cx.vma_next(&mut cursor),
            };
            (vma, prev)
        })
    }
}
