//! What follows a call: `= RESULT`, the error's text, a duration.

use crate::calls::{ArgKind, errnos};
use crate::diagnostic::Severity;
use crate::program::{Arg, Expectation, Expected};
use sealab_core::errno::Signal;

use super::call::angle_length;
use super::cursor::{Cursor, Need, Parse, Stop};
use super::lex::{self, Lex};
use super::suggest;

/// A result as it was read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Outcome {
    /// There is none.
    Absent,
    /// What the call returned.
    Known(Expectation),
    /// `? ERESTARTSYS`: the call was interrupted and will be made again.
    Restarted,
}

impl Cursor<'_> {
    /// The result behind a call's `)`, if there is one.
    pub fn outcome(&mut self) -> Parse<Outcome> {
        if self.at_end() && !self.last {
            return Err(Stop::More(Need::Result));
        }
        if !self.is(b'=') {
            return Ok(Outcome::Absent);
        }
        self.bump_to(Need::ResultValue)?;
        let outcome = match self.now.kind {
            Lex::Mark(b'?') => self.unknown()?,
            Lex::Mark(b'-') => Outcome::Known(self.negative()?),
            Lex::Number if self.lenient || !self.continues() => {
                Outcome::Known(self.number_result()?)
            }
            Lex::Word | Lex::Number | Lex::Mark(b'(') => {
                let value = self.expression(ArgKind::Number)?;
                Outcome::Known(Expectation::Value(value))
            }
            Lex::End if !self.last => return Err(Stop::More(Need::ResultValue)),
            _ => {
                self.unexpected("a result: a number, -1 and an error's name, or `?`");
                return Err(Stop::Fault);
            }
        };
        self.remarks()?;
        Ok(outcome)
    }

    fn bump_to(&mut self, need: Need) -> Parse<()> {
        self.bump()?;
        if self.at_end() && !self.last {
            return Err(Stop::More(need));
        }
        Ok(())
    }

    /// Whether an operator follows the lexeme in hand, so that it starts an expression.
    fn continues(&self) -> bool {
        matches!(
            self.peek().kind,
            Lex::Mark(b'+' | b'-' | b'*' | b'/' | b'%')
        )
    }

    fn unknown(&mut self) -> Parse<Outcome> {
        self.bump()?;
        if self.now.kind == Lex::Word && self.word().starts_with("ERESTART") {
            self.bump()?;
            return Ok(Outcome::Restarted);
        }
        Ok(Outcome::Known(Expectation::Settled(Expected::Unknown)))
    }

    /// `-1 EPERM`, `-1 SIGSEGV`, `-1 errno=12`, `-EPERM`, `-12`, `-1`.
    fn negative(&mut self) -> Parse<Expectation> {
        let start = self.now.start;
        self.bump_to(Need::ResultValue)?;
        if self.now.kind == Lex::Word {
            return self.error_name(start);
        }
        let number = match lex::number(self.word()) {
            Ok(number) if self.now.kind == Lex::Number => number,
            _ => {
                self.unexpected("1 and an error's name");
                return Err(Stop::Fault);
            }
        };
        self.bump()?;
        match (number, self.now.kind) {
            (_, Lex::Word) if self.word() == "errno" => self.qemu_errno(),
            (_, Lex::Word) if self.word().starts_with(['E', 'S']) => self.error_name(start),
            (1, Lex::End) if !self.last => Err(Stop::More(Need::ErrorText)),
            (1, _) => Ok(Expectation::Settled(Expected::Failure)),
            (number, _) => Ok(errnos::by_number(number).map_or(
                Expectation::Value(Arg::Const(number.wrapping_neg())),
                Expectation::Settled,
            )),
        }
    }

    fn error_name(&mut self, start: usize) -> Parse<Expectation> {
        let word = self.word();
        let at = self.now.range();
        let expected = match word {
            "SIGSEGV" => Some(Expected::Signal(Signal::Segv)),
            "SIGBUS" => Some(Expected::Signal(Signal::Bus)),
            _ => errnos::by_name(word),
        };
        let Some(expected) = expected else {
            // The name may be broken at the line's end.
            if self.lenient && !self.last && self.peek().kind == Lex::End {
                return Err(Stop::More(Need::ErrorText));
            }
            let signals = ["SIGSEGV", "SIGBUS"];
            let hint = suggest::closest(word, errnos::names().chain(signals))
                .map(|meant| format!("did you mean `{meant}`?"));
            let message = format!("`{}` is no error of Linux", super::expr::excerpt(word));
            self.report(
                Severity::Error,
                "unknown-errno",
                start..at.end,
                message,
                hint,
            );
            self.bump()?;
            return Err(Stop::Fault);
        };
        self.bump()?;
        self.skip_plain_message(expected)?;
        Ok(Expectation::Settled(expected))
    }

    /// qemu: `-1 errno=12 (Cannot allocate memory)`.
    fn qemu_errno(&mut self) -> Parse<Expectation> {
        self.bump()?;
        if self.is(b'=') {
            self.bump()?;
        }
        let number = match lex::number(self.word()) {
            Ok(number) if self.now.kind == Lex::Number => number,
            _ => {
                self.unexpected("an error's number");
                return Err(Stop::Fault);
            }
        };
        self.bump()?;
        let expected = errnos::by_number(number).unwrap_or(Expected::Failure);
        Ok(Expectation::Settled(expected))
    }

    /// Old `perf trace` prints the error's text without parentheses.
    fn skip_plain_message(&mut self, expected: Expected) -> Parse<()> {
        if let Expected::Errno(errno) = expected
            && self.lenient
            && self
                .slice(self.now.start..self.text.len())
                .starts_with(errno.message())
        {
            return self.seek(self.now.start + errno.message().len());
        }
        Ok(())
    }

    fn number_result(&mut self) -> Parse<Expectation> {
        let at = self.now.range();
        let text = self.word();
        let ends_record = self.peek().kind == Lex::End && at.end == self.text.trim_end().len();
        if ends_record && self.lenient && !self.last && text.starts_with("0x") && text.len() < 18 {
            return Err(Stop::More(Need::HexDigits));
        }
        let Ok(value) = lex::number(text) else {
            self.error("bad-number", at, "this result is no 64-bit number", None);
            self.bump()?;
            return Err(Stop::Fault);
        };
        self.bump()?;
        // The kernel's own way to return an error, as raw tracers print it.
        if value > u64::MAX - 4096
            && let Some(error) = errnos::by_number(value.wrapping_neg())
        {
            return Ok(Expectation::Settled(error));
        }
        Ok(Expectation::Value(Arg::Const(value)))
    }

    /// What may follow a result: `(Operation not permitted)`, `<0.000012>`, `</path>`.
    fn remarks(&mut self) -> Parse<()> {
        loop {
            let rest = self.slice(self.now.start..self.text.len());
            let length = match self.now.kind {
                Lex::Mark(b'(') => parentheses_length(rest),
                Lex::Mark(b'<') => match angle_length(rest) {
                    // a duration or a path; anything else is not the tracer's
                    Some(length) if !rest.starts_with("<unfinished") => Some(length),
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            };
            match length {
                Some(length) => self.seek(self.now.start + length)?,
                None if !self.last => return Err(Stop::More(Need::ErrorText)),
                // what is cut off here is only a remark
                None => self.seek(self.text.len())?,
            }
        }
    }
}

/// Length of a remark in parentheses; they may nest.
fn parentheses_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
