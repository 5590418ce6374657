//! The address space a process starts with.

use std::sync::Arc;

use crate::addr::{AddrRange, PageSize};
use crate::flags::{Prot, VmFlags};

/// A mapping that is there before the first call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartMapping {
    /// Its addresses.
    pub range: AddrRange,
    /// Access it allows.
    pub prot: Prot,
    /// Whether the fourth letter of its maps line is `s`.
    pub shared: bool,
    /// Offset into its file, in bytes.
    pub offset: u64,
    /// Major and minor device number, `(0, 0)` without a file.
    pub dev: (u32, u32),
    /// Inode number, 0 without a file.
    pub inode: u64,
    /// The name column.
    pub name: Arc<str>,
    /// Its `VmFlags`, where smaps told; otherwise they follow from the above.
    pub flags: Option<VmFlags>,
    /// Its resident bytes, where smaps told.
    pub rss: Option<u64>,
}

/// Where a process starts from: its mappings, its break and where the kernel places new memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartState {
    /// What is mapped, in address order.
    pub mappings: Vec<StartMapping>,
    /// Start of the heap. `None`: not known from the mappings; the first `brk(NULL)` of a
    /// recording tells.
    pub start_brk: Option<u64>,
    /// The break in force.
    pub brk: Option<u64>,
    /// Top of the area that mmap fills downwards.
    pub mmap_base: u64,
    /// Where the stack began: the mapping that holds it is `[stack]`.
    pub start_stack: u64,
}

/// End of user addresses on x86-64 with four levels.
pub const TASK_SIZE_X86_64: u64 = 0x7fff_ffff_f000;
/// The mmap base of an x86-64 process without randomisation and with an 8 MiB stack limit.
pub const MMAP_BASE: u64 = 0x7fff_f7ff_f000;

impl StartState {
    /// A bare process as scenarios written by hand get it: a stack, a break far below it, and
    /// nothing else. Addresses are those of an x86-64 process without randomisation.
    #[must_use]
    pub fn bare(page: PageSize) -> Self {
        let top = page.align_down(TASK_SIZE_X86_64);
        let stack = AddrRange::new(top - 33 * page.bytes(), top);
        let brk = page.align_down(0x5555_5556_0000);
        Self {
            mappings: vec![StartMapping {
                range: stack,
                prot: Prot::READ | Prot::WRITE,
                shared: false,
                offset: 0,
                dev: (0, 0),
                inode: 0,
                name: Arc::from("[stack]"),
                flags: None,
                rss: None,
            }],
            start_brk: Some(brk),
            brk: Some(brk),
            mmap_base: page.align_down(MMAP_BASE),
            start_stack: top - page.bytes(),
        }
    }

    /// What a process's maps tell: the heap, and the mmap base as the end of the highest mapping
    /// below the stack (where the kernel puts the first thing it places).
    #[must_use]
    pub fn from_mappings(mappings: Vec<StartMapping>, page: PageSize) -> Self {
        let bare = Self::bare(page);
        let heap = mappings.iter().filter(|m| &*m.name == "[heap]");
        let start_brk = heap.clone().map(|m| m.range.start).min();
        let brk = heap.map(|m| m.range.end).max();
        let stack = mappings.iter().find(|m| &*m.name == "[stack]");
        let start_stack = stack.map_or(bare.start_stack, |m| m.range.end - page.bytes());
        let mmap_base = mappings
            .iter()
            .map(|m| m.range.end)
            .filter(|&end| stack.is_none_or(|s| end <= s.range.start) && end < TASK_SIZE_X86_64)
            .max()
            .unwrap_or(bare.mmap_base);
        Self {
            mappings,
            start_brk,
            brk,
            mmap_base,
            start_stack,
        }
    }
}
