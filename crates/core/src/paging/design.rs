//! How a machine backs memory: granule, folio sizes, contiguous-PTE rules. Pure data.

use std::borrow::Cow;

use crate::addr::PageSize;

/// How contiguous PTEs are made, if at all (arm64).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ContPte {
    /// Never.
    #[default]
    Off,
    /// As merged in 6.9; entry by entry or in batches as the kernel says
    /// ([`Kernel::batches_ptes`](crate::kernel::Kernel::batches_ptes)).
    Merged,
    /// By the rules of the first posting (2023-06-22).
    FirstPosting,
}

/// The processor's page-table format, as far as software can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Arch {
    /// Prefaulted entries are young; there is no contiguous bit.
    X86_64,
    /// Prefaulted entries are old where hardware sets the access flag.
    #[default]
    Arm64,
}

/// How a machine backs memory: its pages, folio sizes and contiguous-PTE rules.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemoryDesign {
    /// Its id in scenarios, reports and on the command line; for one put together by hand, the
    /// parts it was made of.
    pub name: Cow<'static, str>,
    /// The translation granule.
    pub page_size: PageSize,
    /// Folio orders that anonymous faults may allocate without being asked (`always`), as a bit
    /// set: bit 4 = order 4 = 16 pages. A start value: sysfs writes change it.
    pub anon_orders: u32,
    /// Order of folios read ahead for executable mappings, 0 for single pages.
    pub exec_order: u32,
    /// Contiguous-PTE rules.
    pub contpte: ContPte,
    /// The processor's page-table format.
    pub arch: Arch,
    /// Whether hardware sets the access flag and the dirty state (arm64 FEAT_HAFDBS, always on
    /// x86-64). Without it each first access and first write is a fault.
    pub hardware_af_dirty: bool,
    /// Whether changing the contiguous bit of a live block needs no TLB invalidation (FEAT_BBM
    /// level 2 without conflict aborts): then a fold or unfold issues none.
    pub bbml2: bool,
    /// Whether one TLB invalidation can name a range (FEAT_TLBIRANGE, Armv8.4). Neoverse N1 is
    /// Armv8.2 and has none: a range is then that many single invalidations.
    pub tlb_range: bool,
    /// Base pages the machine has; a fault that needs more ends in [`Fault::Oom`](super::Fault).
    pub memory_pages: u64,
}

/// 16K, 32K and 64K: the sizes switched on in the published runs (contpte v4 and v5).
const ANON_UP_TO_64K: u32 = 0b11100;
/// Most base pages a simulated machine has: what bounds the simulator's own memory.
const DEFAULT_MEMORY_PAGES: u64 = 4 << 20;

const BASE: MemoryDesign = MemoryDesign {
    name: Cow::Borrowed("baseline-4k"),
    page_size: PageSize::K4,
    anon_orders: 0,
    exec_order: 0,
    contpte: ContPte::Off,
    arch: Arch::Arm64,
    hardware_af_dirty: true,
    bbml2: false,
    tlb_range: false,
    memory_pages: DEFAULT_MEMORY_PAGES,
};

/// Every design with a name, in the order of the published series.
pub const DESIGNS: &[MemoryDesign] = &[
    BASE,
    MemoryDesign {
        name: Cow::Borrowed("anonfolio"),
        anon_orders: ANON_UP_TO_64K,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("contpte"),
        anon_orders: ANON_UP_TO_64K,
        contpte: ContPte::Merged,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("exefolio"),
        anon_orders: ANON_UP_TO_64K,
        exec_order: 4,
        contpte: ContPte::Merged,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("baseline-16k"),
        page_size: PageSize::K16,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("baseline-64k"),
        page_size: PageSize::K64,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("contpte-16k"),
        page_size: PageSize::K16,
        anon_orders: 0b1111_1100,
        exec_order: 2,
        contpte: ContPte::Merged,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("contpte-64k"),
        page_size: PageSize::K64,
        anon_orders: 0b11_1100,
        contpte: ContPte::Merged,
        ..BASE
    },
    MemoryDesign {
        name: Cow::Borrowed("contpte-v1"),
        anon_orders: ANON_UP_TO_64K,
        contpte: ContPte::FirstPosting,
        ..BASE
    },
];

impl MemoryDesign {
    /// 4K single pages.
    pub const BASELINE_4K: Self = BASE;

    /// The design users call `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        DESIGNS.iter().find(|d| d.name == name)
    }

    /// Single pages of `page_size` and no contiguous PTEs: where a design put together from parts
    /// (`4k,folio=32k,contpte`) starts. Add parts with the `with_*` methods.
    #[must_use]
    pub fn from_parts(name: String, page_size: PageSize) -> Self {
        Self {
            name: Cow::Owned(name),
            page_size,
            ..BASE
        }
    }

    /// Anonymous folios of every order from 2 up to that of `bytes` (orders 0 and 1 are not sizes
    /// anonymous faults know). Sizes above a PMD's are cut to it; below four pages: none.
    #[must_use]
    pub fn with_anon_folios_up_to(mut self, bytes: u64) -> Self {
        let top = self.order_of(bytes);
        self.anon_orders = (2..=top).fold(0, |set, order| set | 1 << order);
        self
    }

    /// Anonymous folios of exactly the size `bytes` too, beside those already set.
    #[must_use]
    pub fn with_anon_folio(mut self, bytes: u64) -> Self {
        let order = self.order_of(bytes);
        if order >= 2 {
            self.anon_orders |= 1 << order;
        }
        self
    }

    /// Executable mappings read ahead in folios of `bytes`.
    #[must_use]
    pub fn with_exec_folio(mut self, bytes: u64) -> Self {
        self.exec_order = self.order_of(bytes);
        self
    }

    /// Contiguous PTEs by these rules.
    #[must_use]
    pub fn with_contpte(mut self, rules: ContPte) -> Self {
        self.contpte = rules;
        self
    }

    /// The same on another processor. x86-64 has 4K pages and no contiguous PTEs.
    #[must_use]
    pub fn on(mut self, arch: Arch) -> Self {
        self.arch = arch;
        if arch == Arch::X86_64 {
            self.contpte = ContPte::Off;
            self.hardware_af_dirty = true;
            self.tlb_range = true;
        }
        self
    }

    /// Largest order whose folio has at most `bytes`, at most a PMD's.
    fn order_of(&self, bytes: u64) -> u32 {
        let pages = (bytes >> self.page_size.shift()).max(1);
        pages.ilog2().min(self.pmd_order())
    }

    /// Order of a folio that a PMD entry maps: 9, 11, 13.
    #[must_use]
    pub const fn pmd_order(&self) -> u32 {
        self.page_size.shift() - 3
    }

    /// Whether contiguous PTEs are made at all.
    #[must_use]
    pub fn has_contpte(&self) -> bool {
        self.contpte != ContPte::Off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_name_is_there_once() {
        let names = [
            "baseline-4k",
            "anonfolio",
            "contpte",
            "exefolio",
            "baseline-16k",
            "baseline-64k",
            "contpte-16k",
            "contpte-64k",
            "contpte-v1",
        ];
        assert_eq!(names.len(), DESIGNS.len());
        for name in names {
            assert_eq!(
                MemoryDesign::by_name(name).map(|d| &*d.name),
                Some(name),
                "{name}"
            );
        }
        assert_eq!(MemoryDesign::by_name("contpte-8k"), None);
    }

    #[test]
    fn parts_put_a_design_together() {
        let made = MemoryDesign::from_parts("4k,folio=32k".into(), PageSize::K4)
            .with_anon_folios_up_to(32 << 10)
            .with_contpte(ContPte::Merged);
        assert_eq!(made.anon_orders, 0b1100);
        assert!(made.has_contpte());
        let huge = made.clone().with_anon_folios_up_to(1 << 40);
        assert_eq!(32 - huge.anon_orders.leading_zeros() - 1, 9);
        assert!(!made.on(Arch::X86_64).has_contpte());
    }
}
