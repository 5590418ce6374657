//! The processes of a trace: which call belongs to which address space, and the statements that
//! make up one of them.
//!
//! Threads share their process's memory; so does a child of `vfork` until it runs another
//! program. A child of `fork` starts with its parent's memory, so its program begins with the
//! parent's calls. `execve` starts anew.

use std::collections::HashMap;

use sealab_core::call::ProcessId;

use crate::calls::CallName;
use crate::program::{By, Statement, StatementId, StatementKind};

use super::ProcessInfo;
use super::emit::{Emit, NO_PID};

/// Something that happened to a process, and before which statement.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub at: StatementId,
    pub pid: i64,
    pub kind: EventKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum EventKind {
    /// It made a child (or a thread); the child shares its memory or has a copy.
    Spawn { child: i64, shares: bool },
    /// It ran another program, by this command line.
    Exec { command: String },
    /// The tracer says that it attached to it.
    Attach,
}

/// One address space.
#[derive(Clone, Debug)]
struct Memory {
    /// The process it belongs to.
    owner: i64,
    /// The address space it was copied from, and before which statement.
    forked: Option<(usize, StatementId)>,
    command: Option<String>,
    calls: u64,
    first: Option<StatementId>,
}

/// What the processes of a trace are, and which of them was chosen.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub processes: Vec<ProcessInfo>,
    pub pid: Option<i64>,
    /// The process asked for is not in the text.
    pub unknown: bool,
    /// Which statements to keep, and who makes each.
    keep: Vec<Option<ProcessId>>,
}

struct Table {
    memories: Vec<Memory>,
    /// The address space each process has now.
    current: HashMap<i64, usize>,
    /// The process number that lines without one belong to.
    root: i64,
}

impl Table {
    fn pid(&self, pid: i64) -> i64 {
        if pid == NO_PID { self.root } else { pid }
    }

    fn memory_of(&mut self, pid: i64) -> usize {
        if let Some(&memory) = self.current.get(&pid) {
            return memory;
        }
        self.enter(pid, None, None)
    }

    fn enter(
        &mut self,
        pid: i64,
        forked: Option<(usize, StatementId)>,
        command: Option<String>,
    ) -> usize {
        let index = self.memories.len();
        self.memories.push(Memory {
            owner: pid,
            forked,
            command,
            calls: 0,
            first: None,
        });
        self.current.insert(pid, index);
        index
    }

    fn event(&mut self, event: &Event) {
        let pid = self.pid(event.pid);
        match &event.kind {
            EventKind::Attach => {}
            EventKind::Exec { command } => {
                self.enter(pid, None, Some(command.clone()));
            }
            EventKind::Spawn { child, shares } => {
                let parent = self.memory_of(pid);
                // Its first calls may come before its parent's call returns.
                if self.current.contains_key(child) {
                    return;
                }
                if *shares {
                    self.current.insert(*child, parent);
                } else {
                    let command = self.memories.get(parent).and_then(|m| m.command.clone());
                    self.enter(*child, Some((parent, event.at)), command);
                }
            }
        }
    }
}

/// Finds the processes of what was read, and chooses the one asked for, or the first that makes
/// memory calls.
pub(crate) fn choose(emit: &mut Emit, wanted: Option<i64>) -> Chosen {
    if emit.pids.iter().all(|pid| *pid == NO_PID) && emit.events.is_empty() {
        return one_process(emit, wanted);
    }
    forks_before_children(emit);
    let mut table = Table {
        memories: Vec::new(),
        current: HashMap::new(),
        root: root_of(emit),
    };
    let early = early_children(emit);
    let mut owner = Vec::with_capacity(emit.statements.len());
    let mut events = emit.events.iter().peekable();
    for (index, (statement, pid)) in emit.statements.iter().zip(&emit.pids).enumerate() {
        while let Some(event) = events.next_if(|event| (event.at.0 as usize) <= index) {
            table.event(event);
        }
        let pid = table.pid(*pid);
        if !table.current.contains_key(&pid)
            && let Some(event) = early.get(&pid)
        {
            table.event(event);
        }
        let memory = table.memory_of(pid);
        owner.push(memory);
        if let Some(memory) = table.memories.get_mut(memory) {
            memory.calls += u64::from(is_memory_call(statement));
            memory.first.get_or_insert(id_of(index));
        }
    }
    for event in events {
        table.event(event);
    }
    select(emit, &table, &owner, wanted)
}

fn id_of(index: usize) -> StatementId {
    StatementId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// A child's calls may be printed before the fork that made it returns. What the program does
/// must come in the order in which it can be done: such forks move up.
fn forks_before_children(emit: &mut Emit) {
    let mut first = HashMap::new();
    for (index, pid) in emit.pids.iter().enumerate() {
        first.entry(*pid).or_insert(index);
    }
    let mut places: HashMap<usize, usize> = HashMap::new();
    for event in &emit.events {
        let EventKind::Spawn {
            child,
            shares: false,
        } = event.kind
        else {
            continue;
        };
        let fork = (event.at.0 as usize).saturating_sub(1);
        if let Some(&child) = first.get(&child)
            && child < fork
            && emit.statements.get(fork).is_some_and(is_fork)
        {
            places.insert(fork, child);
        }
    }
    if places.is_empty() {
        return;
    }
    let mut order: Vec<usize> = (0..emit.statements.len()).collect();
    order.sort_by_key(|index| places.get(index).map_or(index * 2 + 1, |place| place * 2));
    let mut moved = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        if let Some(place) = moved.get_mut(old) {
            *place = new;
        }
    }
    let to = |old: usize| moved.get(old).copied().unwrap_or(old);
    for event in &mut emit.events {
        let at = event.at.0 as usize;
        event.at = match event.kind {
            EventKind::Spawn { .. } if at > 0 => id_of(to(at - 1) + 1),
            _ => id_of(to(at)),
        };
    }
    emit.events.sort_by_key(|event| event.at);
    let mut rows: Vec<_> = std::mem::take(&mut emit.statements)
        .into_iter()
        .zip(std::mem::take(&mut emit.pids))
        .enumerate()
        .collect();
    rows.sort_by_key(|(old, _)| to(*old));
    (emit.statements, emit.pids) = rows.into_iter().map(|(_, row)| row).unzip();
}

/// A text without process numbers.
fn one_process(emit: &Emit, wanted: Option<i64>) -> Chosen {
    let calls = emit.statements.iter().filter(|s| is_memory_call(s)).count();
    let process = ProcessInfo {
        pid: None,
        calls: u64::try_from(calls).unwrap_or(u64::MAX),
        command: None,
        line: emit.statements.first().map_or(0, |s| s.line),
    };
    Chosen {
        processes: if emit.statements.is_empty() {
            Vec::new()
        } else {
            vec![process]
        },
        pid: None,
        unknown: wanted.is_some(),
        keep: vec![Some(ProcessId(0)); emit.statements.len()],
    }
}

/// The number of the process whose lines have none: strace prints numbers only while there are
/// several processes. It is the first one that no other made.
fn root_of(emit: &Emit) -> i64 {
    if !emit.pids.contains(&NO_PID) && emit.events.iter().all(|e| e.pid != NO_PID) {
        return NO_PID;
    }
    let spawned = |pid: i64| {
        emit.events
            .iter()
            .any(|e| matches!(e.kind, EventKind::Spawn { child, .. } if child == pid))
    };
    let attached = |pid: i64| {
        emit.events
            .iter()
            .any(|e| e.kind == EventKind::Attach && e.pid == pid)
    };
    let mut seen = Vec::new();
    let tags = emit
        .pids
        .iter()
        .copied()
        .chain(emit.events.iter().map(|e| e.pid));
    for pid in tags {
        // A handful of processes is usual; a text of thousands must not cost quadratic time.
        if pid != NO_PID && !seen.contains(&pid) && seen.len() < 64 {
            seen.push(pid);
        }
    }
    seen.retain(|pid| !spawned(*pid));
    let quiet = seen.iter().copied().find(|pid| !attached(*pid));
    quiet.or(seen.first().copied()).unwrap_or(NO_PID)
}

/// The event that made each process: a thread's calls, too, may come before the call that made it
/// returns.
fn early_children(emit: &Emit) -> HashMap<i64, &Event> {
    let mut early = HashMap::new();
    for event in &emit.events {
        if let EventKind::Spawn { child, .. } = event.kind {
            early.entry(child).or_insert(event);
        }
    }
    early
}

fn is_memory_call(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Call { call, .. } => !matches!(call, CallName::Execve | CallName::Exit),
        StatementKind::Pattern { .. } => true,
        _ => false,
    }
}

fn select(emit: &Emit, table: &Table, owner: &[usize], wanted: Option<i64>) -> Chosen {
    let processes = list(emit, table);
    let wanted_memory = wanted.and_then(|pid| table.current.get(&table.pid(pid)).copied());
    let first = processes
        .iter()
        .find(|(_, info)| info.calls > 0)
        .or(processes.first())
        .map(|(memory, _)| *memory);
    let memory = wanted_memory.or(first);
    let pid = memory.and_then(|m| table.memories.get(m)).map(|m| m.owner);
    let mut chosen = Chosen {
        processes: processes.into_iter().map(|(_, info)| info).collect(),
        pid: pid.filter(|pid| *pid != NO_PID),
        unknown: wanted.is_some() && wanted_memory.is_none(),
        keep: vec![None; owner.len()],
    };
    if let Some(memory) = memory {
        keep_line_of_descent(emit, table, owner, memory, &mut chosen.keep);
    }
    chosen
}

/// The processes with an address space of their own: each with the last one it had.
fn list(emit: &Emit, table: &Table) -> Vec<(usize, ProcessInfo)> {
    let mut list: Vec<_> = table
        .memories
        .iter()
        .enumerate()
        .filter(|(index, memory)| table.current.get(&memory.owner) == Some(index))
        .map(|(index, memory)| {
            let first = memory
                .first
                .and_then(|id| emit.statements.get(id.0 as usize));
            let info = ProcessInfo {
                pid: Some(memory.owner).filter(|pid| *pid != NO_PID),
                calls: memory.calls,
                command: memory.command.clone(),
                line: first.map_or(0, |s| s.line),
            };
            (index, info)
        })
        .collect();
    list.sort_by_key(|(index, info)| (info.line == 0, info.line, *index));
    list
}

/// Keeps the calls of an address space, before them those of the ones it was copied from, and
/// of the children made on the way only that they run another program or end.
fn keep_line_of_descent(
    emit: &Emit,
    table: &Table,
    owner: &[usize],
    memory: usize,
    keep: &mut [Option<ProcessId>],
) {
    // Up to which statement each address space of the line counts.
    let mut until: HashMap<usize, u32> = HashMap::from([(memory, u32::MAX)]);
    let mut next = memory;
    while let Some((parent, at)) = table.memories.get(next).and_then(|m| m.forked) {
        if until.insert(parent, at.0).is_some() {
            break;
        }
        next = parent;
    }
    // The fork statement of each child stands just before the place where it was entered.
    let forks: HashMap<u32, usize> = table
        .memories
        .iter()
        .enumerate()
        .filter_map(|(child, m)| {
            let (parent, at) = m.forked?;
            until.contains_key(&parent).then_some(())?;
            Some((at.0.checked_sub(1)?, child))
        })
        .collect();
    // Children's numbers, in the order in which the program makes them.
    let mut numbers: HashMap<usize, ProcessId> = HashMap::from([(next, ProcessId(0))]);
    let mut made = 0;
    for (index, statement) in emit.statements.iter().enumerate() {
        let id = u32::try_from(index).unwrap_or(u32::MAX);
        let (Some(&memory), Some(slot)) = (owner.get(index), keep.get_mut(index)) else {
            continue;
        };
        let in_line = until.get(&memory).is_some_and(|last| id < *last);
        if let Some(by) = numbers.get(&memory)
            && (in_line || ends_memory(statement))
        {
            *slot = Some(*by);
        }
        if in_line && is_fork(statement) {
            made += 1;
            if let Some(child) = forks.get(&id) {
                numbers.entry(*child).or_insert(ProcessId(made));
            }
        }
    }
}

fn is_fork(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Call {
            call: CallName::Fork,
            ..
        }
    )
}

fn ends_memory(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Call {
            call: CallName::Execve | CallName::Exit,
            ..
        }
    )
}

impl Chosen {
    /// Takes the statements that were not chosen out of `emit`, and counts as skipped those that
    /// would end the process in hand.
    pub fn apply(&self, emit: &mut Emit, lenient: bool) {
        let mut kept = Vec::with_capacity(emit.statements.len());
        // Where each statement went, to move the blocks' ends along.
        let mut moved = Vec::with_capacity(emit.statements.len() + 1);
        let statements = std::mem::take(&mut emit.statements);
        for (index, mut statement) in statements.into_iter().enumerate() {
            moved.push(u32::try_from(kept.len()).unwrap_or(u32::MAX));
            let block = matches!(
                statement.kind,
                StatementKind::Repeat { .. }
                    | StatementKind::Measure { .. }
                    | StatementKind::Let { .. }
            );
            let by = match self.keep.get(index) {
                Some(Some(by)) => *by,
                _ if block => ProcessId(0),
                _ => continue,
            };
            if let StatementKind::Call { by: who, call, .. } = &mut statement.kind {
                if *who == By::Process(ProcessId(0)) {
                    *who = By::Process(by);
                }
                let own = *who == By::Process(ProcessId(0));
                let ends = match call {
                    CallName::Exit => own,
                    CallName::Execve => own && lenient,
                    _ => false,
                };
                if ends {
                    let name = match call {
                        CallName::Execve => "execve",
                        _ => "exit_group",
                    };
                    emit.skip(name);
                    continue;
                }
            } else if let StatementKind::Pattern { by: who, .. } = &mut statement.kind
                && *who == By::Process(ProcessId(0))
            {
                *who = By::Process(by);
            }
            kept.push(statement);
        }
        moved.push(u32::try_from(kept.len()).unwrap_or(u32::MAX));
        if kept.len() + 1 != moved.len() {
            move_blocks(&mut kept, emit, &moved);
        }
        emit.statements = kept;
    }
}

fn move_blocks(kept: &mut [Statement], emit: &mut Emit, moved: &[u32]) {
    let to = |id: StatementId| StatementId(moved.get(id.0 as usize).copied().unwrap_or(u32::MAX));
    for statement in kept {
        if let StatementKind::Repeat { end, .. } | StatementKind::Measure { end, .. } =
            &mut statement.kind
        {
            *end = to(*end);
        }
    }
    for info in &mut emit.arena.loops {
        (info.statement, info.end) = (to(info.statement), to(info.end));
    }
    for info in &mut emit.arena.measures {
        (info.statement, info.end) = (to(info.statement), to(info.end));
    }
}
