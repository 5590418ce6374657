//! Splitting a VMA in two.

use super::iter::Cursor;
use super::tree::VmaId;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::machine::ChangeKind;
use crate::meter::Counter;

/// Which piece of a split becomes the new VMA.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewPiece {
    /// The lower one; the VMA given keeps the part above.
    Below,
    /// The upper one; the VMA given keeps the part below.
    Above,
}

impl Cx<'_> {
    /// `split_vma`: splits `id` at `at`, unless the process has all the VMAs it may have.
    ///
    /// # Errors
    /// `ENOMEM` at `max_map_count`, `EINVAL` for a mapping that must stay whole.
    pub fn split_vma(
        &mut self,
        cursor: &mut Cursor,
        id: VmaId,
        at: u64,
        new: NewPiece,
    ) -> Result<VmaId, Errno> {
        if !self.below_map_limit() {
            return Err(Errno::ENOMEM);
        }
        self.split_unchecked(cursor, id, at, new)
    }

    /// `__split_vma`: both pieces keep every attribute, and the upper one's page offset moves on.
    /// Returns the new piece. The cursor ends as the kernel's iterator does: on the piece that
    /// was there before, except that up to 6.11 it stays on a new upper piece.
    ///
    /// # Errors
    /// `EINVAL` for the kernel's own mappings, which must stay whole (`special_mapping_split`).
    pub fn split_unchecked(
        &mut self,
        cursor: &mut Cursor,
        id: VmaId,
        at: u64,
        new: NewPiece,
    ) -> Result<VmaId, Errno> {
        if !self.mm.tree.get(id).may_split() {
            return Err(Errno::EINVAL);
        }
        self.count_store(*cursor);
        self.meter.count(Counter::VmaSplit);
        self.meter.count(Counter::VmaAlloc);
        self.changed(ChangeKind::Split, at, at);

        let old = *self.mm.tree.get(id);
        let upper_pgoff = old.pgoff_at(at, self.page);

        // A huge page that straddles the cut is mapped page by page from now on.
        self.paging().boundary(&old, at);

        let mut piece = old;
        let new_id = match new {
            NewPiece::Below => {
                self.mm.tree.set_bounds(id, at, old.end);
                self.mm.tree.get_mut(id).pgoff = upper_pgoff;
                piece.end = at;
                self.mm.tree.insert(piece)
            }
            NewPiece::Above => {
                self.mm.tree.set_bounds(id, old.start, at);
                piece.start = at;
                piece.pgoff = upper_pgoff;
                self.mm.tree.insert(piece)
            }
        };
        *cursor = Cursor::On(new_id);
        self.within("__split_vma", |cx| match new {
            NewPiece::Below => {
                cx.vma_next(cursor);
            }
            NewPiece::Above if cx.kernel.gathers => {
                cx.vma_prev(cursor);
            }
            NewPiece::Above => {}
        });
        Ok(new_id)
    }
}
