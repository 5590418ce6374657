//! Loads, stores and instruction fetches, and the page faults they take.

use crate::addr::AddrRange;
use crate::call::{Call, Outcome};
use crate::cx::Cx;
use crate::errno::Signal;
use crate::flags::VmFlags;
use crate::machine::ChangeKind;
use crate::meter::Counter;
use crate::mm::enough_memory;
use crate::paging::{Access, Arch, Fault};
use crate::vma::area::Vma;
use crate::vma::iter::Cursor;
use crate::vma::place::STACK_GUARD_PAGES;
use crate::vma::tree::VmaId;

/// Who a page is faulted in for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Faulter {
    /// The program, whose access follows.
    Program,
    /// The kernel on its behalf (mlock, MAP_POPULATE): the contents stay as they are.
    Kernel,
}

impl Cx<'_> {
    /// Touches one byte at the address and at each following page start, until one faults for
    /// good.
    pub(super) fn access(&mut self, call: &Call) -> Outcome {
        let (addr, len, access) = match *call {
            Call::Store { addr, len } => (addr, len, Access::Store),
            Call::Exec { addr, len } => (addr, len, Access::Exec),
            Call::Load { addr, len } => (addr, len, Access::Load),
            _ => return Outcome::Value(0),
        };
        // As a recorder's loop sees it: a range that wraps around holds no address.
        let end = addr.wrapping_add(len);
        let mut at = addr;
        while at < end {
            if let Err(signal) = self.touch(at, access) {
                return Outcome::Signal(signal);
            }
            let Some(next) = self.page.align_down(at).checked_add(self.page.bytes()) else {
                break;
            };
            at = next;
        }
        Outcome::Value(0)
    }

    fn touch(&mut self, addr: u64, access: Access) -> Result<(), Signal> {
        self.reach(addr, access)?;
        if let Some(hardware) = self.hardware.as_deref_mut() {
            hardware.access(&self.mm.pages, addr, access);
        }
        Ok(())
    }

    /// Makes the page tables let the access through. Says whether they did so from the start.
    pub fn reach(&mut self, addr: u64, access: Access) -> Result<bool, Signal> {
        if addr >= self.limits.task_size {
            return Err(Signal::Segv);
        }
        if self.paging().hardware_access(addr, access) {
            return Ok(true);
        }
        let handler = match self.mem.design().arch {
            Arch::X86_64 => "do_user_addr_fault",
            Arch::Arm64 => "do_page_fault",
        };
        let result = self.within(handler, |cx| cx.page_fault(addr, access));
        if let Some(hardware) = self.hardware.as_deref_mut() {
            hardware.fault(&mut self.mem.log);
        }
        result.map(|()| false)
    }

    fn page_fault(&mut self, addr: u64, access: Access) -> Result<(), Signal> {
        let id = self.find_faulting_vma(addr).ok_or(Signal::Segv)?;
        let flags = self.mm.tree.get(id).flags;
        if !allows(flags, access) {
            return Err(if self.fetch_reads_first(flags, addr, access) {
                self.bring_in_page(id, addr, Access::Load)
                    .err()
                    .unwrap_or(Signal::Segv)
            } else {
                Signal::Segv
            });
        }
        self.bring_in_page(id, addr, access)
    }

    /// x86-64 handles an instruction fetch from a page that is not there as a read, whatever the
    /// mapping says of running it; only the next try, with the page in place, is refused.
    fn fetch_reads_first(&mut self, flags: VmFlags, addr: u64, access: Access) -> bool {
        self.mem.design().arch == Arch::X86_64
            && access == Access::Exec
            && allows(flags, Access::Load)
            && self.paging().would_fault(addr, Access::Load)
    }

    fn bring_in_page(&mut self, id: VmaId, addr: u64, access: Access) -> Result<(), Signal> {
        match self.fault_with_anon_vma(id, addr, access, Faulter::Program) {
            Fault::Done => Ok(()),
            Fault::Bus => Err(Signal::Bus),
            Fault::Guard | Fault::Oom | Fault::NeedAnonVma => Err(Signal::Segv),
        }
    }

    /// `lock_vma_under_rcu`, and where that does not do, `lock_mm_and_find_vma`.
    fn find_faulting_vma(&mut self, addr: u64) -> Option<VmaId> {
        self.walk("lock_vma_under_rcu");
        if let Cursor::On(id) = self.cursor_at(addr) {
            let vma = *self.mm.tree.get(id);
            if self.kernel.relooks_unwritten_on_fault
                && vma.is_anonymous()
                && vma.anon_vma.is_none()
            {
                self.within("lock_mm_and_find_vma", |cx| cx.find_vma(addr));
            }
            return Some(id);
        }
        let above = self.within("lock_mm_and_find_vma", |cx| cx.find_vma(addr))?;
        let vma = *self.mm.tree.get(above);
        if !vma.flags.contains(VmFlags::GROWSDOWN) {
            return None;
        }
        self.within("expand_downwards", |cx| cx.grow_down(above, &vma, addr))
    }

    /// `expand_downwards`: grows a stack to the page of `addr`, unless that comes too close to
    /// what lies below or exceeds a limit.
    fn grow_down(&mut self, id: VmaId, vma: &Vma, addr: u64) -> Option<VmaId> {
        let start = self.page.align_down(addr);
        if start < self.limits.mmap_min_addr {
            return None;
        }
        let mut cursor = Cursor::Start(vma.start);
        if let Some(below) = self.vma_prev(&mut cursor) {
            let below = *self.mm.tree.get(below);
            let guard = STACK_GUARD_PAGES << self.page.shift();
            if !below.flags.contains(VmFlags::GROWSDOWN)
                && below.flags.intersects(VmFlags::ACCESS)
                && start - below.end < guard
            {
                return None;
            }
            self.iter_next_range(&mut cursor);
        }
        // A stack has an anon_vma from its first growth on, whatever the access.
        self.prepare_anon_vma(id);
        let grow = vma.start - start;
        let pages = self.pages_of(grow);
        if pages > vma.pgoff
            || vma.end - start > self.limits.rlimit_stack
            || !self.mm.may_expand(self.limits, self.page, vma.flags, pages)
            || !self
                .mm
                .may_lock_more(self.limits, self.page, vma.flags, grow)
            || enough_memory(self.limits, grow).is_err()
        {
            return None;
        }
        if vma.flags.contains(VmFlags::LOCKED) {
            self.mm.locked_vm += pages;
        }
        self.mm.account(vma.flags, pages.cast_signed());
        self.mm.tree.set_bounds(id, start, vma.end);
        self.mm.tree.get_mut(id).pgoff = vma.pgoff - pages;
        self.meter.count(Counter::TreeStore);
        self.changed(ChangeKind::Mapped, start, vma.start);
        Some(id)
    }

    /// A fault in a mapping that allows the access; its anon_vma is prepared where it takes one.
    pub(super) fn fault_with_anon_vma(
        &mut self,
        id: VmaId,
        addr: u64,
        access: Access,
        by: Faulter,
    ) -> Fault {
        let fault = self.fault_once(id, addr, access, by);
        if fault != Fault::NeedAnonVma {
            return fault;
        }
        let anonymous = self.mm.tree.get(id).is_anonymous();
        let step = if !self.paging().would_fault(addr, Access::Load) {
            "do_wp_page"
        } else if anonymous {
            "do_anonymous_page"
        } else {
            "do_cow_fault"
        };
        self.within("handle_mm_fault", |cx| {
            cx.within(step, |cx| {
                cx.within("__vmf_anon_prepare", |cx| cx.prepare_anon_vma(id));
            });
        });
        self.fault_once(id, addr, access, by)
    }

    fn fault_once(&mut self, id: VmaId, addr: u64, access: Access, by: Faulter) -> Fault {
        let vma = *self.mm.tree.get(id);
        match by {
            Faulter::Program => self.paging().fault(&vma, addr, access),
            Faulter::Kernel => {
                let start = self.page.align_down(addr);
                let page = AddrRange::new(start, start.saturating_add(self.page.bytes()));
                let write = access == Access::Store;
                self.paging().populate(&vma, page, write)
            }
        }
    }
}

/// `access_error`: there is no way to forbid reading what may be written or run.
fn allows(flags: VmFlags, access: Access) -> bool {
    match access {
        Access::Load => flags.intersects(VmFlags::ACCESS),
        Access::Store => flags.contains(VmFlags::WRITE),
        Access::Exec => flags.contains(VmFlags::EXEC),
    }
}
