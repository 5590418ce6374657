//! `--measure`: the real loops on the kernel underneath, beside the simulated ones.

#[cfg(not(target_os = "linux"))]
use sealab_lab::bench::{BenchReport, Benchmark, Request, Watch};

/// Runs `benchmark` simulated and for real.
#[cfg(not(target_os = "linux"))]
pub fn run(_: Benchmark, _: &Request, _: &mut Watch<'_>) -> Result<BenchReport, String> {
    Err("--measure needs Linux: the loops are made of its system calls".to_owned())
}

#[cfg(target_os = "linux")]
pub use linux::run;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::time::Instant;

    use sealab_core::call::{MemorySystem as _, Outcome};
    use sealab_core::machine::{Config, Machine};
    use sealab_core::paging::{Arch, MemoryDesign};
    use sealab_host::{Availability, Host, RunnerConfig, Step, availability};
    use sealab_lab::bench::fitting::{self, Sample};
    use sealab_lab::bench::report::MeasuredMachine;
    use sealab_lab::bench::texts::{self, MMPERF_CALLS, Meter};
    use sealab_lab::bench::{self, BenchReport, BenchRow, Benchmark, Figures, Request, Watch};
    use sealab_lab::variant;
    use sealab_scenario::{EvalContext, Event, Interp, ParseOptions, parse};

    /// How often a loop is run; the fastest run is taken, which others' work disturbs least.
    const RUNS: usize = 5;

    /// A loop's stretch, run for real and simulated.
    struct Timed {
        real_ns: f64,
        simulated_ns: f64,
        calls: u64,
        rounds: u64,
    }

    pub fn run(
        benchmark: Benchmark,
        request: &Request,
        watch: &mut Watch<'_>,
    ) -> Result<BenchReport, String> {
        if benchmark.compares_memories() {
            return Err(format!(
                "{} is a workload, not a loop of calls: mmperf, mmap1 and pagemove can be measured",
                benchmark.id()
            ));
        }
        let kernel = match availability() {
            Availability::Ready(info) => info,
            Availability::Skipped(why) => {
                return Err(format!("nothing can be measured here: {why}"));
            }
        };
        let id = nearest(&kernel.release);
        let mut request = request.clone();
        if request.kernels.is_empty() {
            request.kernels = vec![id.to_owned()];
        }
        let mut report = bench::run(benchmark, &request, watch).map_err(|e| e.to_string())?;
        let mut host = Host::open(RunnerConfig::default()).map_err(|e| e.to_string())?;
        let mut total = Timed {
            real_ns: 0.0,
            simulated_ns: 0.0,
            calls: 0,
            rounds: 0,
        };
        let mut samples = Vec::new();
        for row in report
            .rows
            .iter_mut()
            .filter(|r| r.kernel == id && r.memory == "baseline-4k")
        {
            let text = text(benchmark, row);
            let timed = fastest(&mut host, &text, id)?;
            let ns = timed.real_ns / timed.rounds.max(1) as f64;
            row.measured = Some(Figures {
                ns: Some(ns),
                ops_per_s: row.predicted.ops_per_s.map(|_| 1e9 / ns),
                ..Figures::default()
            });
            if let Some(call) = MMPERF_CALLS
                .into_iter()
                .find(|c| row.syscall.as_deref() == Some(*c))
            {
                samples.push(Sample {
                    call,
                    vmas: row.vmas.unwrap_or(1),
                    meter: Meter::Time,
                    kernel: id.to_owned(),
                    cycles: ns * GHZ,
                });
            }
            total.real_ns += timed.real_ns;
            total.simulated_ns += timed.simulated_ns;
            total.calls += timed.calls;
        }
        let cpu = processor();
        let profile = (samples.len() >= 12)
            .then(|| fitting::measured(&format!("{cpu}, Linux {}", kernel.release), GHZ, &samples))
            .transpose()
            .map_err(|e| e.to_string())?;
        let rate = |ns: f64| total.calls as f64 / ns.max(1.0) * 1e9;
        report.machine = Some(MeasuredMachine {
            cpu,
            kernel: kernel.release,
            compared_with: id.to_owned(),
            real_calls_per_s: rate(total.real_ns),
            simulated_calls_per_s: rate(total.simulated_ns),
            speed_ratio: total.real_ns / total.simulated_ns.max(1.0),
            profile,
        });
        report.notes.push(
            "Measured figures are the fastest of five runs, in a fresh process that makes the calls in one go; they hold what handing a call over costs there."
                .to_owned(),
        );
        Ok(report)
    }

    /// A measured profile counts in nanoseconds.
    const GHZ: f64 = 1.0;

    fn text(benchmark: Benchmark, row: &BenchRow) -> String {
        match (benchmark, &row.syscall, row.vmas) {
            (Benchmark::Mmperf, Some(call), Some(vmas)) => texts::mmperf(call, vmas, Meter::Time),
            (Benchmark::Mmap1, ..) => texts::mmap1(),
            _ => texts::pagemove(),
        }
    }

    /// The simulated kernel that a release behaves like.
    fn nearest(release: &str) -> &'static str {
        let mut numbers = release
            .split(['.', '-'])
            .filter_map(|part| part.parse::<u32>().ok());
        match (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) {
            (0..=5, _) | (6, 0..=9) => "6.8",
            (6, 10) => "6.10",
            (6, 11) => "6.11",
            (6, 12..=16) => "6.12",
            (6, _) => "6.18",
            _ => "7.x",
        }
    }

    fn processor() -> String {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let line = text.lines().find(|l| l.starts_with("model name"));
        let name = line
            .and_then(|l| l.split_once(':'))
            .map(|(_, name)| name.trim().to_owned());
        name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
    }

    fn fastest(host: &mut Host, text: &str, kernel: &str) -> Result<Timed, String> {
        let mut best: Option<Timed> = None;
        for _ in 0..RUNS {
            let timed = once(host, text, kernel)?;
            best = Some(match best {
                None => timed,
                Some(other) => Timed {
                    real_ns: other.real_ns.min(timed.real_ns),
                    simulated_ns: other.simulated_ns.min(timed.simulated_ns),
                    ..timed
                },
            });
        }
        best.ok_or_else(|| "no run".to_owned())
    }

    /// Runs a scenario in both. What comes before the stretch is done call by call; of the stretch,
    /// each statement's first answer is asked for and the rest expected to be alike.
    fn once(host: &mut Host, text: &str, kernel: &str) -> Result<Timed, String> {
        let parsed = parse(text, &ParseOptions::default());
        let mut interp = Interp::new(&parsed.program, EvalContext::default());
        let start = host.start_state().clone();
        let mut system = host.system().map_err(|e| e.to_string())?;
        let mut known: HashMap<u32, Outcome> = HashMap::new();
        let mut inside = false;
        let (mut before, mut stretch): (Vec<Step>, Vec<Step>) = (Vec::new(), Vec::new());
        let mut expected: Vec<Outcome> = Vec::new();
        let mut rounds = 0;
        loop {
            match interp.next_event() {
                Event::Call(step) => {
                    let key = step.statement.0;
                    let made = (step.by, step.call.clone());
                    // A loop whose calls name no result needs none to be written out.
                    let outcome = match known.get(&key) {
                        Some(&outcome) if inside => {
                            stretch.push(made);
                            expected.push(outcome);
                            outcome
                        }
                        _ => {
                            let outcome = system
                                .try_call(step.by, &step.call)
                                .map_err(|e| e.to_string())?;
                            before.push(made);
                            if inside {
                                known.insert(key, outcome);
                            }
                            outcome
                        }
                    };
                    interp.answer(outcome);
                }
                Event::MeasureBegin(_) => inside = true,
                Event::MeasureEnd(_) => {
                    inside = false;
                    rounds += u64::from(!stretch.is_empty());
                }
                Event::Error(fault) => return Err(fault.message.clone()),
                Event::Done => break,
                Event::Pattern(_) | Event::IterationEnd(_) => {}
            }
        }
        let begun = Instant::now();
        let outcomes = system.try_calls(&stretch).map_err(|e| e.to_string())?;
        let real_ns = begun.elapsed().as_nanos() as f64;
        let failed = outcomes
            .iter()
            .zip(&expected)
            .filter(|(a, b)| a.is_ok() != b.is_ok())
            .count();
        if failed > 0 {
            return Err(format!(
                "{failed} calls of the loop ended otherwise than its first round"
            ));
        }
        let kernel = variant::kernel(kernel).map_err(|e| e.to_string())?;
        let memory = MemoryDesign::BASELINE_4K.on(Arch::X86_64);
        let mut config = Config::new(kernel, memory);
        config.start = start;
        let mut machine = Machine::new(config);
        for (by, call) in &before {
            machine.call(*by, call);
        }
        let begun = Instant::now();
        for (by, call) in &stretch {
            machine.call(*by, call);
        }
        let simulated_ns = begun.elapsed().as_nanos() as f64;
        Ok(Timed {
            real_ns,
            simulated_ns,
            calls: stretch.len() as u64,
            rounds,
        })
    }
}
