//! `mmperf`: a field of one-page mappings that do not merge, then calls over some of them.

use sealab_core::flags::madv;

use super::aim::{ARENA, Target};
use super::draw::{ANON, FIXED, PRIVATE, R, RW};
use super::{Generator, PAGE};

pub(super) fn program(g: &mut Generator<'_>) {
    let count = g.rng.weighted(&[
        (40, 32),
        (25, 48),
        (15, 64),
        (10, 96),
        (8, 128),
        (1, 400),
        (1, 1000),
    ]);
    let field = lay_out(g, count);
    let Some(start) = field else { return };
    if g.rng.chance(40) {
        for page in 0..count {
            if g.rng.chance(50) {
                g.store(Target::pages(start + page * PAGE, 1));
            }
        }
    }
    for _ in 0..g.rng.within(1, 4) {
        let over = 1 << g.rng.below(6);
        let at = start + g.rng.below(count) * PAGE;
        let t = Target::pages(at, over);
        match g.rng.below(10) {
            0..=2 => {
                g.unmap(t);
            }
            3..=5 => {
                g.protect(t);
            }
            6..=7 => {
                let advice = g.rng.weighted(&[
                    (4, madv::DONTNEED),
                    (1, madv::DONTDUMP),
                    (1, madv::KEEPONFORK),
                    (1, madv::GUARD_INSTALL),
                    (1, madv::POPULATE_READ),
                ]);
                g.advise_with(t, advice);
            }
            8 => {
                g.seal(Target::pages(at, 1));
                g.unmap(Target::pages(at.saturating_sub(PAGE), over.max(2)));
            }
            _ => {
                g.remap(&[sealab_core::addr::AddrRange::new(at, at + t.len)]);
            }
        }
    }
}

/// `count` pages whose neighbours differ; where they start.
fn lay_out(g: &mut Generator<'_>, count: u64) -> Option<u64> {
    match g.rng.below(3) {
        // One by one, wherever the kernel puts them: downwards.
        0 => {
            let mut last = None;
            for page in 0..count {
                let prot = if page % 2 == 0 { R } else { 0 };
                g.map_at(Target::pages(0, 1), prot, PRIVATE | ANON);
                last = g.outcomes.last().copied();
            }
            match last {
                Some(sealab_core::call::Outcome::Value(addr)) => Some(addr),
                _ => None,
            }
        }
        1 => {
            for page in 0..count {
                let prot = if page % 2 == 0 { RW } else { 0 };
                let at = Target::pages(ARENA + page * PAGE, 1);
                g.map_at(at, prot, PRIVATE | ANON | FIXED);
            }
            Some(ARENA)
        }
        // One mapping, every other page of it taken out.
        _ => {
            g.map_at(Target::pages(ARENA, count), RW, PRIVATE | ANON | FIXED);
            for page in (1..count).step_by(2) {
                g.unmap(Target::pages(ARENA + page * PAGE, 1));
            }
            Some(ARENA)
        }
    }
}
