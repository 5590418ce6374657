//! msync(2). Nothing is written anywhere; the arguments are checked and the VMAs walked.

use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::{MS_ASYNC, MS_INVALIDATE, MS_SYNC, VmFlags};

impl Cx<'_> {
    pub(super) fn msync(&mut self, addr: u64, len: u64, flags: u64) -> Result<u64, Errno> {
        if flags & !(MS_ASYNC | MS_INVALIDATE | MS_SYNC) != 0
            || !self.page.is_aligned(addr)
            || flags & MS_ASYNC != 0 && flags & MS_SYNC != 0
        {
            return Err(Errno::EINVAL);
        }
        let end = addr.wrapping_add(self.page.align_up_wrapping(len));
        if end < addr {
            return Err(Errno::ENOMEM);
        }
        if end == addr {
            return Ok(0);
        }
        let mut result = Ok(0);
        let mut start = addr;
        let mut next = self.find_vma(start);
        loop {
            let id = next.ok_or(Errno::ENOMEM)?;
            let vma = *self.mm.tree.get(id);
            if start < vma.start {
                if flags == MS_ASYNC {
                    return Err(Errno::ENOMEM);
                }
                start = vma.start;
                if start >= end {
                    return Err(Errno::ENOMEM);
                }
                result = Err(Errno::ENOMEM);
            }
            if flags & MS_INVALIDATE != 0 && vma.flags.contains(VmFlags::LOCKED) {
                return Err(Errno::EBUSY);
            }
            start = vma.end;
            if start >= end {
                return result;
            }
            // A shared file mapping is written out with the lock dropped; either way the next
            // VMA is looked up again.
            next = self.find_vma(start);
        }
    }
}
