//! Giving a mapping its anon_vma.

use super::area::{AnonVma, Vma};
use super::iter::Cursor;
use super::tree::VmaId;
use crate::cx::Cx;
use crate::flags::VmFlags;

impl Cx<'_> {
    /// `__anon_vma_prepare`: a neighbour's anon_vma if it is compatible, so that the two can merge
    /// later, otherwise a new one.
    pub fn prepare_anon_vma(&mut self, id: VmaId) {
        if self.mm.tree.get(id).anon_vma.is_some() {
            return;
        }
        let reused = self.within("__anon_vma_prepare", |cx| {
            cx.within("find_mergeable_anon_vma", |cx| {
                cx.find_mergeable_anon_vma(id)
            })
        });
        let anon = AnonVma {
            id: reused.map_or_else(|| self.new_anon_vma(), |a| a.id),
            chain: 1,
        };
        self.mm.tree.get_mut(id).anon_vma = Some(anon);
    }

    /// `find_mergeable_anon_vma`: the next mapping's is tried first, then the previous one's.
    fn find_mergeable_anon_vma(&mut self, id: VmaId) -> Option<AnonVma> {
        let vma = *self.mm.tree.get(id);
        let mut cursor = Cursor::Start(vma.end);
        if let Some(next) = self.iter_load(&mut cursor) {
            let next = self.mm.tree.get(next);
            if self.anon_vma_compatible(&vma, next)
                && let Some(anon) = reusable(next)
            {
                return Some(anon);
            }
        }
        self.vma_prev(&mut cursor);
        let prev = self.vma_prev(&mut cursor)?;
        let prev = self.mm.tree.get(prev);
        if self.anon_vma_compatible(prev, &vma) {
            reusable(prev)
        } else {
            None
        }
    }

    /// `anon_vma_compatible`: adjacent, over the same file at running offsets, and flags equal but
    /// for those that mprotect changes.
    fn anon_vma_compatible(&self, below: &Vma, above: &Vma) -> bool {
        let ignored = VmFlags::ACCESS | self.sticky_flags();
        below.end == above.start
            && below.file == above.file
            && (below.flags ^ above.flags).difference(ignored).is_empty()
            && below.pgoff_at(below.end, self.page) == above.pgoff
    }
}

fn reusable(vma: &Vma) -> Option<AnonVma> {
    vma.anon_vma.filter(|a| a.chain == 1)
}
