//! Keeps calls away from what the runner itself lives on, and from the machine's limits.

use sealab_core::addr::AddrRange;
use sealab_core::call::Call;
use sealab_core::flags::{MapFlags, MremapFlags, madv};
use sealab_core::start::TASK_SIZE_X86_64;

use crate::error::HostError;
use crate::wire::CHANNEL_FD;

/// Bytes that a program may touch or populate in one call.
const TOUCH_LIMIT: u64 = 1 << 30;
/// Requests longer than this are refused by the kernel before anything is touched.
const ADDRESS_SPACE: u64 = 1 << 47;
/// More than any program here can map without a hole.
const FILLABLE: u64 = 1 << 42;
const PAGE: u64 = 4096;

/// Ranges that must stay as they are, and which of them the program has sealed: what is sealed
/// the kernel itself defends.
#[derive(Clone, Debug)]
pub struct Guard {
    own: Vec<AddrRange>,
    sealed: Vec<AddrRange>,
}

impl Guard {
    pub(crate) fn new(own: Vec<AddrRange>) -> Self {
        Self {
            own,
            sealed: Vec::new(),
        }
    }

    /// Whether `call` may be made; to be asked of every call, in order.
    ///
    /// # Errors
    /// What it would break, or what it would use too much of.
    pub fn admit(&mut self, call: &Call) -> Result<(), HostError> {
        if refused_by_every_kernel(call) {
            return Ok(());
        }
        match *call {
            Call::Munmap { addr, len } => self.keep(addr, len, "would unmap the runner")?,
            Call::Mprotect { addr, len, .. } | Call::PkeyMprotect { addr, len, .. } => {
                // It stops at the first hole, and nobody fills this much.
                let len = len.min(FILLABLE);
                self.keep(addr, len, "would change the runner's protection")?;
            }
            Call::Mmap {
                addr, len, flags, ..
            } => {
                let flags = MapFlags::from_bits_retain(flags);
                if flags.contains(MapFlags::FIXED) && !flags.contains(MapFlags::FIXED_NOREPLACE) {
                    self.keep(addr, len, "would map over the runner")?;
                }
                if flags.intersects(MapFlags::POPULATE | MapFlags::LOCKED) {
                    touchable(len, "populate")?;
                }
            }
            Call::Mremap {
                addr,
                old_len,
                new_len,
                flags,
                new_addr,
            } => {
                // Old length 0 copies, but looks at the mapping all the same.
                self.keep(addr, old_len.max(1), "would move or resize the runner")?;
                if flags & MremapFlags::FIXED.bits() != 0 && is_possible(new_addr, new_len) {
                    self.keep(new_addr, new_len, "would map over the runner")?;
                }
            }
            Call::Madvise { addr, len, advice } => match advice {
                madv::DONTNEED
                | madv::DONTNEED_LOCKED
                | madv::FREE
                | madv::REMOVE
                | madv::GUARD_INSTALL
                | madv::WIPEONFORK
                | madv::DONTFORK
                | madv::HWPOISON
                | madv::SOFT_OFFLINE => {
                    // Sealed writable memory may be discarded, so its seal does not help.
                    self.keep_always(addr, len, "would discard the runner's memory")?;
                }
                madv::POPULATE_READ | madv::POPULATE_WRITE => touchable(len, "populate")?,
                _ => {}
            },
            Call::Store { addr, len } => {
                touchable(len, "touch")?;
                self.keep_always(addr, len, "would write over the runner's memory")?;
            }
            Call::Load { len, .. } | Call::Exec { len, .. } => touchable(len, "touch")?,
            Call::Mseal { addr, len, flags } => {
                let end = addr.checked_add(len);
                let whole =
                    end.filter(|&end| flags == 0 && addr.is_multiple_of(PAGE) && end > addr);
                if let Some(end) = whole {
                    self.sealed.push(AddrRange::new(addr, end));
                }
            }
            Call::Close { fd } | Call::Ftruncate { fd, .. } if is_channel(fd) => {
                return Err(HostError::NotOnRealMachine(
                    "that descriptor is the runner's own",
                ));
            }
            Call::Dup { to: Some(to), .. } if is_channel(to) => {
                return Err(HostError::NotOnRealMachine(
                    "that descriptor is the runner's own",
                ));
            }
            Call::SetSysfs { .. } => {
                return Err(HostError::NotOnRealMachine(
                    "settings of this machine are not changed",
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// Refuses a range that meets the runner's own where the program has not sealed it.
    fn keep(&self, addr: u64, len: u64, what: &'static str) -> Result<(), HostError> {
        let range = pages(addr, len);
        for own in &self.own {
            let met = own.intersect(range);
            if !met.is_empty() && !self.is_sealed(met) {
                return Err(refusal(what, *own));
            }
        }
        Ok(())
    }

    fn keep_always(&self, addr: u64, len: u64, what: &'static str) -> Result<(), HostError> {
        let range = pages(addr, len);
        match self.own.iter().find(|own| own.overlaps(range)) {
            Some(own) => Err(refusal(what, *own)),
            None => Ok(()),
        }
    }

    /// Whether one seal of the program covers `range`, within one range of the runner's: such a
    /// seal cannot have failed.
    fn is_sealed(&self, range: AddrRange) -> bool {
        self.sealed.iter().any(|sealed| {
            let within = self.own.iter().any(|own| own.intersect(*sealed) == *sealed);
            within && sealed.intersect(range) == range
        })
    }
}

/// Whether a call's range is malformed, so that no kernel gets as far as changing anything.
fn refused_by_every_kernel(call: &Call) -> bool {
    match *call {
        Call::Munmap { addr, len } | Call::Mmap { addr, len, .. } => {
            let hint = matches!(call, Call::Mmap { flags, .. }
                if !MapFlags::from_bits_retain(*flags).contains(MapFlags::FIXED));
            !hint && !is_possible(addr, len)
        }
        Call::Mprotect { addr, len, .. }
        | Call::PkeyMprotect { addr, len, .. }
        | Call::Madvise { addr, len, .. } => {
            !addr.is_multiple_of(PAGE) || addr.checked_add(len).is_none()
        }
        // Its old range may reach past the end of the address space (6.17 and later).
        Call::Mremap { addr, .. } => !addr.is_multiple_of(PAGE),
        _ => false,
    }
}

/// Whether `addr` is a page's start and the range ends within the address space.
fn is_possible(addr: u64, len: u64) -> bool {
    addr.is_multiple_of(PAGE)
        && addr
            .checked_add(len)
            .is_some_and(|end| end <= TASK_SIZE_X86_64)
}

fn refusal(what: &'static str, own: AddrRange) -> HostError {
    HostError::WouldBreakRunner {
        what,
        start: own.start,
        end: own.end,
    }
}

fn is_channel(fd: i32) -> bool {
    (CHANNEL_FD..CHANNEL_FD + 64).contains(&fd)
}

/// The pages that `addr..addr + len` touches.
fn pages(addr: u64, len: u64) -> AddrRange {
    if len == 0 {
        return AddrRange::new(addr, addr);
    }
    let end = addr.saturating_add(len).saturating_add(PAGE - 1) & !(PAGE - 1);
    AddrRange::new(addr & !(PAGE - 1), end.max(addr))
}

fn touchable(len: u64, what: &str) -> Result<(), HostError> {
    if len > TOUCH_LIMIT && len <= ADDRESS_SPACE {
        return Err(HostError::TooMuch(format!(
            "it would {what} {len} bytes of real memory, {TOUCH_LIMIT} at most are allowed"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: AddrRange = AddrRange {
        start: 0x10000,
        end: 0x20000,
    };

    fn guard() -> Guard {
        Guard::new(vec![OWN])
    }

    #[test]
    fn refuses_what_meets_the_runner() {
        let meets = [
            Call::Munmap {
                addr: 0xf000,
                len: 0x1001,
            },
            Call::Store {
                addr: 0x1ffff,
                len: 1,
            },
            Call::Mremap {
                addr: 0x50000,
                old_len: 0x1000,
                new_len: 0x1000,
                flags: 3,
                new_addr: 0x1f000,
            },
        ];
        for call in meets {
            let refused = guard().admit(&call);
            assert!(
                matches!(refused, Err(HostError::WouldBreakRunner { .. })),
                "{call:?}"
            );
        }
    }

    #[test]
    fn lets_reads_and_neighbours_pass() {
        for call in [
            Call::Munmap {
                addr: 0xf000,
                len: 0x1000,
            },
            Call::Load {
                addr: 0x10000,
                len: 0x1000,
            },
            Call::Munmap {
                addr: 0x10000,
                len: 0,
            },
        ] {
            assert!(guard().admit(&call).is_ok(), "{call:?}");
        }
    }

    #[test]
    fn what_is_sealed_may_be_attacked_but_not_discarded() {
        let mut guard = guard();
        let seal = Call::Mseal {
            addr: 0x12000,
            len: 0x2000,
            flags: 0,
        };
        guard.admit(&seal).unwrap();
        let inside = Call::Munmap {
            addr: 0x12000,
            len: 0x2000,
        };
        assert!(guard.admit(&inside).is_ok());
        let beyond = Call::Munmap {
            addr: 0x12000,
            len: 0x3000,
        };
        assert!(guard.admit(&beyond).is_err());
        let discard = Call::Madvise {
            addr: 0x12000,
            len: 0x1000,
            advice: madv::DONTNEED,
        };
        assert!(guard.admit(&discard).is_err());
    }

    #[test]
    fn a_seal_that_may_have_failed_does_not_count() {
        let mut guard = guard();
        let seal = Call::Mseal {
            addr: 0x1f000,
            len: 0x2000,
            flags: 0,
        };
        guard.admit(&seal).unwrap();
        let attack = Call::Munmap {
            addr: 0x1f000,
            len: 0x1000,
        };
        assert!(guard.admit(&attack).is_err());
    }
}
