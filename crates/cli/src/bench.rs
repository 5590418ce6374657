//! `sealab bench`: the published experiments, predicted beside published, and measured here.

mod measure;

use std::io::{self, IsTerminal as _, Write as _};

use comfy_table::{ContentArrangement, Table, presets};
use sealab_lab::bench::tables::{cell, columns, row_name};
use sealab_lab::bench::{self, BENCHMARKS, BenchReport, Benchmark, Figures, Request, accuracy};
use sealab_lab::run::Progress;

use crate::Ending;

/// Do the published experiments again: predicted beside published figures, with the errors
#[derive(clap::Args)]
#[command(after_help = "\
Benchmarks:
  mmperf          munmap, mprotect and madvise over 1 to 32 mappings (mseal v10)
  mmap1           mapping and unmapping (will-it-scale)
  pagemove        moving pages to and fro (stress-ng)
  kernel-compile  compiling a kernel, under memories
  speedometer     a browser benchmark, under memories
  all             all of them

Examples:
  sealab bench mmperf --kernel 6.8 --kernel 6.11 --vmas 4
  sealab bench kernel-compile --memory 4k,folio=32k,contpte --jobs 80 --json
  sealab bench mmperf --measure --json > this-machine.json")]
pub struct Args {
    /// Which: mmperf, mmap1, pagemove, kernel-compile, speedometer or all
    #[arg(required_unless_present = "accuracy")]
    name: Option<String>,

    /// A kernel; may be given several times [default: all, or 6.12 for memories]
    #[arg(long, value_name = "ID")]
    kernel: Vec<String>,

    /// A memory, by id or by parts (4k,folio=32k,contpte); likewise
    #[arg(long, value_name = "ID|PARTS")]
    memory: Vec<String>,

    /// Mappings that a call of mmperf is over; likewise [default: 1 2 4 8 16 32]
    #[arg(long, value_name = "N")]
    vmas: Vec<u64>,

    /// Jobs at once, for kernel-compile [default: 8]
    #[arg(long, value_name = "N")]
    jobs: Option<u32>,

    /// The CPU whose prices are used [default: the one it was published for]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    cpu: String,

    /// Run the loops on this machine's kernel too
    #[arg(long)]
    measure: bool,

    #[command(flatten)]
    output: Output,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct Output {
    /// Print JSON (sealab-bench/1; for `all` a list)
    #[arg(long)]
    json: bool,

    /// Print CSV
    #[arg(long)]
    csv: bool,

    /// Print Markdown
    #[arg(long)]
    markdown: bool,

    /// Print the document of every row, fitted or held out (docs/accuracy.md)
    #[arg(long)]
    accuracy: bool,
}

pub fn run(args: &Args) -> Ending {
    match reports(args) {
        Ok(text) => {
            let mut out = io::stdout().lock();
            // A reader that has seen enough is no fault.
            drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
            Ending::Agrees
        }
        Err(fault) => {
            eprintln!("sealab: {fault}");
            Ending::Wrong
        }
    }
}

fn reports(args: &Args) -> Result<String, String> {
    let show = io::stderr().is_terminal();
    let mut watch = |progress: Progress| {
        if show && progress.total > 0 {
            eprint!("\r{} of {}\x1b[K", progress.done, progress.total);
        }
        true
    };
    if args.output.accuracy {
        return accuracy::document(&mut watch).map_err(|e| e.to_string());
    }
    let name = args.name.as_deref().unwrap_or_default();
    let benchmarks: Vec<Benchmark> = match name {
        "all" => BENCHMARKS.to_vec(),
        one => vec![Benchmark::by_id(one).ok_or_else(|| {
            let known: Vec<&str> = BENCHMARKS.iter().map(|b| b.id()).collect();
            format!(
                "there is no benchmark {one:?}; there are {} and all",
                known.join(", ")
            )
        })?],
    };
    let request = Request {
        kernels: args.kernel.clone(),
        memories: args.memory.clone(),
        vmas: args.vmas.clone(),
        cpu: args.cpu.clone(),
        jobs: args.jobs,
        profile: None,
    };
    let mut all = Vec::new();
    for benchmark in benchmarks {
        let report = if args.measure {
            measure::run(benchmark, &request, &mut watch)?
        } else {
            bench::run(benchmark, &request, &mut watch).map_err(|e| e.to_string())?
        };
        all.push(report);
    }
    if show {
        eprint!("\r\x1b[K");
    }
    if args.output.json {
        let json = match all.as_slice() {
            [one] => serde_json::to_string_pretty(one),
            many => serde_json::to_string_pretty(many),
        };
        return json.map(|j| j + "\n").map_err(|e| e.to_string());
    }
    let one = |report: &BenchReport| {
        if args.output.csv {
            report.csv()
        } else if args.output.markdown {
            report.markdown()
        } else {
            table(report)
        }
    };
    Ok(all.iter().map(one).collect::<Vec<_>>().join("\n"))
}

fn table(report: &BenchReport) -> String {
    let columns = columns(report);
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    let head = std::iter::once("row".to_owned())
        .chain(columns.iter().map(|(name, _)| (*name).to_owned()))
        .chain(["role".to_owned(), "why".to_owned()]);
    table.set_header(head);
    for row in &report.rows {
        let none = Figures::default();
        let was = row.published.as_ref().map_or(none, |p| p.figures);
        let here = row.measured.unwrap_or(none);
        let cells = columns
            .iter()
            .map(|(name, of)| cell(name, of(&row.predicted), of(&was), of(&here)));
        let why = row
            .explained
            .iter()
            .take(3)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        table.add_row(
            std::iter::once(row_name(report, row))
                .chain(cells)
                .chain([row.role.clone(), why]),
        );
    }
    let mut out = format!(
        "{}: {}\nCPU: {} ({})\nFit: {}\n\npredicted (published) [measured]\n{table}\n",
        report.benchmark, report.about, report.cpu, report.cpu_label, report.fit
    );
    for e in &report.errors {
        out.push_str(&format!(
            "{} {}: rms {:.1} {}, greatest {:+.1} {} ({} values)\n",
            e.figure, e.role, e.rms, e.unit, e.worst, e.unit, e.values
        ));
    }
    if let Some(machine) = &report.machine {
        out.push_str(&format!(
            "\n{} on {}: {:.0} calls/s, simulated {:.0} calls/s, {:.1} times faster\n",
            machine.cpu,
            machine.kernel,
            machine.real_calls_per_s,
            machine.simulated_calls_per_s,
            machine.speed_ratio
        ));
    }
    for note in &report.notes {
        out.push_str(&format!("\n{note}\n"));
    }
    out
}
