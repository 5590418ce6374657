//! The ordered set of a process's VMAs: lookup by address, neighbours, gaps.
//!
//! It stands for the kernel's maple tree but counts nothing itself: what is a walk, a step or a
//! store is the business of whoever walks, because two kernels make different walks over the
//! same tree.
//!
//! VMAs lie in numbered slots, linked in address order, so that a neighbour is one load away. An
//! index over them finds addresses and gaps: a B+tree that keeps for every VMA the size of the gap
//! just below it, and for every subtree the largest of these. Everything but [`VmaTree::iter`] is
//! O(log n) at most, and nothing allocates once the tree has had its largest size.

mod gaps;
mod index;
mod node;
mod search;
#[cfg(test)]
mod tests;

use self::index::{Index, Place};
use super::area::Vma;
use crate::addr::AddrRange;

/// Number of a VMA of one process, valid until it is removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VmaId(u32);

/// A gap between VMAs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Its addresses.
    pub range: AddrRange,
    /// The VMA just above it, if there is one.
    pub above: Option<VmaId>,
}

/// VMAs in address order.
#[derive(Clone, Debug)]
pub struct VmaTree {
    slots: Vec<Slot>,
    /// The slot freed last; a free slot's `above` is the one freed before it.
    free: u32,
    len: usize,
    first: u32,
    last: u32,
    index: Index,
}

/// Where one VMA lies, in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Slot {
    vma: Option<Vma>,
    below: u32,
    above: u32,
}

/// The number of no slot and no node.
const NONE: u32 = u32::MAX;

impl VmaTree {
    /// How many VMAs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The VMA of that number.
    ///
    /// # Panics
    /// Where `id` was removed: a fault of the simulator, never of its input.
    #[inline]
    #[must_use]
    pub fn get(&self, id: VmaId) -> &Vma {
        self.slots[id.0 as usize].vma.as_ref().expect("a live VMA")
    }

    /// The VMA of that number, to change all but its bounds.
    ///
    /// # Panics
    /// As [`Self::get`].
    #[inline]
    pub fn get_mut(&mut self, id: VmaId) -> &mut Vma {
        self.slots[id.0 as usize].vma.as_mut().expect("a live VMA")
    }

    /// The first VMA that ends above `addr`: the one holding it, or else the next one up.
    #[must_use]
    pub fn find(&self, addr: u64) -> Option<VmaId> {
        some_id(self.place_for(addr).1)
    }

    /// The next VMA above `id`.
    ///
    /// # Panics
    /// As [`Self::get`].
    #[inline]
    #[must_use]
    pub fn next(&self, id: VmaId) -> Option<VmaId> {
        some_id(self.live(id).above)
    }

    /// The next VMA below `id`.
    ///
    /// # Panics
    /// As [`Self::get`].
    #[inline]
    #[must_use]
    pub fn prev(&self, id: VmaId) -> Option<VmaId> {
        some_id(self.live(id).below)
    }

    /// The lowest VMA.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<VmaId> {
        some_id(self.first)
    }

    /// The highest VMA.
    #[inline]
    #[must_use]
    pub fn last(&self) -> Option<VmaId> {
        some_id(self.last)
    }

    /// Adds a VMA whose range must be free.
    pub fn insert(&mut self, vma: Vma) -> VmaId {
        let (start, end) = (vma.start, vma.end);
        let (place, above) = self.place_for(start);
        let (below, bottom) = match (self.index.before(place), above) {
            (Some(before), _) => before,
            (None, NONE) => (NONE, 0),
            (None, above) => (self.slots[above as usize].below, self.bottom_below(above)),
        };
        let id = self.fill_slot(Slot {
            vma: Some(vma),
            below,
            above,
        });
        self.link(below, id);
        self.link(id, above);
        self.index.insert(place, id, start, end, bottom);
        self.len += 1;
        VmaId(id)
    }

    /// Takes a VMA out.
    ///
    /// # Panics
    /// As [`Self::get`].
    pub fn remove(&mut self, id: VmaId) -> Vma {
        let slot = &mut self.slots[id.0 as usize];
        let vma = slot.vma.take().expect("a live VMA");
        let (below, above) = (slot.below, slot.above);
        slot.above = self.free;
        self.free = id.0;
        self.len -= 1;
        self.link(below, above);
        let place = self.index.place_of(id.0, vma.start);
        let gap_above = match self.index.gap_without(place) {
            Some(gap) => gap,
            None => self.gap_below(above),
        };
        self.index.remove(place, above, gap_above);
        vma
    }

    /// Moves a VMA's bounds; it must stay between its neighbours.
    ///
    /// It may for a moment cover VMAs above it, which are then removed before anything else is asked.
    ///
    /// # Panics
    /// As [`Self::get`].
    pub fn set_bounds(&mut self, id: VmaId, start: u64, end: u64) {
        let place = self.index.place_of(id.0, self.get(id).start);
        let vma = self.get_mut(id);
        vma.start = start;
        vma.end = end;
        let above = self.slots[id.0 as usize].above;
        let (gap, gap_above) = (self.gap_below(id.0), self.gap_below(above));
        self.index.resize(place, end, gap, above, gap_above);
    }

    /// Every VMA in address order.
    pub fn iter(&self) -> impl Iterator<Item = (VmaId, &Vma)> + '_ {
        std::iter::successors(self.first(), |&id| self.next(id)).map(|id| (id, self.get(id)))
    }

    /// As [`Index::place_for`], with a look at the last changed leaf first.
    #[inline]
    fn place_for(&self, addr: u64) -> (Place, u32) {
        let (place, above) = self.index.hot_place_for(addr);
        if above != NONE && (place.at > 0 || self.bottom_below(above) <= addr) {
            return (place, above);
        }
        self.index.place_for(addr)
    }

    fn live(&self, id: VmaId) -> &Slot {
        let slot = &self.slots[id.0 as usize];
        assert!(slot.vma.is_some(), "a live VMA");
        slot
    }

    /// Size of the gap just below VMA `id`; 0 where there is no such VMA.
    #[inline]
    fn gap_below(&self, id: u32) -> u64 {
        if id == NONE {
            return 0;
        }
        // Saturating for the moment in which a VMA covers the next one.
        let start = self.get(VmaId(id)).start;
        start.saturating_sub(self.bottom_below(id))
    }

    /// Where the gap just below VMA `id` starts.
    #[inline]
    fn bottom_below(&self, id: u32) -> u64 {
        let below = self.slots[id as usize].below;
        if below == NONE {
            0
        } else {
            self.get(VmaId(below)).end
        }
    }

    fn fill_slot(&mut self, slot: Slot) -> u32 {
        let id = self.free;
        if let Some(free) = self.slots.get_mut(id as usize) {
            self.free = free.above;
            *free = slot;
            return id;
        }
        self.slots.push(slot);
        u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 VMAs")
    }

    /// Makes two slots neighbours, or one of them an end of the list.
    fn link(&mut self, below: u32, above: u32) {
        match below {
            NONE => self.first = above,
            below => self.slots[below as usize].above = above,
        }
        match above {
            NONE => self.last = below,
            above => self.slots[above as usize].below = below,
        }
    }
}

impl Default for VmaTree {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: NONE,
            len: 0,
            first: NONE,
            last: NONE,
            index: Index::default(),
        }
    }
}

fn some_id(id: u32) -> Option<VmaId> {
    (id != NONE).then_some(VmaId(id))
}
