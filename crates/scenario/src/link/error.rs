//! What can be wrong with a link.

use std::fmt;

/// Why a link could not be read or made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// There is nothing behind the `#`.
    Empty,
    /// What is there is no scenario.
    NotALink,
    /// It was made by a newer version.
    NewerVersion {
        /// The link's version.
        version: u32,
        /// The newest version known here.
        known: u32,
    },
    /// Part of it is missing or altered.
    Damaged,
    /// It is longer than any link this program makes.
    TooLong {
        /// Its length.
        bytes: usize,
        /// The most that is read or made.
        limit: usize,
    },
    /// It unpacks to more than is allowed.
    TooLarge {
        /// The most bytes that are unpacked.
        limit: usize,
    },
}

impl LinkError {
    /// Stable code, for example `link-damaged`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "link-empty",
            Self::NotALink => "link-unknown",
            Self::NewerVersion { .. } => "link-newer",
            Self::Damaged => "link-damaged",
            Self::TooLong { .. } => "limit-link",
            Self::TooLarge { .. } => "limit-link-unpacked",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Empty | Self::NotALink => "a link carries `#v1/…` or `#src=…`",
            Self::NewerVersion { .. } => "reload the page or update the program",
            Self::Damaged => "copy the whole link again; chat and mail programs may cut long ones",
            Self::TooLong { .. } | Self::TooLarge { .. } => "send the scenario as a file",
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there is no scenario in this link")?,
            Self::NotALink => write!(f, "this is no link to a scenario")?,
            Self::NewerVersion { version, known } => write!(
                f,
                "this link is of a newer version ({version}) than is known here ({known})"
            )?,
            Self::Damaged => write!(f, "part of this link is missing or altered")?,
            Self::TooLong { bytes, limit } => {
                write!(f, "this link has {bytes} bytes; the most is {limit}")?;
            }
            Self::TooLarge { limit } => write!(f, "this link unpacks to more than {limit} bytes")?,
        }
        write!(f, ": {}", self.remedy())
    }
}

impl std::error::Error for LinkError {}
