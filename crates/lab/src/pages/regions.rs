//! The stretches of memory that a scenario maps and touches, found again under every variant: the
//! same call maps them, wherever each kernel places them.

use sealab_core::addr::AddrRange;
use sealab_core::call::{Call, Outcome};

use crate::run::{Record, What};
use crate::session::Session;

/// Most stretches that are told apart.
const REGIONS_MAX: usize = 256;
/// Longest text of a call as a name.
const NAME_MAX: usize = 32;

/// A stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its name in the text, or the call that made it.
    pub name: String,
    /// The line of that call.
    pub line: u32,
    /// Where each variant has it.
    pub ranges: Vec<Option<AddrRange>>,
}

impl Stretch {
    /// The longest of its ranges, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let lens = self.ranges.iter().flatten().map(|r| r.len());
        lens.max().unwrap_or(0)
    }
}

/// All stretches of a session, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// In the order of the calls.
    pub all: Vec<Stretch>,
    /// Those beyond the most that are told apart.
    pub left_out: usize,
    /// For each step, the stretch that its call is about.
    of_step: Vec<Option<usize>>,
}

impl Stretches {
    /// The stretches of `session`.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        let mut out = Self::default();
        for step in session.steps() {
            let records: Vec<Option<&Record>> = (0..session.runs().len())
                .map(|v| session.record(step, v).map(|(_, record)| record))
                .collect();
            let pages = session.runs().iter().map(|r| r.variant.memory.page_size);
            let ranges: Vec<Option<AddrRange>> = records
                .iter()
                .zip(pages)
                .map(|(record, page)| {
                    let (start, len) = about((*record)?)?;
                    let end = page.align_up_wrapping(start.checked_add(len)?);
                    let start = page.align_down(start);
                    (end > start).then(|| AddrRange::new(start, end))
                })
                .collect();
            if ranges.iter().all(Option::is_none) {
                out.of_step.push(None);
                continue;
            }
            let known = out.all.iter().position(|s| s.holds(&ranges));
            let place = match known {
                Some(place) => Some(place),
                None if out.all.len() == REGIONS_MAX => {
                    out.left_out += 1;
                    None
                }
                None => {
                    let source = session.parsed.program.source(step.statement, &session.text);
                    out.all.push(Stretch {
                        name: name(source),
                        line: step.line,
                        ranges,
                    });
                    Some(out.all.len() - 1)
                }
            };
            out.of_step.push(place);
        }
        out
    }

    /// The stretch that step `step`'s call, or the nearest one before it, is about.
    #[must_use]
    pub fn at(&self, step: usize) -> usize {
        let before = self.of_step.get(..step.min(self.of_step.len()));
        let before = before.unwrap_or(&[]).iter().rev();
        before.flatten().copied().next().unwrap_or(0)
    }
}

impl Stretch {
    /// Whether `ranges` lie in it, or it grows to hold those that begin in it.
    fn holds(&self, ranges: &[Option<AddrRange>]) -> bool {
        self.ranges
            .iter()
            .zip(ranges)
            .all(|(own, other)| match (own, other) {
                (Some(own), Some(other)) => own.start <= other.start && other.start < own.end,
                (None, Some(_)) => false,
                (_, None) => true,
            })
    }
}

/// What memory a call is about: what it maps, or what its arguments name.
fn about(record: &Record) -> Option<(u64, u64)> {
    let call = match &record.what {
        What::Pattern(step) if step.trace.is_some() => return None,
        What::Pattern(step) => return Some((step.addr, step.len.max(1))),
        What::Call(call) => call,
    };
    let value = match record.ended.outcome() {
        Some(Outcome::Value(value)) => Some(value),
        _ => None,
    };
    match *call {
        Call::Mmap { len, .. } => Some((value?, len)),
        Call::Mremap { new_len, .. } => Some((value?, new_len)),
        ref call => call.range().map(|range| (range.start, range.len())),
    }
}

/// The name that a statement binds, or its beginning.
fn name(source: &str) -> String {
    let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((name, _)) = source.split_once('=') {
        let name = name.trim();
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        if !name.is_empty() && name.chars().all(plain) {
            return name.chars().take(NAME_MAX).collect();
        }
    }
    if source.chars().count() <= NAME_MAX {
        return source;
    }
    source.chars().take(NAME_MAX - 1).chain(['…']).collect()
}
