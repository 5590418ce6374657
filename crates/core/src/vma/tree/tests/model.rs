//! The same set in its plainest form, a `BTreeMap` by start address. The tests hold the tree
//! against it, and the benchmark includes this file to compare speeds.

use std::collections::BTreeMap;

// Whoever includes this file has both at hand.
use super::{AddrRange, Vma};

/// Number of a VMA.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VmaId(pub u32);

/// A gap between VMAs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Its addresses.
    pub range: AddrRange,
    /// The VMA just above it, if there is one.
    pub above: Option<VmaId>,
}

/// VMAs in address order.
#[derive(Clone, Debug, Default)]
pub struct Model {
    slots: Vec<Option<Vma>>,
    free: Vec<VmaId>,
    by_start: BTreeMap<u64, VmaId>,
}

impl Model {
    /// How many VMAs there are.
    pub fn len(&self) -> usize {
        self.by_start.len()
    }

    /// The VMA of that number.
    ///
    /// # Panics
    /// Where `id` was removed: a fault of the simulator, never of its input.
    pub fn get(&self, id: VmaId) -> &Vma {
        self.slots[id.0 as usize].as_ref().expect("a live VMA")
    }

    /// The VMA of that number, to change all but its bounds.
    ///
    /// # Panics
    /// As [`Self::get`].
    pub fn get_mut(&mut self, id: VmaId) -> &mut Vma {
        self.slots[id.0 as usize].as_mut().expect("a live VMA")
    }

    /// The first VMA that ends above `addr`: the one holding it, or else the next one up.
    pub fn find(&self, addr: u64) -> Option<VmaId> {
        if let Some((_, &id)) = self.by_start.range(..=addr).next_back()
            && self.get(id).end > addr
        {
            return Some(id);
        }
        self.by_start.range(addr..).next().map(|(_, &id)| id)
    }

    /// The next VMA above `id`.
    pub fn next(&self, id: VmaId) -> Option<VmaId> {
        let end = self.get(id).end;
        self.by_start.range(end..).next().map(|(_, &id)| id)
    }

    /// The next VMA below `id`.
    pub fn prev(&self, id: VmaId) -> Option<VmaId> {
        let start = self.get(id).start;
        self.by_start.range(..start).next_back().map(|(_, &id)| id)
    }

    /// The lowest VMA.
    pub fn first(&self) -> Option<VmaId> {
        self.by_start.first_key_value().map(|(_, &id)| id)
    }

    /// The highest VMA.
    pub fn last(&self) -> Option<VmaId> {
        self.by_start.last_key_value().map(|(_, &id)| id)
    }

    /// Adds a VMA whose range must be free.
    pub fn insert(&mut self, vma: Vma) -> VmaId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            VmaId(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
        });
        self.by_start.insert(vma.start, id);
        self.slots[id.0 as usize] = Some(vma);
        id
    }

    /// Takes a VMA out.
    ///
    /// # Panics
    /// As [`Self::get`].
    pub fn remove(&mut self, id: VmaId) -> Vma {
        let vma = self.slots[id.0 as usize].take().expect("a live VMA");
        self.by_start.remove(&vma.start);
        self.free.push(id);
        vma
    }

    /// Moves a VMA's bounds; it must stay between its neighbours.
    pub fn set_bounds(&mut self, id: VmaId, start: u64, end: u64) {
        let old = self.get(id).start;
        if old != start {
            self.by_start.remove(&old);
            self.by_start.insert(start, id);
        }
        let vma = self.get_mut(id);
        vma.start = start;
        vma.end = end;
    }

    /// The highest gap of which at least `size` bytes lie within `low..high`; its range is cut to
    /// that window.
    pub fn highest_gap(&self, low: u64, high: u64, size: u64) -> Option<Gap> {
        let mut top = high;
        let mut above = self.find(high).filter(|&id| self.get(id).end > high);
        if let Some(id) = above
            && self.get(id).start < high
        {
            top = self.get(id).start;
        }
        loop {
            let below = match above {
                Some(id) => self.prev(id),
                None => self.last(),
            };
            let bottom = below.map_or(low, |id| self.get(id).end).max(low);
            if top > bottom && top - bottom >= size {
                return Some(Gap {
                    range: AddrRange::new(bottom, top),
                    above,
                });
            }
            let id = below?;
            if bottom <= low {
                return None;
            }
            top = self.get(id).start.min(high);
            above = Some(id);
        }
    }

    /// The lowest gap of which at least `size` bytes lie within `low..high`; its range is cut to
    /// that window.
    pub fn lowest_gap(&self, low: u64, high: u64, size: u64) -> Option<Gap> {
        let mut bottom = low;
        let mut above = self.find(low);
        loop {
            let top = above.map_or(high, |id| self.get(id).start).min(high);
            if top > bottom && top - bottom >= size {
                return Some(Gap {
                    range: AddrRange::new(bottom, top),
                    above,
                });
            }
            let id = above?;
            bottom = self.get(id).end.max(low);
            if bottom >= high {
                return None;
            }
            above = self.next(id);
        }
    }

    /// Every VMA in address order.
    pub fn iter(&self) -> impl Iterator<Item = (VmaId, &Vma)> + '_ {
        self.by_start.values().map(|&id| (id, self.get(id)))
    }
}
