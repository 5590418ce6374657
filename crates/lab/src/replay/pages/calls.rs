//! The calls of a recorded experiment, and those the simulator does not know.

use std::sync::Arc;

use sealab_core::call::{Call, Outcome};
use sealab_core::errno::{Errno, Signal};
use sealab_core::flags::{MapFlags, madv};

use super::super::values::number;
use super::record::{Experiment, Step};

/// What a step asks for.
pub enum Request {
    /// A call or access.
    Call(Call),
    /// A file opened, perhaps written first in pieces of that many bytes up to its size.
    File {
        path: Arc<str>,
        flags: u64,
        size: u64,
        written: Option<u64>,
    },
    /// Nothing of the simulator's: waiting for a child, a remark.
    Nothing,
}

/// Why an experiment is not replayed, or `None` if it is.
pub fn not_modelled(experiment: &Experiment) -> Option<&'static str> {
    let note = experiment.note.as_deref().unwrap_or("");
    if note.starts_with("swap on") {
        return Some("swap to a device: the machine has no swap");
    }
    experiment.steps.iter().find_map(|step| {
        let call = step.call.as_str();
        let name = call.split('(').next().unwrap_or("");
        match name {
            "userfaultfd" | "ioctl" => Some("userfaultfd"),
            "nanosleep" => Some("khugepaged: what it collapses depends on its timing"),
            "write" if call.contains("compact_memory") => {
                Some("compaction: which folios it moves depends on physical memory")
            }
            "mmap" if call.contains("MAP_HUGETLB") => Some("hugetlb"),
            "prctl" => Some("prctl(PR_SET_THP_DISABLE)"),
            _ => None,
        }
    })
}

/// Reads a step: one request, or one for each page of a block that is named so.
///
/// # Errors
/// A call that is not known, in words.
pub fn requests(step: &Step, page_size: u64) -> Result<Vec<Request>, String> {
    if step.call != "madvise(page 0..N-1 of block 0, one page each, MADV_DONTNEED)" {
        return Ok(vec![request(step)?]);
    }
    let block = match page_size {
        4096 => 16,
        16384 => 128,
        _ => 32,
    };
    Ok((0..block)
        .map(|page| {
            Request::Call(Call::Madvise {
                addr: FIRST_RANGE + page * page_size,
                len: page_size,
                advice: madv::DONTNEED,
            })
        })
        .collect())
}

/// Where every experiment's range A begins.
const FIRST_RANGE: u64 = 0x100_0000_0000;

fn request(step: &Step) -> Result<Request, String> {
    let text = step.call.as_str();
    let Some((name, rest)) = text.split_once('(') else {
        return Ok(Request::Nothing);
    };
    let (args, after) = rest
        .rsplit_once(')')
        .ok_or_else(|| format!("{text}: no )"))?;
    if name == "open" {
        return file(text);
    }
    let args: Vec<&str> = args.split(", ").collect();
    let n = |i: usize| number(args.get(i).copied().unwrap_or("0"));
    let word = |i: usize| args.get(i).copied().unwrap_or("").trim_matches('"');
    let call = match name {
        "mmap" => {
            let mut flags = n(3)?;
            let mut addr = n(0)?;
            // Addresses the recorded kernel chose (with randomisation) are taken as given.
            if addr == 0 && step.ret.starts_with("0x") {
                addr = number(&step.ret)?;
                flags |= MapFlags::FIXED_NOREPLACE.bits();
            }
            Call::Mmap {
                addr,
                len: n(1)?,
                prot: n(2)?,
                flags,
                fd: signed(word(4))?,
                offset: n(5)?,
            }
        }
        "munmap" => Call::Munmap {
            addr: n(0)?,
            len: n(1)?,
        },
        "mprotect" => Call::Mprotect {
            addr: n(0)?,
            len: n(1)?,
            prot: n(2)?,
        },
        "madvise" => Call::Madvise {
            addr: n(0)?,
            len: n(1)?,
            advice: i32::try_from(n(2)?).map_err(|e| e.to_string())?,
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
        "mlock" => Call::Mlock {
            addr: n(0)?,
            len: n(1)?,
        },
        "munlock" => Call::Munlock {
            addr: n(0)?,
            len: n(1)?,
        },
        "brk" => Call::Brk { addr: n(0)? },
        "load" => Call::Load {
            addr: n(0)?,
            len: n(1)?,
        },
        "store" => Call::Store {
            addr: n(0)?,
            len: n(1)?,
        },
        "exec" => Call::Exec {
            addr: n(0)?,
            len: n(1)?,
        },
        "fork" => Call::Fork,
        "_exit" => Call::Exit,
        "write" => Call::SetSysfs {
            path: Arc::from(word(0)),
            value: Arc::from(word(1)),
        },
        "wait4" | "" => return Ok(Request::Nothing),
        _ => return Err(format!("{text}: not known")),
    };
    if after.is_empty() {
        Ok(Request::Call(call))
    } else {
        Err(format!("{text}: not known"))
    }
}

/// `open("/mnt/xfs/w", O_CREAT|O_RDWR); write() in chunks of 1 MiB up to 8 MiB`, or without the
/// writes. Files that are only opened are 8 MiB long (their names say so), `/init` 760 KiB.
fn file(text: &str) -> Result<Request, String> {
    let wrong = || format!("{text}: not known");
    let rest = text.strip_prefix("open(\"").ok_or_else(wrong)?;
    let (path, rest) = rest.split_once("\", ").ok_or_else(wrong)?;
    let (flags, rest) = rest.split_once(')').ok_or_else(wrong)?;
    let flags = number(flags)?;
    let (mut size, mut written) = (8 << 20, None);
    if path == "/init" {
        size = 760 << 10;
    }
    if let Some(writes) = rest.strip_prefix("; write() in chunks of ") {
        let (chunk, total) = writes.split_once(" up to ").ok_or_else(wrong)?;
        written = Some(bytes(chunk)?);
        size = bytes(total)?;
    }
    Ok(Request::File {
        path: Arc::from(path),
        flags,
        size,
        written,
    })
}

/// `65536` or `8 MiB`.
fn bytes(text: &str) -> Result<u64, String> {
    match text.split_once(" MiB") {
        Some((n, _)) => Ok(number(n)? << 20),
        None => number(text),
    }
}

fn signed(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("{text}: no descriptor"))
}

/// The recorded result, where it can be compared.
pub fn expected(step: &Step) -> Result<Option<Outcome>, String> {
    let ret = step.ret.as_str();
    if let Some(error) = ret.strip_prefix("-1 ") {
        let word = error.split(' ').next().unwrap_or("");
        let errno = Errno::from_name(word).ok_or_else(|| format!("{word}: no error"))?;
        return Ok(Some(Outcome::Errno(errno)));
    }
    if ret.starts_with("signal SIGSEGV") {
        return Ok(Some(Outcome::Signal(Signal::Segv)));
    }
    if ret.starts_with("signal SIGBUS") {
        return Ok(Some(Outcome::Signal(Signal::Bus)));
    }
    if ret.starts_with('P') {
        return Ok(None);
    }
    if matches!(ret, "?" | "ok" | "") || ret.starts_with("child") {
        return Ok(None);
    }
    let ret = ret.strip_suffix(" each").unwrap_or(ret);
    Ok(Some(Outcome::Value(number(ret)?)))
}
