//! `brk`: the heap, with holes and seals in it and things in its way.

use sealab_core::addr::AddrRange;
use sealab_core::call::Call;

use super::aim::{ARENA, Target};
use super::draw::{ANON, FIXED, MAYMOVE, MFIXED, NOREPLACE, PRIVATE, RW, SHARED};
use super::{Generator, PAGE};

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    let Some(start) = g.value(Call::Brk { addr: 0 }) else {
        return;
    };
    let pages = g.rng.within(1, 8);
    let mut brk = set(g, start + pages * PAGE, start);
    while g.wants_more(length) {
        let mut heap: Vec<AddrRange> = g.maps.iter().map(|m| m.range).collect();
        heap.retain(|m| m.start >= start && m.end <= start + (4 << 20));
        match g.rng.below(100) {
            0..=44 => brk = move_break(g, start, brk),
            45..=58 => {
                g.touch(&heap);
            }
            59..=65 => {
                let t = g.aim(&heap);
                g.protect(t);
            }
            66..=71 => {
                let t = g.aim(&heap);
                g.unmap(t);
            }
            72..=78 => in_the_way(g, brk),
            79..=84 => {
                let t = g.aim(&heap);
                g.seal(t);
            }
            85..=90 => {
                let t = g.aim(&heap);
                g.advise(t);
            }
            _ => remap(g, &heap),
        }
    }
}

/// Asks for the break `to`; the break in force then.
fn set(g: &mut Generator<'_>, to: u64, brk: u64) -> u64 {
    g.value(Call::Brk { addr: to }).unwrap_or(brk)
}

fn move_break(g: &mut Generator<'_>, start: u64, brk: u64) -> u64 {
    let up = g.rng.within(1, 12) * PAGE;
    let odd = g.rng.below(PAGE);
    let to = match g.rng.below(20) {
        0..=6 => brk + up,
        7..=8 => brk + odd,
        9 => brk + up * 4,
        10..=13 => start + g.rng.below((brk - start.min(brk)).max(1)),
        14 => brk.saturating_sub(up),
        15 => (brk + PAGE) & !(PAGE - 1),
        16 => start,
        17 => start.saturating_sub(g.rng.within(1, 3) * PAGE),
        18 => 0,
        _ => g
            .rng
            .one(&[u64::MAX, 1, 0x7fff_ffff_f000, 0x7fff_f7ff_0000])
            .copied()
            .unwrap_or(0),
    };
    set(g, to, brk)
}

/// A mapping in the heap or just above it.
fn in_the_way(g: &mut Generator<'_>, brk: u64) {
    let pages = g.rng.within(1, 5);
    let aligned = brk & !(PAGE - 1);
    let from = match g.rng.below(3) {
        0 => aligned + g.rng.below(8) * PAGE,
        _ => aligned.saturating_sub(g.rng.below(16) * PAGE),
    };
    let how = g.rng.weighted(&[(3, FIXED), (2, NOREPLACE)]);
    let kind = g.rng.weighted(&[(5, PRIVATE), (1, SHARED)]);
    let prot = if g.rng.chance(60) { RW } else { g.prot() };
    g.map_at(Target::pages(from, pages), prot, how | kind | ANON);
}

fn remap(g: &mut Generator<'_>, heap: &[AddrRange]) {
    let t = g.aim(heap);
    let more = g.rng.within(1, 4) * PAGE;
    let to = ARENA + g.rng.below(32) * PAGE;
    let (new_len, flags, new_addr) = match g.rng.below(5) {
        0 => (t.len, 0, 0),
        1 => (t.len + more, 0, 0),
        2 => (t.len + more, MAYMOVE, 0),
        3 => (t.len, MAYMOVE | MFIXED, to),
        _ => (t.len.saturating_sub(more).max(PAGE), MAYMOVE, 0),
    };
    g.make(Call::Mremap {
        addr: t.addr,
        old_len: t.len,
        new_len,
        flags,
        new_addr,
    });
}
