//! Calls that are not simulated: skipped and counted, but looked at for what they say of
//! processes and files.

use crate::calls::{self, CallKind, CallName, linux};
use crate::diagnostic::Severity;
use crate::program::{Arg, By, Expectation, Expected, StatementKind};

use super::cursor::{Cursor, Parse, Stop};
use super::emit::Mark;
use super::expr::excerpt;
use super::items::{Item, push};
use super::lex::{self, Lex, Lexer};
use super::outcome::Outcome;
use super::process::EventKind;
use super::reader::State;
use super::{suggest, suspicious};

/// Reads over a call that has no row in the table, from its `(`.
pub(crate) fn call(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    name: &str,
    start: usize,
) -> Parse<Item> {
    let name_at = start..cursor.now.start;
    let open = cursor.now.start;
    over_arguments(cursor)?;
    let args = cursor.slice(open..cursor.before);
    let mark = cursor.emit.mark();
    let outcome = match cursor.outcome() {
        Ok(outcome) => Some(outcome),
        // Results of calls that do not matter may be anything.
        Err(Stop::Fault) => {
            cursor.emit.rewind(mark);
            None
        }
        Err(stop) => return Err(stop),
    };
    let returned = match outcome {
        Some(Outcome::Known(Expectation::Value(Arg::Const(value)))) => Some(value),
        _ => None,
    };
    if linux::is_syscall(name) || super::prefix::is_raw_syscall(name) {
        known(cursor, state, name, args, returned, start);
        return Ok(Item::Done);
    }
    unknown(cursor, name, name_at, outcome)
}

/// From the `(` to behind the `)`.
fn over_arguments(cursor: &mut Cursor<'_>) -> Parse<()> {
    cursor.bump()?;
    loop {
        cursor.skip_value()?;
        if cursor.is(b')') {
            return cursor.bump();
        }
        if !cursor.is(b',') {
            // the text ends within the call
            return if cursor.lenient {
                Err(Stop::Unfinished(cursor.text.len()))
            } else {
                cursor.error(
                    "unclosed-call",
                    cursor.now.range(),
                    "the call is not closed",
                    Some("add `)`"),
                );
                Err(Stop::Fault)
            };
        }
        cursor.bump()?;
    }
}

/// A system call of Linux that is not simulated.
fn known(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    name: &str,
    args: &str,
    returned: Option<u64>,
    start: usize,
) {
    let child = returned
        .and_then(|value| i64::try_from(value).ok())
        .filter(|child| *child > 0);
    match name {
        "clone" | "clone3" | "vfork" => {
            let perf = args.contains("clone_flags:") && args.contains("VM|");
            let shares = name == "vfork" || args.contains("CLONE_VM") || perf;
            if !shares {
                fork(cursor, state, start);
            }
            if let Some(child) = child {
                cursor
                    .emit
                    .event(state.pid, EventKind::Spawn { child, shares });
            }
            if !shares {
                return;
            }
        }
        "fstat" | "fstat64" | "newfstatat" | "fstatat64" | "statx" => {
            if let Some((fd, size)) = file_size(args) {
                state.set_size(cursor.emit, fd, size);
            }
        }
        "fcntl" | "fcntl64" if args.contains("F_DUPFD") => {
            duplicate(cursor, state, args, returned, start);
            return;
        }
        _ => {}
    }
    let unmodelled = match name {
        "prctl" if args.contains("PR_SET_VMA") => Some("prctl"),
        _ => linux::unmodelled(name).and_then(|_| known_name(name)),
    };
    if let Some(name) = unmodelled {
        let span = cursor.original(start..cursor.before);
        cursor.emit.unmodelled.entry(name).or_insert((0, span)).0 += 1;
    }
    cursor.emit.skip(name);
}

fn known_name(name: &str) -> Option<&'static str> {
    linux::unmodelled_names().find(|known| *known == name)
}

/// `clone` without shared memory is what the C library's `fork` calls.
fn fork(cursor: &mut Cursor<'_>, state: &mut State, start: usize) {
    let kind = StatementKind::Call {
        bind: None,
        by: state.by,
        call: CallName::Fork,
        args: cursor.emit.args(&[]),
    };
    push(
        cursor,
        state,
        start,
        kind,
        Some(Expectation::Settled(Expected::Success)),
    );
}

/// `fcntl(3, F_DUPFD, 10) = 10`
fn duplicate(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    args: &str,
    returned: Option<u64>,
    start: usize,
) {
    let mut lexer = Lexer::new(args, 0, true);
    lexer.next_or_comment();
    let fd = lexer.next_or_comment();
    let fd = args.get(fd.range()).and_then(|text| lex::number(text).ok());
    let (Some(fd), Some(returned)) = (fd, returned) else {
        cursor.emit.skip("fcntl");
        return;
    };
    let values = [Arg::Const(fd)];
    let kind = StatementKind::Call {
        bind: None,
        by: By::Process(sealab_core::call::ProcessId(0)),
        call: CallName::Dup,
        args: cursor.emit.args(&values),
    };
    push(
        cursor,
        state,
        start,
        kind,
        Some(Expectation::Value(Arg::Const(returned))),
    );
}

/// The descriptor and the length that `fstat(3, {… st_size=1234 …})` tells of a plain file.
fn file_size(args: &str) -> Option<(u64, u64)> {
    if !args.contains("S_IFREG") && !args.contains("st_mode=01") {
        return None;
    }
    let inner = args.strip_prefix('(')?;
    let fd = inner.split([',', '<']).next()?.trim().parse().ok()?;
    let after = args
        .split_once("st_size=")
        .or_else(|| args.split_once("stx_size="))?
        .1;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((fd, digits.parse().ok()?))
}

/// A name that is no system call: probably a slip, or a program's own output.
fn unknown(
    cursor: &mut Cursor<'_>,
    name: &str,
    at: std::ops::Range<usize>,
    outcome: Option<Outcome>,
) -> Parse<Item> {
    let seen = suspicious::skeleton(name);
    let candidates = calls::all().map(|spec| spec.name);
    let meant = calls::by_name(&seen)
        .map(|spec| spec.name)
        .or_else(|| suggest::closest(&seen, candidates));
    let has_result = !matches!(outcome, None | Some(Outcome::Absent));
    if cursor.lenient {
        let close = meant.filter(|meant| {
            calls::by_name(meant)
                .is_some_and(|s| matches!(s.kind, CallKind::Memory | CallKind::Access))
        });
        match (close, has_result) {
            // a call newer than this list, or of another system
            (None, true) => {
                cursor.emit.skip(&excerpt(name));
                return Ok(Item::Done);
            }
            (None, false) => return Ok(Item::NoStatement),
            (Some(_), false) if !cursor.at_end() => return Ok(Item::NoStatement),
            _ => {}
        }
    }
    let fooled = name
        .chars()
        .find(|ch| suspicious::meant_letter(*ch).is_some());
    if let (Some(ch), Some(meant)) = (fooled, meant.filter(|meant| *meant == seen)) {
        let message = format!(
            "`{}` only looks like `{meant}`: `{ch}` is {}",
            excerpt(name),
            suspicious::describe(ch)
        );
        cursor.report(
            Severity::Error,
            "confusable-character",
            at,
            message,
            Some(format!("write `{meant}`")),
        );
        return Ok(Item::Done);
    }
    let message = format!("no call is named `{}`", excerpt(name));
    let hint = meant.map_or_else(
        || "calls are mmap, munmap, mprotect, madvise, mremap, mseal, brk, mlock and others; accesses load, store, exec".to_owned(),
        |meant| format!("did you mean `{meant}`?"),
    );
    cursor.report(Severity::Error, "unknown-call", at, message, Some(hint));
    Ok(Item::Done)
}

/// After a fault in a call's arguments: reads over the rest of the call and its result.
pub(crate) fn after_fault(cursor: &mut Cursor<'_>, mark: Mark) -> Parse<Item> {
    debug_assert!(cursor.emit.failed_since(mark), "a fault is always reported");
    if cursor.is(b')') {
        cursor.bump()?;
    }
    let inner = cursor.emit.mark();
    match cursor.outcome() {
        // prose that names a call: `mprotect() fails with EPERM`
        Ok(Outcome::Absent) if cursor.lenient && !cursor.at_end() => return Ok(Item::NoStatement),
        Ok(_) => {}
        Err(Stop::Fault) => cursor.emit.rewind(inner),
        Err(stop) => return Err(stop),
    }
    Ok(Item::Done)
}

/// The command line in `execve("/usr/bin/cat", ["cat", "/etc/hosts"], …)`.
pub(crate) fn command_line(call: &str) -> String {
    let mut lexer = Lexer::new(call, 0, true);
    let mut path = String::new();
    let mut words = Vec::new();
    let mut in_list = false;
    loop {
        let lexeme = lexer.next_or_comment();
        match lexeme.kind {
            Lex::End => break,
            Lex::Mark(b'[') => in_list = true,
            Lex::Mark(b']') => break,
            Lex::Text { .. } => {
                let text = lex::unquote(call.get(lexeme.range()).unwrap_or(""));
                if in_list {
                    words.push(text);
                } else if path.is_empty() {
                    path = text;
                }
            }
            _ => {}
        }
    }
    if words.is_empty() {
        path
    } else {
        words.join(" ")
    }
}
