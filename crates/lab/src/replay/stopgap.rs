//! STOPGAP until scenario::parse reads traces: the recorder's own lines only.

use std::sync::Arc;

use sealab_core::call::{Call, Outcome};
use sealab_core::errno::{Errno, Signal};

const FLAGS: &[(&str, u64)] = &[
    ("NULL", 0),
    ("PROT_NONE", 0),
    ("PROT_READ", 1),
    ("PROT_WRITE", 2),
    ("PROT_EXEC", 4),
    ("PROT_SEM", 8),
    ("PROT_GROWSDOWN", 0x0100_0000),
    ("PROT_GROWSUP", 0x0200_0000),
    ("MAP_FILE", 0),
    ("MAP_SHARED", 1),
    ("MAP_PRIVATE", 2),
    ("MAP_SHARED_VALIDATE", 3),
    ("MAP_DROPPABLE", 8),
    ("MAP_FIXED", 0x10),
    ("MAP_ANONYMOUS", 0x20),
    ("MAP_32BIT", 0x40),
    ("MAP_GROWSDOWN", 0x100),
    ("MAP_DENYWRITE", 0x800),
    ("MAP_EXECUTABLE", 0x1000),
    ("MAP_LOCKED", 0x2000),
    ("MAP_NORESERVE", 0x4000),
    ("MAP_POPULATE", 0x8000),
    ("MAP_NONBLOCK", 0x10000),
    ("MAP_STACK", 0x20000),
    ("MAP_HUGETLB", 0x40000),
    ("MAP_SYNC", 0x80000),
    ("MAP_FIXED_NOREPLACE", 0x100000),
    ("MREMAP_MAYMOVE", 1),
    ("MREMAP_FIXED", 2),
    ("MREMAP_DONTUNMAP", 4),
    ("MADV_NORMAL", 0),
    ("MADV_RANDOM", 1),
    ("MADV_SEQUENTIAL", 2),
    ("MADV_WILLNEED", 3),
    ("MADV_DONTNEED", 4),
    ("MADV_FREE", 8),
    ("MADV_REMOVE", 9),
    ("MADV_DONTFORK", 10),
    ("MADV_DOFORK", 11),
    ("MADV_MERGEABLE", 12),
    ("MADV_UNMERGEABLE", 13),
    ("MADV_HUGEPAGE", 14),
    ("MADV_NOHUGEPAGE", 15),
    ("MADV_DONTDUMP", 16),
    ("MADV_DODUMP", 17),
    ("MADV_WIPEONFORK", 18),
    ("MADV_KEEPONFORK", 19),
    ("MADV_COLD", 20),
    ("MADV_PAGEOUT", 21),
    ("MADV_POPULATE_READ", 22),
    ("MADV_POPULATE_WRITE", 23),
    ("MADV_DONTNEED_LOCKED", 24),
    ("MADV_COLLAPSE", 25),
    ("MADV_HWPOISON", 100),
    ("MADV_SOFT_OFFLINE", 101),
    ("MADV_GUARD_INSTALL", 102),
    ("MADV_GUARD_REMOVE", 103),
    ("MLOCK_ONFAULT", 1),
    ("MCL_CURRENT", 1),
    ("MCL_FUTURE", 2),
    ("MCL_ONFAULT", 4),
    ("MS_ASYNC", 1),
    ("MS_INVALIDATE", 2),
    ("MS_SYNC", 4),
    ("O_RDONLY", 0),
    ("O_WRONLY", 1),
    ("O_RDWR", 2),
    ("O_CREAT", 0o100),
    ("O_EXCL", 0o200),
    ("O_TRUNC", 0o1000),
    ("O_CLOEXEC", 0o2000000),
    ("MFD_CLOEXEC", 1),
    ("MFD_ALLOW_SEALING", 2),
    ("MFD_NOEXEC_SEAL", 8),
];

pub struct Recorded {
    pub line: u32,
    pub text: String,
    pub call: Call,
    pub expected: Outcome,
}

pub(super) fn number(word: &str) -> Result<u64, String> {
    let word = word.trim();
    let mut sum = 0u64;
    for part in word.split('|') {
        let part = part.split("/*").next().unwrap_or("").trim();
        if let Some(shift) = part.strip_suffix("<<MAP_HUGE_SHIFT") {
            sum |= shift.parse::<u64>().map_err(|e| e.to_string())? << 26;
            continue;
        }
        let negative = part.strip_prefix('-');
        let value = if let Some((_, v)) = FLAGS.iter().find(|(n, _)| *n == part) {
            *v
        } else if let Some(hex) = part.strip_prefix("0x") {
            u64::from_str_radix(hex, 16).map_err(|e| format!("{part}: {e}"))?
        } else if let Some(n) = negative {
            (n.parse::<i64>().map_err(|e| format!("{part}: {e}"))?).wrapping_neg() as u64
        } else if part.len() > 1 && part.starts_with('0') {
            u64::from_str_radix(part, 8).map_err(|e| format!("{part}: {e}"))?
        } else {
            part.parse::<u64>().map_err(|_| format!("unknown {part}"))?
        };
        sum |= value;
    }
    Ok(sum)
}

pub fn calls(trace: &str) -> Result<Vec<Recorded>, String> {
    let mut out = Vec::new();
    for (i, line) in trace.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        out.push(one(line, i as u32 + 1).map_err(|e| format!("line {}: {line}: {e}", i + 1))?);
    }
    Ok(out)
}

fn one(line: &str, number_of: u32) -> Result<Recorded, String> {
    let (left, result) = line.rsplit_once(" = ").ok_or("no result")?;
    let left = left.trim();
    let (name, args) = left.split_once('(').ok_or("no call")?;
    let args = args.strip_suffix(')').ok_or("no )")?;
    let a: Vec<&str> = args.split(", ").collect();
    let n = |i: usize| number(a.get(i).copied().unwrap_or("0"));
    let expected = if let Some(e) = result.strip_prefix("-1 ") {
        let word = e.split(' ').next().unwrap_or("");
        match word {
            "SIGSEGV" => Outcome::Signal(Signal::Segv),
            "SIGBUS" => Outcome::Signal(Signal::Bus),
            _ => Outcome::Errno(Errno::from_name(word).ok_or(format!("errno {word}"))?),
        }
    } else {
        Outcome::Value(number(result.split(' ').next().unwrap_or(""))?)
    };
    let fd = match expected {
        Outcome::Value(v) => i32::try_from(v).ok(),
        _ => None,
    };
    let call = match name {
        "mmap" => Call::Mmap {
            addr: n(0)?,
            len: n(1)?,
            prot: n(2)?,
            flags: n(3)?,
            fd: n(4)? as i32,
            offset: n(5)?,
        },
        "munmap" => Call::Munmap {
            addr: n(0)?,
            len: n(1)?,
        },
        "mprotect" => Call::Mprotect {
            addr: n(0)?,
            len: n(1)?,
            prot: n(2)?,
        },
        "pkey_mprotect" => Call::PkeyMprotect {
            addr: n(0)?,
            len: n(1)?,
            prot: n(2)?,
            pkey: n(3)? as i32,
        },
        "madvise" => Call::Madvise {
            addr: n(0)?,
            len: n(1)?,
            advice: n(2)? as i32,
        },
        "mremap" => Call::Mremap {
            addr: n(0)?,
            old_len: n(1)?,
            new_len: n(2)?,
            flags: n(3)?,
            new_addr: n(4)?,
        },
        "mseal" => Call::Mseal {
            addr: n(0)?,
            len: n(1)?,
            flags: n(2)?,
        },
        "brk" => Call::Brk { addr: n(0)? },
        "mlock" => Call::Mlock {
            addr: n(0)?,
            len: n(1)?,
        },
        "mlock2" => Call::Mlock2 {
            addr: n(0)?,
            len: n(1)?,
            flags: n(2)?,
        },
        "munlock" => Call::Munlock {
            addr: n(0)?,
            len: n(1)?,
        },
        "mlockall" => Call::Mlockall { flags: n(0)? },
        "munlockall" => Call::Munlockall,
        "msync" => Call::Msync {
            addr: n(0)?,
            len: n(1)?,
            flags: n(2)?,
        },
        "openat" => Call::Open {
            path: Arc::from(a[1].trim_matches('"')),
            flags: n(2)?,
            fd,
            size: None,
        },
        "memfd_create" => Call::MemfdCreate {
            name: Arc::from(a[0].trim_matches('"')),
            flags: n(1)?,
            fd,
        },
        "ftruncate" => Call::Ftruncate {
            fd: n(0)? as i32,
            len: n(1)?,
        },
        "close" => Call::Close { fd: n(0)? as i32 },
        "load" => Call::Load {
            addr: n(0)?,
            len: n(1)?,
        },
        "store" => Call::Store {
            addr: n(0)?,
            len: n(1)?,
        },
        _ => return Err(format!("unknown call {name}")),
    };
    Ok(Recorded {
        line: number_of,
        text: left.to_owned(),
        call,
        expected,
    })
}
