//! Where new memory goes: `get_unmapped_area` of x86-64 and of arm64 with a top-down layout.

use super::tree::VmaId;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::{MapFlags, VmFlags};
use crate::paging::Arch;

/// Pages left free below a mapping that grows down (`stack_guard_gap`).
pub const STACK_GUARD_PAGES: u64 = 256;
/// `MAP_32BIT` mappings are placed in this window, from the bottom up.
const WINDOW_32BIT: (u64, u64) = (0x4000_0000, 0x8000_0000);
/// `MAP_ABOVE4G`'s lower bound.
const ABOVE_4G: u64 = 1 << 32;

/// What is to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The caller's address: where it must be with MAP_FIXED, otherwise a hint or 0.
    pub addr: u64,
    /// Its length in bytes, a multiple of the page size.
    pub len: u64,
    pub flags: MapFlags,
    /// Whether it is private anonymous memory, which huge pages may back.
    pub kind: PlacedKind,
    /// Byte offset of a file mapping; 0 otherwise.
    pub offset: u64,
}

/// What decides whether an address is aligned for huge pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacedKind {
    PrivateAnon,
    /// tmpfs: shared anonymous memory and memfd. Not aligned unless `huge=` asks for it.
    Shmem,
    /// A disk file (ext4 places as anonymous memory does, by its file offset).
    File,
}

impl Cx<'_> {
    /// `vm_start_gap`: the lowest address that must stay free below a mapping.
    pub fn start_gap(&self, id: VmaId) -> u64 {
        let vma = self.mm.tree.get(id);
        let guard = if vma.flags.contains(VmFlags::GROWSDOWN) {
            STACK_GUARD_PAGES << self.page.shift()
        } else if vma.flags.contains(VmFlags::SHADOW_STACK) {
            self.page.bytes()
        } else {
            0
        };
        vma.start.saturating_sub(guard)
    }

    /// `__get_unmapped_area`: the address for a new mapping.
    ///
    /// # Errors
    /// `ENOMEM` where nothing is free or the range leaves user space, `EINVAL` for an unaligned
    /// fixed address, `EPERM` below `mmap_min_addr`.
    pub fn get_unmapped_area(&mut self, want: Placement) -> Result<u64, Errno> {
        self.within("__get_unmapped_area", |cx| cx.place(want))
    }

    fn place(&mut self, want: Placement) -> Result<u64, Errno> {
        let task_size = self.limits.task_size;
        if want.len > task_size {
            return Err(Errno::ENOMEM);
        }
        let addr = if want.flags.contains(MapFlags::FIXED) {
            // An address among the last 4095 is taken for an error of the search.
            let error = u32::try_from(want.addr.wrapping_neg()).ok();
            if let Some(errno) = error.and_then(Errno::from_number) {
                return Err(errno);
            }
            want.addr
        } else {
            match self.aligned_for_huge_pages(want) {
                Some(addr) => addr,
                None => self.find_area(want)?,
            }
        };
        if addr > task_size - want.len {
            return Err(Errno::ENOMEM);
        }
        if !self.page.is_aligned(addr) {
            return Err(Errno::EINVAL);
        }
        if addr < self.limits.dac_mmap_min_addr && !self.limits.privileged {
            return Err(Errno::EPERM);
        }
        Ok(addr)
    }

    /// `thp_get_unmapped_area`: a PMD-aligned place for what is large enough, if there is one.
    fn aligned_for_huge_pages(&mut self, want: Placement) -> Option<u64> {
        let size = self.page.pmd_bytes();
        let asks = match want.kind {
            PlacedKind::Shmem => false,
            PlacedKind::File => true,
            PlacedKind::PrivateAnon if self.kernel.aligns_any_large_mapping => true,
            PlacedKind::PrivateAnon => want.addr == 0 && want.len.is_multiple_of(size),
        };
        if !asks {
            return None;
        }
        let offset_end = want.offset.checked_add(want.len)?;
        let aligned = want.offset.checked_next_multiple_of(size)?;
        if offset_end <= aligned || offset_end - aligned < size {
            return None;
        }
        let padded = want.len.checked_add(size)?;
        want.offset.checked_add(padded)?;
        if padded > self.limits.task_size {
            return None;
        }
        let found = self
            .find_area(Placement {
                len: padded,
                ..want
            })
            .ok()?;
        if found == want.addr {
            return Some(found);
        }
        let skip = want.offset.wrapping_sub(found) & (size - 1);
        // A padded place that is aligned already would leave its padding free above it.
        Some(if skip == 0 {
            found + size
        } else {
            found + skip
        })
    }

    fn find_area(&mut self, want: Placement) -> Result<u64, Errno> {
        let step = match want.kind {
            PlacedKind::Shmem => "mm_get_unmapped_area",
            PlacedKind::PrivateAnon | PlacedKind::File => "mm_get_unmapped_area_vmflags",
        };
        self.within(step, |cx| cx.find_area_top_down(want))
    }

    /// `arch_get_unmapped_area_topdown`.
    fn find_area_top_down(&mut self, want: Placement) -> Result<u64, Errno> {
        if want.flags.contains(MapFlags::MAP_32BIT) && self.mem.design().arch == Arch::X86_64 {
            return self.find_area_bottom_up(want, WINDOW_32BIT);
        }
        let task_size = self.limits.task_size;
        if want.addr != 0 {
            let addr = self.page.align_down(want.addr);
            if addr <= task_size - want.len {
                let above = self.find_vma(addr);
                if above.is_none_or(|id| addr + want.len <= self.start_gap(id)) {
                    return Ok(addr);
                }
            }
        }
        let mut low = self.page.bytes();
        if want.flags.contains(MapFlags::ABOVE4G) {
            low = ABOVE_4G;
        }
        match self.within("unmapped_area_topdown", |cx| cx.top_down(low, want.len)) {
            Some(addr) => Ok(addr),
            None => {
                let base = self.page.align_up_wrapping(task_size / 3);
                self.find_area_bottom_up(want, (base, task_size))
            }
        }
    }

    /// `unmapped_area_topdown`: the highest gap below the mmap base that fits.
    fn top_down(&mut self, low: u64, len: u64) -> Option<u64> {
        let mut high = self.mm.mmap_base;
        loop {
            self.walk("vma_iter_area_highest");
            let gap = self.mm.tree.highest_gap(low, high, len)?;
            let addr = gap.range.end - len;
            let mut cursor = self.cursor_at(gap.range.start);
            let above = self.vma_next(&mut cursor);
            match above {
                Some(id) if self.grows_down(id) => {
                    let limit = self.start_gap(id);
                    if limit < gap.range.end {
                        high = limit;
                        continue;
                    }
                }
                _ => {
                    self.vma_prev(&mut cursor);
                }
            }
            return Some(addr);
        }
    }

    /// `arch_get_unmapped_area` and `unmapped_area`: the lowest gap of a window that fits.
    fn find_area_bottom_up(
        &mut self,
        want: Placement,
        (begin, end): (u64, u64),
    ) -> Result<u64, Errno> {
        if want.len > end {
            return Err(Errno::ENOMEM);
        }
        if want.addr != 0 {
            let addr = self.page.align_up_wrapping(want.addr);
            let above = self.find_vma(addr);
            if end - want.len >= addr
                && above.is_none_or(|id| addr + want.len <= self.start_gap(id))
            {
                return Ok(addr);
            }
        }
        self.within("unmapped_area", |cx| {
            let mut low = begin.max(cx.limits.dac_mmap_min_addr);
            loop {
                cx.walk("vma_iter_area_lowest");
                let gap = cx
                    .mm
                    .tree
                    .lowest_gap(low, end, want.len)
                    .ok_or(Errno::ENOMEM)?;
                let addr = gap.range.start;
                let mut cursor = cx.cursor_at(addr);
                let above = cx.vma_next(&mut cursor);
                match above {
                    Some(id) if cx.grows_down(id) => {
                        if cx.start_gap(id) < addr + want.len - 1 {
                            low = cx.mm.tree.get(id).end;
                            continue;
                        }
                    }
                    _ => {
                        cx.vma_prev(&mut cursor);
                    }
                }
                return Ok(addr);
            }
        })
    }

    fn grows_down(&self, id: VmaId) -> bool {
        self.mm
            .tree
            .get(id)
            .flags
            .intersects(VmFlags::GROWSDOWN | VmFlags::SHADOW_STACK)
    }
}
