//! The flag words of the calls and of a VMA. Numbers are Linux's (x86-64 and arm64 agree on all
//! of these but `MAP_32BIT`, which only x86-64 has).

// The constants of the call flags are the man pages' own names.
#![allow(missing_docs)]

use bitflags::bitflags;

bitflags! {
    /// `PROT_*` of mmap and mprotect.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Prot: u64 {
        const READ = 0x1;
        const WRITE = 0x2;
        const EXEC = 0x4;
        const SEM = 0x8;
        const GROWSDOWN = 0x0100_0000;
        const GROWSUP = 0x0200_0000;
        const _ = !0;
    }
}

bitflags! {
    /// `MAP_*` of mmap. The low four bits are the mapping's type, see [`MapFlags::TYPE_MASK`].
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MapFlags: u64 {
        const SHARED = 0x01;
        const PRIVATE = 0x02;
        const FIXED = 0x10;
        const ANONYMOUS = 0x20;
        const MAP_32BIT = 0x40;
        const ABOVE4G = 0x80;
        const GROWSDOWN = 0x0100;
        const DENYWRITE = 0x0800;
        const EXECUTABLE = 0x1000;
        const LOCKED = 0x2000;
        const NORESERVE = 0x4000;
        const POPULATE = 0x8000;
        const NONBLOCK = 0x1_0000;
        const STACK = 0x2_0000;
        const HUGETLB = 0x4_0000;
        const SYNC = 0x8_0000;
        const FIXED_NOREPLACE = 0x10_0000;
        const _ = !0;
    }
}

impl MapFlags {
    /// The bits that hold the mapping's type: one of the `TYPE_*` values below.
    pub const TYPE_MASK: u64 = 0x0f;
    /// `MAP_SHARED`.
    pub const TYPE_SHARED: u64 = 0x01;
    /// `MAP_PRIVATE`.
    pub const TYPE_PRIVATE: u64 = 0x02;
    /// `MAP_SHARED_VALIDATE`: as shared, unknown flags refused.
    pub const TYPE_SHARED_VALIDATE: u64 = 0x03;
    /// `MAP_DROPPABLE` (6.11 and later).
    pub const TYPE_DROPPABLE: u64 = 0x08;
}

bitflags! {
    /// `MREMAP_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct MremapFlags: u64 {
        const MAYMOVE = 1;
        const FIXED = 2;
        const DONTUNMAP = 4;
        const _ = !0;
    }
}

/// `MADV_*`, by number.
pub mod madv {
    pub const NORMAL: i32 = 0;
    pub const RANDOM: i32 = 1;
    pub const SEQUENTIAL: i32 = 2;
    pub const WILLNEED: i32 = 3;
    pub const DONTNEED: i32 = 4;
    pub const FREE: i32 = 8;
    pub const REMOVE: i32 = 9;
    pub const DONTFORK: i32 = 10;
    pub const DOFORK: i32 = 11;
    pub const MERGEABLE: i32 = 12;
    pub const UNMERGEABLE: i32 = 13;
    pub const HUGEPAGE: i32 = 14;
    pub const NOHUGEPAGE: i32 = 15;
    pub const DONTDUMP: i32 = 16;
    pub const DODUMP: i32 = 17;
    pub const WIPEONFORK: i32 = 18;
    pub const KEEPONFORK: i32 = 19;
    pub const COLD: i32 = 20;
    pub const PAGEOUT: i32 = 21;
    pub const POPULATE_READ: i32 = 22;
    pub const POPULATE_WRITE: i32 = 23;
    pub const DONTNEED_LOCKED: i32 = 24;
    pub const COLLAPSE: i32 = 25;
    pub const HWPOISON: i32 = 100;
    pub const SOFT_OFFLINE: i32 = 101;
    pub const GUARD_INSTALL: i32 = 102;
    pub const GUARD_REMOVE: i32 = 103;
}

/// `MLOCK_ONFAULT` of mlock2.
pub const MLOCK_ONFAULT: u64 = 1;
/// `MCL_CURRENT` of mlockall.
pub const MCL_CURRENT: u64 = 1;
/// `MCL_FUTURE` of mlockall.
pub const MCL_FUTURE: u64 = 2;
/// `MCL_ONFAULT` of mlockall.
pub const MCL_ONFAULT: u64 = 4;
/// `MS_ASYNC` of msync.
pub const MS_ASYNC: u64 = 1;
/// `MS_INVALIDATE` of msync.
pub const MS_INVALIDATE: u64 = 2;
/// `MS_SYNC` of msync.
pub const MS_SYNC: u64 = 4;

/// `O_*` of open, as far as mappings depend on them.
pub mod open {
    pub const ACCMODE: u64 = 0o3;
    pub const RDONLY: u64 = 0;
    pub const WRONLY: u64 = 1;
    pub const RDWR: u64 = 2;
    pub const CREAT: u64 = 0o100;
    pub const EXCL: u64 = 0o200;
    pub const TRUNC: u64 = 0o1000;
}

bitflags! {
    /// What a VMA is and allows: `vm_flags`. The bits stand in the order in which
    /// `/proc/PID/smaps` prints their two letters; their numbers are ours.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct VmFlags: u64 {
        /// `rd`
        const READ = 1 << 0;
        /// `wr`
        const WRITE = 1 << 1;
        /// `ex`
        const EXEC = 1 << 2;
        /// `sh`
        const SHARED = 1 << 3;
        /// `mr`: mprotect may add READ
        const MAYREAD = 1 << 4;
        /// `mw`
        const MAYWRITE = 1 << 5;
        /// `me`
        const MAYEXEC = 1 << 6;
        /// `ms`
        const MAYSHARE = 1 << 7;
        /// `gd`: grows on a fault just below it
        const GROWSDOWN = 1 << 8;
        /// `um`: userfaultfd, missing pages
        const UFFD_MISSING = 1 << 9;
        /// `pf`: page-frame-number mapping, no `struct page`
        const PFNMAP = 1 << 10;
        /// `gu`: MADV_GUARD_INSTALL was used here (sticky)
        const MAYBE_GUARD = 1 << 11;
        /// `uw`: userfaultfd, write protection
        const UFFD_WP = 1 << 12;
        /// `lo`
        const LOCKED = 1 << 13;
        /// `io`
        const IO = 1 << 14;
        /// `sr`
        const SEQ_READ = 1 << 15;
        /// `rr`
        const RAND_READ = 1 << 16;
        /// `dc`: not copied on fork
        const DONTCOPY = 1 << 17;
        /// `de`
        const DONTEXPAND = 1 << 18;
        /// `lf`: locked as it is faulted
        const LOCKONFAULT = 1 << 19;
        /// `ac`: charged against the commit limit
        const ACCOUNT = 1 << 20;
        /// `nr`
        const NORESERVE = 1 << 21;
        /// `ht`
        const HUGETLB = 1 << 22;
        /// `sf`
        const SYNC = 1 << 23;
        /// `ar`: architecture's own
        const ARCH_1 = 1 << 24;
        /// `wf`
        const WIPEONFORK = 1 << 25;
        /// `dd`
        const DONTDUMP = 1 << 26;
        /// `sd`
        const SOFTDIRTY = 1 << 27;
        /// `mm`
        const MIXEDMAP = 1 << 28;
        /// `hg`
        const HUGEPAGE = 1 << 29;
        /// `nh`
        const NOHUGEPAGE = 1 << 30;
        /// `mg`
        const MERGEABLE = 1 << 31;
        /// `ss`
        const SHADOW_STACK = 1 << 32;
        /// `dp`
        const DROPPABLE = 1 << 33;
        /// `ui`: userfaultfd, minor faults
        const UFFD_MINOR = 1 << 34;
        /// `sl`
        const SEALED = 1 << 35;
    }
}

impl VmFlags {
    /// The two letters of each flag, in the order smaps prints them.
    pub const MNEMONICS: &'static [(Self, &'static str)] = &[
        (Self::READ, "rd"),
        (Self::WRITE, "wr"),
        (Self::EXEC, "ex"),
        (Self::SHARED, "sh"),
        (Self::MAYREAD, "mr"),
        (Self::MAYWRITE, "mw"),
        (Self::MAYEXEC, "me"),
        (Self::MAYSHARE, "ms"),
        (Self::GROWSDOWN, "gd"),
        (Self::UFFD_MISSING, "um"),
        (Self::PFNMAP, "pf"),
        (Self::MAYBE_GUARD, "gu"),
        (Self::UFFD_WP, "uw"),
        (Self::LOCKED, "lo"),
        (Self::IO, "io"),
        (Self::SEQ_READ, "sr"),
        (Self::RAND_READ, "rr"),
        (Self::DONTCOPY, "dc"),
        (Self::DONTEXPAND, "de"),
        (Self::LOCKONFAULT, "lf"),
        (Self::ACCOUNT, "ac"),
        (Self::NORESERVE, "nr"),
        (Self::HUGETLB, "ht"),
        (Self::SYNC, "sf"),
        (Self::ARCH_1, "ar"),
        (Self::WIPEONFORK, "wf"),
        (Self::DONTDUMP, "dd"),
        (Self::SOFTDIRTY, "sd"),
        (Self::MIXEDMAP, "mm"),
        (Self::HUGEPAGE, "hg"),
        (Self::NOHUGEPAGE, "nh"),
        (Self::MERGEABLE, "mg"),
        (Self::SHADOW_STACK, "ss"),
        (Self::DROPPABLE, "dp"),
        (Self::UFFD_MINOR, "ui"),
        (Self::SEALED, "sl"),
    ];

    /// Read, write and execute together.
    pub const ACCESS: Self = Self::READ.union(Self::WRITE).union(Self::EXEC);

    /// The access bits that `prot` asks for.
    #[must_use]
    pub fn from_prot(prot: Prot) -> Self {
        let mut flags = Self::empty();
        flags.set(Self::READ, prot.contains(Prot::READ));
        flags.set(Self::WRITE, prot.contains(Prot::WRITE));
        flags.set(Self::EXEC, prot.contains(Prot::EXEC));
        flags
    }

    /// The protection these flags allow.
    #[must_use]
    pub fn prot(self) -> Prot {
        let mut prot = Prot::empty();
        prot.set(Prot::READ, self.contains(Self::READ));
        prot.set(Prot::WRITE, self.contains(Self::WRITE));
        prot.set(Prot::EXEC, self.contains(Self::EXEC));
        prot
    }
}
