//! Running a program under variants.

mod engine;
mod history;
mod infer;
mod measure;
mod names;
mod options;
pub mod pattern;
mod record;

use sealab_core::call::Mapping;
use sealab_core::machine::MemoryUse;
use sealab_core::meter::Counts;
use sealab_core::tlb::TlbStats;
use sealab_scenario::Diagnostic;
use sealab_scenario::program::StatementId;

use crate::variant::Resolved;

pub use engine::{Known, Setting, run};
pub use history::History;
pub use measure::MeasureRun;
pub use names::NameSum;
pub use options::{Progress, RunError, RunOptions, Watch};
pub use record::{Ended, Record, Records, What};

/// A program's run under one variant.
pub struct VariantRun {
    /// Under which.
    pub variant: Resolved,
    /// The calls that are listed one by one.
    pub records: Records,
    /// The machine over time.
    pub history: History,
    /// What is not listed, by statement.
    pub unlisted: Vec<Unlisted>,
    /// Calls and accesses made.
    pub calls: u64,
    /// Of those, how many did not end as the text says.
    pub disagreements: u64,
    /// Of those, how many were answered as recorded.
    pub inferred: u64,
    /// What was counted.
    pub counts: Counts,
    /// What its TLBs counted.
    pub tlb: TlbStats,
    /// What memory was used for at the end.
    pub memory: MemoryUse,
    /// Estimated cost, in nanoseconds.
    pub cost_ns: f64,
    /// Sums by the names of the calls, in the order of the text.
    pub by_name: Vec<NameSum>,
    /// Named stretches, in the order of the text.
    pub measures: Vec<MeasureRun>,
    /// The first process's final mappings.
    pub maps: Vec<Mapping>,
    /// Statements that could not be run.
    pub faults: Vec<Diagnostic>,
}

/// Calls of one statement that are only summed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unlisted {
    /// Which statement.
    pub statement: StatementId,
    /// Its line, from 1.
    pub line: u32,
    /// How many calls.
    pub calls: u64,
}
