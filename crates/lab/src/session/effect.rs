//! What a call did to the address space, summed up from its changes.

use sealab_core::addr::AddrRange;
use sealab_core::machine::{Change, ChangeKind};

/// What a call did, without its order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effect {
    /// Bytes touched in each way, in the order in which the ways first occurred.
    pub bytes: Vec<(ChangeKind, u64)>,
    /// Where mappings were left cut in two.
    pub splits: Vec<u64>,
    /// Where two mappings became one.
    pub merges: Vec<u64>,
}

impl Effect {
    /// The effect of `changes`.
    #[must_use]
    pub fn of(changes: &[Change]) -> Self {
        let mut effect = Self::default();
        for change in changes {
            let at = change.range.start;
            match change.kind {
                // A cut that is mended in the same call leaves nothing behind.
                ChangeKind::Split => match effect.merges.iter().position(|&m| m == at) {
                    Some(place) => drop(effect.merges.swap_remove(place)),
                    None => effect.splits.push(at),
                },
                ChangeKind::Merged => match effect.splits.iter().position(|&s| s == at) {
                    Some(place) => drop(effect.splits.swap_remove(place)),
                    None => effect.merges.push(at),
                },
                kind => {
                    if effect.bytes.iter().all(|(k, _)| *k != kind) {
                        let ranges = changes.iter().filter(|c| c.kind == kind);
                        let total = covered(ranges.map(|c| c.range).collect());
                        if total > 0 {
                            effect.bytes.push((kind, total));
                        }
                    }
                }
            }
        }
        effect.splits.sort_unstable();
        effect.merges.sort_unstable();
        effect
    }

    /// Whether nothing is otherwise than before.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.bytes.is_empty() && self.splits.is_empty() && self.merges.is_empty()
    }

    /// Whether the call left a cut and did nothing else.
    #[must_use]
    pub fn is_split_only(&self) -> bool {
        self.bytes.is_empty() && !self.splits.is_empty()
    }

    /// Bytes changed in any way; where ways overlap, the widest counts.
    #[must_use]
    pub fn changed_bytes(&self) -> u64 {
        self.bytes.iter().map(|&(_, n)| n).max().unwrap_or(0)
    }
}

/// Bytes that the ranges hold together.
fn covered(mut ranges: Vec<AddrRange>) -> u64 {
    merge_ranges(&mut ranges);
    ranges.iter().map(|r| r.len()).sum()
}

/// Sorts the ranges and joins those that meet; empty ones go.
pub fn merge_ranges(ranges: &mut Vec<AddrRange>) {
    ranges.retain(|r| !r.is_empty());
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let meets = next.start <= last.end;
        if meets {
            last.end = last.end.max(next.end);
        }
        meets
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(kind: ChangeKind, start: u64, end: u64) -> Change {
        Change {
            range: AddrRange::new(start, end),
            kind,
        }
    }

    #[test]
    fn overlapping_changes_count_once() {
        let effect = Effect::of(&[
            change(ChangeKind::Protected, 0, 8),
            change(ChangeKind::Protected, 4, 12),
            change(ChangeKind::Split, 12, 12),
        ]);
        assert_eq!(effect.bytes, [(ChangeKind::Protected, 12)]);
        assert_eq!(
            (effect.splits.as_slice(), effect.changed_bytes()),
            (&[12][..], 12)
        );
    }

    #[test]
    fn a_mended_cut_is_no_effect() {
        let effect = Effect::of(&[
            change(ChangeKind::Split, 4, 4),
            change(ChangeKind::Merged, 4, 4),
        ]);
        assert!(effect.is_nothing());
    }
}
