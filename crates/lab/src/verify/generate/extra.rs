//! `extra`: locks, msync, protection keys, unusual mmap flags.

use sealab_core::call::Call;
use sealab_core::flags::{MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT, MLOCK_ONFAULT, MapFlags, madv};

use super::Generator;
use super::aim::Target;
use super::draw::{ANON, FIXED, NOREPLACE, NORESERVE, POPULATE, PRIVATE, SHARED, STACK};

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    for _ in 0..g.rng.within(1, 4) {
        map(g);
    }
    while g.wants_more(length) {
        step(g);
    }
}

fn map(g: &mut Generator<'_>) {
    let made = g.arena();
    let at = g.place(&made);
    let how = g.rng.weighted(&[(88, FIXED), (12, NOREPLACE)]);
    let kind = g
        .rng
        .weighted(&[(90, PRIVATE), (8, SHARED), (2, MapFlags::TYPE_DROPPABLE)]);
    let more = g.rng.weighted(&[
        (40, 0),
        (14, POPULATE),
        (8, POPULATE | MapFlags::NONBLOCK.bits()),
        (4, MapFlags::NONBLOCK.bits()),
        (8, STACK),
        (8, NORESERVE),
        (7, MapFlags::LOCKED.bits()),
        (3, MapFlags::LOCKED.bits() | POPULATE),
        (4, MapFlags::DENYWRITE.bits()),
        (4, MapFlags::EXECUTABLE.bits()),
    ]);
    let prot = g.first_prot();
    g.map_at(at, prot, how | kind | more | ANON);
}

fn step(g: &mut Generator<'_>) {
    let made = g.arena();
    let t = g.aim(&made);
    let Target { addr, len } = t;
    match g.rng.below(100) {
        0..=13 => map(g),
        14..=23 => {
            g.make(Call::Mlock { addr, len });
        }
        24..=31 => {
            g.make(Call::Munlock { addr, len });
        }
        32..=37 => {
            let flags = g.rng.weighted(&[(4, MLOCK_ONFAULT), (2, 0), (1, 2)]);
            g.make(Call::Mlock2 { addr, len, flags });
        }
        38..=41 => {
            let flags = g.rng.weighted(&[
                (4, MCL_CURRENT),
                (4, MCL_FUTURE),
                (2, MCL_CURRENT | MCL_FUTURE),
                (2, MCL_FUTURE | MCL_ONFAULT),
                (1, MCL_CURRENT | MCL_ONFAULT),
                (1, MCL_ONFAULT),
                (1, 8),
                (1, 0),
            ]);
            g.make(Call::Mlockall { flags });
        }
        42 => {
            g.make(Call::Munlockall);
        }
        43..=48 => {
            let prot = g.prot();
            let pkey = g
                .rng
                .weighted(&[(5, -1), (1, 0), (1, 1), (1, 15), (1, 16), (1, -2)]);
            g.make(Call::PkeyMprotect {
                addr,
                len,
                prot,
                pkey,
            });
        }
        49..=53 => {
            let flags = g
                .rng
                .weighted(&[(3, 4), (2, 1), (2, 2), (1, 5), (1, 3), (1, 8), (1, 0)]);
            g.make(Call::Msync { addr, len, flags });
        }
        54..=61 => {
            g.advise_with(t, madv::DONTNEED_LOCKED);
        }
        62..=68 => {
            g.advise(t);
        }
        69..=74 => {
            g.unmap(t);
        }
        75..=80 => {
            g.protect(t);
        }
        81..=84 => {
            g.seal(t);
        }
        85..=89 => {
            g.remap(&made);
        }
        _ => {
            g.touch(&made);
        }
    }
}
