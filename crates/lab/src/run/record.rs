//! What a run keeps of each call it lists.

use std::collections::HashMap;
use std::ops::Range;

use sealab_core::call::{Call, Outcome, ProcessId};
use sealab_core::machine::{Change, Machine};
use sealab_core::meter::{Counter, Counts};
use sealab_scenario::program::{Expected, StatementId};
use sealab_scenario::{PatternStep, Step};

/// What was done at a step.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A call or a plain access.
    Call(Call),
    /// Many accesses in a pattern.
    Pattern(PatternStep),
}

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ended {
    /// As the simulator says.
    Simulated(Outcome),
    /// As the trace says: it is about memory that the trace never shows.
    AsRecorded(Expected),
}

impl Ended {
    /// The simulated outcome, or the recorded one where it is one of the simulator's.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Simulated(outcome) => Some(outcome),
            Self::AsRecorded(Expected::Value(value)) => Some(Outcome::Value(value)),
            Self::AsRecorded(Expected::Errno(errno)) => Some(Outcome::Errno(errno)),
            Self::AsRecorded(Expected::Signal(signal)) => Some(Outcome::Signal(signal)),
            Self::AsRecorded(_) => None,
        }
    }

    /// Whether it failed.
    #[must_use]
    pub fn failed(self) -> bool {
        match self {
            Self::Simulated(outcome) => !outcome.is_ok(),
            Self::AsRecorded(expected) => expected.succeeds() == Some(false),
        }
    }
}

/// One listed call of one variant's run.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Where in the program.
    pub statement: StatementId,
    /// How often the statement had run before, by which the same call is found in other runs.
    pub occurrence: u64,
    /// Line in the text, from 1.
    pub line: u32,
    /// Who made it.
    pub by: ProcessId,
    /// What was asked, as the text has it.
    pub what: What,
    /// How it ended.
    pub ended: Ended,
    /// How the text says it ended.
    pub expected: Option<Expected>,
    /// Whether both agree.
    pub agrees: bool,
    /// Estimated cost, in nanoseconds.
    pub cost_ns: f64,
    counts: Range<u32>,
    changes: Range<u32>,
    walks: Range<u32>,
    remarks: Range<u32>,
    made: Range<u32>,
}

impl Record {
    /// Whether it failed, or is a `brk` that left the break elsewhere: that call has no errors.
    #[must_use]
    pub fn refused(&self) -> bool {
        match (&self.what, self.ended.outcome()) {
            (What::Call(Call::Brk { addr }), Some(Outcome::Value(value))) => {
                *addr != 0 && *addr != value
            }
            _ => self.ended.failed(),
        }
    }

    /// Whether it was answered as recorded.
    #[must_use]
    pub fn inferred(&self) -> bool {
        matches!(self.ended, Ended::AsRecorded(_))
    }
}

/// What was asked of the machine, to be asked again when its state is wanted later.
#[derive(Clone, PartialEq, Debug)]
pub enum Made {
    /// A call.
    Call(ProcessId, Call),
    /// Accesses in a pattern.
    Pattern(PatternStep),
    /// A heap of this start and break was found in the trace.
    SetBrk(u64, u64),
}

/// The listed calls of a run. What differs in length from call to call is kept in common vectors.
#[derive(Clone, Debug, Default)]
pub struct Records {
    records: Vec<Record>,
    counts: Vec<(Counter, u64)>,
    changes: Vec<Change>,
    walks: Vec<u32>,
    chains: Chains,
    remarks: Vec<&'static str>,
    made: Vec<Made>,
}

/// Call chains, each kept once: thousands of walks share a few dozen.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    all: Vec<Vec<&'static str>>,
    /// Numbers by a hash of where the names lie: a kernel's names are few and static, so the same
    /// chain has them at the same places.
    by_places: HashMap<u64, Vec<u32>>,
}

impl Chains {
    /// The number of `chain`.
    pub fn number(&mut self, chain: &[&'static str]) -> u32 {
        // FNV-1a over the addresses.
        let places = chain.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, name| {
            (hash ^ name.as_ptr() as u64).wrapping_mul(0x0100_0000_01b3)
        });
        let known = self.by_places.entry(places).or_default();
        let same = |id: &&u32| self.all.get(**id as usize).is_some_and(|c| c == chain);
        if let Some(&id) = known.iter().find(same) {
            return id;
        }
        let id = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(chain.to_vec());
        known.push(id);
        id
    }

    /// The chain of that number, innermost first.
    #[must_use]
    pub fn get(&self, id: u32) -> &[&'static str] {
        self.all.get(id as usize).map_or(&[], Vec::as_slice)
    }
}

/// What the machine knew just after a call, kept before anything else is asked of it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Everything counted by then.
    pub counts: Counts,
    /// What the call changed.
    pub changes: Vec<Change>,
    /// Its walks' chains, by number.
    pub walks: Vec<u32>,
    /// What a reader must be told.
    pub remarks: Vec<&'static str>,
}

impl Seen {
    /// Takes over what `machine` knows of its latest call.
    pub fn note(&mut self, machine: &Machine, chains: &mut Chains) {
        let trace = machine.trace();
        self.counts = *machine.counts();
        self.changes.clone_from(&trace.changes);
        self.remarks.clone_from(&trace.remarks);
        self.walks.clear();
        let walks = trace.walks.iter();
        self.walks.extend(walks.map(|w| chains.number(&w.chain)));
    }

    /// Forgets the call, not what was counted.
    pub fn forget(&mut self) {
        self.changes.clear();
        self.walks.clear();
        self.remarks.clear();
    }
}

/// What is known of a step when it is over.
pub struct NewRecord<'a> {
    pub step: StepRef<'a>,
    pub occurrence: u64,
    pub ended: Ended,
    pub agrees: bool,
    pub cost_ns: f64,
    pub counts: &'a Counts,
    pub seen: &'a Seen,
    pub made: Vec<Made>,
}

/// A step of the interpreter, of either kind.
#[derive(Clone, Copy)]
pub enum StepRef<'a> {
    /// A call.
    Call(&'a Step),
    /// A pattern of accesses.
    Pattern(&'a PatternStep),
}

impl Records {
    /// All of them, in the order made.
    #[must_use]
    pub fn all(&self) -> &[Record] {
        &self.records
    }

    /// What `record` counted; zeros left out.
    #[must_use]
    pub fn counts(&self, record: &Record) -> &[(Counter, u64)] {
        slice(&self.counts, &record.counts)
    }

    /// What it changed, in order.
    #[must_use]
    pub fn changes(&self, record: &Record) -> &[Change] {
        slice(&self.changes, &record.changes)
    }

    /// Each of its tree walks' chain of kernel functions, innermost first.
    pub fn walks<'a>(&'a self, record: &Record) -> impl Iterator<Item = &'a [&'static str]> + 'a {
        let ids = self.walk_numbers(record).iter();
        ids.map(|&id| self.chains.get(id))
    }

    /// The same chains by number; numbers hold within one run.
    #[must_use]
    pub fn walk_numbers(&self, record: &Record) -> &[u32] {
        slice(&self.walks, &record.walks)
    }

    /// Where chains are numbered.
    pub fn chains_mut(&mut self) -> &mut Chains {
        &mut self.chains
    }

    /// What a reader must be told of it.
    #[must_use]
    pub fn remarks(&self, record: &Record) -> &[&'static str] {
        slice(&self.remarks, &record.remarks)
    }

    /// What was asked of the machine for it.
    #[must_use]
    pub fn made(&self, record: &Record) -> &[Made] {
        slice(&self.made, &record.made)
    }

    /// Appends one.
    pub fn push(&mut self, new: NewRecord<'_>) {
        let counted = new.counts.iter().filter(|&(_, n)| n > 0);
        let counts = append(&mut self.counts, counted);
        let changes = append(&mut self.changes, new.seen.changes.iter().copied());
        let walks = append(&mut self.walks, new.seen.walks.iter().copied());
        let remarks = append(&mut self.remarks, new.seen.remarks.iter().copied());
        let made = append(&mut self.made, new.made);
        let (statement, line, by, what, expected) = match new.step {
            StepRef::Call(s) => (
                s.statement,
                s.line,
                s.by,
                What::Call(s.call.clone()),
                s.expected,
            ),
            StepRef::Pattern(p) => (p.statement, p.line, p.by, What::Pattern(p.clone()), None),
        };
        self.records.push(Record {
            statement,
            occurrence: new.occurrence,
            line,
            by,
            what,
            ended: new.ended,
            expected,
            agrees: new.agrees,
            cost_ns: new.cost_ns,
            counts,
            changes,
            walks,
            remarks,
            made,
        });
    }
}

fn slice<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    all.get(range.start as usize..range.end as usize)
        .unwrap_or(&[])
}

fn append<T>(all: &mut Vec<T>, more: impl IntoIterator<Item = T>) -> Range<u32> {
    let at = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    let start = at(all.len());
    all.extend(more);
    start..at(all.len())
}
