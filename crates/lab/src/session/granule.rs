//! Scenarios that are only valid with smaller pages than a variant has.

use sealab_core::call::{Call, Outcome};
use sealab_core::errno::Errno;

use super::Session;
use crate::report::Diagnostic;
use crate::run::{Ended, Record, What};
use crate::words;

impl Session {
    /// One warning for each page size that the text's addresses do not fit: a call was refused
    /// because an address is a multiple of smaller pages only.
    pub(super) fn granule_warnings(&self) -> Vec<Diagnostic> {
        let mut out: Vec<Diagnostic> = Vec::new();
        let mut said = Vec::new();
        for run in &self.runs {
            let page = run.variant.memory.page_size;
            if page.bytes() == 4096 || said.contains(&page) {
                continue;
            }
            let refused = |record: &&Record| {
                let invalid = Ended::Simulated(Outcome::Errno(Errno::EINVAL));
                let what = match &record.what {
                    What::Call(call) => misplaced(call, page.bytes()),
                    What::Pattern(_) => false,
                };
                what && record.ended == invalid
            };
            let Some(record) = run.records.all().iter().find(refused) else {
                continue;
            };
            said.push(page);
            let line = self
                .text
                .lines()
                .nth(record.line.saturating_sub(1) as usize);
            let width = line.map_or(0, |line| line.chars().count());
            let size = words::short_size(page.bytes());
            out.push(Diagnostic {
                severity: "warning".to_owned(),
                code: "granule".to_owned(),
                line: record.line,
                column: 1,
                end_line: record.line,
                end_column: u32::try_from(width + 1).unwrap_or(u32::MAX),
                message: format!(
                    "this address is no multiple of {size} pages, so the call is refused under {}: \
                     the scenario is only valid with smaller pages",
                    run.variant.ids.memory
                ),
                hint: Some(
                    "write addresses and lengths as multiples of PAGE, which is each variant's \
                     own page size"
                        .to_owned(),
                ),
            });
        }
        out
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
