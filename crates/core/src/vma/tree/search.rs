//! Gap searches in the index: up from a place, then down to the nearest gap that is large enough.

use super::NONE;
use super::index::{Index, Place};

impl Index {
    /// Where the last VMA ends; 0 where there is none.
    pub(super) fn end(&self) -> u64 {
        let root = self.node(self.root);
        root.len().checked_sub(1).map_or(0, |last| root.ends[last])
    }

    /// From where to search on either side of `addr`, and the VMA whose gap `addr` may cut: the
    /// first that ends above `addr`. `NONE` where there is no such VMA or its gap is smaller than
    /// `size`; the place is then an entry that it lies in, all of whose gaps are too small.
    pub(super) fn edge(&self, addr: u64, size: u64) -> (Place, u32) {
        let mut node = self.root;
        loop {
            let n = self.node(node);
            let at = n.rank(addr);
            let place = Place { node, at };
            if at >= n.len() || n.gaps[at] < size {
                return (place, NONE);
            }
            if n.is_leaf {
                return (place, n.kids[at]);
            }
            node = n.kids[at];
        }
    }

    /// The last VMA before `place` that has a gap of at least `size` bytes below it, or `NONE`.
    pub(super) fn fit_below(&self, place: Place, size: u64) -> u32 {
        let Place { mut node, mut at } = place;
        loop {
            let n = self.node(node);
            if let Some(fit) = n.last_fit(at, size) {
                if n.is_leaf {
                    return n.kids[fit];
                }
                node = n.kids[fit];
                at = self.node(node).len();
            } else {
                (node, at) = self.parent(node);
                if node == NONE {
                    return NONE;
                }
            }
        }
    }

    /// The first VMA after `place` that has a gap of at least `size` bytes below it, or `NONE`.
    pub(super) fn fit_above(&self, place: Place, size: u64) -> u32 {
        let Place { mut node, at } = place;
        let mut from = at + 1;
        loop {
            let n = self.node(node);
            if let Some(fit) = n.first_fit(from, size) {
                if n.is_leaf {
                    return n.kids[fit];
                }
                (node, from) = (n.kids[fit], 0);
            } else {
                let (parent, at) = self.parent(node);
                if parent == NONE {
                    return NONE;
                }
                (node, from) = (parent, at + 1);
            }
        }
    }
}
