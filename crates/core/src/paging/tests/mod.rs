//! Pages driven through the machine's calls.

mod blocks;
mod files;
mod invariants;
mod random;
mod table;

use super::{MemoryDesign, PageState, THP_DIR};
use crate::addr::{AddrRange, PageSize};
use crate::call::{Call, MemorySystem as _, Outcome, ProcessId};
use crate::flags::{MapFlags, MremapFlags, Prot, madv};
use crate::kernel::{Kernel, KernelId};
use crate::machine::{Config, Machine};
use crate::meter::{Counter, Counts};

/// Where tests map: aligned to everything.
const BASE: u64 = 0x100_0000_0000;

/// A machine with one process and short names for its calls.
struct Lab {
    machine: Machine,
    page: u64,
}

impl Lab {
    fn new(kernel: KernelId, design: MemoryDesign) -> Self {
        let page = design.page_size.bytes();
        let mut config = Config::new(Kernel::by_id(kernel), design);
        config.limits.task_size = 1 << 47;
        Self {
            machine: Machine::new(config),
            page,
        }
    }

    /// 4K pages with contiguous PTEs and 64K folios, nothing else.
    fn contpte(kernel: KernelId) -> Self {
        let design = MemoryDesign::from_parts("test".into(), PageSize::K4)
            .with_anon_folio(64 << 10)
            .with_contpte(super::ContPte::Merged);
        Self::new(kernel, design)
    }

    fn call_by(&mut self, by: u32, call: Call) -> Outcome {
        self.machine.call(ProcessId(by), &call)
    }

    fn ok(&mut self, call: Call) -> u64 {
        match self.call_by(0, call.clone()) {
            Outcome::Value(value) => value,
            other => panic!("{call:?}: {other:?}"),
        }
    }

    /// Maps private anonymous memory of `pages` pages at page `at` of the test's area.
    fn map(&mut self, at: u64, pages: u64) {
        self.map_with(at, pages, MapFlags::PRIVATE | MapFlags::ANONYMOUS, -1);
    }

    fn map_with(&mut self, at: u64, pages: u64, flags: MapFlags, fd: i32) {
        let addr = self.addr(at);
        let len = pages * self.page;
        self.ok(Call::Mmap {
            addr,
            len,
            prot: (Prot::READ | Prot::WRITE).bits(),
            flags: (flags | MapFlags::FIXED).bits(),
            fd,
            offset: 0,
        });
    }

    fn addr(&self, page: u64) -> u64 {
        BASE + page * self.page
    }

    fn range(&self, at: u64, pages: u64) -> AddrRange {
        AddrRange::new(self.addr(at), self.addr(at + pages))
    }

    fn store(&mut self, at: u64, pages: u64) {
        let AddrRange { start, end } = self.range(at, pages);
        self.ok(Call::Store {
            addr: start,
            len: end - start,
        });
    }

    fn load(&mut self, at: u64, pages: u64) {
        let AddrRange { start, end } = self.range(at, pages);
        self.ok(Call::Load {
            addr: start,
            len: end - start,
        });
    }

    fn protect(&mut self, at: u64, pages: u64, prot: Prot) {
        let AddrRange { start, end } = self.range(at, pages);
        self.ok(Call::Mprotect {
            addr: start,
            len: end - start,
            prot: prot.bits(),
        });
    }

    fn advise(&mut self, at: u64, pages: u64, advice: i32) {
        let AddrRange { start, end } = self.range(at, pages);
        self.ok(Call::Madvise {
            addr: start,
            len: end - start,
            advice,
        });
    }

    fn unmap(&mut self, at: u64, pages: u64) {
        let AddrRange { start, end } = self.range(at, pages);
        self.ok(Call::Munmap {
            addr: start,
            len: end - start,
        });
    }

    fn shift(&mut self, from: u64, pages: u64, to: u64) {
        let AddrRange { start, end } = self.range(from, pages);
        let new_addr = self.addr(to);
        self.ok(Call::Mremap {
            addr: start,
            old_len: end - start,
            new_len: end - start,
            flags: (MremapFlags::MAYMOVE | MremapFlags::FIXED).bits(),
            new_addr,
        });
    }

    fn fork(&mut self) -> u32 {
        u32::try_from(self.ok(Call::Fork)).unwrap()
    }

    fn set(&mut self, file: &str, value: &str) {
        self.machine
            .memory_mut()
            .set_sysfs(&format!("{THP_DIR}{file}"), value)
            .unwrap();
    }

    /// One letter a page: `.` nothing, `z` zero page, `n` PROT_NONE, `g` guard, `B` PMD block,
    /// `C` contiguous, `h` page of a large folio, `p` single page. Upper case otherwise: as named.
    fn map_of(&mut self, by: u32, at: u64, pages: u64) -> String {
        let range = self.range(at, pages);
        let states = self.machine.pages(ProcessId(by), range);
        (at..at + pages)
            .map(|page| {
                let addr = self.addr(page);
                states.iter().find(|s| s.addr == addr).map_or('.', letter)
            })
            .collect()
    }

    fn page_at(&mut self, by: u32, at: u64) -> Option<PageState> {
        let range = self.range(at, 1);
        self.machine.pages(ProcessId(by), range).first().copied()
    }

    /// What `work` counts.
    fn counted(&mut self, work: impl FnOnce(&mut Self)) -> Counts {
        let before = *self.machine.counts();
        work(self);
        self.machine.counts().since(&before)
    }
}

fn letter(s: &PageState) -> char {
    if s.marker.is_some() {
        'g'
    } else if s.zero {
        'z'
    } else if s.prot_none {
        'n'
    } else if s.level == super::Level::Pmd {
        'B'
    } else if s.contiguous {
        'C'
    } else if s.order > 0 {
        'h'
    } else {
        'p'
    }
}
