//! Single calls with drawn arguments, weighted as in the recordings.

use sealab_core::addr::AddrRange;
use sealab_core::call::{Call, Outcome};
use sealab_core::flags::{MapFlags, MremapFlags, Prot, madv};

use super::aim::Target;
use super::{Generator, PAGE};

pub(super) const R: u64 = Prot::READ.bits();
pub(super) const W: u64 = Prot::WRITE.bits();
pub(super) const X: u64 = Prot::EXEC.bits();
pub(super) const RW: u64 = R | W;

pub(super) const ANON: u64 = MapFlags::ANONYMOUS.bits();
pub(super) const PRIVATE: u64 = MapFlags::PRIVATE.bits();
pub(super) const SHARED: u64 = MapFlags::SHARED.bits();
pub(super) const FIXED: u64 = MapFlags::FIXED.bits();
pub(super) const NOREPLACE: u64 = MapFlags::FIXED_NOREPLACE.bits();
pub(super) const NORESERVE: u64 = MapFlags::NORESERVE.bits();
pub(super) const STACK: u64 = MapFlags::STACK.bits();
pub(super) const POPULATE: u64 = MapFlags::POPULATE.bits();

pub(super) const MAYMOVE: u64 = MremapFlags::MAYMOVE.bits();
pub(super) const MFIXED: u64 = MremapFlags::FIXED.bits();
pub(super) const DONTUNMAP: u64 = MremapFlags::DONTUNMAP.bits();

impl Generator<'_> {
    pub(super) fn prot(&mut self) -> u64 {
        self.rng.weighted(&[
            (44, RW),
            (24, R),
            (13, 0),
            (6, R | X),
            (5, RW | X),
            (3, W),
            (2, W | X),
            (3, X),
        ])
    }

    /// Writable more often than not: what a mapping starts with.
    pub(super) fn first_prot(&mut self) -> u64 {
        if self.rng.chance(55) { RW } else { self.prot() }
    }

    /// Private anonymous memory at a fixed place.
    pub(super) fn map_fixed(&mut self, at: Target) -> Option<Outcome> {
        let how = self.rng.weighted(&[(82, FIXED), (18, NOREPLACE)]);
        let more = self
            .rng
            .weighted(&[(87, 0), (5, NORESERVE), (5, STACK), (3, POPULATE)]);
        let prot = self.first_prot();
        self.map_at(at, prot, PRIVATE | ANON | how | more)
    }

    pub(super) fn map_at(&mut self, at: Target, prot: u64, flags: u64) -> Option<Outcome> {
        self.make(anon(at, prot, flags))
    }

    pub(super) fn unmap(&mut self, t: Target) -> Option<Outcome> {
        self.make(Call::Munmap {
            addr: t.addr,
            len: t.len,
        })
    }

    pub(super) fn protect(&mut self, t: Target) -> Option<Outcome> {
        let prot = self.prot();
        self.make(Call::Mprotect {
            addr: t.addr,
            len: t.len,
            prot,
        })
    }

    pub(super) fn seal(&mut self, t: Target) -> Option<Outcome> {
        self.make(Call::Mseal {
            addr: t.addr,
            len: t.len,
            flags: 0,
        })
    }

    pub(super) fn store(&mut self, t: Target) -> Option<Outcome> {
        self.make(Call::Store {
            addr: t.addr,
            len: t.len,
        })
    }

    pub(super) fn load(&mut self, t: Target) -> Option<Outcome> {
        self.make(Call::Load {
            addr: t.addr,
            len: t.len,
        })
    }

    /// A read, a write or now and then an instruction fetch, of a few pages.
    pub(super) fn touch(&mut self, made: &[AddrRange]) -> Option<Outcome> {
        let t = self.access(made);
        match self.rng.below(20) {
            0..=12 => self.store(t),
            13..=18 => self.load(t),
            _ => self.make(Call::Exec {
                addr: t.addr,
                len: t.len,
            }),
        }
    }

    pub(super) fn advise(&mut self, t: Target) -> Option<Outcome> {
        let advice = self.rng.weighted(ADVICE);
        self.advise_with(t, advice)
    }

    pub(super) fn advise_with(&mut self, t: Target, advice: i32) -> Option<Outcome> {
        self.make(Call::Madvise {
            addr: t.addr,
            len: t.len,
            advice,
        })
    }

    /// mremap in any of its ways, of a range of `made` to a place among them.
    pub(super) fn remap(&mut self, made: &[AddrRange]) -> Option<Outcome> {
        let source = self.aim(made);
        let by = self.rng.within(1, 6) * PAGE;
        let longer = source.len.saturating_add(by);
        let shorter = source.len.saturating_sub(by).max(PAGE);
        let len = source.len;
        let to = self.place(made).addr & !(PAGE - 1);
        let (old_len, new_len, flags, new_addr) = match self.rng.below(100) {
            0..=14 => (len, longer, 0, 0),
            15..=29 => (len, longer, MAYMOVE, 0),
            30..=39 => (len, shorter, self.rng.weighted(&[(1, 0), (2, MAYMOVE)]), 0),
            40..=44 => (len, len, self.rng.weighted(&[(1, 0), (1, MAYMOVE)]), 0),
            45..=69 => (len, len, MAYMOVE | MFIXED, to),
            70..=75 => (len, longer, MAYMOVE | MFIXED, to),
            76..=81 => (len, shorter, MAYMOVE | MFIXED, to),
            82..=87 => (len, len, MAYMOVE | DONTUNMAP, 0),
            88..=93 => (len, len, MAYMOVE | MFIXED | DONTUNMAP, to),
            94 => (len, longer, MAYMOVE | DONTUNMAP, 0),
            95..=96 => (0, by, MAYMOVE, 0),
            97..=98 => (0, by, MAYMOVE | MFIXED, to),
            _ => (len, len, self.rng.below(8), to),
        };
        self.make(Call::Mremap {
            addr: source.addr,
            old_len,
            new_len,
            flags,
            new_addr,
        })
    }
}

/// An mmap call without a file.
pub(super) fn anon(at: Target, prot: u64, flags: u64) -> Call {
    Call::Mmap {
        addr: at.addr,
        len: at.len,
        prot,
        flags,
        fd: -1,
        offset: 0,
    }
}

/// Advice of the kind that any memory may get, weighted towards what discards.
pub(super) const ADVICE: &[(u64, i32)] = &[
    (83, madv::DONTNEED),
    (50, madv::FREE),
    (40, madv::DONTDUMP),
    (38, madv::WIPEONFORK),
    (38, madv::DONTFORK),
    (29, madv::DODUMP),
    (27, madv::KEEPONFORK),
    (25, madv::SEQUENTIAL),
    (25, madv::NORMAL),
    (24, madv::RANDOM),
    (24, madv::GUARD_INSTALL),
    (21, madv::POPULATE_WRITE),
    (20, madv::WILLNEED),
    (20, madv::POPULATE_READ),
    (19, madv::UNMERGEABLE),
    (19, madv::HUGEPAGE),
    (18, madv::DOFORK),
    (16, madv::GUARD_REMOVE),
    (15, madv::NOHUGEPAGE),
    (13, madv::DONTNEED_LOCKED),
    (13, madv::COLD),
    (12, madv::PAGEOUT),
    (12, madv::MERGEABLE),
    (11, madv::REMOVE),
    (5, madv::COLLAPSE),
];
