//! One node of the index: a few entries in address order.

use super::NONE;

/// Most entries of a node.
pub(super) const FANOUT: usize = 24;
/// Fewest entries of a node other than the root. A node just split or merged is far from both
/// limits, so that mapping and unmapping in turn does not split and merge in turn.
pub(super) const FEWEST: usize = FANOUT / 4;

/// Entries in address order, one array a field because a search reads only one of them.
///
/// An entry of a leaf is a VMA, one of an inner node a subtree.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    /// Where the entry's last VMA ends; `u64::MAX` past the last entry.
    pub ends: [u64; FANOUT],
    /// The largest gap just below a VMA of the entry; 0 past the last entry.
    pub gaps: [u64; FANOUT],
    /// The VMA or the node.
    pub kids: [u32; FANOUT],
    /// The largest gap of all.
    pub largest: u64,
    /// None of the other gaps is larger than this. While the largest shrinks but not below it, it
    /// is the largest still, and no search is needed.
    pub bound: u64,
    pub len: u32,
    pub parent: u32,
    /// Which entry of its parent this node is.
    pub pos: u32,
    pub is_leaf: bool,
}

/// What a node holds of one VMA or subtree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub end: u64,
    pub gap: u64,
    pub kid: u32,
}

impl Entry {
    const PAST_LAST: Self = Self {
        end: u64::MAX,
        gap: 0,
        kid: NONE,
    };
}

impl Node {
    pub(super) fn new(is_leaf: bool) -> Self {
        Self {
            ends: [u64::MAX; FANOUT],
            gaps: [0; FANOUT],
            kids: [NONE; FANOUT],
            largest: 0,
            bound: 0,
            len: 0,
            parent: NONE,
            pos: 0,
            is_leaf,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    /// How many entries end at or below `addr`, which is the number of the first that ends above
    /// it; at least `len` where there is none.
    #[inline]
    pub(super) fn rank(&self, addr: u64) -> usize {
        // Counting needs no branches that the processor could guess wrong.
        let (blocks, _) = self.ends.as_chunks::<4>();
        let mut block = 0;
        for chunk in &blocks[..blocks.len() - 1] {
            block += usize::from(chunk[3] <= addr);
        }
        let mut rank = block * 4;
        for &end in &blocks[block] {
            rank += usize::from(end <= addr);
        }
        rank
    }

    /// The last entry before `at` with a gap of at least `size` bytes.
    #[inline]
    pub(super) fn last_fit(&self, at: usize, size: u64) -> Option<usize> {
        self.gaps[..at].iter().rposition(|&gap| gap >= size)
    }

    /// The first entry from `at` on with a gap of at least `size` bytes, which is not 0.
    #[inline]
    pub(super) fn first_fit(&self, at: usize, size: u64) -> Option<usize> {
        let found = self.gaps.get(at..)?.iter().position(|&gap| gap >= size)?;
        Some(at + found)
    }

    /// The entry that stands for this node, number `id`, in its parent.
    #[inline]
    pub(super) fn summary(&self, id: u32) -> Entry {
        Entry {
            end: self.ends[self.len().saturating_sub(1)],
            gap: self.largest,
            kid: id,
        }
    }

    #[inline]
    pub(super) fn set_gap(&mut self, at: usize, gap: u64) {
        let old = std::mem::replace(&mut self.gaps[at], gap);
        self.note(old, gap);
    }

    /// Has `largest` follow a change of one gap; 0 stands for one that is not there.
    #[inline]
    pub(super) fn note(&mut self, old: u64, new: u64) {
        if new >= self.largest {
            if old < self.largest {
                self.bound = self.largest;
            }
            self.largest = new;
        } else if old < self.largest {
            self.bound = self.bound.max(new);
        } else if new >= self.bound {
            self.largest = new;
        } else {
            self.note_all();
        }
    }

    /// Looks for the two largest gaps.
    pub(super) fn note_all(&mut self) {
        let (mut largest, mut second) = (0, 0);
        for &gap in &self.gaps {
            second = gap.min(largest).max(second);
            largest = gap.max(largest);
        }
        (self.largest, self.bound) = (largest, second);
    }

    pub(super) fn entry(&self, at: usize) -> Entry {
        Entry {
            end: self.ends[at],
            gap: self.gaps[at],
            kid: self.kids[at],
        }
    }

    #[inline]
    pub(super) fn set(&mut self, at: usize, entry: Entry) {
        self.ends[at] = entry.end;
        self.gaps[at] = entry.gap;
        self.kids[at] = entry.kid;
    }

    /// Puts an entry in at `at`, where there must be room. Noting its gap is left to the caller.
    #[inline]
    pub(super) fn insert(&mut self, at: usize, entry: Entry) {
        for i in (at..self.len().min(FANOUT - 1)).rev() {
            self.set(i + 1, self.entry(i));
        }
        self.set(at, entry);
        self.len += 1;
    }

    /// Takes the entry at `at` out. Noting its gap is left to the caller.
    #[inline]
    pub(super) fn remove(&mut self, at: usize) {
        let mut carried = Entry::PAST_LAST;
        for i in (at..self.len().min(FANOUT)).rev() {
            self.swap(i, &mut carried);
        }
        self.len -= 1;
    }

    #[inline]
    fn swap(&mut self, at: usize, entry: &mut Entry) {
        let old = self.entry(at);
        self.set(at, *entry);
        *entry = old;
    }

    /// Deals the entries of two neighbours out anew: `keep` to the lower one, the rest to the
    /// upper one.
    pub(super) fn deal(lower: &mut Self, upper: &mut Self, keep: usize) {
        let mut all = [Entry::PAST_LAST; 2 * FANOUT];
        let total = lower.len() + upper.len();
        for (at, entry) in all[..total].iter_mut().enumerate() {
            *entry = match at.checked_sub(lower.len()) {
                None => lower.entry(at),
                Some(at) => upper.entry(at),
            };
        }
        lower.fill(&all[..keep]);
        upper.fill(&all[keep..total]);
    }

    fn fill(&mut self, entries: &[Entry]) {
        for at in 0..FANOUT {
            self.set(at, entries.get(at).copied().unwrap_or(Entry::PAST_LAST));
        }
        self.len = entries.len() as u32;
        self.note_all();
    }
}
