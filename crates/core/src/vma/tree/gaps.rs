//! Where there is room: the search for gaps.
//!
//! A gap belongs to the VMA just above it; the one above all VMAs belongs to none and is looked at
//! by itself. A search asks the gap that the window's edge cuts first, then goes away from that
//! edge, where every gap is whole until the window's other edge.

use super::index::Place;
use super::{Gap, VmaId, VmaTree};
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
        let edge = self.index.edge(high, size);
        self.cut_gap_at(edge, low, high, size).or_else(|| {
            let place = self.index.fit_below(edge, size)?;
            self.cut_gap_at(place, low, high, size)
        })
    }

    /// The lowest gap of which at least `size` bytes lie within `low..high`; its range is cut to
    /// that window.
    #[must_use]
    pub fn lowest_gap(&self, low: u64, high: u64, size: u64) -> Option<Gap> {
        let size = size.max(1);
        let edge = self.index.edge(low, size);
        if let Some(gap) = self.cut_gap_at(edge, low, high, size) {
            return Some(gap);
        }
        match self.index.fit_above(edge, size) {
            Some(place) => self.cut_gap_at(place, low, high, size),
            None => cut(self.index.end(), high, low, high, size, None),
        }
    }

    /// The gap below the VMA at `place`, cut to `low..high`, if `size` bytes are left of it.
    #[inline]
    fn cut_gap_at(&self, place: Place, low: u64, high: u64, size: u64) -> Option<Gap> {
        let gap = self.index.gap_at(place, size)?;
        let bottom = gap.bottom.unwrap_or_else(|| self.bottom_below(gap.above));
        let top = bottom + gap.len;
        cut(bottom, top, low, high, size, Some(VmaId(gap.above)))
    }
}

#[inline]
fn cut(bottom: u64, top: u64, low: u64, high: u64, size: u64, above: Option<VmaId>) -> Option<Gap> {
    let (bottom, top) = (bottom.max(low), top.min(high));
    (top.saturating_sub(bottom) >= size).then(|| Gap {
        range: AddrRange::new(bottom, top),
        above,
    })
}
