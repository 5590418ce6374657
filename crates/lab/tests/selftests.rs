//! The cases of the kernel's own selftests, under every kernel with the result each has.
//! What the files say and how is in `selftests/README.md`.

use std::path::PathBuf;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Call, MemorySystem, ProcessId};
use sealab_core::errno::Errno;
use sealab_core::flags::VmFlags;
use sealab_core::kernel::{KERNELS, Kernel};
use sealab_core::machine::{Config, Machine};
use sealab_core::paging::{Arch, MemoryDesign};
use sealab_scenario::{EvalContext, Event, Expected, Interp, ParseOptions, parse};

const ARENA: AddrRange = AddrRange {
    start: 0x1000_0000,
    end: 0x2000_0000,
};

fn files() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/selftests");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "seal"))
        .map(|path| {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (
                name,
                std::fs::read_to_string(&path).expect("a readable case"),
            )
        })
        .collect();
    files.sort();
    files
}

/// What the comment of `line` says of `kernel`: `# 6.8: 0, 6.10: -1 EPERM`.
fn own_expectation(line: &str, kernel: &Kernel) -> Option<Expected> {
    let (_, comment) = line.split_once("  # ")?;
    let said = comment
        .split(", ")
        .find_map(|part| part.strip_prefix(kernel.name)?.strip_prefix(": "))?;
    Some(match said {
        "?" => Expected::Unknown,
        "-1 SIGSEGV" => Expected::Signal(sealab_core::errno::Signal::Segv),
        _ => match said.strip_prefix("-1 ") {
            Some(name) => Expected::Errno(Errno::from_name(name).expect("a known error")),
            None => Expected::Value(match said.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).expect("a number"),
                None => said.parse().expect("a number"),
            }),
        },
    })
}

/// The mappings a `#maps` line states for `kernel`, as text.
fn stated_maps(text: &str, kernel: &Kernel) -> Option<String> {
    let lines: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("#maps ")?.split_once(':'))
        .collect();
    let own = lines
        .iter()
        .find(|(names, _)| names.split(',').any(|n| n == kernel.name));
    let any = lines.iter().find(|(names, _)| *names == "*");
    own.or(any).map(|(_, maps)| {
        let stated: Vec<_> = maps
            .split(';')
            .map(str::trim)
            .filter(|m| !m.is_empty())
            .collect();
        stated.join("\n")
    })
}

fn arena_maps(machine: &Machine) -> String {
    let lines: Vec<_> = machine
        .vmas(ProcessId(0))
        .filter(|vma| vma.range().overlaps(ARENA))
        .map(|vma| {
            let flags: Vec<_> = VmFlags::MNEMONICS
                .iter()
                .filter(|(flag, _)| vma.flags.contains(*flag))
                .map(|(_, letters)| *letters)
                .collect();
            format!("{:08x}-{:08x} {}", vma.start, vma.end, flags.join(" "))
        })
        .collect();
    lines.join("\n")
}

/// Runs one file under one kernel; how many calls were held to an expectation.
fn run(name: &str, text: &str, kernel: &'static Kernel) -> usize {
    let parsed = parse(text, &ParseOptions::default());
    assert!(
        parsed.diagnostics.is_empty(),
        "{name}: {:?}",
        parsed.diagnostics
    );
    let mut machine = Machine::new(Config::new(
        kernel,
        MemoryDesign::BASELINE_4K.on(Arch::X86_64),
    ));
    let mut interp = Interp::new(&parsed.program, EvalContext::default());
    let mut held = 0;
    loop {
        match interp.next_event() {
            Event::Call(step) => {
                let outcome = machine.call(step.by, &step.call);
                interp.answer(outcome);
                let line = text.lines().nth(step.line as usize - 1).unwrap_or_default();
                let expected = match step.call {
                    Call::Mseal { .. } if !kernel.has_mseal() => {
                        Some(Expected::Errno(Errno::ENOSYS))
                    }
                    _ => own_expectation(line, kernel).or(step.expected),
                };
                if let Some(expected) = expected {
                    held += 1;
                    assert!(
                        expected.agrees(outcome),
                        "{name}.seal line {} under {}: {} gave {outcome:?}, expected {expected:?}",
                        step.line,
                        kernel.name,
                        step.text(),
                    );
                }
            }
            Event::Done => break,
            Event::Error(fault) => panic!("{name}: {fault:?}"),
            _ => {}
        }
    }
    if let Some(stated) = stated_maps(text, kernel) {
        assert_eq!(
            arena_maps(&machine),
            stated,
            "{name}.seal under {}",
            kernel.name
        );
    }
    held
}

#[test]
fn every_kernel_answers_the_selftests_as_it_should() {
    let files = files();
    assert!(files.len() >= 10, "cases are missing");
    for kernel in KERNELS {
        let held: usize = files
            .iter()
            .map(|(name, text)| run(name, text, kernel))
            .sum();
        assert!(held > 200, "only {held} expectations under {}", kernel.name);
    }
}
