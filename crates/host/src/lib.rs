//! The kernel this machine runs, behind the interface that simulated ones have.
//!
//! Each program of calls is made by a *runner*: a small freestanding process, fresh from execve,
//! without address randomisation, whose own memory never changes while the calls run. What it
//! answered and what `/proc/PID/smaps` then shows come back as the same values the simulated
//! machine gives.
//!
//! This is the one crate of the workspace with `unsafe` in it: it makes processes.

#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod availability;
mod conditions;
mod error;
mod files;
mod guard;
mod request;
mod smaps;
mod spawn;
mod system;
#[path = "../runner/wire.rs"]
mod wire;

pub use availability::{Availability, KernelInfo, availability};
pub use conditions::Conditions;
pub use error::HostError;
pub use guard::Guard;
pub use system::{Host, HostRun, HostSystem, RunnerConfig, Step};
