//! What happened to contiguous blocks and to the TLB, for views that show it. Off unless asked.

use super::MmId;
use crate::addr::AddrRange;

/// Why a block was folded, unfolded, or not folded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// Folded: a batch set the whole block at once, from one folio, congruent with it
    /// (`contpte_set_ptes`).
    WholeBlockSet,
    /// Folded: the block's last page was set and all its entries now agree
    /// (`__contpte_try_fold`).
    LastPageSet,
    /// Folded by the first posting's rules: an entry was write-protected or upgraded and the block
    /// now agrees.
    AgreesAgain,

    /// Unfolded: the write bit of one page changed (`contpte_ptep_set_access_flags`).
    WriteBitChanged,
    /// Unfolded: one page's entry was cleared (copy on write, migration, an unmap of one page,
    /// mprotect or mremap entry by entry).
    PageCleared,
    /// Unfolded: a batch cleared a part of the block (`contpte_try_unfold_partial`).
    PartCleared,
    /// Unfolded: a part of the block was write-protected (fork over a VMA boundary).
    PartWriteProtected,
    /// Unfolded: one page's entry was written over.
    PageSet,

    /// Not folded: only setting the last page of a block tries, and another one was set.
    OnlyLastPageTries,
    /// Not folded: the page's place in physical memory is not the block's last (virtual and
    /// physical addresses are not congruent).
    NotCongruent,
    /// Not folded: the folio does not cover the block.
    FolioTooSmall,
    /// Not folded: an entry of the block differs (empty, other folio, other protection).
    EntryDiffers,
    /// Not folded: the batch covered only a part of the block.
    BatchTooShort,
}

impl Reason {
    /// Whether it made a fold, an unfold, or prevented a fold.
    #[must_use]
    pub fn kind(self) -> EventKind {
        match self {
            Self::WholeBlockSet | Self::LastPageSet | Self::AgreesAgain => EventKind::Folded,
            Self::WriteBitChanged
            | Self::PageCleared
            | Self::PartCleared
            | Self::PartWriteProtected
            | Self::PageSet => EventKind::Unfolded,
            Self::OnlyLastPageTries
            | Self::NotCongruent
            | Self::FolioTooSmall
            | Self::EntryDiffers
            | Self::BatchTooShort => EventKind::NotFolded,
        }
    }
}

/// What became of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// It is contiguous now.
    Folded,
    /// It is not any more.
    Unfolded,
    /// It could be, but is not.
    NotFolded,
}

/// One event of one contiguous block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PageEvent {
    /// Whose page table.
    pub mm: MmId,
    /// First byte of the block.
    pub block: u64,
    /// The page that decided, counted from the block's start.
    pub page: u32,
    /// Which rule.
    pub reason: Reason,
}

/// A TLB invalidation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TlbFlush {
    /// Whose address space.
    pub mm: MmId,
    /// Which addresses; `None`: everything of that address space.
    pub range: Option<AddrRange>,
}

/// What is written down while it is on.
#[derive(Clone, Debug, Default)]
pub struct PageLog {
    /// Whether events and invalidations are.
    pub on: bool,
    /// Whether invalidations are, whatever `on` says: a machine with TLBs needs them.
    pub flushes_on: bool,
    /// Folds and unfolds, in order.
    pub events: Vec<PageEvent>,
    /// TLB invalidations, in order.
    pub flushes: Vec<TlbFlush>,
    /// Events left out because the list was full.
    pub dropped: u64,
    /// Invalidations left out because the list was full.
    pub dropped_flushes: u64,
}

/// Longest list kept between two [`PageLog::clear`]s.
const MOST: usize = 1 << 16;

impl PageLog {
    pub(crate) fn event(&mut self, event: PageEvent) {
        if !self.on {
            return;
        }
        if self.events.len() < MOST {
            self.events.push(event);
        } else {
            self.dropped += 1;
        }
    }

    pub(crate) fn flush(&mut self, flush: TlbFlush) {
        if !self.on && !self.flushes_on {
            return;
        }
        if self.flushes.len() < MOST {
            self.flushes.push(flush);
        } else {
            self.dropped_flushes += 1;
        }
    }

    /// Forgets what was written down.
    pub fn clear(&mut self) {
        self.events.clear();
        self.flushes.clear();
        self.dropped = 0;
        self.dropped_flushes = 0;
    }
}
