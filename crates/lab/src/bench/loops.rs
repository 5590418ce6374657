//! mmperf, mmap1 and pagemove: loops under kernels.

use std::collections::BTreeMap;

use sealab_core::kernel::{KERNELS, Kernel};
use sealab_core::meter::Counts;
use sealab_core::paging::{Arch, MemoryDesign};

use super::published::{self, Table};
use super::report::{BenchScenario, FORMAT};
use super::runner::{self, Measured};
use super::texts::{self, Meter};
use super::{BenchError, BenchReport, BenchRow, Benchmark, Figures, Published, Request, Watch};
use super::{cpu, explained};
use crate::cost::{CpuProfile, Prices};
use crate::run::Progress;
use crate::variant;

/// Mappings of one call that were published.
pub const VMAS: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// Base rows that weights are fitted on; the others are held out.
pub const FITTED_VMAS: [u64; 3] = [1, 4, 16];

/// Whether a value of the mseal tables is in the fit: base values at 1, 4 and 16 mappings, and
/// what munmap takes more with the check.
#[must_use]
pub fn is_fitted(call: &str, vmas: u64, sealing: bool) -> bool {
    FITTED_VMAS.contains(&vmas) && (!sealing || call == "munmap")
}

/// The kernels whose design the two columns of the mseal tables show.
fn column(kernel: &Kernel) -> Option<bool> {
    match kernel.name {
        "6.8" => Some(false),
        "6.10" | "6.11" => Some(true),
        _ => None,
    }
}

/// One loop's result under one kernel.
pub struct Counted {
    /// The sum of what its stretch counted.
    pub counts: Counts,
    /// How often the stretch ran.
    pub samples: u64,
}

impl Counted {
    fn of(measures: &[Measured]) -> Self {
        let first = measures.first();
        Self {
            counts: first.map_or_else(Counts::default, |m| m.counts),
            samples: first.map_or(0, |m| m.samples),
        }
    }

    /// Counts of one round, zeros left out.
    #[must_use]
    pub fn each(&self) -> BTreeMap<String, f64> {
        let n = self.samples.max(1) as f64;
        self.counts
            .iter()
            .filter(|&(_, count)| count > 0)
            .map(|(counter, count)| (counter.name().to_owned(), count as f64 / n))
            .collect()
    }

    /// Cycles of one round, fixed parts of calls left out.
    #[must_use]
    pub fn cycles(&self, prices: &Prices) -> f64 {
        prices.cycles(&self.counts) / self.samples.max(1) as f64
    }
}

/// Runs `text` for its first stretch.
///
/// # Errors
/// As [`runner::run`].
pub fn count(
    text: &str,
    kernel: &'static Kernel,
    memory: &MemoryDesign,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Counted, BenchError> {
    runner::run(text, kernel, memory, go_on).map(|ran| Counted::of(&ran.measures))
}

/// The kernels and memories asked for.
fn variants(request: &Request) -> Result<(Vec<&'static Kernel>, Vec<MemoryDesign>), BenchError> {
    let kernels = match request.kernels.as_slice() {
        [] => KERNELS.iter().collect(),
        ids => ids
            .iter()
            .map(|id| variant::kernel(id))
            .collect::<Result<Vec<_>, _>>()?,
    };
    let memories = match request.memories.as_slice() {
        [] => vec![MemoryDesign::BASELINE_4K.on(Arch::X86_64)],
        ids => ids
            .iter()
            .map(|id| variant::memory(id))
            .collect::<Result<Vec<_>, _>>()?,
    };
    Ok((kernels, memories))
}

/// Passes progress on: so many loops are done of so many.
struct Steps<'a, 'b> {
    watch: &'a mut Watch<'b>,
    done: u64,
    total: u64,
}

impl Steps<'_, '_> {
    fn count(
        &mut self,
        text: &str,
        kernel: &'static Kernel,
        memory: &MemoryDesign,
    ) -> Result<Counted, BenchError> {
        let progress = Progress {
            variant: 0,
            variants: 1,
            done: self.done,
            total: self.total,
        };
        if !(self.watch)(progress) {
            return Err(BenchError::Cancelled);
        }
        let counted = count(text, kernel, memory, &mut |_| (self.watch)(progress))?;
        self.done += 1;
        Ok(counted)
    }
}

fn report(benchmark: Benchmark, cpu: &CpuProfile) -> BenchReport {
    BenchReport {
        format: FORMAT.to_owned(),
        benchmark: benchmark.id().to_owned(),
        about: benchmark.about().to_owned(),
        cpu: cpu.id.clone(),
        cpu_label: cpu.label.clone(),
        model: cpu.model.clone(),
        fit: cpu.error_rows.clone(),
        ..BenchReport::default()
    }
}

/// A published figure of `table`.
pub(crate) fn cited(table: Table, figures: Figures, role: &str) -> Published {
    Published {
        figures,
        source: table.short.to_owned(),
        citation: table.source().to_owned(),
        url: table.url(),
        machine: table.machine().to_owned(),
        role: role.to_owned(),
        ..Published::default()
    }
}

/// Calls over mappings, under each kernel.
pub(super) fn mmperf(request: &Request, watch: &mut Watch<'_>) -> Result<BenchReport, BenchError> {
    let cpu = cpu(Benchmark::Mmperf, request)?;
    let (kernels, memories) = variants(request)?;
    let vmas = match request.vmas.as_slice() {
        [] => VMAS.to_vec(),
        some => some.to_vec(),
    };
    if let Some(wrong) = vmas.iter().find(|&&n| n == 0 || n > texts::VMAS_MAX) {
        return Err(BenchError::Number(format!(
            "{wrong} mappings cannot be measured; 1 to {} can",
            texts::VMAS_MAX
        )));
    }
    let mut out = report(Benchmark::Mmperf, &cpu);
    let prices = cpu.prices();
    let rows = texts::MMPERF_CALLS.len() * vmas.len() * memories.len();
    let mut steps = Steps {
        watch,
        done: 0,
        total: (rows * kernels.len() * 4 / 3) as u64,
    };
    for call in texts::MMPERF_CALLS {
        for &n in &vmas {
            let text = texts::mmperf(call, n, Meter::Time);
            for memory in &memories {
                let mut first: Option<(Counted, Figures)> = None;
                for kernel in &kernels {
                    let timed = steps.count(&text, kernel, memory)?;
                    // Only mprotect's loop differs between the two programs.
                    let cycled = if call == "mprotect" {
                        let text = texts::mmperf(call, n, Meter::Cycles);
                        Some(steps.count(&text, kernel, memory)?)
                    } else {
                        None
                    };
                    let fixed = cpu.call_cycles(call);
                    let cycles = fixed + cycled.as_ref().unwrap_or(&timed).cycles(&prices);
                    let ns = prices.ns(fixed + timed.cycles(&prices)) + cpu.outside_ns;
                    let mut predicted = Figures {
                        ns: Some(ns),
                        cycles: Some(cycles),
                        ..Figures::default()
                    };
                    let why = match &first {
                        None => Vec::new(),
                        Some((base, figures)) => {
                            let more =
                                |now, then: Option<f64>| then.map(|t| (now / t - 1.0) * 100.0);
                            predicted.overhead_pct = more(ns, figures.ns);
                            predicted.overhead_cycles_pct = more(cycles, figures.cycles);
                            explained(&base.counts, base.samples, &timed.counts, timed.samples)
                        }
                    };
                    let against_base =
                        first.is_some() && kernels.first().is_some_and(|k| k.name == "6.8");
                    let published = column(kernel)
                        .filter(|_| is_baseline(memory) && cpu.id == crate::cost::DEFAULT_CPU)
                        .and_then(|sealing| mseal_row(call, n, sealing, against_base));
                    out.rows.push(BenchRow {
                        kernel: kernel.name.to_owned(),
                        memory: memory.name.to_string(),
                        syscall: Some(call.to_owned()),
                        vmas: Some(n),
                        predicted,
                        role: published.as_ref().map_or("none", |p| &p.role).to_owned(),
                        published,
                        counts: timed.each(),
                        explained: why,
                        ..BenchRow::default()
                    });
                    if first.is_none() {
                        first = Some((timed, predicted));
                    }
                }
            }
            out.scenarios.push(scenario(text));
        }
    }
    Ok(out)
}

fn is_baseline(memory: &MemoryDesign) -> bool {
    memory.name == MemoryDesign::BASELINE_4K.name
}

pub(super) fn scenario(text: String) -> BenchScenario {
    let first = text.lines().next().unwrap_or("");
    BenchScenario {
        title: first.trim_start_matches("# ").to_owned(),
        text,
    }
}

/// What the mseal mail says of a call over so many mappings.
fn mseal_row(call: &str, vmas: u64, sealing: bool, overhead: bool) -> Option<Published> {
    let find = |table: Table| {
        let wanted = vmas.to_string();
        let mut rows = table.rows();
        rows.find(|r| r.text("syscall") == call && r.text("vmas") == wanted)
    };
    let (ns, cycles) = (find(published::MMPERF_NS)?, find(published::MMPERF_CYCLES)?);
    let more = |base: Option<f64>, with: Option<f64>| {
        let (base, with) = base.zip(with)?;
        (sealing && overhead).then(|| (with / base - 1.0) * 100.0)
    };
    let figures = Figures {
        ns: ns.number(if sealing { "t_mseal_ns" } else { "t_ns" }),
        cycles: cycles.number(if sealing { "cpu_mseal" } else { "cpu" }),
        overhead_pct: more(ns.number("t_ns"), ns.number("t_mseal_ns")),
        overhead_cycles_pct: more(cycles.number("cpu"), cycles.number("cpu_mseal")),
        ..Figures::default()
    };
    let role = match (is_fitted(call, vmas, sealing), call == "munmap" && sealing) {
        (true, _) => "fitted",
        // The increment is fitted, the value itself is not.
        (false, true) => "fitted overhead_pct overhead_cycles_pct",
        (false, false) => "held",
    };
    let mut published = cited(published::MMPERF_NS, figures, role);
    published.source = "mseal v10".to_owned();
    Some(published)
}

/// A loop whose rate is compared between kernels.
struct Rated {
    benchmark: Benchmark,
    text: String,
    /// Its calls, and how many of each one round makes.
    calls: Vec<(&'static str, f64)>,
    /// Workers at once.
    workers: f64,
    /// What was published of a kernel: against which kernel, and the figure.
    published: fn(&Kernel) -> Vec<(Published, f64)>,
}

fn rated(
    rated: &Rated,
    request: &Request,
    watch: &mut Watch<'_>,
) -> Result<BenchReport, BenchError> {
    let cpu = cpu(rated.benchmark, request)?;
    let (kernels, memories) = variants(request)?;
    let prices = cpu.prices();
    let mut out = report(rated.benchmark, &cpu);
    let mut steps = Steps {
        watch,
        done: 0,
        total: (kernels.len() * memories.len()) as u64,
    };
    let fixed: f64 = rated
        .calls
        .iter()
        .map(|(c, n)| cpu.call_cycles(c) * n)
        .sum();
    let calls: f64 = rated.calls.iter().map(|(_, n)| n).sum();
    let default_cpu = cpu.id == rated.benchmark.default_cpu();
    for memory in &memories {
        let mut done: Vec<(&'static str, f64)> = Vec::new();
        let mut first: Option<Counted> = None;
        for kernel in &kernels {
            let counted = steps.count(&rated.text, kernel, memory)?;
            let cycles = fixed + counted.cycles(&prices);
            let ns = prices.ns(cycles) + cpu.outside_ns * calls;
            let why = first.as_ref().map_or_else(Vec::new, |base| {
                explained(&base.counts, base.samples, &counted.counts, counted.samples)
            });
            done.push((kernel.name, ns));
            let change = |against: &str| {
                let base = done.iter().find(|(name, _)| *name == against)?;
                Some((base.1 / ns - 1.0) * 100.0)
            };
            let predicted = Figures {
                ns: Some(ns),
                cycles: Some(cycles),
                ops_per_s: Some(1e9 / ns * rated.workers),
                change_pct: done.first().and_then(|(name, _)| change(name)),
                ..Figures::default()
            };
            let mut all: Vec<Published> = Vec::new();
            if is_baseline(memory) && default_cpu {
                for (mut one, _) in (rated.published)(kernel) {
                    // Where the kernel compared with was not asked for, it is run for this alone.
                    one.predicted_change_pct = match one.against.as_deref() {
                        None => None,
                        Some(against) => match change(against) {
                            Some(known) => Some(known),
                            None => {
                                let other = variant::kernel(against)?;
                                let base = steps.count(&rated.text, other, memory)?;
                                let base = prices.ns(fixed + base.cycles(&prices))
                                    + cpu.outside_ns * calls;
                                Some((base / ns - 1.0) * 100.0)
                            }
                        },
                    };
                    all.push(one);
                }
            }
            let mut all = all.into_iter();
            let published = all.next();
            out.rows.push(BenchRow {
                kernel: kernel.name.to_owned(),
                memory: memory.name.to_string(),
                predicted,
                role: published.as_ref().map_or("none", |p| &p.role).to_owned(),
                published,
                also_published: all.collect(),
                counts: counted.each(),
                explained: why,
                ..BenchRow::default()
            });
            first.get_or_insert(counted);
        }
    }
    out.scenarios.push(scenario(rated.text.clone()));
    Ok(out)
}

/// will-it-scale's mmap1.
pub(super) fn mmap1(request: &Request, watch: &mut Watch<'_>) -> Result<BenchReport, BenchError> {
    let it = Rated {
        benchmark: Benchmark::Mmap1,
        text: texts::mmap1(),
        calls: vec![("mmap", 1.0), ("munmap", 1.0)],
        workers: 1.0,
        published: |kernel| {
            let mean = |stage: &str| mmap1_mean(stage);
            let (before, after) = (mean("before"), mean("after"));
            let figures = |ops: f64, change: Option<f64>| Figures {
                ops_per_s: Some(ops),
                change_pct: change,
                ..Figures::default()
            };
            match kernel.name {
                "6.11" => vec![(cited(published::MMAP1, figures(before, None), "held"), 0.0)],
                "6.12" => {
                    let change = (after / before - 1.0) * 100.0;
                    let mut one = cited(published::MMAP1, figures(after, Some(change)), "held");
                    one.against = Some("6.11".to_owned());
                    vec![(one, change)]
                }
                _ => Vec::new(),
            }
        },
    };
    let mut out = rated(&it, request, watch)?;
    out.notes.push(
        "The mail does not name its machine: rates are for the profile's processor, changes are what compares. \
         Its author calls the test unscientific and the gain 5 to 10 %; the mean of its 14 samples a side rises by 14.9 %, \
         the median by 9.7 %, because the first side spreads by 11 %."
            .to_owned(),
    );
    Ok(out)
}

/// The mean of the published samples of one side.
fn mmap1_mean(stage: &str) -> f64 {
    let samples: Vec<f64> = published::MMAP1
        .rows()
        .filter(|r| r.text("stage") == stage && r.text("phase") == "measurement")
        .filter_map(|r| r.number("ops"))
        .collect();
    samples.iter().sum::<f64>() / samples.len().max(1) as f64
}

/// stress-ng's pagemove.
pub(super) fn pagemove(
    request: &Request,
    watch: &mut Watch<'_>,
) -> Result<BenchReport, BenchError> {
    let moves = 3.0 * (texts::PAGEMOVE_PAGES - 1) as f64;
    let it = Rated {
        benchmark: Benchmark::Pagemove,
        text: texts::pagemove(),
        calls: vec![("mprotect", 2.0), ("mremap", moves)],
        workers: 64.0,
        published: pagemove_published,
    };
    let mut out = rated(&it, request, watch)?;
    out.notes.push(
        "The robot's −4.4 % is page_remaps_per_sec of 60 s with gcc 13; the same commits gave −4.9 % and −6.2 % with gcc 12 and \
         −5.0 % over 600 s. The profile is fitted to the rate before mseal and to how much of the time its profiler saw in the check, \
         never to a change."
            .to_owned(),
    );
    Ok(out)
}

fn pagemove_published(kernel: &Kernel) -> Vec<(Published, f64)> {
    let mut out = Vec::new();
    let mut add = |table: Table, ops: Option<f64>, change: Option<f64>, what: &str, role: &str| {
        let figures = Figures {
            ops_per_s: ops,
            change_pct: change,
            ..Figures::default()
        };
        let mut one = cited(table, figures, role);
        one.source = format!("{}, {what}", table.short);
        one.against = change.map(|_| "6.8".to_owned());
        out.push((one, change.unwrap_or(0.0)));
    };
    let metric = |table: Table, column: &str, name: &str| table.row(column, name);
    let ops = metric(published::ROBOT, "metric", "stress-ng.pagemove.ops_per_sec");
    let moves = metric(
        published::ROBOT,
        "metric",
        "stress-ng.pagemove.page_remaps_per_sec",
    );
    let again = metric(
        published::RETEST,
        "metric",
        "stress-ng.pagemove.ops_per_sec",
    );
    let moves_again = metric(
        published::RETEST,
        "metric",
        "stress-ng.pagemove.page_remaps_per_sec",
    );
    let long = published::REFACTOR
        .rows()
        .find(|r| r.text("metric") == "ops_per_sec" && r.text("seconds") == "600");
    let number =
        |row: &Option<published::Row>, column: &str| row.as_ref().and_then(|r| r.number(column));
    match kernel.name {
        "6.8" => add(
            published::ROBOT,
            number(&ops, "before"),
            None,
            "ops",
            "fitted",
        ),
        "6.10" | "6.11" => {
            add(
                published::ROBOT,
                None,
                number(&moves, "change_pct"),
                "remaps",
                "held",
            );
            add(
                published::ROBOT,
                number(&ops, "after"),
                number(&ops, "change_pct"),
                "ops",
                "held",
            );
            add(
                published::RETEST,
                None,
                number(&again, "chg_8be7258aad_pct"),
                "ops",
                "held",
            );
            add(
                published::RETEST,
                None,
                number(&moves_again, "chg_8be7258aad_pct"),
                "remaps",
                "held",
            );
            add(
                published::REFACTOR,
                None,
                number(&long, "chg_8be7258aad_pct"),
                "600 s",
                "held",
            );
        }
        "6.11-src-first" => {
            add(
                published::REFACTOR,
                None,
                number(&long, "chg_2a78ece39f_pct"),
                "600 s",
                "held",
            );
        }
        "6.12" => {
            add(
                published::RETEST,
                None,
                number(&again, "chg_d58de4f958_pct"),
                "ops",
                "held",
            );
            add(
                published::RETEST,
                None,
                number(&moves_again, "chg_d58de4f958_pct"),
                "remaps",
                "held",
            );
        }
        _ => {}
    }
    out
}
