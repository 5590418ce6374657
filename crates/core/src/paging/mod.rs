//! Page tables, folios and the faults that fill them.

use crate::addr::PageSize;

/// How contiguous PTEs are made, if at all (arm64).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ContPte {
    /// Never.
    #[default]
    Off,
    /// As merged in 6.9; entry by entry or in batches as the kernel says.
    Merged,
    /// By the rules of the first posting (2023-06-22).
    FirstPosting,
}

/// How a machine backs memory: its pages, folio sizes and contiguous-PTE rules.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemoryDesign {
    /// Its id in scenarios, reports and on the command line.
    pub name: &'static str,
    /// The translation granule.
    pub page_size: PageSize,
    /// Folio orders that anonymous faults may allocate without being asked (`always`), as a bit
    /// set: bit 4 = order 4 = 16 pages.
    pub anon_orders: u32,
    /// Order of folios read ahead for executable mappings, 0 for single pages.
    pub exec_order: u32,
    /// Contiguous-PTE rules.
    pub contpte: ContPte,
}

impl MemoryDesign {
    /// x86-64 and arm64's default: 4K single pages.
    pub const BASELINE_4K: Self = Self {
        name: "baseline-4k",
        page_size: PageSize::K4,
        anon_orders: 0,
        exec_order: 0,
        contpte: ContPte::Off,
    };
}
