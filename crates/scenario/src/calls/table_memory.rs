//! The rows of the memory calls.

use super::flags::{MADV, MAP, MCL, MLOCK, MREMAP, MS, PROT};
use super::{ArgKind, ArgSpec, CallKind, CallName, CallSpec};

pub(super) const fn arg(name: &'static str, kind: ArgKind, doc: &'static str) -> ArgSpec {
    ArgSpec {
        name,
        aliases: &[],
        kind,
        default: None,
        doc,
    }
}

pub(super) const fn optional(
    name: &'static str,
    kind: ArgKind,
    default: u64,
    doc: &'static str,
) -> ArgSpec {
    ArgSpec {
        default: Some(default),
        ..arg(name, kind, doc)
    }
}

const fn alias(aliases: &'static [&'static str], arg: ArgSpec) -> ArgSpec {
    ArgSpec { aliases, ..arg }
}

const ADDR: ArgSpec = alias(
    &["start", "brk"],
    arg(
        "addr",
        ArgKind::Address,
        "start of the range, a multiple of the page size",
    ),
);
const LEN: ArgSpec = alias(
    &["length", "len_in"],
    arg(
        "len",
        ArgKind::Length,
        "length in bytes, rounded up to whole pages",
    ),
);
const PROT_ARG: ArgSpec = arg("prot", ArgKind::Flags(&PROT), "access allowed from now on");
const HINT: ArgSpec = arg(
    "addr",
    ArgKind::Address,
    "where; NULL lets the kernel choose, without MAP_FIXED it is a hint",
);
const MAP_FLAGS: ArgSpec = arg(
    "flags",
    ArgKind::Flags(&MAP),
    "MAP_SHARED or MAP_PRIVATE, and more",
);
const MAP_FD: ArgSpec = arg("fd", ArgKind::Fd, "the file, -1 with MAP_ANONYMOUS");

const ALL: &str = "all";
const SEALED: (&str, &str) = ("EPERM", "the range meets a sealed mapping (6.10 and later)");
const UNALIGNED: (&str, &str) = ("EINVAL", "addr is not a multiple of the page size");

const MMAP_ERRORS: &[(&str, &str)] = &[
    (
        "EINVAL",
        "len is 0, offset or a fixed addr is not page-aligned, or neither MAP_SHARED nor MAP_PRIVATE",
    ),
    ("ENOMEM", "no room, too many mappings, or over a limit"),
    (
        "EPERM",
        "MAP_FIXED meets a sealed mapping (6.10 and later), or addr lies below vm.mmap_min_addr",
    ),
    (
        "EEXIST",
        "MAP_FIXED_NOREPLACE and something is mapped there",
    ),
    ("EBADF", "fd is no open file and MAP_ANONYMOUS is not set"),
    (
        "EACCES",
        "the file is not open for what prot and flags need",
    ),
    ("EAGAIN", "MAP_LOCKED and over RLIMIT_MEMLOCK"),
    ("EOVERFLOW", "offset and len together are too large"),
];

const fn mmap(
    call: CallName,
    name: &'static str,
    args: &'static [ArgSpec],
    doc: &'static str,
    example: &'static str,
) -> CallSpec {
    CallSpec {
        call,
        name,
        aliases: &[],
        kind: CallKind::Memory,
        args,
        returns: "the address",
        doc,
        errors: MMAP_ERRORS,
        kernels: ALL,
        example,
    }
}

const fn ranged(
    call: CallName,
    name: &'static str,
    args: &'static [ArgSpec],
    doc: &'static str,
    errors: &'static [(&'static str, &'static str)],
    example: &'static str,
) -> CallSpec {
    CallSpec {
        call,
        name,
        aliases: &[],
        kind: CallKind::Memory,
        args,
        returns: "0",
        doc,
        errors,
        kernels: ALL,
        example,
    }
}

pub(super) static MEMORY: &[CallSpec] = &[
    mmap(
        CallName::Mmap,
        "mmap",
        &[
            HINT,
            LEN,
            PROT_ARG,
            MAP_FLAGS,
            MAP_FD,
            alias(
                &["off"],
                arg(
                    "offset",
                    ArgKind::Offset,
                    "where in the file, in bytes, a multiple of the page size",
                ),
            ),
        ],
        "maps a file or anonymous memory",
        "heap = mmap(NULL, 32K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
    ),
    mmap(
        CallName::Mmap2,
        "mmap2",
        &[
            HINT,
            LEN,
            PROT_ARG,
            MAP_FLAGS,
            MAP_FD,
            alias(
                &["off", "pgoff"],
                arg(
                    "offset",
                    ArgKind::PageOffset,
                    "where in the file, in units of 4096 bytes",
                ),
            ),
        ],
        "mmap of 32-bit processes: the offset counts units of 4096 bytes",
        "mmap2(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
    ),
    mmap(
        CallName::OldMmap,
        "old_mmap",
        &[
            HINT,
            LEN,
            PROT_ARG,
            MAP_FLAGS,
            MAP_FD,
            alias(
                &["off"],
                arg("offset", ArgKind::Offset, "where in the file, in bytes"),
            ),
        ],
        "the first mmap of i386, as strace names it",
        "old_mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
    ),
    ranged(
        CallName::Munmap,
        "munmap",
        &[ADDR, LEN],
        "removes every mapping in the range; holes do not matter",
        &[
            (
                "EINVAL",
                "addr is not page-aligned, len is 0, or the range leaves the address space",
            ),
            SEALED,
            ("ENOMEM", "too many mappings to split one more"),
        ],
        "munmap(heap + 8K, 4K)",
    ),
    ranged(
        CallName::Mprotect,
        "mprotect",
        &[ADDR, LEN, PROT_ARG],
        "changes the access allowed to a range",
        &[
            UNALIGNED,
            (
                "ENOMEM",
                "the range has a hole, or too many mappings to split one more",
            ),
            ("EACCES", "the file behind does not allow it"),
            SEALED,
        ],
        "mprotect(heap, 16K, PROT_READ)",
    ),
    ranged(
        CallName::PkeyMprotect,
        "pkey_mprotect",
        &[
            ADDR,
            LEN,
            PROT_ARG,
            arg(
                "pkey",
                ArgKind::Number,
                "the protection key, -1 for plain mprotect",
            ),
        ],
        "mprotect that also sets a protection key",
        &[
            (
                "EINVAL",
                "addr is not page-aligned, or the key is not allocated",
            ),
            ("ENOMEM", "the range has a hole"),
            ("EACCES", "the file behind does not allow it"),
            SEALED,
        ],
        "pkey_mprotect(heap, 16K, PROT_READ, -1)",
    ),
    ranged(
        CallName::Madvise,
        "madvise",
        &[
            ADDR,
            LEN,
            alias(
                &["behavior"],
                arg(
                    "advice",
                    ArgKind::Choice(&MADV),
                    "what the process will do with it",
                ),
            ),
        ],
        "tells how a range will be used, or discards its pages",
        &[
            (
                "EINVAL",
                "addr is not page-aligned, the advice is unknown, or does not suit the mapping",
            ),
            ("ENOMEM", "the range has a hole; the rest has been advised"),
            (
                "EPERM",
                "discarding sealed anonymous memory that is not writable (6.10 and later)",
            ),
            ("EAGAIN", "too many mappings to split one more"),
        ],
        "madvise(heap, 8K, MADV_DONTNEED)",
    ),
    CallSpec {
        call: CallName::Mremap,
        name: "mremap",
        aliases: &[],
        kind: CallKind::Memory,
        args: &[
            ADDR,
            arg(
                "old_len",
                ArgKind::Length,
                "length now; 0 copies a shared mapping",
            ),
            arg("new_len", ArgKind::Length, "length wanted"),
            arg(
                "flags",
                ArgKind::Flags(&MREMAP),
                "whether and where it may move",
            ),
            optional(
                "new_addr",
                ArgKind::Address,
                0,
                "where to, with MREMAP_FIXED",
            ),
        ],
        returns: "the address",
        doc: "grows, shrinks or moves a mapping",
        errors: &[
            (
                "EINVAL",
                "unaligned, new_len 0, or flags that do not go together",
            ),
            (
                "EFAULT",
                "nothing, or not all of old_len, is mapped at addr",
            ),
            (
                "ENOMEM",
                "cannot grow in place and may not move, or over a limit",
            ),
            SEALED,
            ("EAGAIN", "locked memory would go over RLIMIT_MEMLOCK"),
        ],
        kernels: ALL,
        example: "mremap(heap, 16K, 16K, MREMAP_MAYMOVE|MREMAP_FIXED, heap + 1M)",
    },
    CallSpec {
        call: CallName::Mseal,
        name: "mseal",
        aliases: &[],
        kind: CallKind::Memory,
        args: &[ADDR, LEN, arg("flags", ArgKind::Number, "must be 0")],
        returns: "0",
        doc: "seals a range for good: no unmapping, moving, shrinking or change of protection",
        errors: &[
            (
                "EINVAL",
                "addr is not page-aligned, the range wraps, or flags is not 0",
            ),
            ("ENOMEM", "the range has a hole; nothing is sealed"),
            ("ENOSYS", "before 6.10"),
        ],
        kernels: "6.10 and later",
        example: "mseal(heap + 8K, 4K, 0)",
    },
    CallSpec {
        call: CallName::Brk,
        name: "brk",
        aliases: &[],
        kind: CallKind::Memory,
        args: &[ArgSpec {
            default: Some(0),
            ..alias(
                &["brk"],
                arg(
                    "addr",
                    ArgKind::Address,
                    "the heap's new end; NULL asks for the present one",
                ),
            )
        }],
        returns: "the heap's end, unchanged on failure",
        doc: "moves the end of the heap",
        errors: &[],
        kernels: ALL,
        example: "end = brk(NULL)",
    },
    ranged(
        CallName::Mlock,
        "mlock",
        &[ADDR, LEN],
        "locks a range in memory and faults it in",
        &[
            ("ENOMEM", "the range has a hole, or over RLIMIT_MEMLOCK"),
            ("EPERM", "RLIMIT_MEMLOCK is 0"),
            ("EAGAIN", "a page could not be faulted in"),
            ("EINVAL", "the range wraps"),
        ],
        "mlock(heap, 4K)",
    ),
    ranged(
        CallName::Mlock2,
        "mlock2",
        &[
            ADDR,
            LEN,
            arg("flags", ArgKind::Flags(&MLOCK), "0 or MLOCK_ONFAULT"),
        ],
        "mlock, with MLOCK_ONFAULT without faulting in",
        &[
            ("ENOMEM", "the range has a hole, or over RLIMIT_MEMLOCK"),
            ("EPERM", "RLIMIT_MEMLOCK is 0"),
            ("EINVAL", "unknown flags, or the range wraps"),
        ],
        "mlock2(heap, 4K, MLOCK_ONFAULT)",
    ),
    ranged(
        CallName::Munlock,
        "munlock",
        &[ADDR, LEN],
        "undoes mlock",
        &[
            ("ENOMEM", "the range has a hole"),
            ("EINVAL", "the range wraps"),
        ],
        "munlock(heap, 4K)",
    ),
    ranged(
        CallName::Mlockall,
        "mlockall",
        &[arg("flags", ArgKind::Flags(&MCL), "what to lock")],
        "locks all mappings, present or future",
        &[
            ("EINVAL", "no flag, unknown flags, or MCL_ONFAULT alone"),
            ("ENOMEM", "over RLIMIT_MEMLOCK"),
            ("EPERM", "RLIMIT_MEMLOCK is 0"),
        ],
        "mlockall(MCL_FUTURE)",
    ),
    ranged(
        CallName::Munlockall,
        "munlockall",
        &[],
        "undoes all locks",
        &[],
        "munlockall()",
    ),
    ranged(
        CallName::Msync,
        "msync",
        &[ADDR, LEN, arg("flags", ArgKind::Flags(&MS), "how")],
        "writes a shared file mapping back",
        &[
            (
                "EINVAL",
                "addr is not page-aligned, or flags that do not go together",
            ),
            ("ENOMEM", "the range has a hole"),
            ("EBUSY", "MS_INVALIDATE on locked memory"),
        ],
        "msync(heap, 4K, MS_SYNC)",
    ),
];
