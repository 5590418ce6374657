//! The report: what a session came to, as plain data.

use std::collections::BTreeMap;

use sealab_core::addr::AddrRange;
use sealab_core::call::Outcome;
use sealab_core::meter::Counts;
use sealab_scenario::program::Expected;

use super::rows::{changes_of, remarks_of, text_of};
use super::{Session, Step, merge_ranges};
use crate::report::{
    CallReport, CallResult, FORMAT, Measure, Range, Report, Run, Totals, Unlisted,
};
use crate::run::{Ended, Record, VariantRun};
use crate::space::{hex, maps_entry};
use crate::view::{ProcessChoice, RunSummary};

impl Session {
    /// The whole report. Call number `i` is the same call in every run.
    #[must_use]
    pub fn report(&self) -> Report {
        Report {
            format: FORMAT.to_owned(),
            diagnostics: self.diagnostics(),
            skipped: self.parsed.skipped.clone(),
            differences: self.differences.clone(),
            runs: (0..self.runs.len())
                .filter_map(|v| self.run_report(v))
                .collect(),
        }
    }

    fn run_report(&self, variant: usize) -> Option<Run> {
        let run = self.runs.get(variant)?;
        Some(Run {
            variant: run.variant.ids.clone(),
            label: run.variant.kernel.label.to_owned(),
            calls: self.steps.iter().map(|s| self.call(s, variant)).collect(),
            unlisted_calls: run.unlisted.iter().map(|u| u.calls).sum(),
            unlisted: self.unlisted(run),
            maps: run.maps.iter().map(maps_entry).collect(),
            totals: totals(run),
            measures: measures(run),
            pages: None,
        })
    }

    /// The heads of the runs.
    #[must_use]
    pub fn summaries(&self) -> Vec<RunSummary> {
        let runs = self.runs.iter();
        runs.map(|run| RunSummary {
            variant: run.variant.ids.clone(),
            label: run.variant.kernel.label.to_owned(),
            totals: totals(run),
            measures: measures(run),
            unlisted_calls: run.unlisted.iter().map(|u| u.calls).sum(),
        })
        .collect()
    }

    /// The processes of a trace, when there are several to choose from.
    #[must_use]
    pub fn processes(&self) -> Vec<ProcessChoice> {
        if self.parsed.processes.len() < 2 {
            return Vec::new();
        }
        let processes = self.parsed.processes.iter();
        processes
            .map(|p| ProcessChoice {
                pid: p.pid,
                calls: p.calls,
                command: p.command.clone(),
                chosen: p.pid == self.parsed.pid,
            })
            .collect()
    }

    fn unlisted(&self, run: &VariantRun) -> Vec<Unlisted> {
        let source = |id| self.parsed.program.source(id, &self.text);
        let unlisted = run.unlisted.iter();
        unlisted
            .map(|u| Unlisted {
                line: u.line,
                text: source(u.statement)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
                calls: u.calls,
            })
            .collect()
    }

    fn call(&self, step: &Step, variant: usize) -> CallReport {
        let Some((run, record)) = self.record(step, variant) else {
            let source = self.parsed.program.source(step.statement, &self.text);
            return CallReport {
                line: step.line,
                text: source.split_whitespace().collect::<Vec<_>>().join(" "),
                agrees: true,
                remarks: vec!["not made under this variant: a name in it has no value".to_owned()],
                ..CallReport::default()
            };
        };
        let mut changed: Vec<AddrRange> = run
            .records
            .changes(record)
            .iter()
            .map(|c| c.range)
            .collect();
        merge_ranges(&mut changed);
        CallReport {
            line: record.line,
            text: text_of(record, &self.parsed.program, &self.text),
            process: record.by.0,
            result: ended(record.ended),
            recorded: recorded(record),
            agrees: record.agrees,
            inferred: record.inferred(),
            changed: changed.iter().map(range).collect(),
            changes: changes_of(run, record),
            counts: run
                .records
                .counts(record)
                .iter()
                .map(|&(c, n)| (c.name().to_owned(), n))
                .collect(),
            walks: run
                .records
                .walks(record)
                .map(|chain| chain.iter().map(|&f| f.to_owned()).collect())
                .collect(),
            cost_ns: record.cost_ns,
            remarks: remarks_of(run, record),
            page_events: Vec::new(),
        }
    }
}

fn totals(run: &VariantRun) -> Totals {
    Totals {
        calls: run.calls,
        disagreements: run.disagreements,
        inferred: run.inferred,
        counts: counted(&run.counts),
        tlb: crate::pages::tlb_counts(run),
        memory: crate::pages::memory(run),
        cost_ns: run.cost_ns,
    }
}

fn measures(run: &VariantRun) -> Vec<Measure> {
    let measures = run.measures.iter();
    measures
        .map(|m| Measure {
            name: m.name.to_string(),
            samples: m.samples,
            counts: counted(&m.counts),
            cost_ns: m.cost_ns,
        })
        .collect()
}

fn counted(counts: &Counts) -> BTreeMap<String, u64> {
    let named = counts.iter().filter(|&(_, n)| n > 0);
    named.map(|(c, n)| (c.name().to_owned(), n)).collect()
}

fn range(range: &AddrRange) -> Range {
    Range {
        start: hex(range.start),
        end: hex(range.end),
    }
}

fn ended(ended: Ended) -> CallResult {
    match ended {
        Ended::Simulated(outcome) => of_outcome(outcome),
        Ended::AsRecorded(expected) => of_expected(expected),
    }
}

fn of_outcome(outcome: Outcome) -> CallResult {
    let mut result = CallResult::default();
    match outcome {
        Outcome::Value(value) => result.value = Some(hex(value)),
        Outcome::Errno(errno) => result.errno = Some(errno.name().to_owned()),
        Outcome::Signal(signal) => result.signal = Some(signal.name().to_owned()),
    }
    result
}

fn of_expected(expected: Expected) -> CallResult {
    let mut result = CallResult::default();
    match expected {
        Expected::Value(value) => result.value = Some(hex(value)),
        Expected::Errno(errno) => result.errno = Some(errno.name().to_owned()),
        Expected::OtherErrno(name) => result.errno = Some(name.to_owned()),
        Expected::Signal(signal) => result.signal = Some(signal.name().to_owned()),
        // Said to have failed or succeeded, but not how.
        Expected::Failure => result.errno = Some("?".to_owned()),
        Expected::Success | Expected::Unknown => result.value = Some("?".to_owned()),
    }
    result
}

fn recorded(record: &Record) -> Option<CallResult> {
    let said = record.expected.filter(|e| *e != Expected::Unknown);
    said.map(of_expected)
}
