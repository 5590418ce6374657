//! Calls, programs and flags as text, in strace's style.

use sealab_core::call::Call;

/// `call` as strace prints it, without a result.
#[must_use]
pub fn call_text(call: &Call) -> String {
    format!("{call:?}")
}
