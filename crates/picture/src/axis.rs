//! From segments of the address space to places in a picture, in CSS pixels.

use std::ops::Range;

use sealab_lab::view::{Segment, SpaceView};

/// Least width of a part: below it a picture gets wider than asked for.
pub const PART_MIN_PX: f64 = 16.0;
/// Room at both ends for the outline of what changed.
const END_PX: f64 = 3.0;
/// Room that a ruler's address takes.
pub const ADDRESS_PX: f64 = 84.0;
/// How much further than what is in sight is drawn.
const MARGIN_PX: f64 = 400.0;

/// Where each segment stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Left edge of each segment, and the right edge of the last.
    edges: Vec<f64>,
}

/// An address below the strips.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its segment.
    pub segment: usize,
    /// Where it stands.
    pub x: f64,
    /// The address, shortened.
    pub text: String,
    /// Whether its text ends here instead of beginning, because there is no room behind it.
    pub ends: bool,
}

impl Axis {
    /// Lays `segments` out over `width`, or more where that is too narrow.
    #[must_use]
    pub fn new(segments: &[Segment], width: f64) -> Self {
        let parts: f64 = segments.iter().map(|segment| segment.width.max(0.01)).sum();
        let room = (width - 2.0 * END_PX).max(0.0);
        let unit = if parts > 0.0 {
            (room / parts).max(PART_MIN_PX)
        } else {
            0.0
        };
        let mut edges = vec![END_PX];
        let mut at = END_PX;
        for segment in segments {
            at += segment.width.max(0.01) * unit;
            edges.push(at);
        }
        Self { edges }
    }

    /// Left edge of a segment; the end for all beyond the last.
    #[must_use]
    pub fn at(&self, segment: usize) -> f64 {
        self.edges
            .get(segment)
            .copied()
            .unwrap_or_else(|| self.end())
    }

    /// Width of all.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.end() + END_PX
    }

    fn end(&self) -> f64 {
        self.edges.last().copied().unwrap_or(0.0)
    }

    /// The segments in sight and near it.
    #[must_use]
    pub fn window(&self, scrolled: f64, width: f64) -> Range<usize> {
        let first = self.edges.partition_point(|&x| x < scrolled - MARGIN_PX);
        let last = self
            .edges
            .partition_point(|&x| x <= scrolled + width + MARGIN_PX);
        // Coarse, so that scrolling a little draws nothing anew.
        first.saturating_sub(1) / 8 * 8..last.div_ceil(8) * 8
    }

    /// Addresses to write under the segments of `window`: as many as have room, none at a hole.
    #[must_use]
    pub fn ticks(&self, segments: &[Segment], window: &Range<usize>) -> Vec<Tick> {
        let mut free_from = 0.0;
        let in_sight = segments.iter().enumerate();
        let in_sight = in_sight.take(window.end).skip(window.start);
        in_sight
            .filter(|(_, segment)| !segment.hole)
            .filter_map(|(index, segment)| {
                let x = self.at(index);
                if x < free_from {
                    return None;
                }
                free_from = x + ADDRESS_PX;
                Some(Tick {
                    segment: index,
                    x,
                    text: short(&segment.start),
                    ends: x + ADDRESS_PX > self.width() && self.width() > ADDRESS_PX,
                })
            })
            .collect()
    }
}

/// For each segment, whether the variants differ in it.
#[must_use]
pub fn differing(space: &SpaceView) -> Vec<bool> {
    let mut differs = vec![false; space.axis.len()];
    let blocks = space.strips.iter().flat_map(|strip| &strip.blocks);
    for block in blocks.filter(|block| block.differs) {
        if let Some(range) = differs.get_mut(block.first..block.last.min(space.axis.len())) {
            range.fill(true);
        }
    }
    differs
}

/// An address without the digits that all addresses share on most machines.
#[must_use]
pub fn short(address: &str) -> String {
    let digits = address.trim_start_matches("0x").trim_start_matches('0');
    match digits.char_indices().rev().nth(7) {
        Some((at, _)) if at > 0 => format!("…{}", digits.get(at..).unwrap_or_default()),
        _ => format!("0x{}", if digits.is_empty() { "0" } else { digits }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(widths: &[f64]) -> Vec<Segment> {
        let segment = |&width: &f64| Segment {
            width,
            ..Segment::default()
        };
        widths.iter().map(segment).collect()
    }

    #[test]
    fn fills_the_width_in_proportion() {
        let axis = Axis::new(&segments(&[1.0, 3.0]), 406.0);
        assert_eq!([0, 1, 2, 9].map(|i| axis.at(i)), [3.0, 103.0, 403.0, 403.0]);
    }

    #[test]
    fn many_segments_scroll_instead_of_vanishing() {
        let axis = Axis::new(&segments(&[1.0; 1000]), 400.0);
        assert!(axis.width() >= 1000.0 * PART_MIN_PX);
        let window = axis.window(8_000.0, 400.0);
        assert!(window.contains(&500) && window.len() < 120, "{window:?}");
    }

    #[test]
    fn nothing_mapped_is_no_division_by_zero() {
        let axis = Axis::new(&[], 400.0);
        assert!(axis.width() < 10.0);
        assert!(axis.window(0.0, 400.0).len() <= 8);
    }

    #[test]
    fn addresses_are_shortened_from_the_left() {
        assert_eq!(short("0x7ffff7fb8000"), "…f7fb8000");
        assert_eq!(short("0x10000"), "0x10000");
        assert_eq!(short("0x0"), "0x0");
    }

    #[test]
    fn addresses_never_run_into_one_another() {
        let all = segments(&[1.0; 50]);
        let axis = Axis::new(&all, 800.0);
        let ticks = axis.ticks(&all, &(0..50));
        assert!(ticks.len() > 3);
        for pair in ticks.windows(2) {
            assert!(pair[1].x - pair[0].x >= ADDRESS_PX);
        }
    }
}
