//! Holding a simulated address space against a recorded one, line by line.

use std::collections::HashMap;
use std::fmt;

use sealab_core::call::Mapping;
use sealab_core::flags::VmFlags;

use super::maps_text::{self, MapsLine, SmapsEntry};

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
            fixed: before.iter().map(MapsLine::inode).collect(),
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

/// Compares all maps lines; the differences, in address order.
pub fn maps(
    recorded: &[MapsLine],
    simulated: &[Mapping],
    names: &mut Renaming,
    out: &mut Vec<Difference>,
) {
    let mut recorded = recorded.iter().peekable();
    let mut simulated = simulated.iter().map(MapsLine::of).peekable();
    loop {
        let (left, right) = match (recorded.peek(), simulated.peek()) {
            (None, None) => return,
            // The side that is behind shows its line alone.
            (Some(r), Some(s)) if r.start < s.start => (recorded.next(), None),
            (Some(r), Some(s)) if r.start > s.start => (None, simulated.next()),
            _ => (recorded.next(), simulated.next()),
        };
        let agree = match (&left, &right) {
            (Some(r), Some(s)) => {
                r.without_inode() == s.without_inode() && names.same(r.inode(), s.inode())
            }
            _ => false,
        };
        if !agree {
            out.push(Difference {
                at: Place::Maps,
                recorded: left.map(MapsLine::to_string),
                simulated: right.as_ref().map(MapsLine::to_string),
            });
        }
    }
}

/// Compares `VmFlags` and `Rss` of every mapping in the recorded extract. Mappings that the
/// simulator does not have are left to [`maps`].
pub fn smaps(recorded: &[SmapsEntry], simulated: &[Mapping], out: &mut Vec<Difference>) {
    for entry in recorded {
        let range = (entry.maps.start, entry.maps.end);
        let Some(mapping) = simulated
            .iter()
            .find(|m| (m.range.start, m.range.end) == range)
        else {
            continue;
        };
        if entry.flags != mapping.flags {
            out.push(Difference {
                at: Place::VmFlags(entry.maps.to_string()),
                recorded: Some(flags_text(entry.flags)),
                simulated: Some(flags_text(mapping.flags)),
            });
        }
        if entry.rss != mapping.rss {
            out.push(Difference {
                at: Place::Rss(entry.maps.to_string()),
                recorded: Some(format!("{} kB", entry.rss >> 10)),
                simulated: Some(format!("{} kB", mapping.rss >> 10)),
            });
        }
    }
}

fn flags_text(flags: VmFlags) -> String {
    maps_text::mnemonics(flags).join(" ")
}
