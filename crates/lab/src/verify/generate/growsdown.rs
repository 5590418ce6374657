//! `growsdown`: mappings that grow when touched just below.

use sealab_core::addr::AddrRange;
use sealab_core::call::Call;
use sealab_core::flags::{MapFlags, Prot};

use super::aim::{ARENA, Target};
use super::draw::{ANON, FIXED, MAYMOVE, NOREPLACE, PRIVATE, R, RW};
use super::{Generator, PAGE};

const DOWN: u64 = MapFlags::GROWSDOWN.bits();
/// Four times the guard gap of 256 pages, so that gaps and their borders are all in it.
const WINDOW: u64 = 1024;
/// `stack_guard_gap`, in pages.
const GUARD: u64 = 256;

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    for _ in 0..g.rng.within(1, 2) {
        map_down(g, FIXED);
    }
    while g.wants_more(length) {
        step(g);
    }
}

fn map_down(g: &mut Generator<'_>, how: u64) {
    let pages = g.rng.within(1, 4);
    let at = Target::pages(ARENA + g.rng.below(WINDOW) * PAGE, pages);
    let prot = g.rng.weighted(&[(12, RW), (2, R), (1, RW | 4), (1, 0)]);
    g.map_at(at, prot, PRIVATE | ANON | DOWN | how);
}

/// Just below a mapping, within the guard gap or about its end.
fn below(g: &mut Generator<'_>, m: AddrRange) -> Target {
    let down = match g.rng.below(6) {
        0..=2 => g.rng.within(1, 4),
        3 => g.rng.within(1, GUARD),
        4 => g.rng.within(GUARD - 2, GUARD + 2),
        _ => g.rng.within(1, 2 * GUARD),
    };
    Target::pages(m.start.saturating_sub(down * PAGE), 1)
}

fn step(g: &mut Generator<'_>) {
    let made = g.made();
    let m = g
        .rng
        .one(&made)
        .copied()
        .unwrap_or(AddrRange::new(ARENA, ARENA + PAGE));
    match g.rng.below(100) {
        0..=34 => {
            let t = below(g, m);
            if g.rng.chance(80) {
                g.store(t);
            } else {
                g.load(t);
            }
        }
        35..=42 => {
            g.touch(&made);
        }
        43..=54 => {
            let how = g.rng.weighted(&[(3, FIXED), (2, 0)]);
            map_down(g, how);
        }
        55..=63 => {
            // Something for it to run into.
            let t = below(g, m);
            let prot = g.rng.weighted(&[(3, RW), (2, R), (2, 0)]);
            g.map_at(t, prot, PRIVATE | ANON | NOREPLACE);
        }
        64..=70 => {
            let pages = g.rng.within(1, 300);
            g.map_at(Target::pages(0, pages), RW, PRIVATE | ANON);
        }
        71..=76 => {
            let t = g.aim(&made);
            g.unmap(t);
        }
        77..=83 => {
            let t = g.aim(&made);
            let prot = g.prot() | g.rng.weighted(&[(1, 0), (1, Prot::GROWSDOWN.bits())]);
            g.make(Call::Mprotect {
                addr: t.addr,
                len: t.len,
                prot,
            });
        }
        84..=91 => {
            let t = g.aim(&made);
            g.seal(t);
        }
        92..=95 => {
            let more = g.rng.within(1, 4) * PAGE;
            let flags = g.rng.weighted(&[(1, 0), (1, MAYMOVE)]);
            g.make(Call::Mremap {
                addr: m.start,
                old_len: m.len(),
                new_len: m.len() + more,
                flags,
                new_addr: 0,
            });
        }
        96 => {
            g.remap(&made);
        }
        _ => {
            let t = g.aim(&made);
            g.advise(t);
        }
    }
}
