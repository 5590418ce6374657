//! Changing the flags of part of a VMA.

use super::iter::Cursor;
use super::merge::Proposal;
use super::split::NewPiece;
use super::tree::VmaId;
use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::VmFlags;
use crate::meter::Counter;

impl Cx<'_> {
    /// `vma_modify_flags`: makes one VMA of `range`, which lies in `id`, ready to carry `flags`:
    /// merged with its neighbours where they carry them already, otherwise cut out. Then gives it
    /// the flags.
    ///
    /// # Errors
    /// `ENOMEM` where a split would exceed `max_map_count`; a first split may have been made.
    pub fn modify_flags(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        id: VmaId,
        range: AddrRange,
        flags: VmFlags,
    ) -> Result<VmaId, Errno> {
        self.within("vma_modify_flags", |cx| {
            cx.modify(cursor, prev, id, range, flags)
        })
    }

    fn modify(
        &mut self,
        cursor: &mut Cursor,
        prev: Option<VmaId>,
        id: VmaId,
        range: AddrRange,
        flags: VmFlags,
    ) -> Result<VmaId, Errno> {
        let vma = *self.mm.tree.get(id);
        let proposal = Proposal::part(&vma, range.start, range.end, flags, self);
        let target = match self.within("vma_modify", |cx| {
            cx.merge_existing(cursor, prev, id, &proposal)
        }) {
            Some(merged) => merged,
            None => {
                if vma.start < range.start {
                    self.split_vma(cursor, id, range.start, NewPiece::Below)?;
                }
                if vma.end > range.end {
                    self.split_vma(cursor, id, range.end, NewPiece::Above)?;
                }
                id
            }
        };
        let sticky = self.sticky_flags();
        let vma = self.mm.tree.get_mut(target);
        vma.flags = flags | (vma.flags & sticky);
        self.meter.count(Counter::VmaModify);
        Ok(target)
    }
}
