//! `self-seal`: mseal's documented use. The process seals its own image, heap and stack, then
//! every destructive call is tried on them.

use sealab_core::addr::AddrRange;
use sealab_core::call::Call;
use sealab_core::start::TASK_SIZE_X86_64;

use super::aim::{ARENA, Target};
use super::draw::{MAYMOVE, MFIXED};
use super::{Generator, PAGE};

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    heap(g);
    let parts = parts(g);
    for _ in 0..g.rng.within(1, 6) {
        seal_one(g, &parts);
    }
    while g.wants_more(length) {
        step(g);
    }
}

fn heap(g: &mut Generator<'_>) {
    if !g.rng.chance(60) {
        return;
    }
    let Some(start) = g.value(Call::Brk { addr: 0 }) else {
        return;
    };
    let pages = g.rng.within(4, 12);
    g.make(Call::Brk {
        addr: start + pages * PAGE,
    });
    g.store(Target::pages(start, 4));
}

/// Everything mapped, the kernel's own page aside.
fn parts(g: &Generator<'_>) -> Vec<AddrRange> {
    let ranges = g.maps.iter().map(|m| m.range);
    ranges.filter(|m| m.end <= TASK_SIZE_X86_64).collect()
}

fn seal_one(g: &mut Generator<'_>, parts: &[AddrRange]) {
    let m = g.rng.one(parts).copied().unwrap_or_default();
    let t = if g.rng.chance(60) {
        Target {
            addr: m.start,
            len: m.len(),
        }
    } else {
        g.aim(&[m])
    };
    g.seal(t);
}

fn step(g: &mut Generator<'_>) {
    let parts = parts(g);
    let m = g.rng.one(&parts).copied().unwrap_or_default();
    let t = g.aim(&[m]);
    match g.rng.below(100) {
        0..=23 => seal_one(g, &parts),
        24..=36 => {
            g.protect(t);
        }
        37..=48 => {
            g.unmap(t);
        }
        49..=58 => {
            g.map_fixed(t);
        }
        59..=67 => {
            let more = g.rng.within(1, 3) * PAGE;
            let (new_len, flags, new_addr) = match g.rng.below(4) {
                0 => (t.len + more, MAYMOVE, 0),
                1 => (t.len, MAYMOVE | MFIXED, ARENA + g.rng.below(32) * PAGE),
                2 => (t.len.saturating_sub(more).max(PAGE), 0, 0),
                _ => (t.len, MAYMOVE, 0),
            };
            g.make(Call::Mremap {
                addr: t.addr,
                old_len: t.len,
                new_len,
                flags,
                new_addr,
            });
        }
        68..=77 => {
            g.advise(t);
        }
        78..=85 => {
            let brk = g.value(Call::Brk { addr: 0 }).unwrap_or(0);
            let by = g.rng.within(1, 6) * PAGE;
            let to = if g.rng.chance(60) {
                brk + by
            } else {
                brk.saturating_sub(by)
            };
            g.make(Call::Brk { addr: to });
        }
        86..=92 => {
            // A sealed stack goes on growing.
            let down = g.rng.within(1, 40) * PAGE;
            let stack = g.maps.iter().find(|m| &*m.name == "[stack]");
            let bottom = stack.map_or(TASK_SIZE_X86_64, |m| m.range.start);
            g.store(Target::pages(bottom.saturating_sub(down), 1));
        }
        _ => {
            g.load(Target::pages(t.addr & !(PAGE - 1), 1));
        }
    }
}
