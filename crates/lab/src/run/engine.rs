//! One variant's run: the interpreter asks, the machine answers, the records keep.

use sealab_core::call::{MemorySystem as _, Outcome, ProcessId};
use sealab_core::machine::{Config, Machine};
use sealab_core::meter::Counts;
use sealab_core::start::StartState;
use sealab_scenario::program::{Expected, Program, StatementId};
use sealab_scenario::{Diagnostic, EvalContext, Event, Interp, PatternStep, Step};

use super::history::{History, MAX_PINNED};
use super::infer::{Inference, Traced};
use super::measure::Measures;
use super::names::Names;
use super::options::{RunError, RunOptions};
use super::pattern;
use super::record::{Ended, Made, NewRecord, Records, Seen, StepRef};
use super::{Unlisted, VariantRun};
use crate::cost::Prices;
use crate::start;
use crate::variant::Resolved;

/// How many calls are made before the watch is asked again.
const WATCH_INTERVAL: u64 = 8192;

/// Where a run starts, and whether the text is a trace.
pub struct Setting<'a> {
    /// What to run.
    pub program: &'a Program,
    /// The first process's address space.
    pub start: StartState,
    /// For a trace: what is known of its process besides.
    pub trace: Option<Known>,
}

/// What is known of a traced process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Its maps before the first call: the simulator places everything itself.
    Maps,
    /// Its calls alone: recorded addresses are taken as given.
    Calls,
}

/// Runs a program under one variant. `watch` is told the calls made so far.
pub fn run(
    setting: Setting<'_>,
    variant: Resolved,
    options: &RunOptions,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<VariantRun, RunError> {
    let page_size = variant.memory.page_size;
    let mut config = Config::new(variant.kernel, variant.memory.clone());
    config.limits.rlimit_stack = start::stack_limit(&setting.start);
    let start_brk = setting.start.start_brk;
    config.start = setting.start;
    let mut machine = Machine::new(config);
    machine.attach_tlb(variant.tlb());
    let context = EvalContext {
        page_size,
        max_calls: options.max_calls,
        ..EvalContext::default()
    };
    let statements = setting.program.statements().len();
    let mut runner = Runner {
        history: History::new(&machine),
        inference: setting
            .trace
            .map(|known| Inference::new(known == Known::Maps, start_brk)),
        prices: variant.cpu.prices(),
        names: Names::new(setting.program, variant.cpu),
        machine,
        records: Records::default(),
        occurrences: vec![0; statements],
        unlisted: Vec::new(),
        gap: false,
        calls: 0,
        disagreements: 0,
        inferred: 0,
        uncounted: Counts::default(),
        cycles: 0.0,
        measures: Measures::new(setting.program),
        faults: Vec::new(),
        seen: Seen::default(),
        options: *options,
    };
    let mut interp = Interp::new(setting.program, context);
    runner.all(&mut interp, watch)?;
    Ok(runner.finish(variant))
}

struct Runner {
    machine: Machine,
    records: Records,
    history: History,
    inference: Option<Inference>,
    prices: Prices,
    names: Names,
    /// How often each statement has run.
    occurrences: Vec<u64>,
    unlisted: Vec<Unlisted>,
    /// Whether unlisted calls were made since the last listed one.
    gap: bool,
    calls: u64,
    disagreements: u64,
    inferred: u64,
    /// Work that is no call's of the text: moving memory to where a trace has it.
    uncounted: Counts,
    /// Fixed parts of all calls so far.
    cycles: f64,
    measures: Measures,
    faults: Vec<Diagnostic>,
    /// Kept so that its room is used again.
    seen: Seen,
    options: RunOptions,
}

impl Runner {
    fn all(
        &mut self,
        interp: &mut Interp<'_>,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), RunError> {
        loop {
            match interp.next_event() {
                Event::Call(step) => {
                    let answer = self.call(&step);
                    interp.answer(answer);
                }
                Event::Pattern(step) => self.pattern(&step, watch)?,
                Event::MeasureBegin(id) => self.measures.begin(id, self.counts(), self.cycles),
                Event::MeasureEnd(id) => {
                    let counts = self.counts();
                    self.measures.end(id, &counts, self.cycles, &self.prices);
                }
                Event::IterationEnd(_) => {}
                Event::Error(fault) => self.faults.push(*fault),
                Event::Done => return Ok(()),
            }
            if self.calls % WATCH_INTERVAL == WATCH_INTERVAL - 1 && !watch(self.calls) {
                return Err(RunError::Cancelled);
            }
        }
    }

    /// Everything counted so far for the text's calls.
    fn counts(&self) -> Counts {
        self.machine.counts().since(&self.uncounted)
    }

    /// Counts one more run of the statement; its number, and whether it is listed.
    fn next(&mut self, statement: StatementId) -> (u64, bool) {
        let Some(slot) = self.occurrences.get_mut(statement.0 as usize) else {
            return (0, false);
        };
        let occurrence = *slot;
        *slot = slot.saturating_add(1);
        let listed = occurrence < self.options.listed_per_statement
            && self.records.all().len() < self.options.listed_calls
            && (!self.gap || self.history.pinned() < MAX_PINNED);
        (occurrence, listed)
    }

    /// Makes a call and returns what the text's names are bound to.
    fn call(&mut self, step: &Step) -> Outcome {
        self.calls = self.calls.saturating_add(1);
        let (occurrence, listed) = self.next(step.statement);
        let fixed = self.names.cycles(step.statement);
        self.cycles += fixed;
        let before = *self.machine.counts();
        if !listed && self.inference.is_none() {
            // The way of long loops: nothing but the call.
            let outcome = self.machine.call(step.by, &step.call);
            if step.expected.is_some_and(|e| !e.agrees(outcome)) {
                self.disagreements = self.disagreements.saturating_add(1);
            }
            self.leave_out(step.statement, step.line);
            self.names
                .add(step.statement, 1, &self.machine.counts().since(&before));
            return outcome;
        }
        self.machine.set_tracing(listed);
        let mut seen = std::mem::take(&mut self.seen);
        let traced = self.ask(step, &mut seen);
        self.machine.set_tracing(false);
        let counts = seen.counts.since(&before);
        self.names.add(step.statement, 1, &counts);
        self.uncounted
            .merge(&self.machine.counts().since(&seen.counts));
        self.disagreements = self.disagreements.saturating_add(u64::from(!traced.agrees));
        let inferred = matches!(traced.ended, Ended::AsRecorded(_));
        self.inferred = self.inferred.saturating_add(u64::from(inferred));
        let answer = traced.ended.outcome().unwrap_or(Outcome::Value(0));
        if listed {
            let cost_ns = self.prices.ns(self.prices.cycles(&counts) + fixed);
            self.list(NewRecord {
                step: StepRef::Call(step),
                occurrence,
                ended: traced.ended,
                agrees: traced.agrees,
                cost_ns,
                counts: &counts,
                seen: &seen,
                made: traced.made,
            });
        } else {
            self.leave_out(step.statement, step.line);
        }
        self.seen = seen;
        answer
    }

    fn ask(&mut self, step: &Step, seen: &mut Seen) -> Traced {
        let chains = self.records.chains_mut();
        let recorded = step.expected.filter(|e| *e != Expected::Unknown);
        if let (Some(recorded), Some(inference)) = (recorded, &mut self.inference) {
            let note = |machine: &Machine| seen.note(machine, chains);
            let traced = inference.make(&mut self.machine, step, recorded, note);
            if traced.own == 0 {
                seen.forget();
            }
            return traced;
        }
        let outcome = self.machine.call(step.by, &step.call);
        seen.note(&self.machine, chains);
        Traced {
            ended: Ended::Simulated(outcome),
            agrees: step.expected.is_none_or(|e| e.agrees(outcome)),
            made: vec![Made::Call(step.by, step.call.clone())],
            own: 1,
        }
    }

    fn pattern(
        &mut self,
        step: &PatternStep,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), RunError> {
        let (occurrence, listed) = self.next(step.statement);
        let mut step = step.clone();
        step.count = step.count.min(self.options.max_accesses);
        let before = *self.machine.counts();
        let calls = self.calls;
        let mut cancelled = false;
        let (made, outcome) = pattern::run(&mut self.machine, &step, &mut |made| {
            cancelled = !watch(calls.saturating_add(made));
            !cancelled
        });
        if cancelled {
            return Err(RunError::Cancelled);
        }
        self.calls = self.calls.saturating_add(made);
        let counts = self.machine.counts().since(&before);
        self.names.add(step.statement, made, &counts);
        if !listed {
            self.leave_out(step.statement, step.line);
            return Ok(());
        }
        self.list(NewRecord {
            step: StepRef::Pattern(&step),
            occurrence,
            ended: Ended::Simulated(outcome),
            agrees: true,
            cost_ns: self.prices.ns(self.prices.cycles(&counts)),
            counts: &counts,
            seen: &Seen::default(),
            made: vec![Made::Pattern(step.clone())],
        });
        Ok(())
    }

    fn list(&mut self, record: NewRecord<'_>) {
        self.records.push(record);
        let step = self.records.all().len();
        self.history.note(step, &self.machine, self.gap);
        self.gap = false;
    }

    fn leave_out(&mut self, statement: StatementId, line: u32) {
        self.gap = true;
        match self.unlisted.iter_mut().find(|u| u.statement == statement) {
            Some(known) => known.calls = known.calls.saturating_add(1),
            None => self.unlisted.push(Unlisted {
                statement,
                line,
                calls: 1,
            }),
        }
    }

    fn finish(self, variant: Resolved) -> VariantRun {
        let counts = self.counts();
        let cost_ns = self.prices.ns(self.prices.cycles(&counts) + self.cycles);
        VariantRun {
            maps: self.machine.mappings(ProcessId::default()),
            tlb: self.machine.tlb().map(|t| *t.stats()).unwrap_or_default(),
            memory: self.machine.memory_use(),
            variant,
            records: self.records,
            history: self.history,
            unlisted: self.unlisted,
            calls: self.calls,
            disagreements: self.disagreements,
            inferred: self.inferred,
            counts,
            cost_ns,
            by_name: self.names.finish(&self.prices),
            measures: self.measures.finish(),
            faults: self.faults,
        }
    }
}
