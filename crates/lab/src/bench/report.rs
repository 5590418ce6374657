//! What a benchmark gives: plain data for tables, charts, JSON and documents (`sealab-bench/1`).
//! Fields are only added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Name and version of the format.
pub const FORMAT: &str = "sealab-bench/1";

/// A benchmark's result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// Always [`FORMAT`].
    pub format: String,
    /// Which benchmark: `mmperf`, `mmap1`, `pagemove`, `kernel-compile`, `speedometer`.
    pub benchmark: String,
    /// What it does, in a sentence.
    pub about: String,
    /// The CPU profile.
    pub cpu: String,
    /// What that processor is.
    pub cpu_label: String,
    /// How predictions come about.
    pub model: String,
    /// What was fitted to what, and what was held out.
    pub fit: String,
    /// One row for each combination asked for.
    pub rows: Vec<BenchRow>,
    /// Errors over all rows with something published.
    pub errors: Vec<ErrorSummary>,
    /// The loops, as scenarios.
    pub scenarios: Vec<BenchScenario>,
    /// What a reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where the loops were also run on the kernel underneath.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MeasuredMachine>,
}

/// One combination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// Kernel id.
    pub kernel: String,
    /// Memory id, or its parts.
    pub memory: String,
    /// The system call, in mmperf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syscall: Option<String>,
    /// Mappings that one call is over, in mmperf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vmas: Option<u64>,
    /// Jobs at once, in kernel-compile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// What the model says. Stands in the row itself too.
    pub predicted: Figures,
    /// The same figures, for those who read rows.
    #[serde(flatten)]
    pub figures: Figures,
    /// What was published of this combination, nearest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// Further published figures of it, from other mails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_published: Vec<Published>,
    /// `fitted`, `held` (published, in no fit) or `none` (nothing published).
    pub role: String,
    /// Counts of one call or round; zeros left out.
    pub counts: BTreeMap<String, f64>,
    /// What differs from the first row of its kind, in words: `+3 walks of the VMA tree`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<String>,
    /// What was measured on this machine.
    pub measured: Option<Figures>,
}

/// Figures of one row; those that do not apply are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Nanoseconds of one call or round, by the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// Reference cycles of one call or round, in the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<f64>,
    /// How much dearer in time than under the first kernel, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_pct: Option<f64>,
    /// The same of the cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_cycles_pct: Option<f64>,
    /// Rounds in a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops_per_s: Option<f64>,
    /// Change of the rate against the first kernel asked for (see [`Published::against`]), in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_pct: Option<f64>,
    /// Change of the elapsed time, in percent; below zero is faster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real_pct: Option<f64>,
    /// Change of the kernel's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kern_pct: Option<f64>,
    /// Change of the user's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_pct: Option<f64>,
    /// Change of the peak of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_pct: Option<f64>,
    /// Change of the rate; above zero is faster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_pct: Option<f64>,
}

/// A published figure with its source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// A few words to name it by.
    pub source: String,
    /// Mail, author, date, Message-Id.
    pub citation: String,
    /// The mail in the public archive.
    pub url: String,
    /// The machine.
    pub machine: String,
    /// The kernel that a published change is against, and what is predicted for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The predicted change against that kernel, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted_change_pct: Option<f64>,
    /// `fitted` or `held`, figure by figure where they differ.
    pub role: String,
}

/// A loop of the benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchScenario {
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// How far predictions are off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorSummary {
    /// Which figure, for example `kern_pct`.
    pub figure: String,
    /// `fitted` or `held`.
    pub role: String,
    /// How many values.
    pub values: usize,
    /// Root mean square of the errors.
    pub rms: f64,
    /// The greatest error, with its sign.
    pub worst: f64,
    /// `%` (relative) or `points`.
    pub unit: String,
}

/// The machine that loops were measured on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredMachine {
    /// Its processor, as it names itself.
    pub cpu: String,
    /// Its kernel's release.
    pub kernel: String,
    /// The kernel id it was compared with.
    pub compared_with: String,
    /// Calls in a second on the kernel underneath.
    pub real_calls_per_s: f64,
    /// Simulated calls in a second, in the same run.
    pub simulated_calls_per_s: f64,
    /// How many times faster the simulator is.
    pub speed_ratio: f64,
    /// A CPU profile fitted to what was measured, to be used for further predictions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<crate::cost::CpuProfile>,
}
