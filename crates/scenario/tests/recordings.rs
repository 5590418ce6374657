//! Parses a folder of recorded traces, where there is one:
//! `SEALAB_RECORDINGS=… cargo test -p sealab-scenario --test recordings -- --ignored --nocapture`

use std::path::{Path, PathBuf};

use sealab_scenario::{Dialect, EvalContext, Event, Interp, ParseOptions, parse};

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
    let mut calls = 0_u64;
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
        // Every call reads back as it was printed.
        let mut interp = Interp::new(&parsed.program, EvalContext::default());
        while let Event::Call(step) = interp.next_event() {
            calls += 1;
            let source = parsed.program.source(step.statement, &text);
            let printed = source.split(") ").next().unwrap_or(source);
            if !source.contains("NULL, 0) = 0") && !printed.starts_with("openat") {
                assert_eq!(
                    format!("{} ", step.text()).trim_end_matches(") "),
                    printed.trim_end_matches(')'),
                    "{}",
                    file.display()
                );
            }
        }
    }
    println!("{} files, {calls} calls", files.len());
}
