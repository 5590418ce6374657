//! Address translation in hardware: two levels of TLBs, page-table walks and what shortens them.
//!
//! A [`Tlb`] knows nothing of page tables: where it misses, the caller's `translate` says what the
//! tables hold ([`Translation`]); where the kernel invalidates, [`Tlb::flush`] is told.

mod array;
mod profile;

pub use profile::{
    ArraySpec, NEOVERSE_N1, NEOVERSE_N2, PROFILES, Profile, Replacement, SKYLAKE, SecondLevel,
    Source, Sourced, WalkCache, ZEN2,
};

use crate::addr::PageSize;
use crate::paging::{MmId, TlbFlush};
use array::{Array, Tag};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Fetches an instruction.
    Fetch,
    /// Loads or stores.
    Data,
}

/// What the page tables hold for an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Translation {
    /// log2 of the bytes that one TLB entry may map: a page, a contiguous block, a PMD block.
    pub shift: u32,
    /// Table entries a walk from the root reads.
    pub reads: u32,
}

/// Where an access was translated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hit {
    /// By the first level.
    First,
    /// By the second.
    Second,
    /// By a walk of the page tables.
    Walk,
}

macro_rules! stats {
    ($($(#[$doc:meta])* $field:ident;)*) => {
        /// What was counted.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct TlbStats { $($(#[$doc])* pub $field: u64),* }

        impl TlbStats {
            /// Every count with its key in a report.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }

            /// What was counted since `earlier`.
            #[must_use]
            pub fn since(&self, earlier: &Self) -> Self {
                Self { $($field: self.$field.saturating_sub(earlier.$field)),* }
            }
        }
    };
}

stats! {
    /// Fetches.
    fetches;
    /// Loads and stores.
    data_accesses;
    /// Fetches that the first level did not translate.
    l1i_misses;
    /// Loads and stores that the first level did not translate.
    l1d_misses;
    /// Those that the second level did not translate either: walks.
    walks;
    /// Table entries that walks read.
    walk_reads;
    /// Table entries that walks need not read, thanks to cached pointers.
    walk_reads_saved;
    /// Translations that went for new ones.
    evictions;
    /// Invalidations.
    flushes;
    /// Entries that invalidations dropped.
    flushed_entries;
    /// Accesses that the page tables could not translate.
    faults;
}

impl TlbStats {
    /// Cycles spent on translation beyond first-level hits, where nothing overlaps: an upper
    /// bound by the profile's latencies.
    #[must_use]
    pub fn cycles(&self, profile: &Profile) -> u64 {
        let misses = self.l1i_misses.saturating_add(self.l1d_misses);
        misses
            .saturating_mul(u64::from(profile.l2_cycles.value))
            .saturating_add(
                self.walk_reads
                    .saturating_mul(u64::from(profile.read_cycles.value)),
            )
    }
}

/// The latest translation of one side: most accesses go where the one before went.
#[derive(Clone, Copy, Debug)]
struct Latest {
    asid: u32,
    base: u64,
    mask: u64,
}

impl Latest {
    /// Matches no address: every masked address is even.
    const NONE: Self = Self {
        asid: 0,
        base: 1,
        mask: 0,
    };
}

/// Levels of tables above the last-level entries that a walk cache may name.
const TABLE_LEVELS: usize = 3;
/// Classes of a second-level array that stand for tables, after its sizes.
const FIRST_TABLE_CLASS: u8 = 8;

/// A processor's TLBs.
#[derive(Clone, Debug)]
pub struct Tlb {
    profile: &'static Profile,
    l1i: Vec<Array>,
    l1d: Vec<Array>,
    l2i: Vec<Array>,
    /// The shared second level, or the data side's.
    l2d: Vec<Array>,
    shared: bool,
    walk_cache: Vec<Array>,
    /// log2 of the bytes a table of each level maps, from the last level's upwards.
    table_shifts: [u32; TABLE_LEVELS],
    latest: [Latest; 2],
    stats: TlbStats,
}

impl Tlb {
    /// Empty TLBs of `profile` for tables of that granule.
    #[must_use]
    pub fn new(profile: &'static Profile, granule: PageSize) -> Self {
        let make = |specs: &[ArraySpec]| specs.iter().map(Array::new).collect::<Vec<_>>();
        let (l2i, l2d, shared) = match profile.l2 {
            SecondLevel::Shared(specs) => (Vec::new(), make(specs), true),
            SecondLevel::Split { instruction, data } => (make(instruction), make(data), false),
        };
        let walk_cache = match profile.walk_cache {
            WalkCache::InSecondLevel(_) => Vec::new(),
            WalkCache::Own { entries, source } => entries
                .iter()
                .map(|&entries| {
                    Array::new(&ArraySpec {
                        entries,
                        ways: entries,
                        shifts: &[],
                        replacement: Replacement::Lru,
                        source,
                        sizes_source: source,
                    })
                })
                .collect(),
        };
        let bits = granule.shift() - 3;
        let last = granule.shift() + bits;
        Self {
            profile,
            l1i: make(profile.l1i),
            l1d: make(profile.l1d),
            l2i,
            l2d,
            shared,
            walk_cache,
            table_shifts: [last, last + bits, last + 2 * bits],
            latest: [Latest::NONE; 2],
            stats: TlbStats::default(),
        }
    }

    /// Its profile.
    #[must_use]
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// What was counted.
    #[must_use]
    pub fn stats(&self) -> &TlbStats {
        &self.stats
    }

    /// Translates `addr` of address space `mm`. Where no level has it, `translate` says what the
    /// page tables hold; `None` is a fault, and nothing is remembered.
    #[inline]
    pub fn access(
        &mut self,
        mm: MmId,
        addr: u64,
        kind: Kind,
        translate: impl FnOnce() -> Option<Translation>,
    ) -> Option<Hit> {
        let side = usize::from(kind == Kind::Data);
        if side == 0 {
            self.stats.fetches += 1;
        } else {
            self.stats.data_accesses += 1;
        }
        let latest = &self.latest[side];
        if addr & latest.mask == latest.base && latest.asid == mm.0 {
            return Some(Hit::First);
        }
        self.look_up(mm, addr, kind, translate)
    }

    /// An access found nothing valid in the page tables, and software had to mend them.
    pub fn fault(&mut self) {
        self.stats.faults += 1;
    }

    fn look_up(
        &mut self,
        mm: MmId,
        addr: u64,
        kind: Kind,
        translate: impl FnOnce() -> Option<Translation>,
    ) -> Option<Hit> {
        let data = kind == Kind::Data;
        let first = if data { &mut self.l1d } else { &mut self.l1i };
        if let Some(shift) = first.iter_mut().find_map(|a| a.find(mm.0, addr)) {
            self.remember(mm, addr, data, shift);
            return Some(Hit::First);
        }
        if data {
            self.stats.l1d_misses += 1;
        } else {
            self.stats.l1i_misses += 1;
        }
        let second = if data || self.shared {
            &mut self.l2d
        } else {
            &mut self.l2i
        };
        if let Some(shift) = second.iter_mut().find_map(|a| a.find(mm.0, addr)) {
            self.fill(mm, addr, data, shift, true);
            return Some(Hit::Second);
        }
        let Some(translation) = translate() else {
            self.stats.faults += 1;
            return None;
        };
        self.walk(mm, addr, translation);
        self.fill(mm, addr, data, translation.shift, false);
        Some(Hit::Walk)
    }

    /// Puts a translation into the first level, and into the second where it is not from there.
    fn fill(&mut self, mm: MmId, addr: u64, data: bool, shift: u32, in_second: bool) {
        if !in_second {
            let second = if data || self.shared {
                &mut self.l2d
            } else {
                &mut self.l2i
            };
            self.stats.evictions += u64::from(insert(second, mm, addr, shift).1);
        }
        let first = if data { &mut self.l1d } else { &mut self.l1i };
        let (held, evicted) = insert(first, mm, addr, shift);
        self.stats.evictions += u64::from(evicted);
        if let Some(held) = held {
            self.remember(mm, addr, data, held);
        }
    }

    #[inline]
    fn remember(&mut self, mm: MmId, addr: u64, data: bool, shift: u32) {
        let mask = !((1u64 << shift) - 1);
        self.latest[usize::from(data)] = Latest {
            asid: mm.0,
            base: addr & mask,
            mask,
        };
    }

    /// Reads the tables from the lowest one that is known on.
    fn walk(&mut self, mm: MmId, addr: u64, translation: Translation) {
        self.stats.walks += 1;
        // How many table levels lie between the root and the table that holds the entry.
        let above = translation.reads.saturating_sub(1) as usize;
        // The table that holds the entry: of last-level entries for a page, one higher for a block.
        let lowest = self
            .table_shifts
            .iter()
            .position(|&s| s > translation.shift)
            .unwrap_or(0);
        let mut saved = 0;
        for up in 0..above {
            let level = lowest + up;
            if level < TABLE_LEVELS && self.knows_table(mm, addr, level) {
                saved = above - up;
                break;
            }
        }
        let reads = above + 1 - saved;
        self.stats.walk_reads += reads as u64;
        self.stats.walk_reads_saved += saved as u64;
        // Each table entry read above the last names a table: remembered.
        for up in 0..reads - 1 {
            let level = lowest + up;
            if level < TABLE_LEVELS {
                self.remember_table(mm, addr, level);
            }
        }
    }

    fn table_tag(&self, mm: MmId, addr: u64, level: usize) -> Tag {
        let class = FIRST_TABLE_CLASS + u8::try_from(level).unwrap_or(0);
        Tag::new(mm.0, class, addr >> self.table_shifts[level])
    }

    fn knows_table(&mut self, mm: MmId, addr: u64, level: usize) -> bool {
        let tag = self.table_tag(mm, addr, level);
        match self.profile.walk_cache {
            WalkCache::InSecondLevel(_) => self.l2d.first_mut().is_some_and(|a| a.touch(tag)),
            WalkCache::Own { .. } => self.walk_cache.get_mut(level).is_some_and(|a| a.touch(tag)),
        }
    }

    fn remember_table(&mut self, mm: MmId, addr: u64, level: usize) {
        let tag = self.table_tag(mm, addr, level);
        let array = match self.profile.walk_cache {
            WalkCache::InSecondLevel(_) => self.l2d.first_mut(),
            WalkCache::Own { .. } => self.walk_cache.get_mut(level),
        };
        if let Some(array) = array
            && !array.touch(tag)
        {
            array.insert(tag);
        }
    }

    /// Drops translations: of a range of an address space, or all of it. Pointers to tables go
    /// with a whole address space only (the kernel's flushes name last-level entries).
    pub fn flush(&mut self, flush: TlbFlush) {
        self.stats.flushes += 1;
        self.latest = [Latest::NONE; 2];
        let mut dropped = 0;
        let asid = flush.mm.0;
        for array in self
            .l1i
            .iter_mut()
            .chain(&mut self.l1d)
            .chain(&mut self.l2i)
            .chain(&mut self.l2d)
            .filter(|array| !array.is_empty())
        {
            dropped += match flush.range {
                Some(range) => array.drop_range(asid, range.start, range.end),
                None => array.retain(|tag| tag.asid() != asid),
            };
        }
        if flush.range.is_none() {
            for array in &mut self.walk_cache {
                dropped += array.retain(|tag| tag.asid() != asid);
            }
        }
        self.stats.flushed_entries += dropped;
    }

    /// Drops everything of every address space.
    pub fn flush_all(&mut self) {
        self.stats.flushes += 1;
        self.latest = [Latest::NONE; 2];
        let arrays = [
            &mut self.l1i,
            &mut self.l1d,
            &mut self.l2i,
            &mut self.l2d,
            &mut self.walk_cache,
        ];
        for array in arrays.into_iter().flatten() {
            self.stats.flushed_entries += array.retain(|_| false);
        }
    }

    /// What the arrays hold, for a view: the array's name, its capacity, and its translations
    /// (address space, first address, log2 of the bytes mapped).
    #[must_use]
    pub fn contents(&self) -> Vec<ArrayContents> {
        let mut all = Vec::new();
        let l2 = if self.shared { "L2" } else { "L2 data" };
        for (name, arrays) in [
            ("L1 instruction", &self.l1i),
            ("L1 data", &self.l1d),
            ("L2 instruction", &self.l2i),
            (l2, &self.l2d),
        ] {
            for array in arrays {
                all.push(ArrayContents {
                    name,
                    capacity: array.capacity(),
                    entries: array
                        .tags()
                        .filter(|tag| tag.class() < FIRST_TABLE_CLASS)
                        .map(|tag| {
                            let shift = array.shift_of(tag.class());
                            HeldEntry {
                                mm: MmId(tag.asid()),
                                addr: tag.page() << shift,
                                shift,
                            }
                        })
                        .collect(),
                });
            }
        }
        all
    }
}

/// One array's translations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayContents {
    /// Which array.
    pub name: &'static str,
    /// Entries it can hold.
    pub capacity: usize,
    /// What it holds.
    pub entries: Vec<HeldEntry>,
}

/// One translation held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HeldEntry {
    /// Whose.
    pub mm: MmId,
    /// First address it maps.
    pub addr: u64,
    /// log2 of the bytes it maps.
    pub shift: u32,
}

impl ArrayContents {
    /// Bytes its translations map together.
    #[must_use]
    pub fn reach(&self) -> u64 {
        self.entries.iter().map(|e| 1u64 << e.shift).sum()
    }
}

/// Puts a translation into the array of `arrays` that holds the largest size not above it. Says at
/// which size, and whether another one had to go.
fn insert(arrays: &mut [Array], mm: MmId, addr: u64, shift: u32) -> (Option<u32>, bool) {
    if let [array] = arrays {
        return insert_into(array, mm, addr, shift);
    }
    let held = |a: &Array| a.class_for(shift).map(|class| a.shift_of(class));
    match arrays.iter_mut().max_by_key(|a| held(a)) {
        Some(array) => insert_into(array, mm, addr, shift),
        None => (None, false),
    }
}

#[inline]
fn insert_into(array: &mut Array, mm: MmId, addr: u64, shift: u32) -> (Option<u32>, bool) {
    let Some(class) = array.class_for(shift) else {
        return (None, false);
    };
    let held = array.shift_of(class);
    let evicted = array.insert(Tag::new(mm.0, class, addr >> held));
    (Some(held), evicted)
}

#[cfg(test)]
mod tests;
