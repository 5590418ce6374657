//! One process's memory descriptor (`mm_struct`): its VMAs, its page table and its accounts.

use crate::addr::{AddrRange, PageSize};
use crate::call::Mapping;
use crate::errno::Errno;
use crate::file::FdTable;
use crate::flags::VmFlags;
use crate::machine::Limits;
use crate::paging::PageTable;
use crate::vma::area::Vma;
use crate::vma::tree::VmaTree;

/// A process: its memory and its descriptors.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its memory.
    pub mm: Mm,
    /// Its open files by number.
    pub fds: FdTable,
    /// What maps lists that is no VMA: `[vsyscall]`.
    pub outside: Vec<Mapping>,
    /// Whether it still runs.
    pub alive: bool,
}

impl Process {
    /// Resident bytes of `range`.
    pub fn rss(&self, range: AddrRange) -> u64 {
        let known_before: u64 = self
            .mm
            .resident_before
            .iter()
            .filter(|(at, _)| range.start <= at.start && at.end <= range.end)
            .map(|(_, bytes)| bytes)
            .sum();
        // Pages brought in since may be some of those that were there before.
        (self.mm.pages.rss(range).0 + known_before).min(range.len())
    }
}

/// A process's memory.
#[derive(Clone, Debug)]
pub struct Mm {
    /// Its VMAs.
    pub tree: VmaTree,
    /// Its page table.
    pub pages: PageTable,
    /// Start of the heap.
    pub start_brk: u64,
    /// The break: exactly as set, not rounded.
    pub brk: u64,
    /// Whether the break is known; a recording's first `brk(NULL)` tells it otherwise.
    pub brk_known: bool,
    /// Top of the area that mmap fills downwards.
    pub mmap_base: u64,
    /// The address in the mapping that is `[stack]`.
    pub start_stack: u64,
    /// Pages mapped.
    pub total_vm: u64,
    /// Private writable pages that are no stack.
    pub data_vm: u64,
    /// Locked pages.
    pub locked_vm: u64,
    /// Flags every new mapping gets (mlockall with MCL_FUTURE).
    pub def_flags: VmFlags,
    /// Resident bytes of mappings that were there at the start, where it is not known which
    /// pages they are.
    pub resident_before: Vec<(AddrRange, u64)>,
}

/// `vma_is_stack_like` and `is_data_mapping`: private, writable and not a stack.
#[inline]
fn is_data(flags: VmFlags) -> bool {
    flags & (VmFlags::WRITE | VmFlags::SHARED | VmFlags::GROWSDOWN) == VmFlags::WRITE
}

impl Mm {
    /// `mm->map_count`.
    #[inline]
    pub fn map_count(&self) -> u64 {
        self.tree.len() as u64
    }

    /// `vm_stat_account`: `pages` more (or less) of a mapping with `flags`.
    #[inline]
    pub fn account(&mut self, flags: VmFlags, pages: i64) {
        self.total_vm = self.total_vm.saturating_add_signed(pages);
        if is_data(flags) {
            self.data_vm = self.data_vm.saturating_add_signed(pages);
        }
    }

    /// `may_expand_vm`: whether `pages` more with `flags` stay within RLIMIT_AS and RLIMIT_DATA.
    #[inline]
    pub fn may_expand(&self, limits: &Limits, page: PageSize, flags: VmFlags, pages: u64) -> bool {
        let shift = page.shift();
        if self.total_vm.saturating_add(pages) > limits.rlimit_as >> shift {
            return false;
        }
        !(is_data(flags) && self.data_vm.saturating_add(pages) > limits.rlimit_data >> shift)
    }

    /// `mlock_future_ok`: whether `bytes` more with `flags` may be locked.
    #[inline]
    pub fn may_lock_more(
        &self,
        limits: &Limits,
        page: PageSize,
        flags: VmFlags,
        bytes: u64,
    ) -> bool {
        if !flags.contains(VmFlags::LOCKED) || limits.privileged {
            return true;
        }
        let pages = (bytes >> page.shift()).saturating_add(self.locked_vm);
        pages <= limits.rlimit_memlock >> page.shift()
    }

    /// Whether `vma` shows as `[heap]` (`vma_is_initial_heap`).
    pub fn is_heap(&self, vma: &Vma) -> bool {
        vma.start < self.brk && vma.end > self.start_brk
    }

    /// Whether `vma` shows as `[stack]` (`vma_is_initial_stack`).
    pub fn is_stack(&self, vma: &Vma) -> bool {
        vma.start <= self.start_stack && vma.end >= self.start_stack
    }

    /// Bytes of `range` that are mapped (`count_vma_pages_range`).
    pub fn mapped_bytes(&self, range: AddrRange) -> u64 {
        let mut bytes = 0;
        let mut next = self.tree.find(range.start);
        while let Some(id) = next {
            let vma = self.tree.get(id);
            if vma.start >= range.end {
                break;
            }
            bytes += vma.range().intersect(range).len();
            next = self.tree.next(id);
        }
        bytes
    }
}

/// `security_vm_enough_memory_mm` under heuristic overcommit: only a request larger than all
/// memory and swap is refused.
///
/// # Errors
/// `ENOMEM`.
#[inline]
pub fn enough_memory(limits: &Limits, bytes: u64) -> Result<(), Errno> {
    if bytes > limits.total_memory {
        Err(Errno::ENOMEM)
    } else {
        Ok(())
    }
}
