//! Gap searches in the index. A node's entries are asked all at once, for a set of bits.

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
        self.fit(place, size, |at| !(!0 << at), u32::ilog2)
    }

    /// The first VMA after `place` that has a gap of at least `size` bytes below it, or `NONE`.
    pub(super) fn fit_above(&self, place: Place, size: u64) -> u32 {
        self.fit(place, size, |at| !1 << at, u32::trailing_zeros)
    }

    /// Climbs from `place` until a node has fitting entries on one `side` of it, and from there
    /// goes down to the `nearest`.
    #[inline]
    fn fit(
        &self,
        place: Place,
        size: u64,
        side: impl Fn(usize) -> u32,
        nearest: impl Fn(u32) -> u32,
    ) -> u32 {
        let Place { mut node, mut at } = place;
        let mut fits = loop {
            let fits = self.node(node).fits(size) & side(at);
            if fits != 0 {
                break fits;
            }
            (node, at) = self.parent(node);
            if node == NONE {
                return NONE;
            }
        };
        loop {
            let n = self.node(node);
            let kid = n.kids[nearest(fits) as usize];
            if n.is_leaf {
                return kid;
            }
            node = kid;
            fits = self.node(node).fits(size);
        }
    }
}
