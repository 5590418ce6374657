//! Error numbers and signals a call or an access can end with.

macro_rules! errnos {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        /// An error number, as Linux returns it (negated) from a system call.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(clippy::upper_case_acronyms, missing_docs)]
        pub enum Errno { $($name = $number),* }

        impl Errno {
            /// Every error number known here, in ascending order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its symbol, for example `EPERM`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }

            /// The C library's words for it, as strace prints them.
            #[must_use]
            pub fn message(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

errnos! {
    EPERM = 1, "Operation not permitted";
    ENOENT = 2, "No such file or directory";
    ESRCH = 3, "No such process";
    EINTR = 4, "Interrupted system call";
    EIO = 5, "Input/output error";
    ENXIO = 6, "No such device or address";
    E2BIG = 7, "Argument list too long";
    ENOEXEC = 8, "Exec format error";
    EBADF = 9, "Bad file descriptor";
    ECHILD = 10, "No child processes";
    EAGAIN = 11, "Resource temporarily unavailable";
    ENOMEM = 12, "Cannot allocate memory";
    EACCES = 13, "Permission denied";
    EFAULT = 14, "Bad address";
    EBUSY = 16, "Device or resource busy";
    EEXIST = 17, "File exists";
    ENODEV = 19, "No such device";
    ENOTDIR = 20, "Not a directory";
    EISDIR = 21, "Is a directory";
    EINVAL = 22, "Invalid argument";
    ENFILE = 23, "Too many open files in system";
    EMFILE = 24, "Too many open files";
    ETXTBSY = 26, "Text file busy";
    EFBIG = 27, "File too large";
    ENOSPC = 28, "No space left on device";
    ESPIPE = 29, "Illegal seek";
    EROFS = 30, "Read-only file system";
    ENOSYS = 38, "Function not implemented";
    ENODATA = 61, "No data available";
    EOVERFLOW = 75, "Value too large for defined data type";
    EOPNOTSUPP = 95, "Operation not supported";
}

impl Errno {
    /// The number itself, positive.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The error of that number, if it is one known here.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|e| e.number() == number)
    }

    /// The error of that symbol.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|e| e.name() == name)
    }
}

/// A signal that ends an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Signal {
    /// No mapping there, or one that does not allow the access.
    Segv,
    /// A file mapping's page beyond the end of the file.
    Bus,
}

impl Signal {
    /// Its symbol, for example `SIGSEGV`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Segv => "SIGSEGV",
            Self::Bus => "SIGBUS",
        }
    }
}
