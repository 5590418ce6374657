//! Texts in `data/` and what is made of them. `UPDATE_EXPECT=1` writes the expectations anew;
//! read the difference before keeping it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sealab_core::call::Outcome;
use sealab_scenario::{EvalContext, Event, Expected, Interp, ParseOptions, Parsed, Step, parse};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Every text of a folder with its expectation beside it.
fn check_folder(name: &str) {
    let mut texts: Vec<_> = std::fs::read_dir(folder(name))
        .expect("is there")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|e| e == "strace" || e == "seal")
        })
        .collect();
    texts.sort();
    assert!(!texts.is_empty());
    let mut wrong = Vec::new();
    for path in texts {
        let text = std::fs::read_to_string(&path).expect("is UTF-8");
        let found = summary(&text);
        let expectation = path.with_extension("expect");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&expectation, &found).expect("writable");
        }
        let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
        if found != expected {
            wrong.push(format!(
                "{}:\n{}",
                path.display(),
                difference(&expected, &found)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn difference(expected: &str, found: &str) -> String {
    let lost = expected
        .lines()
        .filter(|line| !found.lines().any(|other| other == *line));
    let new = found
        .lines()
        .filter(|line| !expected.lines().any(|other| other == *line));
    lost.map(|line| format!("- {line}"))
        .chain(new.map(|line| format!("+ {line}")))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What a text is understood to say.
fn summary(text: &str) -> String {
    let parsed = parse(text, &ParseOptions::default());
    let mut out = format!("{:?}", parsed.dialect);
    if parsed.is_32bit {
        out.push_str(", 32 bit");
    }
    out.push('\n');
    for process in &parsed.processes {
        let chosen = if process.pid == parsed.pid {
            " <- this one"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "process {} from line {}: {} calls, {}{chosen}",
            process.pid.map_or("-".to_owned(), |pid| pid.to_string()),
            process.line,
            process.calls,
            process.command.as_deref().unwrap_or("-"),
        );
    }
    run(&mut out, text, &parsed);
    for process in parsed
        .processes
        .iter()
        .filter(|p| p.pid.is_some() && p.pid != parsed.pid)
    {
        let options = ParseOptions {
            pid: process.pid,
            ..ParseOptions::default()
        };
        let _ = writeln!(out, "as process {}:", process.pid.unwrap_or(0));
        run(&mut out, text, &parse(text, &options));
    }
    for (name, count) in &parsed.skipped {
        let _ = writeln!(out, "skipped {name}: {count}");
    }
    for note in &parsed.notes {
        let _ = writeln!(
            out,
            "note {}: {:?} {:?}",
            note.line,
            note.kind,
            &text[note.span.clone()]
        );
    }
    for d in &parsed.diagnostics {
        let _ = writeln!(
            out,
            "{} {}:{}-{}:{} {} {:?}: {}{}",
            d.severity.name(),
            d.line,
            d.column,
            d.end_line,
            d.end_column,
            d.code,
            &text[d.span.clone()],
            d.message,
            d.hint
                .as_ref()
                .map_or(String::new(), |hint| format!(" ({hint})")),
        );
    }
    out
}

/// The calls it makes, answered as the text expects or in some way that suits.
fn run(out: &mut String, text: &str, parsed: &Parsed) {
    let mut interp = Interp::new(&parsed.program, EvalContext::default());
    let mut next = 0x7000_0000_u64;
    loop {
        match interp.next_event() {
            Event::Call(step) => {
                let by = if step.by.0 == 0 {
                    String::new()
                } else {
                    format!("[P{}] ", step.by.0)
                };
                let expected = step
                    .expected
                    .map_or(String::new(), |e| format!(" = {}", expectation(e)));
                let _ = writeln!(
                    out,
                    "{}: {by}{}{expected}{}",
                    step.line,
                    step.text(),
                    more(&step)
                );
                let source = parsed.program.source(step.statement, text);
                assert!(!source.is_empty() && source.trim() == source, "{source:?}");
                next += 0x10_0000;
                interp.answer(match step.expected {
                    Some(Expected::Errno(errno)) => Outcome::Errno(errno),
                    Some(Expected::Signal(signal)) => Outcome::Signal(signal),
                    Some(Expected::Value(value)) => Outcome::Value(value),
                    _ if step.text() == "fork()" => Outcome::Value(1),
                    _ => Outcome::Value(next),
                });
            }
            Event::Pattern(p) => {
                let _ = writeln!(
                    out,
                    "{}: {:?} {:?} {:#x}+{} x{} seed {} stride {}",
                    p.line, p.access, p.pattern, p.addr, p.len, p.count, p.seed, p.stride
                );
            }
            Event::MeasureBegin(id) => {
                let _ = writeln!(
                    out,
                    "measure {:?} {{",
                    parsed.program.measures()[id.0 as usize].name
                );
            }
            Event::MeasureEnd(_) => out.push_str("}\n"),
            Event::Error(fault) => {
                let _ = writeln!(
                    out,
                    "{}: run time {}: {}",
                    fault.line, fault.code, fault.message
                );
            }
            Event::IterationEnd(_) => {}
            Event::Done => return,
        }
    }
}

fn expectation(expected: Expected) -> String {
    match expected {
        Expected::Value(value) => format!("{value:#x}"),
        Expected::Errno(errno) => errno.name().to_owned(),
        Expected::Signal(signal) => signal.name().to_owned(),
        other => format!("{other:?}"),
    }
}

/// What a call's text does not show.
fn more(step: &Step) -> String {
    use sealab_core::call::Call;
    match &step.call {
        Call::Open { fd, size, .. } => format!("  fd {fd:?} size {size:?}"),
        Call::MemfdCreate { fd, .. } => format!("  fd {fd:?}"),
        Call::Dup { to: None, .. } => "  to any".to_owned(),
        _ => String::new(),
    }
}

/// strace as it comes: every prefix, every mangling, every tracer.
#[test]
fn traces_are_understood() {
    check_folder("traces");
}

/// Recordings of real programs and of the families of calls.
#[test]
fn recordings_are_understood() {
    check_folder("real");
}

/// What a person writes, right and wrong.
#[test]
fn scenarios_are_understood() {
    check_folder("written");
}
