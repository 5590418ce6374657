//! The door for JavaScript: what any page can call, and the simulator that the playground talks to.
//!
//! [`Engine`](engine::Engine) answers the messages of `sealab-protocol` and is plain Rust;
//! `simulator` and `api` only translate. The playground's worker and an outside page go through
//! the same door.

mod api;
pub mod engine;
mod help;
mod simulator;
pub mod units;

pub use simulator::{Simulator, in_worker, listen, say_why_it_broke};
