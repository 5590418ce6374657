//! Programs of calls on the kernel underneath.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sealab_core::addr::{AddrRange, PageSize};
use sealab_core::call::{Call, Mapping, MemorySystem, Outcome, ProcessId};
use sealab_core::errno::Errno;
use sealab_core::machine::Limits;
use sealab_core::start::{StartMapping, StartState};

use crate::conditions::{Conditions, LimitsWanted};
use crate::error::HostError;
use crate::files::Files;
use crate::guard::Guard;
use crate::request::{Request, outcome};
use crate::smaps;
use crate::spawn::{self, Child, Image};
use crate::wire::ANSWER_BYTES;

/// Processes that one program may fork.
const MAX_FORKS: usize = 15;
/// How long a runner told to go may take before it is killed.
const PARTING: Duration = Duration::from_millis(200);

/// One call of a program, and the process that makes it.
pub type Step = (ProcessId, Call);

/// How runners are set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunnerConfig {
    /// `RLIMIT_STACK` in bytes; above 128 MiB it lowers the mmap base.
    pub stack_limit: u64,
}

impl Default for RunnerConfig {
    fn default() -> Self {
        Self {
            stack_limit: 8 << 20,
        }
    }
}

/// What a program did on the kernel underneath.
#[derive(Clone, Debug)]
pub struct HostRun {
    /// How each call ended.
    pub outcomes: Vec<Outcome>,
    /// The first process's mappings before the first call, with flags and resident bytes.
    pub before: Arc<[Mapping]>,
    /// Each process's mappings after the last call; empty for one that has ended.
    pub after: Vec<Vec<Mapping>>,
}

/// The kernel underneath, ready to run programs, each in a process of its own straight from
/// execve.
pub struct Host {
    image: Image,
    limits: LimitsWanted,
    conditions: Conditions,
    files: Files,
    before: Arc<[Mapping]>,
    start: StartState,
    guard: Guard,
    leaving: Vec<Child>,
}

impl Host {
    /// Sets everything up and starts one runner to see that it works and what its address space
    /// looks like.
    ///
    /// # Errors
    /// `Unavailable` where this machine cannot run programs, otherwise what failed.
    pub fn open(config: RunnerConfig) -> Result<Self, HostError> {
        if !spawn::has_runner() {
            return Err(HostError::Unavailable(
                "this build carries no runner for its architecture".to_owned(),
            ));
        }
        let image = Image::new()?;
        let limits = LimitsWanted::new(config.stack_limit)?;
        let files = Files::new()?;
        let mut host = Self {
            image,
            limits,
            conditions: Conditions::read(limits, files.folder()),
            files,
            before: Arc::from([]),
            start: StartState::bare(PageSize::K4),
            guard: Guard::new(Vec::new()),
            leaving: Vec::new(),
        };
        host.look_at_runner()?;
        Ok(host)
    }

    /// What the machine sets.
    #[must_use]
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The limits a simulated machine needs to answer alike.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.conditions.limits
    }

    /// The address space every program starts from.
    #[must_use]
    pub fn start_state(&self) -> &StartState {
        &self.start
    }

    /// The same as smaps shows it.
    #[must_use]
    pub fn before(&self) -> &Arc<[Mapping]> {
        &self.before
    }

    /// Says of a program's calls, asked in order, whether they may be made here.
    #[must_use]
    pub fn admission(&self) -> Guard {
        self.guard.clone()
    }

    /// Runs a whole program in a fresh process.
    ///
    /// # Errors
    /// A call that may not be made on a real machine (nothing has run then), or a runner that
    /// failed.
    pub fn run_program(&mut self, program: &[Step]) -> Result<HostRun, HostError> {
        let mut guard = self.guard.clone();
        for (_, call) in program {
            guard.admit(call)?;
        }
        let forks = program.iter().filter(|(_, c)| *c == Call::Fork).count();
        let mut session = self.session(forks)?;
        let outcomes = session.run(program, &mut self.files)?;
        if program.is_empty() {
            session.send(ProcessId(0), &mut Request::ping(), &mut Vec::new())?;
        }
        let mut text = String::new();
        let mut after = Vec::with_capacity(session.processes.len());
        for number in 0..session.processes.len() {
            let mut mappings = session.mappings(number, &mut text)?;
            self.files.rename(&mut mappings);
            after.push(mappings);
        }
        self.part(session);
        Ok(HostRun {
            outcomes,
            before: self.before.clone(),
            after,
        })
    }

    /// A fresh process to make calls in one by one.
    ///
    /// # Errors
    /// Where no runner can be started.
    pub fn system(&mut self) -> Result<HostSystem<'_>, HostError> {
        let session = self.session(MAX_FORKS)?;
        Ok(HostSystem {
            guard: self.guard.clone(),
            files: RefCell::new(&mut self.files),
            session: RefCell::new(session),
            trouble: RefCell::new(None),
        })
    }

    fn session(&mut self, forks: usize) -> Result<Session, HostError> {
        if forks > MAX_FORKS {
            return Err(HostError::TooMuch(format!(
                "the program forks {forks} times, {MAX_FORKS} at most are allowed"
            )));
        }
        self.leaving.retain_mut(|child| child.try_reap().is_none());
        self.files.start_program();
        let (child, mut channels) = spawn::spawn(&self.image, &self.limits, forks)?;
        let spare = channels.split_off(1);
        let processes = vec![Process {
            pid: child.pid(),
            channel: channels.pop(),
        }];
        Ok(Session {
            child,
            processes,
            spare: spare.into_iter().rev().collect(),
        })
    }

    /// Lets a runner go: its sockets close, and it is reaped later.
    fn part(&mut self, session: Session) {
        self.leaving.push(session.child);
        if self.leaving.len() > 8 {
            // Killing is the sure way, and by now the oldest has ended by itself anyway.
            self.leaving.remove(0);
        }
    }

    /// Starts a runner and reads its state: the start of every program.
    fn look_at_runner(&mut self) -> Result<(), HostError> {
        let mut session = self.session(0)?;
        let ask = [(ProcessId(0), Call::Brk { addr: 0 })];
        let brk = match session.run(&ask, &mut self.files)?.first() {
            Some(Outcome::Value(brk)) => *brk,
            other => return Err(HostError::Runner(format!("answered brk with {other:?}"))),
        };
        let mut text = String::new();
        let before = session.mappings(0, &mut text)?;
        let start_stack = session.start_stack(&mut text)?;
        self.part(session);

        let mappings = before.iter().map(start_mapping).collect();
        let mut start = StartState::from_mappings(mappings, PageSize::K4);
        start.start_brk = Some(brk);
        start.brk = Some(brk);
        start.start_stack = start_stack;
        self.guard = Guard::new(own_ranges(&before, brk)?);
        self.start = start;
        self.before = before.into();
        Ok(())
    }
}

/// What of the start the runner lives on: its image and its stack, but not the kernel's gifts.
fn own_ranges(before: &[Mapping], brk: u64) -> Result<Vec<AddrRange>, HostError> {
    let own: Vec<AddrRange> = before
        .iter()
        .filter(|m| m.range.end <= brk || &*m.name == "[stack]")
        .map(|m| m.range)
        .collect();
    let stack = before.iter().any(|m| &*m.name == "[stack]");
    if own.len() < 4 || !stack {
        return Err(HostError::Unavailable(
            "a runner's address space does not look like Linux's here".to_owned(),
        ));
    }
    let expected = before.iter().map(|m| m.range.end).filter(|&end| {
        end <= sealab_core::start::TASK_SIZE_X86_64 && end % PageSize::K4.bytes() == 0
    });
    if expected.max() != Some(sealab_core::start::TASK_SIZE_X86_64) {
        return Err(HostError::Unavailable(
            "address randomisation cannot be turned off here".to_owned(),
        ));
    }
    Ok(own)
}

fn start_mapping(mapping: &Mapping) -> StartMapping {
    StartMapping {
        range: mapping.range,
        prot: mapping.prot,
        shared: mapping.shared,
        offset: mapping.offset,
        dev: (mapping.file.dev_major, mapping.file.dev_minor),
        inode: mapping.file.inode,
        name: mapping.name.clone(),
        flags: Some(mapping.flags),
        rss: Some(mapping.rss),
    }
}

/// One process of a program.
struct Process {
    pid: u32,
    /// `None` once it has ended.
    channel: Option<UnixStream>,
}

/// A runner at work, with the children it has forked.
struct Session {
    child: Child,
    processes: Vec<Process>,
    /// Sockets of children to come, the next one last.
    spare: Vec<UnixStream>,
}

impl Session {
    /// Makes the calls in order; how each ended.
    fn run(&mut self, program: &[Step], files: &mut Files) -> Result<Vec<Outcome>, HostError> {
        let mut outcomes = Vec::with_capacity(program.len());
        let mut request = Request::default();
        let mut by = ProcessId(0);
        for (process, call) in program {
            if *process != by {
                self.send(by, &mut request, &mut outcomes)?;
                by = *process;
            }
            let children = self.processes.len() - 1;
            if !request.push(call, files, children)? {
                self.send(by, &mut request, &mut outcomes)?;
                request.push(call, files, children)?;
            }
            if *call == Call::Fork || *call == Call::Exit {
                self.send(by, &mut request, &mut outcomes)?;
                self.follow(by, call, &mut outcomes);
            }
        }
        self.send(by, &mut request, &mut outcomes)?;
        Ok(outcomes)
    }

    fn send(
        &mut self,
        by: ProcessId,
        request: &mut Request,
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), HostError> {
        if request.is_empty() {
            return Ok(());
        }
        let answers = request.answers();
        let bytes = request.take_bytes();
        let channel = self
            .processes
            .get_mut(by.0 as usize)
            .and_then(|p| p.channel.as_mut())
            .ok_or(HostError::NoSuchProcess(by.0))?;
        let mut reply = vec![0; answers * ANSWER_BYTES];
        let talk = channel
            .write_all(&bytes)
            .and_then(|()| channel.read_exact(&mut reply));
        if let Err(error) = talk {
            return Err(self.lost(error));
        }
        for answer in reply.chunks_exact(ANSWER_BYTES) {
            let (end, value) = answer.split_at(ANSWER_BYTES / 2);
            let word = |half: &[u8]| half.try_into().map_or(0, u64::from_ne_bytes);
            outcomes.push(outcome(word(end), word(value))?);
        }
        Ok(())
    }

    /// Keeps account of processes born and ended.
    fn follow(&mut self, by: ProcessId, call: &Call, outcomes: &mut Vec<Outcome>) {
        if *call == Call::Exit {
            if let Some(process) = self.processes.get_mut(by.0 as usize) {
                process.channel = None;
            }
            outcomes.push(Outcome::Value(0));
            return;
        }
        if let Some(Outcome::Value(pid)) = outcomes.last_mut() {
            // The kernel's number means nothing outside; ours counts births.
            let number = self.processes.len() as u64;
            let process = Process {
                pid: std::mem::replace(pid, number) as u32,
                channel: self.spare.pop(),
            };
            self.processes.push(process);
        }
    }

    /// Why talking to the runner failed.
    fn lost(&mut self, error: std::io::Error) -> HostError {
        let until = Instant::now() + PARTING;
        loop {
            if let Some(status) = self.child.try_reap() {
                return HostError::Runner(spawn::describe_end(status));
            }
            if Instant::now() >= until {
                return HostError::io("talking to the runner")(error);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Where the runner's stack began (`mm->start_stack`), field 28 of `/proc/PID/stat`.
    fn start_stack(&self, text: &mut String) -> Result<u64, HostError> {
        spawn::read_proc(&format!("/proc/{}/stat", self.child.pid()), text)
            .map_err(HostError::io("reading the runner's stat"))?;
        // The name, field 2, is in parentheses and may hold anything.
        let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name
            .split_ascii_whitespace()
            .nth(28 - 3)
            .and_then(|field| field.parse().ok())
            .ok_or_else(|| HostError::Runner("has a stat that is not understood".to_owned()))
    }

    /// The mappings of a process; none if it has ended.
    fn mappings(&self, number: usize, text: &mut String) -> Result<Vec<Mapping>, HostError> {
        let Some(process) = self.processes.get(number).filter(|p| p.channel.is_some()) else {
            return Ok(Vec::new());
        };
        spawn::read_proc(&format!("/proc/{}/smaps", process.pid), text)
            .map_err(HostError::io("reading the runner's smaps"))?;
        smaps::parse(text)
            .map_err(|line| HostError::Runner(format!("has a line in smaps not known: {line}")))
    }
}

/// A process on the kernel underneath whose calls are made one by one.
pub struct HostSystem<'a> {
    guard: Guard,
    files: RefCell<&'a mut Files>,
    session: RefCell<Session>,
    trouble: RefCell<Option<HostError>>,
}

impl HostSystem<'_> {
    /// Makes `call` in process `by`.
    ///
    /// # Errors
    /// A call that may not be made on a real machine (it was not made), or a runner that failed.
    pub fn try_call(&mut self, by: ProcessId, call: &Call) -> Result<Outcome, HostError> {
        self.guard.admit(call)?;
        let step = [(by, call.clone())];
        let outcomes = self.session.get_mut().run(&step, self.files.get_mut())?;
        outcomes
            .first()
            .copied()
            .ok_or_else(|| HostError::Runner("gave no answer".to_owned()))
    }

    /// Makes the calls of `steps` one after the other, as fast as they can be handed over.
    ///
    /// # Errors
    /// As [`Self::try_call`]; of a call that may not be made, none is.
    pub fn try_calls(&mut self, steps: &[Step]) -> Result<Vec<Outcome>, HostError> {
        let mut guard = self.guard.clone();
        for (_, call) in steps {
            guard.admit(call)?;
        }
        self.guard = guard;
        self.session.get_mut().run(steps, self.files.get_mut())
    }

    /// The mappings of process `of` now.
    ///
    /// # Errors
    /// Where its smaps cannot be read.
    pub fn try_mappings(&self, of: ProcessId) -> Result<Vec<Mapping>, HostError> {
        let mut text = String::new();
        let mut mappings = self.session.borrow().mappings(of.0 as usize, &mut text)?;
        self.files.borrow().rename(&mut mappings);
        Ok(mappings)
    }

    /// The first thing that went wrong behind the [`MemorySystem`] interface, which has no place
    /// for it.
    pub fn take_trouble(&mut self) -> Option<HostError> {
        self.trouble.get_mut().take()
    }

    fn note(&self, error: HostError) {
        self.trouble.borrow_mut().get_or_insert(error);
    }
}

impl MemorySystem for HostSystem<'_> {
    /// A call that is not made (see [`HostSystem::take_trouble`]) is answered with `ENOSYS`.
    fn call(&mut self, by: ProcessId, call: &Call) -> Outcome {
        self.try_call(by, call).unwrap_or_else(|error| {
            self.note(error);
            Outcome::Errno(Errno::ENOSYS)
        })
    }

    fn mappings(&self, of: ProcessId) -> Vec<Mapping> {
        self.try_mappings(of).unwrap_or_else(|error| {
            self.note(error);
            Vec::new()
        })
    }
}
