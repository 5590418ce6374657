//! Where there is room: the search for gaps.
//!
//! A gap belongs to the VMA just above it; the one above all VMAs belongs to none and is looked at
//! by itself. A search asks the gap that the window's edge cuts first, then goes away from that
//! edge, where every gap is whole until the window's other edge.

use super::{Gap, NONE, VmaId, VmaTree};
use crate::addr::AddrRange;

impl VmaTree {
    /// The highest gap of which at least `size` bytes lie within `low..high`; its range is cut to
    /// that window.
    #[must_use]
    pub fn highest_gap(&self, low: u64, high: u64, size: u64) -> Option<Gap> {
        let size = size.max(1);
        if let Some(gap) = cut(self.index.end(), high, low, high, size, None) {
            return Some(gap);
        }
        let (edge, id) = self.index.edge(high, size);
        if let Some(gap) = self.cut_gap_below(id, low, high, size) {
            return Some(gap);
        }
        let id = self.index.fit_below(edge, size);
        self.cut_gap_below(id, low, high, size)
    }

    /// The lowest gap of which at least `size` bytes lie within `low..high`; its range is cut to
    /// that window.
    #[must_use]
    pub fn lowest_gap(&self, low: u64, high: u64, size: u64) -> Option<Gap> {
        let size = size.max(1);
        let (edge, id) = self.index.edge(low, size);
        if let Some(gap) = self.cut_gap_below(id, low, high, size) {
            return Some(gap);
        }
        let id = self.index.fit_above(edge, size);
        if id != NONE {
            return self.cut_gap_below(id, low, high, size);
        }
        cut(self.index.end(), high, low, high, size, None)
    }

    /// The gap below VMA `id`, cut to `low..high`, if `size` bytes are left of it.
    fn cut_gap_below(&self, id: u32, low: u64, high: u64, size: u64) -> Option<Gap> {
        if id == NONE {
            return None;
        }
        let top = self.get(VmaId(id)).start;
        cut(self.bottom_below(id), top, low, high, size, Some(VmaId(id)))
    }
}

fn cut(bottom: u64, top: u64, low: u64, high: u64, size: u64, above: Option<VmaId>) -> Option<Gap> {
    let (bottom, top) = (bottom.max(low), top.min(high));
    (top.saturating_sub(bottom) >= size).then(|| Gap {
        range: AddrRange::new(bottom, top),
        above,
    })
}
