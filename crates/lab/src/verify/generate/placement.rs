//! `placement`: where the kernel puts what has no address, or a hint.

use sealab_core::call::Call;
use sealab_core::flags::MapFlags;

use super::aim::Target;
use super::draw::{ANON, DONTUNMAP, MAYMOVE, NOREPLACE, NORESERVE, PRIVATE, SHARED, STACK};
use super::{Generator, PAGE};

const LOW_2G: u64 = MapFlags::MAP_32BIT.bits();
const HUGE: u64 = 2 << 20;

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    while g.wants_more(length) {
        let made = g.made();
        match g.rng.below(100) {
            0..=57 => map(g),
            58..=71 => {
                let t = if g.rng.chance(40) {
                    whole(g)
                } else {
                    g.aim(&made)
                };
                g.unmap(t);
            }
            72..=85 => remap(g),
            86..=91 => {
                let t = g.aim(&made);
                g.protect(t);
            }
            92 => {
                let t = g.aim(&made);
                g.seal(t);
            }
            _ => {
                g.touch(&made);
            }
        }
    }
}

fn whole(g: &mut Generator<'_>) -> Target {
    let made = g.made();
    let m = g.rng.one(&made).copied().unwrap_or_default();
    Target {
        addr: m.start,
        len: m.len().max(PAGE),
    }
}

fn map(g: &mut Generator<'_>) {
    let addr = if g.rng.chance(45) { 0 } else { hint(g) };
    let len = length(g);
    let prot = g.rng.weighted(&[(80, 3), (8, 1), (5, 0), (7, 8)]);
    let prot = if prot == 8 { g.prot() } else { prot };
    let kind = g.rng.weighted(&[(95, PRIVATE), (5, SHARED)]);
    let more = g.rng.weighted(&[
        (76, 0),
        (5, LOW_2G),
        (5, STACK),
        (5, NORESERVE),
        (5, NOREPLACE),
        (2, NOREPLACE | STACK),
        (2, LOW_2G | NORESERVE),
    ]);
    g.map_at(Target { addr, len }, prot, kind | ANON | more);
}

/// 4 KiB to 8 MiB: small, around multiples of 2 MiB, or anything between.
fn length(g: &mut Generator<'_>) -> u64 {
    match g.rng.below(10) {
        0..=3 => g.rng.within(1, 16) * PAGE,
        4 => g
            .rng
            .one(&[135_168, 262_144, 1_048_576, 1_052_672, 1_572_864])
            .copied()
            .unwrap_or(PAGE),
        5..=6 => {
            let exact = g.rng.within(1, 4) * HUGE;
            let off = g.rng.weighted(&[(4, 0), (1, PAGE), (1, 1), (1, HUGE / 2)]);
            if g.rng.chance(50) {
                exact + off
            } else {
                exact - off
            }
        }
        7 => g.rng.within(1, 8 << 20),
        _ => g.rng.within(1, 2048) * PAGE,
    }
}

/// Free, taken, unaligned, very low, beyond the end, beside what is there.
fn hint(g: &mut Generator<'_>) -> u64 {
    let maps: Vec<_> = g.maps.iter().map(|m| m.range).collect();
    let m = g.rng.one(&maps).copied().unwrap_or_default();
    let off = g.rng.within(1, 300) * PAGE;
    let hint = match g.rng.below(12) {
        0..=1 => m.start,
        2 => m.end,
        3 => m.end.wrapping_add(off),
        4..=5 => m.start.wrapping_sub(off),
        6 => g.rng.below(m.len().max(1)) + m.start,
        7 => g
            .rng
            .one(&[1, 0x1000, 0x2000, 0xf000, 0x10000, 0x11000, 0x10_0000])
            .copied()
            .unwrap_or(1),
        8 => g
            .rng
            .one(&[
                0x7fff_ffff_e000,
                0x7fff_ffff_f000,
                0x8000_0000_0000,
                0xffff_ffff_f000,
                u64::MAX,
                0x7fff_ff7f_f000,
                0x7fff_ffdd_d000,
            ])
            .copied()
            .unwrap_or(1),
        9 => g.start.mmap_base.wrapping_add(g.rng.within(0, 600) * PAGE),
        10 => 0x4000_0000 + g.rng.below(1 << 20) * PAGE,
        _ => 0x2000_0000_0000 + g.rng.below(1 << 30) * PAGE,
    };
    if g.rng.chance(10) {
        hint.wrapping_add(g.rng.below(PAGE))
    } else {
        hint
    }
}

fn remap(g: &mut Generator<'_>) {
    let source = if g.rng.chance(70) {
        whole(g)
    } else {
        let made = g.made();
        g.aim(&made)
    };
    let delta = match g.rng.below(3) {
        0 => g.rng.within(1, 16) * PAGE,
        1 => g.rng.within(1, 300) * PAGE,
        _ => g.rng.within(1, 1 << 20),
    };
    let (new_len, flags) = match g.rng.below(10) {
        0..=3 => (source.len + delta, MAYMOVE),
        4..=5 => (source.len.saturating_sub(delta).max(1), MAYMOVE),
        6..=7 => (source.len, MAYMOVE | DONTUNMAP),
        _ => (source.len + delta, 0),
    };
    // With DONTUNMAP the new address is a hint.
    let new_addr = if flags & DONTUNMAP != 0 && g.rng.chance(30) {
        hint(g)
    } else {
        0
    };
    g.make(Call::Mremap {
        addr: source.addr,
        old_len: source.len,
        new_len,
        flags,
        new_addr,
    });
}
