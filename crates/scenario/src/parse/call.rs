//! A call: its arguments by the table's row, in order or by name.

use std::ops::Range;

use crate::calls::{ArgKind, CallName, CallSpec};
use crate::diagnostic::Severity;
use crate::program::{AccessKind, Arg, PatternKind};

use super::cursor::{Cursor, Need, Parse, Stop};
use super::lex::{self, Lex};
use super::suggest;

/// Most arguments in any row of the table.
pub(crate) const MOST_ARGS: usize = 8;

/// A call's arguments as they were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Args {
    pub values: [Arg; MOST_ARGS],
    /// Of an `access` statement.
    pub pattern: PatternKind,
    pub stride: Arg,
    pub access: AccessKind,
}

impl Args {
    fn new() -> Self {
        Self {
            values: [Arg::Absent; MOST_ARGS],
            pattern: PatternKind::Sequential,
            stride: Arg::Const(8),
            access: AccessKind::Load,
        }
    }

    fn set(&mut self, index: usize, arg: Arg) {
        if let Some(value) = self.values.get_mut(index) {
            *value = arg;
        }
    }

    pub fn get(&self, index: usize) -> Arg {
        self.values.get(index).copied().unwrap_or(Arg::Absent)
    }
}

impl Cursor<'_> {
    /// The arguments of a call, from its `(` to its `)`; `raw` for a call printed by its number,
    /// which has all six registers.
    ///
    /// A fault in one argument does not hide those in the next; they are all reported, and the
    /// call is a fault.
    pub fn arguments(
        &mut self,
        spec: &'static CallSpec,
        name: Range<usize>,
        raw: bool,
    ) -> Parse<Args> {
        let mut args = Args::new();
        let mut faulty = false;
        let mut next = 0;
        let mut named = false;
        let open = self.now.range();
        self.bump()?;
        loop {
            if self.is(b')') {
                break;
            }
            if self.at_end() {
                self.separator_fault(open.clone())?;
            }
            let read = self.label(spec).and_then(|label| {
                named |= label.is_some();
                let index = match label {
                    Some(Some(index)) => index,
                    Some(None) => MOST_ARGS,
                    None => next,
                };
                next = index.min(MOST_ARGS) + 1;
                self.argument(spec, index, &mut args, raw, named)
            });
            match read {
                Ok(()) => {}
                Err(Stop::Fault) => {
                    faulty = true;
                    self.skip_value()?;
                }
                Err(stop) => return Err(stop),
            }
            if self.is(b',') {
                self.bump()?;
                continue;
            }
            if self.is(b')') {
                break;
            }
            if self.at_end() && self.last && faulty && !self.lenient {
                // an unclosed text took the rest with it, and has been reported
                return Err(Stop::Fault);
            }
            self.separator_fault(open.clone())?;
            faulty = true;
            if self.is(b',') {
                self.bump()?;
            } else if !self.is(b')') {
                return Err(Stop::Fault);
            }
        }
        let close = self.now.end;
        self.bump()?;
        if faulty {
            return Err(Stop::Fault);
        }
        self.fill_in(spec, name.start..close, named, &mut args)?;
        Ok(args)
    }

    /// `name:` before an argument, as `perf trace` prints: the argument it is, if the row has it.
    fn label(&mut self, spec: &'static CallSpec) -> Parse<Option<Option<usize>>> {
        if self.now.kind != Lex::Word || !self.peek().is(b':') {
            return Ok(None);
        }
        let word = self.word();
        let at = self.now.range();
        let index = spec.arg_named(word);
        self.bump()?;
        self.bump()?;
        if index.is_none() && !self.lenient {
            let names = spec.args.iter().map(|arg| arg.name);
            let hint = suggest::closest(word, names.clone()).map_or_else(
                || format!("it has {}", names.collect::<Vec<_>>().join(", ")),
                |meant| format!("did you mean `{meant}`?"),
            );
            let message = format!("{} has no argument `{word}`", spec.name);
            self.report(Severity::Error, "unknown-argument", at, message, Some(hint));
            return Err(Stop::Fault);
        }
        Ok(Some(index))
    }

    fn argument(
        &mut self,
        spec: &'static CallSpec,
        index: usize,
        args: &mut Args,
        raw: bool,
        named: bool,
    ) -> Parse<()> {
        let Some(arg) = spec.args.get(index) else {
            if raw || named {
                return self.skip_value();
            }
            let at = self.now.range();
            let message = format!("{} takes {}", spec.name, count_of(spec));
            if self.lenient {
                self.report(
                    Severity::Warning,
                    "too-many-arguments",
                    at,
                    message,
                    Some(spec.signature()),
                );
                return self.skip_value();
            }
            self.report(
                Severity::Error,
                "too-many-arguments",
                at,
                message,
                Some(spec.signature()),
            );
            return Err(Stop::Fault);
        };
        match arg.kind {
            ArgKind::Ignored | ArgKind::DirFd => self.skip_value(),
            ArgKind::Path | ArgKind::Text => {
                let text = self.text_argument(arg.kind)?;
                args.set(index, text);
                Ok(())
            }
            ArgKind::Pattern => self.pattern(args),
            ArgKind::AccessWord => {
                args.access = match self.word() {
                    "load" => AccessKind::Load,
                    "store" => AccessKind::Store,
                    "exec" => AccessKind::Exec,
                    _ => {
                        self.unexpected(&arg.kind.expects());
                        return Err(Stop::Fault);
                    }
                };
                self.bump()
            }
            _ => {
                let value = self.expression(arg.kind)?;
                args.set(index, value);
                self.skip_decoration()
            }
        }
    }

    fn text_argument(&mut self, kind: ArgKind) -> Parse<Arg> {
        match self.now.kind {
            Lex::Text { closed: true } => {
                let text = lex::unquote(self.word());
                self.bump()?;
                if self.now.kind == Lex::Ellipsis {
                    self.bump()?;
                }
                Ok(self.emit.text(text))
            }
            Lex::Text { closed: false } if self.lenient && !self.last => {
                Err(Stop::More(Need::Text))
            }
            Lex::Text { closed: false } => {
                let at = self.now.range();
                self.error(
                    "unclosed-text",
                    at,
                    "this text has no closing quote",
                    Some("add `\"`"),
                );
                self.bump()?;
                Err(Stop::Fault)
            }
            Lex::End if !self.last => Err(Stop::More(Need::Args)),
            // A tracer could not read it: an address stands there.
            Lex::Number | Lex::Word if self.lenient => {
                self.skip_value()?;
                Ok(self.emit.text(String::new()))
            }
            _ => {
                self.unexpected(&kind.expects());
                Err(Stop::Fault)
            }
        }
    }

    /// `seq`, `random`, `stride N`.
    fn pattern(&mut self, args: &mut Args) -> Parse<()> {
        args.pattern = match self.word() {
            "seq" => PatternKind::Sequential,
            "random" => {
                args.stride = Arg::Const(0);
                PatternKind::Random
            }
            "stride" => {
                self.bump()?;
                args.pattern = PatternKind::Stride;
                args.stride = self.expression(ArgKind::Length)?;
                return Ok(());
            }
            _ => {
                self.unexpected(&ArgKind::Pattern.expects());
                return Err(Stop::Fault);
            }
        };
        self.bump()
    }

    /// `</usr/lib/libc.so.6>` behind a descriptor (`strace -y`).
    fn skip_decoration(&mut self) -> Parse<()> {
        if !self.is(b'<') {
            return Ok(());
        }
        let rest = self.slice(self.now.start..self.text.len());
        if rest.starts_with("<unfinished") {
            return Err(Stop::Unfinished(self.now.start));
        }
        match angle_length(rest).filter(|_| !self.open_angle) {
            Some(length) => {
                // newer straces put the file's state behind the path
                let deleted = rest
                    .get(length..)
                    .is_some_and(|r| r.starts_with("(deleted)"));
                let length = length + if deleted { "(deleted)".len() } else { 0 };
                self.seek(self.now.start + length)
            }
            None if !self.last => Err(Stop::More(Need::Args)),
            None => {
                self.open_angle = true;
                Ok(())
            }
        }
    }

    /// Reads over whatever stands before the next `,` or `)`.
    pub fn skip_value(&mut self) -> Parse<()> {
        let mut depth = 0_usize;
        loop {
            match self.now.kind {
                Lex::End => {
                    return if self.last {
                        Ok(())
                    } else {
                        Err(Stop::More(Need::Args))
                    };
                }
                Lex::Text { closed: false } if self.lenient && !self.last => {
                    return Err(Stop::More(Need::Text));
                }
                Lex::Mark(b'(' | b'[' | b'{') => depth += 1,
                Lex::Mark(b')') if depth == 0 => return Ok(()),
                Lex::Mark(b',') if depth == 0 => return Ok(()),
                Lex::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Lex::Mark(b'<') => {
                    self.skip_decoration()?;
                    if !self.is(b'<') {
                        continue;
                    }
                }
                _ => {}
            }
            self.bump()?;
        }
    }

    /// Between two arguments stands something else than a comma.
    fn separator_fault(&mut self, open: Range<usize>) -> Parse<()> {
        if self.at_end() {
            if !self.last {
                return Err(Stop::More(Need::Args));
            }
            if self.lenient {
                // a trace that was cut off
                return Err(Stop::Unfinished(self.text.len()));
            }
            self.error(
                "unclosed-call",
                open,
                "this `(` is not closed",
                Some("add `)`"),
            );
            return Err(Stop::Fault);
        }
        if self.is(b'<')
            && self
                .slice(self.now.start..self.text.len())
                .starts_with("<unfinished")
        {
            return Err(Stop::Unfinished(self.now.start));
        }
        self.unexpected("`,` or `)`");
        self.skip_value()
    }

    /// Checks that nothing is missing and puts defaults in place.
    fn fill_in(
        &mut self,
        spec: &'static CallSpec,
        at: Range<usize>,
        named: bool,
        args: &mut Args,
    ) -> Parse<()> {
        let mut missing = Vec::new();
        for (index, arg) in spec.args.iter().enumerate() {
            let read_over = matches!(
                arg.kind,
                ArgKind::Ignored | ArgKind::DirFd | ArgKind::Pattern | ArgKind::AccessWord
            );
            if args.get(index) != Arg::Absent || read_over {
                continue;
            }
            match arg.default {
                // Left out is not the same as 0: a file of unknown length has no end.
                Some(_) if spec.kind == crate::calls::CallKind::File => {}
                Some(default) => args.set(index, Arg::Const(default)),
                // perf trace leaves out arguments that are 0.
                None if named && self.lenient => {
                    args.set(index, Arg::Const(zero_of(spec, arg.kind)))
                }
                None => missing.push(arg.name),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{} takes {}; {} missing",
            spec.name,
            count_of(spec),
            match missing.as_slice() {
                [one] => format!("`{one}` is"),
                many => format!("`{}` are", many.join("`, `")),
            }
        );
        self.report(
            Severity::Error,
            "missing-argument",
            at,
            message,
            Some(spec.signature()),
        );
        Err(Stop::Fault)
    }
}

/// What an argument is that `perf trace` left out.
fn zero_of(spec: &CallSpec, kind: ArgKind) -> u64 {
    match (spec.call, kind) {
        // it hides the descriptor of anonymous mappings, which is -1
        (CallName::Mmap, ArgKind::Fd) => u64::MAX,
        _ => 0,
    }
}

fn count_of(spec: &CallSpec) -> String {
    let (least, most) = (spec.required_args(), spec.args.len());
    let plural = if most == 1 { "" } else { "s" };
    match (least, most) {
        (_, 0) => "no arguments".to_owned(),
        (least, most) if least == most => format!("{most} argument{plural}"),
        (least, most) => format!("{least} to {most} arguments"),
    }
}

/// Length of a decoration `<…>`; they nest (`<char 1:3>`), and hold arrows (`->`).
pub(crate) fn angle_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = 0;
    // paths have at most 4096 bytes
    for (at, byte) in text.bytes().take(4200).enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if before != b'-' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'\n' => return None,
            _ => {}
        }
        before = byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_has_too_many_arguments() {
        for spec in crate::calls::all() {
            assert!(spec.args.len() <= MOST_ARGS, "{}", spec.name);
        }
    }

    #[test]
    fn decorations_nest_and_hold_arrows() {
        assert_eq!(angle_length("</usr/lib/x.so>, 0)"), Some(15));
        assert_eq!(angle_length("</dev/null<char 1:3>>)"), Some(21));
        assert_eq!(angle_length("<TCP:[1.1.1.1:80->2.2.2.2:9]>)"), Some(29));
        assert_eq!(angle_length("<0.1"), None);
    }
}
