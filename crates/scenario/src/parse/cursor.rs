//! The parser's place in a record, and its way to report.

use std::ops::Range;

use crate::diagnostic::Severity;
use crate::program::Expr;

use super::clean::Clean;
use super::emit::{Emit, RawDiagnostic};
use super::lex::{Lex, Lexeme, Lexer};
use super::record::Record;

/// Why parsing of an item stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The record ended; the next line may go on.
    More(Need),
    /// Something is wrong; it has been reported.
    Fault,
    /// A tracer broke the call off here (`<unfinished ...>`); the byte where it did.
    Unfinished(usize),
}

/// What the record ended in, and so what a next line must look like to go on with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// Arguments, or a comment among them.
    Args,
    /// The rest of a text in quotes.
    Text,
    /// `= RESULT`, if it comes at all.
    Result,
    /// The value after `=`.
    ResultValue,
    /// More digits of a hexadecimal result, if they come.
    HexDigits,
    /// The text in parentheses after an error's name.
    ErrorText,
    /// A block's `{`.
    Brace,
    /// The rest of a call's name, broken at the line's end.
    CallName,
}

pub(crate) type Parse<T> = Result<T, Stop>;

/// A place in a record.
pub(crate) struct Cursor<'a> {
    lexer: Lexer<'a>,
    pub text: &'a str,
    pub record: &'a Record<'a>,
    pub clean: &'a Clean<'a>,
    pub emit: &'a mut Emit,
    /// The lexeme in hand.
    pub now: Lexeme,
    /// Where the lexeme before it ended.
    pub before: usize,
    pub lenient: bool,
    /// Whether no more lines will come, so that an open end is a fault.
    pub last: bool,
    /// Room for the expression being read.
    pub ops: Vec<Expr>,
    pub depth: usize,
    /// Whether a `<` without its `>` was met: no further one is looked for.
    pub open_angle: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(
        record: &'a Record<'a>,
        clean: &'a Clean<'a>,
        emit: &'a mut Emit,
        at: usize,
        lenient: bool,
        last: bool,
    ) -> Self {
        let mut cursor = Self {
            lexer: Lexer::new(&record.text, at, lenient),
            text: &record.text,
            record,
            clean,
            emit,
            now: Lexeme {
                kind: Lex::End,
                start: at,
                end: at,
            },
            before: at,
            lenient,
            last,
            ops: Vec::new(),
            depth: 0,
            open_angle: false,
        };
        cursor.bump_quietly();
        cursor
    }

    fn bump_quietly(&mut self) -> bool {
        self.before = self.now.end;
        let (lexeme, unclosed) = self.lexer.next_lexeme();
        self.now = lexeme;
        unclosed
    }

    /// Goes on to the next lexeme.
    pub fn bump(&mut self) -> Parse<()> {
        let start = self.now.end;
        if self.bump_quietly() {
            if !self.last {
                return Err(Stop::More(Need::Args));
            }
            let end = self.text.len();
            self.error(
                "unclosed-comment",
                start..end,
                "this comment has no end",
                Some("close it with `*/`"),
            );
        }
        Ok(())
    }

    /// Goes on from `at`.
    pub fn seek(&mut self, at: usize) -> Parse<()> {
        self.lexer = Lexer::new(self.text, at, self.lenient);
        self.now.end = at;
        self.bump()
    }

    /// The lexeme after the one in hand.
    pub fn peek(&self) -> Lexeme {
        self.lexer.clone().next_lexeme().0
    }

    pub fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// The text of the lexeme in hand.
    pub fn word(&self) -> &'a str {
        self.slice(self.now.range())
    }

    pub fn is(&self, mark: u8) -> bool {
        self.now.is(mark)
    }

    pub fn at_end(&self) -> bool {
        self.now.kind == Lex::End
    }

    /// Where a stretch of the record stands in the original text.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        original(self.record, self.clean, range)
    }

    pub fn error(
        &mut self,
        code: &'static str,
        at: Range<usize>,
        message: &str,
        hint: Option<&str>,
    ) {
        self.report(
            Severity::Error,
            code,
            at,
            message.to_owned(),
            hint.map(str::to_owned),
        );
    }

    pub fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: Range<usize>,
        message: String,
        hint: Option<String>,
    ) {
        let span = self.original(at);
        self.emit.report(RawDiagnostic {
            severity,
            code,
            span,
            message,
            hint,
        });
    }
}

/// Where a stretch of `record` stands in the original text.
pub(crate) fn original(
    record: &Record<'_>,
    clean: &Clean<'_>,
    range: Range<usize>,
) -> Range<usize> {
    let range = record.clean_range(range);
    let start = clean.original(range.start);
    start..clean.original(range.end).max(start)
}
