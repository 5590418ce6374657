//! Holding a simulated address space against a recorded one, line by line.

use std::collections::HashMap;
use std::fmt;

use sealab_core::call::Mapping;
use sealab_scenario::maps::{self as text, MapsLine};

/// One difference between what was recorded and what was simulated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Where.
    pub at: Place,
    /// What the kernel did; `None`: it has no such line.
    pub recorded: Option<String>,
    /// What the simulator did.
    pub simulated: Option<String>,
}

/// Where a difference was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A call's result: its line in the trace and its text.
    Call {
        /// Line in the trace, from 1.
        line: u32,
        /// The call as recorded, without its result.
        text: String,
    },
    /// A line of the final maps.
    Maps,
    /// The `VmFlags:` of a mapping, named by its maps line.
    VmFlags(String),
    /// The `Rss:` of a mapping.
    Rss(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Place::Call { line, text } => write!(f, "line {line}: {text}")?,
            Place::Maps => write!(f, "final maps")?,
            Place::VmFlags(mapping) => write!(f, "VmFlags of {mapping}")?,
            Place::Rss(mapping) => write!(f, "Rss of {mapping}")?,
        }
        let or_none = |side: &Option<String>| side.clone().unwrap_or_else(|| "(no line)".into());
        write!(
            f,
            "\n    recorded:  {}\n    simulated: {}",
            or_none(&self.recorded),
            or_none(&self.simulated)
        )
    }
}

/// An inode as maps names it: major, minor, number.
type Inode = (u32, u32, u64);

/// Files that a case made have numbers from a kernel-wide counter: they only tell whether two
/// mappings are of the same file. Numbers seen before the case are compared as they are.
#[derive(Default)]
pub struct Renaming {
    fixed: Vec<Inode>,
    to_simulated: HashMap<Inode, Inode>,
    to_recorded: HashMap<Inode, Inode>,
}

impl Renaming {
    /// With the inodes of `before` keeping their numbers.
    #[must_use]
    pub fn keeping(before: &[MapsLine]) -> Self {
        Self {
            fixed: before.iter().map(|l| inode(&l.mapping)).collect(),
            ..Self::default()
        }
    }

    fn same(&mut self, recorded: Inode, simulated: Inode) -> bool {
        if recorded == simulated {
            return true;
        }
        let kept = |inode: Inode| inode.2 == 0 || self.fixed.contains(&inode);
        if kept(recorded) || kept(simulated) {
            return false;
        }
        *self.to_simulated.entry(recorded).or_insert(simulated) == simulated
            && *self.to_recorded.entry(simulated).or_insert(recorded) == recorded
    }
}

fn inode(mapping: &Mapping) -> Inode {
    let file = &mapping.file;
    (file.dev_major, file.dev_minor, file.inode)
}

/// Whether two maps lines are alike, inodes aside.
fn alike(a: &Mapping, b: &Mapping) -> bool {
    let of = |m: &Mapping| (m.range, m.prot, m.shared, m.offset);
    of(a) == of(b) && a.name == b.name
}

/// Compares all maps lines; the differences, in address order.
pub fn maps(
    recorded: &[MapsLine],
    simulated: &[Mapping],
    names: &mut Renaming,
    out: &mut Vec<Difference>,
) {
    let mut recorded = recorded.iter().map(|l| &l.mapping).peekable();
    let mut simulated = simulated.iter().peekable();
    loop {
        let (left, right) = match (recorded.peek(), simulated.peek()) {
            (None, None) => return,
            // The side that is behind shows its line alone.
            (Some(r), Some(s)) if r.range.start < s.range.start => (recorded.next(), None),
            (Some(r), Some(s)) if r.range.start > s.range.start => (None, simulated.next()),
            _ => (recorded.next(), simulated.next()),
        };
        let agree = match (left, right) {
            (Some(r), Some(s)) => alike(r, s) && names.same(inode(r), inode(s)),
            _ => false,
        };
        if !agree {
            out.push(Difference {
                at: Place::Maps,
                recorded: left.map(text::maps_line),
                simulated: right.map(text::maps_line),
            });
        }
    }
}

/// Compares `VmFlags` and `Rss` of every mapping in the recorded extract. Mappings that the
/// simulator does not have are left to [`maps`].
pub fn smaps(recorded: &[MapsLine], simulated: &[Mapping], out: &mut Vec<Difference>) {
    for entry in recorded {
        let told = &entry.mapping;
        let Ok(at) = simulated.binary_search_by_key(&told.range.start, |m| m.range.start) else {
            continue;
        };
        let Some(mapping) = simulated.get(at).filter(|m| m.range == told.range) else {
            continue;
        };
        let mut differ = |at: Place, recorded: String, simulated: String| {
            out.push(Difference {
                at,
                recorded: Some(recorded),
                simulated: Some(simulated),
            });
        };
        if entry.has_flags && told.flags != mapping.flags {
            let at = Place::VmFlags(text::maps_line(told));
            differ(at, text::vm_flags_line(told), text::vm_flags_line(mapping));
        }
        if entry.has_rss && told.rss != mapping.rss {
            let at = Place::Rss(text::maps_line(told));
            differ(at, text::rss_line(told), text::rss_line(mapping));
        }
    }
}
