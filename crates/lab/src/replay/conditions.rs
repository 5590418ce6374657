//! The machines that the recordings were made on.

use sealab_core::kernel::KernelId;
use sealab_core::machine::Limits;
use sealab_core::start::{StartState, TASK_SIZE_X86_64};

/// `MemTotal` of the real machine that ran 6.18.44.
const REAL_MACHINE: u64 = 24_683_652 << 10;
/// The virtual machines had 4 GB; the kernel keeps a little of it.
const VIRTUAL_MACHINE: u64 = 4 << 30;

/// Least distance of the mmap base from the end of user addresses (arch/x86/mm/mmap.c: 128 MB).
const LEAST_GAP: u64 = 128 << 20;
/// `stack_guard_gap`: 256 pages.
const STACK_GUARD_GAP: u64 = 1 << 20;
/// The ordinary stack limit.
const STACK_LIMIT: u64 = 8 << 20;

/// The limits that a case of `kernel` ran with. The stack limit shows in the mmap base: the
/// kernel leaves it and the guard gap free above, but at least 128 MB.
pub fn limits(kernel: KernelId, start: &StartState) -> Limits {
    let gap = TASK_SIZE_X86_64.saturating_sub(start.mmap_base);
    Limits {
        total_memory: if kernel == KernelId::V6_18 {
            REAL_MACHINE
        } else {
            VIRTUAL_MACHINE
        },
        rlimit_stack: if gap > LEAST_GAP {
            gap - STACK_GUARD_GAP
        } else {
            STACK_LIMIT
        },
        ..Limits::default()
    }
}
