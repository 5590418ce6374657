//! Folios: naturally aligned runs of 2^order pages, and who maps them.

use super::MmId;
use crate::file::InodeId;

/// Slot of a folio in the arena. Slots are reused; [`Folio::birth`] is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FolioId(pub u32);

impl FolioId {
    /// Stands for the shared zero page (and the huge one), which is no folio.
    pub const ZERO: Self = Self(0);
}

/// What a folio's contents belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backing {
    /// Anonymous memory.
    Anon,
    /// Page cache of a file system, pages from this page offset on.
    File(InodeId, u64),
    /// Memory of tmpfs.
    Shmem(InodeId, u64),
    /// The kernel's own (vdso).
    Kernel,
}

/// What is known of one page of a folio.
#[derive(Clone, Copy, Default, Debug)]
struct Page(u32);

impl Page {
    const EXCLUSIVE: u32 = 1 << 31;
    const STORED: u32 = 1 << 30;
    const COUNT: u32 = Self::STORED - 1;

    fn set(&mut self, bit: u32, on: bool) {
        if on {
            self.0 |= bit;
        } else {
            self.0 &= !bit;
        }
    }
}

/// A folio's pages: one inline, more on the heap.
#[derive(Clone, Debug)]
enum PagesOf {
    One(Page),
    Many(Box<[Page]>),
}

/// A folio.
#[derive(Clone, Debug)]
pub(crate) struct Folio {
    /// Number in order of allocation, never reused.
    pub birth: u64,
    /// log2 of its pages.
    pub order: u32,
    /// What it belongs to.
    pub backing: Backing,
    /// In its file's page cache (which holds a reference).
    pub cached: bool,
    /// PG_dirty.
    pub dirty: bool,
    /// PG_readahead: touching it starts the next readahead.
    pub readahead: bool,
    /// Not PG_uptodate: in the page cache, but its content was never asked for.
    pub unread: bool,
    /// Anonymous memory that may be dropped instead of swapped (MADV_FREE).
    pub lazyfree: bool,
    /// How many entries map pages of it; a PMD entry counts once.
    pub mapcount: u32,
    /// How many PMD entries map it whole.
    pub entire: u32,
    /// Up to two address spaces and how many entries of each map it (6.15 on).
    owners: [(MmId, u32); 2],
    /// Set once a third address space mapped it or two do (6.15 on).
    pub maybe_shared: bool,
    pages: PagesOf,
}

/// No address space: a free owner place.
const NOBODY: MmId = MmId(0);

impl Folio {
    fn new(birth: u64, order: u32, backing: Backing) -> Self {
        Self {
            birth,
            order,
            backing,
            cached: false,
            dirty: false,
            readahead: false,
            unread: false,
            lazyfree: false,
            mapcount: 0,
            entire: 0,
            owners: [(NOBODY, 0); 2],
            maybe_shared: false,
            pages: if order == 0 {
                PagesOf::One(Page::default())
            } else {
                PagesOf::Many(vec![Page::default(); 1 << order].into_boxed_slice())
            },
        }
    }

    /// How many pages it has.
    #[inline]
    pub fn len(&self) -> u32 {
        1 << self.order
    }

    #[inline]
    pub fn is_large(&self) -> bool {
        self.order > 0
    }

    #[inline]
    pub fn is_anon(&self) -> bool {
        self.backing == Backing::Anon
    }

    /// References: one an entry, and the page cache's (one a page).
    pub fn references(&self) -> u32 {
        self.mapcount + if self.cached { self.len() } else { 0 }
    }

    fn page(&self, index: u32) -> Page {
        match &self.pages {
            PagesOf::One(page) => *page,
            PagesOf::Many(pages) => pages.get(index as usize).copied().unwrap_or_default(),
        }
    }

    fn page_mut(&mut self, index: u32) -> &mut Page {
        match &mut self.pages {
            PagesOf::One(page) => page,
            // Indices come from entries, which name pages of the folio; a wrong one lands on the
            // last page instead of ending the program.
            PagesOf::Many(pages) => {
                let last = pages.len() - 1;
                &mut pages[(index as usize).min(last)]
            }
        }
    }

    /// How many last-level entries map page `index`.
    pub fn page_mapcount(&self, index: u32) -> u32 {
        self.page(index).0 & Page::COUNT
    }

    /// PageAnonExclusive: only one process can reach this page, it may be written in place.
    pub fn exclusive(&self, index: u32) -> bool {
        self.page(index).0 & Page::EXCLUSIVE != 0
    }

    pub fn set_exclusive(&mut self, index: u32, on: bool) {
        self.page_mut(index).set(Page::EXCLUSIVE, on);
    }

    /// Whether the page holds something else than zeros.
    pub fn stored(&self, index: u32) -> bool {
        self.page(index).0 & Page::STORED != 0
    }

    pub fn set_stored(&mut self, index: u32) {
        self.page_mut(index).set(Page::STORED, true);
    }

    /// Last-level entries of `mm` that map pages `index..index + nr` were added.
    pub fn add_pages(&mut self, mm: MmId, index: u32, nr: u32) {
        for i in index..index + nr {
            self.page_mut(i).0 += 1;
        }
        self.add_maps(mm, nr);
    }

    /// Such entries were removed.
    pub fn remove_pages(&mut self, mm: MmId, index: u32, nr: u32) {
        for i in index..index + nr {
            let page = self.page_mut(i);
            debug_assert!(page.0 & Page::COUNT > 0, "page {i} is not mapped");
            page.0 = page.0.saturating_sub(u32::from(page.0 & Page::COUNT > 0));
        }
        self.remove_maps(mm, nr);
    }

    /// A PMD entry of `mm` was added.
    pub fn add_entire(&mut self, mm: MmId) {
        self.entire += 1;
        self.add_maps(mm, 1);
    }

    /// A PMD entry of `mm` was removed.
    pub fn remove_entire(&mut self, mm: MmId) {
        self.entire = self.entire.saturating_sub(1);
        self.remove_maps(mm, 1);
    }

    /// A PMD entry of `mm` became one entry a page.
    pub fn entire_to_pages(&mut self, mm: MmId) {
        self.add_pages(mm, 0, self.len());
        self.remove_entire(mm);
    }

    /// `folio_add_return_large_mapcount` (6.15): two owners are told apart, more make it shared.
    fn add_maps(&mut self, mm: MmId, nr: u32) {
        let before = self.mapcount;
        self.mapcount += nr;
        if let Some(owner) = self.owners.iter_mut().find(|o| o.0 == mm) {
            owner.1 += nr;
        } else if self.owners[0].0 == NOBODY {
            self.owners[0] = (mm, nr);
            self.maybe_shared |= before > 0;
        } else if self.owners[1].0 == NOBODY {
            self.owners[1] = (mm, nr);
            self.maybe_shared = true;
        } else {
            self.maybe_shared = true;
        }
    }

    /// `folio_sub_return_large_mapcount` (6.15): owned by one again once that one has all maps.
    fn remove_maps(&mut self, mm: MmId, nr: u32) {
        self.mapcount = self.mapcount.saturating_sub(nr);
        if let Some(owner) = self.owners.iter_mut().find(|o| o.0 == mm) {
            owner.1 = owner.1.saturating_sub(nr);
            if owner.1 == 0 {
                owner.0 = NOBODY;
            }
        }
        let all = self.mapcount;
        if all == 0 || self.owners.iter().any(|o| o.0 != NOBODY && o.1 == all) {
            self.maybe_shared = false;
        }
    }

    /// How often each page is mapped by last-level entries.
    #[cfg(test)]
    pub fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|i| self.page_mapcount(i))
    }
}

/// All folios of a machine.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    slots: Vec<Folio>,
    free: Vec<u32>,
    next_birth: u64,
    /// Base pages in use.
    pub pages: u64,
}

impl Arena {
    pub fn new() -> Self {
        Self {
            // Slot 0 stands for the zero page.
            slots: vec![Folio::new(0, 0, Backing::Kernel)],
            free: Vec::new(),
            next_birth: 1,
            pages: 0,
        }
    }

    pub fn alloc(&mut self, order: u32, backing: Backing) -> FolioId {
        let folio = Folio::new(self.next_birth, order, backing);
        self.next_birth += 1;
        self.pages += 1 << order;
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = folio;
            return FolioId(slot);
        }
        self.slots.push(folio);
        FolioId(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
    }

    pub fn free(&mut self, id: FolioId) {
        let order = self.get(id).order;
        self.pages = self.pages.saturating_sub(1 << order);
        // Its page table goes back now, not when the slot is used again.
        self.slots[id.0 as usize] = Folio::new(0, 0, Backing::Kernel);
        self.free.push(id.0);
    }

    #[inline]
    pub fn get(&self, id: FolioId) -> &Folio {
        &self.slots[id.0 as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, id: FolioId) -> &mut Folio {
        &mut self.slots[id.0 as usize]
    }

    /// Cuts `id` into folios of `order`, the first of which keeps its slot and birth number.
    /// Counts of maps move with the pages; who maps them is not known any more beyond `mm`, which
    /// maps them all (a folio mapped elsewhere too is not split). Returns them in order.
    pub fn split(&mut self, id: FolioId, order: u32, mm: MmId) -> Vec<FolioId> {
        let old = self.get(id).clone();
        let size = 1u32 << order;
        let mut parts = Vec::with_capacity((old.len() / size) as usize);
        for first in (0..old.len()).step_by(size as usize) {
            let backing = match old.backing {
                Backing::File(inode, at) => Backing::File(inode, at + u64::from(first)),
                Backing::Shmem(inode, at) => Backing::Shmem(inode, at + u64::from(first)),
                other => other,
            };
            let part = if first == 0 {
                *self.get_mut(id) = Folio::new(old.birth, order, backing);
                id
            } else {
                self.pages = self.pages.saturating_sub(1 << order);
                self.alloc(order, backing)
            };
            let folio = self.get_mut(part);
            folio.cached = old.cached;
            folio.dirty = old.dirty;
            folio.lazyfree = old.lazyfree;
            for i in 0..size {
                let page = old.page(first + i);
                *folio.page_mut(i) = page;
                if page.0 & Page::COUNT > 0 {
                    folio.add_maps(mm, page.0 & Page::COUNT);
                }
            }
            parts.push(part);
        }
        parts
    }

    /// Every folio in use.
    #[cfg(test)]
    pub fn live(&self) -> impl Iterator<Item = (FolioId, &Folio)> {
        let numbered = (0..).map(FolioId).zip(&self.slots).skip(1);
        numbered.filter(|(_, f)| f.birth != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_owners_are_told_apart_a_third_is_not() {
        let mut folio = Folio::new(1, 4, Backing::Anon);
        folio.add_pages(MmId(1), 0, 16);
        assert!(!folio.maybe_shared);
        folio.add_pages(MmId(2), 0, 16);
        assert!(folio.maybe_shared);
        folio.remove_pages(MmId(1), 0, 16);
        assert!(!folio.maybe_shared, "one owner has all maps again");
        folio.add_pages(MmId(3), 0, 16);
        folio.add_pages(MmId(4), 0, 16);
        folio.remove_pages(MmId(2), 0, 16);
        folio.remove_pages(MmId(3), 0, 16);
        assert!(folio.maybe_shared, "the third's maps are nobody's");
        folio.remove_pages(MmId(4), 0, 16);
        assert!(!folio.maybe_shared && folio.mapcount == 0);
    }

    #[test]
    fn a_split_keeps_pages_and_counts() {
        let mut arena = Arena::new();
        let id = arena.alloc(4, Backing::File(InodeId(3), 32));
        arena.get_mut(id).add_pages(MmId(1), 2, 9);
        arena.get_mut(id).set_stored(5);
        let parts = arena.split(id, 2, MmId(1));
        assert_eq!(parts.len(), 4);
        assert_eq!(arena.pages, 16);
        let counts: Vec<u32> = parts.iter().map(|&p| arena.get(p).mapcount).collect();
        assert_eq!(counts, [2, 4, 3, 0]);
        assert!(arena.get(parts[1]).stored(1) && !arena.get(parts[1]).stored(0));
        assert_eq!(arena.get(parts[2]).backing, Backing::File(InodeId(3), 40));
    }
}
