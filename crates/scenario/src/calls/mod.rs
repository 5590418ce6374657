//! The one table of calls, and the tables of flag names. The parser, completion, hover, signature
//! help and the reference are all made from them; nothing else knows an argument's name.

pub mod errnos;
pub mod flags;
pub mod linux;
mod table_accesses;
mod table_files;
mod table_memory;

use std::collections::HashMap;
use std::sync::LazyLock;

use flags::{FlagTable, Known};

/// A call that a scenario can make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)] // each is documented in its row of the table
pub enum CallName {
    Mmap,
    Mmap2,
    OldMmap,
    Munmap,
    Mprotect,
    PkeyMprotect,
    Madvise,
    Mremap,
    Mseal,
    Brk,
    Mlock,
    Mlock2,
    Munlock,
    Mlockall,
    Munlockall,
    Msync,
    Open,
    Openat,
    Openat2,
    Creat,
    MemfdCreate,
    Ftruncate,
    Close,
    Dup,
    Dup2,
    Dup3,
    Fork,
    Execve,
    Exit,
    Write,
    Load,
    Store,
    Exec,
    Access,
}

/// What a call is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallKind {
    /// A system call on the process's mappings.
    Memory,
    /// A system call on the files behind them.
    File,
    /// A system call on processes.
    Process,
    /// An access to memory: no system call, a load, store or jump of the program itself.
    Access,
    /// A setting of the machine.
    Setting,
}

/// One row of the table: a call, its arguments, and what to know of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSpec {
    /// Which.
    pub call: CallName,
    /// Its name as written.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// What it is about.
    pub kind: CallKind,
    /// Its arguments.
    pub args: &'static [ArgSpec],
    /// What it returns, in a few words.
    pub returns: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// The errors it can give, and when.
    pub errors: &'static [(&'static str, &'static str)],
    /// Which of the simulated kernels have it.
    pub kernels: &'static str,
    /// A line to try.
    pub example: &'static str,
}

/// One argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgSpec {
    /// Its name in the man page.
    pub name: &'static str,
    /// Names that other tools print for it (`perf trace`).
    pub aliases: &'static [&'static str],
    /// What may stand there.
    pub kind: ArgKind,
    /// Its value where it is left out; `None` if it must be there.
    pub default: Option<u64>,
    /// One line on it.
    pub doc: &'static str,
}

/// What may stand in an argument's place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgKind {
    /// An address.
    Address,
    /// A length in bytes.
    Length,
    /// An offset into a file, in bytes.
    Offset,
    /// An offset into a file, in units of 4096 bytes.
    PageOffset,
    /// A plain number.
    Number,
    /// A file descriptor.
    Fd,
    /// `AT_FDCWD` or a descriptor; not simulated.
    DirFd,
    /// Names of this table, joined by `|`.
    Flags(&'static FlagTable),
    /// One name of this table.
    Choice(&'static FlagTable),
    /// A file's path.
    Path,
    /// A text.
    Text,
    /// `seq`, `random`, `stride N`.
    Pattern,
    /// `load`, `store`, `exec`.
    AccessWord,
    /// Read over, whatever it is.
    Ignored,
}

impl CallSpec {
    /// `mprotect(addr, len, prot)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let args: Vec<_> = self.args.iter().map(|arg| arg.label()).collect();
        format!("{}({})", self.name, args.join(", "))
    }

    /// How many arguments must be there.
    #[must_use]
    pub fn required_args(&self) -> usize {
        self.args
            .iter()
            .take_while(|arg| arg.default.is_none())
            .count()
    }

    /// The argument of that name, as the man page or another tool calls it.
    #[must_use]
    pub fn arg_named(&self, name: &str) -> Option<usize> {
        self.args
            .iter()
            .position(|arg| arg.name == name || arg.aliases.contains(&name))
    }
}

impl ArgSpec {
    /// The name as it stands in a signature: with a `?` where it may be left out.
    #[must_use]
    pub fn label(&self) -> String {
        let optional = if self.default.is_some() { "?" } else { "" };
        format!("{}{optional}", self.name)
    }
}

impl ArgKind {
    /// What is expected in this place, for a message.
    #[must_use]
    pub fn expects(self) -> String {
        match self {
            Self::Address => "an address".to_owned(),
            Self::Length => "a length in bytes".to_owned(),
            Self::Offset => "an offset in bytes".to_owned(),
            Self::PageOffset => "an offset in pages of 4096 bytes".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Fd => "a file descriptor, -1 for none".to_owned(),
            Self::DirFd => "AT_FDCWD".to_owned(),
            Self::Flags(table) => format!("{}* flags joined by `|`", table.prefix),
            Self::Choice(table) => format!("one of {}*", table.prefix),
            Self::Path => "a path in quotes".to_owned(),
            Self::Text => "a text in quotes".to_owned(),
            Self::Pattern => "`seq`, `random` or `stride N`".to_owned(),
            Self::AccessWord => "`load`, `store` or `exec`".to_owned(),
            Self::Ignored => "anything".to_owned(),
        }
    }

    /// The flag names that may stand here.
    #[must_use]
    pub fn table(self) -> Option<&'static FlagTable> {
        match self {
            Self::Flags(table) | Self::Choice(table) => Some(table),
            _ => None,
        }
    }
}

/// Every call, in the order of the reference.
pub fn all() -> impl Iterator<Item = &'static CallSpec> {
    table_memory::MEMORY
        .iter()
        .chain(table_accesses::ACCESSES)
        .chain(table_files::FILES)
        .chain(table_files::PROCESSES)
        .chain(table_accesses::SETTINGS)
}

/// The call of that name or alias.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static CallSpec> {
    match WORDS.get(name) {
        Some(Word::Call(spec)) => Some(spec),
        _ => None,
    }
}

/// The row of a call.
#[must_use]
#[expect(
    clippy::indexing_slicing,
    reason = "every call has a row: a test holds it"
)]
pub fn spec(call: CallName) -> &'static CallSpec {
    SPECS[call as usize]
}

/// What a word means wherever it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    Call(&'static CallSpec),
    Flag(Known),
}

/// The flag or constant of that name.
#[must_use]
pub fn flag(name: &str) -> Option<Known> {
    match WORDS.get(name) {
        Some(Word::Flag(known)) => Some(*known),
        _ => None,
    }
}

static WORDS: LazyLock<HashMap<&'static str, Word>> = LazyLock::new(|| {
    let calls = all().flat_map(|spec| {
        std::iter::once(spec.name)
            .chain(spec.aliases.iter().copied())
            .map(move |name| (name, Word::Call(spec)))
    });
    let flags = flags::all().map(|known| (known.flag.name, Word::Flag(known)));
    calls.chain(flags).collect()
});

static SPECS: LazyLock<Vec<&'static CallSpec>> = LazyLock::new(|| {
    let mut specs: Vec<_> = all().collect();
    specs.sort_by_key(|spec| spec.call);
    specs
});

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_core::errno::Errno;

    #[test]
    fn every_call_has_exactly_one_row() {
        for (index, spec) in SPECS.iter().enumerate() {
            assert_eq!(spec.call as usize, index, "{}", spec.name);
        }
        assert_eq!(SPECS.len(), CallName::Access as usize + 1);
    }

    #[test]
    fn names_are_told_apart() {
        let names = all()
            .flat_map(|s| std::iter::once(&s.name).chain(s.aliases))
            .count();
        let flags = flags::all().count();
        assert_eq!(WORDS.len(), names + flags);
    }

    #[test]
    fn rows_are_complete() {
        for spec in all() {
            assert!(
                !spec.doc.is_empty() && !spec.example.is_empty(),
                "{}",
                spec.name
            );
            for (errno, when) in spec.errors {
                let signal = ["SIGSEGV", "SIGBUS"].contains(errno);
                assert!(
                    signal || Errno::from_name(errno).is_some(),
                    "{}: {errno}",
                    spec.name
                );
                assert!(!when.is_empty());
            }
            let optional = spec.args.iter().skip(spec.required_args());
            assert!(
                optional.clone().all(|a| a.default.is_some()),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn system_calls_are_linux_s_own() {
        for spec in all() {
            if !matches!(spec.kind, CallKind::Access) {
                assert!(linux::is_syscall(spec.name), "{}", spec.name);
            }
        }
    }
}
