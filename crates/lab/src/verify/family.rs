//! Kinds of random programs.

use std::fmt;
use std::str::FromStr;

/// A kind of random program, named as the recordings of that kind are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// One 64-page window, private anonymous memory, fixed addresses, all calls mixed.
    ArenaFixed,
    /// The kernel chooses addresses, with hints of every kind.
    Placement,
    /// Many seals, then calls over ranges that mix sealed, unsealed and unmapped parts.
    SealHeavy,
    /// Every way to move, grow, shrink and copy.
    MremapHeavy,
    /// Unaligned, zero, huge and wrapping arguments, unknown bits.
    BadArgs,
    /// Shared anonymous memory, memfds and a file, accesses beyond its end.
    FileAndShared,
    /// The heap, with seals and holes in it and things in its way.
    Brk,
    /// Many one-page mappings that do not merge, then a call over some of them.
    Mmperf,
    /// Locks, msync, protection keys, unusual mmap flags.
    Extra,
    /// Mappings that grow down.
    Growsdown,
    /// The process seals its own image, heap and stack, and is attacked.
    SelfSeal,
    /// A process and its children.
    Fork,
}

impl Family {
    /// All of them, in the order in which programs without a chosen family take turns.
    pub const ALL: &'static [Self] = &[
        Self::ArenaFixed,
        Self::Placement,
        Self::SealHeavy,
        Self::MremapHeavy,
        Self::BadArgs,
        Self::FileAndShared,
        Self::Brk,
        Self::Mmperf,
        Self::Extra,
        Self::Growsdown,
        Self::SelfSeal,
        Self::Fork,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ArenaFixed => "arena-fixed",
            Self::Placement => "placement",
            Self::SealHeavy => "seal-heavy",
            Self::MremapHeavy => "mremap-heavy",
            Self::BadArgs => "bad-args",
            Self::FileAndShared => "file-and-shared",
            Self::Brk => "brk",
            Self::Mmperf => "mmperf",
            Self::Extra => "extra",
            Self::Growsdown => "growsdown",
            Self::SelfSeal => "self-seal",
            Self::Fork => "fork",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no family's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFamily(String);

impl fmt::Display for UnknownFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
        write!(
            f,
            "there is no family {:?}; there are {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownFamily {}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        Self::ALL
            .iter()
            .copied()
            .find(|family| family.name() == name)
            .ok_or_else(|| UnknownFamily(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for &family in Family::ALL {
            assert_eq!(family.name().parse(), Ok(family));
        }
        let fault = "heap".parse::<Family>().unwrap_err().to_string();
        assert!(fault.contains("brk"), "{fault}");
    }
}
