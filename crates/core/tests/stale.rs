//! What the kernel invalidates is enough: whatever a program does, no TLB entry translates a page
//! that its page table does not map, or maps elsewhere.

use std::collections::HashMap;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Call, MemorySystem as _, ProcessId};
use sealab_core::flags::{MapFlags, Prot};
use sealab_core::kernel::Kernel;
use sealab_core::machine::{Config, Machine};
use sealab_core::paging::{MemoryDesign, MmId};
use sealab_core::tlb::NEOVERSE_N1;

const ARENA: u64 = 0x2000_0000_0000;
/// Units of 64 KiB that programs work in.
const UNITS: u64 = 16;
const UNIT: u64 = 64 << 10;

struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn range(&mut self, page: u64) -> (u64, u64) {
        let pages = UNITS * UNIT / page;
        let first = self.below(pages);
        let len = match self.below(4) {
            0 => 1,
            1 => self.below(4) + 1,
            2 => UNIT / page,
            _ => self.below(pages) + 1,
        };
        (ARENA + first * page, len.clamp(1, pages - first) * page)
    }

    fn call(&mut self, page: u64) -> Call {
        let (addr, len) = self.range(page);
        let prot = match self.below(4) {
            0 => Prot::empty(),
            1 => Prot::READ,
            _ => Prot::READ | Prot::WRITE,
        }
        .bits();
        match self.below(16) {
            0..=4 => Call::Store { addr, len },
            5..=7 => Call::Load { addr, len },
            8 => Call::Mmap {
                addr,
                len,
                prot: (Prot::READ | Prot::WRITE).bits(),
                flags: (MapFlags::PRIVATE | MapFlags::ANONYMOUS | MapFlags::FIXED).bits(),
                fd: -1,
                offset: 0,
            },
            9 => Call::Munmap { addr, len },
            10 | 11 => Call::Mprotect { addr, len, prot },
            12 => Call::Madvise {
                addr,
                len,
                // DONTNEED, FREE, COLD, COLLAPSE.
                advice: [4, 8, 20, 25][self.below(4) as usize],
            },
            13 => Call::Mremap {
                addr,
                old_len: len,
                new_len: len,
                // MAYMOVE | FIXED
                flags: 3,
                new_addr: ARENA + UNITS * UNIT + self.below(2 * UNIT / page) * page,
            },
            14 => Call::Fork,
            _ => Call::Mremap {
                addr: ARENA + UNITS * UNIT + self.below(2 * UNIT / page) * page,
                old_len: len,
                new_len: len,
                flags: 3,
                new_addr: addr,
            },
        }
    }
}

/// Where each page that some entry translates lies: folio and position.
type Places = HashMap<(MmId, u64), (u64, u32)>;

/// The places of all pages that entries translate; `Err` names one that is not mapped.
fn places(machine: &mut Machine) -> Result<Places, String> {
    let page = machine.page_size().bytes();
    let owners: HashMap<MmId, ProcessId> = (0..machine.process_count() as u32)
        .map(ProcessId)
        .filter_map(|p| Some((machine.page_table(p)?.mm(), p)))
        .collect();
    let mut places = Places::new();
    for array in machine.tlb().unwrap().contents() {
        for entry in array.entries {
            let owner = owners
                .get(&entry.mm)
                .ok_or(format!("{entry:?} is of nobody"))?;
            let range = AddrRange::new(entry.addr, entry.addr + (1 << entry.shift));
            let states = machine.pages(*owner, range);
            let valid = states.iter().filter(|s| s.present && !s.prot_none);
            if valid.count() as u64 != range.len() / page {
                return Err(format!("{entry:?} translates what is not mapped"));
            }
            for state in states {
                places.insert((entry.mm, state.addr), (state.folio, state.index));
            }
        }
    }
    Ok(places)
}

/// Runs a program; how many entries were looked at.
fn run(design: &MemoryDesign, kernel: &'static Kernel, seed: u64) -> usize {
    let mut machine = Machine::new(Config::new(kernel, design.clone()));
    machine.attach_tlb(&NEOVERSE_N1);
    let page = machine.page_size().bytes();
    let mut draw = Draw(seed * 2 + 1);
    let mut known = Places::new();
    let mut looked = 0;
    let all = Call::Mmap {
        addr: ARENA,
        len: UNITS * UNIT,
        prot: (Prot::READ | Prot::WRITE).bits(),
        flags: (MapFlags::PRIVATE | MapFlags::ANONYMOUS | MapFlags::FIXED).bits(),
        fd: -1,
        offset: 0,
    };
    machine.call(ProcessId(0), &all);
    for step in 0..200 {
        let mut by = ProcessId(draw.below(machine.process_count() as u64) as u32);
        let mut call = draw.call(page);
        if machine.process_count() > 3 && call == Call::Fork {
            call = Call::Exit;
            by = ProcessId(1);
        }
        let accessed = match call {
            Call::Load { addr, len } | Call::Store { addr, len } => {
                // A fault may map or copy around the page it is for.
                AddrRange::new(addr & !(UNIT - 1), (addr + len).next_multiple_of(UNIT))
            }
            _ => AddrRange::new(0, 0),
        };
        machine.call(by, &call);
        let now = places(&mut machine).unwrap_or_else(|fault| {
            panic!(
                "{} {} seed {seed} step {step}: {call:?}: {fault}",
                design.name, kernel.name
            )
        });
        for (&(mm, addr), place) in &now {
            let before = known.get(&(mm, addr)).filter(|_| !accessed.contains(addr));
            assert!(
                before.is_none_or(|before| before == place),
                "{} {} seed {seed} step {step}: {call:?}: {addr:#x} moved from {before:?} to {place:?}",
                design.name,
                kernel.name
            );
        }
        looked += now.len();
        known = now;
    }
    looked
}

#[test]
fn no_entry_outlives_what_it_translates() {
    for name in [
        "contpte",
        "exefolio",
        "contpte-v1",
        "baseline-16k",
        "contpte-64k",
    ] {
        let design = MemoryDesign::by_name(name).unwrap();
        for kernel in ["6.8", "6.12", "7.x"] {
            let kernel = Kernel::by_name(kernel).unwrap();
            let looked: usize = (1..=12).map(|seed| run(design, kernel, seed)).sum();
            assert!(looked > 1000, "{name}: {looked}");
        }
    }
}

#[test]
fn blocks_that_change_without_invalidation_leave_nothing_stale() {
    let mut design = MemoryDesign::by_name("contpte").unwrap().clone();
    design.bbml2 = true;
    let kernel = Kernel::by_name("7.x").unwrap();
    for seed in 1..=12 {
        run(&design, kernel, seed);
    }
}
