//! A process's page table: leaf tables and PMD blocks in a sparse directory, and how many
//! table pages of each level that takes.

use std::collections::BTreeMap;

use super::entry::Pte;
use super::{Level, MmId};
use crate::addr::{AddrRange, Bytes, PageSize};

/// A last-level table.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    entries: Box<[Pte]>,
    /// Entries that are not empty.
    used: u32,
    /// Entries that count in Rss.
    resident: u32,
}

impl Leaf {
    fn new(len: usize) -> Self {
        Self {
            entries: vec![Pte::EMPTY; len].into_boxed_slice(),
            used: 0,
            resident: 0,
        }
    }

    #[inline]
    pub fn get(&self, index: usize) -> Pte {
        self.entries.get(index).copied().unwrap_or_default()
    }

    /// Writes one entry and keeps the counts.
    #[inline]
    pub fn put(&mut self, index: usize, new: Pte) {
        let Some(slot) = self.entries.get_mut(index) else {
            return;
        };
        let old = core::mem::replace(slot, new);
        self.used += u32::from(!new.is_empty());
        self.used -= u32::from(!old.is_empty());
        self.resident += u32::from(new.resident());
        self.resident -= u32::from(old.resident());
    }

    pub fn is_empty(&self) -> bool {
        self.used == 0
    }
}

/// Last-level entries that a simulated process may have room for: 64 MiB of them, over 32 GiB of
/// 4K pages. Beyond, it is out of memory.
const MAX_ENTRIES: usize = 8 << 20;

/// What a PMD entry points at.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// A table of last-level entries.
    Table(Leaf),
    /// A block: page 0 of a folio of PMD order, or the huge zero page. `deposit` says that a
    /// table page is kept aside for splitting it.
    Block { pte: Pte, deposit: bool },
}

/// A process's page table.
#[derive(Clone, Debug)]
pub struct PageTable {
    mm: MmId,
    page: PageSize,
    slots: BTreeMap<u64, Slot>,
    /// Tables above the PTE level, from the lowest up: which exist and how many children each has.
    /// The root is always there and is not in it.
    upper: [BTreeMap<u64, u32>; 2],
    deposits: u64,
    /// What an mmu_gather has cleared so far and not flushed.
    pub(crate) gather: Option<AddrRange>,
    /// Whether the process is ending: its gather flushes everything at once.
    pub(crate) exiting: bool,
}

impl PageTable {
    pub(crate) fn new(mm: MmId, page: PageSize) -> Self {
        Self {
            mm,
            page,
            slots: BTreeMap::new(),
            upper: [BTreeMap::new(), BTreeMap::new()],
            deposits: 0,
            gather: None,
            exiting: false,
        }
    }

    /// Whose it is.
    #[must_use]
    pub fn mm(&self) -> MmId {
        self.mm
    }

    /// The translation granule.
    #[must_use]
    pub fn page_size(&self) -> PageSize {
        self.page
    }

    /// log2 of the entries of a full table.
    fn table_bits(&self) -> u32 {
        self.page.shift() - 3
    }

    fn pmd_shift(&self) -> u32 {
        self.page.shift() + self.table_bits()
    }

    /// Bytes one PMD entry maps.
    pub(crate) fn pmd_bytes(&self) -> u64 {
        1 << self.pmd_shift()
    }

    /// Levels above the PTE tables and below the root, with 48-bit addresses: two with 4K and 16K
    /// pages, one with 64K.
    fn upper_levels(&self) -> usize {
        if self.page == PageSize::K64 { 1 } else { 2 }
    }

    /// The PMD entry `addr` belongs to.
    #[inline]
    pub(crate) fn key(&self, addr: u64) -> u64 {
        addr >> self.pmd_shift()
    }

    /// First byte of PMD entry `key`.
    #[inline]
    pub(crate) fn key_start(&self, key: u64) -> u64 {
        key << self.pmd_shift()
    }

    /// Position of `addr` in its leaf table.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // at most 13 bits
    pub(crate) fn leaf_index(&self, addr: u64) -> usize {
        ((addr >> self.page.shift()) & ((1 << self.table_bits()) - 1)) as usize
    }

    #[inline]
    pub(crate) fn slot(&self, addr: u64) -> Option<&Slot> {
        self.slots.get(&self.key(addr))
    }

    #[inline]
    pub(crate) fn slot_mut(&mut self, addr: u64) -> Option<&mut Slot> {
        let key = self.key(addr);
        self.slots.get_mut(&key)
    }

    #[inline]
    pub(crate) fn leaf(&self, addr: u64) -> Option<&Leaf> {
        match self.slot(addr) {
            Some(Slot::Table(leaf)) => Some(leaf),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn leaf_mut(&mut self, addr: u64) -> Option<&mut Leaf> {
        match self.slot_mut(addr) {
            Some(Slot::Table(leaf)) => Some(leaf),
            _ => None,
        }
    }

    /// The block entry over `addr`, if a PMD entry maps it.
    pub(crate) fn block(&self, addr: u64) -> Option<Pte> {
        match self.slot(addr) {
            Some(Slot::Block { pte, .. }) => Some(*pte),
            _ => None,
        }
    }

    pub(crate) fn set_block(&mut self, addr: u64, new: Pte) {
        if let Some(Slot::Block { pte, .. }) = self.slot_mut(addr) {
            *pte = new;
        }
    }

    /// The last-level entry at `addr`; empty where a block or nothing is.
    #[inline]
    pub(crate) fn pte(&self, addr: u64) -> Pte {
        let index = self.leaf_index(addr);
        self.leaf(addr).map_or(Pte::EMPTY, |leaf| leaf.get(index))
    }

    /// Writes the last-level entry at `addr`, whose table exists.
    #[inline]
    pub(crate) fn put(&mut self, addr: u64, pte: Pte) {
        let index = self.leaf_index(addr);
        if let Some(leaf) = self.leaf_mut(addr) {
            leaf.put(index, pte);
        }
    }

    /// Whether any PMD entry in `range` is in use.
    #[inline]
    pub(crate) fn any_slot(&self, range: AddrRange) -> bool {
        !self.slots.is_empty() && !range.is_empty() && {
            let keys = self.key(range.start)..=self.key(range.end - 1);
            self.slots.range(keys).next().is_some()
        }
    }

    /// The first PMD entry in use at or after `key`, up to `last`.
    pub(crate) fn next_slot(&self, key: u64, last: u64) -> Option<u64> {
        if key > last {
            return None;
        }
        self.slots.range(key..=last).next().map(|(&k, _)| k)
    }

    /// Whether a page at `addr` would need one more leaf table than a process may have here
    /// ([`MAX_ENTRIES`]). A real machine's memory ends, too.
    pub(crate) fn is_full(&self, addr: u64) -> bool {
        self.slots.len() >= MAX_ENTRIES >> self.table_bits() && self.slot(addr).is_none()
    }

    /// Makes a leaf table over `addr` if nothing is there; says how many table pages that took.
    pub(crate) fn make_leaf(&mut self, addr: u64) -> u64 {
        if self.slots.contains_key(&self.key(addr)) {
            return 0;
        }
        let len = 1usize << self.table_bits();
        1 + self.insert_slot(addr, Slot::Table(Leaf::new(len)))
    }

    /// Puts a slot where none was; says how many upper table pages that took.
    pub(crate) fn insert_slot(&mut self, addr: u64, slot: Slot) -> u64 {
        if let Slot::Block { deposit: true, .. } = slot {
            self.deposits += 1;
        }
        let key = self.key(addr);
        let was = self.slots.insert(key, slot);
        debug_assert!(was.is_none(), "a slot is written over");
        let mut made = 0;
        let mut child = key;
        for level in 0..self.upper_levels() {
            child >>= self.table_bits();
            let children = self.upper[level].entry(child).or_insert(0);
            *children += 1;
            if *children > 1 {
                break;
            }
            made += 1;
        }
        made
    }

    /// Takes a slot out, leaving the tables above it in place.
    pub(crate) fn take_slot(&mut self, addr: u64) -> Option<Slot> {
        let key = self.key(addr);
        let slot = self.slots.remove(&key)?;
        if let Slot::Block { deposit: true, .. } = slot {
            self.deposits -= 1;
        }
        if let Some(children) = self.upper[0].get_mut(&(key >> self.table_bits())) {
            *children = children.saturating_sub(1);
        }
        Some(slot)
    }

    /// `free_pgtables`: drops what only served `range`, whose neighbours end at `floor` and start
    /// at `ceiling` (0: none). Says how many table pages went.
    pub(crate) fn free_tables(&mut self, range: AddrRange, floor: u64, ceiling: u64) -> u64 {
        if range.is_empty() || self.slots.is_empty() && self.upper[0].is_empty() {
            return 0;
        }
        let mut freed = 0;
        if let Some((first, last)) = span(range, floor, ceiling, self.pmd_shift()) {
            let mut key = first;
            while let Some(found) = self.next_slot(key, last) {
                if matches!(self.slots.get(&found), Some(Slot::Table(leaf)) if leaf.is_empty()) {
                    self.take_slot(self.key_start(found));
                    freed += 1;
                }
                key = found + 1;
            }
        }
        for level in 0..self.upper_levels() {
            let shift =
                self.pmd_shift() + self.table_bits() * (u32::try_from(level).unwrap_or(0) + 1);
            let Some((first, last)) = span(range, floor, ceiling, shift) else {
                break;
            };
            let empty: Vec<u64> = self.upper[level]
                .range(first..=last)
                .filter(|&(_, &children)| children == 0)
                .map(|(&k, _)| k)
                .collect();
            for key in empty {
                self.upper[level].remove(&key);
                freed += 1;
                if level + 1 < self.upper_levels()
                    && let Some(children) =
                        self.upper[level + 1].get_mut(&(key >> self.table_bits()))
                {
                    *children = children.saturating_sub(1);
                }
            }
        }
        freed
    }

    /// Page-table pages in use: root, upper tables, leaf tables, and those set aside for blocks.
    #[must_use]
    pub fn table_pages(&self) -> u64 {
        let leaves = self
            .slots
            .values()
            .filter(|slot| matches!(slot, Slot::Table(_)))
            .count();
        let upper: usize = self.upper.iter().map(BTreeMap::len).sum();
        1 + self.deposits + (leaves + upper) as u64
    }

    /// Resident memory of `range`: what smaps' `Rss:` line says. The zero page does not count.
    #[must_use]
    pub fn rss(&self, range: AddrRange) -> Bytes {
        if range.is_empty() || self.slots.is_empty() {
            return Bytes(0);
        }
        let mut pages = 0;
        let keys = self.key(range.start)..=self.key(range.end - 1);
        for (&key, slot) in self.slots.range(keys) {
            let start = self.key_start(key);
            let part = range.intersect(AddrRange::new(
                start,
                start.saturating_add(self.pmd_bytes()),
            ));
            let whole = part.len() == self.pmd_bytes();
            pages += match slot {
                Slot::Table(leaf) if whole => u64::from(leaf.resident),
                Slot::Table(leaf) => {
                    let first = self.leaf_index(part.start);
                    let end = first + usize::try_from(part.len() >> self.page.shift()).unwrap_or(0);
                    (first..end).filter(|&i| leaf.get(i).resident()).count() as u64
                }
                Slot::Block { pte, .. } if pte.resident() => part.len() >> self.page.shift(),
                Slot::Block { .. } => 0,
            };
        }
        Bytes(pages << self.page.shift())
    }

    /// Entries of `range` that are not empty: address, level, entry (a block's entry advanced to
    /// the page), in address order.
    pub(crate) fn entries(&self, range: AddrRange) -> impl Iterator<Item = (u64, Level, Pte)> + '_ {
        let keys = if range.is_empty() {
            0..0
        } else {
            self.key(range.start)..self.key(range.end - 1) + 1
        };
        self.slots.range(keys).flat_map(move |(&key, slot)| {
            let start = self.key_start(key);
            let part = range.intersect(AddrRange::new(
                start,
                start.saturating_add(self.pmd_bytes()),
            ));
            let pages = part.len() >> self.page.shift();
            (0..pages).filter_map(move |i| {
                let addr = part.start + (i << self.page.shift());
                let index = self.leaf_index(addr);
                let (level, pte) = match slot {
                    Slot::Table(leaf) => (Level::Pte, leaf.get(index)),
                    Slot::Block { pte, .. } => {
                        (Level::Pmd, pte.advance(u32::try_from(index).unwrap_or(0)))
                    }
                };
                (!pte.is_empty()).then_some((addr, level, pte))
            })
        })
    }
}

/// Which entries of `1 << shift` bytes each lie wholly between `floor` and `ceiling` and meet
/// `range`: first and last, as `free_pgd_range` trims them.
fn span(range: AddrRange, floor: u64, ceiling: u64, shift: u32) -> Option<(u64, u64)> {
    let mut first = range.start >> shift;
    if first << shift < floor {
        first += 1;
    }
    let mut last = (range.end - 1) >> shift;
    if ceiling != 0 {
        let limit = ceiling >> shift;
        if limit == 0 {
            return None;
        }
        last = last.min(limit - 1);
    }
    (first <= last).then_some((first, last))
}
