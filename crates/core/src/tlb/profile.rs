//! Processors' TLBs as data. Every number says where it is from.

/// Where a number is from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Read in this document.
    Read(&'static str),
    /// Follows from numbers read, as said.
    Derived(&'static str),
    /// Nothing published was found: taken for this reason.
    Assumed(&'static str),
}

impl Source {
    /// Its text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Read(text) | Self::Derived(text) | Self::Assumed(text) => text,
        }
    }

    /// Whether it is more than an assumption.
    #[must_use]
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Assumed(_))
    }
}

/// A number with its source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sourced {
    /// The number.
    pub value: u32,
    /// Where it is from.
    pub source: Source,
}

/// Which entry of a full set goes for a new one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Replacement {
    /// The least recently used.
    Lru,
    /// What a binary tree of last-used bits points at; the ways are a power of two.
    TreePlru,
}

/// One array of TLB entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArraySpec {
    /// How many entries it has.
    pub entries: u32,
    /// Entries a set; as many as entries: fully associative.
    pub ways: u32,
    /// log2 of the bytes an entry may map, ascending. What is larger is broken down to the largest
    /// of these, what is smaller does not fit.
    pub shifts: &'static [u8],
    /// Which entry goes.
    pub replacement: Replacement,
    /// Where entries and ways are from.
    pub source: Source,
    /// Where the sizes are from.
    pub sizes_source: Source,
}

/// The second level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecondLevel {
    /// One for instructions and data.
    Shared(&'static [ArraySpec]),
    /// One for each.
    Split {
        /// For fetches.
        instruction: &'static [ArraySpec],
        /// For loads and stores.
        data: &'static [ArraySpec],
    },
}

/// Where pointers to lower tables are kept, so that a walk need not start at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkCache {
    /// As entries of the (data side's) second level, beside translations.
    InSecondLevel(Source),
    /// In arrays of their own, that many entries for each level of tables, from the tables of last
    /// entries upwards.
    Own {
        /// Entries by level; a level not named has none.
        entries: &'static [u32],
        /// Where they are from.
        source: Source,
    },
}

/// One processor's address translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Its id in scenarios and on the command line.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// First level for fetches: one array, or one for each group of sizes.
    pub l1i: &'static [ArraySpec],
    /// First level for loads and stores.
    pub l1d: &'static [ArraySpec],
    /// Second level.
    pub l2: SecondLevel,
    /// Pointers to tables.
    pub walk_cache: WalkCache,
    /// Cycles a hit in the second level costs over one in the first.
    pub l2_cycles: Sourced,
    /// Cycles a read of a table entry costs, where it hits the data cache.
    pub read_cycles: Sourced,
}

const K4: u8 = 12;
const K16: u8 = 14;
const K64: u8 = 16;
const M2: u8 = 21;
const M32: u8 = 25;
const M512: u8 = 29;
const G1: u8 = 30;

const N1_TRM: Source =
    Source::Read("Arm Neoverse N1 Technical Reference Manual, 6.2 TLB organization");
const N2_TRM: Source = Source::Read("Arm Neoverse N2 Technical Reference Manual, TLB organization");
const N1_SIZES_OF_N2: Source =
    Source::Assumed("the sizes of Neoverse N1; N2's manual was not seen in full");
const INTEL_TABLE: Source = Source::Read(
    "Intel 64 and IA-32 Architectures Optimization Reference Manual (248966-045), Table 2-15",
);
const ZEN2_WIKICHIP: Source = Source::Read("WikiChip, AMD Zen 2, memory subsystem");
const ZEN2_7CPU: Source = Source::Read("7-cpu.com, AMD Zen2");
const LRU_ASSUMED: Replacement = Replacement::Lru;

const ALL_ARM: &[u8] = &[K4, K16, K64, M2, M32, M512, G1];
const X86: &[u8] = &[K4, M2];
const X86_1G: &[u8] = &[K4, M2, G1];

/// Arm Neoverse N1 (Ampere Altra, AWS Graviton2).
pub const NEOVERSE_N1: Profile = Profile {
    id: "neoverse-n1",
    name: "Arm Neoverse N1",
    l1i: &[ArraySpec {
        entries: 48,
        ways: 48,
        shifts: &[K4, K16, K64, M2, M32],
        replacement: LRU_ASSUMED,
        source: N1_TRM,
        sizes_source: N1_TRM,
    }],
    l1d: &[ArraySpec {
        entries: 48,
        ways: 48,
        shifts: &[K4, K16, K64, M2, M512],
        replacement: LRU_ASSUMED,
        source: N1_TRM,
        sizes_source: N1_TRM,
    }],
    l2: SecondLevel::Shared(&[ArraySpec {
        entries: 1280,
        ways: 5,
        shifts: ALL_ARM,
        replacement: LRU_ASSUMED,
        source: N1_TRM,
        sizes_source: N1_TRM,
    }]),
    walk_cache: WalkCache::InSecondLevel(N1_TRM),
    l2_cycles: Sourced {
        value: 3,
        source: Source::Read(
            "Neoverse N1 TRM 6.3: usually three cycles, longer where page sizes are mixed",
        ),
    },
    read_cycles: Sourced {
        value: 11,
        source: Source::Derived(
            "walk reads go through the data cache (N1 TRM 6.5.1); its L2 answers in 9 to 11 cycles",
        ),
    },
};

/// Arm Neoverse N2.
pub const NEOVERSE_N2: Profile = Profile {
    id: "neoverse-n2",
    name: "Arm Neoverse N2",
    l1i: &[ArraySpec {
        entries: 48,
        ways: 48,
        shifts: &[K4, K16, K64, M2, M32],
        replacement: LRU_ASSUMED,
        source: N2_TRM,
        sizes_source: N1_SIZES_OF_N2,
    }],
    l1d: &[ArraySpec {
        entries: 44,
        ways: 44,
        shifts: &[K4, K16, K64, M2, M512],
        replacement: LRU_ASSUMED,
        source: N2_TRM,
        sizes_source: N1_SIZES_OF_N2,
    }],
    l2: SecondLevel::Shared(&[ArraySpec {
        entries: 1280,
        ways: 5,
        shifts: ALL_ARM,
        replacement: LRU_ASSUMED,
        source: N2_TRM,
        sizes_source: N1_SIZES_OF_N2,
    }]),
    walk_cache: WalkCache::InSecondLevel(Source::Assumed("as Neoverse N1")),
    l2_cycles: Sourced {
        value: 3,
        source: Source::Assumed("as Neoverse N1"),
    },
    read_cycles: Sourced {
        value: 11,
        source: Source::Assumed("as Neoverse N1"),
    },
};

/// Intel Skylake.
pub const SKYLAKE: Profile = Profile {
    id: "skylake",
    name: "Intel Skylake",
    l1i: &[
        ArraySpec {
            entries: 128,
            ways: 8,
            shifts: &[K4],
            replacement: LRU_ASSUMED,
            source: INTEL_TABLE,
            sizes_source: INTEL_TABLE,
        },
        ArraySpec {
            entries: 8,
            ways: 8,
            shifts: &[M2],
            replacement: LRU_ASSUMED,
            source: INTEL_TABLE,
            sizes_source: INTEL_TABLE,
        },
    ],
    l1d: &[
        ArraySpec {
            entries: 64,
            ways: 4,
            shifts: &[K4],
            replacement: LRU_ASSUMED,
            source: INTEL_TABLE,
            sizes_source: INTEL_TABLE,
        },
        ArraySpec {
            entries: 32,
            ways: 4,
            shifts: &[M2],
            replacement: LRU_ASSUMED,
            source: INTEL_TABLE,
            sizes_source: INTEL_TABLE,
        },
    ],
    l2: SecondLevel::Shared(&[ArraySpec {
        entries: 1536,
        ways: 12,
        shifts: X86,
        replacement: LRU_ASSUMED,
        source: Source::Read(
            "Intel's cpuid descriptor C3h (1536 entries for 4K and 2M); WikiChip, Skylake: 12-way",
        ),
        sizes_source: INTEL_TABLE,
    }]),
    walk_cache: WalkCache::Own {
        entries: &[32, 4, 2],
        source: Source::Assumed("sizes of Intel's paging-structure caches are not published"),
    },
    l2_cycles: Sourced {
        value: 9,
        source: Source::Assumed("nothing published by Intel was found"),
    },
    read_cycles: Sourced {
        value: 12,
        source: Source::Derived(
            "latency of the L2 cache, Intel's optimization manual: table entries are read there",
        ),
    },
};

/// AMD Zen 2.
pub const ZEN2: Profile = Profile {
    id: "zen-2",
    name: "AMD Zen 2",
    l1i: &[ArraySpec {
        entries: 64,
        ways: 64,
        shifts: X86_1G,
        replacement: LRU_ASSUMED,
        source: ZEN2_7CPU,
        sizes_source: ZEN2_7CPU,
    }],
    l1d: &[ArraySpec {
        entries: 64,
        ways: 64,
        shifts: X86_1G,
        replacement: LRU_ASSUMED,
        source: ZEN2_WIKICHIP,
        sizes_source: ZEN2_WIKICHIP,
    }],
    l2: SecondLevel::Split {
        instruction: &[ArraySpec {
            entries: 512,
            ways: 8,
            shifts: X86,
            replacement: LRU_ASSUMED,
            source: ZEN2_7CPU,
            sizes_source: ZEN2_7CPU,
        }],
        data: &[ArraySpec {
            entries: 2048,
            ways: 16,
            shifts: X86,
            replacement: LRU_ASSUMED,
            source: Source::Derived(
                "2048 entries: WikiChip, which says 12 ways; those do not divide it, 16 do",
            ),
            sizes_source: ZEN2_WIKICHIP,
        }],
    },
    walk_cache: WalkCache::InSecondLevel(ZEN2_WIKICHIP),
    l2_cycles: Sourced {
        value: 7,
        source: Source::Assumed("nothing published by AMD was found"),
    },
    read_cycles: Sourced {
        value: 12,
        source: Source::Assumed("about the latency of the L2 cache"),
    },
};

/// Every profile.
pub const PROFILES: &[Profile] = &[NEOVERSE_N1, NEOVERSE_N2, SKYLAKE, ZEN2];

impl Profile {
    /// The profile users call `id`.
    #[must_use]
    pub fn by_id(id: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|p| p.id == id)
    }

    /// Every array: what it is, and its data.
    pub fn arrays(&self) -> impl Iterator<Item = (&'static str, ArraySpec)> {
        let named = |name: &'static str, specs: &'static [ArraySpec]| {
            specs.iter().map(move |&spec| (name, spec))
        };
        let (shared, instruction, data): (&[ArraySpec], &[ArraySpec], &[ArraySpec]) = match self.l2
        {
            SecondLevel::Shared(specs) => (specs, &[], &[]),
            SecondLevel::Split { instruction, data } => (&[], instruction, data),
        };
        named("L1 instruction", self.l1i)
            .chain(named("L1 data", self.l1d))
            .chain(named("L2", shared))
            .chain(named("L2 instruction", instruction))
            .chain(named("L2 data", data))
    }

    /// Bytes that the entries of the last level of TLBs map for data, where each maps
    /// `1 << shift` bytes (or the largest size below that it can hold).
    #[must_use]
    pub fn reach(&self, shift: u8) -> u64 {
        let specs = match self.l2 {
            SecondLevel::Shared(specs) => specs,
            SecondLevel::Split { data, .. } => data,
        };
        specs
            .iter()
            .filter_map(|spec| {
                let held = spec.shifts.iter().rev().find(|&&s| s <= shift)?;
                Some(u64::from(spec.entries) << held)
            })
            .max()
            .unwrap_or(0)
    }
}
