//! Accesses as hardware sees them, and the page fault where it does not let them through.

use super::entry::Pte;
use super::table::Slot;
use super::{Access, Fault, Paging};
use crate::addr::AddrRange;
use crate::flags::VmFlags;
use crate::meter::Counter;
use crate::vma::area::{SpecialName, Vma};

/// A fault in hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faulting<'v> {
    pub vma: &'v Vma,
    /// Rounded down to a page.
    pub addr: u64,
    pub write: bool,
}

impl Paging<'_> {
    /// What the hardware does with an access: true where the entry allows it (then young and
    /// dirty are set as hardware sets them), false where it is a page fault. Try it first; only
    /// a fault looks the VMA up.
    pub fn hardware_access(&mut self, addr: u64, access: Access) -> bool {
        let index = self.table.leaf_index(addr);
        let with_hardware = self.mem.design.hardware_af_dirty;
        let Some(slot) = self.table.slot_mut(addr) else {
            return false;
        };
        let (pte, page) = match slot {
            Slot::Table(leaf) => {
                let pte = leaf.get(index);
                (pte, pte.index())
            }
            Slot::Block { pte, .. } => (*pte, u32::try_from(index).unwrap_or(0)),
        };
        if !lets_through(pte, access, with_hardware) {
            return false;
        }
        let store = access == Access::Store;
        let mut new = pte.with(Pte::YOUNG);
        if store {
            new = new.with(Pte::DIRTY);
            if !pte.has(Pte::STORED) {
                if let Slot::Table(_) = slot {
                    new = new.with(Pte::STORED);
                }
                if !pte.special() {
                    self.mem.arena.get_mut(pte.folio()).set_stored(page);
                }
            }
        }
        if new != pte {
            match slot {
                Slot::Table(leaf) => leaf.put(index, new),
                Slot::Block { pte, .. } => *pte = new,
            }
        }
        true
    }

    /// Whether an access would be a page fault. Changes nothing.
    #[must_use]
    pub fn would_fault(&self, addr: u64, access: Access) -> bool {
        let pte = match self.table.block(addr) {
            Some(pte) => pte,
            None => self.table.pte(addr),
        };
        !lets_through(pte, access, self.mem.design.hardware_af_dirty)
    }

    /// Handles a page fault in `vma`, whose protection allows the access, counts it, and lets the
    /// access through.
    pub fn fault(&mut self, vma: &Vma, addr: u64, access: Access) -> Fault {
        let fault = Faulting {
            vma,
            addr: self.page_down(addr),
            write: access == Access::Store,
        };
        // An access that is let through nowhere ends; the longest chain of faults one access needs
        // is a block split, a copy and an upgrade.
        for _ in 0..8 {
            match self.handle(fault) {
                Fault::Done => {}
                other => {
                    if other != Fault::NeedAnonVma {
                        self.counts.add(Counter::PageFault, 1);
                    }
                    return other;
                }
            }
            self.counts.add(Counter::PageFault, 1);
            if self.hardware_access(addr, access) {
                return Fault::Done;
            }
        }
        Fault::Bus
    }

    /// Brings `range` of `vma` in as MAP_POPULATE, mlock and MADV_POPULATE_* do: each page is
    /// faulted, by a write if `write`. The caller says so for writable private memory
    /// (`populate_vma_page_range`). Stops at the first page that cannot be had.
    pub fn populate(&mut self, vma: &Vma, range: AddrRange, write: bool) -> Fault {
        let range = range.intersect(vma.range());
        let mut addr = self.page_down(range.start);
        while addr < range.end {
            let result = self.populate_page(vma, addr, write);
            if result != Fault::Done {
                return result;
            }
            addr += self.page_bytes();
        }
        Fault::Done
    }

    /// `faultin_page` with `follow_page_mask` before it: does nothing where the page is there and,
    /// for a write, may be written.
    fn populate_page(&mut self, vma: &Vma, addr: u64, write: bool) -> Fault {
        let pte = match self.table.block(addr) {
            Some(pte) => pte,
            None => self.table.pte(addr),
        };
        if pte.valid() && (!write || pte.writable()) {
            // FOLL_TOUCH: the software walk marks the page as accessed.
            return Fault::Done;
        }
        let fault = Faulting { vma, addr, write };
        for _ in 0..4 {
            match self.handle(fault) {
                Fault::Done => {}
                other => return other,
            }
            self.counts.add(Counter::PageFault, 1);
            let pte = match self.table.block(addr) {
                Some(pte) => pte,
                None => self.table.pte(addr),
            };
            if pte.valid() && (!write || pte.writable()) {
                return Fault::Done;
            }
        }
        Fault::Bus
    }

    /// `__handle_mm_fault`, once.
    fn handle(&mut self, fault: Faulting<'_>) -> Fault {
        if self.table.is_full(fault.addr) {
            return Fault::Oom;
        }
        if let Some(pte) = self.table.block(fault.addr) {
            if let Some(result) = self.block_fault(fault, pte) {
                return result;
            }
        } else if self.table.slot(fault.addr).is_none()
            && let Some(result) = self.create_block(fault)
        {
            return result;
        }
        let pte = self.table.pte(fault.addr);
        if pte.is_empty() {
            return self.missing(fault);
        }
        if pte.is_guard() {
            return Fault::Guard;
        }
        if fault.write && !pte.writable() {
            return self.write_protected(fault, pte);
        }
        // The access flag (or, without hardware for it, the dirty state) is missing.
        let mut new = pte.with(Pte::YOUNG);
        if fault.write {
            new = new.with(Pte::DIRTY);
        }
        self.set_access(fault.addr, new, fault.write);
        Fault::Done
    }

    /// `do_pte_missing`.
    fn missing(&mut self, fault: Faulting<'_>) -> Fault {
        match fault.vma.special {
            SpecialName::Vvar | SpecialName::VvarVclock => return self.kernel_frame(fault),
            SpecialName::Vdso => return self.kernel_page(fault),
            _ => {}
        }
        if fault.vma.is_anonymous() {
            self.anonymous(fault)
        } else {
            self.file_fault(fault)
        }
    }

    /// Allocates the leaf table over `addr` where there is none.
    pub(crate) fn make_leaf(&mut self, addr: u64) {
        let made = self.table.make_leaf(addr);
        if made > 0 {
            self.counts.add(Counter::TableAlloc, made);
        }
    }

    /// The entry flags `vma->vm_page_prot` stands for, write access aside: present, young (the
    /// architectures' defaults have the access flag set), executable, or PROT_NONE.
    pub(crate) fn prot_bits(vma: &Vma) -> u64 {
        let mut bits = Pte::PRESENT | Pte::YOUNG;
        if vma.flags.contains(VmFlags::EXEC) {
            bits |= Pte::EXEC;
        }
        if !vma.flags.intersects(VmFlags::ACCESS) {
            bits |= Pte::NONE;
        }
        bits
    }
}

fn lets_through(pte: Pte, access: Access, hardware_af_dirty: bool) -> bool {
    if !pte.valid() || !hardware_af_dirty && !pte.young() {
        return false;
    }
    match access {
        Access::Load => true,
        Access::Exec => pte.has(Pte::EXEC),
        Access::Store => pte.writable() && (hardware_af_dirty || pte.dirty()),
    }
}
