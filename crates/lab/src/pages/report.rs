//! Pages, TLBs and memory use as the report has them.

use std::collections::BTreeMap;

use sealab_core::addr::AddrRange;
use sealab_core::call::ProcessId;
use sealab_core::machine::Machine;
use sealab_core::paging::{Level, PageEvent, PageState, page_states};

use super::sentence;
use crate::report::{
    MappingPages, MemoryReport, PageEventReport, PageReport, PagesReport, Report, TlbArray,
};
use crate::run::VariantRun;
use crate::session::{Session, made_before};
use crate::space::hex;

/// Most pages that a report lists of one run; those beyond are counted.
pub const PAGES_MAX: usize = 65_536;
/// Most entries of one TLB array that a report lists.
const ENTRIES_MAX: usize = 4_096;
/// Most steps whose events a report lists.
const STEPS_MAX: usize = 10_000;

impl Session {
    /// The whole report with the final state of every page, and what each call did to contiguous
    /// blocks.
    pub fn report_with_pages(&mut self) -> Report {
        let mut report = self.report();
        for (variant, run) in report.runs.iter_mut().enumerate() {
            for step in 1..=self.steps.len().min(STEPS_MAX) {
                let (events, _) = self.events(variant, step);
                let name = self.call_name(step);
                if let Some(call) = run.calls.get_mut(step - 1) {
                    call.page_events = events.iter().map(|e| event(e, name)).collect();
                }
            }
            let end = made_before(&self.steps, variant, self.steps.len());
            if let Some(own) = self.runs.get_mut(variant) {
                let page_bytes = own.variant.memory.page_size.bytes();
                let (machine, _) = own.history.machine_and_events(&own.records, end);
                run.pages = Some(pages(machine, page_bytes));
            }
        }
        report
    }

    /// What a step did to contiguous blocks under a variant, and whether it was made there.
    pub(crate) fn events(&mut self, variant: usize, step: usize) -> (Vec<PageEvent>, bool) {
        let records = step.checked_sub(1).and_then(|at| self.steps.get(at));
        let record = records.and_then(|s| s.records.get(variant).copied().flatten());
        let run = self.runs.get_mut(variant);
        let (Some(record), Some(run)) = (record, run) else {
            return (Vec::new(), false);
        };
        let (_, events) = run.history.machine_and_events(&run.records, record + 1);
        (events, true)
    }
}

/// A run's memory use.
#[must_use]
pub fn memory(run: &VariantRun) -> MemoryReport {
    MemoryReport {
        resident: run.memory.resident.0,
        page_tables: run.memory.tables.0,
        untouched: run.memory.untouched.0,
    }
}

/// What a run's TLBs counted; nothing where there was no access.
#[must_use]
pub fn tlb_counts(run: &VariantRun) -> BTreeMap<String, u64> {
    let accesses = run.tlb.fetches.saturating_add(run.tlb.data_accesses);
    let counts = run.tlb.iter().filter(|&(_, n)| accesses > 0 && n > 0);
    counts.map(|(name, n)| (name.to_owned(), n)).collect()
}

fn event(event: &PageEvent, call: &str) -> PageEventReport {
    PageEventReport {
        block: hex(event.block),
        page: event.page,
        kind: sentence::kind(event.reason).to_owned(),
        rule: sentence::rule(event.reason).to_owned(),
        sentence: sentence::of_block(event, call),
    }
}

fn pages(machine: &Machine, page_bytes: u64) -> PagesReport {
    let mut report = PagesReport {
        page_bytes,
        ..PagesReport::default()
    };
    let mut left = PAGES_MAX;
    for process in (0..machine.process_count()).filter_map(|n| u32::try_from(n).ok()) {
        let of = ProcessId(process);
        let Some(table) = machine.page_table(of) else {
            continue;
        };
        for vma in machine.vmas(of) {
            let count = vma.len() / page_bytes.max(1);
            let shown = usize::try_from(count).unwrap_or(usize::MAX).min(left);
            left -= shown;
            report.left_out += count - shown as u64;
            let range = AddrRange::new(vma.start, vma.start + shown as u64 * page_bytes);
            let mut pages: Vec<PageReport> = (0..shown as u64)
                .map(|i| PageReport {
                    addr: hex(vma.start + i * page_bytes),
                    ..PageReport::default()
                })
                .collect();
            for state in page_states(table, machine.memory(), range) {
                let place = (state.addr - vma.start) / page_bytes.max(1);
                if let Some(page) = usize::try_from(place).ok().and_then(|p| pages.get_mut(p)) {
                    *page = of_state(&state);
                }
            }
            report.mappings.push(MappingPages {
                process,
                start: hex(vma.start),
                end: hex(vma.end),
                pages,
            });
        }
    }
    if let Some(tlb) = machine.tlb() {
        report.tlb_profile = tlb.profile().id.to_owned();
        for array in tlb.contents() {
            let entries = array.entries.iter().take(ENTRIES_MAX);
            report.tlb.push(TlbArray {
                name: array.name.to_owned(),
                capacity: array.capacity as u64,
                reach: array.reach(),
                entries: entries.map(|e| (hex(e.addr), 1_u64 << e.shift)).collect(),
            });
        }
    }
    report
}

fn of_state(state: &PageState) -> PageReport {
    PageReport {
        addr: hex(state.addr),
        present: state.present,
        writable: state.writable,
        young: state.young,
        dirty: state.dirty,
        contiguous: state.contiguous,
        executable: state.executable,
        special: state.zero,
        prot_none: state.prot_none,
        guard: state.marker.is_some(),
        pmd: state.level == Level::Pmd,
        order: state.order,
        index: state.index,
        folio: state.folio,
        mapcount: state.mapcount,
    }
}
