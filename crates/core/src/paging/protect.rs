//! mprotect's change of entries (mm/mprotect.c).

use super::entry::Pte;
use super::zap::Same;
use super::{Arch, Paging};
use crate::addr::AddrRange;
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// `change_protection` for mprotect: `vma` has its new flags already, `_old` are those before.
    /// Call it only where the flags really changed.
    pub fn protect(&mut self, _old: VmFlags, vma: &Vma, range: AddrRange) {
        self.counts.add(Counter::RangeWalk, 1);
        if !self.table.any_slot(range) {
            return;
        }
        let last = self.table.key(range.end - 1);
        let mut key = self.table.key(range.start);
        let mut changed = None;
        while let Some(found) = self.table.next_slot(key, last) {
            let start = self.table.key_start(found);
            let whole = AddrRange::new(start, start.saturating_add(self.table.pmd_bytes()));
            let part = range.intersect(whole);
            if self.table.block(start).is_some() && part != whole {
                self.split_block(vma, start);
            }
            let touched = if let Some(pte) = self.table.block(start) {
                self.protect_block(vma, start, pte)
            } else {
                self.protect_leaf(vma, part)
            };
            if touched {
                changed =
                    Some(changed.map_or(part, |c: AddrRange| AddrRange::new(c.start, part.end)));
            }
            key = found + 1;
        }
        if let Some(range) = changed {
            self.flush(range, self.page_bytes());
        }
    }

    /// The flag bits `newprot` gives an entry, where `pte_modify` leaves young and dirty alone.
    fn modified(&self, vma: &Vma, pte: Pte) -> Pte {
        let mut new = pte
            .without(Pte::EXEC | Pte::NONE | Pte::WRITE | Pte::CONT)
            .with(Self::prot_bits(vma) & !Pte::YOUNG);
        if self.maps_writable(vma) {
            new = new.with(Pte::WRITE);
        }
        new
    }

    /// Whether `vma->vm_page_prot` allows writing: shared writable memory whose file need not know
    /// of the first write (tmpfs).
    pub(crate) fn maps_writable(&self, vma: &Vma) -> bool {
        vma.flags.contains(VmFlags::SHARED | VmFlags::WRITE) && !self.wants_write_notify(vma)
    }

    /// `can_change_pte_writable`, for an entry of page `pte` that may become writable without a
    /// fault.
    fn may_become_writable(&self, vma: &Vma, pte: Pte) -> bool {
        if !vma.flags.contains(VmFlags::WRITE) || pte.special() || pte.has(Pte::NONE) {
            return false;
        }
        if vma.flags.contains(VmFlags::SHARED) {
            return self.wants_write_notify(vma) && pte.dirty();
        }
        let folio = self.mem.arena.get(pte.folio());
        folio.is_anon() && folio.exclusive(pte.index())
    }

    /// `change_huge_pmd`.
    fn protect_block(&mut self, vma: &Vma, start: u64, pte: Pte) -> bool {
        let mut new = self.modified(vma, pte);
        if !new.writable() && self.may_become_writable(vma, new) {
            new = new.with(Pte::WRITE);
        }
        self.counts.add(Counter::PteClear, 1);
        self.counts.add(Counter::PteWrite, 1);
        self.table.set_block(start, new);
        self.needs_flush(pte, new)
    }

    /// `change_pte_range`.
    fn protect_leaf(&mut self, vma: &Vma, part: AddrRange) -> bool {
        if self
            .table
            .leaf(part.start)
            .is_none_or(super::table::Leaf::is_empty)
        {
            return false;
        }
        let mut flush = false;
        let mut addr = part.start;
        while addr < part.end {
            let raw = self.table.pte(addr);
            if !raw.present() {
                addr += self.page_bytes();
                continue;
            }
            let pte = self.get_pte(addr);
            let batches = self.mem.rules.batches && !pte.special();
            let nr = if batches && self.mem.arena.get(pte.folio()).is_large() {
                self.batch(addr, part.end, pte, Same::FolioAndWrite).pages
            } else {
                1
            };
            let old = self.clear_ptes(addr, nr);
            let new = self.modified(vma, old);
            flush |= self.needs_flush(old, new);
            self.commit(vma, addr, new, nr);
            addr += nr << self.page_shift();
        }
        flush
    }

    /// `set_write_prot_commit_flush_ptes`: runs of pages that agree in whether they may be written
    /// in place are set at once.
    fn commit(&mut self, vma: &Vma, addr: u64, new: Pte, nr: u64) {
        if new.writable() || !vma.flags.contains(VmFlags::WRITE) {
            self.set_ptes(addr, new, nr);
            return;
        }
        let mut done = 0;
        while done < nr {
            let head = new.advance(u32::try_from(done).unwrap_or(0));
            let write = self.may_become_writable(vma, head);
            let mut run = 1;
            while done + run < nr {
                let next = new.advance(u32::try_from(done + run).unwrap_or(0));
                if self.may_become_writable(vma, next) != write {
                    break;
                }
                run += 1;
            }
            let at = addr + (done << self.page_shift());
            self.set_ptes(at, head.set(Pte::WRITE, write), run);
            done += run;
        }
    }

    /// `pte_needs_flush`: x86-64 does not flush where permissions only grow; arm64 always flushes.
    fn needs_flush(&self, old: Pte, new: Pte) -> bool {
        match self.mem.design.arch {
            Arch::Arm64 => true,
            Arch::X86_64 => {
                old.valid() && old.young() && {
                    let lost = old.flags() & !new.flags();
                    lost & (Pte::WRITE | Pte::EXEC | Pte::PRESENT | Pte::DIRTY) != 0
                        || new.has(Pte::NONE)
                }
            }
        }
    }
}
