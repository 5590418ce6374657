//! Page tables, folios and the faults that fill them.
//!
//! [`PhysMem`] is the machine's: folios, page cache and sysfs settings. A [`PageTable`] is one
//! process's. [`Paging`] borrows one of each for the length of one operation and carries the
//! operations that system calls and accesses need.

mod design;

pub use design::{Arch, ContPte, DESIGNS, MemoryDesign};

use crate::addr::{AddrRange, Bytes};
use crate::errno::Errno;
use crate::file::{Files, InodeId};
use crate::flags::VmFlags;
use crate::kernel::Kernel;
use crate::meter::Counts;
use crate::vma::area::Vma;

/// What an access wants to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Read a byte.
    Load,
    /// Write a byte.
    Store,
    /// Fetch an instruction.
    Exec,
}

/// How a page fault ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// The access can go on.
    Done,
    /// The mapping needs its `anon_vma` first (`anon_vma_prepare`). Nothing has changed and
    /// nothing was counted: set `vma.anon_vma` and call again.
    NeedAnonVma,
    /// Beyond the end of the file: SIGBUS.
    Bus,
    /// The machine has no page left.
    Oom,
    /// A guard page (MADV_GUARD_INSTALL): SIGSEGV.
    Guard,
}

/// Identity of an address space, unique for the life of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct MmId(pub u32);

/// Which table level an entry stands at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// A last-level entry: one page.
    Pte,
    /// A PMD entry that maps a whole block (2 MiB with 4K pages).
    Pmd,
}

/// What an entry that maps no page says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Marker {
    /// A guard page (MADV_GUARD_INSTALL).
    Guard,
}

/// One page of an address space as its page table has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PageState {
    /// Its first byte.
    pub addr: u64,
    /// Whether the entry maps a page (PROT_NONE entries do, markers do not).
    pub present: bool,
    /// Hardware may write through it.
    pub writable: bool,
    /// Was accessed.
    pub young: bool,
    /// Was written.
    pub dirty: bool,
    /// Part of a folded contiguous block.
    pub contiguous: bool,
    /// The shared zero page (or the huge one).
    pub zero: bool,
    /// Present for software, invalid for hardware.
    pub prot_none: bool,
    /// Instructions may be fetched.
    pub executable: bool,
    /// What an entry that maps nothing says.
    pub marker: Option<Marker>,
    /// The level of the entry that maps it.
    pub level: Level,
    /// Order of the folio it belongs to.
    pub order: u32,
    /// Position in that folio, in pages.
    pub index: u32,
    /// The folio's birth number: unique for the life of the machine. 0 for the zero page.
    pub folio: u64,
}

/// Physical memory: folios, page cache, sysfs settings.
#[derive(Clone, Debug)]
pub struct PhysMem {
    design: MemoryDesign,
    kernel: &'static Kernel,
    next_mm: u32,
}

impl PhysMem {
    /// Empty memory of that design under `kernel`.
    #[must_use]
    pub fn new(kernel: &'static Kernel, design: MemoryDesign) -> Self {
        Self {
            design,
            kernel,
            next_mm: 0,
        }
    }

    /// Its design.
    #[must_use]
    pub fn design(&self) -> &MemoryDesign {
        &self.design
    }

    /// The kernel it runs under.
    #[must_use]
    pub fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    /// An empty page table for a new process (or a new image after execve).
    pub fn new_table(&mut self) -> PageTable {
        self.next_mm = self.next_mm.wrapping_add(1);
        PageTable {
            mm: MmId(self.next_mm),
        }
    }

    /// Writes a sysfs file below `/sys/kernel/mm/transparent_hugepage/`.
    ///
    /// # Errors
    /// `ENOENT` for a file the kernel does not have, `EINVAL` for a value it does not take.
    pub fn set_sysfs(&mut self, _path: &str, _value: &str) -> Result<(), Errno> {
        Ok(())
    }
}

/// One process's page table. Sparse: untouched memory costs nothing.
#[derive(Clone, Debug)]
pub struct PageTable {
    mm: MmId,
}

impl PageTable {
    /// Whose it is.
    #[must_use]
    pub fn mm(&self) -> MmId {
        self.mm
    }

    /// Resident memory of `range`: what smaps' `Rss:` line says. The zero page does not count.
    #[must_use]
    pub fn rss(&self, _range: AddrRange) -> Bytes {
        Bytes(0)
    }

    /// Page-table pages in use, all levels.
    #[must_use]
    pub fn table_pages(&self) -> u64 {
        0
    }
}

/// Everything one operation on one process's pages needs, borrowed for its length.
#[derive(Debug)]
pub struct Paging<'a> {
    /// The process's page table.
    pub table: &'a mut PageTable,
    /// The machine's memory.
    pub mem: &'a mut PhysMem,
    /// The machine's files.
    pub files: &'a mut Files,
    /// Where work is counted.
    pub counts: &'a mut Counts,
}

impl Paging<'_> {
    /// What the hardware does with an access: true where the entry allows it (then young and
    /// dirty are set as hardware sets them), false where it is a page fault. Try it first; only
    /// a fault looks the VMA up.
    pub fn hardware_access(&mut self, _addr: u64, _access: Access) -> bool {
        true
    }

    /// Whether an access would be a page fault. Changes nothing.
    #[must_use]
    pub fn would_fault(&self, _addr: u64, _access: Access) -> bool {
        false
    }

    /// Whether a page is mapped at `addr` (zero page and PROT_NONE entries included).
    #[must_use]
    pub fn is_present(&self, _addr: u64) -> bool {
        false
    }

    /// Handles a page fault in `vma`, whose protection allows the access, and counts it.
    pub fn fault(&mut self, _vma: &Vma, _addr: u64, _access: Access) -> Fault {
        Fault::Done
    }

    /// Brings `range` of `vma` in as MAP_POPULATE and mlock do (`populate_vma_page_range`):
    /// writable private memory is written, other memory read.
    pub fn populate(&mut self, _vma: &Vma, _range: AddrRange) -> Fault {
        Fault::Done
    }

    /// Clears `range` of `vma` (munmap, MAP_FIXED, exit): entries go, folios that nobody maps
    /// any more are freed. TLB invalidations are gathered until [`Self::end_gather`].
    pub fn unmap(&mut self, _vma: &Vma, _range: AddrRange) {}

    /// Drops page-table pages that map nothing but `range`, whose mapped neighbours end at
    /// `floor` and start at `ceiling` (0: none above), as `free_pgtables` does.
    pub fn free_tables(&mut self, _range: AddrRange, _floor: u64, _ceiling: u64) {}

    /// Issues the TLB invalidation that [`Self::unmap`] gathered, if it cleared anything.
    pub fn end_gather(&mut self) {}

    /// `change_protection` for mprotect: `vma` has its new flags already, `old` are those before.
    pub fn protect(&mut self, _old: VmFlags, _vma: &Vma, _range: AddrRange) {}

    /// `move_page_tables` of mremap: entries of `old_start..+len` of `old` go to `new_start` of
    /// `new`. The target is unmapped.
    pub fn move_range(
        &mut self,
        _old: &Vma,
        _new: &Vma,
        _old_start: u64,
        _new_start: u64,
        _len: u64,
    ) {
    }

    /// `copy_page_range` of fork: `self` is the parent. VMAs that are not copied at all
    /// (MADV_DONTFORK) are the caller's; those the kernel copies no pages of (shared memory,
    /// private file memory never written, MADV_WIPEONFORK) are known here.
    pub fn fork(&mut self, _child: &mut PageTable, _parent_vma: &Vma, _child_vma: &Vma) {}

    /// What an advice does to the pages of `range`, which lies in `vma`.
    ///
    /// # Errors
    /// Those that depend on pages: see each advice.
    pub fn madvise(&mut self, _vma: &Vma, _range: AddrRange, _advice: i32) -> Result<(), Errno> {
        Ok(())
    }

    /// Clears the entries of `vma` that map pages `first..end` (page offsets) of `inode`:
    /// called for each mapping of the inode when the file is cut or a hole punched.
    pub fn unmap_file_pages(&mut self, _vma: &Vma, _inode: InodeId, _first: u64, _end: u64) {}

    /// mlock's effect on pages that are already there.
    pub fn mlock(&mut self, _vma: &Vma, _range: AddrRange) {}

    /// munlock's effect.
    pub fn munlock(&mut self, _vma: &Vma, _range: AddrRange) {}

    /// Resident memory of `range`.
    #[must_use]
    pub fn rss(&self, range: AddrRange) -> Bytes {
        self.table.rss(range)
    }

    /// The entries of `range` that are not empty, in address order.
    pub fn pages(&self, _range: AddrRange) -> impl Iterator<Item = PageState> + '_ {
        core::iter::empty()
    }
}

/// Drops the page cache of `inode` from page offset `first` to `end` (truncate and hole punch).
/// The mappings must have been unmapped before: see [`Paging::unmap_file_pages`].
pub fn drop_file_pages(
    _mem: &mut PhysMem,
    _counts: &mut Counts,
    _inode: InodeId,
    _first: u64,
    _end: u64,
) {
}
