//! What happened to contiguous blocks, in words: the rule that made or prevented each fold.

use sealab_core::meter::{Counter, Counts};
use sealab_core::paging::{EventKind, PageEvent, Reason};

use crate::words;

/// Most sentences of one step; the rest are counted.
const SENTENCES_MAX: usize = 12;

/// The key of an event's rule in a report.
#[must_use]
pub fn rule(reason: Reason) -> &'static str {
    match reason {
        Reason::WholeBlockSet => "whole-block-set",
        Reason::LastPageSet => "last-page-set",
        Reason::AgreesAgain => "agrees-again",
        Reason::WriteBitChanged => "write-bit-changed",
        Reason::PageCleared => "page-cleared",
        Reason::PartCleared => "part-cleared",
        Reason::PartWriteProtected => "part-write-protected",
        Reason::PageSet => "page-set",
        Reason::OnlyLastPageTries => "only-last-page-tries",
        Reason::NotCongruent => "not-congruent",
        Reason::FolioTooSmall => "folio-too-small",
        Reason::EntryDiffers => "entry-differs",
        Reason::BatchTooShort => "batch-too-short",
    }
}

/// An event's kind in a report.
#[must_use]
pub fn kind(reason: Reason) -> &'static str {
    match reason.kind() {
        EventKind::Folded => "folded",
        EventKind::Unfolded => "unfolded",
        EventKind::NotFolded => "not-folded",
    }
}

/// What became of one block and why: `unfolded: write bit of page 5 changed`. `call` is the name of
/// the call that did it.
#[must_use]
pub fn of_block(event: &PageEvent, call: &str) -> String {
    let page = event.page;
    match event.reason {
        Reason::WholeBlockSet => {
            "folded: the whole block was set at once, congruent with its folio".to_owned()
        }
        Reason::LastPageSet => "folded: its last page was set and all its entries agree".to_owned(),
        Reason::AgreesAgain => format!(
            "folded: page {page} changed and all entries agree (first posting: every change tries)"
        ),
        Reason::WriteBitChanged => format!("unfolded: write bit of page {page} changed"),
        Reason::PageCleared => format!(
            "unfolded: the entry of page {page} was cleared{}",
            purpose(call)
        ),
        Reason::PartCleared => {
            format!("unfolded: only a part of it was cleared{}", purpose(call))
        }
        Reason::PartWriteProtected => "unfolded: only a part of it was write-protected".to_owned(),
        Reason::PageSet => format!("unfolded: the entry of page {page} was written over"),
        Reason::OnlyLastPageTries => {
            format!("not refolded: page {page} was set, only the last page of a block tries")
        }
        Reason::NotCongruent => {
            "not folded: virtual and physical addresses are not congruent".to_owned()
        }
        Reason::FolioTooSmall => "not folded: its folio is smaller than the block".to_owned(),
        Reason::EntryDiffers => {
            "not folded: its last page was set, but another entry differs".to_owned()
        }
        Reason::BatchTooShort => {
            "not refolded: the batch that was set covers only a part of the block".to_owned()
        }
    }
}

/// Why a call clears an entry.
fn purpose(call: &str) -> &'static str {
    match call {
        "mprotect" | "pkey_mprotect" => " to change its protection",
        "mremap" => " to move it",
        "munmap" | "mmap" | "brk" => " to unmap it",
        "madvise" => " by the advice",
        "store" | "access" => " to copy it on write",
        _ => "",
    }
}

/// The sentences of a step: alike events of neighbouring blocks in one. `number` numbers blocks;
/// `None`: outside of what is shown.
pub fn of_step(
    events: &[PageEvent],
    call: &str,
    number: impl Fn(u64) -> Option<u64>,
) -> Vec<String> {
    let mut groups: Vec<(String, Vec<u64>, u64)> = Vec::new();
    for event in events {
        let words = of_block(event, call);
        let block = number(event.block);
        match groups.iter_mut().find(|(known, ..)| *known == words) {
            Some((_, blocks, others)) => match block {
                Some(block) => blocks.push(block),
                None => *others += 1,
            },
            None => groups.push((
                words,
                block.into_iter().collect(),
                u64::from(block.is_none()),
            )),
        }
    }
    let more = groups.len().saturating_sub(SENTENCES_MAX);
    let mut out: Vec<String> = groups
        .into_iter()
        .take(SENTENCES_MAX)
        .map(|(words, blocks, others)| format!("{} {words}", subject(blocks, others)))
        .collect();
    if more > 0 {
        out.push(format!(
            "{} of other kinds",
            words::count(more as u64, "event")
        ));
    }
    out
}

/// `block 0`, `blocks 0 to 3 and 7`, `blocks 0 and 2 (twice) …`.
fn subject(mut blocks: Vec<u64>, others: u64) -> String {
    blocks.sort_unstable();
    blocks.dedup();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&first) = blocks.get(at) {
        let mut last = first;
        while blocks.get(at + 1) == Some(&(last + 1)) {
            at += 1;
            last += 1;
        }
        at += 1;
        parts.push(match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        });
        if parts.len() == 6 && at < blocks.len() {
            parts.push(format!("{} more", blocks.len() - at));
            break;
        }
    }
    let noun = if blocks.len() == 1 { "block" } else { "blocks" };
    match (parts.is_empty(), others) {
        (false, 0) => format!("{noun} {}", words::list(&parts)),
        (false, n) => format!(
            "{noun} {} and {} elsewhere",
            words::list(&parts),
            words::grouped(n)
        ),
        (true, n) => format!("{} elsewhere", words::count(n, "block")),
    }
}

/// The work on page tables in `counts`: `16 read-and-clears, 16 PTE writes, 1 TLBI of 16 entries`.
#[must_use]
pub fn work(counts: &Counts) -> Option<String> {
    let mut parts = Vec::new();
    for (counter, noun) in [
        (Counter::PageFault, "page fault"),
        (Counter::PteRead, "PTE read"),
        (Counter::PteClear, "read-and-clear"),
        (Counter::PteWrite, "PTE write"),
    ] {
        let n = counts.get(counter);
        if n > 0 {
            parts.push(words::count(n, noun));
        }
    }
    let flushes = counts.get(Counter::TlbFlush);
    if flushes > 0 {
        parts.push(format!(
            "{} naming {}",
            words::count(flushes, "TLB invalidation"),
            match counts.get(Counter::TlbFlushPages) {
                0 => "everything".to_owned(),
                n => words::count(n, "page"),
            }
        ));
    }
    let barriers = counts.get(Counter::Barrier);
    if barriers > 0 {
        parts.push(words::count(barriers, "barrier"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_core::paging::MmId;

    fn event(block: u64, page: u32, reason: Reason) -> PageEvent {
        PageEvent {
            mm: MmId(1),
            block,
            page,
            reason,
        }
    }

    #[test]
    fn alike_events_are_one_sentence() {
        let number = |block: u64| (block < 0x100_0000).then_some(block >> 16);
        let mut events: Vec<_> = [0, 1, 2, 5]
            .map(|b| event(b << 16, 15, Reason::LastPageSet))
            .to_vec();
        events.push(event(0, 5, Reason::WriteBitChanged));
        events.push(event(0x200_0000, 15, Reason::LastPageSet));
        assert_eq!(
            of_step(&events, "store", number),
            [
                "blocks 0 to 2 and 5 and 1 elsewhere folded: its last page was set and all its \
                 entries agree",
                "block 0 unfolded: write bit of page 5 changed",
            ]
        );
    }

    #[test]
    fn many_blocks_are_counted_not_listed() {
        let events: Vec<_> = (0..40)
            .map(|b| event(b << 17, 3, Reason::OnlyLastPageTries))
            .collect();
        let said = of_step(&events, "store", |b| Some(b >> 16));
        assert_eq!(said.len(), 1);
        assert!(
            said[0].starts_with("blocks 0, 2, 4, 6, 8, 10 and 34 more not refolded"),
            "{said:?}"
        );
    }
}
