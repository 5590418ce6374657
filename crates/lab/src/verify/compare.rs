//! What differs between two runs of one program.

use std::collections::HashMap;
use std::fmt;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Mapping, MappingFile, Outcome};
use sealab_scenario::{maps, render};

use super::{Run, Step};

/// The first thing that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Where.
    pub at: Place,
    /// What the real kernel has there.
    pub kernel: String,
    /// What the simulated one has.
    pub simulated: String,
}

/// Where two runs differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In how a call ended.
    Call {
        /// Its place in the program.
        index: usize,
        /// The call in strace's style.
        text: String,
    },
    /// In a line of the final maps of the process of that number.
    Maps(usize),
    /// In the flags of that mapping.
    VmFlags(usize, String),
    /// In the resident memory of that mapping.
    Rss(usize, String),
}

impl Mismatch {
    /// What mismatches of one cause have in common: minimising keeps to it.
    #[must_use]
    pub fn kind(&self) -> String {
        let class = |side: &str| {
            let error = side
                .strip_prefix("-1 ")
                .and_then(|rest| rest.split(' ').next());
            error.unwrap_or("a value").to_owned()
        };
        match &self.at {
            Place::Call { text, .. } => {
                let name = text.split('(').next().unwrap_or(text);
                let (kernel, simulated) = (class(&self.kernel), class(&self.simulated));
                format!("{name}: kernel {kernel}, simulated {simulated}")
            }
            Place::Maps(_) => "maps".to_owned(),
            Place::VmFlags(..) => "VmFlags".to_owned(),
            Place::Rss(..) => "Rss".to_owned(),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |process: usize| match process {
            0 => String::new(),
            child => format!(" of child {child}"),
        };
        match &self.at {
            Place::Call { index, text } => write!(f, "call {}: {text}", index + 1)?,
            Place::Maps(process) => write!(f, "final maps{}", of(*process))?,
            Place::VmFlags(process, line) => write!(f, "VmFlags{} of {line}", of(*process))?,
            Place::Rss(process, line) => write!(f, "Rss{} of {line}", of(*process))?,
        }
        write!(
            f,
            "\n    kernel:    {}\n    simulated: {}",
            self.kernel, self.simulated
        )
    }
}

/// Holds two runs of `program` against each other: every outcome, then all mappings of every
/// process. `before` is what the first process started with: inodes there are compared by number,
/// all others by which mappings share them.
#[must_use]
pub fn compare(
    program: &[Step],
    before: &[Mapping],
    kernel: &Run,
    simulated: &Run,
) -> Option<Mismatch> {
    for (index, (k, s)) in kernel.outcomes.iter().zip(&simulated.outcomes).enumerate() {
        if k != s {
            let text = program
                .get(index)
                .map_or_else(String::new, |(_, call)| render::call_text(call));
            return Some(Mismatch {
                at: Place::Call { index, text },
                kernel: outcome_text(*k),
                simulated: outcome_text(*s),
            });
        }
    }
    let mut inodes = Inodes::keeping(before);
    for (process, (k, s)) in kernel.after.iter().zip(&simulated.after).enumerate() {
        // A child runs the code of whoever makes its calls, and touches its image by that.
        let ignored: &[Mapping] = if process == 0 { &[] } else { before };
        if let Some(mismatch) = mappings(process, k, s, ignored, &mut inodes) {
            return Some(mismatch);
        }
    }
    None
}

/// Whether two address spaces are the same, up to the numbers of inodes that `before` lacks.
#[must_use]
pub fn same_mappings(
    before: &[Mapping],
    kernel: &[Mapping],
    simulated: &[Mapping],
) -> Option<Mismatch> {
    mappings(0, kernel, simulated, &[], &mut Inodes::keeping(before))
}

fn mappings(
    process: usize,
    kernel: &[Mapping],
    simulated: &[Mapping],
    rss_ignored: &[Mapping],
    inodes: &mut Inodes,
) -> Option<Mismatch> {
    let (mut left, mut right) = (kernel.iter().peekable(), simulated.iter().peekable());
    loop {
        let (k, s) = match (left.peek(), right.peek()) {
            (None, None) => break,
            // The side that is behind shows its line alone.
            (Some(k), Some(s)) if k.range.start < s.range.start => (left.next(), None),
            (Some(k), Some(s)) if k.range.start > s.range.start => (None, right.next()),
            _ => (left.next(), right.next()),
        };
        let agree = matches!((k, s), (Some(k), Some(s)) if inodes.same_line(k, s));
        if !agree {
            let line =
                |m: Option<&Mapping>| m.map_or_else(|| "(no line)".to_owned(), maps::maps_line);
            return Some(Mismatch {
                at: Place::Maps(process),
                kernel: line(k),
                simulated: line(s),
            });
        }
    }
    for (k, s) in kernel.iter().zip(simulated) {
        if k.flags != s.flags {
            return Some(Mismatch {
                at: Place::VmFlags(process, maps::maps_line(k)),
                kernel: maps::vm_flags_line(k),
                simulated: maps::vm_flags_line(s),
            });
        }
        let ignored = rss_ignored.iter().any(|m| m.range.overlaps(k.range));
        if k.rss != s.rss && !ignored {
            return Some(Mismatch {
                at: Place::Rss(process, maps::maps_line(k)),
                kernel: maps::rss_line(k),
                simulated: maps::rss_line(s),
            });
        }
    }
    None
}

/// Which inode of the one side is which of the other: files made by the program have numbers
/// from a kernel-wide counter, and stand-ins lie on another device.
struct Inodes {
    fixed: Vec<MappingFile>,
    forth: HashMap<MappingFile, MappingFile>,
    back: HashMap<MappingFile, MappingFile>,
}

impl Inodes {
    fn keeping(before: &[Mapping]) -> Self {
        Self {
            fixed: before.iter().map(|m| m.file.clone()).collect(),
            forth: HashMap::new(),
            back: HashMap::new(),
        }
    }

    fn same_line(&mut self, k: &Mapping, s: &Mapping) -> bool {
        let same = |k: &Mapping, s: &Mapping| {
            let AddrRange { start, end } = k.range;
            (start, end) == (s.range.start, s.range.end)
                && (k.prot, k.shared, k.offset) == (s.prot, s.shared, s.offset)
                && k.name == s.name
        };
        same(k, s) && self.same_inode(&k.file, &s.file)
    }

    fn same_inode(&mut self, k: &MappingFile, s: &MappingFile) -> bool {
        if k == s {
            return true;
        }
        let kept = |file: &MappingFile| file.inode == 0 || self.fixed.contains(file);
        if kept(k) || kept(s) {
            return false;
        }
        self.forth.entry(k.clone()).or_insert_with(|| s.clone()) == s
            && self.back.entry(s.clone()).or_insert_with(|| k.clone()) == k
    }
}

/// A result as strace prints it.
#[must_use]
pub fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        // No mapping lies this low; descriptors and process numbers do.
        Outcome::Value(value) if value < 4096 => value.to_string(),
        Outcome::Value(value) => format!("{value:#x}"),
        Outcome::Errno(errno) => format!("-1 {} ({})", errno.name(), errno.message()),
        Outcome::Signal(signal) => format!("-1 {}", signal.name()),
    }
}
