//! Calls and programs as text, in strace's style.

use std::fmt::Write as _;

use sealab_core::call::Call;

use crate::calls::flags::{MADV, MAP, MCL, MFD, MLOCK, MREMAP, MS, O, PROT};
use crate::calls::{self, ArgKind, CallName};
use crate::program::{
    AccessKind, Arg, BinaryOp, By, Expectation, Expected, Expr, PatternKind, Program, Statement,
    StatementKind,
};

/// `call` as strace prints it, without a result.
#[must_use]
pub fn call_text(call: &Call) -> String {
    match call {
        Call::Mmap {
            addr,
            len,
            prot,
            flags,
            fd,
            offset,
        } => format!(
            "mmap({}, {len}, {}, {}, {fd}, {})",
            address(*addr),
            PROT.text(*prot),
            MAP.text(*flags),
            hex(*offset)
        ),
        Call::Munmap { addr, len } => format!("munmap({}, {len})", address(*addr)),
        Call::Mprotect { addr, len, prot } => {
            format!("mprotect({}, {len}, {})", address(*addr), PROT.text(*prot))
        }
        Call::PkeyMprotect {
            addr,
            len,
            prot,
            pkey,
        } => format!(
            "pkey_mprotect({}, {len}, {}, {pkey})",
            address(*addr),
            PROT.text(*prot)
        ),
        Call::Madvise { addr, len, advice } => format!(
            "madvise({}, {len}, {})",
            address(*addr),
            MADV.text(u64::from(advice.cast_unsigned()))
        ),
        Call::Mremap {
            addr,
            old_len,
            new_len,
            flags,
            new_addr,
        } => {
            let to = if flags & MOVES == MOVES || *new_addr != 0 {
                format!(", {}", address(*new_addr))
            } else {
                String::new()
            };
            format!(
                "mremap({}, {old_len}, {new_len}, {}{to})",
                address(*addr),
                MREMAP.text(*flags)
            )
        }
        Call::Mseal { addr, len, flags } => {
            format!("mseal({}, {len}, {})", address(*addr), hex(*flags))
        }
        Call::Brk { addr } => format!("brk({})", address(*addr)),
        Call::Mlock { addr, len } => format!("mlock({}, {len})", address(*addr)),
        Call::Mlock2 { addr, len, flags } => {
            format!("mlock2({}, {len}, {})", address(*addr), MLOCK.text(*flags))
        }
        Call::Munlock { addr, len } => format!("munlock({}, {len})", address(*addr)),
        Call::Mlockall { flags } => format!("mlockall({})", MCL.text(*flags)),
        Call::Munlockall => "munlockall()".to_owned(),
        Call::Msync { addr, len, flags } => {
            format!("msync({}, {len}, {})", address(*addr), MS.text(*flags))
        }
        Call::Open { path, flags, .. } => {
            format!("openat(AT_FDCWD, {}, {})", quoted(path), O.text(*flags))
        }
        Call::MemfdCreate { name, flags, .. } => {
            format!("memfd_create({}, {})", quoted(name), MFD.text(*flags))
        }
        Call::Ftruncate { fd, len } => format!("ftruncate({fd}, {len})"),
        Call::Close { fd } => format!("close({fd})"),
        Call::Dup { fd, to: Some(to) } => format!("dup2({fd}, {to})"),
        Call::Dup { fd, to: None } => format!("dup({fd})"),
        Call::Load { addr, len } => format!("load({}, {len})", address(*addr)),
        Call::Store { addr, len } => format!("store({}, {len})", address(*addr)),
        Call::Exec { addr, len } => format!("exec({}, {len})", address(*addr)),
        Call::Fork => "fork()".to_owned(),
        Call::Execve { path } => format!("execve({})", quoted(path)),
        Call::Exit => "_exit(0)".to_owned(),
        Call::SetSysfs { path, value } => format!("write({}, {})", quoted(path), quoted(value)),
    }
}

/// With both flags strace prints the fifth argument, too.
const MOVES: u64 = 3;

/// `NULL` or hexadecimal.
fn address(addr: u64) -> String {
    if addr == 0 {
        "NULL".to_owned()
    } else {
        format!("{addr:#x}")
    }
}

/// `0` or hexadecimal, as strace prints offsets.
fn hex(value: u64) -> String {
    if value == 0 {
        "0".to_owned()
    } else {
        format!("{value:#x}")
    }
}

/// In quotes, with what cannot be printed escaped.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // quotation marks that the parser takes for `"`, and what cannot be seen
            ch if ch.is_control() || crate::parse::ends_text(ch) => {
                let mut buffer = [0; 4];
                for byte in ch.encode_utf8(&mut buffer).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            ch => out.push(ch),
        }
    }
    out.push('"');
    out
}

impl Program {
    /// The program as text that parses to the same program: numbers in one way, flags by name,
    /// one statement a line.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let mut ends: Vec<u32> = Vec::new();
        for (index, statement) in (0_u32..).zip(&self.statements) {
            while ends.pop_if(|end| *end <= index).is_some() {
                let _ = writeln!(out, "{}}}", "    ".repeat(ends.len()));
            }
            let _ = write!(out, "{}", "    ".repeat(ends.len()));
            self.write_statement(&mut out, statement, &mut ends);
            out.push('\n');
        }
        while ends.pop().is_some() {
            let _ = writeln!(out, "{}}}", "    ".repeat(ends.len()));
        }
        out
    }

    fn write_statement(&self, out: &mut String, statement: &Statement, ends: &mut Vec<u32>) {
        match &statement.kind {
            StatementKind::Call {
                bind,
                by,
                call,
                args,
            } => {
                self.write_by(out, *by);
                if let Some(slot) = bind {
                    let _ = write!(out, "{} = ", self.name(*slot));
                }
                self.write_call(out, *call, args.clone());
            }
            StatementKind::Pattern {
                by,
                pattern,
                access,
                args,
            } => {
                self.write_by(out, *by);
                self.write_pattern(out, *pattern, *access, args.clone());
            }
            StatementKind::Trace { text, .. } => {
                let lines = self.arena.strings.get(*text as usize);
                out.push_str(lines.map_or("", |lines| lines.trim_end()));
            }
            StatementKind::Let { slot, value } => {
                let _ = write!(
                    out,
                    "{} = {}",
                    self.name(*slot),
                    self.arg_text(*value, ArgKind::Number)
                );
            }
            StatementKind::Repeat { id, end } => {
                ends.push(end.0);
                let Some(info) = self.arena.loops.get(id.0 as usize) else {
                    return;
                };
                let _ = write!(
                    out,
                    "repeat {} ",
                    self.arg_text(info.count, ArgKind::Number)
                );
                if let Some(slot) = info.var {
                    let _ = write!(out, "as {} ", self.name(slot));
                }
                out.push('{');
            }
            StatementKind::Measure { id, end } => {
                ends.push(end.0);
                let name = self
                    .arena
                    .measures
                    .get(id.0 as usize)
                    .map_or("", |info| &info.name);
                let _ = write!(out, "measure {} {{", quoted(name));
            }
        }
        if let Some(expected) = statement.expected {
            let _ = write!(out, " = {}", self.expected_text(expected));
        }
    }

    fn write_by(&self, out: &mut String, by: By) {
        let _ = match by {
            By::Process(process) if process.0 == 0 => Ok(()),
            By::Process(process) => write!(out, "[pid P{}] ", process.0),
            By::Slot(slot) => write!(out, "[pid {}] ", self.name(slot)),
        };
    }

    fn write_call(&self, out: &mut String, call: CallName, args: std::ops::Range<u32>) {
        let spec = calls::spec(call);
        let _ = write!(out, "{}(", spec.name);
        let mut separator = "";
        let mut left_out = false;
        for (spec, index) in spec.args.iter().zip(args) {
            let arg = self
                .arena
                .args
                .get(index as usize)
                .copied()
                .unwrap_or(Arg::Absent);
            let text = match (spec.kind, arg) {
                (ArgKind::DirFd, _) => "AT_FDCWD".to_owned(),
                (ArgKind::Ignored, _) if spec.default.is_none() => "{}".to_owned(),
                (_, Arg::Absent) => {
                    left_out = true;
                    continue;
                }
                (kind, arg) => self.arg_text(arg, kind),
            };
            let label = if left_out {
                format!("{}: ", spec.name)
            } else {
                String::new()
            };
            let _ = write!(out, "{separator}{label}{text}");
            separator = ", ";
        }
        out.push(')');
    }

    fn write_pattern(
        &self,
        out: &mut String,
        pattern: PatternKind,
        access: AccessKind,
        args: std::ops::Range<u32>,
    ) {
        let text = |index: u32, kind| {
            let arg = self.arena.args.get((args.start + index) as usize).copied();
            self.arg_text(arg.unwrap_or(Arg::Absent), kind)
        };
        let order = match pattern {
            PatternKind::Sequential => "seq".to_owned(),
            PatternKind::Random => "random".to_owned(),
            PatternKind::Stride => format!("stride {}", text(4, ArgKind::Length)),
        };
        let what = match access {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Exec => "exec",
        };
        let _ = write!(
            out,
            "access({}, {}, {order}, {}, {}, {what})",
            text(0, ArgKind::Address),
            text(1, ArgKind::Length),
            text(2, ArgKind::Number),
            text(3, ArgKind::Number),
        );
    }

    fn expected_text(&self, expected: Expectation) -> String {
        match expected {
            Expectation::Value(Arg::Const(value)) => hex(value),
            Expectation::Value(arg) => self.arg_text(arg, ArgKind::Number),
            Expectation::Settled(expected) => match expected {
                Expected::Value(value) => hex(value),
                Expected::Success | Expected::Unknown => "?".to_owned(),
                Expected::Errno(errno) => format!("-1 {} ({})", errno.name(), errno.message()),
                Expected::OtherErrno(name) => format!("-1 {name}"),
                Expected::Failure => "-1".to_owned(),
                Expected::Signal(signal) => format!("-1 {}", signal.name()),
            },
        }
    }

    fn arg_text(&self, arg: Arg, kind: ArgKind) -> String {
        match (arg, kind) {
            (Arg::Absent, _) => "0".to_owned(),
            (Arg::Text(text), _) => quoted(
                self.arena
                    .strings
                    .get(text as usize)
                    .map_or("", |text| text),
            ),
            (Arg::Const(value), ArgKind::Address) => address(value),
            (Arg::Const(value), ArgKind::Flags(table) | ArgKind::Choice(table)) => {
                table.text(value)
            }
            (Arg::Const(value), ArgKind::Fd) => value.cast_signed().to_string(),
            (Arg::Const(value), ArgKind::Offset | ArgKind::PageOffset) => hex(value),
            (Arg::Const(value), _) => value.to_string(),
            (Arg::Expr { start, len }, _) => {
                let ops = self.arena.exprs.get(start as usize..(start + len) as usize);
                self.infix(ops.unwrap_or(&[]))
            }
        }
    }

    /// An expression with its operators between their operands, and no more parentheses than it
    /// needs.
    fn infix(&self, ops: &[Expr]) -> String {
        // each with the binding strength of its weakest operator
        let mut stack: Vec<(String, u8)> = Vec::new();
        for op in ops {
            let entry = match *op {
                Expr::Number(value) => (value.to_string(), ATOM),
                Expr::Page => ("PAGE".to_owned(), ATOM),
                Expr::Name(slot) => (self.name(slot).to_owned(), ATOM),
                Expr::Negate => {
                    let (text, strength) = stack.pop().unwrap_or_default();
                    (format!("-{}", within(&text, strength, ATOM)), ATOM)
                }
                Expr::Binary(op) => {
                    let (right, right_strength) = stack.pop().unwrap_or_default();
                    let (left, left_strength) = stack.pop().unwrap_or_default();
                    let (sign, strength) = operator(op);
                    let left = within(&left, left_strength, strength);
                    let right = within(&right, right_strength, strength + 1);
                    (format!("{left} {sign} {right}"), strength)
                }
            };
            stack.push(entry);
        }
        stack.pop().unwrap_or_default().0
    }
}

const ATOM: u8 = 5;

fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("|", 1),
        BinaryOp::ShiftLeft => ("<<", 2),
        BinaryOp::Add => ("+", 3),
        BinaryOp::Subtract => ("-", 3),
        BinaryOp::Multiply => ("*", 4),
        BinaryOp::Divide => ("/", 4),
        BinaryOp::Remainder => ("%", 4),
    }
}

fn within(text: &str, strength: u8, least: u8) -> String {
    if strength < least {
        format!("({text})")
    } else {
        text.to_owned()
    }
}
