//! The rows of the calls on files and processes.

use super::flags::{MFD, O};
use super::table_memory::{arg, optional};
use super::{ArgKind, ArgSpec, CallKind, CallName, CallSpec};

const PATH: ArgSpec = ArgSpec {
    aliases: &["filename", "path", "pathname"],
    ..arg("path", ArgKind::Path, "the file's path, in quotes")
};
const FLAGS: ArgSpec = arg("flags", ArgKind::Flags(&O), "how to open it");
const MODE: ArgSpec = optional("mode", ArgKind::Number, 0, "permissions of a new file");
const SIZE: ArgSpec = optional(
    "size",
    ArgKind::Length,
    0,
    "the file's length in bytes, written `size: 64K`; unknown where it is left out (no end)",
);
const FD: ArgSpec = arg("fd", ArgKind::Fd, "the file descriptor");
const OPEN_ERRORS: &[(&str, &str)] = &[
    ("ENOENT", "no such file and no O_CREAT"),
    ("EEXIST", "O_CREAT|O_EXCL and it is there"),
    ("EMFILE", "too many open files"),
];

const fn opening(
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
        kind: CallKind::File,
        args,
        returns: "a file descriptor",
        doc,
        errors: OPEN_ERRORS,
        kernels: "all",
        example,
    }
}

const fn plain(
    call: CallName,
    name: &'static str,
    args: &'static [ArgSpec],
    returns: &'static str,
    doc: &'static str,
    errors: &'static [(&'static str, &'static str)],
    example: &'static str,
) -> CallSpec {
    CallSpec {
        call,
        name,
        aliases: &[],
        kind: CallKind::File,
        args,
        returns,
        doc,
        errors,
        kernels: "all",
        example,
    }
}

const NO_FILE: (&str, &str) = ("EBADF", "fd is no open file");

pub(super) static FILES: &[CallSpec] = &[
    opening(
        CallName::Openat,
        "openat",
        &[
            ArgSpec {
                aliases: &["dfd"],
                ..arg("dirfd", ArgKind::DirFd, "AT_FDCWD")
            },
            PATH,
            FLAGS,
            MODE,
            SIZE,
        ],
        "opens a file, to map it",
        "lib = openat(AT_FDCWD, \"/usr/lib/libc.so.6\", O_RDONLY, size: 1900K)",
    ),
    opening(
        CallName::Open,
        "open",
        &[PATH, FLAGS, MODE, SIZE],
        "opens a file, to map it",
        "lib = open(\"/usr/lib/libc.so.6\", O_RDONLY)",
    ),
    opening(
        CallName::Openat2,
        "openat2",
        &[
            arg("dirfd", ArgKind::DirFd, "AT_FDCWD"),
            PATH,
            arg("how", ArgKind::Ignored, "a structure with the flags"),
            optional("size", ArgKind::Ignored, 0, "the structure's size"),
        ],
        "opens a file; its flags stand in a structure",
        "openat2(AT_FDCWD, \"/etc/hosts\", {flags=O_RDONLY}, 24)",
    ),
    opening(
        CallName::Creat,
        "creat",
        &[PATH, MODE],
        "makes or empties a file and opens it for writing",
        "creat(\"/tmp/new\", 0644)",
    ),
    opening(
        CallName::MemfdCreate,
        "memfd_create",
        &[
            ArgSpec {
                aliases: &["uname"],
                ..arg(
                    "name",
                    ArgKind::Text,
                    "shown in maps as /memfd:NAME (deleted)",
                )
            },
            arg("flags", ArgKind::Flags(&MFD), "properties of the file"),
        ],
        "makes a file that lives in memory only",
        "shared = memfd_create(\"shared\", MFD_CLOEXEC)",
    ),
    plain(
        CallName::Ftruncate,
        "ftruncate",
        &[
            FD,
            ArgSpec {
                aliases: &["length"],
                ..arg("len", ArgKind::Length, "the file's new length in bytes")
            },
        ],
        "0",
        "sets a file's length; accesses behind it give SIGBUS",
        &[
            NO_FILE,
            ("EINVAL", "not open for writing, or len is negative"),
        ],
        "ftruncate(shared, 64K)",
    ),
    plain(
        CallName::Close,
        "close",
        &[FD],
        "0",
        "closes a file; its mappings stay",
        &[NO_FILE],
        "close(shared)",
    ),
    plain(
        CallName::Dup,
        "dup",
        &[ArgSpec {
            aliases: &["fildes"],
            ..FD
        }],
        "a file descriptor",
        "a further descriptor of the same open file",
        &[NO_FILE],
        "again = dup(shared)",
    ),
    plain(
        CallName::Dup2,
        "dup2",
        &[
            ArgSpec {
                aliases: &["oldfd"],
                ..FD
            },
            arg("newfd", ArgKind::Fd, "its number; closed first"),
        ],
        "newfd",
        "a further descriptor of a given number",
        &[NO_FILE],
        "dup2(shared, 9)",
    ),
    plain(
        CallName::Dup3,
        "dup3",
        &[
            ArgSpec {
                aliases: &["oldfd"],
                ..FD
            },
            arg("newfd", ArgKind::Fd, "its number; closed first"),
            optional("flags", ArgKind::Flags(&O), 0, "0 or O_CLOEXEC"),
        ],
        "newfd",
        "a further descriptor of a given number",
        &[NO_FILE, ("EINVAL", "both numbers are equal")],
        "dup3(shared, 9, O_CLOEXEC)",
    ),
];

pub(super) static PROCESSES: &[CallSpec] = &[
    CallSpec {
        call: CallName::Fork,
        name: "fork",
        aliases: &[],
        kind: CallKind::Process,
        args: &[],
        returns: "the child; `[pid NAME]` before a call lets the child make it",
        doc: "copies the process; its pages are shared until written",
        errors: &[
            ("ENOMEM", "over the commit limit"),
            ("EAGAIN", "too many processes"),
        ],
        kernels: "all",
        example: "child = fork()",
    },
    CallSpec {
        call: CallName::Execve,
        name: "execve",
        aliases: &[],
        kind: CallKind::Process,
        args: &[
            PATH,
            optional("argv", ArgKind::Ignored, 0, "its arguments"),
            optional("envp", ArgKind::Ignored, 0, "its environment"),
        ],
        returns: "0",
        doc: "runs another program: all mappings go, sealed or not",
        errors: &[("ENOENT", "no such file"), ("EACCES", "not executable")],
        kernels: "all",
        example: "execve(\"/bin/true\", [\"true\"], [])",
    },
    CallSpec {
        call: CallName::Exit,
        name: "_exit",
        aliases: &["exit", "exit_group"],
        kind: CallKind::Process,
        args: &[ArgSpec {
            aliases: &["error_code"],
            ..optional("status", ArgKind::Number, 0, "the exit status")
        }],
        returns: "nothing",
        doc: "ends the process",
        errors: &[],
        kernels: "all",
        example: "[pid child] _exit(0)",
    },
];
