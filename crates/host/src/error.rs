//! What can go wrong on the way to the real kernel, as opposed to what the kernel answers.

use std::fmt;
use std::io;

/// A call that was not made, or a runner that could not be used.
#[derive(Debug)]
pub enum HostError {
    /// This machine cannot run programs of calls; the reason, as a clause.
    Unavailable(String),
    /// The call would change memory or descriptors that the runner itself needs.
    WouldBreakRunner {
        /// What it would do, for example `would unmap the runner`.
        what: &'static str,
        /// The range of the runner's that it meets.
        start: u64,
        /// One past its last byte.
        end: u64,
    },
    /// The call would use more of the real machine than it is given; what, and the limit.
    TooMuch(String),
    /// The call has no counterpart that may be made on a real machine; why.
    NotOnRealMachine(&'static str),
    /// No process of that number, or it has ended.
    NoSuchProcess(u32),
    /// The kernel answered with an error number that the simulator has no name for.
    UnknownErrno(u32),
    /// The runner died or answered nonsense; what was seen.
    Runner(String),
    /// Talking to it or reading its state failed.
    Io {
        /// What was tried.
        doing: &'static str,
        /// What came of it.
        source: io::Error,
    },
}

impl HostError {
    /// For `map_err`: an I/O error with what was being done.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(reason) => f.write_str(reason),
            Self::WouldBreakRunner { what, start, end } => write!(
                f,
                "{what}: {start:#x}-{end:#x} belongs to the process that makes the calls"
            ),
            Self::TooMuch(what) => f.write_str(what),
            Self::NotOnRealMachine(why) => f.write_str(why),
            Self::NoSuchProcess(number) => write!(f, "there is no process {number}"),
            Self::UnknownErrno(number) => write!(f, "the kernel answered error {number}"),
            Self::Runner(what) => write!(f, "the runner {what}"),
            Self::Io { doing, source } => write!(f, "{doing}: {source}"),
        }
    }
}

impl std::error::Error for HostError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
