//! What a process can ask of its memory, and what it is answered: the one interface that the
//! simulated kernel and a real one share.

use std::sync::Arc;

use crate::addr::AddrRange;
use crate::errno::{Errno, Signal};
use crate::flags::{Prot, VmFlags};

/// One system call or memory access of the process in hand. Arguments are as the process passes
/// them, not yet checked or rounded: what is wrong with them is the kernel's to say.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the fields are the man pages' own argument names
pub enum Call {
    Mmap {
        addr: u64,
        len: u64,
        prot: u64,
        flags: u64,
        fd: i32,
        offset: u64,
    },
    Munmap {
        addr: u64,
        len: u64,
    },
    Mprotect {
        addr: u64,
        len: u64,
        prot: u64,
    },
    PkeyMprotect {
        addr: u64,
        len: u64,
        prot: u64,
        pkey: i32,
    },
    Madvise {
        addr: u64,
        len: u64,
        advice: i32,
    },
    Mremap {
        addr: u64,
        old_len: u64,
        new_len: u64,
        flags: u64,
        new_addr: u64,
    },
    Mseal {
        addr: u64,
        len: u64,
        flags: u64,
    },
    Brk {
        addr: u64,
    },
    Mlock {
        addr: u64,
        len: u64,
    },
    Mlock2 {
        addr: u64,
        len: u64,
        flags: u64,
    },
    Munlock {
        addr: u64,
        len: u64,
    },
    Mlockall {
        flags: u64,
    },
    Munlockall,
    Msync {
        addr: u64,
        len: u64,
        flags: u64,
    },

    /// Opens a file by name (`open`, `openat`, `creat`).
    Open {
        path: Arc<str>,
        flags: u64,
        /// The descriptor to give it, where a recording fixes it; otherwise the lowest free one.
        fd: Option<i32>,
        /// The file's length in bytes where it is known; a file of unknown length has no end.
        size: Option<u64>,
    },
    MemfdCreate {
        name: Arc<str>,
        flags: u64,
        fd: Option<i32>,
    },
    Ftruncate {
        fd: i32,
        len: u64,
    },
    Close {
        fd: i32,
    },
    Dup {
        fd: i32,
        to: Option<i32>,
    },

    /// Reads one byte at `addr` and at each following page start below `addr + len`, ascending.
    Load {
        addr: u64,
        len: u64,
    },
    /// Writes likewise.
    Store {
        addr: u64,
        len: u64,
    },
    /// Runs an instruction likewise.
    Exec {
        addr: u64,
        len: u64,
    },

    /// The child becomes a further process of the machine; the answer is its number.
    Fork,
    /// The process runs another program: its memory is gone, seals or not, and a new image is
    /// mapped.
    Execve {
        path: Arc<str>,
    },
    /// The process ends; its memory is gone.
    Exit,
    /// Writes a setting of the machine, for example an mTHP size's `enabled` file.
    SetSysfs {
        path: Arc<str>,
        value: Arc<str>,
    },
}

/// How a call or access ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// It succeeded; the value returned (an address, a descriptor, or 0).
    Value(u64),
    /// It failed with this error.
    Errno(Errno),
    /// The access was ended by this signal; pages before the faulting one have been touched.
    Signal(Signal),
}

impl Call {
    /// The addresses that its arguments name, of mremap the old ones: at least a byte. `None` for a
    /// call that names none.
    #[must_use]
    pub fn range(&self) -> Option<AddrRange> {
        let (addr, len) = match *self {
            Self::Mmap { addr, len, .. }
            | Self::Munmap { addr, len }
            | Self::Mprotect { addr, len, .. }
            | Self::PkeyMprotect { addr, len, .. }
            | Self::Madvise { addr, len, .. }
            | Self::Mremap {
                addr, old_len: len, ..
            }
            | Self::Mseal { addr, len, .. }
            | Self::Mlock { addr, len }
            | Self::Mlock2 { addr, len, .. }
            | Self::Munlock { addr, len }
            | Self::Msync { addr, len, .. }
            | Self::Load { addr, len }
            | Self::Store { addr, len }
            | Self::Exec { addr, len } => (addr, len),
            _ => return None,
        };
        Some(AddrRange::new(addr, addr.saturating_add(len.max(1))))
    }
}

impl Outcome {
    /// Whether it succeeded.
    #[must_use]
    pub fn is_ok(self) -> bool {
        matches!(self, Self::Value(_))
    }
}

impl From<Result<u64, Errno>> for Outcome {
    fn from(result: Result<u64, Errno>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(errno) => Self::Errno(errno),
        }
    }
}

/// Number of a process of the machine: 0 is the first, children follow in order of birth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ProcessId(pub u32);

/// What backs a mapping, as `/proc/PID/maps` names it.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct MappingFile {
    /// Major device number.
    pub dev_major: u32,
    /// Minor device number.
    pub dev_minor: u32,
    /// Inode number; 0 for memory without a file.
    pub inode: u64,
}

/// One mapping of the process, as `/proc/PID/smaps` shows it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mapping {
    /// Its addresses.
    pub range: AddrRange,
    /// Access allowed now.
    pub prot: Prot,
    /// Whether the fourth letter is `s`.
    pub shared: bool,
    /// Offset into the file, in bytes; 0 without a file.
    pub offset: u64,
    /// The device and inode behind it.
    pub file: MappingFile,
    /// The name column, for example `[heap]`, or empty.
    pub name: Arc<str>,
    /// What the `VmFlags:` line lists.
    pub flags: VmFlags,
    /// Resident memory, in bytes.
    pub rss: u64,
}

/// A memory of processes that answers calls: the simulated machine, or the kernel underneath.
pub trait MemorySystem {
    /// Makes `call` in process `by` and returns how it ended.
    fn call(&mut self, by: ProcessId, call: &Call) -> Outcome;

    /// The mappings of process `of`, in address order.
    fn mappings(&self, of: ProcessId) -> Vec<Mapping>;
}
