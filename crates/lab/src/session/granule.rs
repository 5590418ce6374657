//! Scenarios that are only valid with smaller pages than a variant has.

use sealab_core::call::{Call, Outcome};
use sealab_core::errno::Errno;

use super::Session;
use crate::report::Diagnostic;
use crate::run::{Ended, Record, What};
use crate::words;

impl Session {
    /// A warning where the text's addresses do not fit the pages of some variants: a call was
    /// refused because an address is a multiple of smaller pages only.
    pub(super) fn granule_warning(&self) -> Option<Diagnostic> {
        let invalid = Ended::Simulated(Outcome::Errno(Errno::EINVAL));
        let mut first: Option<u32> = None;
        let mut memories: Vec<&str> = Vec::new();
        for run in &self.runs {
            let page = run.variant.memory.page_size.bytes();
            let refused = |record: &&Record| match &record.what {
                What::Call(call) => record.ended == invalid && misplaced(call, page),
                What::Pattern(_) => false,
            };
            let found = (page > 4096).then(|| run.records.all().iter().find(refused));
            if let Some(record) = found.flatten() {
                first = Some(first.map_or(record.line, |line| line.min(record.line)));
                if !memories.contains(&run.variant.ids.memory.as_str()) {
                    memories.push(&run.variant.ids.memory);
                }
            }
        }
        let number = first?;
        let line = self.text.lines().nth(number.saturating_sub(1) as usize);
        let width = line.map_or(0, |line| line.chars().count());
        Some(Diagnostic {
            severity: "warning".to_owned(),
            code: "granule".to_owned(),
            line: number,
            column: 1,
            end_line: number,
            end_column: u32::try_from(width + 1).unwrap_or(u32::MAX),
            message: format!(
                "this scenario is only valid with 4K pages: this address is no multiple of the \
                 page size of {}, so the call is refused there",
                words::list(&memories)
            ),
            hint: Some(
                "write addresses and lengths as multiples of PAGE, which is each variant's own \
                 page size"
                    .to_owned(),
            ),
        })
    }
}

/// Whether an address that must be a multiple of the page size is one of 4K only.
fn misplaced(call: &Call, page: u64) -> bool {
    let wrong = |addr: u64| addr.is_multiple_of(4096) && !addr.is_multiple_of(page);
    match *call {
        Call::Mmap { addr, offset, .. } => wrong(addr) || wrong(offset),
        Call::Mremap { addr, new_addr, .. } => wrong(addr) || wrong(new_addr),
        Call::Munmap { addr, .. }
        | Call::Mprotect { addr, .. }
        | Call::PkeyMprotect { addr, .. }
        | Call::Madvise { addr, .. }
        | Call::Mseal { addr, .. }
        | Call::Msync { addr, .. } => wrong(addr),
        _ => false,
    }
}
