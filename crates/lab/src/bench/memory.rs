//! Kernel compilation and Speedometer under memories.

use std::collections::BTreeMap;

use sealab_core::kernel::Kernel;
use sealab_core::paging::MemoryDesign;

use super::loops::{cited, scenario};
use super::model::{self, Relative};
use super::published::{self, Row, Table};
use super::report::FORMAT;
use super::workload::{self, Observed, Used};
use super::{BenchError, BenchReport, BenchRow, Benchmark, Figures, Published, Request, Watch};
use super::{cpu, explained, texts};
use crate::run::Progress;
use crate::variant;

/// What is compared where nothing else is asked for: the six designs of the published series, and
/// the merged folio sizes by parts.
pub const MEMORIES: [&str; 11] = [
    "baseline-4k",
    "anonfolio",
    "contpte",
    "exefolio",
    "baseline-16k",
    "baseline-64k",
    "4k,folio=16k",
    "4k,folio=32k",
    "4k,folio=64k",
    "4k,folio=64k,contpte",
    "4k,folio=64k,exec=64k,contpte",
];
/// The kernel that workloads run on where none is asked for.
const KERNEL: &str = "6.12";
/// Jobs where none are asked for.
pub const JOBS: u32 = 8;

/// Whether `id` is a design of the series as posted in 2023-06, with its copies and batches.
#[must_use]
pub fn as_posted(id: &str) -> bool {
    matches!(id, "anonfolio" | "contpte" | "exefolio" | "contpte-v1")
}

/// A published row of a compile table: the table, the row's kernel, its jobs, the memory it is
/// about, and which of its figures weights are fitted to.
pub type CompileRow = (
    Table,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// Where the published compile rows stand, and what is fitted.
pub const COMPILE_ROWS: &[CompileRow] = &[
    (
        published::COMPILE_V1,
        "anonfolio",
        "8",
        "anonfolio",
        &["kern_pct", "real_pct"],
    ),
    (
        published::COMPILE_V1,
        "contpte",
        "8",
        "contpte",
        &["user_pct"],
    ),
    (
        published::COMPILE_V1,
        "exefolio",
        "8",
        "exefolio",
        &["user_pct"],
    ),
    (
        published::COMPILE_V1,
        "baseline-16k",
        "8",
        "baseline-16k",
        &["user_pct", "real_pct"],
    ),
    (
        published::COMPILE_V1,
        "baseline-64k",
        "8",
        "baseline-64k",
        &[],
    ),
    (
        published::COMPILE_MTHP_V6,
        "16k-page",
        "8",
        "baseline-16k",
        &["kern_pct", "user_pct", "memory_pct"],
    ),
    (
        published::COMPILE_MTHP_V6,
        "64k-page",
        "8",
        "baseline-64k",
        &["kern_pct"],
    ),
    (
        published::COMPILE_MTHP_V6,
        "4k-page-16k-folio",
        "8",
        "4k,folio=16k",
        &["kern_pct"],
    ),
    (
        published::COMPILE_MTHP_V6,
        "4k-page-32k-folio",
        "8",
        "4k,folio=32k",
        &[],
    ),
    (
        published::COMPILE_MTHP_V6,
        "4k-page-64k-folio",
        "8",
        "4k,folio=64k",
        &["kern_pct", "memory_pct"],
    ),
    (
        published::COMPILE_MTHP_V6,
        "16k-page",
        "80",
        "baseline-16k",
        &["memory_pct"],
    ),
    (
        published::COMPILE_MTHP_V6,
        "64k-page",
        "80",
        "baseline-64k",
        &[],
    ),
    (
        published::COMPILE_MTHP_V6,
        "4k-page-16k-folio",
        "80",
        "4k,folio=16k",
        &[],
    ),
    (
        published::COMPILE_MTHP_V6,
        "4k-page-32k-folio",
        "80",
        "4k,folio=32k",
        &[],
    ),
    (
        published::COMPILE_MTHP_V6,
        "4k-page-64k-folio",
        "80",
        "4k,folio=64k",
        &["memory_pct"],
    ),
    (published::COMPILE_V4, "mTHP", "8", "4k,folio=64k", &[]),
    (
        published::COMPILE_V4,
        "mTHP+contpte",
        "8",
        "4k,folio=64k,contpte",
        &[],
    ),
    (
        published::COMPILE_V4,
        "mTHP+contpte+exefolio",
        "8",
        "4k,folio=64k,exec=64k,contpte",
        &[],
    ),
    (
        published::COMPILE_V4,
        "mTHP",
        "80",
        "4k,folio=64k",
        &["real_pct"],
    ),
    (
        published::COMPILE_V4,
        "mTHP+contpte",
        "80",
        "4k,folio=64k,contpte",
        &["real_pct"],
    ),
    (
        published::COMPILE_V4,
        "mTHP+contpte+exefolio",
        "80",
        "4k,folio=64k,exec=64k,contpte",
        &["real_pct"],
    ),
    (published::COMPILE_V5, "mTHP", "8", "4k,folio=64k", &[]),
    (
        published::COMPILE_V5,
        "mTHP+contpte",
        "8",
        "4k,folio=64k,contpte",
        &[],
    ),
    (
        published::COMPILE_V5,
        "mTHP+contpte+exefolio",
        "8",
        "4k,folio=64k,exec=64k,contpte",
        &[],
    ),
    (published::COMPILE_V5, "mTHP", "80", "4k,folio=64k", &[]),
    (
        published::COMPILE_V5,
        "mTHP+contpte",
        "80",
        "4k,folio=64k,contpte",
        &[],
    ),
    (
        published::COMPILE_V5,
        "mTHP+contpte+exefolio",
        "80",
        "4k,folio=64k,exec=64k,contpte",
        &[],
    ),
];

/// A published row of a Speedometer table, likewise.
pub type SpeedometerRow = (Table, &'static str, &'static str, &'static [&'static str]);

/// Where the published Speedometer rows stand. 64K pages have none: their row was never published.
pub const SPEEDOMETER_ROWS: &[SpeedometerRow] = &[
    (
        published::SPEEDOMETER_V1,
        "anonfolio",
        "anonfolio",
        &["rate_pct"],
    ),
    (
        published::SPEEDOMETER_V1,
        "contpte",
        "contpte",
        &["rate_pct"],
    ),
    (
        published::SPEEDOMETER_V1,
        "exefolio",
        "exefolio",
        &["rate_pct"],
    ),
    (
        published::SPEEDOMETER_V1,
        "baseline-16k",
        "baseline-16k",
        &["rate_pct"],
    ),
    (
        published::SPEEDOMETER_MTHP_V6,
        "16k-page",
        "baseline-16k",
        &["memory_pct"],
    ),
    (
        published::SPEEDOMETER_MTHP_V6,
        "4k-page-16k-folio",
        "4k,folio=16k",
        &[],
    ),
    (
        published::SPEEDOMETER_MTHP_V6,
        "4k-page-32k-folio",
        "4k,folio=32k",
        &[],
    ),
    (
        published::SPEEDOMETER_MTHP_V6,
        "4k-page-64k-folio",
        "4k,folio=64k",
        &[],
    ),
    (published::SPEEDOMETER_V4_V5, "mTHP", "4k,folio=64k", &[]),
    (
        published::SPEEDOMETER_V4_V5,
        "mTHP+contpte",
        "4k,folio=64k,contpte",
        &[],
    ),
    (
        published::SPEEDOMETER_V4_V5,
        "mTHP+contpte+exefolio",
        "4k,folio=64k,exec=64k,contpte",
        &[],
    ),
];

/// The figures of a published row.
#[must_use]
pub fn figures(row: &Row) -> Figures {
    Figures {
        real_pct: row.number("real_pct"),
        kern_pct: row.number("kern_pct"),
        user_pct: row.number("user_pct"),
        memory_pct: row
            .number("memory_pct")
            .or_else(|| row.number("peak_mem_pct")),
        rate_pct: row.number("runs_per_min_pct"),
        ..Figures::default()
    }
}

/// The rows of `table` about `kernel` with so many jobs, where the table says.
pub fn rows_of(table: Table, kernel: &str, jobs: &str) -> Vec<Row> {
    let fits = |r: &Row| {
        r.text("kernel") == kernel && (r.text("jobs").is_empty() || r.text("jobs") == jobs)
    };
    table.rows().filter(fits).collect()
}

fn role(fitted: &[&str]) -> String {
    match fitted {
        [] => "held".to_owned(),
        some => format!("fitted {}", some.join(" ")),
    }
}

fn same(a: &MemoryDesign, a_id: &str, b_id: &str) -> bool {
    if as_posted(a_id) || as_posted(b_id) {
        return a_id == b_id;
    }
    variant::memory(b_id).is_ok_and(|b| {
        (a.page_size, a.anon_orders, a.exec_order, a.contpte)
            == (b.page_size, b.anon_orders, b.exec_order, b.contpte)
    })
}

/// A workload under one memory after another, relative to the baseline.
pub struct Bench<'t> {
    text: &'t str,
    kernel: &'static Kernel,
    used: Used,
    /// What it does in single 4K pages.
    pub base: Observed,
}

impl<'t> Bench<'t> {
    /// Runs the baseline.
    ///
    /// # Errors
    /// As [`workload::observe`].
    pub fn new(
        text: &'t str,
        kernel: &'static Kernel,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Self, BenchError> {
        let used = workload::used(text, kernel, go_on)?;
        let base = workload::observe(text, &used, kernel, &MemoryDesign::BASELINE_4K, go_on)?;
        Ok(Self {
            text,
            kernel,
            used,
            base,
        })
    }

    /// Runs `memory`.
    ///
    /// # Errors
    /// As [`workload::observe`].
    pub fn under(
        &self,
        memory: &MemoryDesign,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Observed, Relative), BenchError> {
        let observed = workload::observe(self.text, &self.used, self.kernel, memory, go_on)?;
        let relative = Relative::of(&self.base, &observed, memory.page_size.bytes());
        Ok((observed, relative))
    }
}

fn counts_of(observed: &Observed) -> BTreeMap<String, f64> {
    let counted = observed.counts.iter().filter(|&(_, n)| n > 0);
    let mut out: BTreeMap<String, f64> = counted
        .map(|(c, n)| (c.name().to_owned(), n as f64))
        .collect();
    out.insert("tlb_walk_fetch".to_owned(), observed.fetch_walks as f64);
    out.insert("tlb_walk_data".to_owned(), observed.data_walks as f64);
    out.insert("resident_bytes".to_owned(), observed.resident as f64);
    out
}

struct Asked {
    kernel: &'static Kernel,
    memories: Vec<MemoryDesign>,
    report: BenchReport,
}

fn asked(benchmark: Benchmark, request: &Request) -> Result<Asked, BenchError> {
    let cpu = cpu(benchmark, request)?;
    if cpu.id != "ampere-altra" {
        return Err(BenchError::Number(format!(
            "{} has weights for the CPU ampere-altra only, on which it was published; {} has none",
            benchmark.id(),
            cpu.id
        )));
    }
    let kernel = variant::kernel(request.kernels.first().map_or(KERNEL, String::as_str))?;
    let memories = match request.memories.as_slice() {
        [] => MEMORIES
            .iter()
            .map(|id| variant::memory(id))
            .collect::<Result<Vec<_>, _>>()?,
        ids => ids
            .iter()
            .map(|id| variant::memory(id))
            .collect::<Result<Vec<_>, _>>()?,
    };
    Ok(Asked {
        kernel,
        memories,
        report: BenchReport {
            format: FORMAT.to_owned(),
            benchmark: benchmark.id().to_owned(),
            about: benchmark.about().to_owned(),
            cpu: cpu.id.clone(),
            cpu_label: cpu.label.clone(),
            model: MODEL.to_owned(),
            fit: model::altra().fitted.join("; "),
            ..BenchReport::default()
        },
    })
}

const MODEL: &str = "A scenario runs under each memory; its faults, page-table entries, large folios and TLB walks (Neoverse N1, \
200,000 fetches and as many data accesses, most to a small part) are taken relative to single 4K pages. \
kern = −(entries saved × e + faults saved × f − large folios × l), user = −(walks saved × t), \
real = s·kern + (1 − s)·user.";

fn kernel_only_once(request: &Request, notes: &mut Vec<String>) {
    if request.kernels.len() > 1 {
        notes.push("Memories are compared on one kernel, the first asked for.".to_owned());
    }
}

/// Kernel compilation.
pub(super) fn kernel_compile(
    request: &Request,
    watch: &mut Watch<'_>,
) -> Result<BenchReport, BenchError> {
    let Asked {
        kernel,
        memories,
        report: mut out,
    } = asked(Benchmark::KernelCompile, request)?;
    let jobs = request.jobs.unwrap_or(JOBS);
    if !(1..=1024).contains(&jobs) {
        return Err(BenchError::Number(format!(
            "{jobs} jobs are not simulated; 1 to 1024 are"
        )));
    }
    let weights = model::altra().compile;
    let mut progress = Progress {
        variants: 1,
        total: memories.len() as u64 + 1,
        ..Progress::default()
    };
    let bench = Bench::new(texts::COMPILE, kernel, &mut |_| watch(progress))?;
    for memory in &memories {
        progress.done += 1;
        let (observed, relative) = bench.under(memory, &mut |_| watch(progress))?;
        let posted = as_posted(&memory.name);
        let (kern, user) = (weights.kern(&relative, posted), weights.user(&relative));
        let predicted = Figures {
            real_pct: Some(weights.real(kern, user, jobs)),
            kern_pct: Some(kern),
            user_pct: Some(user),
            memory_pct: Some(weights.memory(&relative, jobs)),
            ..Figures::default()
        };
        let mut all = compile_published(memory, jobs).into_iter();
        let published = all.next();
        out.rows.push(BenchRow {
            kernel: kernel.name.to_owned(),
            memory: memory.name.to_string(),
            jobs: Some(jobs),
            predicted,
            role: published
                .as_ref()
                .map_or("none", |p| short_role(&p.role))
                .to_owned(),
            published,
            also_published: all.collect(),
            counts: counts_of(&observed),
            explained: explained(&bench.base.counts, 1, &observed.counts, 1),
            ..BenchRow::default()
        });
    }
    out.scenarios.push(scenario(texts::COMPILE.to_owned()));
    kernel_only_once(request, &mut out.notes);
    out.notes.push(
        "anonfolio, contpte and exefolio stand for the series as posted in June 2023, which also copied large folios on write and \
         zapped in batches; what was merged is written by parts, for example 4k,folio=64k,contpte."
            .to_owned(),
    );
    Ok(out)
}

fn short_role(role: &str) -> &str {
    role.split(' ').next().unwrap_or(role)
}

fn compile_published(memory: &MemoryDesign, jobs: u32) -> Vec<Published> {
    let jobs = jobs.to_string();
    let mut out = Vec::new();
    for &(table, kernel, of_jobs, id, fitted) in COMPILE_ROWS {
        if of_jobs != jobs || !same(memory, &memory.name, id) {
            continue;
        }
        for row in rows_of(table, kernel, &jobs) {
            out.push(cited(table, figures(&row), &role(fitted)));
        }
    }
    out
}

/// Speedometer.
pub(super) fn speedometer(
    request: &Request,
    watch: &mut Watch<'_>,
) -> Result<BenchReport, BenchError> {
    let Asked {
        kernel,
        memories,
        report: mut out,
    } = asked(Benchmark::Speedometer, request)?;
    let (compile, weights) = (model::altra().compile, model::altra().speedometer);
    let mut progress = Progress {
        variants: 1,
        total: memories.len() as u64 + 1,
        ..Progress::default()
    };
    let bench = Bench::new(texts::SPEEDOMETER, kernel, &mut |_| watch(progress))?;
    for memory in &memories {
        progress.done += 1;
        let (observed, relative) = bench.under(memory, &mut |_| watch(progress))?;
        let kern = compile.kern(&relative, false);
        let predicted = Figures {
            rate_pct: Some(weights.rate(&relative, kern)),
            memory_pct: Some(weights.memory(&relative)),
            ..Figures::default()
        };
        let mut all = SPEEDOMETER_ROWS
            .iter()
            .filter(|(_, _, id, _)| same(memory, &memory.name, id))
            .flat_map(|&(table, kernel, _, fitted)| {
                let rows = rows_of(table, kernel, "").into_iter();
                rows.map(move |row| cited(table, figures(&row), &role(fitted)))
            });
        let published = all.next();
        let also_published = all.collect();
        out.rows.push(BenchRow {
            kernel: kernel.name.to_owned(),
            memory: memory.name.to_string(),
            predicted,
            role: published
                .as_ref()
                .map_or("none", |p| short_role(&p.role))
                .to_owned(),
            published,
            also_published,
            counts: counts_of(&observed),
            explained: explained(&bench.base.counts, 1, &observed.counts, 1),
            ..BenchRow::default()
        });
    }
    out.scenarios.push(scenario(texts::SPEEDOMETER.to_owned()));
    kernel_only_once(request, &mut out.notes);
    out.notes.push(
        "No mail has a Speedometer row for 64K pages: what stands there is predicted and has nothing to be compared with."
            .to_owned(),
    );
    Ok(out)
}
