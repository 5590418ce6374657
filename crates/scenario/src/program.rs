//! The program form: what a scenario's text says, with every name resolved and every constant
//! folded, and with its place in the text.
//!
//! Statements stand in one flat list in the order of the text. A block (`repeat`, `measure`) is a
//! statement that says where its body ends: the body of statement `i` is `i + 1 .. end`. So no
//! code that walks a program recurses on what a user nested.

use std::ops::Range;
use std::sync::Arc;

use sealab_core::call::{Outcome, ProcessId};
use sealab_core::errno::{Errno, Signal};

/// Place of a statement in [`Program::statements`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct StatementId(pub u32);

/// Number of a `measure` block, in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct MeasureId(pub u32);

/// Number of a `repeat` block, in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct LoopId(pub u32);

/// Place of a name's value while a program runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Slot(pub u32);

/// What a scenario's text says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    pub(crate) statements: Vec<Statement>,
    pub(crate) arena: Arena,
}

/// What statements refer to by number.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Arena {
    pub args: Vec<Arg>,
    pub exprs: Vec<Expr>,
    pub strings: Vec<Arc<str>>,
    /// Text of each slot's name.
    pub names: Vec<Arc<str>>,
    pub loops: Vec<LoopInfo>,
    pub measures: Vec<MeasureInfo>,
    /// Source of statements that do not stand in one piece in the text.
    pub sources: Vec<Arc<str>>,
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands in the text, in bytes; where a trace broke a call in two, its second half.
    pub span: Range<u32>,
    /// Line of its first character, from 1.
    pub line: u32,
    /// What the text says it returns.
    pub expected: Option<Expectation>,
    /// Whether a tool printed it, so that the expectation is a record of what happened.
    pub from_trace: bool,
    /// Number of its source in `Arena::sources`, where it is not in one piece.
    pub(crate) source: Option<u32>,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// A system call, a plain access or a setting.
    Call {
        /// The name its result is bound to.
        bind: Option<Slot>,
        /// Who makes it.
        by: By,
        /// Which.
        call: crate::calls::CallName,
        /// Its arguments in `Arena::args`, one for each of the table's.
        args: Range<u32>,
    },
    /// Accesses in a pattern: `access(addr, len, pattern, count, seed)`.
    Pattern {
        /// Who makes them.
        by: By,
        /// In which order.
        pattern: PatternKind,
        /// Reading, writing or running.
        access: AccessKind,
        /// `addr`, `len`, `count`, `seed` and the stride, in `Arena::args`.
        args: Range<u32>,
    },
    /// Accesses one by one, as a tool wrote them down ([`crate::lackey`]).
    Trace {
        /// Who made them.
        by: By,
        /// The lines, in `Arena::strings`.
        text: u32,
        /// How many accesses they are.
        count: u64,
    },
    /// `NAME = EXPRESSION`.
    Let {
        /// The name.
        slot: Slot,
        /// Its value.
        value: Arg,
    },
    /// `repeat N as i { … }`.
    Repeat {
        /// Which loop.
        id: LoopId,
        /// One past the body's last statement.
        end: StatementId,
    },
    /// `measure "NAME" { … }`.
    Measure {
        /// Which measure.
        id: MeasureId,
        /// One past the body's last statement.
        end: StatementId,
    },
}

/// Who makes a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// A process known from the text: 0 is the first.
    Process(ProcessId),
    /// The child that `fork` returned into this name.
    Slot(Slot),
}

/// One argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A number, as the kernel would see it (negative numbers wrap).
    Const(u64),
    /// An expression to evaluate while running: a stretch of `Arena::exprs`.
    Expr {
        /// Its first operation.
        start: u32,
        /// How many operations it has.
        len: u32,
    },
    /// A text, in `Arena::strings`.
    Text(u32),
    /// Left out.
    Absent,
}

/// One operation of an expression, in postfix order: operands before what joins them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number.
    Number(u64),
    /// The variant's page size.
    Page,
    /// A name's value.
    Name(Slot),
    /// Minus the last value.
    Negate,
    /// The last two values joined.
    Binary(BinaryOp),
}

/// How two values are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounded towards zero
    Divide,
    /// `%`
    Remainder,
    /// `<<`, as in `21<<MAP_HUGE_SHIFT`
    ShiftLeft,
    /// `|`
    Or,
}

/// The order of an `access` statement's addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PatternKind {
    /// Eight bytes on each time, from the start again at the end.
    Sequential,
    /// A given number of bytes on each time, likewise.
    Stride,
    /// Anywhere, drawn from the seed.
    Random,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Runs an instruction.
    Exec,
}

/// A `repeat` block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopInfo {
    /// How often its body runs.
    pub count: Arg,
    /// The loop variable.
    pub var: Option<Slot>,
    /// The `repeat` statement; its body follows.
    pub statement: StatementId,
    /// One past the body's last statement.
    pub end: StatementId,
    /// The loop around it.
    pub parent: Option<LoopId>,
}

/// A `measure` block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasureInfo {
    /// Its name as written.
    pub name: Arc<str>,
    /// The `measure` statement; its body follows.
    pub statement: StatementId,
    /// One past the body's last statement.
    pub end: StatementId,
    /// The innermost loop around it, whose iterations make its samples.
    pub in_loop: Option<LoopId>,
}

/// What the text says a call returns. A number may still be an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// This value.
    Value(Arg),
    /// Anything else than a value is settled already.
    Settled(Expected),
}

/// What a call is expected to return, or was recorded to have returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// This value: an address, a descriptor, or 0.
    Value(u64),
    /// Success, with a value that no other run repeats (a child's process number).
    Success,
    /// This error.
    Errno(Errno),
    /// An error of Linux that the simulated calls never give, by its symbol.
    OtherErrno(&'static str),
    /// `-1` without saying which error.
    Failure,
    /// An access ended by this signal.
    Signal(Signal),
    /// `?`: nothing is said.
    Unknown,
}

impl Expected {
    /// Whether `outcome` is what was expected; `?` agrees with everything.
    #[must_use]
    pub fn agrees(self, outcome: Outcome) -> bool {
        match (self, outcome) {
            (Self::Unknown, _) | (Self::Success, Outcome::Value(_)) => true,
            (Self::Value(expected), Outcome::Value(got)) => expected == got,
            (Self::Errno(expected), Outcome::Errno(got)) => expected == got,
            (Self::Signal(expected), Outcome::Signal(got)) => expected == got,
            (Self::Failure, Outcome::Errno(_)) => true,
            _ => false,
        }
    }

    /// Whether the call is expected to succeed; `None` where nothing is said.
    #[must_use]
    pub fn succeeds(self) -> Option<bool> {
        match self {
            Self::Value(_) | Self::Success => Some(true),
            Self::Unknown => None,
            _ => Some(false),
        }
    }
}

impl Program {
    /// All statements, blocks before their bodies.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The statement of that number.
    #[must_use]
    pub fn statement(&self, id: StatementId) -> Option<&Statement> {
        self.statements.get(id.0 as usize)
    }

    /// The statement's source out of `text`, the text the program was parsed from: the trimmed
    /// slice, or its pieces joined where a trace broke it.
    #[must_use]
    pub fn source<'a>(&'a self, id: StatementId, text: &'a str) -> &'a str {
        let Some(statement) = self.statement(id) else {
            return "";
        };
        if let Some(joined) = statement.source {
            return self.arena.sources.get(joined as usize).map_or("", |s| s);
        }
        text.get(statement.span.start as usize..statement.span.end as usize)
            .unwrap_or("")
            .trim()
    }

    /// The loops, in the order of the text.
    #[must_use]
    pub fn loops(&self) -> &[LoopInfo] {
        &self.arena.loops
    }

    /// The measures, in the order of the text.
    #[must_use]
    pub fn measures(&self) -> &[MeasureInfo] {
        &self.arena.measures
    }

    /// The name behind a slot.
    #[must_use]
    pub fn name(&self, slot: Slot) -> &str {
        self.arena.names.get(slot.0 as usize).map_or("", |s| s)
    }

    /// Whether any address or length is written with `PAGE`, so that it follows the page size.
    #[must_use]
    pub fn uses_page(&self) -> bool {
        self.arena.exprs.contains(&Expr::Page)
    }
}
