//! Programs at fixed addresses: all calls mixed, and seals with everything thrown at them.

use sealab_core::call::Call;
use sealab_core::flags::madv;

use super::aim::Target;
use super::draw::{ANON, FIXED, MAYMOVE, NOREPLACE, PRIVATE, RW, SHARED};
use super::{Generator, PAGE};

/// `arena-fixed`.
pub(super) fn mixed(g: &mut Generator<'_>) {
    let length = g.length();
    for _ in 0..g.rng.within(1, 4) {
        let at = g.place(&g.arena());
        g.map_fixed(at);
    }
    while g.wants_more(length) {
        any(g);
    }
}

/// One call of any kind on the arena.
pub(super) fn any(g: &mut Generator<'_>) {
    let made = g.arena();
    match g.rng.below(100) {
        0..=25 => {
            let at = g.place(&made);
            g.map_fixed(at);
        }
        26..=44 => {
            let t = g.aim(&made);
            g.protect(t);
        }
        45..=58 => {
            let t = g.aim(&made);
            g.advise(t);
        }
        59..=76 => {
            g.touch(&made);
        }
        77..=84 => {
            let t = g.aim(&made);
            g.unmap(t);
        }
        85..=93 => {
            g.remap(&made);
        }
        _ => {
            let t = g.aim(&made);
            g.seal(t);
        }
    }
}

/// `seal-heavy`.
pub(super) fn seal_heavy(g: &mut Generator<'_>) {
    let length = g.length().max(12);
    let fd = memory_file(g);
    for _ in 0..g.rng.within(2, 4) {
        lay_out(g, fd);
    }
    for _ in 0..g.rng.within(1, 3) {
        let t = g.aim(&g.arena());
        g.seal(t);
    }
    while g.wants_more(length) {
        attack(g, fd);
    }
}

/// A memfd in every fifth program.
fn memory_file(g: &mut Generator<'_>) -> Option<i32> {
    if !g.rng.chance(20) {
        return None;
    }
    let fd = g.value(Call::MemfdCreate {
        name: "sealab".into(),
        flags: 1, // MFD_CLOEXEC
        fd: None,
    })?;
    let fd = i32::try_from(fd).ok()?;
    g.make(Call::Ftruncate { fd, len: 262_144 });
    Some(fd)
}

/// One more mapping beside the others, written to or not.
fn lay_out(g: &mut Generator<'_>, fd: Option<i32>) {
    let made = g.arena();
    let pages = g.rng.within(2, 10);
    let end = made.last().map(|m| m.end);
    let gap = g.rng.weighted(&[(6, 0), (1, 1), (1, 2), (1, 3)]);
    let at = match end {
        Some(end) => Target::pages(end + gap * PAGE, pages),
        None => g.anywhere(10),
    };
    let prot = g.first_prot();
    let call = match fd {
        Some(fd) if g.rng.chance(35) => Call::Mmap {
            addr: at.addr,
            len: at.len,
            prot,
            flags: FIXED | g.rng.weighted(&[(1, PRIVATE), (1, SHARED)]),
            fd,
            offset: g.rng.below(16) * PAGE,
        },
        _ => {
            let kind = g.rng.weighted(&[(88, PRIVATE), (12, SHARED)]);
            super::draw::anon(at, prot, FIXED | ANON | kind)
        }
    };
    g.make(call);
    if g.rng.chance(50) {
        let touched = g.rng.within(1, pages);
        g.store(Target::pages(at.addr, touched));
    }
}

fn attack(g: &mut Generator<'_>, fd: Option<i32>) {
    let made = g.arena();
    match g.rng.below(100) {
        0..=18 => {
            let t = g.aim(&made);
            g.seal(t);
        }
        19..=37 => {
            let t = g.aim(&made);
            g.protect(t);
        }
        38..=48 => {
            let t = g.aim(&made);
            g.unmap(t);
        }
        49..=59 => {
            let t = g.aim(&made);
            let advice = g.rng.weighted(DISCARDING);
            g.advise_with(t, advice);
        }
        60..=62 => {
            let t = g.aim(&made);
            g.advise(t);
        }
        63..=72 => {
            g.remap(&made);
        }
        73..=84 => {
            let at = g.place(&made);
            let how = g.rng.weighted(&[(4, FIXED), (1, NOREPLACE)]);
            let kind = g.rng.weighted(&[(9, PRIVATE), (1, SHARED)]);
            let prot = g.first_prot();
            g.map_at(at, prot, how | kind | ANON);
        }
        85 => lay_out(g, fd),
        86 => {
            let t = g.aim(&made);
            g.make(Call::PkeyMprotect {
                addr: t.addr,
                len: t.len,
                prot: RW,
                pkey: -1,
            });
        }
        87 => {
            // To where nothing is, so that a seal is all that can stand in the way.
            let t = g.aim(&made);
            g.make(Call::Mremap {
                addr: t.addr,
                old_len: t.len,
                new_len: t.len,
                flags: MAYMOVE,
                new_addr: 0,
            });
        }
        _ => {
            g.touch(&made);
        }
    }
}

/// Advice that a seal may refuse.
const DISCARDING: &[(u64, i32)] = &[
    (13, madv::DONTNEED),
    (8, madv::FREE),
    (6, madv::DONTFORK),
    (5, madv::WIPEONFORK),
    (3, madv::DONTNEED_LOCKED),
    (2, madv::GUARD_INSTALL),
    (2, madv::REMOVE),
];
