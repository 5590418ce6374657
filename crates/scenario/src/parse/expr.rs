//! Expressions: numbers, names, flags, `+ - * / % << |`, parentheses. Constants are folded.

use crate::calls::flags::FlagTable;
use crate::calls::{self, ArgKind};
use crate::diagnostic::Severity;
use crate::program::{Arg, BinaryOp, Expr};

use super::arithmetic::{apply, narrow};
use super::cursor::{Cursor, Need, Parse, Stop};
use super::lex::{self, Lex, NumberFault};
use super::{suggest, suspicious};

/// Operations one expression may have.
const MOST_OPERATIONS: usize = 1_000;

/// A value while it is read: known now, or as operations at the end of the cursor's room.
#[derive(Clone, Copy)]
enum Value {
    Known(i128),
    Operations,
}

impl Cursor<'_> {
    /// An expression as an argument of that kind.
    pub fn expression(&mut self, kind: ArgKind) -> Parse<Arg> {
        self.ops.clear();
        self.depth = 0;
        let start = self.now.start;
        let value = self.alternatives(kind.table())?;
        match value {
            Value::Known(value) => match narrow(value) {
                Some(value) => Ok(Arg::Const(value)),
                None => {
                    let at = start..self.before;
                    self.error(
                        "out-of-range",
                        at,
                        "this value does not fit in 64 bits",
                        None,
                    );
                    Err(Stop::Fault)
                }
            },
            Value::Operations => {
                let ops = std::mem::take(&mut self.ops);
                let arg = self.emit.expr(&ops);
                self.ops = ops;
                Ok(arg)
            }
        }
    }

    /// `a|b`
    fn alternatives(&mut self, table: Option<&'static FlagTable>) -> Parse<Value> {
        let mut left = self.shift(table)?;
        while self.is(b'|') {
            left = self.join(BinaryOp::Or, left, |c| c.shift(table))?;
        }
        Ok(left)
    }

    /// `a<<b`
    fn shift(&mut self, table: Option<&'static FlagTable>) -> Parse<Value> {
        let mut left = self.sum(table)?;
        while self.now.kind == Lex::ShiftLeft {
            left = self.join(BinaryOp::ShiftLeft, left, |c| c.sum(table))?;
        }
        Ok(left)
    }

    /// `a+b-c`
    fn sum(&mut self, table: Option<&'static FlagTable>) -> Parse<Value> {
        let mut left = self.product(table)?;
        loop {
            let op = match self.now.kind {
                Lex::Mark(b'+') => BinaryOp::Add,
                Lex::Mark(b'-') => BinaryOp::Subtract,
                _ => return Ok(left),
            };
            left = self.join(op, left, |c| c.product(table))?;
        }
    }

    /// `a*b/c%d`
    fn product(&mut self, table: Option<&'static FlagTable>) -> Parse<Value> {
        let mut left = self.operand(table)?;
        loop {
            let op = match self.now.kind {
                Lex::Mark(b'*') => BinaryOp::Multiply,
                Lex::Mark(b'/') => BinaryOp::Divide,
                Lex::Mark(b'%') => BinaryOp::Remainder,
                _ => return Ok(left),
            };
            left = self.join(op, left, |c| c.operand(table))?;
        }
    }

    fn join(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: impl FnOnce(&mut Self) -> Parse<Value>,
    ) -> Parse<Value> {
        let at = self.now.range();
        self.bump()?;
        // The left operand's operations come first, even if its value is known.
        let before_right = self.ops.len();
        let right = right(self)?;
        match (left, right) {
            (Value::Known(a), Value::Known(b)) => match apply(op, a, b) {
                Ok(value) => Ok(Value::Known(value)),
                Err(fault) => {
                    let at = at.start..self.before;
                    self.error(fault.code(), at, fault.message(), None);
                    Err(Stop::Fault)
                }
            },
            (left, right) => {
                if let Value::Known(value) = left {
                    self.insert(before_right, value);
                }
                if let Value::Known(value) = right {
                    self.insert(self.ops.len(), value);
                }
                self.ops.push(Expr::Binary(op));
                self.check_length(at.start)?;
                Ok(Value::Operations)
            }
        }
    }

    /// Puts a known value among the operations. A negative one is minus a number, so that no
    /// constant outgrows 64 bits.
    fn insert(&mut self, index: usize, value: i128) {
        let number = u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX);
        if value < 0 {
            self.ops.insert(index, Expr::Negate);
        }
        self.ops.insert(index, Expr::Number(number));
    }

    fn check_length(&mut self, start: usize) -> Parse<()> {
        if self.ops.len() <= MOST_OPERATIONS {
            return Ok(());
        }
        let message = format!("this expression has more than {MOST_OPERATIONS} operations");
        let at = start..self.now.end;
        self.error(
            "limit-expression",
            at,
            &message,
            Some("bind parts of it to names"),
        );
        Err(Stop::Fault)
    }

    fn operand(&mut self, table: Option<&'static FlagTable>) -> Parse<Value> {
        let at = self.now.range();
        match self.now.kind {
            Lex::Number => self.number(),
            Lex::Word => self.name(table),
            Lex::Mark(b'-') => {
                let value = self.nested(|c| c.operand(table))?;
                match value {
                    Value::Known(value) => Ok(Value::Known(-value)),
                    Value::Operations => {
                        self.ops.push(Expr::Negate);
                        self.check_length(at.start)?;
                        Ok(Value::Operations)
                    }
                }
            }
            Lex::Mark(b'+') => self.nested(|c| c.operand(table)),
            Lex::Mark(b'(') => {
                let value = self.nested(|c| c.alternatives(table))?;
                if self.is(b')') {
                    self.bump()?;
                    return Ok(value);
                }
                if self.at_end() && !self.last {
                    return Err(Stop::More(Need::Args));
                }
                self.error(
                    "unclosed-parenthesis",
                    at,
                    "this `(` is not closed",
                    Some("add `)`"),
                );
                Err(Stop::Fault)
            }
            Lex::End if !self.last => Err(Stop::More(Need::Args)),
            Lex::Mark(b'<')
                if self
                    .slice(at.start..self.text.len())
                    .starts_with("<unfinished") =>
            {
                Err(Stop::Unfinished(at.start))
            }
            _ => {
                self.unexpected(&expected_value(table));
                Err(Stop::Fault)
            }
        }
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let at = self.now.range();
        self.depth += 1;
        if self.depth > self.emit.limits.expression_depth {
            let depth = self.emit.limits.expression_depth;
            let message = format!("expressions nest at most {depth} deep");
            self.error(
                "limit-expression",
                at,
                &message,
                Some("bind parts of it to names"),
            );
            return Err(Stop::Fault);
        }
        self.bump()?;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    /// Says that something else than the lexeme in hand was expected.
    pub fn unexpected(&mut self, expected: &str) {
        let found = match self.now.kind {
            Lex::End => "the text ends".to_owned(),
            Lex::Text { closed: false } => {
                "a text without its closing quote stands here".to_owned()
            }
            _ => format!("found `{}`", excerpt(self.word())),
        };
        let at = self.now.range();
        let hint = self
            .word()
            .chars()
            .find(|ch| !ch.is_ascii())
            .map(|ch| format!("`{ch}` is {}", suspicious::describe(ch)));
        let message = format!("expected {expected}, {found}");
        self.report(Severity::Error, "unexpected", at, message, hint);
    }

    fn number(&mut self) -> Parse<Value> {
        let at = self.now.range();
        let text = self.word();
        self.bump()?;
        if self.now.kind == Lex::Ellipsis && self.now.start == at.end {
            let at = at.start..self.now.end;
            self.error(
                "abbreviated-number",
                at,
                "this number is abbreviated",
                Some("write all of its digits, or bind the call's result to a name"),
            );
            return Err(Stop::Fault);
        }
        match lex::number(text) {
            Ok(value) => Ok(Value::Known(i128::from(value))),
            Err(fault) => {
                let (message, hint) = match fault {
                    NumberFault::TooLarge => ("this number does not fit in 64 bits", None),
                    NumberFault::NotOctal => (
                        "a leading 0 makes a number octal, and 8 and 9 are no octal digits",
                        Some("leave out the 0, or write 0x for hexadecimal"),
                    ),
                    NumberFault::Malformed => (
                        "this is no number",
                        Some(
                            "numbers are decimal, 0x hexadecimal or 0 octal, with K, M, G or T for powers of 1024",
                        ),
                    ),
                };
                self.error("bad-number", at, message, hint);
                Err(Stop::Fault)
            }
        }
    }

    /// A bound name, a flag, `PAGE`.
    fn name(&mut self, table: Option<&'static FlagTable>) -> Parse<Value> {
        let at = self.now.range();
        let raw = self.word();
        self.bump()?;
        let clean = if raw.is_ascii() && !raw.contains('\\') {
            None
        } else {
            Some(suspicious::skeleton(raw))
        };
        let word = match &clean {
            // Markdown's backslashes and invisible characters are read over.
            Some(clean) if *clean == visible(raw) => clean.as_str(),
            _ => raw,
        };
        if let Some(slot) = self.emit.names.get(word) {
            self.ops.push(Expr::Name(*slot));
            return Ok(Value::Operations);
        }
        if word == "PAGE" {
            self.ops.push(Expr::Page);
            return Ok(Value::Operations);
        }
        if let Some(known) = calls::flag(word) {
            let foreign = table.is_some_and(|table| {
                table.prefix != known.table.prefix && !known.table.prefix.is_empty()
            });
            if foreign {
                let message = format!(
                    "`{word}` is a name for something else: {} are expected here",
                    table.map_or_else(String::new, |t| format!("{}*", t.prefix))
                );
                self.report(Severity::Warning, "wrong-flag-kind", at, message, None);
            }
            return Ok(Value::Known(signed_flag(known.flag.value)));
        }
        if self.lenient
            && let Some(flag) = table.and_then(|table| table.get(word))
        {
            return Ok(Value::Known(i128::from(flag.value)));
        }
        self.unknown_name(at, raw, table);
        Err(Stop::Fault)
    }

    fn unknown_name(
        &mut self,
        at: std::ops::Range<usize>,
        raw: &str,
        table: Option<&'static FlagTable>,
    ) {
        let seen = suspicious::skeleton(raw);
        let fooled = raw
            .chars()
            .find(|ch| suspicious::meant_letter(*ch).is_some());
        if let Some(ch) = fooled
            && (seen == "PAGE"
                || calls::flag(&seen).is_some()
                || self.emit.names.contains_key(seen.as_str()))
        {
            let message = format!(
                "`{raw}` only looks like `{seen}`: `{ch}` is {}",
                suspicious::describe(ch)
            );
            self.report(
                Severity::Error,
                "confusable-character",
                at,
                message,
                Some(format!("write `{seen}`")),
            );
            return;
        }
        let meant = table
            .and_then(|table| table.get(&seen).map(|flag| flag.name))
            .or_else(|| {
                let flags = table
                    .into_iter()
                    .flat_map(|table| table.flags.iter().map(|f| f.name));
                suggest::closest(&seen, flags)
            })
            .or_else(|| {
                let constants = calls::flags::all().map(|known| known.flag.name);
                let names = self.emit.names.keys().map(|name| &**name);
                suggest::closest(&seen, names.chain(["PAGE"]).chain(constants))
            })
            .map(|meant| format!("did you mean `{meant}`?"));
        let (code, message) = match table {
            Some(table) if seen.starts_with(table.prefix) => (
                "unknown-flag",
                format!("`{}` is no {}* flag known here", excerpt(raw), table.prefix),
            ),
            _ => (
                "unknown-name",
                format!("nothing is called `{}`", excerpt(raw)),
            ),
        };
        let hint = meant.unwrap_or_else(|| match table {
            Some(table) => format!("expected {}* flags or a number", table.prefix),
            None => "bind it first: NAME = mmap(…)".to_owned(),
        });
        self.report(Severity::Error, code, at, message, Some(hint));
    }
}

fn expected_value(table: Option<&'static FlagTable>) -> String {
    match table {
        Some(table) => format!("{}* or a number", table.prefix),
        None => "a number, a name or an expression".to_owned(),
    }
}

/// The word without what cannot be seen.
fn visible(word: &str) -> String {
    word.chars()
        .filter(|ch| suspicious::invisible_name(*ch).is_none() && *ch != '\\')
        .collect()
}

/// `AT_FDCWD` and `MAP_FAILED` are negative numbers.
fn signed_flag(value: u64) -> i128 {
    if value > 1 << 63 {
        i128::from(value.cast_signed())
    } else {
        i128::from(value)
    }
}

/// At most 40 characters of a text, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
