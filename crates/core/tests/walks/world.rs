//! A process that is made ready for the call that counts.

use sealab_core::addr::PageSize;
use sealab_core::call::{Call, MemorySystem, Outcome, ProcessId};
use sealab_core::flags::{MapFlags, Prot};
use sealab_core::kernel::Kernel;
use sealab_core::machine::{Config, Machine, WalkRecord};
use sealab_core::meter::Counts;
use sealab_core::paging::{Arch, MemoryDesign};

use crate::process;

pub const PAGE: u64 = 4096;
/// Bytes of each VMA that is operated on.
pub const VMA: u64 = 4 * PAGE;
/// Where they are.
pub const BASE: u64 = 0x100_0000_0000;
pub const READ: Prot = Prot::READ;
pub const READ_WRITE: Prot = Prot::READ.union(Prot::WRITE);
pub const NONE: MapFlags = MapFlags::empty();
const PROCESS: ProcessId = ProcessId(0);

/// What an operation was run in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Setting {
    /// VMAs operated on; for heights, the pattern in which they are made.
    pub k: u64,
    /// Other VMAs, half of them below and half above.
    pub others: u64,
    /// Whether something is mapped on either side of what is operated on.
    pub touching: bool,
    /// Whether its pages were written before.
    pub written: bool,
}

/// What the counted call did.
pub struct Measured {
    pub outcome: Outcome,
    pub counts: Counts,
    pub walks: Vec<WalkRecord>,
    /// The heights that the tree of the kernel may have.
    pub height: std::ops::RangeInclusive<u32>,
}

/// A process that is being made ready for the counted call.
pub struct World {
    machine: Machine,
    pub setting: Setting,
}

impl World {
    pub fn new(kernel: &'static Kernel, setting: Setting) -> Self {
        let memory = MemoryDesign::from_parts("x86-64".into(), PageSize::K4).on(Arch::X86_64);
        let mut config = Config::new(kernel, memory);
        config.start = process::start();
        config.limits.privileged = true;
        Self {
            machine: Machine::new(config),
            setting,
        }
    }

    /// All bytes of what is operated on.
    pub fn len(&self) -> u64 {
        self.setting.k * VMA
    }

    /// A call that makes things ready: it must succeed.
    pub fn make(&mut self, call: &Call) -> u64 {
        match self.machine.call(PROCESS, call) {
            Outcome::Value(value) => value,
            other => panic!("{call:?}: {other:?}"),
        }
    }

    pub fn map(&mut self, addr: u64, len: u64, prot: Prot, flags: MapFlags) {
        let flags = flags | MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE;
        assert_eq!(self.make(&mmap_call(addr, len, prot, flags)), addr);
    }

    pub fn map_shared(&mut self, addr: u64) {
        let flags = MapFlags::SHARED | MapFlags::FIXED_NOREPLACE;
        assert_eq!(self.make(&mmap_call(addr, PAGE, READ, flags)), addr);
    }

    pub fn unmap(&mut self, addr: u64, len: u64) {
        self.make(&Call::Munmap { addr, len });
    }

    pub fn seal(&mut self, addr: u64, len: u64) {
        self.make(&Call::Mseal {
            addr,
            len,
            flags: 0,
        });
    }

    /// Writes a byte of every page.
    pub fn write(&mut self, addr: u64, len: u64) {
        self.make(&Call::Store { addr, len });
    }

    /// The call that counts.
    pub fn measure(&mut self, call: &Call) -> Measured {
        self.machine.set_tracing(true);
        let before = *self.machine.counts();
        let outcome = self.machine.call(PROCESS, call);
        Measured {
            outcome,
            counts: self.machine.counts().since(&before),
            walks: self.machine.trace().walks.clone(),
            height: self.machine.tree_height(PROCESS),
        }
    }

    /// Isolated one-page VMAs on both sides, far enough away to matter to nothing.
    pub fn others(&mut self) {
        let below = self.setting.others / 2;
        let prot = |i: u64| if i % 2 == 1 { READ } else { READ_WRITE };
        for i in 1..=below {
            self.map(BASE - 16 * PAGE - i * 2 * PAGE, PAGE, prot(i), NONE);
        }
        for i in 1..=self.setting.others - below {
            self.map(BASE + 8192 * PAGE + i * 2 * PAGE, PAGE, prot(i), NONE);
        }
    }

    /// `n` touching VMAs that cannot merge, whatever is done to all of them alike.
    pub fn build(&mut self, n: u64, prot: Prot) {
        for i in 0..n {
            let flags = if i % 2 == 1 {
                MapFlags::NORESERVE
            } else {
                NONE
            };
            self.map(BASE + i * VMA, VMA, prot, flags);
        }
        if self.setting.touching {
            self.map_shared(BASE - PAGE);
            self.map_shared(BASE + n * VMA);
        }
        if self.setting.written && prot.contains(Prot::WRITE) {
            self.write(BASE, n * VMA);
        }
    }

    /// What is operated on, with the VMA sealed that `-sealN` names.
    pub fn build_sealed(&mut self, operation: &str, prot: Prot) {
        self.build(self.setting.k, prot);
        let sealed = operation
            .rsplit_once("-seal")
            .and_then(|(_, number)| number.parse::<u64>().ok());
        if let Some(sealed) = sealed {
            self.seal(BASE + sealed * VMA, VMA);
        }
    }
}

/// An anonymous mapping.
pub fn mmap_call(addr: u64, len: u64, prot: Prot, flags: MapFlags) -> Call {
    Call::Mmap {
        addr,
        len,
        prot: prot.bits(),
        flags: (flags | MapFlags::ANONYMOUS).bits(),
        fd: -1,
        offset: 0,
    }
}
