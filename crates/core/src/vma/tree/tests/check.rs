//! Whether a tree is sound: everything it keeps, counted again from the VMAs.

use super::{FANOUT, FEWEST, NONE, Node, VmaTree};

impl VmaTree {
    /// Panics where the tree contradicts itself.
    pub(super) fn check(&self) {
        self.check_list();
        let mut leaf_order = Vec::new();
        let mut nodes = 0;
        self.check_node(self.index.root, NONE, 0, &mut leaf_order, &mut nodes);
        assert!(
            self.iter().map(|(id, _)| id.0).eq(leaf_order),
            "order of the leaves"
        );
        let hot = &self.index.nodes[self.index.hot as usize];
        assert!(
            hot.len() > 0 || self.is_empty(),
            "the leaf changed last is alive"
        );
        assert!(
            hot.is_leaf
                && hot.kids[..hot.len()]
                    .iter()
                    .all(|&id| { self.index.leaves[id as usize] == self.index.hot }),
            "the leaf changed last"
        );
        let free = chain(self.index.free, |node| {
            self.index.nodes[node as usize].parent
        });
        assert_eq!(nodes + free, self.index.nodes.len(), "lost nodes");
    }

    fn check_list(&self) {
        let (mut below, mut bottom, mut count) = (NONE, 0, 0);
        for (id, vma) in self.iter() {
            let slot = &self.slots[id.0 as usize];
            assert_eq!(slot.below, below, "link down of {id:?}");
            assert!(
                bottom <= vma.start && vma.start < vma.end,
                "place of {id:?}"
            );
            (below, bottom, count) = (id.0, vma.end, count + 1);
        }
        assert_eq!(self.last, below, "the last VMA");
        assert_eq!(self.len, count, "the number of VMAs");
        let free = chain(self.free, |id| {
            assert!(self.slots[id as usize].vma.is_none(), "a live slot is free");
            self.slots[id as usize].above
        });
        assert_eq!(count + free, self.slots.len(), "lost slots");
    }

    /// Checks a subtree; its depth, its last VMA's end and its largest gap.
    fn check_node(
        &self,
        node: u32,
        parent: u32,
        pos: usize,
        leaf_order: &mut Vec<u32>,
        nodes: &mut usize,
    ) -> (u32, u64, u64) {
        *nodes += 1;
        let n: &Node = &self.index.nodes[node as usize];
        assert_eq!(
            (n.parent, n.pos as usize),
            (parent, pos),
            "parent of node {node}"
        );
        let fewest = match (parent, n.is_leaf) {
            (NONE, true) => 0,
            (NONE, false) => 2,
            _ => FEWEST,
        };
        assert!(
            (fewest..=FANOUT).contains(&n.len()),
            "occupancy of node {node}"
        );
        let (mut depths, mut last, mut largest) = (None, u64::MAX, 0);
        for at in 0..n.len() {
            let kid = n.kids[at];
            let (depth, end, gap) = if n.is_leaf {
                assert_eq!(self.index.leaves[kid as usize], node, "leaf of VMA {kid}");
                leaf_order.push(kid);
                (
                    0,
                    self.slots[kid as usize].vma.expect("a live VMA").end,
                    self.recount(kid),
                )
            } else {
                self.check_node(kid, node, at, leaf_order, nodes)
            };
            assert_eq!(
                *depths.get_or_insert(depth),
                depth,
                "depth below node {node}"
            );
            assert_eq!(n.ends[at], end, "end of entry {at} of node {node}");
            assert_eq!(n.gaps[at], gap, "gap of entry {at} of node {node}");
            (last, largest) = (end, largest.max(gap));
        }
        for at in n.len()..FANOUT {
            assert_eq!(
                (n.ends[at], n.gaps[at]),
                (u64::MAX, 0),
                "past the last of node {node}"
            );
        }
        let second = n
            .gaps
            .iter()
            .filter(|&&gap| gap < largest)
            .max()
            .unwrap_or(&0);
        let ties = n.gaps.iter().filter(|&&gap| gap == largest).count() > 1;
        assert_eq!(n.largest, largest, "largest gap of node {node}");
        let least = if ties { largest } else { *second };
        assert!((least..=largest).contains(&n.bound), "bound of node {node}");
        (depths.unwrap_or(0) + 1, last, largest)
    }

    fn recount(&self, id: u32) -> u64 {
        let slot = &self.slots[id as usize];
        let bottom = match slot.below {
            NONE => 0,
            below => self.slots[below as usize].vma.expect("a live VMA").end,
        };
        slot.vma.expect("a live VMA").start - bottom
    }
}

/// How many links a free list has.
fn chain(mut at: u32, next: impl Fn(u32) -> u32) -> usize {
    let mut links = 0;
    while at != NONE {
        at = next(at);
        links += 1;
    }
    links
}
