//! A session as tables: Markdown for mails and issues, CSV for spreadsheets and scripts.

use std::fmt::Write as _;

use sealab_core::meter::Counter;

use crate::pages::Tally;
use crate::report::CallResult;
use crate::session::{Session, cell_text};
use crate::view::{MeasureRow, Row};
use crate::words;

impl Session {
    /// The session as Markdown: the sentences, then every listed call under every variant.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for difference in self.differences() {
            let sentence = set_off(&difference.sentence, &difference.emphasis);
            let _ = writeln!(out, "- {sentence}");
        }
        if !self.differences().is_empty() {
            out.push('\n');
        }
        let names: Vec<String> = (0..self.runs().len()).map(|v| self.name(v)).collect();
        let _ = writeln!(out, "| line | call | {} |", names.join(" | "));
        let _ = writeln!(out, "|---:|---|{}", "---|".repeat(names.len()));
        for row in self.rows(0, usize::MAX, false).rows {
            let cells: Vec<String> = row_cells(&row).iter().map(|c| escaped(c)).collect();
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                row.line,
                code(&row.text),
                cells.join(" | ")
            );
        }
        let _ = writeln!(out, "| | total | {} |", self.totals().join(" | "));
        let measures = self.cost().measures;
        if !measures.is_empty() {
            let _ = writeln!(out, "\n| measure (median) | {} |", names.join(" | "));
            let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
            for measure in &measures {
                let cells = measure_cells(measure).join(" | ");
                let _ = writeln!(out, "| {} | {cells} |", escaped(&measure.name));
            }
        }
        let tallies = self.compared_tallies();
        if !tallies.is_empty() {
            let _ = writeln!(out, "\n| over the whole run | {} |", names.join(" | "));
            let _ = writeln!(out, "|---|{}", "---:|".repeat(names.len()));
            for tally in &tallies {
                let cells = tally_cells(tally).join(" | ");
                let _ = writeln!(out, "| {} | {cells} |", tally.title);
            }
        }
        for note in self.notes() {
            let _ = write!(out, "\n{note}\n");
        }
        out
    }

    /// What was counted over the whole run, where memories are compared.
    #[must_use]
    pub fn compared_tallies(&self) -> Vec<Tally> {
        let memories = || self.runs().iter().map(|r| &r.variant.ids.memory);
        let first = memories().next();
        if memories().all(|m| Some(m) == first) {
            return Vec::new();
        }
        self.tallies()
    }

    /// The scenario in a fence that its own text cannot close, then [`Self::markdown`], then a link
    /// where there is one: a result that can be read without opening anything.
    #[must_use]
    pub fn markdown_with_scenario(&self, link: Option<&str>) -> String {
        let text = self.text();
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.saturating_add(1).max(3));
        let mut out = format!(
            "{fence}c\n{}\n{fence}\n\n{}",
            text.trim_end(),
            self.markdown()
        );
        if let Some(link) = link {
            let _ = write!(out, "\n[Open in sealab]({link})\n");
        }
        out
    }

    /// The session as CSV: one line for each listed call of each variant, with its counts.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = String::from(
            "kernel,memory,cpu,call,line,text,result,recorded,agrees,inferred,changed_bytes,cost_ns",
        );
        for counter in Counter::ALL {
            let _ = write!(out, ",{}", counter.name());
        }
        out.push('\n');
        for run in self.report().runs {
            for (at, call) in run.calls.iter().enumerate() {
                let changed: u64 = call.changed.iter().map(length).sum();
                let recorded = call.recorded.as_ref().map(result).unwrap_or_default();
                let fields = [
                    run.variant.kernel.clone(),
                    run.variant.memory.clone(),
                    run.variant.cpu.clone(),
                    (at + 1).to_string(),
                    call.line.to_string(),
                    call.text.clone(),
                    result(&call.result),
                    recorded,
                    call.agrees.to_string(),
                    call.inferred.to_string(),
                    changed.to_string(),
                    format!("{:.1}", call.cost_ns),
                ];
                let quoted: Vec<String> = fields.iter().map(|f| quoted(f)).collect();
                out.push_str(&quoted.join(","));
                for counter in Counter::ALL {
                    let n = call.counts.get(counter.name()).copied().unwrap_or(0);
                    let _ = write!(out, ",{n}");
                }
                out.push('\n');
            }
        }
        out
    }

    /// What each variant came to in all: `24 walks, 3.1 µs`.
    #[must_use]
    pub fn totals(&self) -> Vec<String> {
        let runs = self.runs().iter();
        runs.map(|run| {
            let walks = words::count(run.counts.get(Counter::TreeWalk), "walk");
            format!("{walks}, {}", words::duration(run.cost_ns))
        })
        .collect()
    }

    /// What a reader of a table must be told: what was left out, and how far runs agree with the
    /// text.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let skipped: u64 = self.parsed().skipped.values().sum();
        if skipped > 0 {
            let names: Vec<String> = self
                .parsed()
                .skipped
                .iter()
                .map(|(name, n)| format!("{name} {n}"))
                .collect();
            notes.push(format!(
                "Left out, because they do not touch memory: {} ({}).",
                words::count(skipped, "call"),
                names.join(", ")
            ));
        }
        for (variant, run) in self.runs().iter().enumerate() {
            let unlisted: u64 = run.unlisted.iter().map(|u| u.calls).sum();
            if unlisted > 0 {
                notes.push(format!(
                    "{}: {} of loops are only summed up.",
                    self.name(variant),
                    words::count(unlisted, "call")
                ));
            }
            let said = run.records.all().iter().any(|r| r.expected.is_some());
            if said {
                let agree = run.calls.saturating_sub(run.disagreements);
                let share = agree as f64 * 100.0 / (run.calls.max(1)) as f64;
                let inferred = match run.inferred {
                    0 => String::new(),
                    n => format!(", {} of them taken as recorded", words::grouped(n)),
                };
                notes.push(format!(
                    "{}: {} of {} as the text says ({share:.1} %){inferred}.",
                    self.name(variant),
                    words::grouped(agree),
                    words::count(run.calls, "call"),
                ));
            }
        }
        notes
    }
}

/// A row's cells, one per variant; where one ended as the first did, `same`.
#[must_use]
pub fn row_cells(row: &Row) -> Vec<String> {
    let cells = row.cells.iter();
    cells
        .map(|cell| {
            if cell.same && cell.partial.is_none() && cell.recorded.is_none() {
                "same".to_owned()
            } else {
                cell_text(cell)
            }
        })
        .collect()
}

/// A tally's numbers, readable.
#[must_use]
pub fn tally_cells(tally: &Tally) -> Vec<String> {
    let cell = |value: &Option<u64>| match *value {
        None => "–".to_owned(),
        Some(n) if tally.bytes => words::short_size(n),
        Some(n) => words::grouped(n),
    };
    tally.values.iter().map(cell).collect()
}

/// A measure's median under each variant, and how far it is from the first one's.
#[must_use]
pub fn measure_cells(measure: &MeasureRow) -> Vec<String> {
    let first = measure.median_ns.first().copied().unwrap_or(0.0);
    let medians = measure.median_ns.iter().enumerate();
    medians
        .map(|(variant, &ns)| {
            let text = words::duration(ns);
            if variant == 0 || first <= 0.0 {
                return text;
            }
            format!("{text} ({:+.1} %)", (ns / first - 1.0) * 100.0)
        })
        .collect()
}

fn length(range: &crate::report::Range) -> u64 {
    let address = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0);
    address(&range.end).saturating_sub(address(&range.start))
}

fn result(result: &CallResult) -> String {
    let parts = [&result.value, &result.errno, &result.signal];
    parts
        .into_iter()
        .flatten()
        .next()
        .cloned()
        .unwrap_or_default()
}

/// The sentence with its telling parts in bold.
fn set_off(sentence: &str, emphasis: &[(usize, usize)]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for &(start, end) in emphasis {
        let (Some(before), Some(strong)) = (sentence.get(at..start), sentence.get(start..end))
        else {
            continue;
        };
        out.push_str(&escaped(before));
        let _ = write!(out, "**{}**", escaped(strong));
        at = end;
    }
    out.push_str(&escaped(sentence.get(at..).unwrap_or("")));
    out
}

/// Text that Markdown leaves as it is, in a table cell too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `text` as code in a table cell, fenced by more backquotes than it has in a row.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A field as RFC 4180 wants it; one that a spreadsheet would run as a formula is defused.
fn quoted(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@']);
    let field = if formula {
        format!("'{field}")
    } else {
        field.to_owned()
    };
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_cannot_be_broken_out_of() {
        assert_eq!(code("a | b"), "`a \\| b`");
        assert_eq!(code("a `` b"), "``` a `` b ```");
        assert_eq!(escaped("<img> [x](y) *"), "\\<img\\> \\[x\\](y) \\*");
        assert_eq!(set_off("ab cd", &[(3, 5)]), "ab **cd**");
    }

    #[test]
    fn csv_fields_are_quoted_and_defused() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
    }
}
