//! The names of flags and constants, with their numbers (those of x86-64 and arm64) and a line on
//! each.

/// A group of names that share a prefix and a place.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct FlagTable {
    /// What all names start with, for example `PROT_`.
    pub prefix: &'static str,
    /// What it is, for a heading.
    pub title: &'static str,
    /// Whether several can be joined by `|`.
    pub joins: bool,
    /// Bits that hold a number rather than flags: an entry whose value lies in them matches only
    /// as a whole. 0 if there are none.
    pub field: u64,
    /// Bits that hold a number which strace prints shifted (`21<<MAP_HUGE_SHIFT`), by how much,
    /// and the shift's name.
    pub shifted: Option<(u64, u32, &'static str)>,
    /// The names, in the order in which strace prints them.
    pub flags: &'static [Flag],
}

/// One name.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Flag {
    /// As written.
    pub name: &'static str,
    /// Its number.
    pub value: u64,
    /// One line on it.
    pub doc: &'static str,
}

/// A name together with its table.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The table.
    pub table: &'static FlagTable,
    /// The name.
    pub flag: &'static Flag,
}

/// Every name of every table.
pub fn all() -> impl Iterator<Item = Known> {
    TABLES
        .iter()
        .flat_map(|&table| table.flags.iter().map(move |flag| Known { table, flag }))
}

impl FlagTable {
    /// The flag of that name; the prefix may be left out, as `perf trace` does.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static Flag> {
        self.flags.iter().find(|flag| {
            flag.name == name
                || flag
                    .name
                    .strip_prefix(self.prefix)
                    .is_some_and(|rest| rest == name)
        })
    }

    /// `value` by names, as strace prints it: what no name covers follows as a number, with a
    /// comment if there is no name at all.
    #[must_use]
    pub fn text(&self, value: u64) -> String {
        if !self.joins {
            return match self.flags.iter().find(|flag| flag.value == value) {
                Some(flag) => flag.name.to_owned(),
                None => format!("{value:#x} /* {}??? */", self.prefix),
            };
        }
        let mut names = Vec::new();
        let mut rest = value;
        let whole = self.flags.iter().find(|f| f.value == value & self.field);
        // Without a field, the name of 0 stands for no flag at all.
        if let Some(flag) = whole.filter(|_| self.field != 0 || value == 0) {
            names.push(flag.name.to_owned());
            rest &= !self.field;
        } else if value & self.field != 0 {
            let number = value & self.field;
            names.push(format!("{number:#x} /* {}??? */", self.prefix));
            rest &= !self.field;
        }
        let (mask, shift, shift_name) = self.shifted.unwrap_or((0, 0, ""));
        let number = (rest & mask) >> shift;
        rest &= !mask;
        for flag in self.flags {
            let bits = flag.value & !self.field;
            if bits != 0 && bits == flag.value && bits & mask == 0 && rest & bits == bits {
                names.push(flag.name.to_owned());
                rest &= !bits;
            }
        }
        if rest != 0 {
            names.push(match names.is_empty() {
                true => format!("{rest:#x} /* {}??? */", self.prefix),
                false => format!("{rest:#x}"),
            });
        }
        if number != 0 {
            names.push(format!("{number}<<{shift_name}"));
        }
        if names.is_empty() {
            names.push("0".to_owned());
        }
        names.join("|")
    }
}

const fn flag(name: &'static str, value: u64, doc: &'static str) -> Flag {
    Flag { name, value, doc }
}

/// All tables.
pub static TABLES: &[&FlagTable] = &[
    &PROT, &MAP, &MADV, &MREMAP, &MLOCK, &MCL, &MS, &O, &MFD, &AT, &CONSTANTS,
];

/// `PROT_*`
pub static PROT: FlagTable = FlagTable {
    prefix: "PROT_",
    title: "Protection",
    joins: true,
    field: 0,
    shifted: None,
    flags: &[
        flag("PROT_NONE", 0x0, "no access at all"),
        flag("PROT_READ", 0x1, "pages can be read"),
        flag("PROT_WRITE", 0x2, "pages can be written"),
        flag("PROT_EXEC", 0x4, "pages can be executed"),
        flag(
            "PROT_SEM",
            0x8,
            "for atomic operations; changes nothing today",
        ),
        flag(
            "PROT_GROWSDOWN",
            0x0100_0000,
            "mprotect: from the start of the MAP_GROWSDOWN mapping on",
        ),
        flag(
            "PROT_GROWSUP",
            0x0200_0000,
            "mprotect: to the end of the mapping that grows up",
        ),
    ],
};

/// `MAP_*`
pub static MAP: FlagTable = FlagTable {
    prefix: "MAP_",
    title: "Kind of mapping",
    joins: true,
    field: 0xf,
    shifted: Some((0x3f << 26, 26, "MAP_HUGE_SHIFT")),
    flags: &[
        flag("MAP_FILE", 0x0, "neither shared nor private: refused"),
        flag(
            "MAP_SHARED",
            0x1,
            "writes reach the file and other processes",
        ),
        flag(
            "MAP_PRIVATE",
            0x2,
            "writes stay with this process (copy on write)",
        ),
        flag(
            "MAP_SHARED_VALIDATE",
            0x3,
            "as MAP_SHARED, but unknown flags are refused",
        ),
        flag(
            "MAP_DROPPABLE",
            0x8,
            "the kernel may drop the pages under pressure (6.11)",
        ),
        flag(
            "MAP_FIXED",
            0x10,
            "exactly at addr; what was mapped there goes",
        ),
        flag(
            "MAP_ANONYMOUS",
            0x20,
            "memory without a file, zero at first",
        ),
        flag("MAP_32BIT", 0x40, "x86-64: below 2 GiB"),
        flag("MAP_ABOVE4G", 0x80, "x86-64: above 4 GiB"),
        flag(
            "MAP_NORESERVE",
            0x4000,
            "not charged against the commit limit",
        ),
        flag("MAP_POPULATE", 0x8000, "pages are faulted in at once"),
        flag("MAP_NONBLOCK", 0x1_0000, "with MAP_POPULATE: does nothing"),
        flag(
            "MAP_GROWSDOWN",
            0x100,
            "a stack: grows on an access just below it",
        ),
        flag("MAP_DENYWRITE", 0x800, "ignored"),
        flag("MAP_EXECUTABLE", 0x1000, "ignored"),
        flag("MAP_LOCKED", 0x2000, "locked in memory, as by mlock"),
        flag(
            "MAP_STACK",
            0x2_0000,
            "for a thread's stack; today: no huge pages",
        ),
        flag("MAP_HUGETLB", 0x4_0000, "from the pool of huge pages"),
        flag(
            "MAP_SYNC",
            0x8_0000,
            "with MAP_SHARED_VALIDATE, on DAX files",
        ),
        flag(
            "MAP_UNINITIALIZED",
            0x400_0000,
            "without an MMU: not cleared",
        ),
        flag(
            "MAP_FIXED_NOREPLACE",
            0x10_0000,
            "exactly at addr, EEXIST if anything is there",
        ),
        flag("MAP_HUGE_64KB", 16 << 26, "huge pages of 64 KiB"),
        flag("MAP_HUGE_512KB", 19 << 26, "huge pages of 512 KiB"),
        flag("MAP_HUGE_1MB", 20 << 26, "huge pages of 1 MiB"),
        flag("MAP_HUGE_2MB", 21 << 26, "huge pages of 2 MiB"),
        flag("MAP_HUGE_8MB", 23 << 26, "huge pages of 8 MiB"),
        flag("MAP_HUGE_16MB", 24 << 26, "huge pages of 16 MiB"),
        flag("MAP_HUGE_32MB", 25 << 26, "huge pages of 32 MiB"),
        flag("MAP_HUGE_256MB", 28 << 26, "huge pages of 256 MiB"),
        flag("MAP_HUGE_512MB", 29 << 26, "huge pages of 512 MiB"),
        flag("MAP_HUGE_1GB", 30 << 26, "huge pages of 1 GiB"),
        flag("MAP_HUGE_2GB", 31 << 26, "huge pages of 2 GiB"),
        flag("MAP_HUGE_16GB", 34 << 26, "huge pages of 16 GiB"),
    ],
};

/// `MADV_*`
pub static MADV: FlagTable = FlagTable {
    prefix: "MADV_",
    title: "Advice",
    joins: false,
    field: 0,
    shifted: None,
    flags: &[
        flag("MADV_NORMAL", 0, "no special treatment"),
        flag("MADV_RANDOM", 1, "no read-ahead"),
        flag("MADV_SEQUENTIAL", 2, "more read-ahead"),
        flag("MADV_WILLNEED", 3, "read the pages in soon"),
        flag("MADV_DONTNEED", 4, "drop the pages now; discards data"),
        flag(
            "MADV_FREE",
            8,
            "the pages may be dropped later, until written again; discards data",
        ),
        flag(
            "MADV_REMOVE",
            9,
            "punch a hole into the shared file behind; discards data",
        ),
        flag(
            "MADV_DONTFORK",
            10,
            "fork's child does not get it; discards data there",
        ),
        flag("MADV_DOFORK", 11, "undo MADV_DONTFORK"),
        flag("MADV_MERGEABLE", 12, "let KSM merge equal pages"),
        flag("MADV_UNMERGEABLE", 13, "undo MADV_MERGEABLE"),
        flag("MADV_HUGEPAGE", 14, "large folios wanted"),
        flag("MADV_NOHUGEPAGE", 15, "no large folios"),
        flag("MADV_DONTDUMP", 16, "leave out of core dumps"),
        flag("MADV_DODUMP", 17, "undo MADV_DONTDUMP"),
        flag(
            "MADV_WIPEONFORK",
            18,
            "fork's child finds zeros; discards data there",
        ),
        flag("MADV_KEEPONFORK", 19, "undo MADV_WIPEONFORK"),
        flag("MADV_COLD", 20, "not needed for a while"),
        flag("MADV_PAGEOUT", 21, "reclaim now"),
        flag("MADV_POPULATE_READ", 22, "fault in, reading"),
        flag("MADV_POPULATE_WRITE", 23, "fault in, writing"),
        flag(
            "MADV_DONTNEED_LOCKED",
            24,
            "MADV_DONTNEED, on locked memory too; discards data",
        ),
        flag("MADV_COLLAPSE", 25, "make a large folio of it now"),
        flag("MADV_HWPOISON", 100, "pretend a memory error (privileged)"),
        flag(
            "MADV_SOFT_OFFLINE",
            101,
            "take the page out of use (privileged)",
        ),
        flag(
            "MADV_GUARD_INSTALL",
            102,
            "guard pages without a mapping of their own (6.13); discards data",
        ),
        flag("MADV_GUARD_REMOVE", 103, "undo MADV_GUARD_INSTALL (6.13)"),
    ],
};

/// `MREMAP_*`
pub static MREMAP: FlagTable = FlagTable {
    prefix: "MREMAP_",
    title: "Moving",
    joins: true,
    field: 0,
    shifted: None,
    flags: &[
        flag(
            "MREMAP_MAYMOVE",
            1,
            "may be moved where it cannot grow in place",
        ),
        flag(
            "MREMAP_FIXED",
            2,
            "move to new_addr; what was mapped there goes",
        ),
        flag(
            "MREMAP_DONTUNMAP",
            4,
            "the pages move, the old mapping stays, empty",
        ),
    ],
};

/// `MLOCK_*`
pub static MLOCK: FlagTable = FlagTable {
    prefix: "MLOCK_",
    title: "Locking a range",
    joins: true,
    field: 0,
    shifted: None,
    flags: &[flag("MLOCK_ONFAULT", 1, "lock pages as they are touched")],
};

/// `MCL_*`
pub static MCL: FlagTable = FlagTable {
    prefix: "MCL_",
    title: "Locking all",
    joins: true,
    field: 0,
    shifted: None,
    flags: &[
        flag("MCL_CURRENT", 1, "what is mapped now"),
        flag("MCL_FUTURE", 2, "what will be mapped"),
        flag("MCL_ONFAULT", 4, "as pages are touched"),
    ],
};

/// `MS_*`
pub static MS: FlagTable = FlagTable {
    prefix: "MS_",
    title: "Writing back",
    joins: true,
    field: 0,
    shifted: None,
    flags: &[
        flag("MS_SYNC", 4, "write and wait"),
        flag("MS_ASYNC", 1, "start writing; does nothing today"),
        flag("MS_INVALIDATE", 2, "EBUSY if locked"),
    ],
};

/// `O_*`
pub static O: FlagTable = FlagTable {
    prefix: "O_",
    title: "Opening a file",
    joins: true,
    field: 0o3,
    shifted: None,
    flags: &[
        flag("O_RDONLY", 0o0, "for reading"),
        flag("O_WRONLY", 0o1, "for writing"),
        flag("O_RDWR", 0o2, "for both"),
        flag("O_CREAT", 0o100, "made if it is not there"),
        flag("O_EXCL", 0o200, "with O_CREAT: EEXIST if it is there"),
        flag("O_NOCTTY", 0o400, "no controlling terminal"),
        flag("O_TRUNC", 0o1000, "emptied"),
        flag("O_APPEND", 0o2000, "writes go to the end"),
        flag("O_NONBLOCK", 0o4000, "does not wait"),
        flag("O_SYNC", 0o401_0000, "each write waits for the disk"),
        flag("O_ASYNC", 0o2_0000, "signals when ready"),
        flag("O_DSYNC", 0o1_0000, "each write waits for its data"),
        flag("O_DIRECT", 0o4_0000, "past the page cache"),
        flag("O_LARGEFILE", 0o10_0000, "large files"),
        flag("O_NOFOLLOW", 0o40_0000, "no symbolic link"),
        flag("O_NOATIME", 0o100_0000, "access time untouched"),
        flag("O_CLOEXEC", 0o200_0000, "closed by execve"),
        flag("O_PATH", 0o1000_0000, "only a reference to the file"),
        flag("O_TMPFILE", 0o2020_0000, "a file without a name"),
        flag("O_DIRECTORY", 0o20_0000, "must be a directory"),
    ],
};

/// `MFD_*`
pub static MFD: FlagTable = FlagTable {
    prefix: "MFD_",
    title: "Making a memory file",
    joins: true,
    field: 0,
    shifted: None,
    flags: &[
        flag("MFD_CLOEXEC", 0x1, "closed by execve"),
        flag(
            "MFD_ALLOW_SEALING",
            0x2,
            "file seals may be added (not mseal)",
        ),
        flag("MFD_HUGETLB", 0x4, "from the pool of huge pages"),
        flag("MFD_NOEXEC_SEAL", 0x8, "never executable"),
        flag("MFD_EXEC", 0x10, "executable"),
    ],
};

/// `AT_*`
pub static AT: FlagTable = FlagTable {
    prefix: "AT_",
    title: "Directory",
    joins: false,
    field: 0,
    shifted: None,
    flags: &[flag("AT_FDCWD", -100_i64 as u64, "the current directory")],
};

/// Numbers with a name.
pub static CONSTANTS: FlagTable = FlagTable {
    prefix: "",
    title: "Constants",
    joins: false,
    field: 0,
    shifted: None,
    flags: &[
        flag("NULL", 0, "address 0: the kernel chooses"),
        flag("MAP_ANON", 0x20, "the old name of MAP_ANONYMOUS"),
        flag(
            "MAP_FAILED",
            u64::MAX,
            "what the C library's mmap returns on failure",
        ),
        flag(
            "MAP_HUGE_SHIFT",
            26,
            "where the size of huge pages stands in mmap's flags",
        ),
        flag("O_ACCMODE", 0o3, "the bits of O_RDONLY, O_WRONLY, O_RDWR"),
        // not printed: the same bits are unknown ones on x86-64
        flag(
            "PROT_BTI",
            0x10,
            "arm64: indirect branches must land on a BTI instruction",
        ),
        flag("PROT_MTE", 0x20, "arm64: memory tagging"),
        flag("O_NDELAY", 0o4000, "O_NONBLOCK"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_words_read_as_strace_prints_them() {
        assert_eq!(PROT.text(3), "PROT_READ|PROT_WRITE");
        assert_eq!(PROT.text(0), "PROT_NONE");
        assert_eq!(MAP.text(0x22), "MAP_PRIVATE|MAP_ANONYMOUS");
        assert_eq!(
            MAP.text(0x8000_0000_0022),
            "MAP_PRIVATE|MAP_ANONYMOUS|0x800000000000"
        );
        assert_eq!(MAP.text(0x20), "MAP_FILE|MAP_ANONYMOUS");
        assert_eq!(MAP.text(0x24), "0x4 /* MAP_??? */|MAP_ANONYMOUS");
        assert_eq!(
            MAP.text(0x40022 | 21 << 26),
            "MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB|21<<MAP_HUGE_SHIFT"
        );
        assert_eq!(MREMAP.text(0), "0");
        assert_eq!(MADV.text(4), "MADV_DONTNEED");
        assert_eq!(MADV.text(77), "0x4d /* MADV_??? */");
        assert_eq!(MS.text(0x40), "0x40 /* MS_??? */");
        assert_eq!(O.text(0o2000102), "O_RDWR|O_CREAT|O_CLOEXEC");
        assert_eq!(O.text(0), "O_RDONLY");
        assert_eq!(O.text(0o2000000), "O_RDONLY|O_CLOEXEC");
    }

    #[test]
    fn every_joined_value_reads_back() {
        for table in TABLES.iter().filter(|table| table.joins) {
            for a in table.flags {
                for b in table.flags {
                    let value = a.value | b.value;
                    if table.shifted.is_some_and(|(mask, _, _)| value & mask != 0) {
                        continue;
                    }
                    let text = table.text(value);
                    let back = text.split('|').fold(0, |sum, part| {
                        sum | table.get(part).map_or_else(
                            || {
                                u64::from_str_radix(
                                    part.split(' ')
                                        .next()
                                        .unwrap_or("")
                                        .trim_start_matches("0x"),
                                    16,
                                )
                                .unwrap_or(u64::MAX)
                            },
                            |flag| flag.value,
                        )
                    });
                    assert_eq!(back, value, "{text}");
                }
            }
        }
    }
}
