//! Parses a folder of recorded traces, where there is one:
//! `SEALAB_RECORDINGS=… cargo test -p sealab-scenario --test recordings -- --ignored --nocapture`

use std::path::{Path, PathBuf};

use sealab_core::call::Call;
use sealab_scenario::{Dialect, EvalContext, Event, Interp, ParseOptions, parse, parse_call};

fn traces(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            traces(&path, found);
        } else if path.extension().is_some_and(|e| e == "strace") {
            found.push(path);
        }
    }
}

#[test]
#[ignore = "needs a folder of recordings"]
fn every_recorded_line_is_understood() {
    let folder = std::env::var("SEALAB_RECORDINGS").expect("SEALAB_RECORDINGS names the folder");
    let mut files = Vec::new();
    traces(Path::new(&folder), &mut files);
    assert!(!files.is_empty());
    let (mut calls, mut differently) = (0_u64, 0_u64);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("readable");
        let parsed = parse(&text, &ParseOptions::default());
        assert!(
            parsed.diagnostics.is_empty(),
            "{}: {:#?}",
            file.display(),
            parsed.diagnostics
        );
        assert_eq!(parsed.dialect, Dialect::Trace, "{}", file.display());
        if parsed.processes.iter().all(|p| p.pid.is_none()) {
            assert!(
                parsed.notes.is_empty(),
                "{}: {:#?}",
                file.display(),
                parsed.notes
            );
            let lines = text.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!(
                parsed.program.statements().len(),
                lines,
                "{}",
                file.display()
            );
        }
        // Every call reads back as it was printed, or as the same call.
        let mut interp = Interp::new(&parsed.program, EvalContext::default());
        while let Event::Call(step) = interp.next_event() {
            calls += 1;
            let source = parsed.program.source(step.statement, &text);
            let printed = step.text();
            if !source.starts_with(&printed) {
                differently += 1;
                let again = parse_call(&printed).expect("what is printed parses");
                assert_eq!(without_fd(again), without_fd(step.call), "{source}");
            }
        }
    }
    assert!(
        differently * 20 < calls,
        "{differently} of {calls} calls are printed unlike strace"
    );
    println!(
        "{} files, {calls} calls, {differently} printed unlike strace",
        files.len()
    );
}

/// The call without what only its result tells.
fn without_fd(call: Call) -> Call {
    match call {
        Call::Open { path, flags, .. } => Call::Open {
            path,
            flags,
            fd: None,
            size: None,
        },
        Call::MemfdCreate { name, flags, .. } => Call::MemfdCreate {
            name,
            flags,
            fd: None,
        },
        other => other,
    }
}
