//! mmap(2): what is asked for is checked (`do_mmap`); what is done about it is in `mmap_region`.

use super::mmap_region::Request;
use crate::cx::Cx;
use crate::errno::Errno;
use crate::file::{FileId, InodeKind};
use crate::flags::{MapFlags, Prot, VmFlags};
use crate::vma::place::{PlacedKind, Placement};

/// `LEGACY_MAP_MASK`: the flags MAP_SHARED_VALIDATE knows.
const LEGACY_MASK: u64 = MapFlags::SHARED.bits()
    | MapFlags::PRIVATE.bits()
    | MapFlags::FIXED.bits()
    | MapFlags::ANONYMOUS.bits()
    | MapFlags::DENYWRITE.bits()
    | MapFlags::EXECUTABLE.bits()
    | MapFlags::GROWSDOWN.bits()
    | MapFlags::LOCKED.bits()
    | MapFlags::NORESERVE.bits()
    | MapFlags::POPULATE.bits()
    | MapFlags::NONBLOCK.bits()
    | MapFlags::STACK.bits()
    | MapFlags::HUGETLB.bits()
    | MapFlags::MAP_32BIT.bits()
    | MapFlags::ABOVE4G.bits()
    | HUGE_2MB
    | HUGE_1GB;
const HUGE_SHIFT: u32 = 26;
const HUGE_2MB: u64 = 21 << HUGE_SHIFT;
const HUGE_1GB: u64 = 30 << HUGE_SHIFT;
/// Largest file offset (`MAX_LFS_FILESIZE`).
const MAX_FILE_SIZE: u64 = i64::MAX as u64;

impl Cx<'_> {
    pub(super) fn mmap(
        &mut self,
        addr: u64,
        len: u64,
        prot: u64,
        flags: u64,
        fd: i32,
        offset: u64,
    ) -> Result<u64, Errno> {
        if !self.page.is_aligned(offset) {
            return Err(Errno::EINVAL);
        }
        let map = MapFlags::from_bits_retain(flags);
        let mut len = len;
        let file = if map.contains(MapFlags::ANONYMOUS) {
            if map.contains(MapFlags::HUGETLB) {
                let size = huge_page_size(flags)?;
                len = len.wrapping_add(size - 1) & !(size - 1);
            }
            None
        } else {
            let file = *self.fds.get(&fd).ok_or(Errno::EBADF)?;
            if map.contains(MapFlags::HUGETLB) {
                return Err(Errno::EINVAL);
            }
            Some(file)
        };
        let (addr, populated) = self.within("do_mmap", |cx| {
            cx.do_mmap(addr, len, prot, flags, file, offset)
        })?;
        if populated > 0 {
            self.mm_populate(addr, populated, true);
        }
        Ok(addr)
    }

    /// `do_mmap`: the new mapping's address, and how many bytes of it are to be brought in.
    fn do_mmap(
        &mut self,
        addr: u64,
        len: u64,
        prot: u64,
        flags: u64,
        file: Option<FileId>,
        offset: u64,
    ) -> Result<(u64, u64), Errno> {
        let mut map = MapFlags::from_bits_retain(flags);
        if len == 0 {
            return Err(Errno::EINVAL);
        }
        if map.contains(MapFlags::FIXED_NOREPLACE) {
            map |= MapFlags::FIXED;
        }
        let addr = if map.contains(MapFlags::FIXED) {
            addr
        } else {
            self.round_hint_to_min(addr)
        };
        let len = self.page.align_up_wrapping(len);
        if len == 0 {
            return Err(Errno::ENOMEM);
        }
        let file_pgoff = offset >> self.page.shift();
        file_pgoff
            .checked_add(self.pages_of(len))
            .ok_or(Errno::EOVERFLOW)?;
        if self.mm.map_count() > self.limits.max_map_count {
            return Err(Errno::ENOMEM);
        }

        let mut vm_flags = self.flags_from(Prot::from_bits_retain(prot), map);
        let huge = map.contains(MapFlags::HUGETLB);
        if huge
            && map.contains(MapFlags::FIXED)
            && len <= self.limits.task_size
            && !addr.is_multiple_of(huge_page_size(flags)?)
        {
            return Err(Errno::EINVAL);
        }
        let addr = self.get_unmapped_area(Placement {
            addr,
            len,
            flags: map,
            kind: self.placed_kind(file, map),
            offset: if file.is_some() { offset } else { 0 },
        })?;
        if map.contains(MapFlags::FIXED_NOREPLACE)
            && self.find_vma_intersection(addr, addr + len).is_some()
        {
            return Err(Errno::EEXIST);
        }
        if map.contains(MapFlags::LOCKED) && !self.can_do_mlock() {
            return Err(Errno::EPERM);
        }
        if !self.mm.may_lock_more(self.limits, self.page, vm_flags, len) {
            return Err(Errno::EAGAIN);
        }
        if (file.is_some() || huge) && !fits_a_file(offset, len) {
            return Err(Errno::EOVERFLOW);
        }
        if huge {
            return Err(self.refuse_huge(addr, len, flags, vm_flags, offset));
        }
        let pgoff = match file {
            Some(file) => {
                self.check_file(file, prot, flags, &mut vm_flags)?;
                file_pgoff
            }
            None => self.check_anonymous(addr, flags, &mut vm_flags)?,
        };
        if map.contains(MapFlags::NORESERVE) {
            vm_flags |= VmFlags::NORESERVE;
        }
        self.within("mmap_region", |cx| {
            cx.mmap_region(Request {
                addr,
                len,
                flags: vm_flags,
                pgoff,
                file,
                refusal: None,
            })
        })?;
        let populate = vm_flags.contains(VmFlags::LOCKED)
            || (map & (MapFlags::POPULATE | MapFlags::NONBLOCK)) == MapFlags::POPULATE;
        Ok((addr, if populate { len } else { 0 }))
    }

    /// `round_hint_to_min`: whole pages, and not below the lowest address mmap gives by itself.
    fn round_hint_to_min(&self, hint: u64) -> u64 {
        let hint = self.page.align_down(hint);
        if hint != 0 && hint < self.limits.mmap_min_addr {
            self.page.align_up_wrapping(self.limits.mmap_min_addr)
        } else {
            hint
        }
    }

    /// `calc_vm_prot_bits` and `calc_vm_flag_bits`, with what every mapping may become.
    fn flags_from(&self, prot: Prot, map: MapFlags) -> VmFlags {
        let mut flags = VmFlags::from_prot(prot)
            | self.mm.def_flags
            | VmFlags::MAYREAD
            | VmFlags::MAYWRITE
            | VmFlags::MAYEXEC;
        flags.set(VmFlags::GROWSDOWN, map.contains(MapFlags::GROWSDOWN));
        if map.contains(MapFlags::LOCKED) {
            flags |= VmFlags::LOCKED;
        }
        if map.contains(MapFlags::STACK) {
            flags |= VmFlags::NOHUGEPAGE;
        }
        if map.contains(MapFlags::SYNC) {
            flags |= VmFlags::SYNC;
        }
        flags
    }

    fn placed_kind(&self, file: Option<FileId>, map: MapFlags) -> PlacedKind {
        match file {
            Some(file) => self.placed_kind_of_file(file),
            None if map.contains(MapFlags::SHARED) => PlacedKind::Shmem,
            None => PlacedKind::PrivateAnon,
        }
    }

    /// How an open file's mappings are placed.
    pub(super) fn placed_kind_of_file(&self, file: FileId) -> PlacedKind {
        match self.files.inode(self.files.inode_of(file)).kind {
            InodeKind::Regular | InodeKind::Special => PlacedKind::File,
            InodeKind::Memfd | InodeKind::SharedAnon => PlacedKind::Shmem,
        }
    }

    /// What a file's open mode and the mapping's type allow.
    fn check_file(
        &self,
        file: FileId,
        prot: u64,
        flags: u64,
        vm_flags: &mut VmFlags,
    ) -> Result<(), Errno> {
        let open = self.files.file(file);
        let kind = flags & MapFlags::TYPE_MASK;
        match kind {
            MapFlags::TYPE_SHARED | MapFlags::TYPE_SHARED_VALIDATE => {
                if kind == MapFlags::TYPE_SHARED_VALIDATE && flags & !LEGACY_MASK != 0 {
                    return Err(Errno::EOPNOTSUPP);
                }
                if prot & Prot::WRITE.bits() != 0 && !open.writable {
                    return Err(Errno::EACCES);
                }
                *vm_flags |= VmFlags::SHARED | VmFlags::MAYSHARE;
                if !open.writable {
                    vm_flags.remove(VmFlags::MAYWRITE | VmFlags::SHARED);
                }
            }
            MapFlags::TYPE_PRIVATE => {}
            _ => return Err(Errno::EINVAL),
        }
        if !open.readable {
            return Err(Errno::EACCES);
        }
        if vm_flags.contains(VmFlags::GROWSDOWN) {
            return Err(Errno::EINVAL);
        }
        Ok(())
    }

    /// Why huge pages cannot be had: they are a file of their own, so a file's rules come first, and
    /// then the machine has reserved none, which shows when what was in the way is gone.
    fn refuse_huge(
        &mut self,
        addr: u64,
        len: u64,
        flags: u64,
        vm_flags: VmFlags,
        offset: u64,
    ) -> Errno {
        match flags & MapFlags::TYPE_MASK {
            MapFlags::TYPE_SHARED_VALIDATE if flags & !LEGACY_MASK != 0 => {
                return Errno::EOPNOTSUPP;
            }
            MapFlags::TYPE_SHARED | MapFlags::TYPE_SHARED_VALIDATE | MapFlags::TYPE_PRIVATE
                if !vm_flags.contains(VmFlags::GROWSDOWN) => {}
            _ => return Errno::EINVAL,
        }
        let aligned = huge_page_size(flags).is_ok_and(|size| offset.is_multiple_of(size));
        let refused = self.within("mmap_region", |cx| {
            cx.mmap_region(Request {
                addr,
                len,
                // Strict accounting is its own.
                flags: vm_flags | VmFlags::NORESERVE,
                pgoff: offset >> cx.page.shift(),
                file: None,
                refusal: Some(if aligned {
                    Errno::ENOMEM
                } else {
                    Errno::EINVAL
                }),
            })
        });
        refused.err().unwrap_or(Errno::ENOMEM)
    }

    /// What anonymous memory's type allows; its page offset.
    fn check_anonymous(&self, addr: u64, flags: u64, vm_flags: &mut VmFlags) -> Result<u64, Errno> {
        let own_pgoff = addr >> self.page.shift();
        match flags & MapFlags::TYPE_MASK {
            MapFlags::TYPE_SHARED => {
                if vm_flags.contains(VmFlags::GROWSDOWN) {
                    return Err(Errno::EINVAL);
                }
                *vm_flags |= VmFlags::SHARED | VmFlags::MAYSHARE;
                Ok(0)
            }
            MapFlags::TYPE_DROPPABLE if self.kernel.has_droppable => {
                if flags & (MapFlags::LOCKED | MapFlags::HUGETLB).bits() != 0
                    || vm_flags.contains(VmFlags::GROWSDOWN)
                {
                    return Err(Errno::EINVAL);
                }
                *vm_flags |= VmFlags::DROPPABLE
                    | VmFlags::NORESERVE
                    | VmFlags::WIPEONFORK
                    | VmFlags::DONTDUMP;
                Ok(own_pgoff)
            }
            MapFlags::TYPE_PRIVATE => Ok(own_pgoff),
            _ => Err(Errno::EINVAL),
        }
    }
}

/// `file_mmap_ok`: whether a mapping ends within what a file can hold.
fn fits_a_file(offset: u64, len: u64) -> bool {
    offset
        .checked_add(len)
        .is_some_and(|end| end <= MAX_FILE_SIZE)
}

/// The huge page size MAP_HUGETLB asks for, in bytes: one that the machine has.
fn huge_page_size(flags: u64) -> Result<u64, Errno> {
    match (flags >> HUGE_SHIFT) & 0x3f {
        0 | 21 => Ok(1 << 21),
        30 => Ok(1 << 30),
        _ => Err(Errno::EINVAL),
    }
}
