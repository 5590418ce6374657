//! Traces of every access: what `valgrind --tool=lackey --trace-mem=yes` prints.
//!
//! ```text
//! I  04016b80,3
//!  L 1ffefffd40,8
//!  S 1ffefffd38,8
//!  M 04222caf,1
//! ```
//!
//! `I` fetches an instruction, `L` loads, `S` stores, `M` does both. Such a text is kept as it is and
//! read line by line while it runs; only the memory that it touches is known beforehand.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::parse::{Dialect, ParseOptions, Parsed, parse};
use crate::program::{AccessKind, By, Statement, StatementKind};

/// Lines looked at to tell what a text is.
const LOOKED_AT: usize = 64;
/// Statements that a trace is cut into, so that its course can be followed.
const PARTS: usize = 32;
/// log2 of the unit in which touched memory is mapped: the largest page size there is.
const AREA_SHIFT: u32 = 16;
/// Most mappings made; with more, gaps are closed.
const MAPPINGS_MAX: usize = 256;
/// Most areas of memory that are told apart; beyond them the trace is not mapped.
const AREAS_MAX: usize = 1 << 20;
/// End of the addresses that a process can have.
const ADDRESSES: u64 = 1 << 47;

/// One access of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Its first byte.
    pub addr: u64,
    /// Its bytes, at least one.
    pub size: u64,
    /// What it does.
    pub kind: AccessKind,
}

/// What a line says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    /// One access, or two at the same place (`M`: a load, then a store).
    Accesses(Access, Option<Access>),
    /// valgrind's own words, or nothing.
    Other,
    /// Neither.
    Bad,
}

/// Whether `text` is such a trace.
#[must_use]
pub fn is_lackey(text: &str) -> bool {
    let (mut good, mut bad) = (0, 0);
    for line in text.lines().take(LOOKED_AT) {
        match read(line) {
            Line::Accesses(..) => good += 1,
            Line::Bad => bad += 1,
            Line::Other => {}
        }
    }
    good > 0 && good >= 4 * bad
}

/// The accesses of (a part of) a trace, in order. Lines that are none are passed over.
pub fn accesses(text: &str) -> impl Iterator<Item = Access> + '_ {
    text.lines().flat_map(|line| match read(line) {
        Line::Accesses(first, second) => [Some(first), second].into_iter().flatten(),
        _ => [None, None].into_iter().flatten(),
    })
}

fn read(line: &str) -> Line {
    let bytes = line.trim_ascii();
    if bytes.is_empty() || bytes.starts_with("==") || bytes.starts_with("--") {
        return Line::Other;
    }
    let Some((kind, rest)) = bytes.split_at_checked(1) else {
        return Line::Bad;
    };
    if !rest.starts_with([' ', '\t']) {
        return Line::Bad;
    }
    let Some((addr, size)) = rest.trim_ascii_start().split_once(',') else {
        return Line::Bad;
    };
    let (Ok(addr), Ok(size)) = (u64::from_str_radix(addr, 16), size.parse::<u64>()) else {
        return Line::Bad;
    };
    // No instruction accesses more than a few cache lines.
    if addr >= ADDRESSES || size == 0 || size > 4096 {
        return Line::Bad;
    }
    let access = |kind| Access { addr, size, kind };
    match kind {
        "I" => Line::Accesses(access(AccessKind::Exec), None),
        "L" => Line::Accesses(access(AccessKind::Load), None),
        "S" => Line::Accesses(access(AccessKind::Store), None),
        "M" => Line::Accesses(access(AccessKind::Load), Some(access(AccessKind::Store))),
        _ => Line::Bad,
    }
}

/// What a pass over the trace finds.
#[derive(Default)]
struct Found {
    areas: BTreeSet<u64>,
    bad: u64,
    first_bad: Option<(u32, usize, usize)>,
    more_areas: bool,
}

/// Reads a trace: mappings for the memory it touches, then the accesses in some parts.
pub(crate) fn program(text: &str, options: &ParseOptions) -> Parsed {
    let mut found = Found::default();
    let lines = text.bytes().filter(|&b| b == b'\n').count() + 1;
    let part_lines = lines.div_ceil(PARTS).max(1);
    let mut parts: Vec<Part> = Vec::new();
    let mut at = 0;
    for (number, whole) in text.split_inclusive('\n').enumerate() {
        let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if number % part_lines == 0 {
            parts.push(Part {
                start: at,
                end: at,
                line,
                count: 0,
            });
        }
        let count = found.line(whole, line, at);
        at += whole.len();
        if let Some(part) = parts.last_mut() {
            part.end = at;
            part.count += count;
        }
    }
    let calls = mappings(&found.areas);
    let mut parsed = parse(&calls, options);
    let program = &mut parsed.program;
    for statement in &mut program.statements {
        // These calls stand nowhere in the text.
        let (start, end) = (statement.span.start as usize, statement.span.end as usize);
        let source = calls.get(start..end).unwrap_or("").trim();
        statement.source = Some(u32::try_from(program.arena.sources.len()).unwrap_or(u32::MAX));
        program.arena.sources.push(Arc::from(source));
        statement.span = 0..0;
        statement.line = 1;
    }
    for part in parts.iter().filter(|p| p.count > 0) {
        let Some(own) = text.get(part.start..part.end) else {
            continue;
        };
        let trace = u32::try_from(program.arena.strings.len()).unwrap_or(u32::MAX);
        program.arena.strings.push(Arc::from(own));
        let last = part.line as usize + own.lines().count() - 1;
        let words = format!("lines {} to {last}: {} accesses", part.line, part.count);
        let source = u32::try_from(program.arena.sources.len()).unwrap_or(u32::MAX);
        program.arena.sources.push(Arc::from(words));
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        program.statements.push(Statement {
            kind: StatementKind::Trace {
                by: By::Process(sealab_core::call::ProcessId(0)),
                text: trace,
                count: part.count,
            },
            span: place(part.start)..place(part.end),
            line: part.line,
            expected: None,
            from_trace: false,
            source: Some(source),
        });
    }
    parsed.dialect = Dialect::HandWritten;
    parsed.diagnostics = found.diagnostics();
    parsed
}

/// Some lines of the trace.
struct Part {
    start: usize,
    end: usize,
    line: u32,
    count: u64,
}

impl Found {
    /// Takes a line in; how many accesses it is.
    fn line(&mut self, whole: &str, line: u32, at: usize) -> u64 {
        match read(whole) {
            Line::Accesses(access, second) => {
                let last = access.addr + access.size - 1;
                for area in access.addr >> AREA_SHIFT..=last >> AREA_SHIFT {
                    if self.areas.len() < AREAS_MAX {
                        self.areas.insert(area);
                    } else if !self.areas.contains(&area) {
                        self.more_areas = true;
                    }
                }
                1 + u64::from(second.is_some())
            }
            Line::Bad => {
                self.bad += 1;
                let width = whole.trim_end().chars().count();
                self.first_bad.get_or_insert((line, at, width));
                0
            }
            Line::Other => 0,
        }
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut out = vec![Diagnostic {
            severity: Severity::Note,
            code: "lackey-memory",
            span: 0..0,
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
            message: "a trace of accesses does not say what backs its memory: all of it is mapped \
                      as anonymous memory"
                .to_owned(),
            hint: None,
        }];
        if let Some((line, at, width)) = self.first_bad {
            out.push(Diagnostic {
                severity: Severity::Warning,
                code: "lackey-line",
                span: at..at + 1,
                line,
                column: 1,
                end_line: line,
                end_column: u32::try_from(width + 1).unwrap_or(u32::MAX),
                message: format!(
                    "{} lines are no accesses and are left out; this is the first",
                    self.bad
                ),
                hint: Some("write I, L, S or M, a hexadecimal address, a comma and a size".into()),
            });
        }
        if self.more_areas {
            out.push(Diagnostic {
                severity: Severity::Error,
                code: "limit-lackey",
                span: 0..0,
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
                message: format!(
                    "the trace touches more than {AREAS_MAX} areas of 64 KiB; it runs up to the \
                     first access beyond them"
                ),
                hint: Some("cut the trace".to_owned()),
            });
        }
        out
    }
}

/// Calls that map `areas`, neighbours together.
fn mappings(areas: &BTreeSet<u64>) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &area in areas {
        match ranges.last_mut() {
            Some((_, end)) if *end == area => *end = area + 1,
            _ => ranges.push((area, area + 1)),
        }
    }
    // Close the smallest gaps first.
    while ranges.len() > MAPPINGS_MAX {
        let gap = |pair: &[(u64, u64)]| match pair {
            [(_, end), (start, _)] => start - end,
            _ => u64::MAX,
        };
        let mut gaps: Vec<u64> = ranges.windows(2).map(gap).collect();
        gaps.sort_unstable();
        let most = gaps.get(ranges.len() - MAPPINGS_MAX - 1).copied();
        let most = most.unwrap_or(u64::MAX);
        let mut closed: Vec<(u64, u64)> = Vec::new();
        for &(start, end) in &ranges {
            match closed.last_mut() {
                Some((_, last)) if start - *last <= most => *last = end,
                _ => closed.push((start, end)),
            }
        }
        ranges = closed;
    }
    let mut out = String::new();
    for (start, end) in ranges {
        let _ = writeln!(
            out,
            "mmap({:#x}, {}K, PROT_READ|PROT_WRITE|PROT_EXEC, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED, -1, 0)",
            start << AREA_SHIFT,
            (end - start) << (AREA_SHIFT - 10)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "==12== Lackey, an example Valgrind tool
I  04016b80,3
 L 1ffefffd40,8
 S 1ffefffd38,8
 M 0421fffc,8
I  04016b83,5
";

    #[test]
    fn lines_are_read_as_valgrind_prints_them() {
        let read: Vec<_> = accesses(TRACE).map(|a| (a.addr, a.size, a.kind)).collect();
        assert_eq!(
            read,
            [
                (0x0401_6b80, 3, AccessKind::Exec),
                (0x1f_feff_fd40, 8, AccessKind::Load),
                (0x1f_feff_fd38, 8, AccessKind::Store),
                (0x0421_fffc, 8, AccessKind::Load),
                (0x0421_fffc, 8, AccessKind::Store),
                (0x0401_6b83, 5, AccessKind::Exec),
            ]
        );
        assert!(is_lackey(TRACE));
    }

    #[test]
    fn a_trace_is_mappings_and_accesses() {
        let parsed = parse(TRACE, &ParseOptions::default());
        assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
        let counts: Vec<u64> = parsed
            .program
            .statements()
            .iter()
            .filter_map(|s| match s.kind {
                StatementKind::Trace { count, .. } => Some(count),
                _ => None,
            })
            .collect();
        assert_eq!(counts.iter().sum::<u64>(), 6);
        // Text, stack, and the two areas that the modified eight bytes straddle.
        assert_eq!(parsed.program.statements().len() - counts.len(), 3);
    }

    #[test]
    fn scenarios_and_other_traces_are_none() {
        for text in [
            "",
            "\n\n",
            "brk(NULL) = 0x1\n",
            "a = mmap(NULL, 4K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n",
            "==1== only words\n",
            "Load of 4,8\n",
        ] {
            assert!(!is_lackey(text), "{text:?}");
        }
    }

    #[test]
    fn hostile_lines_are_counted_and_harm_nothing() {
        let mut text = TRACE.to_owned();
        for line in [
            "I ffffffffffffffff,8",
            "I  7fffffffffff,4096",
            " L 1000,0",
            " L 1000,99999999999999999999",
            " L 1000",
            " L ,",
            "é 1000,4",
            " S 10000000000000000,4",
            "X  1000,4",
            "I\u{0}1000,4",
        ] {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&TRACE.repeat(20));
        let parsed = parse(&text, &ParseOptions::default());
        let warned: Vec<_> = parsed
            .diagnostics
            .iter()
            .filter(|d| d.code == "lackey-line")
            .collect();
        assert_eq!(warned.len(), 1);
        assert!(
            warned[0].message.starts_with("9 lines"),
            "{}",
            warned[0].message
        );
        assert_eq!(warned[0].line, 7);
    }

    #[test]
    fn many_areas_are_mapped_by_few_calls() {
        let text: String = (0..5000_u64)
            .map(|i| format!(" L {:x},8\n", (i * i) << 20))
            .collect();
        let parsed = parse(&text, &ParseOptions::default());
        let maps = parsed.program.statements().iter();
        let maps = maps.filter(|s| matches!(s.kind, StatementKind::Call { .. }));
        assert!((1..=MAPPINGS_MAX).contains(&maps.count()));
    }
}
