//! All of it together: processes, files and physical memory under one kernel.

use crate::addr::{AddrRange, PageSize};
use crate::call::{Call, Mapping, MemorySystem, Outcome, ProcessId};
use crate::errno::Errno;
use crate::kernel::Kernel;
use crate::meter::Counts;
use crate::paging::MemoryDesign;
use crate::start::StartState;

/// Limits and settings of the machine that calls can run into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// `vm.max_map_count`, in VMAs.
    pub max_map_count: u64,
    /// `RLIMIT_AS`, in bytes.
    pub rlimit_as: u64,
    /// `RLIMIT_DATA`, in bytes.
    pub rlimit_data: u64,
    /// `RLIMIT_MEMLOCK`, in bytes.
    pub rlimit_memlock: u64,
    /// `RLIMIT_STACK`, in bytes.
    pub rlimit_stack: u64,
    /// Physical memory and swap together, in bytes: what heuristic overcommit compares with.
    pub total_memory: u64,
    /// Hints below it are lifted to it (`vm.mmap_min_addr` and the LSM's limit).
    pub mmap_min_addr: u64,
    /// `vm.mmap_min_addr` alone: MAP_FIXED below it needs `CAP_SYS_RAWIO`.
    pub dac_mmap_min_addr: u64,
    /// End of user addresses.
    pub task_size: u64,
    /// Whether the process has root's capabilities.
    pub privileged: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_map_count: 65530,
            rlimit_as: u64::MAX,
            rlimit_data: u64::MAX,
            rlimit_memlock: 8 << 20,
            rlimit_stack: 8 << 20,
            total_memory: 24_683_652 << 10,
            mmap_min_addr: 0x10000,
            dac_mmap_min_addr: 0x1000,
            task_size: crate::start::TASK_SIZE_X86_64,
            privileged: false,
        }
    }
}

/// Everything a machine is made from.
#[derive(Clone, Debug)]
pub struct Config {
    /// The kernel it runs.
    pub kernel: &'static Kernel,
    /// Its pages, folios and contiguous-PTE rules.
    pub memory: MemoryDesign,
    /// Its limits.
    pub limits: Limits,
    /// The first process's address space.
    pub start: StartState,
}

impl Config {
    /// `kernel` and `memory` with ordinary limits and a bare process.
    #[must_use]
    pub fn new(kernel: &'static Kernel, memory: MemoryDesign) -> Self {
        Self {
            kernel,
            limits: Limits::default(),
            start: StartState::bare(memory.page_size),
            memory,
        }
    }
}

/// What a call did to a stretch of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChangeKind {
    /// New memory was mapped there.
    Mapped,
    /// What was mapped there is gone.
    Unmapped,
    /// Its protection changed.
    Protected,
    /// It was sealed.
    Sealed,
    /// Other flags of it changed (advice, locks).
    Flagged,
    /// Its pages' contents were dropped.
    Discarded,
    /// A mapping was cut in two at `range.start` (an empty range); its flags are as before.
    Split,
    /// Two mappings became one at `range.start` (an empty range).
    Merged,
}

/// One change a call made, in the order it was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    /// Where.
    pub range: AddrRange,
    /// What.
    pub kind: ChangeKind,
}

/// One descent of the VMA tree, with the kernel functions that led to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WalkRecord {
    /// The kernel's names, innermost first, for example
    /// `["vma_lookup", "vma_to_resize", "mremap_to", "mremap"]`.
    pub chain: Vec<&'static str>,
}

/// What is known of the latest call besides its outcome.
#[derive(Clone, Debug, Default)]
pub struct CallTrace {
    /// What it changed, in order.
    pub changes: Vec<Change>,
    /// Its tree walks; empty unless tracing is on.
    pub walks: Vec<WalkRecord>,
    /// Something a reader must be told, for example that the posted patch is undefined here.
    pub remarks: Vec<&'static str>,
}

/// A machine: processes, files and memory under one kernel.
#[derive(Clone, Debug)]
pub struct Machine {
    config: Config,
    counts: Counts,
    trace: CallTrace,
}

impl Machine {
    /// A machine with one process in its start state.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            counts: Counts::default(),
            trace: CallTrace::default(),
        }
    }

    /// The kernel it runs.
    #[must_use]
    pub fn kernel(&self) -> &'static Kernel {
        self.config.kernel
    }

    /// Its page size.
    #[must_use]
    pub fn page_size(&self) -> PageSize {
        self.config.memory.page_size
    }

    /// Everything counted since it was made.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What the latest call did.
    #[must_use]
    pub fn trace(&self) -> &CallTrace {
        &self.trace
    }

    /// Whether walks are recorded with their call chains (off: only counted).
    pub fn set_tracing(&mut self, _on: bool) {}

    /// Sets the break of a process whose heap its maps do not show.
    pub fn set_brk(&mut self, _of: ProcessId, _start_brk: u64, _brk: u64) {}

    /// How many VMAs process `of` has (`mm->map_count`).
    #[must_use]
    pub fn map_count(&self, _of: ProcessId) -> usize {
        0
    }
}

impl MemorySystem for Machine {
    fn call(&mut self, _by: ProcessId, _call: &Call) -> Outcome {
        Outcome::Errno(Errno::ENOSYS)
    }

    fn mappings(&self, _of: ProcessId) -> Vec<Mapping> {
        Vec::new()
    }
}
