//! The rows of the accesses and of the settings.

use super::table_memory::{arg, optional};
use super::{ArgKind, ArgSpec, CallKind, CallName, CallSpec};

const ADDR: ArgSpec = arg("addr", ArgKind::Address, "first byte");
const LEN: ArgSpec = arg(
    "len",
    ArgKind::Length,
    "length in bytes: one byte at addr and at each following page start below addr + len",
);
const ERRORS: &[(&str, &str)] = &[
    (
        "SIGSEGV",
        "nothing is mapped there, or the access is not allowed",
    ),
    ("SIGBUS", "behind the end of the file"),
];

const fn access(
    call: CallName,
    name: &'static str,
    doc: &'static str,
    example: &'static str,
) -> CallSpec {
    CallSpec {
        call,
        name,
        aliases: &[],
        kind: CallKind::Access,
        args: &[ADDR, LEN],
        returns: "0",
        doc,
        errors: ERRORS,
        kernels: "all",
        example,
    }
}

pub(super) static ACCESSES: &[CallSpec] = &[
    access(
        CallName::Load,
        "load",
        "reads a byte of each page, ascending",
        "load(heap, PAGE)",
    ),
    access(
        CallName::Store,
        "store",
        "writes a byte of each page, ascending",
        "store(heap, 32K)",
    ),
    access(
        CallName::Exec,
        "exec",
        "runs an instruction in each page, ascending",
        "exec(text, PAGE)",
    ),
    CallSpec {
        call: CallName::Access,
        name: "access",
        aliases: &[],
        kind: CallKind::Access,
        args: &[
            ADDR,
            arg("len", ArgKind::Length, "length of the range, in bytes"),
            arg(
                "pattern",
                ArgKind::Pattern,
                "`seq` (8 bytes on each time), `stride N` (N bytes on), `random`",
            ),
            arg("count", ArgKind::Number, "how many accesses"),
            optional(
                "seed",
                ArgKind::Number,
                0,
                "what random addresses are drawn from",
            ),
            optional(
                "what",
                ArgKind::AccessWord,
                0,
                "`load` (usual), `store` or `exec`",
            ),
        ],
        returns: "0",
        doc: "many accesses in a pattern, for the TLB",
        errors: ERRORS,
        kernels: "all",
        example: "access(heap, 4M, random, 100000, 42)",
    },
];

pub(super) static SETTINGS: &[CallSpec] = &[CallSpec {
    call: CallName::Write,
    name: "write",
    aliases: &[],
    kind: CallKind::Setting,
    args: &[
        arg("path", ArgKind::Path, "the setting's file, in quotes"),
        arg("value", ArgKind::Text, "its new value, in quotes"),
    ],
    returns: "the length written",
    doc: "sets a setting of the machine",
    errors: &[("ENOENT", "no such setting"), ("EINVAL", "no such value")],
    kernels: "all",
    example: "write(\"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled\", \"always\")",
}];
