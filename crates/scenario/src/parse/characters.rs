//! Reports the characters of a text that cannot be seen or that mislead the eye.

use std::collections::BTreeMap;

use crate::diagnostic::Severity;

use super::emit::{Emit, RawDiagnostic};
use super::lex::{Lex, Lexer};
use super::record::Lines;
use super::suspicious::{bidi_name, describe, invisible_name, meant_mark};

/// One diagnostic for each kind of character, at its first place.
pub(crate) fn report(text: &str, emit: &mut Emit, lenient: bool) {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    if text.as_bytes().iter().all(plain) {
        return;
    }
    let mut found: BTreeMap<char, Found> = BTreeMap::new();
    let mut lines = Lines::new(text);
    while let Some(range) = lines.next_line() {
        let line = text.get(range.clone()).unwrap_or("");
        if !line.bytes().all(|byte| plain(&byte)) {
            look(line, range.start, lenient, &mut found);
        }
    }
    for (ch, found) in found {
        let times = match found.times {
            1 => String::new(),
            times => format!(", {times} times"),
        };
        let (code, what) = found.kind.words(ch);
        emit.report(RawDiagnostic {
            severity: Severity::Warning,
            code,
            span: found.first..found.first + ch.len_utf8(),
            message: format!("{}{times}: {what}", describe_any(ch)),
            hint: None,
        });
    }
}

struct Found {
    first: usize,
    times: u64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Control,
    Bidi,
    Invisible,
    LookAlike,
}

impl Kind {
    fn words(self, ch: char) -> (&'static str, String) {
        match self {
            Self::Control => (
                "control-character",
                "a control character has no meaning here".to_owned(),
            ),
            Self::Bidi => (
                "bidi-character",
                "it turns the direction of reading, so the text may not say what it seems to say"
                    .to_owned(),
            ),
            Self::Invisible => (
                "invisible-character",
                "it cannot be seen, and is read as a blank".to_owned(),
            ),
            Self::LookAlike => {
                let meant = meant_mark(ch).map_or('?', char::from);
                (
                    "confusable-character",
                    format!("`{ch}` was read as `{meant}`"),
                )
            }
        }
    }
}

fn describe_any(ch: char) -> String {
    if ch.is_control() {
        let name = if ch == '\0' {
            "NULL"
        } else {
            "CONTROL CHARACTER"
        };
        return format!("U+{:04X} {name}", u32::from(ch));
    }
    describe(ch)
}

fn look(line: &str, start: usize, lenient: bool, found: &mut BTreeMap<char, Found>) {
    // Where comments and texts stand: there, what only looks odd does no harm.
    let mut prose = Vec::new();
    let mut lexer = Lexer::new(line, 0, false);
    loop {
        let lexeme = lexer.next_or_comment();
        match lexeme.kind {
            Lex::End => break,
            Lex::Comment { .. } | Lex::Text { .. } => prose.push(lexeme.range()),
            _ => {}
        }
    }
    let mut prose = prose.into_iter().peekable();
    for (at, ch) in line.char_indices() {
        while prose.next_if(|range| range.end <= at).is_some() {}
        let in_prose = prose.peek().is_some_and(|range| range.contains(&at));
        let quote_of_text = in_prose && meant_mark(ch) == Some(b'"');
        let kind = if bidi_name(ch).is_some() {
            Kind::Bidi
        } else if ch.is_control() && ch != '\t' && ch != '\u{1b}' {
            Kind::Control
        } else if in_prose && !quote_of_text {
            continue;
        } else if invisible_name(ch).is_some() && !(start == 0 && at == 0) {
            Kind::Invisible
        } else if meant_mark(ch).is_some() && ch != '…' && !lenient {
            Kind::LookAlike
        } else {
            continue;
        };
        let entry = found.entry(ch).or_insert(Found {
            first: start + at,
            times: 0,
            kind,
        });
        entry.times += 1;
    }
}
