//! What a page's views show of a session: plain data, window by window. Numbers and words are made
//! here so that a face only draws them.

use serde::{Deserialize, Serialize};

use crate::report::{ChangeReport, MapsEntry, Measure, Totals, Variant};

/// A run's head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Which.
    pub variant: Variant,
    /// What the kernel's design is called.
    pub label: String,
    /// Sums over the run.
    pub totals: Totals,
    /// Named stretches.
    pub measures: Vec<Measure>,
    /// Calls made but not listed one by one.
    pub unlisted_calls: u64,
}

/// How the calls of a line went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// Line, from 1.
    pub line: u32,
    /// One per variant.
    pub marks: Vec<Mark>,
    /// One per variant: the same in words.
    pub titles: Vec<String>,
}

/// How a call went, in one word. Of several calls on a line, the worst.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Not made under this variant.
    #[default]
    None,
    /// It succeeded.
    Ok,
    /// It failed and changed nothing.
    Error,
    /// It failed after it had changed part of the range.
    Partial,
    /// It did not end as recorded.
    Mismatch,
}

/// A process of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessChoice {
    /// Its number; absent where the trace shows none.
    pub pid: Option<i64>,
    /// Its memory calls.
    pub calls: u64,
    /// Its command line, where the trace shows it.
    pub command: Option<String>,
    /// Whether this run is of it.
    pub chosen: bool,
}

/// The address spaces of all variants after a step, on one axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpaceView {
    /// The step.
    pub step: usize,
    /// The shared axis, in address order.
    pub axis: Vec<Segment>,
    /// One per variant.
    pub strips: Vec<Strip>,
}

/// A stretch of the axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// First byte.
    pub start: String,
    /// One past the last.
    pub end: String,
    /// Width, in parts: by size (logarithmic), holes collapsed.
    pub width: f64,
    /// Whether no variant maps it.
    pub hole: bool,
    /// Its size, readable (`128K`).
    pub size: String,
}

/// One variant's address space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strip {
    /// Its mappings, in address order.
    pub blocks: Vec<Block>,
}

/// A mapping on the axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its first segment.
    pub first: usize,
    /// One past its last segment.
    pub last: usize,
    /// Its line of the maps.
    pub maps: MapsEntry,
    /// The same as printed.
    pub line: String,
    /// Its size, readable.
    pub size: String,
    /// Whether it is sealed.
    pub sealed: bool,
    /// Whether the step's call changed it.
    pub changed: bool,
    /// Whether another variant has something else there.
    pub differs: bool,
}

/// A window of the calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// How many rows pass the filter in all.
    pub total: usize,
    /// Place of the first row here among them.
    pub first: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One call under all variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The step it leads to, from 1.
    pub step: usize,
    /// Its line in the text.
    pub line: u32,
    /// The call in the text's own words, on one line.
    pub text: String,
    /// Whether the variants differ in it.
    pub differs: bool,
    /// One per variant.
    pub cells: Vec<Cell>,
}

/// One call under one variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// How it went.
    pub mark: Mark,
    /// How it ended, readable: `0`, `0x7f…`, `EPERM`, `SIGSEGV`.
    pub result: String,
    /// What part of the range it changed before it failed, readable (`8K changed`).
    pub partial: Option<String>,
    /// How it was recorded to end, where that differs.
    pub recorded: Option<String>,
    /// Answered as recorded, not simulated.
    pub inferred: bool,
    /// Whether it ended as the first variant's did.
    pub same: bool,
    /// Estimated cost, in nanoseconds.
    pub cost_ns: f64,
}

/// One call in full.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepDetail {
    /// The step.
    pub step: usize,
    /// One per variant.
    pub variants: Vec<CallDetail>,
    /// What was counted under any variant, in report order, with one number per variant.
    pub counts: Vec<CountRow>,
}

/// One call in full, under one variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallDetail {
    /// With its arguments evaluated.
    pub text: String,
    /// How it went.
    pub cell: Cell,
    /// What it changed, in order.
    pub changes: Vec<ChangeReport>,
    /// Each tree walk's chain of kernel functions, innermost first.
    pub walks: Vec<Vec<String>>,
    /// Remarks.
    pub remarks: Vec<String>,
}

/// One counter under all variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountRow {
    /// Its key in the report.
    pub counter: String,
    /// What it counts, for a person.
    pub title: String,
    /// One per variant.
    pub counts: Vec<u64>,
    /// Cost of one, in nanoseconds, per variant.
    pub weight_ns: Vec<f64>,
}

/// What a run cost, and what made it cost that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostView {
    /// By system call.
    pub calls: Vec<CostRow>,
    /// By kind of work.
    pub work: Vec<WorkRow>,
    /// Named stretches.
    pub measures: Vec<MeasureRow>,
    /// Where the weights come from, for a person.
    pub provenance: Vec<String>,
}

/// All calls of a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// The name.
    pub name: String,
    /// How many there were, per variant.
    pub calls: Vec<u64>,
    /// What they cost in all, in nanoseconds, per variant.
    pub cost_ns: Vec<f64>,
}

/// All work of a kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkRow {
    /// Its key in the report.
    pub counter: String,
    /// What is counted, for a person.
    pub title: String,
    /// How much there was, per variant.
    pub counts: Vec<u64>,
    /// What one costs, in nanoseconds, per variant.
    pub weight_ns: Vec<f64>,
    /// What all cost, in nanoseconds, per variant.
    pub cost_ns: Vec<f64>,
}

/// A named stretch under all variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasureRow {
    /// Its name.
    pub name: String,
    /// How often it ran, per variant.
    pub samples: Vec<u64>,
    /// Median cost, in nanoseconds, per variant.
    pub median_ns: Vec<f64>,
    /// Least cost, in nanoseconds, per variant.
    pub min_ns: Vec<f64>,
    /// Greatest cost, in nanoseconds, per variant.
    pub max_ns: Vec<f64>,
}
