//! The system calls and accesses, one file each. A call reads like its man page's list of
//! errors; what kernels do differently stands in `vma/` and in the small functions named after
//! the difference.

mod access;
mod brk;
mod file;
mod fork;
mod madvise;
mod mlock;
mod mmap;
mod mmap_region;
mod mprotect;
mod mremap;
mod mremap_checked;
mod mseal;
mod msync;
mod settings;

use crate::call::{Call, Outcome};
use crate::cx::Cx;
use crate::errno::Errno;
use crate::vma::iter::Cursor;

impl Cx<'_> {
    /// Makes a call of the process in hand. Calls that concern several processes are the
    /// machine's.
    pub fn dispatch(&mut self, call: &Call) -> Outcome {
        let result = match *call {
            Call::Mmap {
                addr,
                len,
                prot,
                flags,
                fd,
                offset,
            } => self.within("mmap", |cx| cx.mmap(addr, len, prot, flags, fd, offset)),
            Call::Munmap { addr, len } => self.within("munmap", |cx| cx.munmap(addr, len)),
            Call::Mprotect { addr, len, prot } => {
                self.within("mprotect", |cx| cx.mprotect(addr, len, prot, -1))
            }
            Call::PkeyMprotect {
                addr,
                len,
                prot,
                pkey,
            } => self.within("pkey_mprotect", |cx| cx.mprotect(addr, len, prot, pkey)),
            Call::Madvise { addr, len, advice } => {
                self.within("madvise", |cx| cx.madvise(addr, len, advice))
            }
            Call::Mremap {
                addr,
                old_len,
                new_len,
                flags,
                new_addr,
            } => self.within("mremap", |cx| {
                cx.mremap(addr, old_len, new_len, flags, new_addr)
            }),
            Call::Mseal { addr, len, flags } => {
                self.within("mseal", |cx| cx.mseal(addr, len, flags))
            }
            Call::Brk { addr } => Ok(self.within("brk", |cx| cx.brk(addr))),
            Call::Mlock { addr, len } => self.within("mlock", |cx| cx.mlock(addr, len, false)),
            Call::Mlock2 { addr, len, flags } => {
                self.within("mlock2", |cx| cx.mlock2(addr, len, as_int(flags)))
            }
            Call::Munlock { addr, len } => self.within("munlock", |cx| cx.munlock(addr, len)),
            Call::Mlockall { flags } => self.within("mlockall", |cx| cx.mlockall(as_int(flags))),
            Call::Munlockall => self.within("munlockall", Self::munlockall),
            Call::Msync { addr, len, flags } => {
                self.within("msync", |cx| cx.msync(addr, len, as_int(flags)))
            }
            Call::Open {
                ref path,
                flags,
                fd,
                size,
            } => self.open(path, flags, fd, size),
            Call::MemfdCreate { ref name, fd, .. } => self.memfd_create(name, fd),
            Call::Ftruncate { fd, len } => self.ftruncate(fd, len),
            Call::Close { fd } => self.close(fd),
            Call::Dup { fd, to } => self.dup(fd, to),
            Call::Load { .. } | Call::Store { .. } | Call::Exec { .. } => {
                return self.access(call);
            }
            Call::SetSysfs {
                ref path,
                ref value,
            } => self.write_setting(path, value),
            Call::Fork | Call::Exit | Call::Execve { .. } => Err(Errno::ENOSYS),
        };
        result.into()
    }

    /// munmap(2).
    fn munmap(&mut self, addr: u64, len: u64) -> Result<u64, Errno> {
        let mut cursor = Cursor::Start(addr);
        self.do_vmi_munmap(&mut cursor, addr, len).map(|()| 0)
    }
}

/// A flag word that the call takes as an `int`: its upper half is not looked at.
fn as_int(flags: u64) -> u64 {
    flags & 0xffff_ffff
}
