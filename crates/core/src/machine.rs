//! All of it together: processes, files and physical memory under one kernel.

mod accesses;

use crate::addr::{AddrRange, PageSize, Pages};
use crate::call::{Call, Mapping, MappingFile, MemorySystem, Outcome, ProcessId};
use crate::cx::{Cx, Meter, Punch};
use crate::errno::Errno;
use crate::file::Files;
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use crate::meter::Counts;
use crate::mm::Process;
use crate::paging::{MemoryDesign, PageState, PageTable, Paging, PhysMem, drop_file_pages};
use crate::start::{self, StartState};
use crate::vma::area::{SpecialName, Vma};
use crate::vma::height;
use crate::vma::tree::VmaTree;

pub use accesses::{Accesses, At, MemoryUse};

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
    /// How far the disk's files are read ahead, in bytes (`read_ahead_kb`).
    pub read_ahead: u64,
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
            read_ahead: crate::paging::READ_AHEAD,
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

/// What a process is charged with, in pages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Accounts {
    /// Everything mapped (`total_vm`), held against RLIMIT_AS.
    pub total: Pages,
    /// Private writable memory that is no stack (`data_vm`), held against RLIMIT_DATA.
    pub data: Pages,
    /// Locked memory (`locked_vm`), held against RLIMIT_MEMLOCK.
    pub locked: Pages,
}

/// Most processes a machine has at a time: a scenario that forks in a loop ends there (`EAGAIN`).
const MAX_PROCESSES: usize = 64;

/// A machine: processes, files and memory under one kernel.
#[derive(Clone, Debug)]
pub struct Machine {
    config: Config,
    files: Files,
    mem: PhysMem,
    processes: Vec<Process>,
    meter: Meter,
    next_anon_vma: u32,
    punches: Vec<Punch>,
    hardware: Option<Box<Hardware>>,
}

impl Machine {
    /// A machine with one process in its start state.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let mut machine = Self {
            files: Files::default(),
            mem: PhysMem::new(config.kernel, config.memory.clone())
                .with_read_ahead(config.limits.read_ahead),
            processes: Vec::new(),
            meter: Meter::default(),
            next_anon_vma: 0,
            punches: Vec::new(),
            hardware: None,
            config,
        };
        let first = start::build(
            &machine.config,
            &mut machine.files,
            &mut machine.mem,
            &mut machine.next_anon_vma,
        );
        machine.processes.push(first);
        machine
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

    /// What it was made from.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Everything counted since it was made.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.meter.counts
    }

    /// What the latest call did.
    #[must_use]
    pub fn trace(&self) -> &CallTrace {
        &self.meter.trace
    }

    /// Its files.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Its physical memory.
    #[must_use]
    pub fn memory(&self) -> &PhysMem {
        &self.mem
    }

    /// Its physical memory, to change settings of.
    pub fn memory_mut(&mut self) -> &mut PhysMem {
        &mut self.mem
    }

    /// Whether walks are recorded with their call chains (off: only counted).
    pub fn set_tracing(&mut self, on: bool) {
        self.meter.tracing = on;
        self.meter.begin();
    }

    /// Sets the break of a process whose heap its maps do not show.
    pub fn set_brk(&mut self, of: ProcessId, start_brk: u64, brk: u64) {
        if let Some(process) = self.processes.get_mut(of.0 as usize) {
            process.mm.start_brk = start_brk;
            process.mm.brk = brk;
            process.mm.brk_known = true;
        }
    }

    /// Makes pages of a start mapping resident, those of `range` and no others: what is known of
    /// a process that has run before its first call here. Counts nothing.
    pub fn bring_in(&mut self, of: ProcessId, range: AddrRange) {
        let Some(process) = self.processes.get_mut(of.0 as usize) else {
            return;
        };
        let vmas: Vec<_> = process
            .mm
            .tree
            .iter()
            .map(|(_, vma)| *vma)
            .filter(|vma| vma.range().overlaps(range))
            .collect();
        for vma in vmas {
            let part = vma.range().intersect(range);
            start::bring_in_pages(&mut process.mm, &mut self.mem, &mut self.files, &vma, part);
        }
    }

    /// Whether the break of process `of` is known; if not, the first `brk(NULL)` of its recording
    /// tells it.
    #[must_use]
    pub fn is_brk_known(&self, of: ProcessId) -> bool {
        self.process(of).is_some_and(|p| p.mm.brk_known)
    }

    /// How many processes there have been.
    #[must_use]
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// Process `of`, while it lives.
    fn process(&self, of: ProcessId) -> Option<&Process> {
        self.processes.get(of.0 as usize).filter(|p| p.alive)
    }

    /// How many VMAs process `of` has (`mm->map_count`).
    #[must_use]
    pub fn map_count(&self, of: ProcessId) -> usize {
        self.process(of).map_or(0, |p| p.mm.tree.len())
    }

    /// The heights, in levels, that the tree of process `of`'s VMAs can have in the kernel: what a
    /// descent costs. Which it has depends on the order in which the VMAs came.
    #[must_use]
    pub fn tree_height(&self, of: ProcessId) -> std::ops::RangeInclusive<u32> {
        match self.process(of) {
            Some(process) => height::height(&process.mm.tree),
            None => 0..=0,
        }
    }

    /// What process `of` is charged with.
    #[must_use]
    pub fn accounts(&self, of: ProcessId) -> Accounts {
        self.process(of)
            .map_or_else(Accounts::default, |p| Accounts {
                total: Pages(p.mm.total_vm),
                data: Pages(p.mm.data_vm),
                locked: Pages(p.mm.locked_vm),
            })
    }

    /// The VMAs of process `of`, in address order.
    pub fn vmas(&self, of: ProcessId) -> impl Iterator<Item = &Vma> + '_ {
        self.process(of)
            .into_iter()
            .flat_map(|p| p.mm.tree.iter().map(|(_, vma)| vma))
    }

    /// The page table of process `of`.
    #[must_use]
    pub fn page_table(&self, of: ProcessId) -> Option<&PageTable> {
        self.process(of).map(|p| &p.mm.pages)
    }

    /// The pages of `range` of process `of` that are not empty, in address order.
    #[must_use]
    pub fn pages(&mut self, of: ProcessId, range: AddrRange) -> Vec<PageState> {
        let Some(process) = self.processes.get_mut(of.0 as usize).filter(|p| p.alive) else {
            return Vec::new();
        };
        Paging {
            table: &mut process.mm.pages,
            mem: &mut self.mem,
            files: &mut self.files,
            counts: &mut self.meter.counts,
        }
        .pages(range)
        .collect()
    }

    /// The context of a call made by process `by`.
    fn cx(&mut self, by: ProcessId) -> Option<Cx<'_>> {
        let process = self.processes.get_mut(by.0 as usize).filter(|p| p.alive)?;
        Some(Cx {
            kernel: self.config.kernel,
            limits: &self.config.limits,
            page: self.config.memory.page_size,
            mm: &mut process.mm,
            fds: &mut process.fds,
            files: &mut self.files,
            mem: &mut self.mem,
            meter: &mut self.meter,
            next_anon_vma: &mut self.next_anon_vma,
            punches: &mut self.punches,
            hardware: self.hardware.as_deref_mut(),
        })
    }

    /// Forgets what is known of the call before.
    fn begin(&mut self) {
        self.meter.begin();
        let log = &mut self.mem.log;
        if self.hardware.is_some() || log.on {
            log.clear();
        }
    }

    fn fork(&mut self, by: ProcessId) -> Result<u64, Errno> {
        if self.processes.len() >= MAX_PROCESSES {
            return Err(Errno::EAGAIN);
        }
        let mut cx = self.cx(by).ok_or(Errno::ESRCH)?;
        let mm = cx.fork_mm()?;
        if let Some(hardware) = cx.hardware {
            hardware.forked(cx.mm.pages.mm(), mm.pages.mm());
        }
        let parent = self.process(by).ok_or(Errno::ESRCH)?;
        let child = Process {
            mm,
            fds: parent.fds.clone(),
            outside: parent.outside.clone(),
            alive: true,
        };
        self.processes.push(child);
        Ok(self.processes.len() as u64 - 1)
    }

    /// Ends a process: everything it mapped goes.
    fn exit(&mut self, by: ProcessId) -> Result<u64, Errno> {
        self.cx(by).ok_or(Errno::ESRCH)?.unmap_everything();
        let process = &mut self.processes[by.0 as usize];
        process.alive = false;
        process.fds.clear();
        Ok(0)
    }

    /// A new image: the old memory is gone, seals and all; the new one is the start state.
    fn execve(&mut self, by: ProcessId) -> Result<u64, Errno> {
        self.cx(by).ok_or(Errno::ESRCH)?.unmap_everything();
        let fresh = start::build(
            &self.config,
            &mut self.files,
            &mut self.mem,
            &mut self.next_anon_vma,
        );
        let process = &mut self.processes[by.0 as usize];
        process.mm = fresh.mm;
        process.outside = fresh.outside;
        Ok(0)
    }

    /// Takes punched parts of files out of every mapping and out of the page cache.
    fn punch_holes(&mut self) {
        for punch in std::mem::take(&mut self.punches) {
            for process in self.processes.iter_mut().filter(|p| p.alive) {
                let mut paging = Paging {
                    table: &mut process.mm.pages,
                    mem: &mut self.mem,
                    files: &mut self.files,
                    counts: &mut self.meter.counts,
                };
                for (_, vma) in process.mm.tree.iter() {
                    let mapped = vma.file.map(|file| paging.files.inode_of(file));
                    if mapped == Some(punch.inode) {
                        let Punch {
                            inode,
                            first,
                            end,
                            cut,
                        } = punch;
                        if cut {
                            paging.truncate_file_pages(vma, inode, first, end);
                        } else {
                            paging.unmap_file_pages(vma, inode, first, end);
                        }
                        paging.unmap_split_folios(vma, inode, first, end);
                    }
                }
                paging.end_gather();
            }
            drop_file_pages(
                &mut self.mem,
                &mut self.meter.counts,
                punch.inode,
                punch.first,
                punch.end,
            );
        }
    }

    /// What maps shows of `vma`.
    fn mapping(&self, process: &Process, vma: &Vma) -> Mapping {
        let (file, offset, name) = match vma.file {
            Some(file) => {
                let inode = self.files.inode(self.files.inode_of(file));
                let file = MappingFile {
                    dev_major: inode.dev_major,
                    dev_minor: inode.dev_minor,
                    inode: inode.number,
                };
                (
                    file,
                    vma.pgoff << self.page_size().shift(),
                    inode.name.clone(),
                )
            }
            None => {
                let name = match vma.special {
                    SpecialName::Vdso => "[vdso]",
                    SpecialName::Vvar => "[vvar]",
                    SpecialName::VvarVclock => "[vvar_vclock]",
                    _ if process.mm.is_heap(vma) => "[heap]",
                    _ if process.mm.is_stack(vma) => "[stack]",
                    _ => "",
                };
                (MappingFile::default(), 0, name.into())
            }
        };
        Mapping {
            range: vma.range(),
            prot: vma.flags.prot(),
            shared: vma.flags.contains(crate::flags::VmFlags::MAYSHARE),
            offset,
            file,
            name,
            flags: vma.flags,
            rss: process.rss(vma.range()),
        }
    }
}

impl Cx<'_> {
    /// `exit_mmap`: seals do not stop it.
    fn unmap_everything(&mut self) {
        self.paging().begin_exit();
        let tree = std::mem::take(&mut self.mm.tree);
        for (_, vma) in tree.iter() {
            self.paging().unmap(vma, vma.range());
        }
        self.paging().free_tables(AddrRange::new(0, u64::MAX), 0, 0);
        self.paging().end_gather();
        self.mm.tree = VmaTree::default();
        if let Some(hardware) = self.hardware.as_deref_mut() {
            hardware.ended(self.mm.pages.mm());
        }
    }
}

impl MemorySystem for Machine {
    fn call(&mut self, by: ProcessId, call: &Call) -> Outcome {
        self.begin();
        let outcome = match call {
            Call::Fork => self.fork(by).into(),
            Call::Exit => self.exit(by).into(),
            Call::Execve { .. } => self.execve(by).into(),
            _ => match self.cx(by) {
                Some(mut cx) => cx.dispatch(call),
                None => Outcome::Errno(Errno::ESRCH),
            },
        };
        if !self.punches.is_empty() {
            self.punch_holes();
        }
        if let Some(hardware) = &mut self.hardware {
            let mm = self.processes.get(by.0 as usize).map(|p| p.mm.pages.mm());
            hardware.called(mm, call, outcome, &self.meter.trace, &mut self.mem.log);
        }
        outcome
    }

    fn mappings(&self, of: ProcessId) -> Vec<Mapping> {
        let Some(process) = self.process(of) else {
            return Vec::new();
        };
        let mut all: Vec<_> = process
            .mm
            .tree
            .iter()
            .map(|(_, vma)| self.mapping(process, vma))
            .collect();
        all.extend(process.outside.iter().cloned());
        all
    }
}
