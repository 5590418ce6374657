//! How high the kernel's tree of VMAs is: what one descent costs.

use std::ops::RangeInclusive;

use super::tree::VmaTree;

/// Entries a leaf holds at most (`MAPLE_RANGE64_SLOTS`), and as few as before it is rebalanced.
const LEAF: (u64, u64) = (16, 6);
/// Children an inner node has (`MAPLE_ARANGE64_SLOTS`), likewise.
const INNER: (u64, u64) = (10, 4);

/// The heights, in levels from the root to a leaf, that a maple tree over these VMAs can have: every
/// VMA is an entry, and so is every gap. Which of them it has depends on the order in which the
/// VMAs came, since that decides how full its nodes are.
pub fn height(tree: &VmaTree) -> RangeInclusive<u32> {
    let mut reached = 0;
    let mut entries = 1; // the gap above the last
    for (_, vma) in tree.iter() {
        entries += 1 + u64::from(vma.start > reached);
        reached = vma.end;
    }
    bounds(entries)
}

/// Entries of a leaf and children of an inner node, as they mostly are: two thirds of the most.
const USUAL: (u64, u64) = (11, 7);

/// A process's own few mappings (program, libraries, heap, stack) lie apart: so many gaps.
const OWN_GAPS: u64 = 16;

/// Levels from the root to a leaf of a tree of `vmas` VMAs whose nodes are as full as they mostly
/// are. The tree's exact shape is not simulated; [`height`] gives its bounds.
#[inline]
pub fn typical(vmas: u64) -> u32 {
    let entries = vmas.saturating_add(vmas.min(OWN_GAPS));
    let mut levels = 1;
    let mut room = LEAF.0;
    while room < entries {
        levels += 1;
        // From the second level on no node is the root alone.
        room = if levels == 2 {
            USUAL.0 * USUAL.1
        } else {
            room.saturating_mul(USUAL.1)
        };
    }
    levels
}

fn bounds(entries: u64) -> RangeInclusive<u32> {
    let mut least = 1;
    let mut room = LEAF.0;
    while room < entries {
        room = room.saturating_mul(INNER.0);
        least += 1;
    }
    let mut most = 1;
    // Only the root may have as few as two children.
    let mut needed = Some(2 * LEAF.1);
    while let Some(fits) = needed.filter(|&n| n <= entries) {
        needed = fits.checked_mul(INNER.1);
        most += 1;
    }
    least..=most.max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuller_nodes_make_a_lower_tree() {
        assert_eq!(bounds(1), 1..=1);
        assert_eq!(bounds(16), 1..=2);
        assert_eq!(bounds(17), 2..=2);
        assert_eq!(bounds(160), 2..=3);
        assert_eq!(bounds(161), 3..=3);
        assert_eq!(bounds(120_000), 5..=8);
    }

    #[test]
    fn the_usual_height_is_within_the_bounds() {
        for vmas in [1, 8, 9, 15, 16, 17, 61, 62, 1_000, 32_000, 65_530] {
            assert!(
                bounds(vmas + vmas.min(OWN_GAPS)).contains(&typical(vmas)),
                "{vmas}"
            );
        }
        assert!(typical(u64::MAX) < 64);
    }

    #[test]
    fn no_number_of_entries_is_too_large() {
        assert!(*bounds(u64::MAX).end() < 64);
    }
}
