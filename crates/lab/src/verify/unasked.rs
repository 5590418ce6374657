//! What random programs do not ask, because the answer is the machine's and not the kernel's.

use sealab_core::addr::AddrRange;
use sealab_core::call::Call;
use sealab_core::flags::{Prot, madv};
use sealab_core::start::StartState;

/// Questions that are left out on a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unasked {
    protection_keys: bool,
    clock_pages: Vec<AddrRange>,
}

impl Unasked {
    /// On a machine whose processes start from `start`; `protection_keys` says whether its CPU
    /// has them.
    #[must_use]
    pub fn new(start: &StartState, protection_keys: bool) -> Self {
        let clocks = start
            .mappings
            .iter()
            .filter(|m| m.name.starts_with("[vvar"));
        Self {
            protection_keys,
            clock_pages: clocks.map(|m| m.range).collect(),
        }
    }

    /// What is left out here, one clause each.
    #[must_use]
    pub fn clauses(&self) -> Vec<&'static str> {
        let mut clauses = vec!["accesses to [vvar] (which of its pages there are is the clock's)"];
        if self.protection_keys {
            clauses.push(
                "key 0 and execute-only mappings (this CPU has protection keys, which Linux makes \
                 execute-only mappings of)",
            );
        }
        clauses
    }

    /// Whether `call` is left out.
    #[must_use]
    pub fn holds(&self, call: &Call) -> bool {
        match *call {
            Call::Load { addr, len } | Call::Store { addr, len } | Call::Exec { addr, len } => {
                let touched = AddrRange::new(addr, addr.saturating_add(len));
                self.clock_pages.iter().any(|page| page.overlaps(touched))
            }
            // Key 0 is there with protection keys and is not without.
            Call::PkeyMprotect { pkey: 0, .. } => self.protection_keys,
            // An execute-only mapping gets a key of its own: it cannot be populated while it is made,
            // and merges and shares an anon_vma with its like alone.
            Call::PkeyMprotect { prot, .. }
            | Call::Mprotect { prot, .. }
            | Call::Mmap { prot, .. } => self.protection_keys && is_execute_only(prot),
            // Page tables for it would eat the machine's memory.
            Call::Madvise { len, advice, .. } => {
                advice == madv::GUARD_INSTALL && len > MOST_GUARDED
            }
            _ => false,
        }
    }
}

/// The longest range that is guarded for real, in bytes.
const MOST_GUARDED: u64 = 8 << 30;

fn is_execute_only(prot: u64) -> bool {
    prot & (Prot::READ | Prot::WRITE | Prot::EXEC).bits() == Prot::EXEC.bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_core::addr::PageSize;

    #[test]
    fn only_what_the_cpu_decides_is_left_out() {
        let start = StartState::bare(PageSize::K4);
        let (with, without) = (Unasked::new(&start, true), Unasked::new(&start, false));
        let protect = |prot| Call::Mprotect {
            addr: 0,
            len: 4096,
            prot,
        };
        let map = |prot| Call::Mmap {
            addr: 0,
            len: 4096,
            prot,
            flags: 0x21,
            fd: -1,
            offset: 0,
        };
        for (call, left_out) in [
            (map(4), true),
            (map(5), false),
            (protect(4), true),
            (protect(4 | 8), true),
            (protect(5 | 8), false),
        ] {
            assert_eq!(with.holds(&call), left_out, "{call:?}");
            assert!(!without.holds(&call), "{call:?}");
        }
    }
}
