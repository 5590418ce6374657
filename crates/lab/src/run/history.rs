//! A run's address spaces over time: snapshots of the machine, and the calls between them.

use sealab_core::call::{Mapping, MemorySystem as _, ProcessId};
use sealab_core::machine::Machine;
use sealab_core::paging::PageEvent;

use super::pattern;
use super::record::{Made, Records};

/// Most snapshots that may be left out again.
const MAX_SPARE: usize = 48;
/// Estimated bytes that the spare snapshots of one run may take together.
const MAX_SPARE_BYTES: u64 = 48 << 20;
/// Steps between snapshots at first.
const FIRST_INTERVAL: usize = 64;
/// Most snapshots that cannot be left out, because unlisted calls lie before them. A run stops
/// listing calls when it has as many.
pub const MAX_PINNED: usize = 64;

struct Snapshot {
    /// Listed calls made before it.
    step: usize,
    machine: Machine,
    /// Estimated size in bytes.
    bytes: u64,
    /// Whether the state cannot be reached from the snapshot before.
    pinned: bool,
}

/// What is needed to see a run's machine after any of its listed calls.
pub struct History {
    snapshots: Vec<Snapshot>,
    interval: usize,
    /// The state that was asked for last, and after how many listed calls it was.
    cursor: (usize, Machine),
}

impl History {
    /// A history that starts from `machine`.
    pub fn new(machine: &Machine) -> Self {
        Self {
            snapshots: vec![Snapshot {
                step: 0,
                machine: machine.clone(),
                bytes: 0,
                pinned: true,
            }],
            interval: FIRST_INTERVAL,
            cursor: (0, machine.clone()),
        }
    }

    /// How many snapshots cannot be left out.
    pub fn pinned(&self) -> usize {
        self.snapshots.iter().filter(|s| s.pinned).count()
    }

    /// Notes the state after the `step`th listed call; `gap`: unlisted calls were made before it.
    pub fn note(&mut self, step: usize, machine: &Machine, gap: bool) {
        let last = self.snapshots.last().map_or(0, |s| s.step);
        if !gap && step < last.saturating_add(self.interval) {
            return;
        }
        self.snapshots.push(Snapshot {
            step,
            bytes: estimate(machine),
            machine: machine.clone(),
            pinned: gap,
        });
        while self.too_much() {
            self.interval = self.interval.saturating_mul(2);
            let mut keep = false;
            self.snapshots.retain(|s| {
                keep = !keep;
                s.pinned || keep
            });
        }
    }

    fn too_much(&self) -> bool {
        let spare = || self.snapshots.iter().filter(|s| !s.pinned);
        let bytes: u64 = spare().map(|s| s.bytes).sum();
        spare().count() > MAX_SPARE || (bytes > MAX_SPARE_BYTES && spare().count() > 1)
    }

    /// The mappings of process `of` after the `step`th listed call; 0 is the start.
    pub fn mappings(&mut self, records: &Records, step: usize, of: ProcessId) -> Vec<Mapping> {
        self.machine(records, step).mappings(of)
    }

    /// The machine after the `step`th listed call, and what that call did to contiguous blocks.
    pub fn machine_and_events(
        &mut self,
        records: &Records,
        step: usize,
    ) -> (&Machine, Vec<PageEvent>) {
        let Some(last) = step.checked_sub(1).and_then(|at| records.all().get(at)) else {
            return (self.machine(records, step), Vec::new());
        };
        if self.cursor.0 >= step {
            // One step further back, so that the call is made again.
            let at = self.snapshots.partition_point(|s| s.step < step);
            if let Some(near) = self.snapshots.get(at.saturating_sub(1)) {
                self.cursor = (near.step, near.machine.clone());
            }
        }
        self.machine(records, step - 1);
        let (here, machine) = &mut self.cursor;
        let mut events = Vec::new();
        machine.memory_mut().log.on = true;
        for made in records.made(last) {
            again(machine, made);
            events.extend(machine.memory().log.events.iter().copied());
        }
        machine.memory_mut().log.on = false;
        *here = step;
        (machine, events)
    }

    /// The machine after the `step`th listed call.
    pub fn machine(&mut self, records: &Records, step: usize) -> &Machine {
        let step = step.min(records.all().len());
        let at = self.snapshots.partition_point(|s| s.step <= step);
        let near = self.snapshots.get(at.saturating_sub(1));
        let from = near.map_or(0, |s| s.step);
        let (here, machine) = &mut self.cursor;
        if let Some(near) = near.filter(|_| !(from..=step).contains(here)) {
            *here = near.step;
            machine.clone_from(&near.machine);
        }
        for record in records.all().get(*here..step).unwrap_or(&[]) {
            for made in records.made(record) {
                again(machine, made);
            }
        }
        *here = step;
        machine
    }
}

fn again(machine: &mut Machine, made: &Made) {
    match made {
        Made::Call(by, call) => {
            machine.call(*by, call);
        }
        Made::Pattern(pattern) => {
            pattern::run(machine, pattern, &mut |_| true);
        }
        Made::SetBrk(start, brk) => machine.set_brk(ProcessId::default(), *start, *brk),
    }
}

/// A rough size: mappings and touched pages.
fn estimate(machine: &Machine) -> u64 {
    let mappings = machine.mappings(ProcessId::default());
    let pages = mappings
        .iter()
        .map(|m| m.rss >> machine.page_size().shift());
    pages.sum::<u64>() * 32 + mappings.len() as u64 * 256
}
