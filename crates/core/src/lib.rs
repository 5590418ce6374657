//! The simulated machine: what Linux keeps of a process's memory, and how each kernel design
//! changes it.
//!
//! Nothing here reads a file, a clock or a random number, parses or formats text, or knows of
//! WebAssembly. Same calls, same state, same counts.

pub mod addr;
pub mod call;
mod chain;
mod cx;
pub mod errno;
pub mod file;
pub mod flags;
mod hardware;
pub mod kernel;
pub mod machine;
pub mod meter;
mod mm;
pub mod paging;
pub mod start;
mod syscall;
pub mod tlb;
pub mod vma;
