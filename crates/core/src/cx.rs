//! A call under way: the kernel's rules, the process it is made by, and what is counted.

use crate::addr::{AddrRange, PageSize};
use crate::chain::chain;
use crate::file::{FdTable, Files, InodeId};
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use crate::machine::{CallTrace, Change, ChangeKind, Limits, WalkRecord};
use crate::meter::{Counter, Counts};
use crate::mm::Mm;
use crate::paging::{Paging, PhysMem};
use crate::vma::area::{AnonVmaId, Vma};
use crate::vma::height;

/// Counts, and for the latest call what it changed and, when asked for, the chain of every walk.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    pub counts: Counts,
    pub tracing: bool,
    pub trace: CallTrace,
    /// Steps of the call entered and not yet left, outermost first.
    steps: Vec<&'static str>,
}

impl Meter {
    /// Forgets the former call's trace.
    #[inline]
    pub fn begin(&mut self) {
        self.trace.changes.clear();
        self.trace.remarks.clear();
        if self.tracing {
            self.trace.walks.clear();
            self.steps.clear();
        }
    }

    #[inline]
    pub fn count(&mut self, counter: Counter) {
        self.counts.add(counter, 1);
    }
}

/// A part of a file whose pages must go from every mapping of it, once the call is over.
#[derive(Clone, Copy, Debug)]
pub struct Punch {
    pub inode: InodeId,
    /// First page offset.
    pub first: u64,
    /// One past the last.
    pub end: u64,
    /// Whether the file was cut short: then private copies of the pages go as well.
    pub cut: bool,
}

/// Everything a call works on, borrowed for its length.
pub struct Cx<'m> {
    pub kernel: &'static Kernel,
    pub limits: &'m Limits,
    pub page: PageSize,
    pub mm: &'m mut Mm,
    pub fds: &'m mut FdTable,
    pub files: &'m mut Files,
    pub mem: &'m mut PhysMem,
    pub meter: &'m mut Meter,
    pub next_anon_vma: &'m mut u32,
    pub punches: &'m mut Vec<Punch>,
    /// TLBs, where the machine has any.
    pub hardware: Option<&'m mut Hardware>,
}

impl Cx<'_> {
    /// Runs `body` as the step `name` of the call: walks made in it name it in their chain, each
    /// kernel as it calls it (see [`chain`]).
    #[inline]
    pub fn within<R>(&mut self, name: &'static str, body: impl FnOnce(&mut Self) -> R) -> R {
        if !self.meter.tracing {
            return body(self);
        }
        let depth = self.meter.steps.len();
        self.meter.steps.push(name);
        let result = body(self);
        self.meter.steps.truncate(depth);
        result
    }

    /// Counts a descent of the VMA tree made by `entry`.
    #[inline]
    pub fn walk(&mut self, entry: &'static str) {
        self.meter.count(Counter::TreeWalk);
        let levels = height::typical(self.mm.map_count());
        self.meter.counts.add(Counter::TreeLevel, u64::from(levels));
        if self.meter.tracing {
            let chain = chain(self.kernel.id, entry, &self.meter.steps);
            self.meter.trace.walks.push(WalkRecord { chain });
        }
    }

    /// The process's pages.
    #[inline]
    pub fn paging(&mut self) -> Paging<'_> {
        Paging {
            table: &mut self.mm.pages,
            mem: self.mem,
            files: self.files,
            counts: &mut self.meter.counts,
        }
    }

    /// Notes a change for the report.
    #[inline]
    pub fn changed(&mut self, kind: ChangeKind, start: u64, end: u64) {
        self.meter.trace.changes.push(Change {
            range: AddrRange::new(start, end),
            kind,
        });
    }

    #[inline]
    pub fn pages_of(&self, bytes: u64) -> u64 {
        bytes >> self.page.shift()
    }

    /// `vma_is_sealed` / `can_modify_vma`, counted.
    #[inline]
    pub fn sees_seal(&mut self, vma: &Vma) -> bool {
        self.meter.count(Counter::SealCheck);
        vma.is_sealed()
    }

    /// The in-loop designs' test of one VMA: true where the operation must be refused.
    #[inline]
    pub fn refused_in_loop(&mut self, vma: &Vma) -> bool {
        self.kernel.checks_in_loop() && self.sees_seal(vma)
    }

    pub fn new_anon_vma(&mut self) -> AnonVmaId {
        *self.next_anon_vma += 1;
        AnonVmaId(*self.next_anon_vma)
    }

    /// Whether another VMA may be made (`map_count < max_map_count`).
    #[inline]
    pub fn below_map_limit(&self) -> bool {
        self.mm.map_count() < self.limits.max_map_count
    }
}
