//! The tree against the model: the same calls, the same answers, and a sound tree after each.

mod check;
mod model;

use proptest::prelude::*;

use super::node::{FANOUT, FEWEST, Node};
use super::{Gap, NONE, VmaId, VmaTree};
use crate::addr::AddrRange;
use crate::flags::VmFlags;
use crate::vma::area::{SpecialName, Vma};

fn vma(start: u64, end: u64) -> Vma {
    Vma {
        start,
        end,
        flags: VmFlags::READ,
        pgoff: start,
        file: None,
        anon_vma: None,
        special: SpecialName::None,
    }
}

/// A tree and a model of it that are told and asked the same.
#[derive(Clone, Default)]
struct Both {
    tree: VmaTree,
    model: model::Model,
    /// The live VMAs, in no order.
    live: Vec<VmaId>,
}

impl Both {
    fn insert(&mut self, start: u64, end: u64) -> VmaId {
        let id = self.tree.insert(vma(start, end));
        assert_eq!(self.model.insert(vma(start, end)).0, id.0);
        self.live.push(id);
        id
    }

    fn remove(&mut self, id: VmaId) {
        assert_eq!(self.tree.remove(id), self.model.remove(model::VmaId(id.0)));
        self.live.retain(|&live| live != id);
    }

    fn set_bounds(&mut self, id: VmaId, start: u64, end: u64) {
        self.tree.set_bounds(id, start, end);
        self.model.set_bounds(model::VmaId(id.0), start, end);
    }

    fn pick(&self, nth: u64) -> Option<VmaId> {
        let nth = nth.checked_rem(self.live.len() as u64)?;
        Some(self.live[nth as usize])
    }

    /// The free space around a VMA: from the end of the one below to the start of the one above.
    fn space(&self, id: VmaId, bounds: AddrRange) -> AddrRange {
        AddrRange {
            start: self
                .tree
                .prev(id)
                .map_or(bounds.start, |id| self.tree.get(id).end),
            end: self
                .tree
                .next(id)
                .map_or(bounds.end, |id| self.tree.get(id).start),
        }
    }

    fn ask(&self, addr: u64, low: u64, high: u64, size: u64) {
        let found = self.tree.find(addr).map(|id| id.0);
        assert_eq!(
            found,
            self.model.find(addr).map(|id| id.0),
            "find {addr:#x}"
        );
        let plain = |gap: Gap| (gap.range, gap.above.map(|id| id.0));
        let modelled = |gap: model::Gap| (gap.range, gap.above.map(|id| id.0));
        assert_eq!(
            self.tree.highest_gap(low, high, size).map(plain),
            self.model.highest_gap(low, high, size).map(modelled),
            "highest of {size:#x} in {low:#x}..{high:#x}"
        );
        assert_eq!(
            self.tree.lowest_gap(low, high, size).map(plain),
            self.model.lowest_gap(low, high, size).map(modelled),
            "lowest of {size:#x} in {low:#x}..{high:#x}"
        );
    }

    /// Asks everything that has few answers.
    fn check(&self) {
        self.tree.check();
        let ids = |id: Option<VmaId>| id.map(|id| id.0);
        let modelled = |id: Option<model::VmaId>| id.map(|id| id.0);
        assert_eq!(self.tree.len(), self.model.len());
        assert_eq!(self.tree.is_empty(), self.model.len() == 0);
        assert_eq!(ids(self.tree.first()), modelled(self.model.first()));
        assert_eq!(ids(self.tree.last()), modelled(self.model.last()));
        assert!(
            self.tree
                .iter()
                .map(|(id, vma)| (id.0, vma))
                .eq(self.model.iter().map(|(id, vma)| (id.0, vma)))
        );
        for &id in &self.live {
            let same = model::VmaId(id.0);
            assert_eq!(self.tree.get(id), self.model.get(same));
            assert_eq!(ids(self.tree.next(id)), modelled(self.model.next(same)));
            assert_eq!(ids(self.tree.prev(id)), modelled(self.model.prev(same)));
        }
        let end = self.tree.last().map_or(0, |id| self.tree.get(id).end);
        for size in [0, 1, 2, 3, 7, 100, u64::MAX] {
            self.ask(end, 0, u64::MAX, size);
            self.ask(u64::MAX, 0, end, size);
            self.ask(0, end, 0, size);
        }
    }
}

/// One random change; which one the numbers mean depends on what is mapped.
#[derive(Clone, Debug)]
struct Step {
    kind: u8,
    a: u64,
    b: u64,
    c: u64,
}

fn step() -> impl Strategy<Value = Step> {
    (any::<u8>(), any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(kind, a, b, c)| Step {
        kind,
        a,
        b,
        c,
    })
}

/// Makes one change within `bounds`; `growth` of 16 changes add VMAs.
fn make(both: &mut Both, bounds: AddrRange, growth: u8, step: &Step) {
    let &Step { kind, a, b, c } = step;
    let longest = 1 + (b >> 8) % 12;
    if kind % 16 < growth {
        let addr = bounds.start + a % bounds.len();
        let tree = &both.tree;
        match (kind / 16) % 4 {
            // Anywhere free, or just where one ends.
            0 | 1 => {
                let above = tree.find(addr);
                let start = above
                    .map_or(addr, |id| tree.get(id).end.min(bounds.end))
                    .max(addr);
                let limit = tree.find(start).map_or(bounds.end, |id| tree.get(id).start);
                if start < limit {
                    both.insert(start, limit.min(start.saturating_add(longest)));
                }
            }
            // As mmap does: at the top of the highest gap.
            2 => {
                if let Some(gap) = tree.highest_gap(bounds.start, bounds.end, longest) {
                    both.insert(gap.range.end - longest, gap.range.end);
                }
            }
            // A split.
            _ => {
                if let Some(id) = both.pick(a) {
                    let AddrRange { start, end } = tree.get(id).range();
                    if end - start > 1 {
                        let cut = start + 1 + b % (end - start - 1);
                        both.set_bounds(id, start, cut);
                        both.insert(cut, end);
                    }
                }
            }
        }
        return;
    }
    let Some(id) = both.pick(a) else { return };
    let space = both.space(id, bounds);
    match (kind / 16) % 8 {
        0..4 => both.remove(id),
        // New bounds anywhere between the neighbours, often touching them.
        4 | 5 => {
            let room = space.len();
            let start = space.start + (b % room.min(9)).min(room - 1);
            let most = space.end - start;
            let len = if c % 3 == 0 {
                most
            } else {
                1 + (c >> 4) % most
            };
            both.set_bounds(id, start, start + len);
        }
        // A merge of two to four, in both orders of doing it.
        kind => {
            let next = |id: &VmaId| both.tree.next(*id);
            let above: Vec<VmaId> = std::iter::successors(next(&id), next)
                .take(1 + (b % 3) as usize)
                .collect();
            let Some(&last) = above.last() else { return };
            let start = both.tree.get(id).start;
            let end = both.tree.get(last).end;
            if kind == 6 {
                both.set_bounds(id, start, end);
            }
            for merged in above {
                both.remove(merged);
            }
            both.set_bounds(id, start, end);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn answers_as_the_model_does(
        base in prop_oneof![Just(0), Just(0x7fff_0000_0000), Just(u64::MAX)],
        span in prop_oneof![Just(64_u64), Just(4_000), Just(100_000)],
        phases in prop::collection::vec((0_u8..=16, prop::collection::vec(step(), 0..900)), 1..6),
    ) {
        let start = base.min(u64::MAX - span);
        let bounds = AddrRange::new(start, start + span);
        let mut both = Both::default();
        for (growth, steps) in &phases {
            for step in steps {
                make(&mut both, bounds, *growth, step);
                let at = |x: u64| bounds.start + x % (bounds.len() + 1);
                both.ask(at(step.c), at(step.b), at(step.a), step.b >> 8 & 15);
                both.ask(step.c, at(step.a.min(step.b)), at(step.a.max(step.b)), step.c % span);
            }
            both.check();
        }
        let kept = both.clone();
        for id in both.live.clone() {
            both.remove(id);
            both.tree.check();
        }
        both.check();
        kept.check();
    }
}

/// In which order to take the numbers below `n`.
fn orders(n: u64) -> Vec<Vec<u64>> {
    let strided = |stride: u64| (0..n).map(|i| i * stride % n).collect();
    vec![
        (0..n).collect(),
        (0..n).rev().collect(),
        (0..n)
            .map(|i| if i % 2 == 0 { i / 2 } else { n - 1 - i / 2 })
            .collect(),
        strided(7),
        strided(389),
    ]
}

/// Fills and empties in `orders`, with VMAs that touch (`pitch` 4), and with gaps between them.
#[test]
fn every_order_of_filling_and_emptying() {
    const N: u64 = 1_500;
    for pitch in [4, 7] {
        for fill in orders(N) {
            for empty in orders(N) {
                let mut both = Both::default();
                let mut ids = vec![None; N as usize];
                for &i in &fill {
                    ids[i as usize] = Some(both.insert(1 + i * pitch, 5 + i * pitch));
                    if i % 64 == 0 {
                        both.check();
                    }
                }
                both.check();
                let (nodes, slots) = (both.tree.index.nodes.len(), both.tree.slots.len());
                for (done, &i) in empty.iter().enumerate() {
                    both.remove(ids[i as usize].expect("each is inserted"));
                    if done % 64 == 0 {
                        both.check();
                    }
                }
                both.check();
                // Filled again the same way, it needs no more memory than before.
                for &i in &fill {
                    both.insert(1 + i * pitch, 5 + i * pitch);
                }
                both.check();
                assert_eq!(both.tree.index.nodes.len(), nodes);
                assert_eq!(both.tree.slots.len(), slots);
            }
        }
    }
}

#[test]
fn mapping_and_unmapping_at_a_full_node_does_not_split_again_and_again() {
    let mut both = Both::default();
    for i in 0..FANOUT as u64 {
        both.insert(i * 10, i * 10 + 5);
    }
    for _ in 0..4 {
        let id = both.insert(75, 80);
        assert_eq!(both.tree.index.nodes.len(), 3);
        both.remove(id);
        assert_ne!(both.tree.index.root, 0, "one removal undid the split");
    }
    both.check();
}

#[test]
fn gaps_below_the_first_and_above_the_last() {
    let mut both = Both::default();
    both.ask(0, 0, u64::MAX, 1);
    both.insert(0, 10);
    both.insert(u64::MAX - 10, u64::MAX);
    both.check();
    let gap = both
        .tree
        .lowest_gap(0, u64::MAX, 1)
        .expect("all between the two");
    assert_eq!(gap.range, AddrRange::new(10, u64::MAX - 10));
    assert_eq!(gap.above, both.tree.last());
    assert_eq!(both.tree.highest_gap(0, 10, 1), None);
    let first = both.tree.first().expect("two VMAs");
    both.set_bounds(first, 4, 10);
    both.check();
    let gap = both.tree.highest_gap(2, 10, 1).expect("below the first");
    assert_eq!(gap.range, AddrRange::new(2, 4));
    assert_eq!(gap.above, Some(first));
}

#[test]
#[should_panic(expected = "a live VMA")]
fn a_removed_id_is_dead() {
    let mut tree = VmaTree::default();
    let id = tree.insert(vma(1, 2));
    tree.remove(id);
    let _ = tree.next(id);
}
