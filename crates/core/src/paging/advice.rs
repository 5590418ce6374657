//! What advice does to pages (mm/madvise.c).

use super::contpte::Loose;
use super::entry::Pte;
use super::folio::FolioId;
use super::zap::{Same, Zap, folio_of};
use super::{Fault, Paging};
use crate::addr::AddrRange;
use crate::errno::Errno;
use crate::flags::{VmFlags, madv};
use crate::meter::Counter;
use crate::vma::area::Vma;

/// What a walk over a range does with each entry or folio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ageing {
    /// MADV_FREE: may be dropped.
    Free,
    /// MADV_COLD: not accessed.
    Cold,
    /// MADV_PAGEOUT: out with it.
    PageOut,
}

/// A folio taken off its list to be reclaimed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub folio: FolioId,
    pub birth: u64,
    /// An address that maps it.
    pub near: u64,
}

impl Paging<'_> {
    /// What an advice does to the pages of `range`, which lies in `vma`. Which VMAs an advice
    /// visits, and every error that flags decide, is the caller's.
    ///
    /// | advice | done here |
    /// |---|---|
    /// | DONTNEED, DONTNEED_LOCKED | entries cleared |
    /// | FREE, COLD, PAGEOUT | aged, freed or reclaimed; large folios reached only in part are split |
    /// | WILLNEED | file pages read into the page cache |
    /// | POPULATE_READ, POPULATE_WRITE | faulted in; needs [`Self::populate`] where an `anon_vma` is missing |
    /// | COLLAPSE | anonymous memory collapsed into PMD blocks |
    /// | GUARD_INSTALL, GUARD_REMOVE | markers set (needs `vma.anon_vma`) and cleared |
    /// | REMOVE | nothing: the hole is punched by the caller, see [`Self::unmap_file_pages`] |
    ///
    /// # Errors
    /// POPULATE: `EFAULT` beyond a file's end, `ENOMEM` out of memory. COLLAPSE: `EINVAL` where
    /// no whole PMD range lies in `range`, or one holds nothing that can be collapsed (flags that
    /// forbid it, no entry, no writable entry, a guard page); `ENOMEM` out of memory.
    pub fn madvise(&mut self, vma: &Vma, range: AddrRange, advice: i32) -> Result<(), Errno> {
        let range = range.intersect(vma.range());
        if range.is_empty() {
            return Ok(());
        }
        match advice {
            madv::DONTNEED | madv::DONTNEED_LOCKED => {
                self.zap(vma, range, Zap::Pages);
                self.end_gather();
            }
            madv::FREE => self.age(vma, range, Ageing::Free),
            madv::COLD => self.age(vma, range, Ageing::Cold),
            madv::PAGEOUT => self.age(vma, range, Ageing::PageOut),
            madv::WILLNEED => self.will_need(vma, range),
            madv::POPULATE_READ => return populated(self.populate(vma, range, false)),
            madv::POPULATE_WRITE => return populated(self.populate(vma, range, true)),
            madv::COLLAPSE => return self.collapse(vma, range),
            madv::GUARD_INSTALL => return self.install_guards(vma, range),
            madv::GUARD_REMOVE => self.remove_guards(range),
            _ => {}
        }
        Ok(())
    }

    /// Walks the range for FREE, COLD and PAGEOUT.
    fn age(&mut self, vma: &Vma, range: AddrRange, what: Ageing) {
        if !self.table.any_slot(range) {
            return;
        }
        let last = self.table.key(range.end - 1);
        let mut key = self.table.key(range.start);
        let mut to_reclaim = Vec::new();
        while let Some(found) = self.table.next_slot(key, last) {
            let start = self.table.key_start(found);
            let whole = AddrRange::new(start, start.saturating_add(self.table.pmd_bytes()));
            let part = range.intersect(whole);
            if self.table.block(start).is_none()
                || !self.age_block(vma, whole, part, what, &mut to_reclaim)
            {
                self.age_leaf(vma, part, what, &mut to_reclaim);
            }
            key = found + 1;
        }
        self.end_gather();
        for found in to_reclaim {
            self.reclaim(vma, found);
        }
    }

    fn found(&self, pte: Pte, near: u64) -> Found {
        Found {
            folio: pte.folio(),
            birth: self.mem.arena.get(pte.folio()).birth,
            near,
        }
    }

    /// A block: true where nothing is left to do below it.
    fn age_block(
        &mut self,
        vma: &Vma,
        whole: AddrRange,
        part: AddrRange,
        what: Ageing,
        to_reclaim: &mut Vec<Found>,
    ) -> bool {
        let Some(pte) = self.table.block(whole.start) else {
            return true;
        };
        if pte.special() || self.mem.maybe_shared_block(pte) {
            return true;
        }
        if what == Ageing::PageOut && !self.may_page_out(vma, pte) {
            return true;
        }
        if part != whole {
            let order = 0;
            return !self.split_folio(vma, pte.folio(), order, whole.start);
        }
        match what {
            Ageing::PageOut => to_reclaim.push(self.found(pte, whole.start)),
            Ageing::Cold if pte.young() => {
                self.table.set_block(whole.start, pte.without(Pte::YOUNG));
                self.counts.add(Counter::PteWrite, 1);
                self.gather(whole);
            }
            Ageing::Cold => {}
            Ageing::Free => {
                let folio = self.mem.arena.get_mut(pte.folio());
                folio.dirty = false;
                folio.lazyfree = true;
                if pte.young() || pte.dirty() {
                    let clean = pte.without(Pte::YOUNG | Pte::DIRTY);
                    self.table.set_block(whole.start, clean);
                    self.counts.add(Counter::PteWrite, 1);
                    self.gather(whole);
                }
            }
        }
        true
    }

    /// `madvise_free_pte_range` and the last-level part of `madvise_cold_or_pageout_pte_range`.
    fn age_leaf(&mut self, vma: &Vma, part: AddrRange, what: Ageing, to_reclaim: &mut Vec<Found>) {
        let shift = self.page_shift();
        let mut addr = part.start;
        while addr < part.end {
            let raw = self.table.pte(addr);
            let Some(id) = folio_of(raw) else {
                addr += 1 << shift;
                continue;
            };
            let mut pte = self.get_pte(addr);
            let mut nr = 1;
            if self.mem.arena.get(id).is_large() {
                let batch = self.batch(addr, part.end, pte, Same::Folio);
                nr = batch.pages;
                let all = u64::from(self.mem.arena.get(id).len());
                if nr < all || self.mem.rules.advice_always_splits {
                    let may = !self.mem.maybe_shared(id)
                        && (what != Ageing::PageOut || self.may_page_out(vma, pte));
                    if !(may && self.split_folio(vma, id, 0, addr)) {
                        addr += nr << shift;
                    }
                    continue;
                }
                pte = pte
                    .set(Pte::YOUNG, batch.young)
                    .set(Pte::DIRTY, batch.dirty);
            }
            self.age_entries(vma, addr, pte, nr, what, to_reclaim);
            addr += nr << shift;
        }
    }

    /// Entries that map a folio whole.
    fn age_entries(
        &mut self,
        vma: &Vma,
        addr: u64,
        pte: Pte,
        nr: u64,
        what: Ageing,
        to_reclaim: &mut Vec<Found>,
    ) {
        let id = pte.folio();
        let folio = self.mem.arena.get(id);
        let ours_alone = folio.mapcount == folio.len();
        match what {
            Ageing::Free => {
                // Only anonymous memory is freed lazily; private copies of a file are too.
                if !folio.is_anon() {
                    return;
                }
                if folio.dirty {
                    if !ours_alone {
                        return;
                    }
                    self.mem.arena.get_mut(id).dirty = false;
                }
                if pte.young() || pte.dirty() {
                    self.clear_and_gather(addr, nr, true);
                }
                self.mem.arena.get_mut(id).lazyfree = true;
            }
            Ageing::Cold => {
                if ours_alone && pte.young() {
                    self.clear_and_gather(addr, nr, false);
                }
            }
            Ageing::PageOut => {
                if ours_alone && self.may_page_out(vma, pte) {
                    to_reclaim.push(self.found(pte, addr));
                }
            }
        }
    }

    fn clear_and_gather(&mut self, addr: u64, nr: u64, dirty: bool) {
        self.clear_young_dirty(addr, nr, Loose { young: true, dirty });
        self.gather(AddrRange::new(addr, addr + (nr << self.page_shift())));
    }

    /// `can_do_file_pageout`: pages of a file one may not write are left alone, however this mapping's
    /// file was opened.
    fn may_page_out(&self, vma: &Vma, pte: Pte) -> bool {
        vma.is_anonymous()
            || self.mem.arena.get(pte.folio()).is_anon()
            || vma
                .file
                .is_some_and(|f| self.files.may_write(self.files.inode_of(f)))
    }

    /// `madvise_willneed`: reads file pages ahead; tmpfs has no swap to read from.
    fn will_need(&mut self, vma: &Vma, range: AddrRange) {
        let Some(of) = self.reading(vma) else {
            return;
        };
        if of.fs.is_tmpfs() {
            return;
        }
        let first = vma.pgoff_at(range.start, self.mem.design.page_size);
        let pages = range.len() >> self.page_shift();
        self.read_range(of, first, first.saturating_add(pages).min(of.pages));
    }

    /// `madvise_guard_install`: what is mapped goes, every page gets a marker. `ENOMEM` where the
    /// page tables for them cannot be had; markers set by then stay.
    fn install_guards(&mut self, vma: &Vma, range: AddrRange) -> Result<(), Errno> {
        self.zap(vma, range, Zap::Pages);
        self.end_gather();
        let mut addr = range.start;
        while addr < range.end {
            if self.table.is_full(addr) {
                return Err(Errno::ENOMEM);
            }
            self.make_leaf(addr);
            if self.table.block(addr).is_some() {
                self.split_block(vma, addr);
                self.make_leaf(addr);
            }
            self.counts.add(Counter::PteWrite, 1);
            self.table.put(addr, Pte::guard());
            addr += self.page_bytes();
        }
        Ok(())
    }

    /// `madvise_guard_remove`.
    fn remove_guards(&mut self, range: AddrRange) {
        let guards: Vec<u64> = self
            .table
            .entries(range)
            .filter(|(_, _, pte)| pte.is_guard())
            .map(|(addr, _, _)| addr)
            .collect();
        for addr in guards {
            self.counts.add(Counter::PteClear, 1);
            self.table.put(addr, Pte::EMPTY);
        }
    }

    /// clear_refs' value 1 for `vma`: every entry is made old, with its whole block.
    pub fn clear_referenced(&mut self, vma: &Vma) {
        let present: Vec<(u64, super::Level)> = self
            .table
            .entries(vma.range())
            .filter(|(_, _, pte)| folio_of(*pte).is_some())
            .map(|(addr, level, _)| (addr, level))
            .collect();
        for (addr, level) in present {
            if level == super::Level::Pte {
                self.clear_young(addr);
            } else if let Some(pte) = self.table.block(addr) {
                self.table.set_block(addr, pte.without(Pte::YOUNG));
            }
        }
    }

    /// mlock's effect on pages that are already there: none that shows in entries (a folio mlocked
    /// whole becomes unevictable). The range is populated by the caller.
    pub fn mlock(&mut self, _vma: &Vma, _range: AddrRange) {}

    /// munlock's effect: none that shows in entries.
    pub fn munlock(&mut self, _vma: &Vma, _range: AddrRange) {}
}

fn populated(result: Fault) -> Result<(), Errno> {
    match result {
        Fault::Done => Ok(()),
        Fault::Bus | Fault::Guard | Fault::NeedAnonVma => Err(Errno::EFAULT),
        Fault::Oom => Err(Errno::ENOMEM),
    }
}

/// Flags under which MADV_COLLAPSE refuses a VMA before it looks at pages.
pub(crate) fn forbids_collapse(vma: &Vma) -> bool {
    vma.flags
        .intersects(VmFlags::NOHUGEPAGE | VmFlags::PFNMAP | VmFlags::IO)
}
