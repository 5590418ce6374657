//! Rows of `pmap`: plain, `-x`, `-X` and `-XX`.

use sealab_core::call::{Mapping, MappingFile};
use sealab_core::flags::{Prot, VmFlags};

use super::line::{hex, mapping, next_word, permissions};

/// The columns of `pmap -X`, from its heading.
#[derive(Clone, Debug)]
pub(super) struct Columns(Vec<String>);

/// A row that was read.
pub(super) struct Row {
    pub mapping: Mapping,
    pub has_rss: bool,
    pub flags: Option<VmFlags>,
}

/// `Address Perm Offset Device Inode Size Rss … Mapping`, or `Address Kbytes RSS Dirty Mode Mapping`.
pub(super) fn heading(line: &str) -> Option<Columns> {
    let columns: Vec<_> = line.split_ascii_whitespace().map(str::to_owned).collect();
    (columns.first()? == "Address" && columns.last()? == "Mapping").then_some(Columns(columns))
}

/// What stands around the rows: the command, rules, totals.
pub(super) fn is_frame(line: &str) -> bool {
    let trimmed = line.trim();
    let rule = trimmed.chars().all(|c| matches!(c, '-' | '=' | ' '));
    let total = trimmed.starts_with("total");
    let sums = trimmed.bytes().all(|b| b.is_ascii_digit() || b == b' ') || trimmed.ends_with(" KB");
    let command = trimmed
        .split_once(':')
        .is_some_and(|(pid, _)| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()));
    rule || total || sums || command
}

/// A row of a table with that heading, or of plain `pmap`.
pub(super) fn row(columns: Option<&Columns>, line: &str) -> Option<Row> {
    match columns {
        Some(Columns(columns)) if columns.iter().any(|column| column == "Perm") => {
            detailed(columns, line)
        }
        _ => short(line),
    }
}

/// `0000558bba852000     188     188       0 r---- bash` or `0000558bba852000    188K r---- bash`
fn short(line: &str) -> Option<Row> {
    let (address, rest) = next_word(line)?;
    let start = hex(address).filter(|_| address.len() >= 8)?;
    let (size, rest) = next_word(rest)?;
    let plain = size.strip_suffix('K');
    let kilobytes: u64 = plain.unwrap_or(size).parse().ok()?;
    let (rss, mode, name) = if plain.is_some() {
        let (mode, name) = next_word(rest)?;
        (None, mode, name)
    } else {
        let (rss, rest) = next_word(rest)?;
        let (_dirty, rest) = next_word(rest)?;
        let (mode, name) = next_word(rest)?;
        (Some(rss.parse::<u64>().ok()?), mode, name)
    };
    let (prot, shared) = mode_letters(mode)?;
    let end = start.checked_add(kilobytes.checked_mul(1024)?)?;
    let mut row = Row {
        mapping: mapping(
            (start, end),
            prot,
            shared,
            0,
            MappingFile::default(),
            plain_name(name.trim()),
        ),
        has_rss: rss.is_some(),
        flags: None,
    };
    row.mapping.rss = rss.unwrap_or(0).saturating_mul(1024);
    Some(row)
}

/// pmap's `[ anon ]` is no name of the kernel's.
fn plain_name(name: &str) -> &str {
    match name {
        "[ anon ]" => "",
        "[ stack ]" => "[stack]",
        name => name,
    }
}

/// `rwxs-`: the fifth says whether swap is reserved.
fn mode_letters(mode: &str) -> Option<(Prot, bool)> {
    let letters = mode.get(..4).filter(|_| mode.len() == 5)?;
    let kind = if letters.ends_with('s') { "s" } else { "p" };
    permissions(&format!("{}{kind}", letters.get(..3)?))
}

/// A row of `pmap -X`: as many words as columns, and the name last.
fn detailed(columns: &[String], line: &str) -> Option<Row> {
    let mut rest = line;
    let mut start = 0;
    let mut access = None;
    let (mut offset, mut inode, mut size, mut rss) = (0, 0, 0_u64, None);
    let mut device = (0, 0);
    let mut flags = None;
    for column in columns {
        match column.as_str() {
            "Mapping" => break,
            "VmFlags" => {
                let (found, after) = vm_flags(rest);
                flags = Some(found);
                rest = after;
                continue;
            }
            _ => {}
        }
        let (word, after) = next_word(rest)?;
        rest = after;
        match column.as_str() {
            "Address" => start = hex(word).filter(|_| word.len() >= 8)?,
            "Perm" => access = Some(permissions(word)?),
            "Offset" => offset = hex(word)?,
            "Device" => {
                let (major, minor) = word.split_once(':')?;
                device = (
                    u32::from_str_radix(major, 16).ok()?,
                    u32::from_str_radix(minor, 16).ok()?,
                );
            }
            "Inode" => inode = word.parse().ok()?,
            "Size" => size = word.parse().ok()?,
            "Rss" => rss = Some(word.parse::<u64>().ok()?),
            _ => {}
        }
    }
    let (prot, shared) = access?;
    let end = start.checked_add(size.checked_mul(1024)?)?;
    let file = MappingFile {
        dev_major: device.0,
        dev_minor: device.1,
        inode,
    };
    let mut row = Row {
        mapping: mapping((start, end), prot, shared, offset, file, rest.trim()),
        has_rss: rss.is_some(),
        flags,
    };
    row.mapping.rss = rss.unwrap_or(0).saturating_mul(1024);
    Some(row)
}

/// The two-letter flags at the start of a text, and what follows them.
fn vm_flags(text: &str) -> (VmFlags, &str) {
    let mut flags = VmFlags::empty();
    let mut rest = text;
    while let Some((word, after)) = next_word(rest) {
        let Some((flag, _)) = VmFlags::MNEMONICS.iter().find(|(_, known)| *known == word) else {
            // one that is not known here, such as `bt`, before a name
            if word.len() == 2 && word.bytes().all(|b| b.is_ascii_lowercase()) {
                rest = after;
                continue;
            }
            break;
        };
        flags |= *flag;
        rest = after;
    }
    (flags, rest)
}
