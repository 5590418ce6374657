//! `bad-args`: calls with one or two arguments that are wrong.

use sealab_core::call::Call;
use sealab_core::flags::MapFlags;

use super::draw::{ADVICE, ANON, FIXED, MAYMOVE, MFIXED, NOREPLACE, PRIVATE, RW, SHARED};
use super::{Generator, PAGE};

/// Addresses at the borders of what an address can be.
const ADDRESSES: &[u64] = &[
    0,
    1,
    0xfff,
    0x1000,
    0xf000,
    0x1_0000,
    0x7fff_ffff_e000,
    0x7fff_ffff_f000,
    0x8000_0000_0000,
    0x8000_0000_1000,
    0x00ff_0000_0000_0000,
    0xffff_ffff_ff60_0000,
    u64::MAX - 0xfff,
    u64::MAX,
];

/// Lengths likewise.
const LENGTHS: &[u64] = &[
    0,
    1,
    PAGE - 1,
    PAGE + 1,
    1 << 46,
    1 << 47,
    (1 << 47) - PAGE,
    (1 << 47) + PAGE,
    1 << 48,
    1 << 63,
    (1 << 63) - PAGE,
    u64::MAX - 2 * PAGE + 1,
    u64::MAX - PAGE + 1,
    u64::MAX - PAGE + 2,
    u64::MAX,
];

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    for _ in 0..g.rng.within(1, 3) {
        let at = g.place(&g.arena());
        let prot = g.first_prot();
        g.map_at(at, prot, PRIVATE | ANON | FIXED);
    }
    while g.wants_more(length) {
        if g.rng.chance(15) {
            super::arena::any(g);
        } else {
            wrong(g);
        }
    }
}

/// An address, a length and whether anything about them is wrong.
fn range(g: &mut Generator<'_>) -> (u64, u64) {
    let made = g.arena();
    let t = g.aim(&made);
    let huge = |g: &mut Generator<'_>| g.rng.one(LENGTHS).copied().unwrap_or(0);
    match g.rng.below(10) {
        0 | 1 => (t.addr + g.rng.within(1, PAGE - 1), t.len),
        2 | 3 => (g.rng.one(ADDRESSES).copied().unwrap_or(0), t.len),
        4 | 5 => (t.addr, huge(g)),
        6 => (g.rng.one(ADDRESSES).copied().unwrap_or(0), huge(g)),
        // To the very end of the addresses, and just past it.
        7 => (
            t.addr,
            0_u64
                .wrapping_sub(t.addr)
                .wrapping_add(g.rng.below(3) * PAGE),
        ),
        _ => (t.addr, t.len),
    }
}

/// `value` with one more bit, or what it was.
fn with_a_bit(g: &mut Generator<'_>, value: u64) -> u64 {
    match g.rng.below(3) {
        0 => value | 1 << g.rng.below(64),
        1 => value ^ 1 << g.rng.below(32),
        _ => value,
    }
}

fn wrong(g: &mut Generator<'_>) {
    let (addr, len) = range(g);
    let call = match g.rng.below(100) {
        0..=32 => map(g, addr, len),
        33..=45 => {
            let advice = g.rng.weighted(ADVICE);
            let advice = match g.rng.below(4) {
                0 => g.rng.below(128) as i32,
                1 => g
                    .rng
                    .one(&[-1, 100, 101, 5, 6, 7, 26, 99, 104, i32::MAX])
                    .copied()
                    .unwrap_or(-1),
                _ => advice,
            };
            Call::Madvise { addr, len, advice }
        }
        46..=58 => {
            let prot = g.prot();
            let prot = match g.rng.below(4) {
                0 => {
                    prot | g
                        .rng
                        .one(&[0x100_0000, 0x200_0000, 0x300_0000])
                        .copied()
                        .unwrap_or(0)
                }
                1 => with_a_bit(g, prot),
                _ => prot,
            };
            Call::Mprotect { addr, len, prot }
        }
        59..=70 => {
            let flags = with_a_bit(g, 0);
            Call::Mseal { addr, len, flags }
        }
        71..=82 => remap(g, addr, len),
        83..=91 => Call::Munmap { addr, len },
        92..=94 => {
            let prot = g.prot();
            let pkey = g
                .rng
                .one(&[-2, -1, 0, 1, 15, 16, i32::MAX])
                .copied()
                .unwrap_or(-1);
            Call::PkeyMprotect {
                addr,
                len,
                prot,
                pkey,
            }
        }
        95 => Call::Mlock { addr, len },
        96 => {
            let flags = with_a_bit(g, 0);
            Call::Mlock2 { addr, len, flags }
        }
        97 => Call::Munlock { addr, len },
        98 => {
            let flags = with_a_bit(g, 4);
            Call::Msync { addr, len, flags }
        }
        _ => Call::Load {
            addr,
            len: len.min(4 * PAGE),
        },
    };
    g.make(call);
}

fn map(g: &mut Generator<'_>, addr: u64, len: u64) -> Call {
    let kind = g.rng.weighted(&[
        (70, PRIVATE),
        (8, SHARED),
        (8, SHARED | PRIVATE),
        (6, 0),
        (4, 8),
        (4, 4),
    ]);
    let how = g.rng.weighted(&[
        (60, FIXED),
        (10, NOREPLACE),
        (10, FIXED | NOREPLACE),
        (20, 0),
    ]);
    let anon = if g.rng.chance(93) { ANON } else { 0 };
    let flags = kind | how | anon;
    let flags = match g.rng.below(5) {
        0 => with_a_bit(g, flags),
        1 => flags | odd_flag(g),
        _ => flags,
    };
    let prot = if g.rng.chance(60) { RW } else { g.prot() };
    let prot = if g.rng.chance(15) {
        with_a_bit(g, prot)
    } else {
        prot
    };
    Call::Mmap {
        addr,
        len,
        prot,
        flags,
        fd: if g.rng.chance(85) {
            -1
        } else {
            g.rng.below(60) as i32 + 20
        },
        offset: g.rng.weighted(&[
            (80, 0),
            (4, 1),
            (4, PAGE),
            (4, u64::MAX - 0xfff),
            (4, u64::MAX - 0x2fff),
            (4, 1 << 63),
        ]),
    }
}

/// Flags that few programs give.
fn odd_flag(g: &mut Generator<'_>) -> u64 {
    let flags = [
        MapFlags::GROWSDOWN,
        MapFlags::DENYWRITE,
        MapFlags::EXECUTABLE,
        MapFlags::NONBLOCK,
        MapFlags::SYNC,
        MapFlags::MAP_32BIT,
        MapFlags::STACK,
        MapFlags::NORESERVE,
        MapFlags::POPULATE,
    ];
    // A huge page's size without MAP_HUGETLB means nothing.
    let size = g.rng.within(1, 63) << 26;
    g.rng.one(&flags).map_or(size, |flag| flag.bits())
}

fn remap(g: &mut Generator<'_>, addr: u64, len: u64) -> Call {
    let made = g.arena();
    let good = g.aim(&made).len;
    let to = g.place(&made).addr;
    let flags = match g.rng.below(6) {
        0 => g.rng.below(16),
        1 => with_a_bit(g, MAYMOVE),
        2 | 3 => MAYMOVE | MFIXED,
        4 => MAYMOVE,
        _ => 0,
    };
    let new_len = match g.rng.below(4) {
        0 => g.rng.one(LENGTHS).copied().unwrap_or(0),
        1 => len,
        _ => good,
    };
    let new_addr = match g.rng.below(4) {
        0 => g.rng.one(ADDRESSES).copied().unwrap_or(0),
        1 => to + g.rng.within(1, PAGE - 1),
        _ => to,
    };
    Call::Mremap {
        addr,
        old_len: len,
        new_len,
        flags,
        new_addr,
    }
}
