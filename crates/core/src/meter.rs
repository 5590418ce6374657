//! What is counted while a call runs. An increment costs an add; nothing here knows prices.

macro_rules! counters {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// One kind of work that is counted.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(usize)]
        pub enum Counter { $($(#[$doc])* $variant),* }

        impl Counter {
            /// Every counter, in report order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// Its key in a report.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

counters! {
    /// W: a lookup that descends the VMA tree from its root.
    TreeWalk = "tree_walk";
    /// N: a step to the next entry from where the iterator stands.
    TreeNext = "tree_next";
    /// P: a step to the previous entry.
    TreePrev = "tree_prev";
    /// r: a step refused because the entry in hand already reaches the limit; moves nowhere.
    TreeRefused = "tree_refused";
    /// S: a store into the VMA tree.
    TreeStore = "tree_store";
    /// s: a descent made inside a store or its preallocation.
    TreeStoreWalk = "tree_store_walk";
    /// Levels that the walks went down, in a tree of this many VMAs whose nodes are as full as they
    /// mostly are: an estimate.
    TreeLevel = "tree_level";
    /// A VMA's seal was looked at.
    SealCheck = "seal_check";
    /// A VMA was split in two.
    VmaSplit = "vma_split";
    /// A range was joined to a neighbour (counted once for each VMA that vanished or shrank away).
    VmaMerge = "vma_merge";
    /// A VMA structure was allocated.
    VmaAlloc = "vma_alloc";
    /// A VMA structure was freed.
    VmaFree = "vma_free";
    /// A VMA's flags were changed in place.
    VmaModify = "vma_modify";
    /// One VMA's stretch of the page tables was gone through: to zap, to protect, to move.
    RangeWalk = "range_walk";
    /// A page fault was taken.
    PageFault = "page_fault";
    /// A page-table entry was read by software.
    PteRead = "pte_read";
    /// A page-table entry was read and cleared in one go.
    PteClear = "pte_clear";
    /// A page-table entry was written.
    PteWrite = "pte_write";
    /// A contiguous block was folded (arm64).
    ContFold = "cont_fold";
    /// A contiguous block was unfolded (arm64).
    ContUnfold = "cont_unfold";
    /// A TLB invalidation was issued (a range counts once).
    TlbFlush = "tlb_flush";
    /// Entries those invalidations named.
    TlbFlushPages = "tlb_flush_pages";
    /// A barrier was executed for a page-table change (arm64).
    Barrier = "barrier";
    /// A folio was allocated.
    FolioAlloc = "folio_alloc";
    /// A folio of more than one page was allocated and zeroed (counted in `folio_alloc` too).
    LargeFolioZeroed = "large_folio_zeroed";
    /// A folio was freed.
    FolioFree = "folio_free";
    /// A folio was split into smaller ones.
    FolioSplit = "folio_split";
    /// Bytes set to zero for new memory.
    ZeroedBytes = "zeroed_bytes";
    /// Bytes copied (copy on write, collapse).
    CopiedBytes = "copied_bytes";
    /// A page-table page was allocated.
    TableAlloc = "table_alloc";
    /// A page-table page was freed.
    TableFree = "table_free";
}

/// How much of each kind of work was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts([u64; Counter::COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Self([0; Counter::COUNT])
    }
}

impl Counts {
    /// Counts `n` more of `counter`. Saturates: a count never wraps.
    #[inline]
    pub fn add(&mut self, counter: Counter, n: u64) {
        let slot = &mut self.0[counter as usize];
        *slot = slot.saturating_add(n);
    }

    /// How often `counter` was counted.
    #[inline]
    #[must_use]
    pub fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }

    /// Steps in either direction: N + P.
    #[must_use]
    pub fn tree_steps(&self) -> u64 {
        self.get(Counter::TreeNext)
            .saturating_add(self.get(Counter::TreePrev))
    }

    /// What was counted since `earlier`, a former state of the same counts.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut out = *self;
        for (slot, before) in out.0.iter_mut().zip(earlier.0) {
            *slot = slot.saturating_sub(before);
        }
        out
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (slot, more) in self.0.iter_mut().zip(other.0) {
            *slot = slot.saturating_add(more);
        }
    }

    /// Every counter with its count, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, u64)> + '_ {
        Counter::ALL.iter().map(|&c| (c, self.get(c)))
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|&n| n == 0)
    }
}
