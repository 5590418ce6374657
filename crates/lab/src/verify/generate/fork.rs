//! `fork`: what a child inherits, and how both go on.

use sealab_core::call::{Call, ProcessId};
use sealab_core::flags::madv;

use super::Generator;
use super::draw::{ANON, FIXED, PRIVATE, SHARED};

/// Processes of one program.
const MOST: u32 = 3;

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length().max(10);
    for _ in 0..g.rng.within(2, 4) {
        map(g);
        let t = g.aim(&g.arena());
        g.store(super::aim::Target::pages(t.addr & !0xfff, 1));
    }
    if g.rng.chance(60) {
        mark(g);
    }
    g.make(Call::Fork);
    while g.wants_more(length) {
        if g.rng.chance(35) {
            let by = ProcessId(g.rng.below(u64::from(g.processes)) as u32);
            g.turn_to(by);
        }
        match g.rng.below(20) {
            0 if g.processes < MOST => {
                g.make(Call::Fork);
            }
            1 => mark(g),
            2 | 3 => map(g),
            4..=8 => {
                let made = g.arena();
                g.touch(&made);
            }
            _ => super::arena::any(g),
        }
    }
}

fn map(g: &mut Generator<'_>) {
    let made = g.arena();
    let at = g.place(&made);
    let kind = g.rng.weighted(&[(4, PRIVATE), (1, SHARED)]);
    let prot = g.first_prot();
    g.map_at(at, prot, kind | ANON | FIXED);
}

/// Advice that a fork heeds.
fn mark(g: &mut Generator<'_>) {
    let made = g.arena();
    let t = g.aim(&made);
    match g.rng.below(6) {
        0 | 1 => g.advise_with(t, madv::WIPEONFORK),
        2 | 3 => g.advise_with(t, madv::DONTFORK),
        4 => g.make(Call::Mlock {
            addr: t.addr,
            len: t.len,
        }),
        _ => g.seal(t),
    };
}
