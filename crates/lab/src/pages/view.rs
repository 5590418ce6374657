//! What the view of pages shows: plain data.

use serde::{Deserialize, Serialize};

/// Bits of [`PageRun::flags`].
pub mod flag {
    /// A mapping covers the pages; without it they are a hole.
    pub const MAPPED: u16 = 1;
    /// Entries map pages.
    pub const PRESENT: u16 = 1 << 1;
    /// Hardware may write.
    pub const WRITABLE: u16 = 1 << 2;
    /// Accessed.
    pub const YOUNG: u16 = 1 << 3;
    /// Written.
    pub const DIRTY: u16 = 1 << 4;
    /// In a folded contiguous block.
    pub const CONTIGUOUS: u16 = 1 << 5;
    /// The shared zero page.
    pub const ZERO: u16 = 1 << 6;
    /// Present for software, invalid for hardware.
    pub const PROT_NONE: u16 = 1 << 7;
    /// Instructions may be fetched.
    pub const EXECUTABLE: u16 = 1 << 8;
    /// A guard page.
    pub const GUARD: u16 = 1 << 9;
    /// Mapped by a PMD block.
    pub const PMD: u16 = 1 << 10;
    /// Mapped by more than one process.
    pub const SHARED: u16 = 1 << 11;
}

/// Pages of one stretch of memory under all variants after a step, on one axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PagesView {
    /// The step.
    pub step: usize,
    /// The stretches that the scenario maps and touches, in the order of its calls.
    pub regions: Vec<Region>,
    /// Stretches beyond those listed.
    pub regions_left_out: usize,
    /// Which one is shown.
    pub region: usize,
    /// First byte shown, counted from the stretch's start.
    pub from: u64,
    /// Bytes shown.
    pub len: u64,
    /// Bytes of the whole stretch.
    pub whole: u64,
    /// One for each variant and process.
    pub rows: Vec<PagesRow>,
    /// What was counted over the whole run, one number per variant.
    pub tallies: Vec<Tally>,
    /// What the TLBs are, where they are from, and what the numbers mean.
    pub notes: Vec<String>,
}

/// A stretch of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Its name in the text, or the call that made it.
    pub name: String,
    /// Its size, readable.
    pub size: String,
    /// The line of that call.
    pub line: u32,
}

/// One variant's pages of the stretch, in one process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PagesRow {
    /// Which variant.
    pub variant: usize,
    /// Which process; 0 is the first.
    pub process: u32,
    /// What the variant is called.
    pub title: String,
    /// What it shows here, in a few words: `4 folios of 64K, 3 contiguous blocks`.
    pub line: String,
    /// The page size in bytes.
    pub page_bytes: u64,
    /// Address of the first page shown; empty where nothing is mapped.
    pub start: String,
    /// The pages, as runs of alike ones.
    pub runs: Vec<PageRun>,
    /// What one entry each may translate: folded contiguous blocks and PMD blocks.
    pub bars: Vec<Bar>,
    /// The pages as text, one letter each.
    pub letters: String,
    /// TLB entries that translate all of it.
    pub tlb_entries: u64,
    /// What the TLBs hold: `48 + 1,280`.
    pub tlb_size: String,
    /// Of those entries, how many the TLBs hold after the step.
    pub tlb_held: u64,
    /// What the step did to contiguous blocks, one sentence each, and the work that took.
    pub events: Vec<String>,
    /// First page and number of pages of the blocks that the events are about, in this row.
    pub marks: Vec<(u32, u32)>,
}

/// Pages in a row that are alike: of one folio, or single-page folios.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRun {
    /// First page, counted from the row's start.
    pub first: u32,
    /// How many.
    pub pages: u32,
    /// Bits of [`flag`].
    pub flags: u16,
    /// Number of the folio in this row, from 1 in the order of addresses; 0: single pages or none.
    pub folio: u32,
    /// log2 of the folio's pages.
    pub order: u32,
    /// Position of the first page in the folio.
    pub index: u32,
}

/// Pages that one TLB entry may translate together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// First page, counted from the row's start.
    pub first: u32,
    /// How many of it are shown.
    pub pages: u32,
    /// Whether it is a PMD block and not a contiguous one.
    pub pmd: bool,
}

/// One number per variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Its key.
    pub key: String,
    /// What it is, for a person.
    pub title: String,
    /// Whether it is in bytes.
    pub bytes: bool,
    /// One per variant; absent where it does not apply.
    pub values: Vec<Option<u64>>,
}
