//! The address space that a run starts from.

use sealab_core::addr::{AddrRange, PageSize};
use sealab_core::call::Mapping;
use sealab_core::start::{StartMapping, StartState, TASK_SIZE_X86_64};
use sealab_scenario::maps::MapsText;

/// Least distance of the mmap base from the end of user addresses (arch/x86/mm/mmap.c).
const LEAST_GAP: u64 = 128 << 20;
/// Distance from which on it is randomised and tells no stack limit: room for the stack's own
/// randomisation, 0x3fffff pages.
const RANDOMISED_GAP: u64 = 0x3f_ffff << 12;
/// `stack_guard_gap`: 256 pages.
const STACK_GUARD_GAP: u64 = 1 << 20;
/// The ordinary stack limit.
const STACK_LIMIT: u64 = 8 << 20;

/// What `maps` shows, as a start state. `flags` and resident memory are taken where the text has
/// them (smaps).
#[must_use]
pub fn from_maps(maps: &MapsText, page: PageSize) -> StartState {
    let lines = maps.lines.iter();
    let mappings = lines.map(|l| mapping(&l.mapping, l.has_flags, l.has_rss));
    StartState::from_mappings(mappings.collect(), page)
}

/// One mapping that is there from the start.
#[must_use]
pub fn mapping(mapping: &Mapping, has_flags: bool, has_rss: bool) -> StartMapping {
    StartMapping {
        range: mapping.range,
        prot: mapping.prot,
        shared: mapping.shared,
        offset: mapping.offset,
        dev: (mapping.file.dev_major, mapping.file.dev_minor),
        inode: mapping.file.inode,
        name: mapping.name.clone(),
        flags: has_flags.then_some(mapping.flags),
        rss: has_rss.then_some(mapping.rss),
    }
}

/// An address space with nothing in it, for a trace that does not say what its process had.
#[must_use]
pub fn empty(page: PageSize) -> StartState {
    StartState {
        mappings: Vec::new(),
        start_brk: None,
        brk: None,
        ..StartState::bare(page)
    }
}

/// The first mapping of `start` that does not fit whole pages of `page`.
#[must_use]
pub fn misaligned(start: &StartState, page: PageSize) -> Option<AddrRange> {
    let ranges = start.mappings.iter().map(|m| m.range);
    ranges
        .filter(|r| r.start < TASK_SIZE_X86_64)
        .find(|r| !page.is_aligned(r.start) || !page.is_aligned(r.end))
}

/// `RLIMIT_STACK`, in bytes, as the mmap base tells it: the kernel leaves the stack's limit and
/// the guard gap free above the base, but at least 128 MiB.
#[must_use]
pub fn stack_limit(start: &StartState) -> u64 {
    let gap = TASK_SIZE_X86_64.saturating_sub(start.mmap_base);
    if (LEAST_GAP + 1..RANDOMISED_GAP).contains(&gap) {
        gap - STACK_GUARD_GAP
    } else {
        STACK_LIMIT
    }
}
