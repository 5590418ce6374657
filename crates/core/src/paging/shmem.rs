//! tmpfs memory: memfds, shared anonymous memory, mounted tmpfs (mm/shmem.c).

use super::Paging;
use super::cache::FileSystem;
use super::fault::Faulting;
use super::folio::FolioId;
use super::readahead::Reading;
use super::settings::ShmemHuge;
use crate::flags::VmFlags;

impl Paging<'_> {
    /// `shmem_get_folio_gfp` for a fault: the page, made if it is not there.
    pub(crate) fn shmem_page(
        &mut self,
        fault: Faulting<'_>,
        of: Reading,
        index: u64,
    ) -> Option<(FolioId, u32)> {
        let found = self
            .mem
            .caches
            .get(&of.inode)
            .and_then(|c| c.find(&self.mem.arena, index));
        if found.is_some() {
            return found;
        }
        let order = self.shmem_order(fault, of, index);
        let first = index >> order << order;
        let id = self
            .mem
            .add_to_cache(self.counts, of.inode, of.fs, first, order)
            .or_else(|| {
                self.mem
                    .add_to_cache(self.counts, of.inode, of.fs, index, 0)
            })?;
        let inside = if self.mem.arena.get(id).order == order {
            index - first
        } else {
            0
        };
        Some((id, u32::try_from(inside).unwrap_or(0)))
    }

    /// `shmem_allowable_huge_orders` and `shmem_suitable_orders`: the highest order that is on,
    /// that the VMA holds congruently, and where the page cache has nothing yet.
    fn shmem_order(&self, fault: Faulting<'_>, of: Reading, index: u64) -> u32 {
        let vma = fault.vma;
        let shift = self.page_shift();
        let mut orders = self.shmem_orders(of, vma.flags, index);
        while orders != 0 {
            let order = orders.ilog2();
            orders &= !(1 << order);
            let bytes = 1u64 << (order + shift);
            let start = fault.addr & !(bytes - 1);
            let congruent =
                ((vma.start >> shift).wrapping_sub(vma.pgoff)) & ((1 << order) - 1) == 0;
            let inside = start >= vma.start && start.saturating_add(bytes) <= vma.end;
            let first = index >> order << order;
            let hole = self
                .mem
                .caches
                .get(&of.inode)
                .is_none_or(|c| c.is_hole(&self.mem.arena, first, 1 << order));
            if congruent && inside && hole {
                return order;
            }
        }
        0
    }

    fn shmem_orders(&self, of: Reading, flags: VmFlags, index: u64) -> u32 {
        let pmd = 1u32 << self.mem.design.pmd_order();
        let most = (2u32 << self.mem.max_pagecache_order()) - 1;
        let orders = match of.fs {
            FileSystem::Tmpfs(huge) => {
                let advised = flags.contains(VmFlags::HUGEPAGE);
                match huge {
                    _ if flags.contains(VmFlags::NOHUGEPAGE) => 0,
                    ShmemHuge::Always => pmd,
                    ShmemHuge::WithinSize if advised => pmd,
                    ShmemHuge::WithinSize => self.mem.settings.within(pmd, index, of.pages),
                    ShmemHuge::Advise if advised => pmd,
                    _ => 0,
                }
            }
            _ => self.mem.settings.shmem_orders(flags, index, of.pages),
        };
        orders & most
    }
}
