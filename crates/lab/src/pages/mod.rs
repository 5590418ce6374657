//! Pages, folios, contiguous blocks and TLBs of a session, after any of its steps.

mod regions;
mod report;
mod rows;
mod sentence;
mod tallies;
mod view;

use sealab_core::addr::AddrRange;
use sealab_core::call::ProcessId;
use sealab_core::machine::Machine;
use sealab_core::meter::Counts;
use sealab_core::paging::PageEvent;
use sealab_scenario::calls;
use sealab_scenario::program::StatementKind;

use crate::session::Session;
use crate::words;

pub use regions::{Stretch, Stretches};
pub use report::{PAGES_MAX, memory, tlb_counts};
pub use rows::{PAGE_LETTERS, page_letters};
pub use sentence::{kind, of_block, rule};
pub use tallies::tlb_size;
pub use view::{Bar, PageRun, PagesRow, PagesView, Region, Tally, flag};

/// Most pages of one row; a longer stretch is shown window by window.
pub const WINDOW_PAGES_MAX: u64 = 16_384;
/// Bytes shown of a stretch unless asked otherwise.
pub const WINDOW_BYTES: u64 = 2 << 20;
/// Most processes of a variant that are shown.
const PROCESSES_MAX: usize = 4;
/// Most stretches that a view lists.
const LISTED_MAX: usize = 64;

/// What is to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagesQuery {
    /// After which step.
    pub step: usize,
    /// Which stretch; the one that the step is about where absent.
    pub region: Option<usize>,
    /// First byte, counted from the stretch's start.
    pub from: u64,
    /// How many bytes; 0: as many as are shown at first.
    pub len: u64,
}

impl Session {
    /// Pages of a stretch of memory under every variant, after a step.
    pub fn pages(&mut self, query: &PagesQuery) -> PagesView {
        let step = query.step.min(self.steps.len());
        let stretches = self.stretches();
        let region = query.region.unwrap_or_else(|| stretches.at(step));
        let region = region.min(stretches.all.len().saturating_sub(1));
        let stretch = stretches.all.get(region).cloned();
        let whole = stretch.as_ref().map_or(0, Stretch::bytes);
        let (from, len) = self.window(query, whole);
        let mut rows = Vec::new();
        if let Some(stretch) = &stretch {
            for variant in 0..self.runs.len() {
                let range = stretch.ranges.get(variant).copied().flatten();
                rows.extend(self.variant_rows(variant, step, range, (from, len)));
            }
        }
        let listed = stretches.all.iter().take(LISTED_MAX);
        PagesView {
            step,
            regions: listed
                .map(|s| Region {
                    name: s.name.clone(),
                    size: words::short_size(s.bytes()),
                    line: s.line,
                })
                .collect(),
            regions_left_out: stretches.left_out + stretches.all.len().saturating_sub(LISTED_MAX),
            region,
            from,
            len,
            whole,
            rows,
            tallies: self.tallies(),
            notes: self.page_notes(),
        }
    }

    fn stretches(&mut self) -> Stretches {
        if let Some(known) = &self.stretches {
            return known.clone();
        }
        let made = Stretches::new(self);
        self.stretches = Some(made.clone());
        made
    }

    /// The bytes to show: whole pages of every variant, no more than a row can have.
    fn window(&self, query: &PagesQuery, whole: u64) -> (u64, u64) {
        let sizes = || self.runs.iter().map(|r| r.variant.memory.page_size.bytes());
        let (least, most) = (sizes().min().unwrap_or(4096), sizes().max().unwrap_or(4096));
        let asked = match query.len {
            0 => WINDOW_BYTES,
            len => len,
        };
        let len = asked
            .clamp(most, least * WINDOW_PAGES_MAX)
            .next_multiple_of(most)
            .min(whole);
        let from = query.from.min(whole.saturating_sub(len)) / most * most;
        (from, len)
    }

    /// A variant's rows: one for each process that has the stretch.
    fn variant_rows(
        &mut self,
        variant: usize,
        step: usize,
        range: Option<AddrRange>,
        window: (u64, u64),
    ) -> Vec<PagesRow> {
        let title = self.name(variant);
        let call = self.call_name(step);
        let made = crate::session::made_before(&self.steps, variant, step);
        let here = step > 0
            && self
                .steps
                .get(step - 1)
                .is_some_and(|s| s.records.get(variant).copied().flatten().is_some());
        let Some(run) = self.runs.get_mut(variant) else {
            return Vec::new();
        };
        let mut counts = Counts::default();
        if here && let Some(record) = run.records.all().get(made.wrapping_sub(1)) {
            for &(counter, n) in run.records.counts(record) {
                counts.add(counter, n);
            }
        }
        let profile = run.variant.tlb();
        let design = run.variant.memory.clone();
        let (machine, events) = run.history.machine_and_events(&run.records, made);
        let events = if here { events } else { Vec::new() };
        let processes = (0..machine.process_count())
            .filter_map(|n| u32::try_from(n).ok())
            .map(ProcessId)
            .filter(|&p| machine.page_table(p).is_some())
            .filter(|&p| p.0 == 0 || range.is_some_and(|r| maps(machine, p, r)))
            .take(PROCESSES_MAX);
        let mut rows: Vec<PagesRow> = processes
            .map(|process| {
                let drawn = rows::Drawn {
                    machine,
                    process,
                    profile,
                    design: &design,
                    range,
                    window,
                };
                let mut row = drawn.row();
                row.variant = variant;
                row.title.clone_from(&title);
                row
            })
            .collect();
        for row in &mut rows {
            describe(row, machine, &events, range, window, call);
        }
        if let (Some(row), Some(work)) = (rows.first_mut(), sentence::work(&counts)) {
            row.events.push(work);
        }
        rows
    }

    /// The name of step `step`'s call.
    pub(crate) fn call_name(&self, step: usize) -> &'static str {
        let step = step.checked_sub(1).and_then(|at| self.steps.get(at));
        let statements = self.parsed.program.statements();
        match step.and_then(|step| statements.get(step.statement.0 as usize)) {
            Some(statement) => match statement.kind {
                StatementKind::Call { call, .. } => calls::spec(call).name,
                _ => "access",
            },
            None => "",
        }
    }
}

fn maps(machine: &Machine, process: ProcessId, range: AddrRange) -> bool {
    machine.vmas(process).any(|vma| vma.range().overlaps(range))
}

/// Says in `row` what the step's events did to its blocks.
fn describe(
    row: &mut PagesRow,
    machine: &Machine,
    events: &[PageEvent],
    range: Option<AddrRange>,
    (from, len): (u64, u64),
    call: &str,
) {
    let Some(table) = machine.page_table(ProcessId(row.process)) else {
        return;
    };
    let own: Vec<PageEvent> = events
        .iter()
        .copied()
        .filter(|e| e.mm == table.mm())
        .collect();
    let page = table.page_size();
    let block_bytes = page.cont_ptes() << page.shift();
    let number = |block: u64| {
        let range = range.filter(|r| r.overlaps(AddrRange::new(block, block + block_bytes)))?;
        Some((block - (range.start & !(block_bytes - 1))) / block_bytes)
    };
    row.events = sentence::of_step(&own, call, number);
    let Some(range) = range else { return };
    let start = range.start + from;
    for event in &own {
        let block = AddrRange::new(event.block, event.block.saturating_add(block_bytes));
        let seen = block.intersect(AddrRange::new(start, start.saturating_add(len)));
        if !seen.is_empty() {
            let place = |bytes: u64| u32::try_from(bytes >> page.shift()).unwrap_or(u32::MAX);
            row.marks
                .push((place(seen.start - start), place(seen.len())));
        }
    }
    row.marks.sort_unstable();
    row.marks.dedup();
}
