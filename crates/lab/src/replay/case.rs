//! A recorded case: the calls a real kernel was asked, and the address space before and after.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// One recorded case, its files as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Id of the kernel that was recorded, for example `6.12`.
    pub kernel: Arc<str>,
    /// The kind of case, for example `seal-heavy`.
    pub family: Arc<str>,
    /// Where it is from, for messages: `linux-6.12-x86_64/seal-heavy/seal-heavy-000004`.
    pub place: String,
    /// The calls with their results, in strace's style.
    pub strace: String,
    /// `/proc/self/maps` before the first call.
    pub before: Arc<str>,
    /// The extract of `/proc/self/smaps` before the first call, where there is one.
    pub before_smaps: Option<Arc<str>>,
    /// `/proc/self/maps` after the last call.
    pub after: String,
    /// The extract of `/proc/self/smaps` after the last call.
    pub smaps: String,
}

impl Case {
    /// Its name without folder, for example `seal-heavy-000004`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.place.rsplit('/').next().unwrap_or(&self.place)
    }
}

/// Why recordings could not be read.
#[derive(Debug)]
pub enum LoadError {
    /// A file or folder could not be read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A pack's text is not what [`super::pack`] writes.
    Pack {
        /// Which pack.
        path: PathBuf,
        /// Line in the unpacked text, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A folder of cases does not say which kernel made them.
    NoKernelId {
        /// Which folder.
        path: PathBuf,
    },
    /// A case lacks one of its files.
    Incomplete {
        /// The file that is missing.
        path: PathBuf,
    },
    /// Nothing to replay was found.
    Nothing {
        /// Where it was looked for.
        path: PathBuf,
    },
}

impl LoadError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Pack {
                path,
                line,
                message,
            } => {
                write!(
                    f,
                    "{}: line {line} of the unpacked text: {message}",
                    path.display()
                )
            }
            Self::NoKernelId { path } => write!(
                f,
                "no kernel known for {}: put the kernel's id (6.12, say) into a file KERNEL-ID \
                 in that folder or the one above, or give --kernel",
                path.display()
            ),
            Self::Incomplete { path } => write!(
                f,
                "{} is missing: a case is NAME.strace with NAME.before, NAME.after and NAME.smaps beside it",
                path.display()
            ),
            Self::Nothing { path } => write!(
                f,
                "no recorded case at {}: looked for NAME.strace files and *.cases.gz packs",
                path.display()
            ),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
