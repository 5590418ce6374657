//! Values of names and expressions, and the calls made of them.

use std::ops::Range;

use sealab_core::addr::PageSize;
use sealab_core::call::Call;

use crate::calls::CallName;
use crate::parse::arithmetic::{self, ArithmeticFault};
use crate::program::{Arena, Arg, Expr, Program, Slot, StatementId};

use super::Text;

/// What a name holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// Its statement has not been reached.
    Unset,
    /// Its statement has an error of its own and was not run.
    NotMade(StatementId),
    /// Its call failed.
    Failed(StatementId, &'static str),
    Known(i128),
}

/// Why a statement cannot be run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// A name has no value, and why.
    NoValue(Slot, Value),
    Arithmetic(ArithmeticFault),
    /// A value is no 64-bit number.
    OutOfRange,
    NegativeCount,
    NoProcess(Slot),
}

impl Fault {
    pub fn describe(self, program: &Program) -> (&'static str, String, Option<String>) {
        match self {
            Self::NoValue(slot, value) => {
                let name = program.name(slot);
                let line = |id: StatementId| program.statement(id).map_or(0, |s| s.line);
                let why = match value {
                    Value::Failed(id, error) => {
                        format!("the call on line {} failed with {error}", line(id))
                    }
                    Value::NotMade(id) => format!("line {} could not be run", line(id)),
                    _ => "the statement that binds it was not run".to_owned(),
                };
                ("no-value", format!("`{name}` has no value: {why}"), None)
            }
            Self::Arithmetic(fault) => (fault.code(), fault.message().to_owned(), None),
            Self::OutOfRange => (
                "out-of-range",
                "a value does not fit in 64 bits".to_owned(),
                None,
            ),
            Self::NegativeCount => (
                "negative-count",
                "a loop cannot run a negative number of times".to_owned(),
                None,
            ),
            Self::NoProcess(slot) => (
                "no-process",
                format!("`{}` is no process", program.name(slot)),
                Some("bind it to a fork: NAME = fork()".to_owned()),
            ),
        }
    }
}

#[derive(Debug)]
pub(super) struct Evaluator<'p> {
    arena: &'p Arena,
    page: i128,
    values: Vec<Value>,
    stack: Vec<i128>,
}

impl<'p> Evaluator<'p> {
    pub fn new(arena: &'p Arena, page_size: PageSize) -> Self {
        Self {
            arena,
            page: i128::from(page_size.bytes()),
            values: vec![Value::Unset; arena.names.len()],
            stack: Vec::with_capacity(16),
        }
    }

    pub fn set(&mut self, slot: Slot, value: Value) {
        if let Some(place) = self.values.get_mut(slot.0 as usize) {
            *place = value;
        }
    }

    pub fn slot(&self, slot: Slot) -> Result<i128, Fault> {
        match self
            .values
            .get(slot.0 as usize)
            .copied()
            .unwrap_or(Value::Unset)
        {
            Value::Known(value) => Ok(value),
            other => Err(Fault::NoValue(slot, other)),
        }
    }

    /// The value of an argument, exact.
    pub fn value(&mut self, arg: Arg) -> Result<i128, Fault> {
        let (start, len) = match arg {
            Arg::Const(value) => return Ok(i128::from(value)),
            Arg::Text(_) | Arg::Absent => return Ok(0),
            Arg::Expr { start, len } => (start as usize, len as usize),
        };
        let ops = self.arena.exprs.get(start..start + len).unwrap_or(&[]);
        self.stack.clear();
        for op in ops {
            let value = match *op {
                Expr::Number(value) => i128::from(value),
                Expr::Page => self.page,
                Expr::Name(slot) => self.slot(slot)?,
                Expr::Negate => -self.stack.pop().unwrap_or(0),
                Expr::Binary(op) => {
                    let right = self.stack.pop().unwrap_or(0);
                    let left = self.stack.pop().unwrap_or(0);
                    arithmetic::apply(op, left, right).map_err(Fault::Arithmetic)?
                }
            };
            self.stack.push(value);
        }
        Ok(self.stack.pop().unwrap_or(0))
    }

    /// The value of an argument as the kernel sees it.
    #[inline]
    pub fn number(&mut self, arg: Arg) -> Result<u64, Fault> {
        match arg {
            Arg::Const(value) => Ok(value),
            other => arithmetic::narrow(self.value(other)?).ok_or(Fault::OutOfRange),
        }
    }

    /// The values of so many arguments; those that are not there are 0.
    #[inline]
    pub fn numbers<const N: usize>(&mut self, args: &Range<u32>) -> Result<[u64; N], Fault> {
        let arena = self.arena;
        let args = arena
            .args
            .get(args.start as usize..args.end as usize)
            .unwrap_or(&[]);
        let mut values = [0; N];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = self.number(*arg)?;
        }
        Ok(values)
    }

    fn arg(&self, args: &Range<u32>, index: usize) -> Arg {
        self.arena
            .args
            .get(args.start as usize + index)
            .copied()
            .unwrap_or(Arg::Absent)
    }

    fn text(&self, args: &Range<u32>, index: usize) -> Text {
        match self.arg(args, index) {
            Arg::Text(text) => self.arena.strings.get(text as usize).cloned(),
            _ => None,
        }
        .unwrap_or_else(|| Text::from(""))
    }

    /// A descriptor: the kernel takes the low 32 bits.
    fn fd(value: u64) -> i32 {
        (value as u32).cast_signed()
    }

    /// The call of that name with its arguments evaluated. `recorded` is the descriptor that a
    /// trace shows it to have returned.
    pub fn call(
        &mut self,
        name: CallName,
        args: &Range<u32>,
        recorded: Option<i32>,
    ) -> Result<Call, Fault> {
        Ok(match name {
            CallName::Mmap | CallName::Mmap2 | CallName::OldMmap => {
                let [addr, len, prot, flags, fd, offset] = self.numbers(args)?;
                let unit = if name == CallName::Mmap2 { 4096 } else { 1 };
                Call::Mmap {
                    addr,
                    len,
                    prot,
                    flags,
                    fd: Self::fd(fd),
                    offset: offset.checked_mul(unit).ok_or(Fault::OutOfRange)?,
                }
            }
            CallName::Munmap => {
                let [addr, len] = self.numbers(args)?;
                Call::Munmap { addr, len }
            }
            CallName::Mprotect => {
                let [addr, len, prot] = self.numbers(args)?;
                Call::Mprotect { addr, len, prot }
            }
            CallName::PkeyMprotect => {
                let [addr, len, prot, pkey] = self.numbers(args)?;
                Call::PkeyMprotect {
                    addr,
                    len,
                    prot,
                    pkey: Self::fd(pkey),
                }
            }
            CallName::Madvise => {
                let [addr, len, advice] = self.numbers(args)?;
                Call::Madvise {
                    addr,
                    len,
                    advice: Self::fd(advice),
                }
            }
            CallName::Mremap => {
                let [addr, old_len, new_len, flags, new_addr] = self.numbers(args)?;
                Call::Mremap {
                    addr,
                    old_len,
                    new_len,
                    flags,
                    new_addr,
                }
            }
            CallName::Mseal => {
                let [addr, len, flags] = self.numbers(args)?;
                Call::Mseal { addr, len, flags }
            }
            CallName::Brk => {
                let [addr] = self.numbers(args)?;
                Call::Brk { addr }
            }
            CallName::Mlock => {
                let [addr, len] = self.numbers(args)?;
                Call::Mlock { addr, len }
            }
            CallName::Mlock2 => {
                let [addr, len, flags] = self.numbers(args)?;
                Call::Mlock2 { addr, len, flags }
            }
            CallName::Munlock => {
                let [addr, len] = self.numbers(args)?;
                Call::Munlock { addr, len }
            }
            CallName::Mlockall => {
                let [flags] = self.numbers(args)?;
                Call::Mlockall { flags }
            }
            CallName::Munlockall => Call::Munlockall,
            CallName::Msync => {
                let [addr, len, flags] = self.numbers(args)?;
                Call::Msync { addr, len, flags }
            }
            CallName::Load => {
                let [addr, len] = self.numbers(args)?;
                Call::Load { addr, len }
            }
            CallName::Store => {
                let [addr, len] = self.numbers(args)?;
                Call::Store { addr, len }
            }
            CallName::Exec => {
                let [addr, len] = self.numbers(args)?;
                Call::Exec { addr, len }
            }
            other => return self.file_call(other, args, recorded),
        })
    }

    fn file_call(
        &mut self,
        name: CallName,
        args: &Range<u32>,
        recorded: Option<i32>,
    ) -> Result<Call, Fault> {
        Ok(match name {
            CallName::Open => self.open(args, 0, Some(1), Some(3), recorded)?,
            CallName::Openat => self.open(args, 1, Some(2), Some(4), recorded)?,
            CallName::Openat2 => self.open(args, 1, None, None, recorded)?,
            CallName::Creat => Call::Open {
                path: self.text(args, 0),
                flags: CREAT,
                fd: recorded,
                size: None,
            },
            CallName::MemfdCreate => Call::MemfdCreate {
                name: self.text(args, 0),
                flags: self.number(self.arg(args, 1))?,
                fd: recorded,
            },
            CallName::Ftruncate => {
                let [fd, len] = self.numbers(args)?;
                Call::Ftruncate {
                    fd: Self::fd(fd),
                    len,
                }
            }
            CallName::Close => {
                let [fd] = self.numbers(args)?;
                Call::Close { fd: Self::fd(fd) }
            }
            CallName::Dup => {
                let [fd] = self.numbers(args)?;
                Call::Dup {
                    fd: Self::fd(fd),
                    to: recorded,
                }
            }
            CallName::Dup2 | CallName::Dup3 => {
                let [fd, to] = self.numbers(args)?;
                Call::Dup {
                    fd: Self::fd(fd),
                    to: Some(Self::fd(to)),
                }
            }
            CallName::Fork => Call::Fork,
            CallName::Execve => Call::Execve {
                path: self.text(args, 0),
            },
            CallName::Write => Call::SetSysfs {
                path: self.text(args, 0),
                value: self.text(args, 1),
            },
            // Every other call is made above.
            _ => Call::Exit,
        })
    }

    fn open(
        &mut self,
        args: &Range<u32>,
        path: usize,
        flags: Option<usize>,
        size: Option<usize>,
        recorded: Option<i32>,
    ) -> Result<Call, Fault> {
        let flags = flags.map_or(Arg::Absent, |index| self.arg(args, index));
        let size = size.map_or(Arg::Absent, |index| self.arg(args, index));
        Ok(Call::Open {
            path: self.text(args, path),
            flags: self.number(flags)?,
            fd: recorded,
            size: match size {
                Arg::Absent => None,
                arg => Some(self.number(arg)?),
            },
        })
    }
}

/// `creat` opens with `O_CREAT|O_WRONLY|O_TRUNC`.
const CREAT: u64 = sealab_core::flags::open::CREAT
    | sealab_core::flags::open::WRONLY
    | sealab_core::flags::open::TRUNC;
