//! Random programs on both kernels, several at a time.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use sealab_host::{Host, HostError, KernelInfo, RunnerConfig};
use sealab_lab::verify::{
    self, Family, Generated, Minimised, Mismatch, Unasked, compare, generate, minimise, write_case,
};
use sealab_scenario::render;

use super::Args;
use super::host::{heading, name_kernel, real, simulated};
use crate::Ending;

/// How often a program that differs is asked again before the difference is believed.
const ASKED_AGAIN: usize = 2;
/// Differences of one kind that are minimised and shown; more are counted.
const SHOWN_OF_A_KIND: u64 = 1;
/// Calls of a minimised program that are printed.
const CALLS_PRINTED: usize = 40;

/// What came of all programs so far.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
    /// Programs to which the real kernel gives now this answer, now that.
    unstable: u64,
    kinds: BTreeMap<String, u64>,
    /// Programs of which the real kernel could not be asked, and the first reason.
    broken: Option<String>,
}

/// One piece of work.
#[derive(Clone, Copy)]
struct Task {
    family: Family,
    seed: u64,
}

pub fn run(args: &Args, info: &KernelInfo, count: u64) -> Ending {
    let families = match &*args.family {
        [] => Family::ALL,
        some => some,
    };
    let jobs = args.jobs.unwrap_or_else(|| {
        // A worker and its runner take turns, so that one of the two is always idle.
        thread::available_parallelism().map_or(2, usize::from) * 2
    });
    println!("{}", heading(info));
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(0);
    let began = Instant::now();
    let workers = || {
        let take = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let family = *families.get((index % families.len() as u64) as usize)?;
            (index < count).then_some(Task {
                family,
                seed: args.seed.wrapping_add(index),
            })
        };
        if let Err(fault) = work(args, info, &tally, &take) {
            lock(&tally).broken.get_or_insert(fault.to_string());
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(workers);
        }
        if std::io::stderr().is_terminal() {
            progress(&tally, &next, count);
        }
    });
    let tally = tally
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    finish(&tally, began, count)
}

/// The tally, even if a worker panicked while it held it: sums stay sums.
fn lock(tally: &Mutex<Tally>) -> std::sync::MutexGuard<'_, Tally> {
    tally
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn finish(tally: &Tally, began: Instant, count: u64) -> Ending {
    for (kind, times) in &tally.kinds {
        println!("{times:7} × {kind}");
    }
    let asked = tally.passed + tally.failed + tally.unstable;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{asked} programs in {seconds:.1} s, {:.0} a second",
        asked as f64 / seconds.max(0.001)
    );
    if tally.unstable > 0 {
        println!(
            "{} left out: the kernel itself answered them differently when asked again",
            tally.unstable
        );
    }
    let broken = tally.broken.as_ref();
    if let Some(fault) = broken {
        eprintln!(
            "sealab: {} of {count} programs not run: {fault}",
            count - asked
        );
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    match (broken, tally.failed) {
        (Some(_), _) => Ending::Wrong,
        (None, 0) => Ending::Agrees,
        _ => Ending::Differs,
    }
}

/// Shows how far it is until every program was taken.
fn progress(tally: &Mutex<Tally>, next: &AtomicU64, count: u64) {
    while next.load(Ordering::Relaxed) < count && lock(tally).broken.is_none() {
        let (passed, failed) = {
            let tally = lock(tally);
            (tally.passed, tally.failed)
        };
        eprint!(
            "\r{} of {count} programs, {failed} differ\x1b[K",
            passed + failed
        );
        thread::sleep(std::time::Duration::from_millis(200));
    }
    eprint!("\r\x1b[K");
}

/// One worker: takes programs until there are no more.
fn work(
    args: &Args,
    info: &KernelInfo,
    tally: &Mutex<Tally>,
    take: &dyn Fn() -> Option<Task>,
) -> Result<(), HostError> {
    let mut host = Host::open(RunnerConfig::default())?;
    let unasked = Unasked::new(host.start_state(), host.conditions().protection_keys);
    while let Some(task) = take() {
        if lock(tally).broken.is_some() {
            return Ok(());
        }
        let drawn = draw(&host, info, &unasked, task);
        let answer = real(&mut host, &drawn.program)?;
        let before = host.before().clone();
        let Some(mismatch) = compare(&drawn.program, &before, &answer, &drawn.run) else {
            lock(tally).passed += 1;
            continue;
        };
        let mut stable = true;
        for _ in 0..ASKED_AGAIN {
            stable &= real(&mut host, &drawn.program)
                .is_ok_and(|again| compare(&drawn.program, &before, &again, &answer).is_none());
        }
        let kind = mismatch.kind();
        let times = {
            let mut tally = lock(tally);
            if !stable {
                tally.unstable += 1;
                continue;
            }
            tally.failed += 1;
            let times = tally.kinds.entry(kind).or_insert(0);
            *times += 1;
            *times
        };
        if times <= SHOWN_OF_A_KIND {
            show(args, info, &mut host, task, &drawn, &mismatch);
        }
    }
    Ok(())
}

fn draw(host: &Host, info: &KernelInfo, unasked: &Unasked, task: Task) -> Generated {
    let mut machine = simulated(host, info);
    let mut guard = host.admission();
    let mut admits = |call: &_| !unasked.holds(call) && guard.admit(call).is_ok();
    generate(
        task.family,
        task.seed,
        &mut machine,
        host.start_state(),
        &mut admits,
    )
}

/// Minimises a difference, writes it down and prints it.
fn show(
    args: &Args,
    info: &KernelInfo,
    host: &mut Host,
    task: Task,
    drawn: &Generated,
    mismatch: &Mismatch,
) {
    let Task { family, seed } = task;
    let before = host.before().clone();
    // The minimiser asks both kernels in turn, and both are made from the one host.
    let host = std::cell::RefCell::new(host);
    let small = minimise(
        &drawn.program,
        mismatch,
        &before,
        &mut |program| real(&mut host.borrow_mut(), program).ok(),
        &mut |program| {
            let mut machine = simulated(&host.borrow(), info);
            verify::run(&mut machine, program)
        },
    );
    let small = small.unwrap_or_else(|| Minimised {
        program: drawn.program.clone(),
        mismatch: mismatch.clone(),
        kernel: verify::Run::default(),
        tries: 0,
    });
    let name = format!("{family}-{seed}");
    let again = format!("sealab verify --random 1 --seed {seed} --family {family}");
    let remarks = [
        format!("Linux {}; found by: {again}", info.release),
        small.mismatch.to_string(),
    ];
    let written = write_case(
        &args.out,
        &name,
        &remarks,
        &small.program,
        &before,
        &small.kernel,
    )
    .and_then(|()| name_kernel(&args.out, info));
    let mut out = std::io::stdout().lock();
    // Nobody reading any more is no reason to stop counting.
    let _ = print(&mut out, task, drawn, &small);
    let path = args.out.join(format!("{name}.strace"));
    let _ = match written {
        Ok(()) => writeln!(out, "  written: {}\n  again: {again}", path.display()),
        Err(error) => writeln!(
            out,
            "  cannot write {}: {error}\n  again: {again}",
            path.display()
        ),
    };
}

fn print(
    out: &mut impl std::io::Write,
    task: Task,
    drawn: &Generated,
    small: &Minimised,
) -> std::io::Result<()> {
    let Task { family, seed } = task;
    writeln!(out, "{family}, seed {seed}: {}", small.mismatch)?;
    let calls = small.program.len();
    writeln!(
        out,
        "  minimised from {} calls to {calls} ({} programs tried):",
        drawn.program.len(),
        small.tries
    )?;
    for ((by, call), outcome) in small
        .program
        .iter()
        .zip(&small.kernel.outcomes)
        .take(CALLS_PRINTED)
    {
        let by = match by.0 {
            0 => String::new(),
            child => format!("[child {child}] "),
        };
        let result = verify::outcome_text(*outcome);
        writeln!(out, "    {by}{} = {result}", render::call_text(call))?;
    }
    if calls > CALLS_PRINTED {
        writeln!(out, "    … {} more in the file", calls - CALLS_PRINTED)?;
    }
    Ok(())
}
