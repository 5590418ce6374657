//! The benchmarks' loops as scenarios, to be opened, read and changed in the editor.

/// Most groups of mappings, as in the published loop.
const GROUPS: u64 = 1000;
/// Most mappings that a process may have, with room for its own (`vm.max_map_count` is 65,530).
const MAPPINGS: u64 = 64_000;

/// Most mappings that one call of mmperf can be over.
pub const VMAS_MAX: u64 = 8_192;

/// The mappings a process has of its own: a lookup goes down a tree that holds them too.
const OWN: &str = "# The process's own mappings: program, C library and loader, five segments each.\n\
                   repeat 15 as i { mmap(0x7c0000000000 + i * 1M, 64K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) }\n";

/// The calls of mmperf.
pub const MMPERF_CALLS: [&str; 3] = ["munmap", "mprotect", "madvise"];

/// The two programs of mmperf, which differ in what mprotect asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meter {
    /// Measures time with a clock.
    Time,
    /// Counts reference cycles in the kernel.
    Cycles,
}

/// How many groups of `vmas` mappings there are: a thousand, as far as a process may have so many.
#[must_use]
pub fn groups(vmas: u64) -> u64 {
    (MAPPINGS / vmas.max(1)).clamp(1, GROUPS)
}

/// mmperf's loop over one call: groups of `vmas` one-page mappings, from the top down as mmap places
/// them, every second page without access, so that the mappings of a group do not merge. Then the
/// call over each group.
#[must_use]
pub fn mmperf(call: &str, vmas: u64, meter: Meter) -> String {
    let groups = groups(vmas);
    let last = groups - 1;
    let arguments = match (call, meter) {
        ("mprotect", Meter::Time) => "block, N * PAGE, PROT_READ",
        ("mprotect", Meter::Cycles) => "block, N * PAGE, PROT_READ|PROT_WRITE",
        ("madvise", _) => "block, N * PAGE, MADV_DONTNEED",
        _ => "block, N * PAGE",
    };
    format!(
        "# mmperf: {call} over {vmas} VMA{s}\n\
         # The loop of the mseal mails: {groups} groups of {vmas} one-page mappings, every second page without access, then {call} over each group.\n\
         {OWN}\
         N = {vmas}\n\
         field = 0x7e0000000000\n\
         repeat {groups} as i {{\n    \
             block = field + ({last} - i) * N * PAGE\n    \
             mmap(block, N * PAGE, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n    \
             repeat (N + 1) / 2 as j {{ mprotect(block + 2 * j * PAGE, PAGE, PROT_NONE) }}\n\
         }}\n\
         repeat {groups} as i {{\n    \
             block = field + ({last} - i) * N * PAGE\n    \
             measure \"{call}, {vmas} VMA{s}\" {{ {call}({arguments}) }}\n\
         }}\n",
        s = if vmas == 1 { "" } else { "s" },
    )
}

/// How often mmap1's loop runs.
pub const MMAP1_ROUNDS: u64 = 2000;

/// will-it-scale's mmap1: 128 MiB mapped and unmapped, as often as can be.
#[must_use]
pub fn mmap1() -> String {
    format!(
        "# mmap1: map and unmap, as often as can be\n\
         # will-it-scale's loop: 128 MiB mapped and unmapped again.\n\
         {OWN}\
         repeat {MMAP1_ROUNDS} {{\n    \
             measure \"mmap + munmap\" {{\n        \
                 block = mmap(NULL, 128M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n        \
                 munmap(block, 128M)\n    \
             }}\n\
         }}\n"
    )
}

/// Pages that one of pagemove's workers moves: 4 MiB over 64 workers.
pub const PAGEMOVE_PAGES: u64 = 16;
/// How often pagemove's loop runs.
pub const PAGEMOVE_ROUNDS: u64 = 100;

/// stress-ng's pagemove: the pages of a block are shuffled down by one, three moves for each by way
/// of a spare page, and are written and read between.
#[must_use]
pub fn pagemove() -> String {
    format!(
        "# pagemove: pages moved to and fro\n\
         # stress-ng's loop: each page changes places with the next by way of a spare one. 64 workers share 4M, 16 pages each.\n\
         {OWN}\
         P = {PAGEMOVE_PAGES}\n\
         buf = mmap(NULL, (P + 1) * PAGE, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_POPULATE, -1, 0)\n\
         spare = buf + P * PAGE\n\
         munmap(spare, PAGE)\n\
         repeat {PAGEMOVE_ROUNDS} {{\n    \
             measure \"one round\" {{\n        \
                 mprotect(buf, P * PAGE, PROT_WRITE)\n        \
                 store(buf, P * PAGE)\n        \
                 mprotect(buf, P * PAGE, PROT_READ)\n        \
                 load(buf, P * PAGE)\n        \
                 repeat P - 1 as i {{\n            \
                     mremap(buf + i * PAGE, PAGE, PAGE, MREMAP_MAYMOVE|MREMAP_FIXED, spare)\n            \
                     mremap(buf + (i + 1) * PAGE, PAGE, PAGE, MREMAP_MAYMOVE|MREMAP_FIXED, buf + i * PAGE)\n            \
                     mremap(spare, PAGE, PAGE, MREMAP_MAYMOVE|MREMAP_FIXED, buf + (i + 1) * PAGE)\n        \
                 }}\n        \
                 load(buf, P * PAGE)\n    \
             }}\n\
         }}\n"
    )
}

/// One object of a kernel build.
pub const COMPILE: &str = include_str!("../../data/bench/compile.seal");
/// A browser's renderer at work.
pub const SPEEDOMETER: &str = include_str!("../../data/bench/speedometer.seal");
