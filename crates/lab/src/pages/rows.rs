//! One variant's pages as runs of alike ones.

use std::collections::HashMap;

use sealab_core::addr::AddrRange;
use sealab_core::call::ProcessId;
use sealab_core::machine::Machine;
use sealab_core::paging::{Level, MemoryDesign, PageState, page_states};
use sealab_core::tlb::{HeldEntry, Profile};

use super::tallies::{held_shift, tlb_size};
use super::view::{Bar, PageRun, PagesRow, flag};
use crate::space::hex;
use crate::words;

/// What a row is drawn from.
pub struct Drawn<'a> {
    /// The machine after the step.
    pub machine: &'a Machine,
    /// The process.
    pub process: ProcessId,
    /// The TLBs.
    pub profile: &'static Profile,
    /// The memory.
    pub design: &'a MemoryDesign,
    /// The stretch.
    pub range: Option<AddrRange>,
    /// First byte of it and how many bytes are shown.
    pub window: (u64, u64),
}

impl Drawn<'_> {
    /// The row, without what the step did.
    pub fn row(&self) -> PagesRow {
        let page = self.design.page_size;
        let mut row = PagesRow {
            process: self.process.0,
            page_bytes: page.bytes(),
            tlb_size: tlb_size(self.profile),
            ..PagesRow::default()
        };
        let (Some(range), Some(table)) = (self.range, self.machine.page_table(self.process)) else {
            row.line = "not mapped".to_owned();
            return row;
        };
        let (from, len) = self.window;
        let start = range.start.saturating_add(from);
        let shown = AddrRange::new(start, start.saturating_add(len)).intersect(range);
        row.start = hex(start);
        let states: HashMap<u64, PageState> = page_states(table, self.machine.memory(), shown)
            .map(|state| (state.addr, state))
            .collect();
        let mut folios: HashMap<u64, u32> = HashMap::new();
        let mut sums = Sums::default();
        let mapped: Vec<AddrRange> = self
            .machine
            .vmas(self.process)
            .map(|vma| vma.range())
            .filter(|r| r.overlaps(shown))
            .collect();
        let pages = shown.len() >> page.shift();
        let mut latest = None;
        let mut needed = Vec::new();
        for place in 0..pages {
            let addr = shown.start + (place << page.shift());
            let covered = mapped.iter().any(|r| r.contains(addr));
            let mut this = PageRun {
                first: u32::try_from(place).unwrap_or(u32::MAX),
                pages: 1,
                flags: if covered { flag::MAPPED } else { 0 },
                ..PageRun::default()
            };
            if let Some(state) = states.get(&addr) {
                this.flags |= flags(state);
                if state.order > 0 {
                    let next = u32::try_from(folios.len() + 1).unwrap_or(u32::MAX);
                    this.folio = *folios.entry(state.folio).or_insert(next);
                    this.order = state.order;
                    this.index = state.index;
                }
                sums.add(state);
                if let Some(translation) = table.translation(addr) {
                    let shift = held_shift(self.profile, translation.shift);
                    let entry = (addr >> shift << shift, shift);
                    if latest != Some(entry) {
                        latest = Some(entry);
                        needed.push(entry);
                    }
                }
            }
            let bar = match this.flags {
                f if f & flag::PMD != 0 => Some((page.pmd_bytes(), true)),
                f if f & flag::CONTIGUOUS != 0 => Some((page.cont_ptes() << page.shift(), false)),
                _ => None,
            };
            if let Some((bytes, pmd)) = bar {
                let goes_on = place > 0 && !addr.is_multiple_of(bytes);
                match row
                    .bars
                    .last_mut()
                    .filter(|bar| goes_on && bar.pmd == pmd && bar.first + bar.pages == this.first)
                {
                    Some(bar) => bar.pages += 1,
                    None => row.bars.push(Bar {
                        first: this.first,
                        pages: 1,
                        pmd,
                    }),
                }
            }
            match row.runs.last_mut() {
                Some(run) if goes_on(run, &this) => run.pages += 1,
                _ => row.runs.push(this),
            }
        }
        row.tlb_entries = needed.len() as u64;
        row.tlb_held = self.held(table.mm(), &needed);
        row.line = sums.line(folios.len(), self.design);
        row.letters = page_letters(&row);
        row
    }

    /// How many of the entries the second level of TLBs holds (or the first, where it has them all).
    fn held(&self, mm: sealab_core::paging::MmId, needed: &[(u64, u32)]) -> u64 {
        let Some(tlb) = self.machine.tlb() else {
            return 0;
        };
        let mut entries: Vec<HeldEntry> = tlb
            .contents()
            .into_iter()
            .flat_map(|array| array.entries)
            .filter(|entry| entry.mm == mm)
            .collect();
        entries.sort_unstable();
        let is_held = |&&(addr, shift): &&(u64, u32)| {
            entries
                .iter()
                .any(|e| e.shift <= shift && e.addr >> shift << shift == addr)
        };
        needed.iter().filter(is_held).count() as u64
    }
}

/// Whether `next` continues `run`.
fn goes_on(run: &PageRun, next: &PageRun) -> bool {
    run.flags == next.flags
        && run.folio == next.folio
        && (run.folio == 0 || run.index + run.pages == next.index)
}

fn flags(state: &PageState) -> u16 {
    let bits = [
        (state.present, flag::PRESENT),
        (state.writable, flag::WRITABLE),
        (state.young, flag::YOUNG),
        (state.dirty, flag::DIRTY),
        (state.contiguous, flag::CONTIGUOUS),
        (state.zero, flag::ZERO),
        (state.prot_none, flag::PROT_NONE),
        (state.executable, flag::EXECUTABLE),
        (state.marker.is_some(), flag::GUARD),
        (state.level == Level::Pmd, flag::PMD),
        (state.mapcount > 1, flag::SHARED),
    ];
    bits.iter()
        .filter(|(on, _)| *on)
        .fold(0, |all, (_, bit)| all | bit)
}

/// What a row has, for its line of words.
#[derive(Default)]
struct Sums {
    present: u64,
    single: u64,
    zero: u64,
    contiguous: u64,
    pmd: u64,
    orders: Vec<u32>,
}

impl Sums {
    fn add(&mut self, state: &PageState) {
        self.present += u64::from(state.present);
        self.zero += u64::from(state.zero);
        self.contiguous += u64::from(state.contiguous);
        self.pmd += u64::from(state.level == Level::Pmd);
        if state.present && !state.zero {
            self.single += u64::from(state.order == 0);
            if state.order > 0 && !self.orders.contains(&state.order) {
                self.orders.push(state.order);
            }
        }
    }

    /// `4 folios of 64K, 3 contiguous blocks`.
    fn line(&self, folios: usize, design: &MemoryDesign) -> String {
        if self.present == 0 {
            return "no page present".to_owned();
        }
        let page = design.page_size;
        let mut parts = Vec::new();
        if folios > 0 {
            let size = match self.orders.as_slice() {
                [order] => format!(" of {}", words::short_size(page.bytes() << order)),
                _ => " of several sizes".to_owned(),
            };
            parts.push(format!("{}{size}", words::count(folios as u64, "folio")));
        }
        if self.single > 0 {
            parts.push(words::count(self.single, "single page"));
        }
        if self.zero > 0 {
            parts.push(format!(
                "{} of zeros",
                words::count(self.zero, "shared page")
            ));
        }
        if self.contiguous > 0 {
            let blocks = self.contiguous.div_ceil(page.cont_ptes());
            parts.push(words::count(blocks, "contiguous block"));
        } else if folios > 0 && design.has_contpte() && self.pmd == 0 {
            parts.push("no contiguous block".to_owned());
        }
        if self.pmd > 0 {
            let blocks = (self.pmd << page.shift()).div_ceil(page.pmd_bytes());
            parts.push(words::count(blocks, "PMD block"));
        }
        parts.join(", ")
    }
}

/// What the letters of [`page_letters`] mean.
pub const PAGE_LETTERS: &str = "[…] contiguous block, {…} PMD block, W writable and dirty, w writable, d dirty, r read-only, \
     x executable, z zero page, n PROT_NONE, - not present, blank not mapped; | between folios";
/// Most letters of a row.
const LETTERS_MAX: usize = 256;

/// A row's pages, one letter each: the view as text.
#[must_use]
pub fn page_letters(row: &PagesRow) -> String {
    let mut out = String::new();
    let mut letters = 0;
    let mut before = 0;
    for run in &row.runs {
        let has = |bit| run.flags & bit != 0;
        if run.folio != before && !out.is_empty() {
            out.push('|');
        }
        before = run.folio;
        let (open, close) = match (has(flag::PMD), has(flag::CONTIGUOUS)) {
            (true, _) => ("{", "}"),
            (_, true) => ("[", "]"),
            _ => ("", ""),
        };
        let letter = if has(flag::ZERO) {
            'z'
        } else if has(flag::PROT_NONE) {
            'n'
        } else if has(flag::GUARD) {
            'g'
        } else if has(flag::PRESENT) {
            match (has(flag::WRITABLE), has(flag::DIRTY), has(flag::EXECUTABLE)) {
                (true, true, _) => 'W',
                (true, false, _) => 'w',
                (false, _, true) => 'x',
                (false, true, _) => 'd',
                (false, false, _) => 'r',
            }
        } else if has(flag::MAPPED) {
            '-'
        } else {
            ' '
        };
        out.push_str(open);
        let room = LETTERS_MAX.saturating_sub(letters);
        let shown = (run.pages as usize).min(room);
        out.extend(std::iter::repeat_n(letter, shown));
        letters += shown;
        if shown < run.pages as usize {
            out.push('…');
            out.push_str(close);
            break;
        }
        out.push_str(close);
    }
    out
}
