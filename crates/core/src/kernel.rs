//! What a kernel release does, as data. Two kernels differ in these fields and in the small
//! named functions that read them; no system call is written twice.

/// A kernel design that can be simulated, by the name users give it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KernelId {
    /// `6.8`: before mseal.
    V6_8,
    /// `6.10`: mseal as merged, with 6.10.0's bit test of madvise's advice.
    V6_10,
    /// `6.11`: out-of-loop as it settled.
    V6_11,
    /// `6.11-src-first`: 6.11 with the mremap refactor of 2024-08-14 (never merged).
    V6_11SrcFirst,
    /// `6.12`: in-loop.
    V6_12,
    /// `6.18`: in-loop, mremap rewritten.
    V6_18,
    /// `7.x`: the newest recorded.
    V7,
}

/// Where a kernel looks at a mapping's seal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SealDesign {
    /// It has no seals; mseal is not a system call.
    None,
    /// `can_modify_mm`: a walk over the whole range before anything changes.
    OutOfLoop,
    /// Each VMA's flag is tested where the operation visits it.
    InLoop,
}

/// How a kernel's mremap is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MremapDesign {
    /// Up to 6.14: the destination is unmapped before the source's size is checked.
    DestinationFirst,
    /// The refactor of 2024-08-14: the source is resized and checked first.
    SourceFirst,
    /// 6.17 on: everything is checked before the destination goes; several VMAs move at once.
    CheckedUpFront,
}

/// A kernel release, as far as memory mappings can tell it apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Which one.
    pub id: KernelId,
    /// Its id in scenarios, reports and on the command line.
    pub name: &'static str,
    /// What it is, in a few words for a heading.
    pub label: &'static str,
    /// Where seals are looked at.
    pub seal: SealDesign,
    /// 6.10.0 to 6.10.6: `is_madv_discard` tests the advice's bits instead of its value, so that
    /// every advice but MADV_NORMAL counts as discarding.
    pub madvise_tests_bits: bool,
    /// How mremap is built.
    pub mremap: MremapDesign,
    /// 6.12 on (mm/vma.c): MAP_FIXED gathers what it replaces and unmaps it only once nothing can
    /// fail any more; neighbours are found with the iterator instead of fresh lookups; mmap
    /// prefers the mapping on the left.
    pub gathers: bool,
    /// 6.16 on: a touched range may merge into untouched neighbours.
    pub merges_faulted_into_unfaulted: bool,
    /// 6.13 on: MADV_GUARD_INSTALL and MADV_GUARD_REMOVE.
    pub has_guard_advice: bool,
    /// 6.19 and 6.18.y: MADV_GUARD_INSTALL marks the VMA (`gu`), sticky and ignored by merging.
    pub marks_guards: bool,
    /// 6.11 on: MAP_DROPPABLE.
    pub has_droppable: bool,
    /// Up to 6.11: every request of 2 MiB and more is placed 2 MiB-aligned; later only those
    /// that are whole multiples and have no hint.
    pub aligns_any_large_mapping: bool,
    /// 6.17 on: madvise looks a single VMA up under RCU first.
    pub madvise_rcu: bool,
    /// 6.17 on: only memory without operations of its own counts as anonymous for a seal's rule
    /// on discarding; before, whatever has no file and is not shared, vvar for example.
    pub seal_spares_special_mappings: bool,
    /// 6.8: a fault in anonymous memory that was never written gives up the VMA's own lock and
    /// looks the VMA up once more.
    pub relooks_unwritten_on_fault: bool,
    /// 6.17 on: contiguous PTEs are folded in batches, not as single entries are set (arm64).
    pub batches_ptes: bool,
    /// 6.14 on: ext4 clears a file's last block when it grows, too.
    pub clears_tail_when_growing: bool,
    /// 6.18.y on: fault-around makes no page table for the folio that holds a file's last page.
    pub spares_the_end_of_files: bool,
}

const V6_8: Kernel = Kernel {
    id: KernelId::V6_8,
    name: "6.8",
    label: "before mseal",
    seal: SealDesign::None,
    madvise_tests_bits: false,
    mremap: MremapDesign::DestinationFirst,
    gathers: false,
    merges_faulted_into_unfaulted: false,
    has_guard_advice: false,
    marks_guards: false,
    has_droppable: false,
    aligns_any_large_mapping: true,
    madvise_rcu: false,
    seal_spares_special_mappings: false,
    relooks_unwritten_on_fault: true,
    batches_ptes: false,
    clears_tail_when_growing: false,
    spares_the_end_of_files: false,
};

const V6_11: Kernel = Kernel {
    id: KernelId::V6_11,
    name: "6.11",
    label: "out-of-loop",
    seal: SealDesign::OutOfLoop,
    has_droppable: true,
    relooks_unwritten_on_fault: false,
    ..V6_8
};

const V6_12: Kernel = Kernel {
    id: KernelId::V6_12,
    name: "6.12",
    label: "in-loop",
    seal: SealDesign::InLoop,
    gathers: true,
    aligns_any_large_mapping: false,
    ..V6_11
};

const V6_18: Kernel = Kernel {
    id: KernelId::V6_18,
    name: "6.18",
    label: "in-loop, mremap rewritten",
    mremap: MremapDesign::CheckedUpFront,
    merges_faulted_into_unfaulted: true,
    has_guard_advice: true,
    marks_guards: true,
    madvise_rcu: true,
    seal_spares_special_mappings: true,
    batches_ptes: true,
    clears_tail_when_growing: true,
    spares_the_end_of_files: true,
    ..V6_12
};

/// Every kernel, oldest first.
pub const KERNELS: &[Kernel] = &[
    V6_8,
    Kernel {
        id: KernelId::V6_10,
        name: "6.10",
        label: "out-of-loop, as merged",
        madvise_tests_bits: true,
        ..V6_11
    },
    V6_11,
    Kernel {
        id: KernelId::V6_11SrcFirst,
        name: "6.11-src-first",
        label: "out-of-loop, mremap source first",
        mremap: MremapDesign::SourceFirst,
        ..V6_11
    },
    V6_12,
    V6_18,
    Kernel {
        id: KernelId::V7,
        name: "7.x",
        label: "newest recorded",
        ..V6_18
    },
];

impl Kernel {
    /// The kernel of that id.
    #[must_use]
    pub fn by_id(id: KernelId) -> &'static Self {
        &KERNELS[id as usize]
    }

    /// The kernel that users call `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        KERNELS.iter().find(|k| k.name == name)
    }

    /// Whether mseal is a system call here.
    #[must_use]
    pub fn has_mseal(&self) -> bool {
        self.seal != SealDesign::None
    }

    /// Whether seals are checked by a walk of their own before the operation.
    #[must_use]
    pub fn checks_out_of_loop(&self) -> bool {
        self.seal == SealDesign::OutOfLoop
    }

    /// Whether seals are checked where the operation visits each VMA.
    #[must_use]
    pub fn checks_in_loop(&self) -> bool {
        self.seal == SealDesign::InLoop
    }
}
