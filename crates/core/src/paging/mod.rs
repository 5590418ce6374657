//! Page tables, folios and the faults that fill them.
//!
//! [`PhysMem`] is the machine's: folios, page cache and sysfs settings. A [`PageTable`] is one
//! process's. [`Paging`] borrows one of each for the length of one operation and carries the
//! operations that system calls and accesses need.
//!
//! A call's way: the access is tried with [`Paging::hardware_access`]; where that says no, the
//! caller looks the VMA up, checks its protection and calls [`Paging::fault`]. System calls use
//! [`Paging::unmap`], [`Paging::protect`], [`Paging::move_range`], [`Paging::fork`] and
//! [`Paging::madvise`], each on one VMA at a time. All of them change entries only through the
//! doors in `contpte`, which is where contiguous blocks are folded and unfolded.

mod advice;
mod anon;
mod around;
mod cache;
mod contpte;
mod cow;
mod design;
mod entry;
mod fault;
mod filemap;
mod fold;
mod folio;
mod fork;
mod log;
mod mem;
mod protect;
mod readahead;
mod reclaim;
mod relocate;
mod settings;
mod shmem;
mod split;
mod state;
mod table;
mod thp;
mod zap;

#[cfg(test)]
mod tests;

pub use cache::FileSystem;
pub use design::{Arch, ContPte, DESIGNS, MemoryDesign};
pub use log::{EventKind, PageEvent, PageLog, Reason, TlbFlush};
pub use mem::PhysMem;
pub use settings::{FAULT_AROUND, READ_AHEAD, ShmemHuge, THP_DIR};
pub use state::{Level, Marker, PageState, pages as page_states};
pub use table::PageTable;

use crate::file::{Files, InodeId};
use crate::meter::Counts;

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
    /// log2 of the page size.
    #[inline]
    fn page_shift(&self) -> u32 {
        self.mem.design.page_size.shift()
    }

    /// The page size in bytes.
    #[inline]
    fn page_bytes(&self) -> u64 {
        self.mem.design.page_size.bytes()
    }

    fn page_down(&self, addr: u64) -> u64 {
        self.mem.design.page_size.align_down(addr)
    }
}

/// Drops the page cache of `inode` from page offset `first` to `end` (truncate and hole punch).
/// The mappings must have been unmapped before: see [`Paging::unmap_file_pages`].
pub fn drop_file_pages(
    mem: &mut PhysMem,
    counts: &mut Counts,
    inode: InodeId,
    first: u64,
    end: u64,
) {
    mem.drop_file_pages(counts, inode, first, end);
}
