//! What the views show. Where `lab` has the shape already, it is `lab`'s.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use sealab_lab::checked::{Checked, RandomPrograms, Recorded};
pub use sealab_lab::pages::{Bar, PageRun, PagesRow, PagesView, Region, Tally, flag as page_flag};
pub use sealab_lab::report::{
    ChangeReport, Diagnostic, Difference, MapsEntry, Measure, Totals, Variant,
};
pub use sealab_lab::view::{
    Badge, Block, CallDetail, Cell, CostRow, CostView, CountRow, Mark, MeasureRow, ProcessChoice,
    Row, Rows, RunSummary, Segment, SpaceView, StepDetail, Strip, WorkRow,
};

/// A finished run, small enough to cross whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// The run that further questions name.
    pub run: u64,
    /// Faults and remarks on the text, columns in characters.
    pub diagnostics: Vec<Diagnostic>,
    /// Where each diagnostic stands in the text.
    pub places: Vec<Place>,
    /// Calls that do not touch memory, by name, and how often each was left out.
    pub skipped: BTreeMap<String, u64>,
    /// Where the designs differ, most telling first.
    pub differences: Vec<Difference>,
    /// One per variant, in the order asked for.
    pub runs: Vec<RunSummary>,
    /// The line of each step's call, step 1 first.
    pub lines: Vec<u32>,
    /// Steps at which the variants differ, ascending.
    pub differing: Vec<usize>,
    /// For each line that holds calls, how they went.
    pub badges: Vec<Badge>,
    /// The processes of a trace, when there are several to choose from.
    pub processes: Vec<ProcessChoice>,
}

/// A stretch of the text, in UTF-16 units, as editors in browsers count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its first unit.
    pub from: u32,
    /// One past its last.
    pub to: u32,
}

/// What can be chosen from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalogue {
    /// Kernels, oldest first.
    pub kernels: Vec<Choice>,
    /// Memory designs.
    pub memories: Vec<Choice>,
    /// CPU profiles.
    pub cpus: Vec<Choice>,
    /// What a new page compares.
    pub default_variants: Vec<Variant>,
    /// Memories that a comparison of page sizes puts side by side.
    #[serde(default)]
    pub granules: Vec<String>,
    /// Example scenarios.
    pub gallery: Vec<Example>,
    /// What this build was held against.
    #[serde(default)]
    pub checked: Checked,
}

/// Something to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Its id.
    pub id: String,
    /// What it is, in a few words.
    pub label: String,
}

/// An example scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it shows, in a line.
    pub line: String,
    /// The scenario.
    pub text: String,
    /// What it is best compared under.
    pub variants: Vec<Variant>,
}
