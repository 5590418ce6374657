//! What a run is told beforehand, and what it says of itself on the way.

use std::fmt;

use sealab_scenario::limits;

use crate::variant::UnknownId;

/// Bounds on a run. Nothing is cut off in silence: calls beyond a bound are counted, and what was
/// left out is said in the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Most calls and loop iterations of one variant; beyond it the run ends with an error.
    pub max_calls: u64,
    /// Most calls of one variant that are listed one by one.
    pub listed_calls: usize,
    /// How often one statement is listed; a loop's further rounds are only summed up.
    pub listed_per_statement: u64,
    /// Most accesses of one `access` statement.
    pub max_accesses: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            max_calls: limits::CALLS_RUN,
            listed_calls: 200_000,
            listed_per_statement: 16,
            max_accesses: 1_000_000_000,
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Which variant is running, from 0.
    pub variant: usize,
    /// How many there are.
    pub variants: usize,
    /// Calls made under all variants so far.
    pub done: u64,
    /// Calls there will be under all variants, as far as is known beforehand; 0: not known.
    pub total: u64,
}

/// Told how far a run is now and then; answers whether to go on.
pub type Watch<'a> = dyn FnMut(Progress) -> bool + 'a;

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// A variant names something that there is not.
    Variant(UnknownId),
    /// The watch said no.
    Cancelled,
    /// The maps do not fit the variant's pages.
    Granule {
        /// The mapping, in hexadecimal.
        mapping: String,
        /// The memory's id.
        memory: String,
        /// Its page size in bytes.
        page: u64,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variant(unknown) => unknown.fmt(f),
            Self::Cancelled => write!(f, "cancelled"),
            Self::Granule {
                mapping,
                memory,
                page,
            } => write!(
                f,
                "the maps are of another page size: {mapping} is not made of {}K pages as {memory} \
                 has them; leave out the maps or choose a memory with smaller pages",
                page >> 10
            ),
        }
    }
}

impl std::error::Error for RunError {}

impl From<UnknownId> for RunError {
    fn from(unknown: UnknownId) -> Self {
        Self::Variant(unknown)
    }
}
