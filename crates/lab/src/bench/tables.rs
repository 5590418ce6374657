//! A benchmark as tables: CSV for spreadsheets, Markdown for mails and documents.

use std::fmt::Write as _;

use super::report::{BenchReport, BenchRow};
use super::{FIGURES, Figures, Published, all_errors};

/// A figure as a person reads it.
#[must_use]
pub fn shown(name: &str, value: f64) -> String {
    if name.ends_with("_pct") {
        return format!("{value:+.1} %").replace('-', "−");
    }
    match value.abs() {
        v if v >= 1e5 || v < 100.0 && v.fract() == 0.0 => format!("{value:.0}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A column: its heading, and where its figure is.
pub type Column = (&'static str, fn(&Figures) -> Option<f64>);

/// Every figure that a row can have, by its key.
pub const ALL: [Column; 11] = [
    ("ns", |f| f.ns),
    ("cycles", |f| f.cycles),
    ("overhead_pct", |f| f.overhead_pct),
    ("overhead_cycles_pct", |f| f.overhead_cycles_pct),
    ("ops_per_s", |f| f.ops_per_s),
    ("change_pct", |f| f.change_pct),
    ("real_pct", |f| f.real_pct),
    ("kern_pct", |f| f.kern_pct),
    ("user_pct", |f| f.user_pct),
    ("memory_pct", |f| f.memory_pct),
    ("rate_pct", |f| f.rate_pct),
];

/// What a row is called: call, mappings, kernel, memory, jobs, as far as they differ.
#[must_use]
pub fn row_name(report: &BenchReport, row: &BenchRow) -> String {
    let differs = |of: fn(&BenchRow) -> String| {
        let first = report.rows.first().map(of);
        report.rows.iter().any(|r| Some(of(r)) != first)
    };
    let mut parts = Vec::new();
    if let (Some(call), Some(vmas)) = (&row.syscall, row.vmas) {
        parts.push(format!("{call}, {vmas}"));
    }
    if differs(|r| r.kernel.clone()) || report.rows.len() == 1 {
        parts.push(row.kernel.clone());
    }
    if differs(|r| r.memory.clone()) {
        parts.push(row.memory.clone());
    }
    parts.join(" · ")
}

/// The figures of which some row has one.
#[must_use]
pub fn columns(report: &BenchReport) -> Vec<Column> {
    let some =
        |of: &fn(&Figures) -> Option<f64>| report.rows.iter().any(|r| of(&r.predicted).is_some());
    ALL.into_iter().filter(|(_, of)| some(of)).collect()
}

impl BenchReport {
    /// One line for each row and published source.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = String::from("benchmark,cpu,kernel,memory,syscall,vmas,jobs");
        for (name, _) in ALL {
            let _ = write!(out, ",{name}");
        }
        for (name, _) in ALL {
            let _ = write!(out, ",published_{name}");
        }
        for (name, _) in ALL {
            let _ = write!(out, ",measured_{name}");
        }
        out.push_str(",role,source,url\n");
        for row in &self.rows {
            let all: Vec<Option<&Published>> = match &row.published {
                None => vec![None],
                Some(first) => std::iter::once(first)
                    .chain(&row.also_published)
                    .map(Some)
                    .collect(),
            };
            for published in all {
                let text = |t: &str| format!("\"{}\"", t.replace('"', "\"\""));
                let _ = write!(
                    out,
                    "{},{},{},{},{},{},{}",
                    self.benchmark,
                    text(&self.cpu),
                    row.kernel,
                    text(&row.memory),
                    row.syscall.as_deref().unwrap_or(""),
                    row.vmas.map_or_else(String::new, |n| n.to_string()),
                    row.jobs.map_or_else(String::new, |n| n.to_string()),
                );
                let none = Figures::default();
                let was = published.map_or(none, |p| p.figures);
                for figures in [row.predicted, was, row.measured.unwrap_or(none)] {
                    for (_, of) in ALL {
                        let _ = match of(&figures) {
                            Some(value) => write!(out, ",{value}"),
                            None => write!(out, ","),
                        };
                    }
                }
                let source = published.map_or("", |p| &p.source);
                let url = published.map_or("", |p| &p.url);
                let role = published.map_or("none", |p| &p.role);
                let _ = writeln!(out, ",{},{},{url}", text(role), text(source));
            }
        }
        out
    }

    /// A table of predicted beside published and measured figures, and the errors.
    #[must_use]
    pub fn markdown(&self) -> String {
        let columns = columns(self);
        let mut out = format!("{}\n\n| row |", self.about);
        for (name, _) in &columns {
            let _ = write!(out, " {name} |");
        }
        out.push_str(" role | published by |\n|---|");
        out.push_str(&"---:|".repeat(columns.len()));
        out.push_str("---|---|\n");
        for row in &self.rows {
            let none = Figures::default();
            let _ = write!(out, "| {} |", row_name(self, row).replace('|', "\\|"));
            let was = row.published.as_ref().map_or(none, |p| p.figures);
            let here = row.measured.unwrap_or(none);
            for (name, of) in &columns {
                let _ = write!(
                    out,
                    " {} |",
                    cell(name, of(&row.predicted), of(&was), of(&here))
                );
            }
            let by = row
                .published
                .as_ref()
                .map_or_else(String::new, |p| format!("[{}]({})", p.source, p.url));
            let _ = writeln!(
                out,
                " {} | {by} |",
                row.role.split(' ').next().unwrap_or("")
            );
        }
        out.push_str("\nEach cell: predicted (published) [measured here].\n");
        if !self.errors.is_empty() {
            out.push_str(
                "\n| error of | rows | values | rms | greatest |\n|---|---|---:|---:|---:|\n",
            );
            for e in &self.errors {
                let _ = writeln!(
                    out,
                    "| {} | {} | {} | {:.1} {} | {:+.1} {} |",
                    e.figure, e.role, e.values, e.rms, e.unit, e.worst, e.unit
                );
            }
        }
        for note in &self.notes {
            let _ = writeln!(out, "\n{note}");
        }
        out
    }

    /// Rows held out whose error is over `limit` (percent or points), of figure `figure`.
    #[must_use]
    pub fn over(&self, figure: &str, limit: f64) -> usize {
        all_errors(&self.rows)
            .filter(|&(name, _, _, off)| name == figure && off.abs() > limit)
            .count()
    }
}

/// `predicted (published) [measured]`, as far as there is each.
#[must_use]
pub fn cell(name: &str, said: Option<f64>, was: Option<f64>, here: Option<f64>) -> String {
    let mut out = said.map_or_else(String::new, |v| shown(name, v));
    if let Some(was) = was {
        let _ = write!(out, " ({})", shown(name, was));
    }
    if let Some(here) = here {
        let _ = write!(out, " [{}]", shown(name, here));
    }
    out
}

/// Keeps the list of compared figures in step with the list of all.
const _: () = assert!(FIGURES.len() <= ALL.len());
