//! One VMA.

use crate::addr::{AddrRange, PageSize};
use crate::file::FileId;
use crate::flags::VmFlags;

/// Identity of an `anon_vma`: what ties a private mapping's anonymous pages to the VMAs that may
/// hold them. Created by the first write fault in a mapping.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AnonVmaId(pub u32);

/// A mapping's link to its `anon_vma`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnonVma {
    /// Which one.
    pub id: AnonVmaId,
    /// Length of `vma->anon_vma_chain`: 1 for a mapping faulted in this process, 2 and more for
    /// one inherited over a fork (it then never merges with another's).
    pub chain: u32,
}

/// Special mappings that the kernel names itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SpecialName {
    /// An ordinary mapping.
    #[default]
    None,
    /// `[stack]`: holds the address at which the stack started.
    Stack,
    /// `[vdso]`.
    Vdso,
    /// `[vvar]`.
    Vvar,
    /// `[vvar_vclock]`.
    VvarVclock,
}

/// A virtual memory area: a range of one process's addresses that share everything below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Vma {
    /// First byte; a multiple of the page size.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// What it is and allows.
    pub flags: VmFlags,
    /// Page offset (`vm_pgoff`): into the file, or for private anonymous memory the page number
    /// it was first mapped at.
    pub pgoff: u64,
    /// The open file behind it; shared anonymous memory has one too, private has none.
    pub file: Option<FileId>,
    /// The anon_vma, once a page of it was written.
    pub anon_vma: Option<AnonVma>,
    /// A name of the kernel's own.
    pub special: SpecialName,
}

impl Vma {
    /// Its addresses.
    #[inline]
    #[must_use]
    pub fn range(&self) -> AddrRange {
        AddrRange {
            start: self.start,
            end: self.end,
        }
    }

    /// Length in bytes.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Never: a VMA has at least one page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The page offset of `addr`, which lies inside or just at its end.
    #[inline]
    #[must_use]
    pub fn pgoff_at(&self, addr: u64, page: PageSize) -> u64 {
        self.pgoff.wrapping_add((addr - self.start) >> page.shift())
    }

    /// Whether it is sealed.
    #[inline]
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.flags.contains(VmFlags::SEALED)
    }

    /// Whether it may be cut in two: the kernel's own mappings (vdso, vvar) must stay whole.
    #[inline]
    #[must_use]
    pub fn may_split(&self) -> bool {
        matches!(self.special, SpecialName::None | SpecialName::Stack)
    }

    /// `vma_is_anonymous`: private memory with no file behind it.
    #[inline]
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.file.is_none() && self.may_split()
    }
}
