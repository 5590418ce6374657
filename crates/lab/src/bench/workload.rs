//! Workloads: what a scenario's faults, page tables and TLBs do under memory designs.

use sealab_core::call::{MemorySystem as _, ProcessId};
use sealab_core::flags::Prot;
use sealab_core::kernel::Kernel;
use sealab_core::machine::Machine;
use sealab_core::meter::Counts;
use sealab_core::paging::{MemoryDesign, MmId};
use sealab_core::tlb::{Kind, NEOVERSE_N1, Tlb};

use super::BenchError;
use super::runner;
use crate::random::Rng;

/// Accesses of each kind whose translations are looked up.
const ACCESSES: u64 = 200_000;
/// The place of an access is the least of so many even draws: most go to a small part, few far.
const DRAWS: u32 = 8;
/// The stretch of a workload's text in which all is given back.
const END: &str = "measure \"end\"";

/// What a workload did under a memory design.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Everything that was counted, giving back included.
    pub counts: Counts,
    /// Bytes resident when all was mapped.
    pub resident: u64,
    /// Page-table walks of fetches.
    pub fetch_walks: u64,
    /// Page-table walks of loads and stores.
    pub data_walks: u64,
}

/// The memory that a workload uses again and again: start and length of each stretch.
#[derive(Clone, Debug, Default)]
pub struct Used {
    code: Stretches,
    data: Stretches,
}

/// Stretches of memory taken together.
#[derive(Clone, Debug, Default)]
struct Stretches {
    /// Each with its place among all: where the next one begins, and its own start and length.
    all: Vec<(u64, u64, u64)>,
    total: u64,
}

impl Stretches {
    fn push(&mut self, start: u64, len: u64) {
        self.total = self.total.saturating_add(len);
        self.all.push((self.total, start, len));
    }

    /// An address in them: hot at one end, and colder the farther from it.
    fn place(&self, random: &mut Rng) -> Option<u64> {
        let at = (0..DRAWS).map(|_| random.below(self.total)).min()?;
        let index = self.all.partition_point(|&(end, ..)| end <= at);
        let &(end, start, len) = self.all.get(index)?;
        Some(start + (at + len - end))
    }
}

/// What `text` uses, as it is resident in single 4K pages: writable mappings are filled from their
/// start.
///
/// # Errors
/// As [`runner::run`].
pub fn used(
    text: &str,
    kernel: &'static Kernel,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Used, BenchError> {
    let machine = peak(text, kernel, &MemoryDesign::BASELINE_4K, go_on)?;
    let mut used = Used::default();
    for mapping in machine.mappings(ProcessId::default()) {
        let (start, len) = (mapping.range.start, mapping.range.len());
        if mapping.rss == 0 {
            continue;
        }
        if mapping.prot.contains(Prot::EXEC) {
            used.code.push(start, len);
        } else if mapping.prot.contains(Prot::WRITE) {
            used.data.push(start, mapping.rss.min(len));
        }
    }
    Ok(used)
}

/// The machine when everything is mapped.
fn peak(
    text: &str,
    kernel: &'static Kernel,
    memory: &MemoryDesign,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Machine, BenchError> {
    let mapped = text.split(END).next().unwrap_or(text);
    Ok(runner::run(mapped, kernel, memory, go_on)?.machine)
}

/// Runs `text` whole for its counts, and looks the translations of `used` up as they are when
/// everything is mapped.
///
/// # Errors
/// As [`runner::run`].
pub fn observe(
    text: &str,
    used: &Used,
    kernel: &'static Kernel,
    memory: &MemoryDesign,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Observed, BenchError> {
    let whole = runner::run(text, kernel, memory, go_on)?;
    let machine = peak(text, kernel, memory, go_on)?;
    let process = ProcessId::default();
    let mapped = machine.mappings(process);
    let (fetch_walks, data_walks) = walks(&machine, used, memory);
    Ok(Observed {
        counts: *whole.machine.counts(),
        resident: mapped.iter().map(|m| m.rss).sum(),
        fetch_walks,
        data_walks,
    })
}

/// Page-table walks of fetches and of data accesses, on a Neoverse N1.
fn walks(machine: &Machine, used: &Used, memory: &MemoryDesign) -> (u64, u64) {
    let Some(table) = machine.page_table(ProcessId::default()) else {
        return (0, 0);
    };
    let mut tlb = Tlb::new(&NEOVERSE_N1, memory.page_size);
    let mut random = Rng::new(1);
    let (mut fetch_walks, mut data_walks) = (0, 0);
    for _ in 0..ACCESSES {
        for (kind, ranges, walks) in [
            (Kind::Fetch, &used.code, &mut fetch_walks),
            (Kind::Data, &used.data, &mut data_walks),
        ] {
            let Some(addr) = ranges.place(&mut random) else {
                continue;
            };
            let before = tlb.stats().walks;
            let found = tlb.access(MmId(1), addr, kind, || table.translation(addr));
            // What is not mapped is a fault, which is counted elsewhere.
            if found.is_some() {
                *walks += tlb.stats().walks - before;
            }
        }
    }
    (fetch_walks, data_walks)
}
