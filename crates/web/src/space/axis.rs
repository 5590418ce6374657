//! From segments of the address space to places on the screen.

use std::ops::Range;
use std::rc::Rc;

use sealab_protocol::{Segment, SpaceView as Space};
use yew::prelude::*;

use crate::store::Shared;

/// Least width of a part, in CSS pixels: below it strips scroll sideways.
const PART_MIN_PX: f64 = 16.0;
/// Room at both ends for the outline of what changed.
const END_PX: f64 = 3.0;
/// Room that a ruler's address takes, in CSS pixels.
const ADDRESS_PX: f64 = 84.0;
/// How much further than what is in sight is drawn, in CSS pixels.
const MARGIN_PX: f64 = 400.0;

/// Where each segment stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Left edge of each segment, and the right edge of the last.
    edges: Vec<f64>,
}

impl Axis {
    /// Lays `segments` out over `width` CSS pixels, or more where that is too narrow.
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
    pub fn at(&self, segment: usize) -> f64 {
        self.edges
            .get(segment)
            .copied()
            .unwrap_or_else(|| self.end())
    }

    /// Width of all.
    pub fn width(&self) -> f64 {
        self.end() + END_PX
    }

    fn end(&self) -> f64 {
        self.edges.last().copied().unwrap_or(0.0)
    }

    /// The segments in sight and near it.
    pub fn window(&self, scrolled: f64, width: f64) -> Range<usize> {
        let first = self.edges.partition_point(|&x| x < scrolled - MARGIN_PX);
        let last = self
            .edges
            .partition_point(|&x| x <= scrolled + width + MARGIN_PX);
        // Coarse, so that scrolling a little draws nothing anew.
        first.saturating_sub(1) / 8 * 8..last.div_ceil(8) * 8
    }
}

/// Properties of [`Ruler`].
#[derive(Properties, PartialEq)]
pub struct RulerProps {
    /// What is shown.
    pub space: Shared<Space>,
    /// Where.
    pub axis: Rc<Axis>,
    /// Which segments are in sight.
    pub window: Range<usize>,
}

/// Addresses below the strips, and marks where the variants differ.
#[component]
pub fn Ruler(props: &RulerProps) -> Html {
    let (space, axis) = (&props.space, &props.axis);
    let mut differs = vec![false; space.axis.len()];
    for block in space
        .strips
        .iter()
        .flat_map(|strip| &strip.blocks)
        .filter(|b| b.differs)
    {
        if let Some(range) = differs.get_mut(block.first..block.last.min(space.axis.len())) {
            range.fill(true);
        }
    }
    let mut free_from = 0.0;
    let in_sight = space
        .axis
        .iter()
        .enumerate()
        .take(props.window.end)
        .skip(props.window.start);
    let ticks = in_sight.clone().filter(|(_, segment)| !segment.hole).filter_map(|(index, segment)| {
        let x = axis.at(index);
        let shown = x >= free_from;
        if shown {
            free_from = x + ADDRESS_PX;
        }
        shown.then(|| {
            let last = x + ADDRESS_PX > axis.width();
            html! {
                <g key={format!("tick-{index}")} transform={format!("translate({x:.1} 0)")}>
                    <path class="tick" d="M.5 8v5" />
                    <text x={if last { "0" } else { "3" }} y="22"
                        text-anchor={if last && axis.width() > ADDRESS_PX { "end" } else { "start" }}>
                        { short(&segment.start) }
                    </text>
                </g>
            }
        })
    });
    let marks = in_sight.clone().filter(|&(index, _)| differs[index]).map(|(index, _)| {
        let (from, to) = (axis.at(index), axis.at(index + 1));
        html! {
            <rect key={format!("mark-{index}")} class="differs" x={format!("{from:.1}")} y="1" height="4"
                width={format!("{:.1}", (to - from - 1.0).max(1.0))} rx="1" />
        }
    });
    html! {
        <svg class="ruler" width={format!("{:.1}", axis.width())} height="28" aria-hidden="true">
            { for marks }
            { for ticks.collect::<Vec<_>>() }
        </svg>
    }
}

/// An address without the digits that all addresses share on most machines.
fn short(address: &str) -> String {
    let digits = address.trim_start_matches("0x").trim_start_matches('0');
    match digits.char_indices().rev().nth(7) {
        Some((at, _)) if at > 0 => format!("…{}", &digits[at..]),
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
}
