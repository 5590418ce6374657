//! The index: a B+tree over the VMAs' ends and the gaps below them.

use super::NONE;
use super::node::{Entry, FANOUT, FEWEST, Node};

/// A B+tree. All its leaves are equally deep, and every node but the root is at least a quarter
/// full. Changes go to a leaf first and from there up as far as the summaries change.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub nodes: Vec<Node>,
    pub root: u32,
    /// The node freed last; a free node's `parent` is the one freed before it.
    pub free: u32,
    /// The leaf that was changed last. Who changes one place often comes back to it.
    pub hot: u32,
    /// The leaf of every VMA.
    pub leaves: Vec<u32>,
}

/// An entry of a node, or the place just past its last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub node: u32,
    pub at: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            nodes: vec![Node::new(true)],
            root: 0,
            free: NONE,
            hot: 0,
            leaves: Vec::new(),
        }
    }
}

impl Index {
    /// Where a VMA that starts at `addr` belongs, and the VMA that is there now: the first that ends
    /// above `addr`, or `NONE`.
    pub(super) fn place_for(&self, addr: u64) -> (Place, u32) {
        let mut node = self.root;
        loop {
            let n = self.node(node);
            let at = n.rank(addr);
            if n.is_leaf {
                let above = if at < n.len() { n.kids[at] } else { NONE };
                return (Place { node, at }, above);
            }
            node = n.kids[at.min(n.len() - 1)];
        }
    }

    /// The same within the leaf that was changed last, or `NONE`. If that VMA is the leaf's first,
    /// the first one that ends above `addr` may lie before it.
    #[inline]
    pub(super) fn hot_place_for(&self, addr: u64) -> (Place, u32) {
        let node = self.hot;
        let n = self.node(node);
        let at = n.rank(addr);
        let above = if at < n.len() { n.kids[at] } else { NONE };
        (Place { node, at }, above)
    }

    /// Where VMA `id` is, which starts at `start`.
    pub(super) fn place_of(&self, id: u32, start: u64) -> Place {
        let node = self.leaves[id as usize];
        let n = self.node(node);
        let mut at = n.rank(start);
        if n.kids.get(at) != Some(&id) {
            // A neighbour covers it just now.
            at = n.kids.iter().position(|&kid| kid == id).unwrap_or(0);
        }
        Place { node, at }
    }

    /// The VMA before `place` in the same leaf, and its end.
    #[inline]
    pub(super) fn before(&self, place: Place) -> Option<(u32, u64)> {
        let at = place.at.checked_sub(1)?;
        let leaf = self.node(place.node);
        Some((leaf.kids[at], leaf.ends[at]))
    }

    /// The gap that there is without the VMA at `place`, if both its neighbours are in its leaf.
    #[inline]
    pub(super) fn gap_without(&self, place: Place) -> Option<u64> {
        let (_, bottom) = self.before(place)?;
        let (leaf, at) = (self.node(place.node), place.at);
        if at + 1 >= leaf.len() {
            return None;
        }
        // Saturating for the moment in which the VMA below covers the one above.
        Some((leaf.ends[at] + leaf.gaps[at + 1]).saturating_sub(bottom))
    }

    /// Adds VMA `id` at `place`, in the gap that starts at `bottom`.
    pub(super) fn insert(&mut self, place: Place, id: u32, start: u64, end: u64, bottom: u64) {
        let Place { mut node, mut at } = place;
        if self.node(node).len() == FANOUT {
            let (keep, upper) = self.split(node, at);
            if at >= keep {
                (node, at) = (upper, at - keep);
            }
        }
        if self.leaves.len() <= id as usize {
            self.leaves.resize(id as usize + 1, NONE);
        }
        self.leaves[id as usize] = node;
        self.hot = node;
        let leaf = self.node_mut(node);
        let gap = start.saturating_sub(bottom);
        leaf.insert(at, Entry { end, gap, kid: id });
        // One gap became two, or the one above all VMAs, which is not kept, became smaller.
        let (mut old, mut other) = (0, 0);
        if at + 1 < leaf.len() {
            old = leaf.gaps[at + 1];
            other = (bottom + old).saturating_sub(end);
            leaf.gaps[at + 1] = other;
        }
        leaf.note(old, gap.max(other));
        leaf.note(0, gap.min(other));
        self.pass_up(node);
    }

    /// Takes the VMA at `place` out; the one above it, if any, has `gap_above` below it now.
    pub(super) fn remove(&mut self, place: Place, above: u32, gap_above: u64) {
        let Place { node, at } = place;
        self.hot = node;
        let leaf = self.node_mut(node);
        let gap = leaf.gaps[at];
        leaf.remove(at);
        // Two gaps became one.
        let above_is_here = at < leaf.len();
        let (mut old, mut new) = (0, 0);
        if above_is_here {
            old = std::mem::replace(&mut leaf.gaps[at], gap_above);
            new = gap_above;
        }
        leaf.note(gap.max(old), new);
        leaf.note(gap.min(old), 0);
        let len = leaf.len();
        self.pass_up(node);
        if !above_is_here && above != NONE {
            self.set_first_gap(above, gap_above);
        }
        if len < FEWEST {
            self.mend(node);
        }
    }

    /// Changes the end of the VMA at `place`, the gap below it and that of the VMA above it.
    pub(super) fn resize(&mut self, place: Place, end: u64, gap: u64, above: u32, gap_above: u64) {
        let Place { node, at } = place;
        self.hot = node;
        let leaf = self.node_mut(node);
        leaf.ends[at] = end;
        leaf.set_gap(at, gap);
        if at + 1 < leaf.len() {
            leaf.set_gap(at + 1, gap_above);
        } else if above != NONE {
            self.set_first_gap(above, gap_above);
        }
        self.pass_up(node);
    }

    /// Sets the gap below a VMA that is the first of its leaf.
    fn set_first_gap(&mut self, id: u32, gap: u64) {
        let node = self.leaves[id as usize];
        self.node_mut(node).set_gap(0, gap);
        self.pass_up(node);
    }

    /// Brings the summaries above `node` up to date.
    fn pass_up(&mut self, mut node: u32) {
        loop {
            let (parent, pos) = self.parent(node);
            if parent == NONE {
                return;
            }
            let summary = self.node(node).summary(node);
            let p = self.node_mut(parent);
            if p.ends[pos] == summary.end && p.gaps[pos] == summary.gap {
                return;
            }
            p.ends[pos] = summary.end;
            p.set_gap(pos, summary.gap);
            node = parent;
        }
    }

    /// Moves all but some of the lowest entries of a full node to a new one above it, because one
    /// more is to come at `at`; how many it keeps, and the new one.
    fn split(&mut self, node: u32, at: usize) -> (usize, u32) {
        if node == self.root {
            let root = self.new_node(false);
            let summary = self.node(node).summary(node);
            self.node_mut(root).insert(0, summary);
            self.adopt(root);
            self.root = root;
        }
        let (parent, pos) = self.parent(node);
        if self.node(parent).len() == FANOUT {
            self.split(parent, pos + 1);
        }
        let (parent, pos) = self.parent(node);
        let upper = self.new_node(self.node(node).is_leaf);
        let entry = self.node(upper).summary(upper);
        self.node_mut(parent).insert(pos + 1, entry);
        self.adopt(parent);
        // Where a process maps at one end of its memory, only that end's nodes are still filling.
        let keep = match at {
            0 => FEWEST,
            FANOUT => FANOUT - FEWEST,
            _ => FANOUT / 2,
        };
        self.deal(node, upper, keep);
        (keep, upper)
    }

    /// Makes a node that lost an entry lawful again, with the help of a neighbour, and those
    /// above it.
    fn mend(&mut self, mut node: u32) {
        while node != self.root {
            if self.node(node).len() >= FEWEST {
                return;
            }
            let (parent, pos) = self.parent(node);
            let p = self.node(parent);
            let (lower, upper) = if pos + 1 < p.len() {
                (node, p.kids[pos + 1])
            } else {
                (p.kids[pos - 1], node)
            };
            let total = self.node(lower).len() + self.node(upper).len();
            if total > FANOUT - FEWEST {
                self.deal(lower, upper, total / 2);
                return;
            }
            self.deal(lower, upper, total);
            let (_, pos) = self.parent(upper);
            self.node_mut(parent).remove(pos);
            self.adopt(parent);
            self.free_node(upper);
            if self.hot == upper {
                self.hot = lower;
            }
            node = parent;
        }
        let old = self.root;
        let n = self.node(old);
        if !n.is_leaf && n.len() == 1 {
            self.root = n.kids[0];
            self.free_node(old);
            let root = self.root;
            self.node_mut(root).parent = NONE;
        }
    }

    /// Deals the entries of two neighbours of one parent out anew and brings the parent up to date,
    /// whose own summary stays the same.
    fn deal(&mut self, lower: u32, upper: u32, keep: usize) {
        let both = [lower as usize, upper as usize];
        let [l, u] = self.nodes.get_disjoint_mut(both).expect("two nodes");
        Node::deal(l, u, keep);
        for node in [lower, upper] {
            self.adopt(node);
            let (parent, pos) = self.parent(node);
            let summary = self.node(node).summary(node);
            let p = self.node_mut(parent);
            p.set(pos, summary);
            p.note_all();
        }
    }

    /// Tells all that a node holds where they are.
    fn adopt(&mut self, node: u32) {
        for at in 0..self.node(node).len() {
            let n = self.node(node);
            let kid = n.kids[at];
            if n.is_leaf {
                self.leaves[kid as usize] = node;
            } else {
                let kid = self.node_mut(kid);
                kid.parent = node;
                kid.pos = at as u32;
            }
        }
    }

    fn new_node(&mut self, is_leaf: bool) -> u32 {
        let node = self.free;
        if node == NONE {
            self.nodes.push(Node::new(is_leaf));
            return u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 nodes");
        }
        self.free = self.node(node).parent;
        *self.node_mut(node) = Node::new(is_leaf);
        node
    }

    fn free_node(&mut self, node: u32) {
        let free = std::mem::replace(&mut self.free, node);
        self.node_mut(node).parent = free;
    }

    /// A node's parent, and which entry of it the node is.
    #[inline]
    pub(super) fn parent(&self, node: u32) -> (u32, usize) {
        let n = self.node(node);
        (n.parent, n.pos as usize)
    }

    #[inline]
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    #[inline]
    fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }
}
