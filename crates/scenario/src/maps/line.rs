//! One line of `/proc/PID/maps` or smaps.

use std::sync::Arc;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Mapping, MappingFile};
use sealab_core::flags::{Prot, VmFlags};

/// `5581…-5582… r-xp 00002000 fe:00 247030   /usr/bin/cat`; names may hold blanks.
pub(super) fn parse(line: &str) -> Option<Mapping> {
    let (range, rest) = next_word(line)?;
    let (start, end) = range.split_once('-')?;
    let (start, end) = (hex(start)?, hex(end)?);
    let (perms, rest) = next_word(rest)?;
    let (prot, shared) = permissions(perms)?;
    let (offset, rest) = next_word(rest)?;
    let (dev, rest) = next_word(rest)?;
    let (major, minor) = dev.split_once(':')?;
    let (inode, rest) = next_word(rest)?;
    let file = MappingFile {
        dev_major: u32::from_str_radix(major, 16).ok()?,
        dev_minor: u32::from_str_radix(minor, 16).ok()?,
        inode: inode.parse().ok()?,
    };
    Some(mapping(
        (start, end),
        prot,
        shared,
        hex(offset)?,
        file,
        rest.trim(),
    ))
}

/// A mapping of which neither flags nor resident memory are known.
pub(super) fn mapping(
    (start, end): (u64, u64),
    prot: Prot,
    shared: bool,
    offset: u64,
    file: MappingFile,
    name: &str,
) -> Mapping {
    let mut mapping = Mapping {
        range: AddrRange { start, end },
        prot,
        shared,
        offset,
        file,
        name: Arc::from(name),
        flags: VmFlags::empty(),
        rss: 0,
    };
    mapping.flags = super::implied_flags(&mapping);
    mapping
}

/// The next word and what follows it.
pub(super) fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if text.is_empty() {
        return None;
    }
    Some(text.split_once([' ', '\t']).unwrap_or((text, "")))
}

pub(super) fn hex(text: &str) -> Option<u64> {
    (text.len() <= 16).then(|| u64::from_str_radix(text, 16).ok())?
}

/// `r-xp`
pub(super) fn permissions(text: &str) -> Option<(Prot, bool)> {
    let [r, w, x, s] = text.as_bytes() else {
        return None;
    };
    let mut prot = Prot::empty();
    for (letter, set, flag) in [
        (r, b'r', Prot::READ),
        (w, b'w', Prot::WRITE),
        (x, b'x', Prot::EXEC),
    ] {
        match *letter {
            b'-' => {}
            letter if letter == set => prot |= flag,
            _ => return None,
        }
    }
    match s {
        b'p' => Some((prot, false)),
        b's' => Some((prot, true)),
        _ => None,
    }
}

/// `Rss:   44 kB`
pub(super) fn key_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let word = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (word && key.starts_with(|c: char| c.is_ascii_uppercase())).then_some((key, value.trim()))
}
