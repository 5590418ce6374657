//! The files behind mappings: inodes, open files and a process's descriptors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::errno::Errno;
use crate::flags::open;

/// Number of an inode of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InodeId(pub u32);

/// Number of an open file (`struct file`): two opens of one inode are two of these, and two
/// mappings merge only over the same one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// What kind of file system an inode lives on, as far as mappings differ by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InodeKind {
    /// A disk file system with its page cache (ext4 unless told otherwise).
    Regular,
    /// Memory of tmpfs: memfd.
    Memfd,
    /// Shared anonymous memory: an unlinked tmpfs file of its own.
    SharedAnon,
    /// The kernel's own special mappings (vdso, vvar): no page cache.
    Special,
}

/// A file's identity and length.
#[derive(Clone, Debug)]
pub struct Inode {
    /// Where it lives.
    pub kind: InodeKind,
    /// Major device number, as maps prints it.
    pub dev_major: u32,
    /// Minor device number.
    pub dev_minor: u32,
    /// Inode number.
    pub number: u64,
    /// Name column of maps, for example `/usr/lib/libc.so.6` or `/memfd:x (deleted)`.
    pub name: Arc<str>,
    /// Length in bytes; `None` where it is not known: then no access lies beyond its end.
    pub size: Option<u64>,
}

/// An open file.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// The inode it opens.
    pub inode: InodeId,
    /// Opened for reading.
    pub readable: bool,
    /// Opened for writing.
    pub writable: bool,
}

/// All files of the machine.
#[derive(Clone, Debug, Default)]
pub struct Files {
    inodes: Vec<Inode>,
    open: Vec<OpenFile>,
    by_path: BTreeMap<Arc<str>, InodeId>,
    /// Inodes that were ever open for writing.
    writable: BTreeSet<InodeId>,
    next_anon_number: u64,
}

/// One process's descriptors.
pub type FdTable = BTreeMap<i32, FileId>;

/// Device number of a made-up disk, and the first inode number given to files opened by name.
const DISK: (u32, u32) = (0xfe, 0);
const FIRST_DISK_INODE: u64 = 1_000_001;
/// First inode number of shared anonymous memory and memfds (a kernel-wide counter on Linux).
const FIRST_ANON_INODE: u64 = 1025;

impl Files {
    /// The inode behind `id`.
    #[must_use]
    pub fn inode(&self, id: InodeId) -> &Inode {
        &self.inodes[id.0 as usize]
    }

    /// The inode behind `id`, to change.
    pub fn inode_mut(&mut self, id: InodeId) -> &mut Inode {
        &mut self.inodes[id.0 as usize]
    }

    /// The open file behind `id`.
    #[must_use]
    pub fn file(&self, id: FileId) -> &OpenFile {
        &self.open[id.0 as usize]
    }

    /// The inode that open file `id` stands for.
    #[must_use]
    pub fn inode_of(&self, id: FileId) -> InodeId {
        self.file(id).inode
    }

    /// The inode that `path` names, once it was opened or mapped.
    #[must_use]
    pub fn inode_by_path(&self, path: &str) -> Option<InodeId> {
        self.by_path.get(path).copied()
    }

    /// Adds an inode as it is.
    pub fn add_inode(&mut self, inode: Inode) -> InodeId {
        let id = InodeId(u32::try_from(self.inodes.len()).unwrap_or(u32::MAX));
        self.inodes.push(inode);
        id
    }

    /// Whether the process may write to `inode`, as far as one can tell: it has opened it so.
    #[must_use]
    pub fn may_write(&self, inode: InodeId) -> bool {
        self.writable.contains(&inode)
    }

    /// Opens `inode` once more.
    pub fn add_open(&mut self, inode: InodeId, readable: bool, writable: bool) -> FileId {
        let id = FileId(u32::try_from(self.open.len()).unwrap_or(u32::MAX));
        if writable {
            self.writable.insert(inode);
        }
        self.open.push(OpenFile {
            inode,
            readable,
            writable,
        });
        id
    }

    /// Makes the inode of a path known, for files that a process had mapped from its start.
    pub fn add_path(&mut self, path: Arc<str>, inode: Inode) -> InodeId {
        if let Some(&id) = self.by_path.get(&path) {
            return id;
        }
        let id = self.add_inode(inode);
        self.by_path.insert(path, id);
        id
    }

    /// New tmpfs memory of `size` bytes, opened for reading and writing.
    pub fn add_tmpfs(&mut self, kind: InodeKind, name: Arc<str>, size: u64) -> FileId {
        let number = FIRST_ANON_INODE + self.next_anon_number;
        self.next_anon_number += 1;
        let inode = self.add_inode(Inode {
            kind,
            dev_major: 0,
            dev_minor: 1,
            number,
            name,
            size: Some(size),
        });
        self.add_open(inode, true, true)
    }

    /// `open(path, flags)`: a file opened by name is taken to exist; `O_CREAT|O_TRUNC` empties it.
    ///
    /// # Errors
    /// `EINVAL` for an access mode that is none.
    pub fn open_path(
        &mut self,
        path: &Arc<str>,
        flags: u64,
        size: Option<u64>,
    ) -> Result<FileId, Errno> {
        let (readable, writable) = match flags & open::ACCMODE {
            open::RDONLY => (true, false),
            open::WRONLY => (false, true),
            open::RDWR => (true, true),
            _ => return Err(Errno::EINVAL),
        };
        let inode = match self.by_path.get(path) {
            Some(&id) => id,
            None => {
                let number = FIRST_DISK_INODE + self.inodes.len() as u64;
                let fresh = flags & open::CREAT != 0 && flags & open::TRUNC != 0;
                let id = self.add_inode(Inode {
                    kind: InodeKind::Regular,
                    dev_major: DISK.0,
                    dev_minor: DISK.1,
                    number,
                    name: path.clone(),
                    size: if fresh { Some(0) } else { size },
                });
                self.by_path.insert(path.clone(), id);
                id
            }
        };
        if flags & open::TRUNC != 0 && writable {
            self.inode_mut(inode).size = Some(0);
        }
        Ok(self.add_open(inode, readable, writable))
    }
}
