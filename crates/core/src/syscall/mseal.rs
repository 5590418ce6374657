//! mseal(2): `do_mseal`.

use crate::addr::AddrRange;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::VmFlags;
use crate::machine::ChangeKind;
use crate::vma::iter::Cursor;

impl Cx<'_> {
    pub(super) fn mseal(&mut self, addr: u64, len: u64, flags: u64) -> Result<u64, Errno> {
        if !self.kernel.has_mseal() {
            return Err(Errno::ENOSYS);
        }
        if flags != 0 || !self.page.is_aligned(addr) {
            return Err(Errno::EINVAL);
        }
        let rounded = self.page.align_up_wrapping(len);
        if len != 0 && rounded == 0 {
            return Err(Errno::EINVAL);
        }
        let end = addr.checked_add(rounded).ok_or(Errno::EINVAL)?;
        if end == addr {
            return Ok(0);
        }
        let range = AddrRange::new(addr, end);
        if !self.within("check_mm_seal", |cx| cx.is_fully_mapped(range)) {
            return Err(Errno::ENOMEM);
        }
        self.within("apply_mm_seal", |cx| cx.apply_seal(range))?;
        Ok(0)
    }

    /// First pass: no hole may lie in the range.
    fn is_fully_mapped(&mut self, range: AddrRange) -> bool {
        let mut cursor = Cursor::Start(range.start);
        let mut reached = range.start;
        while let Some(id) = self.vma_find(&mut cursor, range.end) {
            let vma = self.mm.tree.get(id);
            if vma.start > reached {
                return false;
            }
            if vma.end >= range.end {
                return true;
            }
            reached = vma.end;
        }
        false
    }

    /// Second pass: seals VMA after VMA, those that are not sealed yet.
    fn apply_seal(&mut self, range: AddrRange) -> Result<(), Errno> {
        let mut cursor = Cursor::Start(range.start);
        let first = self.iter_load(&mut cursor).ok_or(Errno::ENOMEM)?;
        let mut prev = self.vma_prev(&mut cursor);
        if range.start > self.mm.tree.get(first).start {
            prev = Some(first);
        }
        let mut start = range.start;
        while let Some(mut id) = self.vma_find(&mut cursor, range.end) {
            let vma = *self.mm.tree.get(id);
            if !self.sees_seal(&vma) {
                let part = AddrRange::new(start, vma.end.min(range.end));
                let flags = vma.flags | VmFlags::SEALED;
                id = self.within("mseal_fixup", |cx| {
                    cx.modify_flags(&mut cursor, prev, id, part, flags)
                })?;
                self.changed(ChangeKind::Sealed, part.start, part.end);
            }
            prev = Some(id);
            start = self.iter_end(cursor);
        }
        Ok(())
    }
}
