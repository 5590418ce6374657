//! Lines and marks that are a tracer's own, and how a broken line goes on.

use crate::calls;

use super::NoteKind;
use super::cursor::Need;
use super::prefix::{self, Prefix};

/// What a line is, by its first look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TracerLine {
    Blank,
    Comment,
    /// Begins with `/*`.
    BlockComment,
    Note(NoteKind),
    /// Anything else: to be read.
    Statements,
}

/// Looks at a line without its prefix.
pub(crate) fn classify(body: &str) -> TracerLine {
    let bytes = body.as_bytes();
    match bytes.first() {
        None => return TracerLine::Blank,
        // the usual case
        Some(b'a'..=b'r' | b't' | b'v'..=b'z' | b'_') => return TracerLine::Statements,
        _ => {}
    }
    let trimmed = body.trim();
    if trimmed.is_empty() {
        return TracerLine::Blank;
    }
    if trimmed.starts_with('#') || trimmed.starts_with("//") {
        return TracerLine::Comment;
    }
    if trimmed.starts_with("/*") {
        return TracerLine::BlockComment;
    }
    if is_decoration(trimmed) {
        return TracerLine::Note(NoteKind::Decoration);
    }
    if trimmed.starts_with("strace: ") || is_chatter(trimmed) {
        return TracerLine::Note(NoteKind::Chatter);
    }
    if is_stack(trimmed) {
        return TracerLine::Note(NoteKind::Stack);
    }
    TracerLine::Statements
}

/// Fences, carets under a line, rules.
fn is_decoration(line: &str) -> bool {
    let fence = line.starts_with("```") || line.starts_with("~~~");
    let rule = |ch: char| {
        matches!(
            ch,
            '^' | '~' | '-' | '=' | '_' | '*' | '|' | '\'' | '.' | '`' | '\\' | ' ' | '\u{2500}'
                ..='\u{257f}'
        )
    };
    let fence_word = line.trim_start_matches(['`', '~']);
    (fence && !fence_word.contains('(')) || line.chars().all(rule)
}

/// strace's remarks from before they had `strace:` in front.
fn is_chatter(line: &str) -> bool {
    line.starts_with("[ Process PID=")
        || line.strip_prefix("Process ").is_some_and(|rest| {
            ["attached", "detached", "suspended", "resumed"]
                .iter()
                .any(|word| rest.contains(word))
        })
}

/// A frame of `strace -k`: `/usr/lib/libc.so.6(mmap+0x26) [0x11b8a6]`.
fn is_stack(line: &str) -> bool {
    line.ends_with(']') && line.contains(" [0x") && (line.contains("+0x") || line.starts_with('/'))
        || line.starts_with("unexpected_backtracing_error")
}

/// The process in `strace: Process 123 attached`.
pub(crate) fn attached(text: &str) -> Option<i64> {
    let rest = text
        .strip_prefix("strace: ")
        .unwrap_or(text)
        .strip_prefix("Process ")?;
    let (digits, rest) = rest.split_once(' ')?;
    rest.starts_with("attached").then(|| digits.parse().ok())?
}

/// A mark that stands in place of a call, and its length: signals, exits, chatter.
pub(crate) fn mark(text: &str) -> Option<(NoteKind, usize)> {
    let (kind, fence) = match text.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] => (NoteKind::Signal, " ---"),
        [b'+', b'+', b'+', b' ', ..] => (NoteKind::Exit, " +++"),
        [b's', ..] if text.starts_with("strace: ") => (NoteKind::Chatter, "\n"),
        _ => return None,
    };
    let line = text.split(['\n', '\r']).next()?;
    let end = line
        .get(4..)?
        .find(fence)
        .map_or(line.len(), |end| 4 + end + fence.len());
    Some((kind, end))
}

/// The start of a call's second half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Resumed<'a> {
    pub name: &'a str,
    /// How much of the text it takes.
    pub length: usize,
}

/// `<... mmap resumed>` or perf's `... [continued]: mmap()`.
pub(crate) fn resumed(text: &str) -> Option<Resumed<'_>> {
    if let Some(rest) = text.strip_prefix("<... ") {
        let name = call_name(rest);
        let after = rest.get(name.len()..)?.strip_prefix(" resumed")?;
        let close = after.bytes().take(32).position(|b| b == b'>')?;
        let length = text.len() - after.len() + close + 1;
        return (!name.is_empty()).then_some(Resumed { name, length });
    }
    let rest = text.strip_prefix("... [continued]: ")?;
    let name = call_name(rest);
    let after = rest.get(name.len()..)?.strip_prefix("())")?;
    (!name.is_empty()).then_some(Resumed {
        name,
        length: text.len() - after.len(),
    })
}

/// The word at the start of a text.
pub(crate) fn call_name(text: &str) -> &str {
    let end = text
        .bytes()
        .position(|b| !(b.is_ascii_alphanumeric() || b == b'_'))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// Where the next call with a result starts, after the text's first word.
pub(crate) fn next_call(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let first = call_name(text).len().max(1);
    for paren in memchr::memchr_iter(b'(', bytes) {
        let before = bytes.get(..paren)?;
        let length = before
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .take(40)
            .count();
        let start = paren - length;
        if start < first || length == 0 {
            continue;
        }
        let joined = before
            .get(start.wrapping_sub(1))
            .is_some_and(|b| matches!(b, b'.' | b'/' | b'"' | b'\\') || !b.is_ascii());
        let name = text.get(start..paren)?;
        if !joined && prefix::is_call(name) && has_result(text.get(paren..)?) {
            return Some(start);
        }
    }
    None
}

/// Whether a `)` with a `=` behind it follows soon.
pub(crate) fn has_result(text: &str) -> bool {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..bytes.len().min(4096)).unwrap_or(bytes);
    memchr::memchr_iter(b')', bytes).any(|at| {
        let rest = bytes.get(at + 1..).unwrap_or(&[]);
        let blanks = rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        rest.get(blanks) == Some(&b'=')
    })
}

/// How the next line is glued to a record that needs more, if it goes on with it.
pub(crate) fn glue(
    record: &str,
    body: &str,
    prefix: &Prefix,
    need: Need,
    lenient: bool,
) -> Option<&'static str> {
    let next = body.trim_start();
    let starts_anew = prefix.starts || prefix.marks_start;
    if next.is_empty() {
        return None;
    }
    let plain = if lenient { " " } else { "\n" };
    match need {
        Need::Result => (next.starts_with('=') && !next.starts_with("==")).then_some(plain),
        Need::Brace => next.starts_with('{').then_some(plain),
        Need::CallName => {
            let name = format!("{}{}", last_word(record), call_name(next));
            let called = next.get(call_name(next).len()..)?.starts_with('(');
            (lenient
                && called
                && prefix::is_call(&name)
                && calls::by_name(call_name(next)).is_none())
            .then_some("")
        }
        Need::HexDigits => {
            let digits = next.bytes().take_while(u8::is_ascii_hexdigit).count();
            let after = next.get(digits..)?.trim_start();
            let ends = after.is_empty() || after.starts_with('<');
            let total = last_word(record).len() + digits;
            (digits > 0 && ends && total <= 18 && !starts_anew).then_some("")
        }
        Need::ResultValue if !starts_anew => Some(plain),
        Need::Text if !starts_anew => Some(""),
        Need::ErrorText if !starts_anew => {
            let split_name = last_word(record).starts_with(['E', 'S'])
                && next.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
            Some(if lenient && split_name { "" } else { plain })
        }
        Need::Args
            if !starts_anew && classify(body) == TracerLine::Statements
                || need == Need::Args && !lenient && !starts_anew =>
        {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let split_word = record.ends_with(word) && next.starts_with(word);
            Some(if lenient && split_word { "" } else { plain })
        }
        _ => None,
    }
}

fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(0, |at| {
            at + text
                .get(at..)
                .and_then(|t| t.chars().next())
                .map_or(1, char::len_utf8)
        });
    text.get(start..).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let of = classify;
        assert_eq!(of(""), TracerLine::Blank);
        assert_eq!(of("# note"), TracerLine::Comment);
        assert_eq!(of("```c"), TracerLine::Note(NoteKind::Decoration));
        assert_eq!(of("      ^~~~~"), TracerLine::Note(NoteKind::Decoration));
        assert_eq!(
            of("/usr/lib/libc.so.6(mmap+0x26) [0x11b8a6]"),
            TracerLine::Note(NoteKind::Stack)
        );
        assert_eq!(
            of("strace: Process 12 attached"),
            TracerLine::Note(NoteKind::Chatter)
        );
        assert_eq!(
            of("Process 12 attached"),
            TracerLine::Note(NoteKind::Chatter)
        );
        assert_eq!(of("brk(NULL) = 0x1"), TracerLine::Statements);
        assert_eq!(attached("strace: Process 12 attached"), Some(12));
    }

    #[test]
    fn marks_are_measured() {
        assert_eq!(
            mark("--- SIGSEGV {si_addr=NULL} --- brk"),
            Some((NoteKind::Signal, 30))
        );
        assert_eq!(mark("+++ exited with 0 +++"), Some((NoteKind::Exit, 21)));
        assert_eq!(mark("brk(0)"), None);
        let resumed = resumed("<... mmap resumed>) = 0").expect("is one");
        assert_eq!((resumed.name, resumed.length), ("mmap", 18));
    }

    #[test]
    fn calls_are_found_in_noise() {
        assert_eq!(next_call("Password: brk(NULL) = 0x1"), Some(10));
        assert_eq!(next_call("see mprotect(2) for more"), None);
        assert_eq!(next_call("nothing here"), None);
    }
}
