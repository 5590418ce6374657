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
    pub pages: Option<PagesReport>,
}

/// The pages of a run at its end, and what its TLBs hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagesReport {
    /// The page size in bytes.
    pub page_bytes: u64,
    /// Every mapping, process by process, in address order.
    pub mappings: Vec<MappingPages>,
    /// Pages beyond the most that a report lists.
    #[serde(default)]
    pub left_out: u64,
    /// Id of the TLBs' profile.
    #[serde(default)]
    pub tlb_profile: String,
    /// What the TLBs hold.
    #[serde(default)]
    pub tlb: Vec<TlbArray>,
}

/// The pages of a mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingPages {
    /// Number of the process.
    #[serde(default)]
    pub process: u32,
    /// First byte.
    pub start: String,
    /// One past the last.
    pub end: String,
    /// Its pages, in address order.
    pub pages: Vec<PageReport>,
}

/// One page as its page table has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageReport {
    /// First byte.
    pub addr: String,
    /// Whether an entry maps it (PROT_NONE included).
    pub present: bool,
    /// Hardware may write.
    pub writable: bool,
    /// Accessed.
    pub young: bool,
    /// Written.
    pub dirty: bool,
    /// In a folded contiguous block.
    pub contiguous: bool,
    /// Instructions may be fetched.
    pub executable: bool,
    /// The shared zero page.
    pub special: bool,
    /// Present for software, invalid for hardware.
    pub prot_none: bool,
    /// A guard page.
    pub guard: bool,
    /// Mapped by a PMD block.
    pub pmd: bool,
    /// log2 of its folio's pages.
    pub order: u32,
    /// Position in the folio, in pages.
    pub index: u32,
    /// Number of the folio, unique over the run; 0: none.
    pub folio: u64,
    /// How many entries of all processes map it.
    pub mapcount: u32,
}

/// One array of TLB entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlbArray {
    /// Which.
    pub name: String,
    /// Entries it can hold.
    pub capacity: u64,
    /// Bytes that its entries translate.
    pub reach: u64,
    /// First byte and number of bytes of each translation it holds.
    pub entries: Vec<(String, u64)>,
}

/// What a call did to a contiguous block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEventReport {
    /// First byte of the block.
    pub block: String,
    /// The page that decided, counted from the block's start.
    pub page: u32,
    /// `folded`, `unfolded`, `not-folded`.
    pub kind: String,
    /// Key of the rule, for example `write-bit-changed`.
    pub rule: String,
    /// The rule in words.
    pub sentence: String,
}

/// What memory is used for at the end of a run, over all processes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Resident.
    pub resident: u64,
    /// Page tables.
    pub page_tables: u64,
    /// Resident, but touched by no access, in units of 4 KiB.
    pub untouched: u64,
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
    /// What it did to contiguous blocks, in order, when pages are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_events: Vec<PageEventReport>,
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
    /// What the TLBs counted, where there was an access.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tlb: BTreeMap<String, u64>,
    /// What memory was used for at the end.
    #[serde(default)]
    pub memory: MemoryReport,
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
