//! One page-table entry, packed into eight bytes.

use super::folio::FolioId;

/// A page-table entry as software sees it: what it maps and what it allows.
///
/// Two arm64 details are kept as one bit each: "dirty" is the software dirty bit or the hardware
/// dirty state, "writable" is the bit that lets hardware write (DBM).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Pte(u64);

const INDEX_SHIFT: u32 = 32;
const INDEX_BITS: u32 = 14;
const INDEX_MASK: u64 = ((1 << INDEX_BITS) - 1) << INDEX_SHIFT;

impl Pte {
    /// Maps nothing and says nothing.
    pub const EMPTY: Self = Self(0);

    pub const PRESENT: u64 = 1 << 63;
    /// Present for software only: `PROT_NONE`.
    pub const NONE: u64 = 1 << 62;
    pub const WRITE: u64 = 1 << 61;
    pub const YOUNG: u64 = 1 << 60;
    pub const DIRTY: u64 = 1 << 59;
    pub const CONT: u64 = 1 << 58;
    pub const EXEC: u64 = 1 << 57;
    /// The zero page, or a frame without a folio.
    pub const SPECIAL: u64 = 1 << 56;
    /// Not present: a guard marker.
    pub const GUARD: u64 = 1 << 55;
    /// The simulator's own: the page's contents were stored to through this entry.
    pub const STORED: u64 = 1 << 54;

    /// Bits that differ between entries of one block without keeping it from folding.
    const LOOSE: u64 = Self::YOUNG | Self::DIRTY | Self::STORED;

    /// An entry for page `index` of `folio` with these flag bits.
    pub fn new(folio: FolioId, index: u32, flags: u64) -> Self {
        Self(u64::from(folio.0) | u64::from(index) << INDEX_SHIFT | flags)
    }

    /// The shared zero page with these flag bits.
    pub fn zero_page(flags: u64) -> Self {
        Self::new(FolioId::ZERO, 0, flags | Self::SPECIAL)
    }

    pub const fn guard() -> Self {
        Self(Self::GUARD)
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub fn has(self, bits: u64) -> bool {
        self.0 & bits == bits
    }

    /// `pte_present`: maps a page, for hardware or (PROT_NONE) only for software.
    #[inline]
    pub fn present(self) -> bool {
        self.has(Self::PRESENT)
    }

    /// `pte_valid`: hardware may use it.
    #[inline]
    pub fn valid(self) -> bool {
        self.0 & (Self::PRESENT | Self::NONE) == Self::PRESENT
    }

    #[inline]
    pub fn writable(self) -> bool {
        self.has(Self::WRITE)
    }

    #[inline]
    pub fn young(self) -> bool {
        self.has(Self::YOUNG)
    }

    #[inline]
    pub fn dirty(self) -> bool {
        self.has(Self::DIRTY)
    }

    #[inline]
    pub fn cont(self) -> bool {
        self.has(Self::CONT)
    }

    /// Zero page or frame without folio: `vm_normal_page` gives none.
    #[inline]
    pub fn special(self) -> bool {
        self.has(Self::SPECIAL)
    }

    #[inline]
    pub fn is_guard(self) -> bool {
        self.has(Self::GUARD)
    }

    /// Whether it counts in Rss: a present entry that maps a folio.
    #[inline]
    pub fn resident(self) -> bool {
        self.0 & (Self::PRESENT | Self::SPECIAL) == Self::PRESENT
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the low half is the folio
    pub fn folio(self) -> FolioId {
        FolioId(self.0 as u32)
    }

    /// Position of the page in its folio.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // 14 bits
    pub fn index(self) -> u32 {
        ((self.0 & INDEX_MASK) >> INDEX_SHIFT) as u32
    }

    #[inline]
    #[must_use]
    pub fn with(self, bits: u64) -> Self {
        Self(self.0 | bits)
    }

    #[inline]
    #[must_use]
    pub fn without(self, bits: u64) -> Self {
        Self(self.0 & !bits)
    }

    /// With `bits` set or cleared.
    #[inline]
    #[must_use]
    pub fn set(self, bits: u64, on: bool) -> Self {
        if on {
            self.with(bits)
        } else {
            self.without(bits)
        }
    }

    /// The entry `by` pages further in the same folio (the zero page stays itself).
    #[inline]
    #[must_use]
    pub fn advance(self, by: u32) -> Self {
        if self.special() {
            self
        } else {
            Self(self.0 + (u64::from(by) << INDEX_SHIFT))
        }
    }

    /// The same flags over another page.
    #[inline]
    #[must_use]
    pub fn pointing_at(self, folio: FolioId, index: u32) -> Self {
        Self(
            (self.0 & !(INDEX_MASK | 0xffff_ffff))
                | u64::from(folio.0)
                | u64::from(index) << INDEX_SHIFT,
        )
    }

    /// Flag bits alone.
    #[inline]
    pub fn flags(self) -> u64 {
        self.0 & !(INDEX_MASK | 0xffff_ffff)
    }

    /// What must be equal over a block for it to be folded: everything but young and dirty (and
    /// the contiguous bit itself).
    #[inline]
    pub fn rigid(self) -> Self {
        Self(self.0 & !(Self::LOOSE | Self::CONT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_run_into_each_other() {
        let top = (1 << INDEX_BITS) - 1;
        let entry = Pte::new(FolioId(u32::MAX), top, Pte::PRESENT | Pte::STORED);
        assert_eq!(entry.folio(), FolioId(u32::MAX));
        assert_eq!(entry.index(), top);
        assert!(entry.present() && entry.valid() && !entry.writable());
        let moved = Pte::new(FolioId(7), 3, Pte::PRESENT).advance(5);
        assert_eq!((moved.folio(), moved.index()), (FolioId(7), 8));
        assert_eq!(Pte::zero_page(Pte::PRESENT).advance(9).index(), 0);
    }

    #[test]
    fn only_young_and_dirty_are_loose() {
        let a = Pte::new(FolioId(7), 3, Pte::PRESENT | Pte::YOUNG | Pte::DIRTY);
        let b = Pte::new(FolioId(7), 3, Pte::PRESENT | Pte::CONT);
        assert_eq!(a.rigid(), b.rigid());
        assert_ne!(a.rigid(), b.with(Pte::EXEC).rigid());
        assert_ne!(a.rigid(), b.with(Pte::WRITE).rigid());
    }
}
