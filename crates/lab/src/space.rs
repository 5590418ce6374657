//! The shared axis on which address spaces are drawn: widths by size, holes collapsed.

use std::collections::BTreeSet;

use sealab_core::addr::AddrRange;
use sealab_core::call::Mapping;
use sealab_core::flags::VmFlags;

use crate::report::MapsEntry;
use crate::view::{Block, Segment, Strip};
use crate::words;

/// Width of a hole, in parts.
const HOLE_WIDTH: f64 = 0.8;
/// Most boundaries that one axis for all steps may have; a busier run gets an axis for each step.
pub const MAX_FIXED_BOUNDARIES: usize = 512;

/// Boundaries of the axis and whether anything is ever mapped between them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// Ascending; stretch `i` lies between boundaries `i` and `i + 1`.
    boundaries: Vec<u64>,
    /// One per stretch: whether no variant ever maps it.
    holes: Vec<bool>,
}

impl Axis {
    /// An axis cut at every boundary of `used`, and at the further `cuts` that lie inside.
    #[must_use]
    pub fn new(used: &[AddrRange], cuts: impl IntoIterator<Item = u64>) -> Self {
        let mut ranges = used.to_vec();
        crate::session::merge_ranges(&mut ranges);
        let mut boundaries: BTreeSet<u64> = used.iter().flat_map(|r| [r.start, r.end]).collect();
        let inside = |cut: &u64| ranges.iter().any(|r| r.contains(*cut));
        boundaries.extend(cuts.into_iter().filter(inside));
        let boundaries: Vec<u64> = boundaries.into_iter().collect();
        let holes = boundaries
            .windows(2)
            .map(|pair| {
                let start = pair.first().copied().unwrap_or(0);
                let at = ranges.partition_point(|r| r.start <= start);
                let holding = ranges.get(at.wrapping_sub(1));
                !holding.is_some_and(|r| r.contains(start))
            })
            .collect();
        Self { boundaries, holes }
    }

    /// The stretches as a view has them. Widths grow with the logarithm of the pages, so that one
    /// page beside a gigabyte is still seen; a hole has one width whatever its size.
    #[must_use]
    pub fn segments(&self, page_shift: u32) -> Vec<Segment> {
        let pairs = self.boundaries.windows(2).zip(&self.holes);
        pairs
            .map(|(pair, &hole)| {
                let (start, end) = (pair.first().copied(), pair.last().copied());
                let (start, end) = (start.unwrap_or(0), end.unwrap_or(0));
                let len = end.saturating_sub(start);
                let pages = (len >> page_shift).max(1);
                Segment {
                    start: hex(start),
                    end: hex(end),
                    width: if hole {
                        HOLE_WIDTH
                    } else {
                        (1.0 + pages as f64).log2()
                    },
                    hole,
                    size: words::short_size(len),
                }
            })
            .collect()
    }

    /// Whether both ends of `range` are boundaries.
    #[must_use]
    pub fn fits(&self, range: AddrRange) -> bool {
        let known = |addr| self.boundaries.binary_search(&addr).is_ok();
        known(range.start) && known(range.end)
    }

    /// Stretches that `range` covers; both its ends are boundaries.
    fn stretches(&self, range: AddrRange) -> (usize, usize) {
        let place = |addr| self.boundaries.partition_point(|&b| b < addr);
        (place(range.start), place(range.end))
    }
}

/// One variant's mappings on the axis. `changed`: what the step's call changed, sorted.
#[must_use]
pub fn strip(
    axis: &Axis,
    mappings: &[Mapping],
    changed: &[AddrRange],
    others: &[&[Mapping]],
) -> Strip {
    let blocks = mappings.iter().map(|mapping| {
        let (first, last) = axis.stretches(mapping.range);
        let touched = |r: &AddrRange| {
            // A cut is an empty range at the boundary of the two mappings it made.
            let cut =
                r.is_empty() && (r.start == mapping.range.start || r.start == mapping.range.end);
            cut || r.overlaps(mapping.range)
        };
        let differs = others.iter().any(|other| {
            other
                .binary_search_by_key(&mapping.range.start, |m| m.range.start)
                .map_or(true, |at| other.get(at).is_none_or(|m| !alike(m, mapping)))
        });
        Block {
            first,
            last,
            maps: maps_entry(mapping),
            line: sealab_scenario::maps::maps_line(mapping),
            size: words::short_size(mapping.range.len()),
            sealed: mapping.flags.contains(VmFlags::SEALED),
            changed: changed.iter().any(touched),
            differs,
        }
    });
    Strip {
        blocks: blocks.collect(),
    }
}

/// Whether two mappings look the same to a reader.
fn alike(a: &Mapping, b: &Mapping) -> bool {
    a.range == b.range && a.prot == b.prot && a.shared == b.shared && a.flags == b.flags
}

/// A mapping as the report has it.
#[must_use]
pub fn maps_entry(mapping: &Mapping) -> MapsEntry {
    let line = sealab_scenario::maps::maps_line(mapping);
    let perms = line.split(' ').nth(1).unwrap_or_default();
    let flags = VmFlags::MNEMONICS.iter();
    MapsEntry {
        start: hex(mapping.range.start),
        end: hex(mapping.range.end),
        perms: perms.to_owned(),
        offset: hex(mapping.offset),
        dev: format!(
            "{:02x}:{:02x}",
            mapping.file.dev_major, mapping.file.dev_minor
        ),
        inode: mapping.file.inode,
        name: mapping.name.to_string(),
        vm_flags: flags
            .filter(|(flag, _)| mapping.flags.contains(*flag))
            .map(|(_, letters)| (*letters).to_owned())
            .collect(),
        rss_kb: mapping.rss >> 10,
    }
}

/// An address as reports have it.
#[must_use]
pub fn hex(addr: u64) -> String {
    format!("{addr:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(list: &[(u64, u64)]) -> Vec<AddrRange> {
        list.iter().map(|&(s, e)| AddrRange::new(s, e)).collect()
    }

    #[test]
    fn holes_are_found_and_collapsed() {
        let used = ranges(&[(0x1000, 0x3000), (0x2000, 0x5000), (0x10_0000, 0x10_1000)]);
        let axis = Axis::new(&used, [0x4000, 0x8000]);
        assert_eq!(
            axis.boundaries,
            [0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x10_0000, 0x10_1000]
        );
        assert_eq!(axis.holes, [false, false, false, false, true, false]);
        let segments = axis.segments(12);
        assert!(segments.iter().all(|s| s.width > 0.0));
        assert_eq!(segments.iter().filter(|s| s.hole).count(), 1);
        assert_eq!(axis.stretches(AddrRange::new(0x2000, 0x4000)), (1, 3));
    }

    #[test]
    fn larger_is_wider_but_not_by_much() {
        let used = ranges(&[(0, 0x1000), (0x1000, 0x4000_0000)]);
        let widths: Vec<f64> = Axis::new(&used, [])
            .segments(12)
            .iter()
            .map(|s| s.width)
            .collect();
        assert!(
            widths[1] > widths[0] && widths[1] < 20.0 * widths[0],
            "{widths:?}"
        );
    }
}
