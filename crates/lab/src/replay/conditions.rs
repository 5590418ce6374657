//! The machines that the recordings were made on.

use sealab_core::kernel::KernelId;
use sealab_core::machine::Limits;
use sealab_core::start::StartState;

use crate::start::stack_limit;

/// `MemTotal` of the real machine that ran 6.18.44.
const REAL_MACHINE: u64 = 24_683_652 << 10;
/// The virtual machines had 4 GB; the kernel keeps a little of it.
const VIRTUAL_MACHINE: u64 = 4 << 30;

/// The limits that a case of `kernel` ran with.
pub fn limits(kernel: KernelId, start: &StartState) -> Limits {
    Limits {
        total_memory: if kernel == KernelId::V6_18 {
            REAL_MACHINE
        } else {
            VIRTUAL_MACHINE
        },
        rlimit_stack: stack_limit(start),
        ..Limits::default()
    }
}
