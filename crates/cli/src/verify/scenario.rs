//! Scenarios and traces on both kernels.

use std::fs;
use std::path::{Path, PathBuf};

use sealab_host::{Host, KernelInfo, RunnerConfig};
use sealab_lab::verify::{Ended, Line, Lockstep, lockstep, write_case};
use sealab_scenario::{ParseOptions, parse};

use super::host::{Real, heading, name_kernel, real, simulated};
use crate::{Ending, diagnostics, input};

/// Length given to a file that a scenario opens and nobody has, in bytes.
const UNKNOWN_LENGTH: u64 = 4 << 20;
/// Longest stand-in for a file, in bytes.
const LONGEST: u64 = 64 << 20;

pub fn run(files: &[PathBuf], record: Option<&Path>, info: &KernelInfo) -> Ending {
    println!("{}", heading(info));
    let (mut passed, mut failed, mut wrong) = (0_u64, 0_u64, false);
    for file in files {
        match one(file, record, info) {
            Ok(true) => passed += 1,
            Ok(false) => failed += 1,
            Err(fault) => {
                eprintln!("sealab: {fault}");
                failed += 1;
                wrong = true;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    match failed {
        _ if wrong => Ending::Wrong,
        0 => Ending::Agrees,
        _ => Ending::Differs,
    }
}

/// Whether both kernels answer `file` alike.
fn one(file: &Path, record: Option<&Path>, info: &KernelInfo) -> Result<bool, String> {
    let text = input::text(file)?;
    let name = input::name(file);
    let parsed = parse(&text, &ParseOptions::default());
    diagnostics::print(&name, &text, &parsed.diagnostics);
    if parsed.has_errors() {
        return Err(format!("{name} is not run: it has errors"));
    }
    let mut host = Host::open(RunnerConfig::default()).map_err(|e| e.to_string())?;
    let mut machine = simulated(&host, info);
    let system = host.system().map_err(|e| e.to_string())?;
    let both = lockstep(&parsed.program, &mut Real(system), &mut machine, &length_of);
    diagnostics::print(&name, &text, &both.faults);
    show(&name, &both);
    if let Some(folder) = record {
        keep(folder, file, &mut host, &both, info)?;
    }
    Ok(both.agrees())
}

/// Makes the calls once more on the real kernel, and writes them down as a recorded case.
fn keep(
    folder: &Path,
    file: &Path,
    host: &mut Host,
    both: &Lockstep,
    info: &KernelInfo,
) -> Result<(), String> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let run = real(host, &both.made).map_err(|e| e.to_string())?;
    let before = host.before().clone();
    let remark = format!("Linux {}", info.release);
    write_case(folder, &stem, &[remark], &both.made, &before, &run)
        .and_then(|()| name_kernel(folder, info))
        .map_err(|e| format!("{}: {e}", folder.display()))
}

/// The length of the file of that name on this machine, so that its end is where it really is.
fn length_of(path: &str) -> u64 {
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    length.map_or(UNKNOWN_LENGTH, |file| file.len().min(LONGEST))
}

fn show(name: &str, both: &Lockstep) {
    let made = both.lines.iter().filter(|line| line.ended.is_ok()).count();
    let differing = both.lines.iter().filter(|line| line.differs()).count();
    println!("{name}: {made} calls made, {differing} ended differently");
    for line in &both.lines {
        match &line.ended {
            Err(why) => println!("  line {}: {}\n    not made: {why}", line.line, line.text),
            Ok(Ended { kernel, simulated }) if line.differs() => {
                println!(
                    "  line {}: {}\n    kernel:    {}\n    simulated: {}",
                    line.line,
                    line.text,
                    sealab_lab::verify::outcome_text(*kernel),
                    sealab_lab::verify::outcome_text(*simulated)
                );
            }
            Ok(ended) => show_surprise(line, *ended),
        }
    }
    if let Some(mismatch) = &both.mismatch {
        println!("  {mismatch}");
    }
    if let Some(why) = &both.stopped {
        println!("  stopped: {why}");
    }
}

/// Both agree, but not with what the text says of some other kernel or moment.
fn show_surprise(line: &Line, ended: Ended) {
    if line
        .expected
        .is_some_and(|expected| !expected.agrees(ended.kernel))
    {
        println!(
            "  line {}: {}\n    both:      {}, unlike the text",
            line.line,
            line.text,
            sealab_lab::verify::outcome_text(ended.kernel)
        );
    }
}
