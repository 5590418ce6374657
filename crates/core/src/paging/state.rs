//! What can be seen of a page table from outside.

use super::entry::Pte;
use super::folio::FolioId;
use super::table::Slot;
use super::{PageTable, Paging, PhysMem};
use crate::addr::{AddrRange, Bytes, PageSize};
use crate::tlb::Translation;

/// Which table level an entry stands at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// A last-level entry: one page.
    Pte,
    /// A PMD entry that maps a whole block (2 MiB with 4K pages).
    Pmd,
}

/// What an entry that maps no page says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marker {
    /// A guard page (MADV_GUARD_INSTALL).
    Guard,
}

/// One page of an address space as its page table has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PageState {
    /// Its first byte.
    pub addr: u64,
    /// Whether the entry maps a page (PROT_NONE entries do, markers do not).
    pub present: bool,
    /// Hardware may write through it.
    pub writable: bool,
    /// Was accessed.
    pub young: bool,
    /// Was written.
    pub dirty: bool,
    /// Part of a folded contiguous block.
    pub contiguous: bool,
    /// The shared zero page (or the huge one).
    pub zero: bool,
    /// Present for software, invalid for hardware.
    pub prot_none: bool,
    /// Instructions may be fetched.
    pub executable: bool,
    /// What an entry that maps nothing says.
    pub marker: Option<Marker>,
    /// The level of the entry that maps it.
    pub level: Level,
    /// Order of the folio it belongs to.
    pub order: u32,
    /// Position in that folio, in pages.
    pub index: u32,
    /// The folio's birth number: unique for the life of the machine. 0 for the zero page.
    pub folio: u64,
    /// How many entries of all processes map this page.
    pub mapcount: u32,
}

impl PageTable {
    /// What the tables hold for `addr`, as a TLB takes it in: how much one entry may map (a page, a
    /// folded contiguous block, a PMD block), and how many table entries a walk from the root
    /// reads. `None`: hardware finds nothing valid.
    #[must_use]
    pub fn translation(&self, addr: u64) -> Option<Translation> {
        let levels = if self.page_size() == PageSize::K64 {
            3
        } else {
            4
        };
        let page = self.page_size().shift();
        let pte = match self.slot(addr)? {
            Slot::Table(leaf) => leaf.get(self.leaf_index(addr)),
            Slot::Block { pte, .. } => {
                return pte.valid().then_some(Translation {
                    shift: 2 * page - 3,
                    reads: levels - 1,
                });
            }
        };
        let folded = if pte.cont() {
            self.page_size().cont_ptes().ilog2()
        } else {
            0
        };
        pte.valid().then_some(Translation {
            shift: page + folded,
            reads: levels,
        })
    }
}

impl PageTable {
    /// Whether the page at `addr` counts in Rss.
    #[must_use]
    pub fn is_resident(&self, addr: u64) -> bool {
        match self.block(addr) {
            Some(pte) => pte.resident(),
            None => self.pte(addr).resident(),
        }
    }
}

impl Paging<'_> {
    /// Whether a page is mapped at `addr` (zero page and PROT_NONE entries included).
    #[must_use]
    pub fn is_present(&self, addr: u64) -> bool {
        match self.table.block(addr) {
            Some(pte) => pte.present(),
            None => self.table.pte(addr).present(),
        }
    }

    /// Resident memory of `range`.
    #[must_use]
    pub fn rss(&self, range: AddrRange) -> Bytes {
        self.table.rss(range)
    }

    /// The entries of `range` that are not empty, in address order.
    pub fn pages(&self, range: AddrRange) -> impl Iterator<Item = PageState> + '_ {
        pages(self.table, self.mem, range)
    }
}

/// The entries of `range` in `table` that are not empty, in address order.
pub fn pages<'m>(
    table: &'m super::PageTable,
    mem: &'m PhysMem,
    range: AddrRange,
) -> impl Iterator<Item = PageState> + 'm {
    table
        .entries(range)
        .map(move |(addr, level, pte)| state_of(mem, addr, level, pte))
}

fn state_of(mem: &PhysMem, addr: u64, level: Level, pte: Pte) -> PageState {
    let zero = pte.present() && pte.special() && pte.folio() == FolioId::ZERO;
    let folio = mem.arena.get(pte.folio());
    let known = pte.resident();
    PageState {
        addr,
        present: pte.present(),
        writable: pte.writable(),
        young: pte.young(),
        dirty: pte.dirty(),
        contiguous: pte.cont(),
        zero,
        prot_none: pte.has(Pte::NONE),
        executable: pte.has(Pte::EXEC),
        marker: pte.is_guard().then_some(Marker::Guard),
        level,
        order: if known { folio.order } else { 0 },
        index: if known { pte.index() } else { 0 },
        folio: if known { folio.birth } else { 0 },
        mapcount: if known {
            folio.page_mapcount(pte.index()) + folio.entire
        } else {
            0
        },
    }
}
