//! One array of TLB entries: sets, ways, replacement.

use super::profile::{ArraySpec, Replacement};

/// What an entry is found by: address space, size class and page number in one word. 0: empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tag(u64);

const CLASS_BITS: u32 = 4;
const PAGE_BITS: u32 = 36;
const PAGE_MASK: u64 = (1 << PAGE_BITS) - 1;

impl Tag {
    pub const EMPTY: Self = Self(0);

    /// `class` is a position in the array's sizes, or beyond them a level of tables.
    #[inline]
    pub fn new(asid: u32, class: u8, page: u64) -> Self {
        let low = (page & PAGE_MASK) << CLASS_BITS | u64::from(class + 1);
        // 24 bits of address space: more than processes a machine can have.
        Self(u64::from(asid) << (PAGE_BITS + CLASS_BITS) | low)
    }

    #[inline]
    pub fn page(self) -> u64 {
        self.0 >> CLASS_BITS & PAGE_MASK
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // four bits
    pub fn class(self) -> u8 {
        ((self.0 & ((1 << CLASS_BITS) - 1)) as u8).wrapping_sub(1)
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // 24 bits
    pub fn asid(self) -> u32 {
        (self.0 >> (PAGE_BITS + CLASS_BITS)) as u32
    }

    fn hash(self) -> usize {
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
    }
}

/// An array of entries.
#[derive(Clone, Debug)]
pub(super) struct Array {
    shifts: &'static [u8],
    /// By the log2 of a translation's bytes: the class it is kept in, or `NO_CLASS`.
    classes: [u8; 64],
    ways: usize,
    set_mask: u64,
    sets: Sets,
    /// Entries of each class.
    by_class: [u32; 1 << CLASS_BITS],
    /// Sizes (not tables) that any entry has, as a bit set: others are not looked for.
    present: u32,
}

#[derive(Clone, Debug)]
enum Sets {
    /// Ways of a set stand in order of use, the latest first.
    Ordered(Box<[Tag]>),
    /// Ways stand still; a tree of bits a set says which was used less lately.
    Tree { tags: Box<[Tag]>, bits: Box<[u64]> },
    /// One set of many ways: found by hash, ordered by a list.
    Full(Box<Full>),
}

const NO_CLASS: u8 = u8::MAX;

/// Sets of fewer ways are searched one by one, and so are those of more than a [`Full`] can hold.
const FEW_WAYS: usize = 17;
const MOST_WAYS: usize = 64;

impl Array {
    pub fn new(spec: &ArraySpec) -> Self {
        let entries = spec.entries.max(1) as usize;
        let ways = (spec.ways.max(1) as usize).min(entries);
        let sets = entries / ways;
        let plru =
            spec.replacement == Replacement::TreePlru && ways.is_power_of_two() && ways <= 64;
        let sets_of = if plru {
            Sets::Tree {
                tags: vec![Tag::EMPTY; entries].into_boxed_slice(),
                bits: vec![0; sets].into_boxed_slice(),
            }
        } else if sets == 1 && (FEW_WAYS..=MOST_WAYS).contains(&ways) {
            Sets::Full(Box::new(Full::new(entries)))
        } else {
            Sets::Ordered(vec![Tag::EMPTY; entries].into_boxed_slice())
        };
        let mut classes = [NO_CLASS; 64];
        for (class, &shift) in (0..NO_CLASS).zip(spec.shifts) {
            for kept in classes.iter_mut().skip(usize::from(shift)) {
                *kept = class;
            }
        }
        Self {
            shifts: spec.shifts,
            classes,
            ways,
            // A number of sets that is no power of two is rounded down to one.
            set_mask: (1u64 << sets.ilog2()) - 1,
            sets: sets_of,
            by_class: [0; 1 << CLASS_BITS],
            present: 0,
        }
    }

    /// The class a translation of `1 << shift` bytes is kept in: the largest size not above.
    #[inline]
    pub fn class_for(&self, shift: u32) -> Option<u8> {
        let class = *self.classes.get(shift as usize)?;
        (class != NO_CLASS).then_some(class)
    }

    #[inline]
    pub fn shift_of(&self, class: u8) -> u32 {
        self.shifts
            .get(usize::from(class))
            .map_or(0, |&s| u32::from(s))
    }

    /// Whether it holds a translation of `addr`; makes it the latest used. Says its size.
    #[inline]
    pub fn find(&mut self, asid: u32, addr: u64) -> Option<u32> {
        let mut left = self.present;
        while left != 0 {
            let class = left.trailing_zeros();
            left &= left - 1;
            let shift = u32::from(*self.shifts.get(class as usize)?);
            #[allow(clippy::cast_possible_truncation)] // a bit position
            if self.touch(Tag::new(asid, class as u8, addr >> shift)) {
                return Some(shift);
            }
        }
        None
    }

    fn count_in(&mut self, tag: Tag) {
        let class = tag.class();
        self.by_class[usize::from(class)] += 1;
        if usize::from(class) < self.shifts.len() {
            self.present |= 1 << class;
        }
    }

    fn count_out(&mut self, tag: Tag) {
        let class = tag.class();
        let count = &mut self.by_class[usize::from(class)];
        *count -= 1;
        if *count == 0 {
            self.present &= !(1 << class);
        }
    }

    #[inline]
    fn set_of(&self, tag: Tag) -> usize {
        (tag.page() & self.set_mask) as usize * self.ways
    }

    /// Whether `tag` is there; makes it the latest used.
    #[inline]
    pub fn touch(&mut self, tag: Tag) -> bool {
        let first = self.set_of(tag);
        match &mut self.sets {
            Sets::Full(full) => full.touch(tag),
            Sets::Ordered(tags) => {
                let set = &mut tags[first..first + self.ways];
                let Some(at) = position(set, tag) else {
                    return false;
                };
                to_front(set, at, tag);
                true
            }
            Sets::Tree { tags, bits } => {
                let set = &tags[first..first + self.ways];
                let Some(at) = set.iter().position(|&t| t == tag) else {
                    return false;
                };
                mark_used(&mut bits[first / self.ways], self.ways, at);
                true
            }
        }
    }

    /// Adds `tag`, which is not there. Says whether another one had to go.
    pub fn insert(&mut self, tag: Tag) -> bool {
        let first = self.set_of(tag);
        let gone = match &mut self.sets {
            Sets::Full(full) => full.insert(tag),
            Sets::Ordered(tags) => {
                let set = &mut tags[first..first + self.ways];
                let last = set.len() - 1;
                let gone = set[last];
                to_front(set, last, tag);
                gone
            }
            Sets::Tree { tags, bits } => {
                let set = &mut tags[first..first + self.ways];
                let tree = &mut bits[first / self.ways];
                let at = set
                    .iter()
                    .position(|&t| t == Tag::EMPTY)
                    .unwrap_or_else(|| least_used(*tree, self.ways));
                let gone = core::mem::replace(&mut set[at], tag);
                mark_used(tree, self.ways, at);
                gone
            }
        };
        if gone == Tag::EMPTY {
            self.count_in(tag);
            return false;
        }
        if gone.class() != tag.class() {
            self.count_in(tag);
            self.count_out(gone);
        }
        true
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.by_class.iter().all(|&n| n == 0)
    }

    /// Takes one entry out, if it is there.
    pub fn remove(&mut self, tag: Tag) -> bool {
        let first = self.set_of(tag);
        let gone = match &mut self.sets {
            Sets::Full(full) => full.remove(tag),
            Sets::Ordered(tags) => {
                let set = &mut tags[first..first + self.ways];
                let at = position(set, tag);
                if let Some(at) = at {
                    // The later ones close up, so that empty ways stand last.
                    set[at..].rotate_left(1);
                    set[self.ways - 1] = Tag::EMPTY;
                }
                at.is_some()
            }
            Sets::Tree { tags, .. } => {
                let set = &mut tags[first..first + self.ways];
                let at = position(set, tag);
                if let Some(at) = at {
                    set[at] = Tag::EMPTY;
                }
                at.is_some()
            }
        };
        if gone {
            self.count_out(tag);
        }
        gone
    }

    /// Drops every translation of `asid` that meets `start..end`; says how many.
    pub fn drop_range(&mut self, asid: u32, start: u64, end: u64) -> u64 {
        let mut dropped = 0;
        let mut left = self.present;
        while left != 0 {
            let class = left.trailing_zeros();
            left &= left - 1;
            let Some(&shift) = self.shifts.get(class as usize) else {
                break;
            };
            #[allow(clippy::cast_possible_truncation)] // a bit position
            let class = class as u8;
            let (first, last) = (start >> shift, end.saturating_sub(1) >> shift);
            if last - first < u64::from(self.by_class[usize::from(class)]) {
                for page in first..=last {
                    dropped += u64::from(self.remove(Tag::new(asid, class, page)));
                }
            } else {
                dropped += self.retain(|tag| {
                    tag.asid() != asid
                        || tag.class() != class
                        || !(first..=last).contains(&tag.page())
                });
            }
        }
        dropped
    }

    /// Drops every entry that `keep` does not keep; says how many.
    pub fn retain(&mut self, keep: impl Fn(Tag) -> bool) -> u64 {
        let gone: Vec<Tag> = self.tags().filter(|&tag| !keep(tag)).collect();
        for &tag in &gone {
            self.remove(tag);
        }
        gone.len() as u64
    }

    /// Every entry.
    pub fn tags(&self) -> impl Iterator<Item = Tag> + '_ {
        let tags: &[Tag] = match &self.sets {
            Sets::Full(full) => &full.tags[..full.entries],
            Sets::Ordered(tags) | Sets::Tree { tags, .. } => tags,
        };
        tags.iter().copied().filter(|&t| t != Tag::EMPTY)
    }

    /// Entries it can hold.
    pub fn capacity(&self) -> usize {
        match &self.sets {
            Sets::Full(full) => full.entries,
            Sets::Ordered(tags) | Sets::Tree { tags, .. } => tags.len(),
        }
    }
}

/// Puts `tag` first and moves those before `at` back by one, over what stood there.
#[inline]
fn to_front(set: &mut [Tag], at: usize, tag: Tag) {
    let mut carried = tag;
    for slot in &mut set[..=at] {
        core::mem::swap(slot, &mut carried);
    }
}

/// Points every bit on the way to `way` away from it.
fn mark_used(tree: &mut u64, ways: usize, way: usize) {
    let mut node = 1;
    let mut half = ways / 2;
    while half > 0 {
        let right = way & half != 0;
        if right {
            *tree &= !(1 << node);
        } else {
            *tree |= 1 << node;
        }
        node = 2 * node + usize::from(right);
        half /= 2;
    }
}

/// The way the bits point at.
fn least_used(tree: u64, ways: usize) -> usize {
    let mut node = 1;
    let mut way = 0;
    let mut half = ways / 2;
    while half > 0 {
        let right = tree >> node & 1 == 1;
        way |= if right { half } else { 0 };
        node = 2 * node + usize::from(right);
        half /= 2;
    }
    way
}

/// Where `tag` stands in a set; few ways are compared without a branch each, and the usual numbers
/// of ways without a loop.
#[inline]
fn position(set: &[Tag], tag: Tag) -> Option<usize> {
    fn fixed<const WAYS: usize>(set: &[Tag; WAYS], tag: Tag) -> Option<usize> {
        let mut hits = 0u32;
        for (at, &t) in set.iter().enumerate() {
            hits |= u32::from(t == tag) << at;
        }
        (hits != 0).then(|| hits.trailing_zeros() as usize)
    }
    if let Ok(set) = <&[Tag; 5]>::try_from(set) {
        return fixed(set, tag);
    }
    if let Ok(set) = <&[Tag; 4]>::try_from(set) {
        return fixed(set, tag);
    }
    if set.len() > 32 {
        return set.iter().position(|&t| t == tag);
    }
    let mut hits = 0u32;
    for (at, &t) in set.iter().enumerate() {
        hits |= u32::from(t == tag) << at;
    }
    (hits != 0).then(|| hits.trailing_zeros() as usize)
}

/// One set of up to [`MOST_WAYS`] ways: found by hash, ordered by a list.
#[derive(Clone, Debug)]
struct Full {
    tags: [Tag; MOST_WAYS],
    entries: usize,
    /// Slot by hash, open addressing; `NONE`: free.
    index: [u8; BUCKETS],
    /// The slots used just after and just before each slot. The list is a ring through `END`,
    /// whose `older` is the latest used.
    newer: [u8; 2 * MOST_WAYS],
    older: [u8; 2 * MOST_WAYS],
    free: Vec<u8>,
}

/// Four buckets a slot.
const BUCKETS: usize = 4 * MOST_WAYS;
const NONE: u8 = u8::MAX;
const END: u8 = MOST_WAYS as u8;

/// Positions in the arrays below are masked rather than checked.
#[inline]
fn in_list(slot: u8) -> usize {
    usize::from(slot) % (2 * MOST_WAYS)
}

impl Full {
    fn new(entries: usize) -> Self {
        let entries = entries.min(MOST_WAYS);
        Self {
            tags: [Tag::EMPTY; MOST_WAYS],
            entries,
            index: [NONE; BUCKETS],
            newer: [END; 2 * MOST_WAYS],
            older: [END; 2 * MOST_WAYS],
            free: (0..END).take(entries).rev().collect(),
        }
    }

    #[inline]
    fn tag(&self, slot: u8) -> Tag {
        self.tags[usize::from(slot) % MOST_WAYS]
    }

    #[inline]
    fn bucket_of(&self, tag: Tag) -> Option<usize> {
        let mut at = tag.hash() % BUCKETS;
        loop {
            let slot = self.index[at];
            if slot == NONE {
                return None;
            }
            if self.tag(slot) == tag {
                return Some(at);
            }
            at = (at + 1) % BUCKETS;
        }
    }

    #[inline]
    fn touch(&mut self, tag: Tag) -> bool {
        let Some(bucket) = self.bucket_of(tag) else {
            return false;
        };
        let slot = self.index[bucket];
        if self.older[in_list(END)] != slot {
            self.unlink(slot);
            self.link_latest(slot);
        }
        true
    }

    #[inline]
    fn unlink(&mut self, slot: u8) {
        let (newer, older) = (self.newer[in_list(slot)], self.older[in_list(slot)]);
        self.older[in_list(newer)] = older;
        self.newer[in_list(older)] = newer;
    }

    #[inline]
    fn link_latest(&mut self, slot: u8) {
        let latest = self.older[in_list(END)];
        self.older[in_list(slot)] = latest;
        self.newer[in_list(slot)] = END;
        self.newer[in_list(latest)] = slot;
        self.older[in_list(END)] = slot;
    }

    fn insert(&mut self, tag: Tag) -> Tag {
        let mut gone = Tag::EMPTY;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                let oldest = self.newer[in_list(END)];
                gone = self.tag(oldest);
                self.forget(gone);
                self.unlink(oldest);
                oldest
            }
        };
        self.tags[usize::from(slot) % MOST_WAYS] = tag;
        let mut at = tag.hash() % BUCKETS;
        while self.index[at] != NONE {
            at = (at + 1) % BUCKETS;
        }
        self.index[at] = slot;
        self.link_latest(slot);
        gone
    }

    /// Takes a tag out of the index, closing the gap behind it.
    fn forget(&mut self, tag: Tag) {
        let Some(mut hole) = self.bucket_of(tag) else {
            return;
        };
        self.index[hole] = NONE;
        let mut at = (hole + 1) % BUCKETS;
        while self.index[at] != NONE {
            let home = self.tag(self.index[at]).hash() % BUCKETS;
            // Movable if its home does not lie between the hole and where it stands.
            if at.wrapping_sub(home) % BUCKETS >= at.wrapping_sub(hole) % BUCKETS {
                self.index[hole] = self.index[at];
                self.index[at] = NONE;
                hole = at;
            }
            at = (at + 1) % BUCKETS;
        }
    }

    fn remove(&mut self, tag: Tag) -> bool {
        let Some(bucket) = self.bucket_of(tag) else {
            return false;
        };
        let slot = self.index[bucket];
        self.forget(tag);
        self.unlink(slot);
        self.tags[usize::from(slot) % MOST_WAYS] = Tag::EMPTY;
        self.free.push(slot);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::Source;
    use super::*;

    fn spec(entries: u32, ways: u32, replacement: Replacement) -> ArraySpec {
        ArraySpec {
            entries,
            ways,
            shifts: &[12, 16, 21],
            replacement,
            source: Source::Assumed("test"),
            sizes_source: Source::Assumed("test"),
        }
    }

    /// The same by searching a list: least recently used first.
    struct Model {
        sets: Vec<Vec<Tag>>,
        ways: usize,
    }

    impl Model {
        fn set(&mut self, tag: Tag) -> &mut Vec<Tag> {
            let n = self.sets.len() as u64;
            &mut self.sets[(tag.page() % n) as usize]
        }

        fn access(&mut self, tag: Tag) -> bool {
            let ways = self.ways;
            let set = self.set(tag);
            let found = set.iter().position(|&t| t == tag);
            if let Some(at) = found {
                set.remove(at);
            } else if set.len() == ways {
                set.remove(0);
            }
            set.push(tag);
            found.is_some()
        }
    }

    #[test]
    fn least_recently_used_goes_as_a_list_says() {
        for (entries, ways) in [(48, 48), (64, 64), (64, 4), (1280, 5), (8, 8), (96, 96)] {
            let mut array = Array::new(&spec(entries, ways, Replacement::Lru));
            let mut model = Model {
                sets: vec![Vec::new(); (entries / ways) as usize],
                ways: ways as usize,
            };
            let mut seed = 7u64;
            for round in 0..60_000u64 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let page = (seed >> 33) % u64::from(entries * 3 / 2);
                let tag = Tag::new((seed >> 60) as u32 & 1, (seed >> 50) as u8 % 2, page);
                let hit = array.touch(tag);
                if !hit {
                    array.insert(tag);
                }
                assert_eq!(hit, model.access(tag), "{entries}/{ways}, access {round}");
                if round % 997 == 0 {
                    let keep = move |t: Tag| t.asid() != 1 || !t.page().is_multiple_of(3);
                    array.retain(keep);
                    for set in &mut model.sets {
                        set.retain(|&t| keep(t));
                    }
                    let counted: u32 = array.by_class.iter().sum();
                    assert_eq!(counted as usize, array.tags().count());
                }
            }
        }
    }

    #[test]
    fn a_tree_of_bits_spares_the_latest() {
        let mut array = Array::new(&spec(8, 8, Replacement::TreePlru));
        for page in 0..8 {
            assert!(!array.insert(Tag::new(1, 0, page)));
        }
        array.touch(Tag::new(1, 0, 0));
        // The bits point to the other half, least lately used there.
        assert!(array.insert(Tag::new(1, 0, 100)));
        assert!(array.touch(Tag::new(1, 0, 0)));
        assert!(!array.touch(Tag::new(1, 0, 4)));
    }

    #[test]
    fn a_larger_size_is_broken_down() {
        let array = Array::new(&spec(48, 48, Replacement::Lru));
        assert_eq!(array.class_for(25).map(|c| array.shift_of(c)), Some(21));
        assert_eq!(array.class_for(14).map(|c| array.shift_of(c)), Some(12));
        assert_eq!(array.class_for(11), None);
    }
}
