//! `file-and-shared`: shared anonymous memory, memfds and a file.

use sealab_core::call::Call;
use sealab_core::flags::{MapFlags, madv, open};

use super::aim::Target;
use super::draw::{ANON, DONTUNMAP, FIXED, MAYMOVE, MFIXED, NORESERVE, POPULATE, PRIVATE, SHARED};
use super::{Generator, PAGE};

const SIZES: &[u64] = &[
    0, 1, 4096, 5000, 6000, 8192, 16384, 65536, 131_072, 200_000, 262_144,
];
const PATH: &str = "/sealab/file";

/// What a program has open.
#[derive(Default)]
struct Open {
    /// Writable, and what ftruncate is for.
    first: Option<i32>,
    /// The same file once more, read-only or write-only.
    second: Option<i32>,
    /// Whether anything in the program is a file.
    any: bool,
}

pub(super) fn program(g: &mut Generator<'_>) {
    let length = g.length();
    let mut files = open_some(g);
    for _ in 0..g.rng.within(1, 3) {
        map(g, &files);
    }
    while g.wants_more(length) {
        step(g, &mut files);
    }
}

fn open_some(g: &mut Generator<'_>) -> Open {
    let mut files = Open::default();
    let fd = match g.rng.below(3) {
        0 => g.value(Call::MemfdCreate {
            name: "sealab".into(),
            flags: 1, // MFD_CLOEXEC
            fd: None,
        }),
        1 => g.value(Call::Open {
            path: PATH.into(),
            flags: open::RDWR | open::CREAT | open::TRUNC,
            fd: None,
            size: Some(0),
        }),
        _ => return files,
    };
    let regular = matches!(g.program.last(), Some((_, Call::Open { .. })));
    files.first = fd.and_then(|fd| i32::try_from(fd).ok());
    files.any = true;
    truncate(g, &files);
    if regular && g.rng.chance(50) {
        let flags = g.rng.weighted(&[(4, open::RDONLY), (1, open::WRONLY)]);
        let fd = g.value(Call::Open {
            path: PATH.into(),
            flags,
            fd: None,
            size: None,
        });
        files.second = fd.and_then(|fd| i32::try_from(fd).ok());
    }
    files
}

fn truncate(g: &mut Generator<'_>, files: &Open) {
    if let Some(fd) = files.first {
        let len = g.rng.one(SIZES).copied().unwrap_or(0);
        g.make(Call::Ftruncate { fd, len });
    }
}

fn map(g: &mut Generator<'_>, files: &Open) {
    let made = g.made();
    let mut at = g.place(&made);
    let how = g.rng.weighted(&[(85, FIXED), (15, 0)]);
    if how == 0 {
        at.addr = 0;
    }
    let prot = g.first_prot();
    let more = g.rng.weighted(&[(90, 0), (5, POPULATE), (5, NORESERVE)]);
    let fd = match (files.first, files.second) {
        (_, Some(second)) if g.rng.chance(35) => Some(second),
        (Some(first), _) if g.rng.chance(70) => Some(first),
        _ => None,
    };
    let shared = g.rng.chance(65);
    let call = match fd {
        Some(fd) => {
            let kind = g
                .rng
                .weighted(&[(19, SHARED), (1, MapFlags::TYPE_SHARED_VALIDATE)]);
            let offset = match g.rng.below(4) {
                0 | 1 => 0,
                // As if the whole arena were the file: neighbours then continue each other.
                2 => at.addr.saturating_sub(super::ARENA) & !(PAGE - 1),
                _ => g.rng.below(64) * PAGE,
            };
            Call::Mmap {
                addr: at.addr,
                len: at.len,
                prot,
                flags: how | more | if shared { kind } else { PRIVATE },
                fd,
                offset,
            }
        }
        None => {
            let kind = if shared { SHARED } else { PRIVATE };
            super::draw::anon(at, prot, how | more | kind | ANON)
        }
    };
    g.make(call);
}

fn step(g: &mut Generator<'_>, files: &mut Open) {
    let made = g.made();
    match g.rng.below(100) {
        0..=23 => map(g, files),
        24..=37 => {
            let t = g.aim(&made);
            g.protect(t);
        }
        38..=59 => {
            g.touch(&made);
        }
        60..=64 => {
            let t = g.aim(&made);
            g.advise_with(t, madv::REMOVE);
        }
        65..=72 => {
            let t = g.aim(&made);
            g.advise(t);
        }
        73..=79 => remap(g),
        80..=86 => {
            let t = g.aim(&made);
            g.unmap(t);
        }
        87..=91 => truncate(g, files),
        92..=95 => {
            let t = g.aim(&made);
            g.seal(t);
        }
        96..=98 => {
            let t = g.aim(&made);
            let flags = g.rng.weighted(&[(3, 4), (2, 1), (1, 2), (1, 5)]);
            g.make(Call::Msync {
                addr: t.addr,
                len: t.len,
                flags,
            });
        }
        _ => close(g, files),
    }
}

/// Shared mappings can be copied by an old length of 0, so that is drawn more often here.
fn remap(g: &mut Generator<'_>) {
    let made = g.made();
    if !g.rng.chance(35) {
        g.remap(&made);
        return;
    }
    let t = g.aim(&made);
    let to: Target = g.place(&made);
    let flags = g.rng.weighted(&[
        (5, MAYMOVE),
        (3, MAYMOVE | MFIXED),
        (1, MAYMOVE | DONTUNMAP),
        (1, 0),
    ]);
    let new_len = g.rng.within(1, 8) * PAGE;
    g.make(Call::Mremap {
        addr: t.addr,
        old_len: 0,
        new_len,
        flags,
        new_addr: to.addr,
    });
}

fn close(g: &mut Generator<'_>, files: &mut Open) {
    let fd = if g.rng.chance(50) {
        files.second.take()
    } else {
        files.first.take()
    };
    if let Some(fd) = fd {
        g.make(Call::Close { fd });
    } else if files.any {
        // What is closed is no descriptor any more.
        g.make(Call::Ftruncate { fd: 3, len: PAGE });
    }
}
