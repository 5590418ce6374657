//! The published experiments, done again: mmperf, mmap1 and pagemove as scenarios under every
//! kernel, kernel compilation and Speedometer as workloads under every memory.
//!
//! Counts come from the simulation; what they cost from profiles ([`crate::cost`]) and from
//! [`model`]. What was published ([`published`]) is laid beside and never used for a prediction.

pub mod accuracy;
pub mod loops;
pub mod memory;
pub mod model;
pub mod published;
pub mod report;
mod runner;
pub mod tables;
pub mod texts;
pub mod workload;

#[cfg(feature = "fit")]
pub mod fitting;

use std::fmt;

use sealab_core::meter::Counts;

use crate::cost::{self, CpuProfile};
use crate::names::counter_title;
use crate::run::Progress;
use crate::variant::UnknownId;

pub use report::{BenchReport, BenchRow, Figures, Published};
pub use runner::{Measured, Ran, run as run_counted};

/// A benchmark's id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Benchmark {
    /// Calls over 1 to 32 mappings.
    Mmperf,
    /// Mapping and unmapping.
    Mmap1,
    /// Moving pages.
    Pagemove,
    /// Compiling a kernel.
    KernelCompile,
    /// A browser benchmark.
    Speedometer,
}

/// Every benchmark.
pub const BENCHMARKS: [Benchmark; 5] = [
    Benchmark::Mmperf,
    Benchmark::Mmap1,
    Benchmark::Pagemove,
    Benchmark::KernelCompile,
    Benchmark::Speedometer,
];

impl Benchmark {
    /// Its id on the command line and in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Mmperf => "mmperf",
            Self::Mmap1 => "mmap1",
            Self::Pagemove => "pagemove",
            Self::KernelCompile => "kernel-compile",
            Self::Speedometer => "speedometer",
        }
    }

    /// The benchmark of that id.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        BENCHMARKS.into_iter().find(|b| b.id() == id)
    }

    /// What it does and what it was published for.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Mmperf => {
                "munmap, mprotect and madvise over 1 to 32 one-page mappings: what does looking for seals cost?"
            }
            Self::Mmap1 => {
                "will-it-scale's mmap1: 128 MiB mapped and unmapped. What does in-loop checking give back?"
            }
            Self::Pagemove => {
                "stress-ng's pagemove: pages moved to and fro. Where does the robot's −4.4 % come from?"
            }
            Self::KernelCompile => {
                "One object of a kernel build: what do larger folios, contiguous PTEs and larger pages buy?"
            }
            Self::Speedometer => {
                "A browser's renderer at work: the same question where most time is the user's."
            }
        }
    }

    /// The CPU it was published for.
    #[must_use]
    pub fn default_cpu(self) -> &'static str {
        match self {
            Self::Mmperf | Self::Mmap1 => cost::DEFAULT_CPU,
            Self::Pagemove => "xeon-gold-6346",
            Self::KernelCompile | Self::Speedometer => "ampere-altra",
        }
    }

    /// Whether memories are compared rather than kernels.
    #[must_use]
    pub fn compares_memories(self) -> bool {
        matches!(self, Self::KernelCompile | Self::Speedometer)
    }
}

/// Every kernel's id, oldest first.
#[must_use]
pub fn kernels() -> Vec<&'static str> {
    sealab_core::kernel::KERNELS
        .iter()
        .map(|k| k.name)
        .collect()
}

/// What to run; an empty list stands for what was published.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Kernel ids.
    pub kernels: Vec<String>,
    /// Memory ids or parts.
    pub memories: Vec<String>,
    /// Mappings a call is over.
    pub vmas: Vec<u64>,
    /// CPU id; empty stands for the benchmark's own.
    pub cpu: String,
    /// Jobs at once; 8 where absent.
    pub jobs: Option<u32>,
    /// A profile to use in place of a known one: this machine's.
    pub profile: Option<CpuProfile>,
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BenchError {
    /// The watch said no.
    Cancelled,
    /// There is no such kernel, memory or CPU.
    Unknown(UnknownId),
    /// A number that the benchmark cannot take: what, and what it takes.
    Number(String),
    /// The scenario has a fault.
    Scenario(String),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "cancelled"),
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Number(what) => write!(f, "{what}"),
            Self::Scenario(fault) => write!(f, "the benchmark's scenario: {fault}"),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<UnknownId> for BenchError {
    fn from(unknown: UnknownId) -> Self {
        Self::Unknown(unknown)
    }
}

/// Told how far it is now and then; answers whether to go on.
pub type Watch<'a> = dyn FnMut(Progress) -> bool + 'a;

/// Runs `benchmark`.
///
/// # Errors
/// An id or number that there is not, or a watch that said no.
pub fn run(
    benchmark: Benchmark,
    request: &Request,
    watch: &mut Watch<'_>,
) -> Result<BenchReport, BenchError> {
    let mut report = match benchmark {
        Benchmark::Mmperf => loops::mmperf(request, watch),
        Benchmark::Mmap1 => loops::mmap1(request, watch),
        Benchmark::Pagemove => loops::pagemove(request, watch),
        Benchmark::KernelCompile => memory::kernel_compile(request, watch),
        Benchmark::Speedometer => memory::speedometer(request, watch),
    }?;
    for row in &mut report.rows {
        row.figures = row.predicted;
    }
    report.errors = errors(&report.rows);
    Ok(report)
}

/// The profile that `request` names for `benchmark`.
pub(crate) fn cpu(benchmark: Benchmark, request: &Request) -> Result<CpuProfile, BenchError> {
    if let Some(profile) = &request.profile {
        return Ok(profile.clone());
    }
    let id = if request.cpu.is_empty() {
        benchmark.default_cpu()
    } else {
        &request.cpu
    };
    cost::profile(id).cloned().ok_or_else(|| {
        BenchError::Unknown(UnknownId {
            what: "cpu",
            given: id.to_owned(),
            known: cost::profiles().iter().map(|p| p.id.as_str()).collect(),
            also: None,
        })
    })
}

/// Differences of work, in words: `+3 walks of the VMA tree`.
pub(crate) fn explained(base: &Counts, base_n: u64, counts: &Counts, n: u64) -> Vec<String> {
    let each = |count: u64, n: u64| count as f64 / n.max(1) as f64;
    let mut out: Vec<(f64, String)> = base
        .iter()
        .zip(counts.iter())
        .filter_map(|((counter, before), (_, after))| {
            let more = each(after, n) - each(before, base_n);
            let shown = (more * 10.0).round() / 10.0;
            let words = || format!("{shown:+} {}", counter_title(counter)).replace('-', "−");
            (shown != 0.0).then(|| (more.abs(), words()))
        })
        .collect();
    out.sort_by(|a, b| b.0.total_cmp(&a.0));
    out.into_iter().map(|(_, words)| words).collect()
}

/// What a named figure's error is measured in, and the figure.
type Figure = (&'static str, &'static str, fn(&Figures) -> Option<f64>);

/// The figures that are compared.
pub(crate) const FIGURES: [Figure; 9] = [
    ("ns", "%", |f| f.ns),
    ("cycles", "%", |f| f.cycles),
    ("overhead_pct", "points", |f| f.overhead_pct),
    ("overhead_cycles_pct", "points", |f| f.overhead_cycles_pct),
    ("real_pct", "points", |f| f.real_pct),
    ("kern_pct", "points", |f| f.kern_pct),
    ("user_pct", "points", |f| f.user_pct),
    ("memory_pct", "points", |f| f.memory_pct),
    ("rate_pct", "points", |f| f.rate_pct),
];

/// Every error: the figure's name, `fitted` or `held`, the unit, and by how much it is off.
pub(crate) fn all_errors(
    rows: &[BenchRow],
) -> impl Iterator<Item = (&'static str, &str, &'static str, f64)> {
    rows.iter().flat_map(|row| {
        row.published
            .iter()
            .chain(&row.also_published)
            .flat_map(move |published| {
                let figures = FIGURES.iter().filter_map(move |&(name, unit, of)| {
                    let (said, was) = (of(&row.predicted)?, of(&published.figures)?);
                    let off = match unit {
                        "%" => (said / was - 1.0) * 100.0,
                        _ => said - was,
                    };
                    Some((name, role_of(&published.role, name), unit, off))
                });
                let change = published
                    .predicted_change_pct
                    .zip(published.figures.change_pct)
                    .map(|(said, was)| {
                        let role = role_of(&published.role, "change_pct");
                        ("change_pct", role, "points", said - was)
                    });
                figures.chain(change)
            })
    })
}

/// The role of one figure in `held`, `fitted` or a list like `fitted kern_pct real_pct`.
fn role_of<'a>(role: &'a str, figure: &str) -> &'a str {
    match role.strip_prefix("fitted ") {
        Some(list) if list.split(' ').any(|f| f == figure) => "fitted",
        Some(_) => "held",
        None => role,
    }
}

fn errors(rows: &[BenchRow]) -> Vec<report::ErrorSummary> {
    let mut out: Vec<report::ErrorSummary> = Vec::new();
    for (figure, role, unit, off) in all_errors(rows) {
        let found = out
            .iter()
            .position(|e| e.figure == figure && e.role == role);
        let index = found.unwrap_or_else(|| {
            out.push(report::ErrorSummary {
                figure: figure.to_owned(),
                role: role.to_owned(),
                unit: unit.to_owned(),
                ..report::ErrorSummary::default()
            });
            out.len() - 1
        });
        if let Some(entry) = out.get_mut(index) {
            entry.values += 1;
            entry.rms += off * off;
            if off.abs() > entry.worst.abs() {
                entry.worst = off;
            }
        }
    }
    for entry in &mut out {
        entry.rms = (entry.rms / entry.values.max(1) as f64).sqrt();
    }
    out
}
