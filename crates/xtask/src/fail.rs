//! A failure that tells the reader what to do about it.

use std::fmt;

/// What went wrong, and the sentence that remedies it.
#[derive(Debug)]
pub struct Failure {
    what: String,
    remedy: String,
}

/// The result of every step.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure of `what`, to be remedied by `remedy`.
    pub fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            remedy: remedy.into(),
        }
    }

    /// What went wrong, in one line.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}\nremedy: {}", self.what, self.remedy)
    }
}

impl std::error::Error for Failure {}

/// Turns an I/O error into a [`Failure`] that names the path.
pub trait AtPath<T> {
    /// Names what was being done to which path.
    fn at(self, doing: &str, path: &std::path::Path) -> Result<T>;
}

impl<T> AtPath<T> for std::io::Result<T> {
    fn at(self, doing: &str, path: &std::path::Path) -> Result<T> {
        self.map_err(|error| {
            Failure::new(
                format!("could not {doing} {}: {error}", path.display()),
                "check that the folder exists, is yours to write, and that the disk is not full",
            )
        })
    }
}
