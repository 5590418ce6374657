//! `mremap-heavy`.

use super::Generator;
use super::aim::Target;
use super::draw::{ANON, FIXED, NORESERVE, PRIVATE, SHARED};

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    for _ in 0..g.rng.within(1, 6) {
        neighbour(g);
    }
    while g.wants_more(length) {
        // What moved away, to where the kernel chose, is worth as much as what stayed.
        let made = g.made();
        match g.rng.below(100) {
            0..=60 => {
                g.remap(&made);
            }
            61..=68 => neighbour(g),
            69..=72 => {
                let at = g.place(&made);
                g.map_fixed(at);
            }
            73..=84 => {
                g.touch(&made);
            }
            85..=89 => {
                let t = g.aim(&made);
                g.unmap(t);
            }
            90..=93 => {
                let t = g.aim(&made);
                g.protect(t);
            }
            94..=96 => {
                let t = g.aim(&made);
                g.advise(t);
            }
            _ => {
                let t = g.aim(&made);
                g.seal(t);
            }
        }
    }
}

/// A mapping after the arena's last, touched or not, with or without a gap.
fn neighbour(g: &mut Generator<'_>) {
    let end = g.arena().last().map(|m| m.end);
    let at = match end {
        Some(end) if g.rng.chance(75) => {
            let gap = g.rng.weighted(&[(6, 0), (1, 1), (1, 4)]);
            let pages = g.rng.within(1, 8);
            Target::pages(end + gap * super::PAGE, pages)
        }
        _ => g.anywhere(8),
    };
    let kind = g
        .rng
        .weighted(&[(75, PRIVATE), (15, SHARED), (10, PRIVATE | NORESERVE)]);
    let prot = g.first_prot();
    g.map_at(at, prot, FIXED | ANON | kind);
    if g.rng.chance(60) {
        let pages = g.rng.within(1, at.len / super::PAGE);
        g.store(Target::pages(at.addr, pages));
    }
}
