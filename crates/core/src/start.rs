//! The address space a process starts with.

use std::sync::Arc;

use crate::addr::{AddrRange, PageSize};
use crate::call::{Mapping, MappingFile};
use crate::file::{FdTable, FileId, Files, Inode, InodeKind};
use crate::flags::{Prot, VmFlags};
use crate::machine::Config;
use crate::meter::Counts;
use crate::mm::{Mm, Process};
use crate::paging::{Access, FAULT_AROUND, Paging, PhysMem};
use crate::vma::area::{AnonVma, AnonVmaId, SpecialName, Vma};
use crate::vma::tree::VmaTree;

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
            start_stack: top - page.bytes() / 2,
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
        // Inside the last page, below the arguments: never at a page's first byte.
        let start_stack = stack.map_or(bare.start_stack, |m| m.range.end - page.bytes() / 2);
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

/// The first process of a machine.
pub(crate) fn build(
    config: &Config,
    files: &mut Files,
    mem: &mut PhysMem,
    next_anon_vma: &mut u32,
) -> Process {
    let start = &config.start;
    let page = config.memory.page_size;
    let mut mm = Mm {
        tree: VmaTree::default(),
        pages: mem.new_table(),
        start_brk: start.start_brk.unwrap_or(0),
        brk: start.brk.unwrap_or(0),
        brk_known: start.brk.is_some(),
        mmap_base: start.mmap_base,
        start_stack: start.start_stack,
        total_vm: 0,
        data_vm: 0,
        locked_vm: 0,
        def_flags: VmFlags::empty(),
        resident_before: Vec::new(),
    };
    let mut outside = Vec::new();
    let mut opened: Vec<(StartFile<'_>, FileId)> = Vec::new();
    for m in &start.mappings {
        if m.range.end > config.limits.task_size {
            outside.push(as_listed(m));
            continue;
        }
        let vma = start_vma(m, page, files, &mut opened, next_anon_vma);
        mm.account(vma.flags, (vma.len() >> page.shift()).cast_signed());
        mm.tree.insert(vma);
        bring_in(&mut mm, mem, files, &vma, m.rss);
    }
    Process {
        mm,
        fds: FdTable::new(),
        outside,
        alive: true,
    }
}

/// What identifies a start mapping's file: one open file for all mappings of it, as the loader
/// makes them.
type StartFile<'a> = (u32, u32, u64, &'a str);

fn start_vma<'a>(
    m: &'a StartMapping,
    page: PageSize,
    files: &mut Files,
    opened: &mut Vec<(StartFile<'a>, FileId)>,
    next_anon_vma: &mut u32,
) -> Vma {
    let special = match &*m.name {
        "[stack]" => SpecialName::Stack,
        "[vdso]" => SpecialName::Vdso,
        "[vvar]" => SpecialName::Vvar,
        "[vvar_vclock]" => SpecialName::VvarVclock,
        _ => SpecialName::None,
    };
    let file = (m.inode != 0 || m.dev != (0, 0)).then(|| {
        let key = (m.dev.0, m.dev.1, m.inode, &*m.name);
        if let Some((_, file)) = opened.iter().find(|(k, _)| *k == key) {
            return *file;
        }
        let inode = files.add_path(
            m.name.clone(),
            Inode {
                kind: if m.dev.0 == 0 && m.shared {
                    InodeKind::Memfd
                } else {
                    InodeKind::Regular
                },
                dev_major: m.dev.0,
                dev_minor: m.dev.1,
                number: m.inode,
                name: m.name.clone(),
                size: None,
            },
        );
        let file = files.add_open(inode, true, m.shared && m.prot.contains(Prot::WRITE));
        opened.push((key, file));
        file
    });
    let flags = m.flags.unwrap_or_else(|| usual_flags(m, special));
    // A writable private mapping that has run for a while has been written.
    let written = flags & (VmFlags::WRITE | VmFlags::SHARED) == VmFlags::WRITE
        || flags.contains(VmFlags::ACCOUNT);
    let anon_vma = (written && m.rss != Some(0)).then(|| {
        *next_anon_vma += 1;
        AnonVma {
            id: AnonVmaId(*next_anon_vma),
            chain: 1,
        }
    });
    Vma {
        start: m.range.start,
        end: m.range.end,
        flags,
        pgoff: if file.is_some() {
            m.offset >> page.shift()
        } else {
            m.range.start >> page.shift()
        },
        file,
        anon_vma,
        // The stack's name follows from where it is.
        special: if special == SpecialName::Stack {
            SpecialName::None
        } else {
            special
        },
    }
}

/// The flags a mapping like that usually has.
fn usual_flags(m: &StartMapping, special: SpecialName) -> VmFlags {
    let may = VmFlags::MAYREAD | VmFlags::MAYWRITE | VmFlags::MAYEXEC;
    let mut flags = VmFlags::from_prot(m.prot) | may;
    match special {
        SpecialName::Vdso => return flags | VmFlags::DONTEXPAND,
        SpecialName::Vvar | SpecialName::VvarVclock => {
            return VmFlags::from_prot(m.prot)
                | VmFlags::MAYREAD
                | VmFlags::PFNMAP
                | VmFlags::IO
                | VmFlags::DONTEXPAND
                | VmFlags::DONTDUMP;
        }
        SpecialName::Stack => flags |= VmFlags::GROWSDOWN,
        SpecialName::None => {}
    }
    if m.shared {
        flags |= VmFlags::SHARED | VmFlags::MAYSHARE;
    } else if m.prot.contains(Prot::WRITE) {
        flags |= VmFlags::ACCOUNT;
    }
    flags
}

/// Makes a start mapping as resident as smaps said. Where only part of it was, which pages they
/// were is not known.
fn bring_in(mm: &mut Mm, mem: &mut PhysMem, files: &mut Files, vma: &Vma, rss: Option<u64>) {
    let Some(rss) = rss.filter(|&rss| rss > 0) else {
        return;
    };
    let whole = rss == vma.len() && !vma.flags.contains(VmFlags::PFNMAP);
    if !whole || vma.special != SpecialName::None {
        mm.resident_before.push((vma.range(), rss));
        return;
    }
    bring_in_pages(mm, mem, files, vma, vma.range());
}

/// Makes `range` of `vma` resident, those pages and no others. Uncounted: it happened before.
pub(crate) fn bring_in_pages(
    mm: &mut Mm,
    mem: &mut PhysMem,
    files: &mut Files,
    vma: &Vma,
    range: AddrRange,
) {
    let page = mem.design().page_size.bytes();
    let around = mem.fault_around();
    // Read faults would map their surroundings as well.
    if mem.set_sysfs(FAULT_AROUND, &page.to_string()).is_err() {
        return;
    }
    // What is mapped from the start was read in before, page by page.
    let cached = mem.assumes_files_cached();
    mem.assume_files_cached(true);
    let mut uncounted = Counts::default();
    let mut paging = Paging {
        table: &mut mm.pages,
        mem,
        files,
        counts: &mut uncounted,
    };
    let access = if vma.flags.contains(VmFlags::WRITE) {
        Access::Store
    } else {
        Access::Load
    };
    let mut at = range.start;
    while at < range.end {
        if paging.would_fault(at, access) {
            paging.fault(vma, at, access);
        }
        at += page;
    }
    mem.assume_files_cached(cached);
    // What was set before was a value the setting takes.
    let _ = mem.set_sysfs(FAULT_AROUND, &around.to_string());
}

fn as_listed(m: &StartMapping) -> Mapping {
    Mapping {
        range: m.range,
        prot: m.prot,
        shared: m.shared,
        offset: m.offset,
        file: MappingFile {
            dev_major: m.dev.0,
            dev_minor: m.dev.1,
            inode: m.inode,
        },
        name: m.name.clone(),
        flags: m.flags.unwrap_or_else(|| VmFlags::from_prot(m.prot)),
        rss: m.rss.unwrap_or(0),
    }
}
