//! Who wrote a text, told from a first look.

use super::record::Lines;
use super::{Dialect, prefix};

/// A text most of whose calls carry results is a trace.
pub(crate) fn of(text: &str) -> Dialect {
    let (mut calls, mut results) = (0_u64, 0_u64);
    let mut lines = Lines::new(text);
    while let Some(line) = lines.next_line() {
        let line = text.get(line).unwrap_or("");
        let (call, result) = look(line);
        calls += u64::from(call);
        results += u64::from(result);
    }
    if results > 0 && results * 2 > calls {
        Dialect::Trace
    } else {
        Dialect::HandWritten
    }
}

/// Whether a line has a call, and a result.
fn look(line: &str) -> (bool, bool) {
    let bytes = line.as_bytes();
    let first = bytes.iter().find(|b| !matches!(b, b' ' | b'\t' | b'>'));
    match first {
        None | Some(b'#') => return (false, false),
        Some(b'=') => return (false, true),
        _ => {}
    }
    let Some(paren) = memchr::memchr(b'(', bytes) else {
        return (false, closes_with_result(bytes));
    };
    let named = paren
        .checked_sub(1)
        .and_then(|at| bytes.get(at))
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    // Lines of logs have other parentheses before the call.
    let call = named || {
        let start = prefix::strip(line, true);
        start.starts
    };
    if !call || line.contains("<unfinished") {
        return (false, closes_with_result(bytes));
    }
    (true, closes_with_result(bytes))
}

/// Whether a `)` has a `=` behind it; the last `)`s are looked at, as the first may be anything's.
fn closes_with_result(bytes: &[u8]) -> bool {
    memchr::memrchr_iter(b')', bytes).take(8).any(|at| {
        let rest = bytes.get(at + 1..).unwrap_or(&[]);
        // Markdown's bold and code marks may stand before the result
        let blanks = rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t' | b'*' | b'`'))
            .count();
        matches!(rest.get(blanks), Some(b'=')) && rest.get(blanks + 1) != Some(&b'=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_told_by_its_results() {
        assert_eq!(
            of("brk(NULL) = 0x1\nmunmap(0x1, 4096) = 0\n"),
            Dialect::Trace
        );
        assert_eq!(
            of("mprotect(0x1, 4096, PROT_NONE) = -1 EPERM (Operation not permitted)"),
            Dialect::Trace
        );
        assert_eq!(
            of("     0.000 ( 0.003 ms): cat/1 brk() = 0x1"),
            Dialect::Trace
        );
    }

    #[test]
    fn a_scenario_is_told_by_its_lack_of_them() {
        assert_eq!(of(""), Dialect::HandWritten);
        assert_eq!(
            of("heap = mmap(NULL, 1, 2, 3)\nmseal(heap, 1, 0) = 0\n"),
            Dialect::HandWritten
        );
        assert_eq!(of("# a = b (c) = d\nload(0, 1)"), Dialect::HandWritten);
    }
}
