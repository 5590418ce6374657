//! MADV_PAGEOUT's reclaim (mm/vmscan.c `reclaim_pages`) on a machine without swap, and
//! MADV_COLLAPSE (mm/khugepaged.c).

use super::advice::{Found, forbids_collapse};
use super::entry::Pte;
use super::folio::{Backing, FolioId};
use super::table::Slot;
use super::{Paging, PhysMem};
use crate::addr::AddrRange;
use crate::errno::Errno;
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl PhysMem {
    /// [`Self::maybe_shared`] for a folio that a PMD entry maps.
    pub(crate) fn maybe_shared_block(&self, pte: Pte) -> bool {
        let folio = self.arena.get(pte.folio());
        folio.mapcount > 1 && self.maybe_shared(pte.folio())
    }
}

impl Paging<'_> {
    /// `shrink_folio_list` for one folio that only this process maps.
    pub(crate) fn reclaim(&mut self, vma: &Vma, found: Found) {
        let Found {
            folio: id,
            birth,
            near,
        } = found;
        let folio = self.mem.arena.get(id);
        // It may be gone since, and another one in its place.
        if folio.birth != birth || vma.flags.contains(VmFlags::LOCKED) {
            return;
        }
        if folio.is_anon() {
            // What may be dropped is dropped, written to or not.
            let droppable = vma.flags.contains(VmFlags::DROPPABLE);
            if droppable || (folio.lazyfree && !folio.dirty) {
                self.drop_lazyfree(vma, id, near);
            } else if folio.is_large() {
                // No swap space for it whole: split to try page by page, for which there is none
                // either.
                self.split_folio(vma, id, 0, near);
            }
            return;
        }
        let (backing, dirty) = (folio.backing, folio.dirty);
        let dirty = self.unmap_everywhere_here(vma, id, near) || dirty;
        // Shared memory that was only read is dropped like a file's: it is zeros again when asked for.
        if let Backing::File(inode, first) | Backing::Shmem(inode, first) = backing
            && self.mem.arena.get(id).mapcount == 0
            && !dirty
        {
            self.mem.uncache(self.counts, inode, first, id);
        }
    }

    /// `try_to_unmap`: clears this process's entries of the folio. Says whether one was dirty.
    fn unmap_everywhere_here(&mut self, vma: &Vma, id: FolioId, near: u64) -> bool {
        if self.table.block(near).is_some() {
            self.split_block(vma, near);
        }
        let mut dirty = false;
        for addr in self.entries_of(id, near) {
            let pte = self.get_pte(addr);
            dirty |= pte.dirty();
            self.mem.arena.get_mut(id).dirty |= pte.dirty();
            self.clear_pte(addr);
            self.flush(self.page_range(addr), self.page_bytes());
            self.drop_mapping(pte, 1);
        }
        dirty
    }

    /// Pages freed lazily go if nothing was written to them since.
    fn drop_lazyfree(&mut self, vma: &Vma, id: FolioId, near: u64) {
        if self.table.block(near).is_some() {
            self.split_block(vma, near);
        }
        let entries = self.entries_of(id, near);
        let written = entries.iter().any(|&addr| self.table.pte(addr).dirty());
        if written && !vma.flags.contains(VmFlags::DROPPABLE) {
            self.mem.arena.get_mut(id).lazyfree = false;
            return;
        }
        for addr in entries {
            let pte = self.get_pte(addr);
            self.clear_pte(addr);
            self.flush(self.page_range(addr), self.page_bytes());
            self.drop_mapping(pte, 1);
        }
    }

    /// `madvise_collapse`.
    pub(crate) fn collapse(&mut self, vma: &Vma, range: AddrRange) -> Result<(), Errno> {
        let pmd = self.table.pmd_bytes();
        let room = AddrRange::new(vma.start.next_multiple_of(pmd), vma.end & !(pmd - 1));
        if forbids_collapse(vma) || room.is_empty() {
            return Err(Errno::EINVAL);
        }
        let first = range.start.next_multiple_of(pmd);
        let end = range.end & !(pmd - 1);
        if first > end {
            return Err(Errno::EINVAL);
        }
        let mut result = Ok(());
        for start in (first..end).step_by(usize::try_from(pmd).unwrap_or(usize::MAX)) {
            if let Err(errno) = self.collapse_one(vma, start) {
                result = Err(errno);
            }
        }
        result
    }

    /// `hpage_collapse_scan_pmd` and `collapse_huge_page`.
    fn collapse_one(&mut self, vma: &Vma, start: u64) -> Result<(), Errno> {
        if self.table.block(start).is_some_and(|pte| !pte.special()) {
            return Ok(());
        }
        // Files other than tmpfs need a kernel built for it; collapsing tmpfs is not modelled.
        if !vma.is_anonymous() || vma.anon_vma.is_none() {
            return Err(Errno::EINVAL);
        }
        let whole = AddrRange::new(start, start + self.table.pmd_bytes());
        let mut writable = false;
        for (_, level, pte) in self.table.entries(whole) {
            if level == super::Level::Pmd || !pte.present() {
                return Err(Errno::EINVAL);
            }
            writable |= pte.writable();
        }
        if !writable {
            return Err(Errno::EINVAL);
        }
        let order = self.mem.design.pmd_order();
        let new = self
            .mem
            .alloc(self.counts, order, Backing::Anon)
            .ok_or(Errno::ENOMEM)?;
        self.fill_collapsed(whole, new);
        let Some(Slot::Table(_)) = self.table.take_slot(start) else {
            return Err(Errno::EINVAL);
        };
        let mm = self.table.mm();
        let folio = self.mem.arena.get_mut(new);
        folio.add_entire(mm);
        folio.set_exclusive(0, true);
        // The leaf table is kept aside for a split.
        self.counts.add(Counter::PteWrite, 1);
        let pte = Pte::new(new, 0, Self::own_bits(vma));
        self.table
            .insert_slot(start, Slot::Block { pte, deposit: true });
        Ok(())
    }

    /// Copies what is mapped, zeroes the rest, and clears the old entries.
    fn fill_collapsed(&mut self, whole: AddrRange, new: FolioId) {
        let shift = self.page_shift();
        let pages = whole.len() >> shift;
        self.flush(whole, self.page_bytes());
        for page in 0..pages {
            let addr = whole.start + (page << shift);
            let raw = self.table.pte(addr);
            if raw.is_empty() {
                self.counts.add(Counter::ZeroedBytes, self.page_bytes());
                continue;
            }
            let pte = self.get_pte(addr);
            self.clear_pte(addr);
            if pte.special() {
                self.counts.add(Counter::ZeroedBytes, self.page_bytes());
                continue;
            }
            self.counts.add(Counter::CopiedBytes, self.page_bytes());
            let index = u32::try_from(page).unwrap_or(0);
            if self.mem.arena.get(pte.folio()).stored(pte.index()) {
                self.mem.arena.get_mut(new).set_stored(index);
            }
            self.drop_mapping(pte, 1);
        }
    }
}
