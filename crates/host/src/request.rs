//! Calls as the runner's records, and its answers as outcomes.

use sealab_core::call::{Call, Outcome};
use sealab_core::errno::{Errno, Signal};

use crate::error::HostError;
use crate::files::Files;
use crate::wire::{
    CHANNEL_FD, END_BROKEN, END_RETURNED, MAX_RECORDS, OP_DUP_TO, OP_EXEC, OP_EXIT, OP_FORK,
    OP_HEAD, OP_LOAD, OP_STORE, OP_SYSCALL, OP_TEXT_CALL, RECORD_BYTES, RECORD_WORDS,
};

type Record = [u64; RECORD_WORDS];

/// A request being put together: calls that one process makes one after the other.
#[derive(Default)]
pub(crate) struct Request {
    records: Vec<Record>,
    answers: usize,
}

impl Request {
    /// Adds `call`; `false` if it does not fit any more. `children` is how many processes the
    /// program has forked before: the next one listens on the socket of that number.
    ///
    /// # Errors
    /// Where `call` has no counterpart here.
    pub(crate) fn push(
        &mut self,
        call: &Call,
        files: &mut Files,
        children: usize,
    ) -> Result<bool, HostError> {
        let mut text = None;
        let record = encode(call, files, children, &mut text)?;
        let text_records = text.map_or_else(Vec::new, |text| text_records(&text));
        if self.records.len() + 1 + text_records.len() > MAX_RECORDS {
            return Ok(false);
        }
        self.records.push(record);
        self.records.extend(text_records);
        self.answers += usize::from(*call != Call::Exit);
        Ok(true)
    }

    /// A request that changes nothing: its answer shows that the runner is ready.
    pub(crate) fn ping() -> Self {
        let mut record = [0; RECORD_WORDS];
        record[0] = OP_SYSCALL;
        record[1] = libc::SYS_getpid.cast_unsigned();
        Self {
            records: vec![record],
            answers: 1,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many answers it will have.
    pub(crate) fn answers(&self) -> usize {
        self.answers
    }

    /// Its bytes on the wire; it is empty afterwards.
    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        let mut head = [0; RECORD_WORDS];
        head[0] = OP_HEAD;
        head[1] = self.records.len() as u64;
        let bytes = std::iter::once(&head)
            .chain(&self.records)
            .flatten()
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        *self = Self::default();
        bytes
    }
}

/// A NUL-terminated text in records of its own.
fn text_records(text: &str) -> Vec<Record> {
    let count = (text.len() + 1).div_ceil(RECORD_BYTES);
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(count * RECORD_BYTES, 0);
    bytes
        .chunks_exact(RECORD_BYTES)
        .map(|chunk| {
            let mut record = [0; RECORD_WORDS];
            for (word, eight) in record.iter_mut().zip(chunk.chunks_exact(8)) {
                *word = eight.try_into().map_or(0, u64::from_ne_bytes);
            }
            record
        })
        .collect()
}

/// A 32-bit argument as it stands in a register.
fn int(value: i32) -> u64 {
    i64::from(value).cast_unsigned()
}

fn encode(
    call: &Call,
    files: &mut Files,
    children: usize,
    text: &mut Option<String>,
) -> Result<Record, HostError> {
    const SYS_MSEAL: libc::c_long = 462;
    let sys = |number: libc::c_long, args: &[u64]| {
        let mut record = [0; RECORD_WORDS];
        record[0] = OP_SYSCALL;
        record[1] = number.cast_unsigned();
        record[2..2 + args.len()].copy_from_slice(args);
        Ok(record)
    };
    let access = |op, addr, len| Ok([op, addr, len, 0, 0, 0, 0, 0]);
    match *call {
        Call::Mmap {
            addr,
            len,
            prot,
            flags,
            fd,
            offset,
        } => sys(libc::SYS_mmap, &[addr, len, prot, flags, int(fd), offset]),
        Call::Munmap { addr, len } => sys(libc::SYS_munmap, &[addr, len]),
        Call::Mprotect { addr, len, prot } => sys(libc::SYS_mprotect, &[addr, len, prot]),
        Call::PkeyMprotect {
            addr,
            len,
            prot,
            pkey,
        } => sys(libc::SYS_pkey_mprotect, &[addr, len, prot, int(pkey)]),
        Call::Madvise { addr, len, advice } => sys(libc::SYS_madvise, &[addr, len, int(advice)]),
        Call::Mremap {
            addr,
            old_len,
            new_len,
            flags,
            new_addr,
        } => sys(libc::SYS_mremap, &[addr, old_len, new_len, flags, new_addr]),
        Call::Mseal { addr, len, flags } => sys(SYS_MSEAL, &[addr, len, flags]),
        Call::Brk { addr } => sys(libc::SYS_brk, &[addr]),
        Call::Mlock { addr, len } => sys(libc::SYS_mlock, &[addr, len]),
        Call::Mlock2 { addr, len, flags } => sys(libc::SYS_mlock2, &[addr, len, flags]),
        Call::Munlock { addr, len } => sys(libc::SYS_munlock, &[addr, len]),
        Call::Mlockall { flags } => sys(libc::SYS_mlockall, &[flags]),
        Call::Munlockall => sys(libc::SYS_munlockall, &[]),
        Call::Msync { addr, len, flags } => sys(libc::SYS_msync, &[addr, len, flags]),
        Call::Ftruncate { fd, len } => sys(libc::SYS_ftruncate, &[int(fd), len]),
        Call::Close { fd } => sys(libc::SYS_close, &[int(fd)]),
        Call::Dup { fd, to } => access(OP_DUP_TO, int(fd), int(to.unwrap_or(-1))),
        Call::Load { addr, len } => access(OP_LOAD, addr, len),
        Call::Store { addr, len } => access(OP_STORE, addr, len),
        Call::Exec { addr, len } => access(OP_EXEC, addr, len),
        Call::Exit => access(OP_EXIT, 0, 0),
        Call::Fork => access(OP_FORK, int(CHANNEL_FD + 1 + children as i32), 0),
        Call::Open {
            ref path,
            flags,
            fd,
            size,
        } => {
            let real = files.real_path(path, flags, size)?;
            let bytes = real.len() as u64;
            *text = Some(real);
            const MODE: u64 = 0o600;
            let rest = [int(libc::AT_FDCWD), flags, MODE];
            Ok(text_call(libc::SYS_openat, 1, bytes, rest, fd))
        }
        Call::MemfdCreate {
            ref name,
            flags,
            fd,
        } => {
            *text = Some(name.to_string());
            let rest = [flags, 0, 0];
            Ok(text_call(
                libc::SYS_memfd_create,
                0,
                name.len() as u64,
                rest,
                fd,
            ))
        }
        Call::Execve { .. } => Err(HostError::NotOnRealMachine("no other program is executed")),
        Call::SetSysfs { .. } => Err(HostError::NotOnRealMachine(
            "settings of this machine are not changed",
        )),
    }
}

fn text_call(
    number: libc::c_long,
    text_index: u64,
    bytes: u64,
    rest: [u64; 3],
    fd: Option<i32>,
) -> Record {
    [
        OP_TEXT_CALL,
        number.cast_unsigned(),
        text_index,
        bytes,
        rest[0],
        rest[1],
        rest[2],
        int(fd.unwrap_or(-1)),
    ]
}

/// What an answer says.
///
/// # Errors
/// Where it makes no sense.
pub(crate) fn outcome(end: u64, value: u64) -> Result<Outcome, HostError> {
    const SIGBUS: u64 = libc::SIGBUS as u64;
    const SIGSEGV: u64 = libc::SIGSEGV as u64;
    const MAX_ERRNO: u64 = 4095;
    match end {
        END_RETURNED if value.wrapping_neg().wrapping_sub(1) < MAX_ERRNO => {
            let number = value.wrapping_neg() as u32;
            let errno = Errno::from_number(number).ok_or(HostError::UnknownErrno(number))?;
            Ok(Outcome::Errno(errno))
        }
        END_RETURNED => Ok(Outcome::Value(value)),
        SIGSEGV => Ok(Outcome::Signal(Signal::Segv)),
        SIGBUS => Ok(Outcome::Signal(Signal::Bus)),
        END_BROKEN => Err(HostError::Runner(format!(
            "did not understand operation {value}"
        ))),
        signal => Err(HostError::Runner(format!(
            "met signal {signal} in an access"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_addresses_are_told_apart() {
        let minus = |n: i64| n.cast_unsigned();
        assert_eq!(outcome(0, minus(-1)).unwrap(), Outcome::Errno(Errno::EPERM));
        assert_eq!(
            outcome(0, minus(-4096)).unwrap(),
            Outcome::Value(minus(-4096))
        );
        assert_eq!(outcome(0, 0).unwrap(), Outcome::Value(0));
        assert!(matches!(
            outcome(0, minus(-4095)),
            Err(HostError::UnknownErrno(4095))
        ));
        assert_eq!(outcome(11, 7).unwrap(), Outcome::Signal(Signal::Segv));
    }

    #[test]
    fn text_ends_with_nul_whatever_its_length() {
        for length in [0, 1, 63, 64, 65] {
            let records = text_records(&"x".repeat(length));
            assert_eq!(records.len(), (length + 1).div_ceil(RECORD_BYTES));
            let last = records.last().unwrap()[RECORD_WORDS - 1].to_ne_bytes();
            assert_eq!(last[7], 0);
        }
    }
}
