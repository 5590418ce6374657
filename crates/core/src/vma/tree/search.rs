//! Gap searches in the index: up from a place, then down to the nearest gap that is large enough.

use super::NONE;
use super::index::{Index, Place};

/// A gap, as the index knows it.
pub(super) struct GapAt {
    /// The VMA above it.
    pub above: u32,
    /// Its size in bytes.
    pub len: u64,
    /// Where it starts, if the VMA below it is in the same leaf.
    pub bottom: Option<u64>,
}

impl Index {
    /// Where the last VMA ends; 0 where there is none.
    pub(super) fn end(&self) -> u64 {
        let root = self.node(self.root);
        root.len().checked_sub(1).map_or(0, |last| root.ends[last])
    }

    /// From where to search on either side of `addr`: the first VMA that ends above it, whose gap
    /// `addr` may cut. Where that gap is smaller than `size`, the place may also be a subtree that
    /// this VMA lies in and all of whose gaps are too small.
    pub(super) fn edge(&self, addr: u64, size: u64) -> Place {
        let mut node = self.root;
        loop {
            let n = self.node(node);
            let at = n.rank(addr);
            if n.is_leaf || at >= n.len() || n.gaps[at] < size {
                return Place { node, at };
            }
            node = n.kids[at];
        }
    }

    /// The VMA at `place` with the gap below it, if that has at least `size` bytes, which is not 0.
    pub(super) fn gap_at(&self, place: Place, size: u64) -> Option<GapAt> {
        let n = self.node(place.node);
        let gap = *n.gaps.get(place.at)?;
        (n.is_leaf && gap >= size).then(|| GapAt {
            above: n.kids[place.at],
            len: gap,
            bottom: self.before(place).map(|(_, end)| end),
        })
    }

    /// The last VMA before `place` that has a gap of at least `size` bytes below it.
    pub(super) fn fit_below(&self, place: Place, size: u64) -> Option<Place> {
        let Place { mut node, mut at } = place;
        loop {
            let n = self.node(node);
            if let Some(fit) = n.last_fit(at, size) {
                if n.is_leaf {
                    return Some(Place { node, at: fit });
                }
                node = n.kids[fit];
                at = self.node(node).len();
            } else {
                (node, at) = self.parent(node);
                if node == NONE {
                    return None;
                }
            }
        }
    }

    /// The first VMA after `place` that has a gap of at least `size` bytes below it.
    pub(super) fn fit_above(&self, place: Place, size: u64) -> Option<Place> {
        let Place { mut node, at } = place;
        let mut from = at + 1;
        loop {
            let n = self.node(node);
            if let Some(fit) = n.first_fit(from, size) {
                if n.is_leaf {
                    return Some(Place { node, at: fit });
                }
                (node, from) = (n.kids[fit], 0);
            } else {
                let (parent, at) = self.parent(node);
                if parent == NONE {
                    return None;
                }
                (node, from) = (parent, at + 1);
            }
        }
    }
}
