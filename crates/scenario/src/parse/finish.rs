//! The last steps: 32-bit addresses, the chosen process, lines and columns.

use crate::calls::{self, ArgKind, CallName};
use crate::diagnostic::{Diagnostic, Severity};
use crate::program::{Arg, Expectation, Program, StatementKind};
use crate::text::LineIndex;

use super::emit::{Emit, RawDiagnostic};
use super::process::{self, Chosen};
use super::reader::{SIGN_EXTENDED, State};
use super::{Dialect, ParseOptions, Parsed};

/// Turns what was read into the result.
pub(crate) fn finish(
    text: &str,
    mut emit: Emit,
    state: &State,
    dialect: Dialect,
    options: &ParseOptions,
) -> Parsed {
    let lenient = dialect == Dialect::Trace;
    let index = LineIndex::new(text);
    for statement in &mut emit.statements {
        statement.line = index.line(statement.span.start as usize);
    }
    for note in &mut emit.notes {
        note.line = index.line(note.span.start);
    }
    if lenient && state.is_32bit {
        narrow_addresses(&mut emit);
    }
    if lenient && !state.mmap2_in_pages {
        offsets_in_bytes(&mut emit);
    }
    let chosen = process::choose(&mut emit, options.pid);
    chosen.apply(&mut emit, lenient);
    report_pid(&mut emit, &chosen, options);
    report_unmodelled(&mut emit);
    report_hidden(&mut emit);
    let mut raw = std::mem::take(&mut emit.diagnostics);
    raw.sort_by_key(|diagnostic| diagnostic.span.start);
    let diagnostics = raw.into_iter().map(|d| place(text, &index, d)).collect();
    Parsed {
        program: Program {
            statements: emit.statements,
            arena: emit.arena,
        },
        diagnostics,
        skipped: emit.skipped,
        notes: emit.notes,
        processes: chosen.processes,
        pid: chosen.pid,
        dialect,
        is_32bit: state.is_32bit,
    }
}

fn place(text: &str, index: &LineIndex, raw: RawDiagnostic) -> Diagnostic {
    // A cleaned text can end a lexeme inside a character that it replaced: whole characters are named.
    let start = text.floor_char_boundary(raw.span.start);
    let end = text.ceil_char_boundary(raw.span.end).max(start);
    let raw = RawDiagnostic {
        span: start..end,
        ..raw
    };
    let (line, column) = index.line_column(text, raw.span.start);
    let (end_line, end_column) = index.line_column(text, raw.span.end);
    Diagnostic {
        severity: raw.severity,
        code: raw.code,
        span: raw.span,
        line,
        column,
        end_line,
        end_column,
        message: raw.message,
        hint: raw.hint,
    }
}

/// Some tracers print a 32-bit process's addresses with their sign extended.
fn narrow_addresses(emit: &mut Emit) {
    let narrow = |arg: &mut Arg| {
        if let Arg::Const(value) = arg
            && *value >= SIGN_EXTENDED
        {
            *value &= 0xffff_ffff;
        }
    };
    for statement in &mut emit.statements {
        if let Some(Expectation::Value(arg)) = &mut statement.expected {
            narrow(arg);
        }
        let StatementKind::Call { call, args, .. } = &statement.kind else {
            continue;
        };
        for (spec, index) in calls::spec(*call).args.iter().zip(args.clone()) {
            if spec.kind == ArgKind::Address
                && let Some(arg) = emit.arena.args.get_mut(index as usize)
            {
                narrow(arg);
            }
        }
    }
}

/// strace prints `mmap2`'s offset in bytes, the call itself counts in units of 4096 bytes, and so
/// do other tracers. Where every offset of a trace is a multiple of 4096, they are bytes.
fn offsets_in_bytes(emit: &mut Emit) {
    let mut first = None;
    for statement in &mut emit.statements {
        let StatementKind::Call { call, args, .. } = &mut statement.kind else {
            continue;
        };
        if *call != CallName::Mmap2 {
            continue;
        }
        *call = CallName::Mmap;
        let offset = emit.arena.args.get(args.start as usize + 5);
        if offset.is_some_and(|offset| *offset != Arg::Const(0)) && first.is_none() {
            first = Some(statement.span.clone());
        }
    }
    if let Some(span) = first {
        emit.report(RawDiagnostic {
            severity: Severity::Note,
            code: "mmap2-bytes",
            span: span.start as usize..span.end as usize,
            message: "the offsets of mmap2 are multiples of 4096 and were read as bytes".to_owned(),
            hint: Some(
                "strace prints bytes; the call itself counts in units of 4096 bytes".to_owned(),
            ),
        });
    }
}

fn report_pid(emit: &mut Emit, chosen: &Chosen, options: &ParseOptions) {
    let Some(wanted) = options.pid.filter(|_| chosen.unknown) else {
        return;
    };
    let known: Vec<_> = chosen
        .processes
        .iter()
        .filter_map(|process| process.pid)
        .take(20)
        .map(|pid| pid.to_string())
        .collect();
    let hint = if known.is_empty() {
        "the text names no processes".to_owned()
    } else {
        format!("it has {}", known.join(", "))
    };
    emit.report(RawDiagnostic {
        severity: Severity::Error,
        code: "unknown-process",
        span: 0..0,
        message: format!("there is no process {wanted} in this text"),
        hint: Some(hint),
    });
}

fn report_unmodelled(emit: &mut Emit) {
    for (name, (count, span)) in std::mem::take(&mut emit.unmodelled) {
        let what = calls::linux::unmodelled(name).unwrap_or("names a mapping, which splits it");
        let times = if count == 1 {
            String::new()
        } else {
            format!(" ({count} times)")
        };
        emit.report(RawDiagnostic {
            severity: Severity::Warning,
            code: "unmodelled-call",
            span,
            message: format!("{name} {what}; that is not simulated{times}"),
            hint: Some("what follows may differ from the recording for this reason".to_owned()),
        });
    }
}

/// Says how many diagnostics and notes there were beyond the limit.
fn report_hidden(emit: &mut Emit) {
    let end = emit.diagnostics.last().map_or(0..0, |d| d.span.clone());
    if emit.hidden_notes > 0 {
        emit.diagnostics.push(RawDiagnostic {
            severity: Severity::Note,
            code: "limit-notes",
            span: end.clone(),
            message: format!(
                "{} more lines that are no calls are not listed",
                emit.hidden_notes
            ),
            hint: None,
        });
    }
    if emit.hidden_diagnostics > 0 {
        emit.diagnostics.push(RawDiagnostic {
            severity: Severity::Error,
            code: "limit-diagnostics",
            span: end,
            message: format!(
                "{} more faults are not listed one by one",
                emit.hidden_diagnostics
            ),
            hint: Some("mend the first ones, or check that this is a scenario at all".to_owned()),
        });
    }
}
