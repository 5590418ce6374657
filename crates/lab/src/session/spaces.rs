//! Address spaces after each step, on an axis that stays put while a reader moves through them.

use std::collections::BTreeSet;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Mapping, ProcessId};
use sealab_core::machine::ChangeKind;

use super::{Session, Step, merge_ranges};
use crate::run::VariantRun;
use crate::space::{self, Axis, MAX_FIXED_BOUNDARIES};
use crate::view::SpaceView;

/// One axis for all steps, where the run has few enough boundaries.
pub struct FixedAxis {
    axis: Option<Axis>,
}

/// How many of variant `variant`'s records were made by the end of step `step`.
pub fn made_before(steps: &[Step], variant: usize, step: usize) -> usize {
    let passed = steps.get(..step.min(steps.len())).unwrap_or(&[]);
    let last = passed
        .iter()
        .rev()
        .find_map(|s| s.records.get(variant).copied().flatten());
    last.map_or(0, |record| record + 1)
}

impl FixedAxis {
    /// The axis of everything that is mapped at some listed step under some variant.
    pub fn new(runs: &mut [VariantRun], steps: &[Step]) -> Self {
        let mut used: Vec<AddrRange> = Vec::new();
        let mut cuts = BTreeSet::new();
        for run in runs.iter_mut() {
            let start = run.history.mappings(&run.records, 0, ProcessId::default());
            used.extend(start.iter().map(|m| m.range));
            for record in run.records.all() {
                for change in run.records.changes(record) {
                    cuts.extend([change.range.start, change.range.end]);
                    if change.kind == ChangeKind::Mapped {
                        used.push(change.range);
                    }
                }
                if cuts.len() > MAX_FIXED_BOUNDARIES {
                    return Self { axis: None };
                }
            }
            if let Some(last) = steps.len().checked_sub(1) {
                let made = last + 1;
                let end = run
                    .history
                    .mappings(&run.records, made, ProcessId::default());
                used.extend(end.iter().map(|m| m.range));
            }
        }
        let boundaries = used.iter().flat_map(|r| [r.start, r.end]);
        let all: BTreeSet<u64> = boundaries.chain(cuts.iter().copied()).collect();
        if all.len() > MAX_FIXED_BOUNDARIES {
            return Self { axis: None };
        }
        Self {
            axis: Some(Axis::new(&used, cuts)),
        }
    }
}

impl Session {
    /// The address spaces of all variants after step `step`, on one axis.
    pub fn space(&mut self, step: usize) -> SpaceView {
        let step = step.min(self.steps.len());
        let spaces: Vec<Vec<Mapping>> = (0..self.runs.len())
            .map(|variant| self.maps_at(variant, step))
            .collect();
        let used: Vec<AddrRange> = spaces.iter().flatten().map(|m| m.range).collect();
        let own;
        let axis = match &self.axis.axis {
            // Calls that are not listed may map what no listed one shows.
            Some(axis) if used.iter().all(|&r| axis.fits(r)) => axis,
            _ => {
                own = Axis::new(&used, []);
                &own
            }
        };
        let shift = self.runs.iter().map(|r| r.variant.memory.page_size.shift());
        let strips = spaces
            .iter()
            .enumerate()
            .map(|(variant, mappings)| {
                let others: Vec<&[Mapping]> = spaces
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != variant)
                    .map(|(_, m)| m.as_slice())
                    .collect();
                space::strip(axis, mappings, &self.changed(variant, step), &others)
            })
            .collect();
        SpaceView {
            step,
            axis: axis.segments(shift.min().unwrap_or(12)),
            strips,
        }
    }

    /// What step `step`'s call changed under a variant: stretches, sorted, and cuts.
    fn changed(&self, variant: usize, step: usize) -> Vec<AddrRange> {
        let record = step
            .checked_sub(1)
            .and_then(|at| self.steps.get(at)?.records.get(variant).copied().flatten());
        let Some((run, record)) = self.runs.get(variant).zip(record) else {
            return Vec::new();
        };
        let Some(record) = run.records.all().get(record) else {
            return Vec::new();
        };
        let changes = run.records.changes(record);
        let mut ranges: Vec<AddrRange> = changes.iter().map(|c| c.range).collect();
        merge_ranges(&mut ranges);
        let cuts = changes.iter().filter(|c| c.kind == ChangeKind::Split);
        ranges.extend(cuts.map(|c| c.range));
        ranges
    }
}
