//! `/proc/PID/maps`, `/proc/PID/smaps` and `pmap` text, read and written.

mod line;
mod pmap;
mod write;

use std::sync::Arc;

use sealab_core::call::Mapping;
use sealab_core::flags::VmFlags;
use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};
use crate::limits::{MAPS_BYTES, MAPS_LINES};
use crate::parse::clean_text;
use crate::text::{LineIndex, floor_boundary};

pub use write::{maps_line, maps_text, rss_line, vm_flags_line};

/// One mapping as such a text shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapsLine {
    /// The mapping; where the text says nothing of `VmFlags`, with those that the permissions
    /// imply, and where it says nothing of `Rss`, with 0.
    pub mapping: Mapping,
    /// Whether a `VmFlags:` line was there.
    pub has_flags: bool,
    /// Whether an `Rss:` line or column was there.
    pub has_rss: bool,
    /// Line in the text, from 1.
    pub line: u32,
}

/// A maps text that was read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MapsText {
    /// The mappings, in the order of the text.
    pub lines: Vec<MapsLine>,
    /// Which kind of text it is.
    pub dialect: MapsDialect,
    /// What was not understood.
    pub diagnostics: Vec<Diagnostic>,
}

/// Which text it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapsDialect {
    /// `/proc/PID/maps`
    #[default]
    Maps,
    /// `/proc/PID/smaps`, or its `VmFlags:` and `Rss:` lines alone
    Smaps,
    /// `pmap`, `pmap -x`, `pmap -X`, `pmap -XX`
    Pmap,
}

impl MapsText {
    /// The mappings alone.
    #[must_use]
    pub fn mappings(&self) -> Vec<Mapping> {
        self.lines.iter().map(|line| line.mapping.clone()).collect()
    }
}

/// Reads `text`; never fails. Mail's quote marks, quoted-printable and HTML are undone as in a
/// trace, and a name that was wrapped onto a line of its own is put back.
#[must_use]
pub fn parse_maps(text: &str) -> MapsText {
    let kept = text.get(..floor_boundary(text, MAPS_BYTES)).unwrap_or(text);
    let clean = clean_text(kept);
    let mut reader = Reader {
        text: kept,
        index: LineIndex::new(kept),
        result: MapsText::default(),
        table: None,
        unknown: Vec::new(),
    };
    if kept.len() < text.len() {
        let message =
            format!("the text has more than {MAPS_BYTES} bytes; what lies beyond is left out");
        reader.report(
            Severity::Error,
            "limit-maps",
            kept.len(),
            kept.len(),
            message,
        );
    }
    for (start, line) in clean.lines() {
        if reader.result.lines.len() >= MAPS_LINES {
            let message = format!("more than {MAPS_LINES} mappings; those after it are left out");
            reader.report(Severity::Error, "limit-maps-lines", start, start, message);
            break;
        }
        let from = clean.original(start);
        let to = clean.original(start + line.len());
        reader.line(line, from, to);
    }
    reader.finish();
    reader.result
}

struct Reader<'t> {
    text: &'t str,
    index: LineIndex,
    result: MapsText,
    /// The columns of a `pmap` table, once its heading was met.
    table: Option<pmap::Columns>,
    /// Two-letter flags that are not known.
    unknown: Vec<String>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, from: usize, to: usize) {
        let body = line.trim_start_matches(['>', '|', ' ', '\t', '\u{a0}']);
        let quoted = line.len() - body.len();
        let body = body.trim_end_matches(['\r', '\n']);
        if body.trim().is_empty() || body.starts_with("```") || body.starts_with('#') {
            return;
        }
        let number = self.index.line(from);
        if let Some(mapping) = line::parse(body) {
            self.push(mapping, number, from, to);
            return;
        }
        if let Some((key, value)) = line::key_value(body) {
            self.key_value(key, value);
            return;
        }
        if let Some(columns) = pmap::heading(body) {
            self.table = Some(columns);
            self.result.dialect = MapsDialect::Pmap;
            return;
        }
        if let Some(row) = pmap::row(self.table.as_ref(), body) {
            self.result.dialect = MapsDialect::Pmap;
            let (has_rss, flags) = (row.has_rss, row.flags);
            self.push(row.mapping, number, from, to);
            if let Some(last) = self.result.lines.last_mut() {
                last.has_rss = has_rss;
                if let Some(flags) = flags {
                    last.mapping.flags = flags;
                    last.has_flags = true;
                }
            }
            return;
        }
        if self.continues(body, quoted) || pmap::is_frame(body) {
            return;
        }
        let message = format!("`{}` is no line of a maps text", excerpt(body));
        self.report(Severity::Warning, "not-a-mapping", from, to, message);
    }

    fn push(&mut self, mapping: Mapping, line: u32, from: usize, to: usize) {
        if mapping.range.is_empty() {
            let message = "this mapping ends before it starts".to_owned();
            self.report(Severity::Error, "bad-range", from, to, message);
            return;
        }
        let before = self.result.lines.last().map(|line| line.mapping.range);
        if before.is_some_and(|before| mapping.range.start < before.end) {
            let message = "this mapping starts before the one above it ends".to_owned();
            self.report(Severity::Warning, "unsorted-maps", from, to, message);
        }
        self.result.lines.push(MapsLine {
            mapping,
            has_flags: false,
            has_rss: false,
            line,
        });
    }

    /// A line `Key: value` below a mapping, as smaps has them.
    fn key_value(&mut self, key: &str, value: &str) {
        let Some(last) = self.result.lines.last_mut() else {
            return;
        };
        match key {
            "Rss" => {
                let number = value.split_ascii_whitespace().next();
                if let Some(Ok(kilobytes)) = number.map(str::parse::<u64>) {
                    last.mapping.rss = kilobytes.saturating_mul(1024);
                    last.has_rss = true;
                }
            }
            "VmFlags" => {
                last.mapping.flags = VmFlags::empty();
                last.has_flags = true;
                for letters in value.split_ascii_whitespace() {
                    let known = VmFlags::MNEMONICS
                        .iter()
                        .find(|(_, known)| *known == letters);
                    match known {
                        Some((flag, _)) => last.mapping.flags |= *flag,
                        None if !self.unknown.iter().any(|u| u == letters) => {
                            self.unknown.push(excerpt(letters));
                        }
                        None => {}
                    }
                }
            }
            _ => {}
        }
        self.result.dialect = MapsDialect::Smaps;
    }

    /// A name that was wrapped onto a line of its own.
    fn continues(&mut self, body: &str, quoted: usize) -> bool {
        let Some(last) = self.result.lines.last_mut() else {
            return false;
        };
        let named = body.starts_with(['/', '[']) || body.starts_with("anon_inode:");
        let mapping = &mut last.mapping;
        let starts = mapping.name.is_empty() && (named || mapping.file.inode != 0);
        // A long name may be broken at a blank, too: ` (deleted)`.
        let goes_on = !mapping.name.is_empty() && body.trim() == "(deleted)";
        if !(starts || goes_on) || (starts && quoted == 0 && !named) {
            return false;
        }
        let name = if starts {
            body.trim_end().to_owned()
        } else {
            format!("{} {}", mapping.name, body.trim_end())
        };
        mapping.name = Arc::from(name);
        true
    }

    fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        from: usize,
        to: usize,
        message: String,
    ) {
        const MOST: usize = 100;
        if self.result.diagnostics.len() >= MOST {
            if self.result.diagnostics.len() > MOST {
                return;
            }
            let rest = "there are more faults; they are not listed one by one".to_owned();
            return self.add(Severity::Warning, "limit-diagnostics", from, to, rest);
        }
        self.add(severity, code, from, to, message);
    }

    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        from: usize,
        to: usize,
        message: String,
    ) {
        let (line, column) = self.index.line_column(self.text, from);
        let (end_line, end_column) = self.index.line_column(self.text, to);
        self.result.diagnostics.push(Diagnostic {
            severity,
            code,
            span: from..to.max(from),
            line,
            column,
            end_line,
            end_column,
            message,
            hint: None,
        });
    }

    fn finish(&mut self) {
        if !self.unknown.is_empty() {
            let message = format!(
                "flags that are not known were read over: {}",
                self.unknown.join(" ")
            );
            self.report(Severity::Note, "unknown-vm-flag", 0, 0, message);
        }
        if self.result.lines.is_empty() && !self.text.trim().is_empty() {
            let message =
                "there is no mapping in this text; expected /proc/PID/maps, smaps or pmap"
                    .to_owned();
            self.report(Severity::Error, "no-mappings", 0, 0, message);
        }
    }
}

fn excerpt(text: &str) -> String {
    crate::parse::excerpt(text)
}

/// What the permissions alone say of a mapping's flags.
pub(crate) fn implied_flags(mapping: &Mapping) -> VmFlags {
    let mut flags =
        VmFlags::from_prot(mapping.prot) | VmFlags::MAYREAD | VmFlags::MAYWRITE | VmFlags::MAYEXEC;
    if mapping.shared {
        flags |= VmFlags::SHARED | VmFlags::MAYSHARE;
    }
    flags
}
