//! Ranges that are worth a call: mappings, their parts, edges and neighbourhoods.

use sealab_core::addr::AddrRange;

use super::{Generator, PAGE};

/// Start of the window in which programs with fixed addresses live: far from everything.
pub const ARENA: u64 = 0x1000_0000_0000;
/// Its length, in pages.
pub const ARENA_PAGES: u64 = 64;

/// A range as a call takes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Target {
    pub addr: u64,
    pub len: u64,
}

impl Target {
    pub(super) fn pages(addr: u64, pages: u64) -> Self {
        Self {
            addr,
            len: pages * PAGE,
        }
    }
}

impl Generator<'_> {
    /// The program's mappings in the arena.
    pub(super) fn arena(&self) -> Vec<AddrRange> {
        let window = AddrRange::new(ARENA, ARENA + ARENA_PAGES * PAGE);
        let mut ranges: Vec<AddrRange> = self.maps.iter().map(|m| m.range).collect();
        ranges.retain(|range| range.overlaps(window));
        ranges
    }

    /// Pages anywhere in the arena, mapped or not.
    pub(super) fn anywhere(&mut self, most: u64) -> Target {
        let at = self.rng.below(ARENA_PAGES);
        let pages = self.rng.within(1, most.min(ARENA_PAGES - at));
        Target::pages(ARENA + at * PAGE, pages)
    }

    /// A range for a call on memory: one of `made`, a part of it, or what lies around it; pages
    /// anywhere in the arena where there is none, and now and then.
    pub(super) fn aim(&mut self, made: &[AddrRange]) -> Target {
        if made.is_empty() || self.rng.chance(6) {
            return self.anywhere(10);
        }
        let index = self.rng.below(made.len() as u64) as usize;
        let m = made.get(index).copied().unwrap_or_default();
        let pages = m.len() / PAGE;
        let some = self.rng.within(1, pages);
        let few = self.rng.within(1, 8);
        let mut target = match self.rng.below(20) {
            0..=5 => Target::pages(m.start, pages),
            6..=8 => Target::pages(m.start, some),
            9..=11 => Target::pages(m.end - some * PAGE, some),
            12 | 13 => {
                let at = self.rng.below(pages);
                let left = self.rng.within(1, pages - at);
                Target::pages(m.start + at * PAGE, left)
            }
            14..=16 => {
                let later = self.rng.within(1, 3) as usize;
                let last = made.get(index + later).or(made.last()).copied();
                let last = last.unwrap_or(m);
                let from = m.start + self.rng.below(pages) * PAGE;
                let to = last.start + self.rng.within(1, last.len() / PAGE) * PAGE;
                Target {
                    addr: from,
                    len: to.saturating_sub(from).max(PAGE),
                }
            }
            17 => Target::pages(
                m.start.saturating_sub(few * PAGE),
                few + self.rng.below(pages + 1),
            ),
            18 => Target::pages(m.end - some * PAGE, some + few),
            _ => Target::pages(m.end, few),
        };
        if self.rng.chance(3) {
            target.len -= self.rng.within(1, PAGE - 1);
        }
        target
    }

    /// A place for a new mapping: over, beside or away from what is there.
    pub(super) fn place(&mut self, made: &[AddrRange]) -> Target {
        if self.rng.chance(40) || made.is_empty() {
            return self.anywhere(10);
        }
        let m = self.rng.one(made).copied().unwrap_or_default();
        let pages = self.rng.within(1, 8);
        match self.rng.below(4) {
            // Just above and just below: where mappings merge.
            0 => Target::pages(m.end, pages),
            1 => Target::pages(m.start.saturating_sub(pages * PAGE), pages),
            _ => self.aim(made),
        }
    }

    /// A few pages of `made` for an access: never long, so that little real memory is touched.
    pub(super) fn access(&mut self, made: &[AddrRange]) -> Target {
        let target = self.aim(made);
        let pages = self.rng.within(1, 5);
        let at = match self.rng.below(4) {
            0 => self.rng.below(target.len.div_ceil(PAGE)) * PAGE,
            _ => 0,
        };
        Target::pages((target.addr & !(PAGE - 1)) + at, pages)
    }
}
