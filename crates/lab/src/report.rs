//! The report: plain data that the charts, the tables, the JSON, the JavaScript API and the tests
//! all read. Its JSON form (`sealab-report/1`) is documented for users; fields are only added.
//!
//! Addresses are hexadecimal strings, because they do not fit a JavaScript number.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Name and version of the format.
pub const FORMAT: &str = "sealab-report/1";

/// What a scenario did under each variant, and where the variants differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`FORMAT`].
    pub format: String,
    /// Faults and remarks on the scenario's text.
    pub diagnostics: Vec<Diagnostic>,
    /// Calls that do not touch memory, by name, and how often each was left out.
    pub skipped: BTreeMap<String, u64>,
    /// Where the designs differ, most telling first; one sentence each.
    pub differences: Vec<Difference>,
    /// One run per variant, in the order asked for.
    pub runs: Vec<Run>,
}

/// A fault or remark on the text. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// Stable code, for example `unknown-call`.
    pub code: String,
    /// Line of its first character.
    pub line: u32,
    /// Column of its first character.
    pub column: u32,
    /// Line of the character after its last.
    pub end_line: u32,
    /// Column of the character after its last.
    pub end_column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One way in which variants differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// `result`, `partial`, `maps`, `counts`, `recorded`.
    pub kind: String,
    /// Index into each run's `calls`; absent for the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
    /// Its line in the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The sentence, plain text.
    pub sentence: String,
    /// Stretches of `sentence` to set off, as byte offsets.
    pub emphasis: Vec<(usize, usize)>,
}

/// Kernel, memory and CPU of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// Kernel id, for example `6.12`.
    pub kernel: String,
    /// Memory id, for example `baseline-4k`.
    pub memory: String,
    /// CPU id whose weights price the counts.
    pub cpu: String,
}

/// A scenario under one variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which.
    pub variant: Variant,
    /// What the kernel's design is called, for a heading (`out-of-loop`).
    pub label: String,
    /// Every call shown (calls of long loops are in `measures` and `totals` alone, see `unlisted`).
    pub calls: Vec<CallReport>,
    /// Calls made but not listed one by one.
    #[serde(default)]
    pub unlisted_calls: u64,
    /// Which those are, by statement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted: Vec<Unlisted>,
    /// The final address space, in address order.
    pub maps: Vec<MapsEntry>,
    /// Sums over the run.
    pub totals: Totals,
    /// Named stretches.
    pub measures: Vec<Measure>,
    /// Per page of every mapping, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<serde_json::Value>,
}

/// One call of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallReport {
    /// Line in the scenario, from 1.
    pub line: u32,
    /// The call with its arguments evaluated, in strace's style.
    pub text: String,
    /// Number of the process that made it.
    #[serde(default)]
    pub process: u32,
    /// How it ended.
    pub result: CallResult,
    /// How the text says it ended, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<CallResult>,
    /// Whether both agree; true where nothing was recorded.
    pub agrees: bool,
    /// Answered as recorded because the trace does not show the memory it is about.
    pub inferred: bool,
    /// Stretches whose mapping or contents changed, merged and sorted.
    pub changed: Vec<Range>,
    /// The same, one by one in the order made, with what was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeReport>,
    /// What was counted; zeros left out.
    pub counts: BTreeMap<String, u64>,
    /// Each tree walk's chain of kernel functions, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walks: Vec<Vec<String>>,
    /// Estimated cost.
    pub cost_ns: f64,
    /// Remarks, for example that the posted patch is undefined here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Calls of one statement that are only summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlisted {
    /// Line in the scenario, from 1.
    pub line: u32,
    /// The statement as written, on one line.
    pub text: String,
    /// How many of its calls are not listed.
    pub calls: u64,
}

/// How a call ended: exactly one field is there; none where it was not made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The value returned, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The error's symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<String>,
    /// The signal's symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// A stretch of addresses, hexadecimal, end exclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// First byte.
    pub start: String,
    /// One past the last.
    pub end: String,
}

/// One change a call made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeReport {
    /// First byte.
    pub start: String,
    /// One past the last; equal to `start` for a split or merge.
    pub end: String,
    /// `mapped`, `unmapped`, `protected`, `sealed`, `flagged`, `discarded`, `split`, `merged`.
    pub kind: String,
}

/// One line of the final maps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapsEntry {
    /// First byte.
    pub start: String,
    /// One past the last.
    pub end: String,
    /// For example `rw-p`.
    pub perms: String,
    /// Offset into the file, hexadecimal.
    pub offset: String,
    /// `major:minor`, two hexadecimal digits each at least.
    pub dev: String,
    /// Inode number.
    pub inode: u64,
    /// Name column.
    pub name: String,
    /// smaps' two-letter flags.
    pub vm_flags: Vec<String>,
    /// Resident memory in KiB.
    pub rss_kb: u64,
}

/// Sums over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Calls and accesses made.
    pub calls: u64,
    /// Of those, how many did not end as recorded.
    pub disagreements: u64,
    /// Of those, how many were answered as recorded without being simulated.
    #[serde(default)]
    pub inferred: u64,
    /// What was counted.
    pub counts: BTreeMap<String, u64>,
    /// Estimated cost.
    pub cost_ns: f64,
}

/// A named stretch of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Its name in the scenario.
    pub name: String,
    /// How often it ran.
    pub samples: u64,
    /// Sum of what it counted.
    pub counts: BTreeMap<String, u64>,
    /// Spread of its cost.
    pub cost_ns: Spread,
}

/// Spread of a set of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Median.
    pub median: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
}
