//! Writes to entries that may not be written: reuse, copy on write, shared memory.

use super::entry::Pte;
use super::fault::Faulting;
use super::folio::{Backing, FolioId};
use super::{Fault, Paging};
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::Vma;

impl Paging<'_> {
    /// `do_wp_page`.
    pub(crate) fn write_protected(&mut self, fault: Faulting<'_>, pte: Pte) -> Fault {
        if fault.vma.flags.contains(VmFlags::SHARED) {
            self.make_shared_writable(fault, pte);
            return Fault::Done;
        }
        if !pte.special() && self.may_reuse(pte) {
            self.mem
                .arena
                .get_mut(pte.folio())
                .set_exclusive(pte.index(), true);
            self.upgrade(fault, pte);
            return Fault::Done;
        }
        self.copy_page(fault, pte)
    }

    /// Whether the writer is the only one who can reach the page (`wp_can_reuse_anon_folio`).
    fn may_reuse(&self, pte: Pte) -> bool {
        let folio = self.mem.arena.get(pte.folio());
        if !folio.is_anon() {
            return false;
        }
        if folio.exclusive(pte.index()) {
            return true;
        }
        if folio.is_large() {
            // Up to 6.14 pages of large folios are always copied; since then one that only this
            // address space maps any more is written in place.
            return self.mem.rules.knows_owners && !self.mem.maybe_shared(pte.folio());
        }
        folio.references() == 1
    }

    /// `wp_page_reuse`.
    fn upgrade(&mut self, fault: Faulting<'_>, pte: Pte) {
        let mut new = pte.with(Pte::YOUNG | Pte::DIRTY);
        if fault.vma.flags.contains(VmFlags::WRITE) {
            new = new.with(Pte::WRITE);
        }
        self.set_access(fault.addr, new, true);
    }

    /// `wp_page_copy`: a new page of its own, always a single one.
    fn copy_page(&mut self, fault: Faulting<'_>, pte: Pte) -> Fault {
        let Faulting { vma, addr, .. } = fault;
        if vma.anon_vma.is_none() {
            return Fault::NeedAnonVma;
        }
        let new = if pte.special() {
            self.mem.alloc_zeroed(self.counts, 0, Backing::Anon)
        } else {
            let new = self.mem.alloc(self.counts, 0, Backing::Anon);
            self.counts.add(Counter::CopiedBytes, self.page_bytes());
            new
        };
        let Some(new) = new else {
            return Fault::Oom;
        };
        self.copy_contents(pte, new);
        self.clear_pte(addr);
        self.flush(self.page_range(addr), self.page_bytes());
        self.map_new_anon(new, 0, 1);
        let bits = Self::own_bits(vma);
        self.set_ptes(addr, Pte::new(new, 0, bits), 1);
        self.drop_mapping(pte, 1);
        Fault::Done
    }

    /// Whether a page holds zeros goes with its copy.
    fn copy_contents(&mut self, from: Pte, to: FolioId) {
        let stored = !from.special() && {
            let folio = self.mem.arena.get(from.folio());
            !folio.is_anon() || folio.stored(from.index())
        };
        if stored {
            self.mem.arena.get_mut(to).set_stored(0);
        }
    }

    /// Flags of a page just made for a writer.
    pub(crate) fn own_bits(vma: &Vma) -> u64 {
        let mut bits = Self::prot_bits(vma) | Pte::DIRTY;
        if vma.flags.contains(VmFlags::WRITE) {
            bits |= Pte::WRITE;
        }
        bits
    }

    pub(crate) fn page_range(&self, addr: u64) -> crate::addr::AddrRange {
        crate::addr::AddrRange::new(addr, addr.saturating_add(self.page_bytes()))
    }

    /// `wp_page_shared`: a page of a file becomes writable where it is, and dirty with it.
    fn make_shared_writable(&mut self, fault: Faulting<'_>, pte: Pte) {
        if !pte.special() {
            self.mem.arena.get_mut(pte.folio()).dirty = true;
        }
        self.upgrade(fault, pte);
    }
}
