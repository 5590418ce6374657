//! Statements: blocks, bindings, calls.

use std::ops::Range;

use sealab_core::call::ProcessId;

use crate::calls::{self, ArgKind, CallName, CallSpec};
use crate::diagnostic::Severity;
use crate::program::{
    Arg, By, Expectation, Expected, LoopInfo, MeasureInfo, Slot, Statement, StatementId,
    StatementKind,
};

use super::call::Args;
use super::cursor::{Cursor, Need, Parse, Stop};
use super::emit::Emit;
use super::expr::excerpt;
use super::lex::{self, Lex};
use super::outcome::Outcome;
use super::process::EventKind;
use super::reader::{Block, BlockKind, State};
use super::{prefix, skipped, suggest, suspicious};

/// What one item was, and where the record goes on.
pub(crate) enum Item {
    /// Something was understood and put into the program.
    Done,
    /// The rest of the line is no statement.
    NoStatement,
}

/// Reads one item at the cursor.
pub(crate) fn item(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    match cursor.now.kind {
        Lex::Mark(b';') => {
            cursor.bump()?;
            Ok(Item::Done)
        }
        Lex::Mark(b'}') => close_block(cursor, state),
        Lex::Mark(b'[') => child_mark(cursor, state),
        Lex::Word => word(cursor, state),
        _ => Ok(Item::NoStatement),
    }
}

fn word(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let text = cursor.word();
    let next = cursor.peek();
    match next.kind {
        Lex::Number | Lex::Word | Lex::Mark(b'(' | b'-' | b'+') if text == "repeat" => {
            repeat(cursor, state)
        }
        Lex::Mark(b'(') => call(cursor, state, None),
        Lex::Mark(b'=')
            if !cursor
                .slice(next.start..cursor.text.len())
                .starts_with("==") =>
        {
            binding(cursor, state)
        }
        Lex::Text { .. } if text == "measure" => measure(cursor, state),
        Lex::End if cursor.lenient && !cursor.last => Err(Stop::More(Need::CallName)),
        _ if text == "repeat" || text == "measure" => block_without_head(cursor, state),
        _ => Ok(Item::NoStatement),
    }
}

/// `[pid NAME]` or `[pid N]`: the child makes the rest of the line.
fn child_mark(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let start = cursor.now.start;
    cursor.bump()?;
    if cursor.word() != "pid" {
        return Ok(Item::NoStatement);
    }
    cursor.bump()?;
    let at = cursor.now.range();
    let word = cursor.word();
    state.by = match cursor.now.kind {
        Lex::Word => match cursor.emit.names.get(word) {
            Some(slot) => By::Slot(*slot),
            None if numbered_process(word).is_some() => {
                By::Process(numbered_process(word).unwrap_or_default())
            }
            None => {
                let names = cursor.emit.names.keys().map(|name| &**name);
                let hint = suggest::closest(word, names)
                    .map(|meant| format!("did you mean `{meant}`?"))
                    .or(Some("bind the child first: NAME = fork()".to_owned()));
                let message = format!("nothing is called `{}`", excerpt(word));
                cursor.report(Severity::Error, "unknown-name", at, message, hint);
                return Err(Stop::Fault);
            }
        },
        _ => return Ok(Item::NoStatement),
    };
    cursor.bump()?;
    if !cursor.is(b']') {
        let at = start..cursor.before;
        cursor.error(
            "unexpected",
            at,
            "expected `]`",
            Some("write [pid NAME] before the child's call"),
        );
        return Err(Stop::Fault);
    }
    cursor.bump()?;
    Ok(Item::Done)
}

/// `P1`: the first child, and so on.
fn numbered_process(word: &str) -> Option<ProcessId> {
    word.strip_prefix('P')?.parse().ok().map(ProcessId)
}

/// `NAME = call(…)` or `NAME = expression`.
fn binding(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let at = cursor.now.range();
    let raw = cursor.word();
    cursor.bump()?;
    cursor.bump()?;
    if cursor.now.kind == Lex::Word && cursor.peek().is(b'(') {
        return call(cursor, state, Some(at));
    }
    let mark = cursor.emit.mark();
    let value = match cursor.expression(ArgKind::Number) {
        Ok(value) => value,
        // In a tool's output, `a = b` is anything.
        Err(Stop::Fault) if cursor.lenient => {
            cursor.emit.rewind(mark);
            return Ok(Item::NoStatement);
        }
        Err(Stop::Fault) => {
            bind(cursor, &at, raw);
            return Err(Stop::Fault);
        }
        Err(stop) => return Err(stop),
    };
    if cursor.lenient && !cursor.at_end() {
        cursor.emit.rewind(mark);
        return Ok(Item::NoStatement);
    }
    let Some(slot) = bind(cursor, &at, raw) else {
        return Err(Stop::Fault);
    };
    let kind = StatementKind::Let { slot, value };
    push(cursor, state, at.start, kind, None);
    Ok(Item::Done)
}

/// The slot of a name that is bound here.
fn bind(cursor: &mut Cursor<'_>, at: &Range<usize>, raw: &str) -> Option<Slot> {
    let name: String = raw
        .chars()
        .filter(|ch| suspicious::invisible_name(*ch).is_none())
        .collect();
    let reserved = matches!(name.as_str(), "PAGE" | "repeat" | "measure" | "as")
        || calls::flag(&name).is_some();
    if reserved {
        let message = format!("`{name}` cannot be bound: it has a meaning of its own");
        cursor.report(
            Severity::Error,
            "reserved-name",
            at.clone(),
            message,
            Some("choose another name".to_owned()),
        );
        return None;
    }
    let fooled = name
        .chars()
        .find(|ch| suspicious::meant_letter(*ch).is_some());
    if let Some(ch) = fooled
        && name.bytes().any(|b| b.is_ascii_alphabetic())
    {
        let message = format!(
            "`{name}` mixes alphabets: `{ch}` is {}",
            suspicious::describe(ch)
        );
        cursor.report(
            Severity::Warning,
            "confusable-character",
            at.clone(),
            message,
            None,
        );
    }
    let slot = cursor.emit.bind(&name);
    if slot.is_none() {
        let message = format!("more than {} names", cursor.emit.limits.names);
        cursor.report(Severity::Error, "limit-names", at.clone(), message, None);
    }
    slot
}

/// A call at its name, bound to a name if there is one.
fn call(cursor: &mut Cursor<'_>, state: &mut State, bound: Option<Range<usize>>) -> Parse<Item> {
    let name = cursor.now.range();
    let start = bound.as_ref().map_or(name.start, |at| at.start);
    let raw_name = cursor.word();
    let visible: String;
    let word = if raw_name.is_ascii() && !raw_name.contains('\\') {
        raw_name
    } else {
        visible = raw_name
            .chars()
            .filter(|ch| suspicious::invisible_name(*ch).is_none() && *ch != '\\')
            .collect();
        &visible
    };
    cursor.bump()?;
    let mut raw = false;
    let mut spec = calls::by_name(word);
    if prefix::is_raw_syscall(word) {
        raw = true;
        spec = match raw_syscall(cursor, word)? {
            Some(spec) => Some(spec),
            None => return skipped::call(cursor, state, word, start),
        };
    }
    let Some(spec) = spec.filter(|spec| is_meant(cursor, spec, word)) else {
        return skipped::call(cursor, state, word, start);
    };
    let mark = cursor.emit.mark();
    let args = cursor.arguments(spec, name, raw);
    let args = match args {
        Ok(args) => args,
        Err(Stop::Fault) => {
            // The name counts as bound, so that each of its uses is not a further fault.
            if let Some(at) = bound {
                let name = cursor.slice(at.clone());
                bind(cursor, &at, name);
            }
            return skipped::after_fault(cursor, mark);
        }
        Err(stop) => return Err(stop),
    };
    if cursor.lenient && cursor.now.kind == Lex::Ellipsis {
        // perf trace: the rest comes after `... [continued]:`
        return Err(Stop::Unfinished(cursor.now.start));
    }
    let outcome = cursor.outcome()?;
    let slot = match bound {
        Some(at) => {
            let name = cursor.slice(at.clone());
            bind(cursor, &at, name)
        }
        None => None,
    };
    finish(cursor, state, spec, &args, outcome, slot, start);
    Ok(Item::Done)
}

/// `access("/etc/x", R_OK)` and `write(1, …)` are system calls that are skipped; `access(addr, …)`
/// and `write("/sys/…", …)` are statements.
fn is_meant(cursor: &Cursor<'_>, spec: &CallSpec, word: &str) -> bool {
    let text_first = matches!(cursor.peek().kind, Lex::Text { .. });
    match spec.call {
        CallName::Access => !text_first,
        CallName::Write => text_first,
        // a thread's end
        CallName::Exit => !(cursor.lenient && word == "exit"),
        _ => true,
    }
}

/// `syscall(462, …)` or `syscall_0x1ce(…)`: the row, if the number is known. The cursor is then at
/// the `(` or at what stands for it.
fn raw_syscall(cursor: &mut Cursor<'_>, word: &str) -> Parse<Option<&'static CallSpec>> {
    if let Some(digits) = word.strip_prefix("syscall_0x") {
        let number = u64::from_str_radix(digits, 16).unwrap_or(u64::MAX);
        return Ok(calls::linux::by_number(number).and_then(calls::by_name));
    }
    let first = cursor.peek();
    let text = cursor.slice(first.range());
    let number = match first.kind {
        Lex::Number => lex::number(text).ok().and_then(calls::linux::by_number),
        Lex::Word => text
            .strip_prefix("__NR_")
            .or_else(|| text.strip_prefix("SYS_")),
        _ => None,
    };
    let Some(spec) = number.and_then(calls::by_name) else {
        return Ok(None);
    };
    // Let the comma stand for the opening parenthesis.
    cursor.bump()?;
    if cursor.peek().is(b',') {
        cursor.bump()?;
    }
    Ok(Some(spec))
}

/// Puts a call that was read into the program.
fn finish(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    spec: &'static CallSpec,
    args: &Args,
    outcome: Outcome,
    slot: Option<Slot>,
    start: usize,
) {
    let expected = match outcome {
        Outcome::Absent => None,
        Outcome::Known(expected) => Some(expected),
        Outcome::Restarted => {
            cursor.emit.skip(spec.name);
            return;
        }
    };
    let by = state.by;
    if spec.call == CallName::Access {
        let values = [
            args.get(0),
            args.get(1),
            args.get(3),
            args.get(4),
            args.stride,
        ];
        let args_range = cursor.emit.args(&values);
        let kind = StatementKind::Pattern {
            by,
            pattern: args.pattern,
            access: args.access,
            args: args_range,
        };
        push(cursor, state, start, kind, expected);
        return;
    }
    let values = args.values.get(..spec.args.len()).unwrap_or(&args.values);
    state.look_at(spec, args, expected, cursor.lenient);
    let range = cursor.emit.args(values);
    let kind = StatementKind::Call {
        bind: slot,
        by,
        call: spec.call,
        args: range,
    };
    let recorded = match (spec.call, expected) {
        (CallName::Fork, Some(Expectation::Value(_))) if cursor.lenient => {
            Some(Expectation::Settled(Expected::Success))
        }
        _ => expected,
    };
    let id = push(cursor, state, start, kind, recorded);
    let succeeded = matches!(expected, Some(Expectation::Value(_)));
    match (spec.call, expected) {
        (CallName::Fork, Some(Expectation::Value(Arg::Const(child)))) if cursor.lenient => {
            if let Ok(child) = i64::try_from(child) {
                cursor.emit.event(
                    state.pid,
                    EventKind::Spawn {
                        child,
                        shares: false,
                    },
                );
            }
        }
        (CallName::Execve, _) if cursor.lenient && succeeded => {
            let text = cursor.slice(start..cursor.before);
            let command = skipped::command_line(text);
            cursor.emit.event(state.pid, EventKind::Exec { command });
        }
        (
            CallName::Openat | CallName::Open | CallName::Openat2 | CallName::Creat,
            Some(Expectation::Value(Arg::Const(fd))),
        ) => {
            if let Some(id) = id {
                state.opened(fd, id);
            }
        }
        _ => {}
    }
}

/// Adds a statement that stands from `start` to the cursor.
pub(crate) fn push(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    start: usize,
    kind: StatementKind,
    expected: Option<Expectation>,
) -> Option<StatementId> {
    if state.broken_blocks > 0 {
        return None;
    }
    let range = start..cursor.before.max(start);
    let source = if cursor.record.is_whole() {
        None
    } else {
        joined_source(cursor.emit, cursor.slice(range.clone()).trim())
    };
    let span = if state.resumed {
        let piece = cursor.record.last_piece(range);
        cursor.clean.original(piece.start)..cursor.clean.original(piece.end)
    } else {
        cursor.original(range)
    };
    let statement = Statement {
        kind,
        span: u32::try_from(span.start).unwrap_or(u32::MAX)
            ..u32::try_from(span.end).unwrap_or(u32::MAX),
        line: 0,
        expected,
        from_trace: cursor.lenient,
        source,
    };
    cursor.emit.push(statement, state.pid)
}

fn joined_source(emit: &mut Emit, source: &str) -> Option<u32> {
    emit.arena.sources.push(source.into());
    u32::try_from(emit.arena.sources.len() - 1).ok()
}

/// `repeat N as i {`
fn repeat(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let start = cursor.now.start;
    cursor.bump()?;
    let counted = cursor.now.start;
    let count = match cursor.expression(ArgKind::Number) {
        // a negative number, wrapped
        Ok(Arg::Const(count)) if count > i64::MAX.cast_unsigned() => {
            let at = counted..cursor.before;
            cursor.error(
                "negative-count",
                at,
                "a loop cannot run so many times",
                Some("count from 0 up to 2^63"),
            );
            None
        }
        Ok(count) => Some(count),
        Err(Stop::Fault) => None,
        Err(stop) => return Err(stop),
    };
    let mut var = None;
    if count.is_some() && cursor.now.kind == Lex::Word && cursor.word() == "as" {
        cursor.bump()?;
        if cursor.now.kind == Lex::Word {
            var = Some((cursor.now.range(), cursor.word()));
            cursor.bump()?;
        } else {
            cursor.unexpected("a name for the loop variable");
        }
    }
    let Some(count) = count else {
        return broken_block(cursor, state, start);
    };
    if !open_brace(cursor, state, start)? {
        return Ok(Item::Done);
    }
    let (slot, hidden) = match var {
        Some((at, name)) => {
            let hidden = cursor.emit.names.get(name).copied();
            let slot = if hidden.is_some() {
                cursor.emit.bind_anew(name)
            } else {
                bind(cursor, &at, name)
            };
            (slot, Some((name.to_owned(), hidden)))
        }
        None => (None, None),
    };
    let id =
        crate::program::LoopId(u32::try_from(cursor.emit.arena.loops.len()).unwrap_or(u32::MAX));
    let kind = StatementKind::Repeat {
        id,
        end: StatementId(0),
    };
    let statement = push(cursor, state, start, kind, None);
    if let Some(statement) = statement {
        cursor.emit.arena.loops.push(LoopInfo {
            count,
            var: slot,
            statement,
            end: statement,
            parent: state.innermost_loop(),
        });
    }
    state.open(Block {
        kind: if statement.is_some() {
            BlockKind::Repeat(id)
        } else {
            BlockKind::Broken
        },
        statement,
        span: cursor.original(start..cursor.before),
        hidden,
    });
    Ok(Item::Done)
}

/// `measure "NAME" {`
fn measure(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let start = cursor.now.start;
    cursor.bump()?;
    if cursor.now.kind == (Lex::Text { closed: false }) {
        let at = cursor.now.range();
        cursor.error(
            "unclosed-text",
            at,
            "this text has no closing quote",
            Some("add `\"`"),
        );
        return broken_block(cursor, state, start);
    }
    let name = lex::unquote(cursor.word());
    cursor.bump()?;
    if !open_brace(cursor, state, start)? {
        return Ok(Item::Done);
    }
    let id = crate::program::MeasureId(
        u32::try_from(cursor.emit.arena.measures.len()).unwrap_or(u32::MAX),
    );
    let kind = StatementKind::Measure {
        id,
        end: StatementId(0),
    };
    let statement = push(cursor, state, start, kind, None);
    if let Some(statement) = statement {
        cursor.emit.arena.measures.push(MeasureInfo {
            name: name.into(),
            statement,
            end: statement,
            in_loop: state.innermost_loop(),
        });
    }
    state.open(Block {
        kind: if statement.is_some() {
            BlockKind::Measure(id)
        } else {
            BlockKind::Broken
        },
        statement,
        span: cursor.original(start..cursor.before),
        hidden: None,
    });
    Ok(Item::Done)
}

/// `repeat {`, `measure {`: a block whose head lacks something.
fn block_without_head(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let start = cursor.now.start;
    let expected = match cursor.word() {
        "repeat" => "how often: `repeat N as i {`",
        _ => "a name in quotes: `measure \"NAME\" {`",
    };
    let keyword = cursor.now.range();
    cursor.bump()?;
    let at = if cursor.at_end() {
        keyword
    } else {
        cursor.now.range()
    };
    cursor.error("unexpected", at, &format!("expected {expected}"), None);
    broken_block(cursor, state, start)
}

/// The `{` of a block; whether its body counts.
fn open_brace(cursor: &mut Cursor<'_>, state: &mut State, start: usize) -> Parse<bool> {
    if cursor.is(b'{') {
        cursor.bump()?;
        if state.blocks.len() >= cursor.emit.limits.nesting {
            let depth = cursor.emit.limits.nesting;
            let message = format!("blocks nest at most {depth} deep; this one is left out");
            cursor.report(
                Severity::Error,
                "limit-nesting",
                start..cursor.before,
                message,
                None,
            );
            state.open(Block {
                kind: BlockKind::Broken,
                statement: None,
                span: cursor.original(start..cursor.before),
                hidden: None,
            });
            return Ok(false);
        }
        return Ok(true);
    }
    if cursor.at_end() && !cursor.last {
        return Err(Stop::More(Need::Brace));
    }
    cursor.unexpected("`{`");
    Err(Stop::Fault)
}

/// Goes on behind the head of a block that could not be read; its body is left out, but read for
/// its own faults.
fn broken_block(cursor: &mut Cursor<'_>, state: &mut State, start: usize) -> Parse<Item> {
    while !cursor.at_end() && !cursor.is(b'{') {
        cursor.bump()?;
    }
    if cursor.is(b'{') {
        cursor.bump()?;
        state.open(Block {
            kind: BlockKind::Broken,
            statement: None,
            span: cursor.original(start..cursor.before),
            hidden: None,
        });
    }
    Ok(Item::Done)
}

/// `}`
fn close_block(cursor: &mut Cursor<'_>, state: &mut State) -> Parse<Item> {
    let at = cursor.now.range();
    if !state.close(cursor.emit) {
        if cursor.lenient {
            return Ok(Item::NoStatement);
        }
        cursor.error(
            "stray-brace",
            at,
            "this `}` closes nothing",
            Some("remove it"),
        );
    }
    cursor.bump()?;
    Ok(Item::Done)
}
