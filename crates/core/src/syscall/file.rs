//! The calls that make and change the files behind mappings.

use std::sync::Arc;

use crate::cx::{Cx, Punch};
use crate::errno::Errno;
use crate::file::{FileId, InodeId, InodeKind};
use crate::paging::FileSystem;

/// Highest descriptor a process may have.
const MAX_FD: i32 = 1 << 20;

impl Cx<'_> {
    /// Whether mappings of an open file are tmpfs memory.
    pub(super) fn is_shmem(&self, file: FileId) -> bool {
        matches!(
            self.files.inode(self.files.inode_of(file)).kind,
            InodeKind::Memfd | InodeKind::SharedAnon
        )
    }

    pub(super) fn open(
        &mut self,
        path: &Arc<str>,
        flags: u64,
        fd: Option<i32>,
        size: Option<u64>,
    ) -> Result<u64, Errno> {
        let file = self.files.open_path(path, flags, size)?;
        let inode = self.files.inode_of(file);
        if self.files.inode(inode).size == Some(0) {
            self.punches.push(Punch {
                inode,
                first: 0,
                end: u64::MAX,
                cut: true,
            });
        }
        self.install(file, fd)
    }

    pub(super) fn memfd_create(&mut self, name: &Arc<str>, fd: Option<i32>) -> Result<u64, Errno> {
        let name = Arc::from(["/memfd:", name, " (deleted)"].concat());
        let file = self.files.add_tmpfs(InodeKind::Memfd, name, 0);
        self.install(file, fd)
    }

    /// Gives `file` the descriptor asked for, or the lowest free one.
    fn install(&mut self, file: FileId, fd: Option<i32>) -> Result<u64, Errno> {
        let fd = match fd {
            Some(fd) if (0..=MAX_FD).contains(&fd) => fd,
            Some(_) => return Err(Errno::EBADF),
            // 0, 1 and 2 are a process's own from the start.
            None => (3..=MAX_FD)
                .find(|fd| !self.fds.contains_key(fd))
                .ok_or(Errno::EMFILE)?,
        };
        self.fds.insert(fd, file);
        Ok(u64::from(fd.unsigned_abs()))
    }

    /// ftruncate(2): pages beyond the new end go from every mapping.
    pub(super) fn ftruncate(&mut self, fd: i32, len: u64) -> Result<u64, Errno> {
        if len > i64::MAX as u64 {
            return Err(Errno::EINVAL);
        }
        let file = *self.fds.get(&fd).ok_or(Errno::EBADF)?;
        if !self.files.file(file).writable {
            return Err(Errno::EINVAL);
        }
        let inode = self.files.inode_of(file);
        let old = self.files.inode(inode).size;
        self.files.inode_mut(inode).size = Some(len);
        if old.is_none_or(|old| old > len) {
            self.punches.push(Punch {
                inode,
                first: len.div_ceil(self.page.bytes()),
                end: u64::MAX,
                cut: true,
            });
        }
        self.clear_tail(inode, old, len);
        Ok(0)
    }

    /// A file's last block is cleared behind its new end, and behind its old one when it grows.
    fn clear_tail(&mut self, inode: InodeId, old: Option<u64>, new: u64) {
        let kind = self.files.inode(inode).kind;
        let end = match old {
            Some(old) if old >= new => new,
            Some(old) if self.kernel.clears_tail_when_growing => old,
            _ => return,
        };
        let paging = self.paging();
        paging.mem.cache(inode, FileSystem::of(kind));
        paging.mem.clear_tail(paging.counts, inode, end);
    }

    pub(super) fn close(&mut self, fd: i32) -> Result<u64, Errno> {
        self.fds.remove(&fd).map(|_| 0).ok_or(Errno::EBADF)
    }

    pub(super) fn dup(&mut self, fd: i32, to: Option<i32>) -> Result<u64, Errno> {
        let file = *self.fds.get(&fd).ok_or(Errno::EBADF)?;
        self.install(file, to)
    }
}
