//! Calls as tables have them: how each went under every variant, in few words.

use std::collections::BTreeMap;

use sealab_core::call::Outcome;
use sealab_core::meter::Counter;
use sealab_scenario::program::{Expected, Program};

use super::effect::Effect;
use super::{Session, Step};
use crate::report::ChangeReport;
use crate::run::{Ended, Record, VariantRun, What};
use crate::view::{
    Badge, CallDetail, Cell, CostRow, CostView, CountRow, Mark, MeasureRow, Row, Rows, StepDetail,
    WorkRow,
};
use crate::{names, words};

/// How a call went, in one word.
#[must_use]
pub fn marked(record: &Record, effect: &Effect) -> Mark {
    if !record.agrees {
        Mark::Mismatch
    } else if !record.refused() {
        Mark::Ok
    } else if effect.is_nothing() {
        Mark::Error
    } else {
        Mark::Partial
    }
}

/// How a call ended: `0`, `0x7f…`, `EPERM`, `SIGSEGV`.
#[must_use]
pub fn result_text(ended: Ended) -> String {
    match ended {
        Ended::Simulated(outcome) => outcome_text(outcome),
        Ended::AsRecorded(expected) => expected_text(expected),
    }
}

fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Value(value) if value < 4096 => value.to_string(),
        Outcome::Value(value) => format!("{value:#x}"),
        Outcome::Errno(errno) => errno.name().to_owned(),
        Outcome::Signal(signal) => signal.name().to_owned(),
    }
}

fn expected_text(expected: Expected) -> String {
    match expected {
        Expected::Value(value) => outcome_text(Outcome::Value(value)),
        Expected::Errno(errno) => errno.name().to_owned(),
        Expected::OtherErrno(name) => name.to_owned(),
        Expected::Signal(signal) => signal.name().to_owned(),
        Expected::Failure => "-1".to_owned(),
        Expected::Success => "success".to_owned(),
        Expected::Unknown => "?".to_owned(),
    }
}

/// What a failed call changed, readable: `8K changed`, `split at 0x…`.
fn partial_text(effect: &Effect) -> Option<String> {
    let bytes = effect.changed_bytes();
    if bytes > 0 {
        return Some(format!("{} changed", words::short_size(bytes)));
    }
    match effect.splits.as_slice() {
        [] => (!effect.merges.is_empty()).then(|| "mappings joined".to_owned()),
        [at] => Some(format!("split at {at:#x}")),
        [_, _, ..] => Some(format!("split in {} places", effect.splits.len())),
    }
}

impl Session {
    /// The record of variant `variant` at a step's call, and its run.
    pub(crate) fn record(&self, step: &Step, variant: usize) -> Option<(&VariantRun, &Record)> {
        let run = self.runs.get(variant)?;
        let place = step.records.get(variant).copied().flatten()?;
        Some((run, run.records.all().get(place)?))
    }

    /// Whether the variants, or one and the recording, differ at a step's call.
    #[must_use]
    pub fn differs(&self, step: &Step) -> bool {
        let mut first = None;
        for variant in 0..self.runs.len() {
            let Some((run, record)) = self.record(step, variant) else {
                // Made under some variants only.
                return true;
            };
            if !record.agrees {
                return true;
            }
            let effect = record
                .refused()
                .then(|| Effect::of(run.records.changes(record)));
            let this = (result_text(record.ended), effect);
            if *first.get_or_insert_with(|| this.clone()) != this {
                return true;
            }
        }
        false
    }

    /// Steps, counted from 1, at which something differs.
    #[must_use]
    pub fn differing(&self) -> Vec<usize> {
        let steps = self.steps.iter().enumerate();
        steps
            .filter(|(_, step)| self.differs(step))
            .map(|(at, _)| at + 1)
            .collect()
    }

    /// A window of the calls.
    #[must_use]
    pub fn rows(&self, first: usize, count: usize, differing: bool) -> Rows {
        if !differing {
            let shown = self.steps.iter().enumerate().skip(first).take(count);
            return Rows {
                total: self.steps.len(),
                first,
                rows: shown.map(|(at, step)| self.row(at, step)).collect(),
            };
        }
        let places = self.differing();
        let shown = places.iter().skip(first).take(count);
        Rows {
            total: places.len(),
            first,
            rows: shown
                .filter_map(|&step| Some(self.row(step - 1, self.steps.get(step - 1)?)))
                .collect(),
        }
    }

    fn row(&self, at: usize, step: &Step) -> Row {
        Row {
            step: at + 1,
            line: step.line,
            text: one_line(self.parsed.program.source(step.statement, &self.text)),
            differs: self.differs(step),
            cells: (0..self.runs.len()).map(|v| self.cell(step, v)).collect(),
        }
    }

    fn cell(&self, step: &Step, variant: usize) -> Cell {
        let Some((run, record)) = self.record(step, variant) else {
            return Cell {
                result: "not made".to_owned(),
                ..Cell::default()
            };
        };
        let effect = Effect::of(run.records.changes(record));
        let first = self.record(step, 0).map(|(_, first)| first.ended);
        Cell {
            mark: marked(record, &effect),
            result: result_text(record.ended),
            partial: partial_text(&effect).filter(|_| record.refused()),
            recorded: record
                .expected
                .filter(|_| !record.agrees)
                .map(expected_text),
            inferred: record.inferred(),
            same: variant > 0 && first == Some(record.ended),
            cost_ns: record.cost_ns,
        }
    }

    /// One call in full; `step` counts from 1.
    #[must_use]
    pub fn step(&self, step: usize) -> Option<StepDetail> {
        let place = self.steps.get(step.checked_sub(1)?)?;
        let variants = (0..self.runs.len())
            .map(|v| self.call_detail(place, v))
            .collect();
        let of = |variant: usize, counter: Counter| {
            let (run, record) = self.record(place, variant)?;
            let counts = run.records.counts(record).iter();
            counts.clone().find(|(c, _)| *c == counter).map(|&(_, n)| n)
        };
        let all = 0..self.runs.len();
        let counts = Counter::ALL
            .iter()
            .filter(|&&c| all.clone().any(|v| of(v, c).is_some()))
            .map(|&c| CountRow {
                counter: c.name().to_owned(),
                title: names::counter_title(c).to_owned(),
                counts: all.clone().map(|v| of(v, c).unwrap_or(0)).collect(),
                weight_ns: self.weights(c),
            })
            .collect();
        Some(StepDetail {
            step,
            variants,
            counts,
        })
    }

    fn call_detail(&self, step: &Step, variant: usize) -> CallDetail {
        let cell = self.cell(step, variant);
        let Some((run, record)) = self.record(step, variant) else {
            return CallDetail {
                text: one_line(self.parsed.program.source(step.statement, &self.text)),
                cell,
                ..CallDetail::default()
            };
        };
        CallDetail {
            text: text_of(record, &self.parsed.program, &self.text),
            cell,
            changes: changes_of(run, record),
            walks: run
                .records
                .walks(record)
                .map(|chain| chain.iter().map(|&f| f.to_owned()).collect())
                .collect(),
            remarks: remarks_of(run, record),
        }
    }

    fn weights(&self, counter: Counter) -> Vec<f64> {
        let runs = self.runs.iter();
        runs.map(|r| r.variant.cpu.prices().weight_ns(counter))
            .collect()
    }

    /// For each line that holds calls, how they went under every variant; of several, the worst.
    #[must_use]
    pub fn badges(&self) -> Vec<Badge> {
        let mut lines: BTreeMap<u32, Vec<(Mark, String)>> = BTreeMap::new();
        for step in &self.steps {
            let marks = lines
                .entry(step.line)
                .or_insert_with(|| vec![(Mark::None, String::new()); self.runs.len()]);
            for (variant, slot) in marks.iter_mut().enumerate() {
                let Some((run, record)) = self.record(step, variant) else {
                    continue;
                };
                let effect = Effect::of(run.records.changes(record));
                let mark = marked(record, &effect);
                if mark > slot.0 {
                    let cell = self.cell(step, variant);
                    *slot = (
                        mark,
                        format!("{}: {}", self.name(variant), cell_text(&cell)),
                    );
                }
            }
        }
        lines
            .into_iter()
            .map(|(line, marks)| {
                let (marks, titles) = marks.into_iter().unzip();
                Badge {
                    line,
                    marks,
                    titles,
                }
            })
            .collect()
    }

    /// What the run cost, and what made it cost that.
    #[must_use]
    pub fn cost(&self) -> CostView {
        let mut names: Vec<&str> = Vec::new();
        for sum in self.runs.iter().flat_map(|r| &r.by_name) {
            if !names.contains(&sum.name) {
                names.push(sum.name);
            }
        }
        let calls = names
            .iter()
            .map(|&name| {
                let sums = || {
                    self.runs
                        .iter()
                        .map(|r| r.by_name.iter().find(|s| s.name == name))
                };
                CostRow {
                    name: name.to_owned(),
                    calls: sums().map(|s| s.map_or(0, |s| s.calls)).collect(),
                    cost_ns: sums().map(|s| s.map_or(0.0, |s| s.cost_ns)).collect(),
                }
            })
            .collect();
        let work = Counter::ALL
            .iter()
            .filter(|&&c| self.runs.iter().any(|r| r.counts.get(c) > 0))
            .map(|&c| {
                let counts: Vec<u64> = self.runs.iter().map(|r| r.counts.get(c)).collect();
                let weight_ns = self.weights(c);
                WorkRow {
                    counter: c.name().to_owned(),
                    title: names::counter_title(c).to_owned(),
                    cost_ns: counts
                        .iter()
                        .zip(&weight_ns)
                        .map(|(&n, w)| n as f64 * w)
                        .collect(),
                    counts,
                    weight_ns,
                }
            })
            .collect();
        CostView {
            calls,
            work,
            measures: self.measure_rows(),
            provenance: self.provenance(),
        }
    }

    fn measure_rows(&self) -> Vec<MeasureRow> {
        let Some(first) = self.runs.first() else {
            return Vec::new();
        };
        let all = first.measures.iter().enumerate();
        all.map(|(at, measure)| {
            let each = || self.runs.iter().filter_map(move |r| r.measures.get(at));
            MeasureRow {
                name: measure.name.to_string(),
                samples: each().map(|m| m.samples).collect(),
                median_ns: each().map(|m| m.cost_ns.median).collect(),
                min_ns: each().map(|m| m.cost_ns.min).collect(),
                max_ns: each().map(|m| m.cost_ns.max).collect(),
            }
        })
        .collect()
    }

    fn provenance(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for run in &self.runs {
            let cpu = run.variant.cpu;
            let line = format!(
                "{}: {}. Estimates are off by {:.0} % (root mean square over {}).",
                cpu.label,
                cpu.model,
                cpu.relative_error * 100.0,
                cpu.error_rows
            );
            if !out.contains(&line) {
                out.push(line);
            }
        }
        out
    }
}

/// A cell in one line: `EPERM, 8K changed`.
#[must_use]
pub fn cell_text(cell: &Cell) -> String {
    let mut text = cell.result.clone();
    if let Some(partial) = &cell.partial {
        text = format!("{text}, {partial}");
    }
    if let Some(recorded) = &cell.recorded {
        text = format!("{text} (the text says {recorded})");
    }
    if cell.inferred {
        text.push_str(" (as recorded)");
    }
    text
}

/// A record's call with its arguments evaluated.
#[must_use]
pub fn text_of(record: &Record, program: &Program, text: &str) -> String {
    match &record.what {
        What::Call(call) => sealab_scenario::render::call_text(call),
        What::Pattern(_) => one_line(program.source(record.statement, text)),
    }
}

/// What a record's call changed, in order.
#[must_use]
pub fn changes_of(run: &VariantRun, record: &Record) -> Vec<ChangeReport> {
    let changes = run.records.changes(record).iter();
    changes
        .map(|change| ChangeReport {
            start: crate::space::hex(change.range.start),
            end: crate::space::hex(change.range.end),
            kind: names::change_kind(change.kind).to_owned(),
        })
        .collect()
}

/// What a reader must be told of a record.
#[must_use]
pub fn remarks_of(run: &VariantRun, record: &Record) -> Vec<String> {
    let said = run.records.remarks(record).iter();
    said.map(|&r| r.to_owned()).collect()
}

/// Blanks and line ends as single blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
