//! fork(2): `dup_mmap`.

use crate::cx::Cx;
use crate::errno::Errno;
use crate::flags::VmFlags;
use crate::mm::{Mm, enough_memory};
use crate::paging::Paging;
use crate::vma::area::AnonVma;
use crate::vma::tree::VmaTree;

impl Cx<'_> {
    /// A copy of the process's memory. Seals are inherited; locks are not.
    ///
    /// # Errors
    /// `ENOMEM` where a charged mapping cannot be charged again.
    pub fn fork_mm(&mut self) -> Result<Mm, Errno> {
        let mut child = Mm {
            tree: VmaTree::default(),
            pages: self.mem.new_table(),
            start_brk: self.mm.start_brk,
            brk: self.mm.brk,
            brk_known: self.mm.brk_known,
            mmap_base: self.mm.mmap_base,
            start_stack: self.mm.start_stack,
            total_vm: 0,
            data_vm: 0,
            locked_vm: 0,
            def_flags: self.mm.def_flags & VmFlags::NOHUGEPAGE,
            resident_before: self.mm.resident_before.clone(),
        };
        let parents: Vec<_> = self.mm.tree.iter().map(|(id, vma)| (id, *vma)).collect();
        for (_, parent) in parents {
            if parent.flags.contains(VmFlags::DONTCOPY) {
                continue;
            }
            if parent.flags.contains(VmFlags::ACCOUNT) {
                enough_memory(self.limits, parent.len())?;
            }
            let mut vma = parent;
            vma.flags.remove(VmFlags::LOCKED | VmFlags::LOCKONFAULT);
            vma.anon_vma = if parent.flags.contains(VmFlags::WIPEONFORK) {
                None
            } else {
                // The child's pages stay reachable from the parent's anon_vma and from its own.
                parent.anon_vma.map(|a| AnonVma {
                    id: self.new_anon_vma(),
                    chain: a.chain.saturating_add(1),
                })
            };
            child.account(vma.flags, self.pages_of(vma.len()).cast_signed());
            child.tree.insert(vma);
            Paging {
                table: &mut self.mm.pages,
                mem: self.mem,
                files: self.files,
                counts: &mut self.meter.counts,
            }
            .fork(&mut child.pages, &parent);
        }
        self.paging().end_fork();
        Ok(child)
    }
}
