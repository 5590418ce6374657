//! One variant's mappings: where they stand, what is written on them, how they are coloured.

use std::ops::Range;

use sealab_lab::view::{Block, Segment};

use crate::axis::Axis;

/// Height of a strip.
pub const HEIGHT: f64 = 46.0;
/// Top of the mappings: room for the outline of what changed.
pub const TOP: f64 = 4.0;
/// Height of a mapping.
pub const TALL: f64 = HEIGHT - 2.0 * TOP;
/// Width of a character of the labels.
pub const CHAR: f64 = 6.7;

/// A mapping's place along the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its left edge.
    pub x: f64,
    /// Its width; never nothing.
    pub width: f64,
}

/// Where `block` stands.
#[must_use]
pub fn place(axis: &Axis, block: &Block) -> Place {
    let (from, to) = (axis.at(block.first), axis.at(block.last));
    Place {
        x: from,
        width: (to - from - 1.0).max(2.0),
    }
}

/// A mapping in words: its line of the maps, and what the picture says by lines and hatching.
#[must_use]
pub fn words(block: &Block) -> String {
    let sealed = if block.sealed { ", sealed" } else { "" };
    let changed = if block.changed {
        ", changed in this step"
    } else {
        ""
    };
    format!("{}{sealed}{changed}", block.line)
}

/// What fits: permissions and size above, seal and name below.
#[must_use]
pub fn labels(block: &Block, width: f64) -> [String; 2] {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // floats saturate
    let room = ((width - 9.0) / CHAR).max(0.0) as usize;
    let perms = &block.maps.perms;
    let short = perms.get(..3).unwrap_or(perms);
    let first = [
        format!("{perms} {}", block.size),
        perms.clone(),
        short.to_owned(),
    ];
    let first = first.into_iter().find(|text| text.chars().count() <= room);
    let name = block.maps.name.rsplit('/').next().unwrap_or_default();
    let seal = match (block.sealed, room) {
        (false, _) | (true, 0) => "",
        (true, 1..6) => "S",
        (true, _) => "sealed",
    };
    let both = match (seal, name) {
        ("", name) => name.to_owned(),
        (seal, "") => seal.to_owned(),
        (seal, name) => format!("{seal} {name}"),
    };
    [first.unwrap_or_default(), shorten(&both, room)]
}

fn shorten(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    if room < 3 {
        return text
            .chars()
            .take(if text.starts_with('S') { room } else { 0 })
            .collect();
    }
    text.chars().take(room - 1).chain(['…']).collect()
}

/// The colour's name: writable and executable are told apart first.
#[must_use]
pub fn permission(perms: &str) -> &'static str {
    let has = |c: char| perms.contains(c);
    match (has('w'), has('x'), has('r')) {
        (true, true, _) => "rwx",
        (true, false, _) => "rw",
        (false, true, _) => "rx",
        (false, false, true) => "ro",
        (false, false, false) => "none",
    }
}

/// Where a variant maps nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// Its first segment.
    pub first: usize,
    /// Its left edge.
    pub x: f64,
    /// Its right edge.
    pub end: f64,
    /// What fits on it.
    pub text: String,
}

/// The holes between `blocks`, as far as they are in `window`.
#[must_use]
pub fn holes(
    segments: &[Segment],
    axis: &Axis,
    window: &Range<usize>,
    blocks: &[Block],
) -> Vec<Hole> {
    let mut out = Vec::new();
    let mut hole = |from: usize, to: usize| {
        if from >= to || to <= window.start || from >= window.end {
            return;
        }
        let (x, end) = (axis.at(from), axis.at(to));
        let only = (to - from == 1).then(|| segments.get(from)).flatten();
        let words = only.map_or_else(
            || "hole".to_owned(),
            |segment| format!("hole {}", segment.size),
        );
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let room = ((end - x - 8.0) / CHAR).max(0.0) as usize;
        let text = if words.len() <= room {
            words
        } else if room >= 4 {
            "hole".to_owned()
        } else {
            String::new()
        };
        out.push(Hole {
            first: from,
            x,
            end,
            text,
        });
    };
    let mut at = 0;
    for block in blocks {
        hole(at, block.first);
        at = block.last;
    }
    hole(at, segments.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_lab::report::MapsEntry;

    fn block(perms: &str, name: &str, sealed: bool) -> Block {
        Block {
            maps: MapsEntry {
                perms: perms.to_owned(),
                name: name.to_owned(),
                ..MapsEntry::default()
            },
            size: "128K".to_owned(),
            sealed,
            ..Block::default()
        }
    }

    #[test]
    fn labels_shrink_but_never_spill() {
        let block = block("rw-p", "/usr/lib/libc.so.6", true);
        assert_eq!(labels(&block, 400.0), ["rw-p 128K", "sealed libc.so.6"]);
        assert_eq!(
            labels(&block, 50.0),
            ["rw-p".to_owned(), "seale…".to_owned()]
        );
        for width in 0..120 {
            let room = ((f64::from(width) - 9.0) / CHAR).max(0.0);
            for label in labels(&block, f64::from(width)) {
                assert!(
                    label.chars().count() as f64 <= room + 1e-9,
                    "{label} in {width}"
                );
            }
        }
    }

    #[test]
    fn every_permission_has_a_colour() {
        let classes = ["rw-p", "r--p", "r-xp", "rwxp", "---p", "-w-s", "--xp", ""].map(permission);
        assert_eq!(
            classes,
            ["rw", "ro", "rx", "rwx", "none", "rw", "rx", "none"]
        );
    }

    #[test]
    fn what_is_not_mapped_is_a_hole() {
        let segments = vec![
            Segment {
                width: 4.0,
                size: "8K".to_owned(),
                ..Segment::default()
            };
            3
        ];
        let axis = Axis::new(&segments, 600.0);
        let middle = Block {
            first: 1,
            last: 2,
            ..Block::default()
        };
        let found = holes(&segments, &axis, &(0..3), &[middle]);
        let places: Vec<_> = found.iter().map(|h| (h.first, h.text.as_str())).collect();
        assert_eq!(places, [(0, "hole 8K"), (2, "hole 8K")]);
        assert!(holes(&segments, &axis, &(1..2), &[]).len() == 1);
    }
}
