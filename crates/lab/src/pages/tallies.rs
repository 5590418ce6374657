//! What was counted over a whole run, side by side.

use sealab_core::addr::PageSize;
use sealab_core::meter::Counter;
use sealab_core::tlb::{ArraySpec, Profile, SecondLevel};

use super::view::Tally;
use crate::run::VariantRun;
use crate::session::Session;
use crate::words;

/// Entries of the first level for data and of the second: `48 + 1,280`.
#[must_use]
pub fn tlb_size(profile: &Profile) -> String {
    let entries = |specs: &[ArraySpec]| specs.iter().map(|s| s.entries).max().unwrap_or(0);
    let first = entries(profile.l1d).into();
    let second = match profile.l2 {
        SecondLevel::Shared(specs) => entries(specs).into(),
        SecondLevel::Split { data, .. } => entries(data).into(),
    };
    format!("{} + {}", words::grouped(first), words::grouped(second))
}

/// log2 of the bytes that one entry of the second level holds of a translation of `1 << shift`.
#[must_use]
pub fn held_shift(profile: &Profile, shift: u32) -> u32 {
    let specs = match profile.l2 {
        SecondLevel::Shared(specs) => specs,
        SecondLevel::Split { data, .. } => data,
    };
    let sizes = specs.iter().flat_map(|s| s.shifts);
    sizes
        .map(|&s| u32::from(s))
        .filter(|&s| s <= shift)
        .max()
        .unwrap_or(shift)
}

type Take = fn(&VariantRun) -> Option<u64>;

const TALLIES: &[(&str, &str, bool, Take)] = &[
    ("page_fault", "page faults", false, |r| {
        Some(r.counts.get(Counter::PageFault))
    }),
    ("pte_write", "PTEs written", false, |r| {
        Some(r.counts.get(Counter::PteWrite))
    }),
    ("pte_clear", "PTEs read and cleared", false, |r| {
        Some(r.counts.get(Counter::PteClear))
    }),
    ("cont_fold", "contiguous blocks folded", false, |r| {
        contiguous(r, Counter::ContFold)
    }),
    ("cont_unfold", "contiguous blocks unfolded", false, |r| {
        contiguous(r, Counter::ContUnfold)
    }),
    ("tlb_flush", "TLB invalidations", false, |r| {
        Some(r.counts.get(Counter::TlbFlush))
    }),
    ("tlb_l1_miss", "first-level TLB misses", false, |r| {
        accessed(r, r.tlb.l1i_misses + r.tlb.l1d_misses)
    }),
    ("tlb_walk", "page-table walks", false, |r| {
        accessed(r, r.tlb.walks)
    }),
    ("tlb_walk_reads", "table entries they read", false, |r| {
        accessed(r, r.tlb.walk_reads)
    }),
    ("zeroed_bytes", "memory zeroed", true, |r| {
        Some(r.counts.get(Counter::ZeroedBytes))
    }),
    ("copied_bytes", "memory copied", true, |r| {
        Some(r.counts.get(Counter::CopiedBytes)).filter(|&n| n > 0)
    }),
    ("resident", "resident at the end", true, |r| {
        Some(r.memory.resident.0)
    }),
    ("page_tables", "page tables at the end", true, |r| {
        Some(r.memory.tables.0)
    }),
    ("untouched", "resident beyond what was touched", true, |r| {
        Some(r.memory.untouched.0)
    }),
];

fn contiguous(run: &VariantRun, counter: Counter) -> Option<u64> {
    run.variant
        .memory
        .has_contpte()
        .then(|| run.counts.get(counter))
}

fn accessed(run: &VariantRun, n: u64) -> Option<u64> {
    (run.tlb.fetches + run.tlb.data_accesses > 0).then_some(n)
}

impl Session {
    /// What was counted over the whole run, one number per variant. What no variant has is left
    /// out.
    #[must_use]
    pub fn tallies(&self) -> Vec<Tally> {
        let all = TALLIES.iter().map(|&(key, title, bytes, take)| Tally {
            key: key.to_owned(),
            title: title.to_owned(),
            bytes,
            values: self.runs().iter().map(take).collect(),
        });
        all.filter(|t| t.values.iter().any(Option::is_some))
            .collect()
    }

    /// What the TLBs are and what the numbers mean.
    #[must_use]
    pub fn page_notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for run in self.runs() {
            let profile = run.variant.tlb();
            let from = profile.arrays().map(|(_, spec)| spec.source);
            let mut sources: Vec<String> = Vec::new();
            for source in from {
                let assumed = if source.is_known() { "" } else { "assumed: " };
                let text = format!("{assumed}{}", source.text());
                if !sources.contains(&text) {
                    sources.push(text);
                }
            }
            let note = format!("TLBs of {} ({}).", profile.name, sources.join("; "));
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let sizes: Vec<PageSize> = self
            .runs()
            .iter()
            .map(|r| r.variant.memory.page_size)
            .collect();
        if sizes.windows(2).any(|pair| pair.first() != pair.last()) {
            notes.push(
                "Numbers are over the whole run. Memory beyond what was touched is counted in \
                 units of 4 KiB, whatever the page size."
                    .to_owned(),
            );
        }
        notes
    }
}
