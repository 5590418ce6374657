//! Addresses and sizes, each in its own type so that units cannot be mixed up.

use core::fmt;

/// A virtual address, in bytes. Arithmetic is the kernel's: unsigned, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VirtAddr(pub u64);

impl VirtAddr {
    /// The address `bytes` further up, or `None` past the top of the address space.
    #[must_use]
    pub fn checked_add(self, bytes: u64) -> Option<Self> {
        self.0.checked_add(bytes).map(Self)
    }
}

impl fmt::Debug for VirtAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bytes(pub u64);

/// A number of pages of the machine's [`PageSize`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Pages(pub u64);

/// A half-open range of addresses, `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AddrRange {
    /// First byte.
    pub start: u64,
    /// One past the last byte; never below `start`.
    pub end: u64,
}

impl AddrRange {
    /// The range `start..end`; empty where `end` lies below `start`.
    #[must_use]
    pub fn new(start: u64, end: u64) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether it holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether both ranges hold a common byte.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether `addr` lies inside.
    #[must_use]
    pub fn contains(self, addr: u64) -> bool {
        self.start <= addr && addr < self.end
    }

    /// The bytes both hold; empty where they do not meet.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }
}

impl fmt::Debug for AddrRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{:x}", self.start, self.end)
    }
}

/// The translation granule: how many bytes one page-table entry maps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum PageSize {
    /// 4 KiB, the only one of x86-64 and the usual one of arm64.
    #[default]
    K4,
    /// 16 KiB (arm64).
    K16,
    /// 64 KiB (arm64).
    K64,
}

impl PageSize {
    /// log2 of the size in bytes.
    #[must_use]
    pub const fn shift(self) -> u32 {
        match self {
            Self::K4 => 12,
            Self::K16 => 14,
            Self::K64 => 16,
        }
    }

    /// The size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        1 << self.shift()
    }

    /// What one PMD entry maps, in bytes: a table of eight-byte entries fills one page,
    /// so 2 MiB, 32 MiB and 512 MiB.
    #[must_use]
    pub const fn pmd_bytes(self) -> u64 {
        self.bytes() * (self.bytes() / 8)
    }

    /// How many base pages one contiguous block has (arm64): 16, 128, 32.
    #[must_use]
    pub const fn cont_ptes(self) -> u64 {
        match self {
            Self::K4 => 16,
            Self::K16 => 128,
            Self::K64 => 32,
        }
    }

    /// `addr` rounded down to a page boundary.
    #[must_use]
    pub const fn align_down(self, addr: u64) -> u64 {
        addr & !(self.bytes() - 1)
    }

    /// The kernel's `PAGE_ALIGN`: rounded up in 64-bit arithmetic, so that lengths in the
    /// last page of the address space wrap to 0.
    #[must_use]
    pub const fn align_up_wrapping(self, addr: u64) -> u64 {
        addr.wrapping_add(self.bytes() - 1) & !(self.bytes() - 1)
    }

    /// Whether `addr` is a multiple of the page size.
    #[must_use]
    pub const fn is_aligned(self, addr: u64) -> bool {
        addr & (self.bytes() - 1) == 0
    }
}
