//! What counters, changes and variants are called.

use sealab_core::machine::ChangeKind;
use sealab_core::meter::Counter;

use crate::run::VariantRun;
use crate::session::Session;

/// What a counter counts, for a person.
#[must_use]
pub fn counter_title(counter: Counter) -> &'static str {
    match counter {
        Counter::TreeWalk => "walks of the VMA tree",
        Counter::TreeNext => "steps to the next VMA",
        Counter::TreePrev => "steps to the previous VMA",
        Counter::TreeRefused => "steps that went nowhere",
        Counter::TreeStore => "stores into the VMA tree",
        Counter::TreeStoreWalk => "descents inside stores",
        Counter::TreeLevel => "levels that walks went down",
        Counter::SealCheck => "seals looked at",
        Counter::VmaSplit => "VMAs split",
        Counter::VmaMerge => "VMAs merged away",
        Counter::VmaAlloc => "VMAs allocated",
        Counter::VmaFree => "VMAs freed",
        Counter::VmaModify => "VMAs changed in place",
        Counter::RangeWalk => "stretches of page tables gone through",
        Counter::PageFault => "page faults",
        Counter::PteRead => "PTEs read",
        Counter::PteClear => "PTEs read and cleared",
        Counter::PteWrite => "PTEs written",
        Counter::ContFold => "contiguous blocks folded",
        Counter::ContUnfold => "contiguous blocks unfolded",
        Counter::TlbFlush => "TLB invalidations",
        Counter::TlbFlushPages => "entries they named",
        Counter::Barrier => "barriers",
        Counter::FolioAlloc => "folios allocated",
        Counter::LargeFolioZeroed => "large folios zeroed",
        Counter::FolioFree => "folios freed",
        Counter::FolioSplit => "folios split",
        Counter::ZeroedBytes => "bytes zeroed",
        Counter::CopiedBytes => "bytes copied",
        Counter::TableAlloc => "page tables allocated",
        Counter::TableFree => "page tables freed",
    }
}

/// A change's key in a report.
#[must_use]
pub fn change_kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Mapped => "mapped",
        ChangeKind::Unmapped => "unmapped",
        ChangeKind::Protected => "protected",
        ChangeKind::Sealed => "sealed",
        ChangeKind::Flagged => "flagged",
        ChangeKind::Discarded => "discarded",
        ChangeKind::Split => "split",
        ChangeKind::Merged => "merged",
    }
}

impl Session {
    /// What a variant is called among the session's: by what tells it apart, kernel or memory or
    /// both.
    #[must_use]
    pub fn name(&self, variant: usize) -> String {
        let Some(run) = self.runs().get(variant) else {
            return String::new();
        };
        let ids = &run.variant.ids;
        let alike = |of: fn(&VariantRun) -> &str| self.runs().iter().all(|r| of(r) == of(run));
        let one_kernel = alike(|r| &r.variant.ids.kernel);
        let one_memory = alike(|r| &r.variant.ids.memory);
        match (one_kernel, one_memory) {
            (_, true) => ids.kernel.clone(),
            (true, false) => ids.memory.clone(),
            (false, false) => format!("{} with {}", ids.kernel, ids.memory),
        }
    }

    /// The same with the kernel's design: `6.12 in-loop`, `6.8 (before mseal)`.
    #[must_use]
    pub fn long_name(&self, variant: usize) -> String {
        let name = self.name(variant);
        let Some(run) = self.runs().get(variant) else {
            return name;
        };
        let label = run.variant.kernel.label;
        if !name.starts_with(&run.variant.ids.kernel) || name.contains(" with ") {
            name
        } else if label.contains(' ') {
            format!("{name} ({label})")
        } else {
            format!("{name} {label}")
        }
    }
}
