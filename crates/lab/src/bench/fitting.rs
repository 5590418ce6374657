//! Makes profiles and weights from published tables and from measurements (feature `fit`). What it
//! makes of the published tables is kept as data and held to it by a test.

use sealab_core::kernel::Kernel;
use sealab_core::meter::Counter;
use sealab_core::paging::{Arch, MemoryDesign};

use super::loops::{self, Counted, FITTED_VMAS, VMAS};
use super::memory::{self, Bench, COMPILE_ROWS, SPEEDOMETER_ROWS};
use super::model::{CompileWeights, SpeedometerWeights, WorkloadModel};
use super::published;
use super::texts::{self, MMPERF_CALLS, Meter};
use super::{BenchError, Benchmark};
use crate::cost::{self, CallWeight, CounterWeight, CpuProfile, fit};
use crate::variant;

/// Work that mmperf can tell apart, each with the counters that share one price. What is not listed
/// has no price that the tables could tell: splits and allocations, for example, happen in one row
/// of the three calls only.
const WORK: [&[Counter]; 5] = [
    &[Counter::TreeLevel],
    &[
        Counter::TreeNext,
        Counter::TreePrev,
        Counter::TreeRefused,
        Counter::SealCheck,
    ],
    &[Counter::VmaFree],
    &[Counter::RangeWalk],
    &[Counter::VmaMerge, Counter::VmaModify],
];

/// One measurement of mmperf: a call over mappings, by the clock or in cycles.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The call.
    pub call: &'static str,
    /// Mappings it is over.
    pub vmas: u64,
    /// By which program.
    pub meter: Meter,
    /// Under which kernel's design.
    pub kernel: String,
    /// Cycles (of time: nanoseconds times the profile's frequency).
    pub cycles: f64,
}

/// A row of a fit: what is counted, and what was measured. `increment` rows are differences.
struct FitRow {
    terms: Vec<f64>,
    measured: f64,
}

fn loop_terms(call: &str, vmas: u64, meter: Meter, kernel: &str) -> Result<Vec<f64>, BenchError> {
    let kernel = variant::kernel(kernel)?;
    let memory = MemoryDesign::BASELINE_4K.on(Arch::X86_64);
    let counted = loops::count(
        &texts::mmperf(call, vmas, meter),
        kernel,
        &memory,
        &mut |_| true,
    )?;
    let calls = MMPERF_CALLS.iter().map(|c| f64::from(u8::from(*c == call)));
    let work = WORK.iter().map(|counters| each(&counted, counters));
    let outside = f64::from(u8::from(meter == Meter::Time));
    Ok(calls.chain(work).chain([outside]).collect())
}

fn each(counted: &Counted, counters: &[Counter]) -> f64 {
    let sum: u64 = counters.iter().map(|&c| counted.counts.get(c)).sum();
    sum as f64 / counted.samples.max(1) as f64
}

/// Tenths are more than the data can tell.
fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

/// The default profile, from the two mseal tables.
///
/// # Errors
/// Where a loop does not run, which its test rules out.
pub fn pentium() -> Result<CpuProfile, BenchError> {
    const GHZ: f64 = 2.0;
    let mut rows = Vec::new();
    let tables = [
        (
            published::MMPERF_CYCLES,
            Meter::Cycles,
            1.0,
            "cpu",
            "cpu_mseal",
        ),
        (published::MMPERF_NS, Meter::Time, GHZ, "t_ns", "t_mseal_ns"),
    ];
    for (table, meter, scale, base, with) in tables {
        for row in table.rows() {
            let Some(call) = MMPERF_CALLS.into_iter().find(|c| *c == row.text("syscall")) else {
                continue;
            };
            let Some(vmas) = VMAS.into_iter().find(|n| n.to_string() == row.text("vmas")) else {
                continue;
            };
            let (Some(base), Some(with)) = (row.number(base), row.number(with)) else {
                continue;
            };
            let before = loop_terms(call, vmas, meter, "6.8")?;
            if call == "munmap" {
                let after = loop_terms(call, vmas, meter, "6.11")?;
                let more = after.iter().zip(&before).map(|(a, b)| a - b).collect();
                rows.push(FitRow {
                    terms: more,
                    measured: (with - base) * scale,
                });
            }
            if FITTED_VMAS.contains(&vmas) {
                rows.push(FitRow {
                    terms: before,
                    measured: base * scale,
                });
            }
        }
    }
    let source = "fitted to the mseal v10 tables (Jeff Xu, 2024-04-15)";
    let mut profile = profile_of(&rows, GHZ, source);
    profile.id = cost::DEFAULT_CPU.to_owned();
    profile.label = "Intel Pentium Gold 7505, 2.0 GHz".to_owned();
    profile.error_rows = "the mseal v10 tables; fitted are the base columns at 1, 4 and 16 VMAs and munmap's six increments, in both tables (30 rows, 9 weights); held out is every other value".to_owned();
    Ok(profile)
}

/// A profile of what was measured here: samples of mmperf under one kernel.
///
/// # Errors
/// Where a loop does not run.
pub fn measured(label: &str, ghz: f64, samples: &[Sample]) -> Result<CpuProfile, BenchError> {
    let mut rows = Vec::new();
    for sample in samples {
        rows.push(FitRow {
            terms: loop_terms(sample.call, sample.vmas, sample.meter, &sample.kernel)?,
            measured: sample.cycles,
        });
    }
    let mut profile = profile_of(&rows, ghz, "fitted to mmperf as measured on this machine");
    profile.id = "this-machine".to_owned();
    profile.label = label.to_owned();
    profile.error_rows = format!(
        "the {} rows of mmperf measured here, all fitted",
        rows.len()
    );
    Ok(profile)
}

fn profile_of(rows: &[FitRow], ghz: f64, source: &str) -> CpuProfile {
    let terms: Vec<Vec<f64>> = rows.iter().map(|r| r.terms.clone()).collect();
    let values: Vec<f64> = rows.iter().map(|r| r.measured).collect();
    let weights = fit::nonnegative(&terms, &values);
    let at = |index: usize| weights.get(index).copied().unwrap_or(0.0);
    let errors: Vec<f64> = rows
        .iter()
        .map(|r| {
            r.terms
                .iter()
                .zip(&weights)
                .map(|(t, w)| t * w)
                .sum::<f64>()
                / r.measured
                - 1.0
        })
        .collect();
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len().max(1) as f64).sqrt();
    let mut calls: Vec<CallWeight> = MMPERF_CALLS
        .iter()
        .enumerate()
        .map(|(i, call)| CallWeight {
            call: (*call).to_owned(),
            cycles: rounded(at(i)),
            source: source.to_owned(),
        })
        .collect();
    let mut fixed: Vec<f64> = calls.iter().map(|c| c.cycles).collect();
    fixed.sort_by(f64::total_cmp);
    let median = fixed.get(fixed.len() / 2).copied().unwrap_or(0.0);
    calls.push(CallWeight {
        call: "*".to_owned(),
        cycles: median,
        source: "assumed: the median of munmap, mprotect and madvise".to_owned(),
    });
    let mut priced: Vec<CounterWeight> = Vec::new();
    for (index, counters) in WORK.iter().enumerate() {
        priced.extend(counters.iter().map(|counter| CounterWeight {
            counter: counter.name().to_owned(),
            cycles: rounded(at(MMPERF_CALLS.len() + index)),
            source: source.to_owned(),
        }));
    }
    priced.extend(
        ASSUMED
            .iter()
            .map(|&(counter, cycles, source)| CounterWeight {
                counter: counter.name().to_owned(),
                cycles,
                source: source.to_owned(),
            }),
    );
    CpuProfile {
        cycles_per_ns: ghz,
        outside_ns: rounded(at(MMPERF_CALLS.len() + WORK.len()) / ghz),
        model: "cycles = a fixed part for each call + a weighted sum of what it counts, by non-negative least squares of the relative errors; nanoseconds = cycles at the reference clock + a part outside the kernel".to_owned(),
        relative_error: rounded(rms * 1000.0) / 1000.0,
        calls,
        weights: priced,
        ..CpuProfile::default()
    }
}

/// What the tables do not hold, from other sources or as round figures that say so.
const ASSUMED: &[(Counter, f64, &str)] = &[
    (
        Counter::PageFault,
        2000.0,
        "assumed: about 1 µs for a first touch (x86, 6.6: median 3241 cycles with zeroing)",
    ),
    (Counter::ZeroedBytes, 0.125, "assumed: 8 bytes a cycle"),
    (Counter::CopiedBytes, 0.25, "assumed: 4 bytes a cycle"),
    (Counter::TlbFlush, 150.0, "assumed: a local invalidation"),
    (
        Counter::TableAlloc,
        400.0,
        "assumed: a page from the allocator, zeroed apart",
    ),
    (Counter::PteClear, 20.0, "assumed: an atomic read and write"),
    (Counter::PteWrite, 5.0, "assumed: a store"),
];

/// The robot's server: the tree's prices are the Pentium's, scaled by one factor so that the check
/// takes what the robot's profiler saw in it; mremap's fixed part makes up the rate before mseal.
///
/// # Errors
/// Where a loop does not run.
pub fn xeon(pentium: &CpuProfile) -> Result<CpuProfile, BenchError> {
    /// Nominal frequency of the Xeon Gold 6346.
    const GHZ: f64 = 3.1;
    const WORKERS: f64 = 64.0;
    let memory = MemoryDesign::BASELINE_4K.on(Arch::X86_64);
    let text = texts::pagemove();
    let run = |kernel: &str| -> Result<Counted, BenchError> {
        loops::count(&text, variant::kernel(kernel)?, &memory, &mut |_| true)
    };
    let (before, after) = (run("6.8")?, run("6.11")?);
    let prices = pentium.prices();
    let work = before.cycles(&prices);
    let check = after.cycles(&prices) - work;
    let moves = 3.0 * (texts::PAGEMOVE_PAGES - 1) as f64;
    let rate = published::ROBOT
        .row("metric", "stress-ng.pagemove.ops_per_sec")
        .and_then(|r| r.number("before"))
        .unwrap_or(f64::NAN);
    let total = WORKERS / rate * 1e9 * GHZ;
    let mut rows = vec![FitRow {
        terms: vec![moves, work],
        measured: total,
    }];
    // Three chains lead to the check; a move walks each once.
    for row in published::ROBOT_PROFILE
        .rows()
        .filter(|r| r.text("kind") == "calltrace")
    {
        let share = row.number("after").unwrap_or(0.0) / 100.0;
        if row.text("symbol_or_chain").starts_with("can_modify_mm") {
            rows.push(FitRow {
                terms: vec![0.0, check / 3.0],
                measured: share * total,
            });
        }
    }
    let terms: Vec<Vec<f64>> = rows.iter().map(|r| r.terms.clone()).collect();
    let measured: Vec<f64> = rows.iter().map(|r| r.measured).collect();
    let weights = fit::nonnegative(&terms, &measured);
    let (fixed, scale) = (
        weights.first().copied().unwrap_or(0.0),
        weights.get(1).copied().unwrap_or(0.0),
    );
    let said = format!(
        "the Pentium's, times {scale:.2}: fitted to the share of time in can_modify_mm (kernel test robot, 2024-08-04)"
    );
    let mut profile = pentium.clone();
    profile.id = "xeon-gold-6346".to_owned();
    profile.label =
        "Intel Xeon Gold 6346, 3.1 GHz, 64 workers on 64 threads (the robot's server)".to_owned();
    profile.cycles_per_ns = GHZ;
    profile.outside_ns = 0.0;
    profile.relative_error = 0.0;
    profile.error_rows = "fitted: pagemove's rate before mseal, and the shares of time that the robot's profiler saw in the check's three chains (4 rows, 2 weights); held out: every change of a rate".to_owned();
    profile.model = "the Pentium's prices of tree work times one factor, and a fixed part of mremap, which holds everything that 64 workers at once make dear".to_owned();
    for weight in &mut profile.weights {
        weight.cycles = rounded(weight.cycles * scale * 10.0) / 10.0;
        weight.source.clone_from(&said);
    }
    for call in &mut profile.calls {
        call.cycles = rounded(call.cycles * scale);
        call.source.clone_from(&said);
    }
    profile.calls.insert(
        0,
        CallWeight {
            call: "mremap".to_owned(),
            cycles: rounded(fixed),
            source: "fitted to pagemove's rate before mseal (kernel test robot, 2024-08-04)"
                .to_owned(),
        },
    );
    Ok(profile)
}

/// Altra's prices of calls: none were published, so they are the Pentium's cycles at its clock.
#[must_use]
pub fn altra_profile(pentium: &CpuProfile) -> CpuProfile {
    let mut profile = pentium.clone();
    profile.id = "ampere-altra".to_owned();
    profile.label = "Ampere Altra (Neoverse N1), 3.0 GHz".to_owned();
    profile.cycles_per_ns = 3.0;
    profile.relative_error = 0.0;
    profile.error_rows = "prices of single calls: none, no table of calls was published for it; its workloads have weights of their own".to_owned();
    profile.model = "assumed: the Pentium's cycles at Altra's clock".to_owned();
    for weight in &mut profile.weights {
        weight.source = "assumed: as on the Pentium Gold 7505".to_owned();
    }
    for call in &mut profile.calls {
        call.source = "assumed: as on the Pentium Gold 7505".to_owned();
    }
    profile
}

/// The weights of the two workloads.
///
/// # Errors
/// Where a workload does not run.
pub fn workloads() -> Result<WorkloadModel, BenchError> {
    let kernel = Kernel::by_name("6.12").ok_or_else(|| BenchError::Number("no 6.12".to_owned()))?;
    let compile = Bench::new(texts::COMPILE, kernel, &mut |_| true)?;
    let mut weights = CompileWeights::default();
    // Each published row that something is fitted to: its relative counts and its figures.
    let mut rows = Vec::new();
    for &(table, name, jobs, id, fitted) in COMPILE_ROWS {
        if fitted.is_empty() {
            continue;
        }
        let (_, relative) = compile.under(&variant::memory(id)?, &mut |_| true)?;
        for row in memory::rows_of(table, name, jobs) {
            rows.push((relative, memory::figures(&row), jobs, id, fitted));
        }
    }
    let mut terms: Vec<Vec<f64>> = Vec::new();
    let mut values = Vec::new();
    for (relative, figures, _, id, fitted) in &rows {
        if let (true, Some(kern)) = (fitted.contains(&"kern_pct"), figures.kern_pct) {
            let posted = f64::from(u8::from(memory::as_posted(id)));
            let kernel = relative.kernel_terms();
            terms.push(kernel.iter().copied().chain([posted]).collect());
            values.push(-kern);
        }
    }
    if let [entries, faults, large, posted] = fit::nonnegative_absolute(&terms, &values)[..] {
        weights = CompileWeights {
            entries,
            faults,
            large,
            posted,
            ..weights
        };
    }
    let users = rows.iter().filter(|r| r.4.contains(&"user_pct"));
    let (terms, values): (Vec<Vec<f64>>, Vec<f64>) = users
        .filter_map(|(relative, f, ..)| Some((relative.user_terms().to_vec(), -f.user_pct?)))
        .unzip();
    if let [fetches, data] = fit::nonnegative_absolute(&terms, &values)[..] {
        weights = CompileWeights {
            fetches,
            data,
            ..weights
        };
    }
    // real − user = s · (kern − user), by the published rows themselves.
    let share = |many: bool| {
        let of = rows
            .iter()
            .filter(|r| r.4.contains(&"real_pct") && (r.2 == "80") == many);
        let (terms, values): (Vec<Vec<f64>>, Vec<f64>) = of
            .filter_map(|(_, f, ..)| {
                let user = f.user_pct?;
                Some((vec![user - f.kern_pct?], user - f.real_pct?))
            })
            .unzip();
        fit::nonnegative_absolute(&terms, &values)
            .first()
            .copied()
            .unwrap_or(0.0)
    };
    (weights.share, weights.share_many) = (share(false), share(true));
    let memory_of = |many: bool| {
        let of = rows
            .iter()
            .filter(|r| r.4.contains(&"memory_pct") && (r.2 == "80") == many);
        let (terms, values): (Vec<Vec<f64>>, Vec<f64>) = of
            .filter_map(|(r, f, ..)| {
                let own = if r.page_more > 0.0 {
                    0.0
                } else {
                    (r.resident - 1.0) * 100.0
                };
                Some((vec![r.page_more, own], f.memory_pct?))
            })
            .unzip();
        fit::nonnegative_absolute(&terms, &values)
    };
    if let ([edges, growth], [edges_many, growth_many]) =
        (&memory_of(false)[..], &memory_of(true)[..])
    {
        (weights.edges, weights.growth) = (*edges, *growth);
        (weights.edges_many, weights.growth_many) = (*edges_many, *growth_many);
    }
    Ok(WorkloadModel {
        cpu: Benchmark::KernelCompile.default_cpu().to_owned(),
        speedometer: speedometer(kernel, &weights)?,
        compile: weights,
        fitted: FITTED.iter().map(|&s| s.to_owned()).collect(),
    })
}

/// What [`COMPILE_ROWS`] and [`SPEEDOMETER_ROWS`] say, in words.
const FITTED: [&str; 5] = [
    "kernel time: 4 weights on 5 rows (mTHP v6 with 8 jobs: 16k-page, 64k-page, 16k-folio, 64k-folio; contpte v1: anonfolio)",
    "user time: 2 weights on 4 rows (contpte v1: contpte, exefolio, baseline-16k; mTHP v6: 16k-page)",
    "elapsed time: 1 weight on 2 rows (contpte v1: anonfolio, baseline-16k), 1 for many jobs on 3 (contpte v4, 80 jobs)",
    "memory: 2 weights for few jobs and 2 for many, on a 16k-page and a 64k-folio row each (mTHP v6); as many weights as rows, so nothing is tested there",
    "Speedometer: 3 weights on 4 rows (contpte v1: anonfolio, contpte, exefolio, baseline-16k), 1 for memory (mTHP v6: 16k-page)",
];

fn speedometer(
    kernel: &'static Kernel,
    compile: &CompileWeights,
) -> Result<SpeedometerWeights, BenchError> {
    let bench = Bench::new(texts::SPEEDOMETER, kernel, &mut |_| true)?;
    let (mut terms, mut values) = (Vec::new(), Vec::new());
    let (mut grown, mut memories) = (Vec::new(), Vec::new());
    for &(table, name, id, fitted) in SPEEDOMETER_ROWS {
        let (_, relative) = bench.under(&variant::memory(id)?, &mut |_| true)?;
        for row in memory::rows_of(table, name, "") {
            let figures = memory::figures(&row);
            if let (true, Some(rate)) = (fitted.contains(&"rate_pct"), figures.rate_pct) {
                let [fetches, data] = relative.user_terms();
                terms.push(vec![-compile.kern(&relative, false), fetches, data]);
                values.push(rate);
            }
            if let (true, Some(memory)) = (fitted.contains(&"memory_pct"), figures.memory_pct) {
                grown.push(vec![(relative.resident - 1.0) * 100.0]);
                memories.push(memory);
            }
        }
    }
    let growth = fit::nonnegative_absolute(&grown, &memories)
        .first()
        .copied()
        .unwrap_or(0.0);
    match fit::nonnegative_absolute(&terms, &values)[..] {
        [kernel, fetches, data] => Ok(SpeedometerWeights {
            kernel,
            fetches,
            data,
            growth,
        }),
        _ => Err(BenchError::Number("no weights".to_owned())),
    }
}
