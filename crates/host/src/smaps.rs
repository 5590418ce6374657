//! `/proc/PID/smaps` as mappings.

use std::sync::Arc;

use sealab_core::addr::AddrRange;
use sealab_core::call::{Mapping, MappingFile};
use sealab_core::flags::{Prot, VmFlags};

/// The mappings that `text` lists, or the line that is not understood.
pub(crate) fn parse(text: &str) -> Result<Vec<Mapping>, String> {
    let mut mappings: Vec<Mapping> = Vec::with_capacity(32);
    for line in text.lines() {
        let first = line.as_bytes().first().copied().unwrap_or(b' ');
        if first.is_ascii_digit() || first.is_ascii_lowercase() {
            mappings.push(header(line).ok_or_else(|| line.to_owned())?);
        } else if let Some(mapping) = mappings.last_mut() {
            if let Some(rest) = line.strip_prefix("Rss:") {
                mapping.rss = kilobytes(rest).ok_or_else(|| line.to_owned())?;
            } else if let Some(rest) = line.strip_prefix("VmFlags:") {
                mapping.flags = flags(rest).ok_or_else(|| line.to_owned())?;
            }
        }
    }
    Ok(mappings)
}

/// `start-end perms offset major:minor inode   name`
fn header(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let (perms, rest) = rest.split_once(' ')?;
    let (offset, rest) = rest.split_once(' ')?;
    let (dev, rest) = rest.split_once(' ')?;
    let (major, minor) = dev.split_once(':')?;
    let (inode, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let perms = perms.as_bytes();
    let mut prot = Prot::empty();
    prot.set(Prot::READ, *perms.first()? == b'r');
    prot.set(Prot::WRITE, *perms.get(1)? == b'w');
    prot.set(Prot::EXEC, *perms.get(2)? == b'x');
    Some(Mapping {
        range: AddrRange::new(hex(start)?, hex(end)?),
        prot,
        shared: *perms.get(3)? == b's',
        offset: hex(offset)?,
        file: MappingFile {
            dev_major: u32::from_str_radix(major, 16).ok()?,
            dev_minor: u32::from_str_radix(minor, 16).ok()?,
            inode: inode.parse().ok()?,
        },
        name: Arc::from(name.trim_start()),
        flags: VmFlags::empty(),
        rss: 0,
    })
}

fn hex(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok()
}

/// `     12 kB`, in bytes.
fn kilobytes(text: &str) -> Option<u64> {
    let number = text.trim().strip_suffix("kB")?.trim_end();
    number.parse::<u64>().ok()?.checked_mul(1024)
}

/// ` rd wr mr mw me ac `. A flag that the simulator has no name for makes the line unreadable:
/// it must not be passed over when two kernels are compared.
fn flags(text: &str) -> Option<VmFlags> {
    text.split_ascii_whitespace()
        .map(|letters| {
            VmFlags::MNEMONICS
                .iter()
                .find(|(_, name)| *name == letters)
                .map(|&(flag, _)| flag)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
7ffff7fc2000-7ffff7fc6000 r--p 00000000 00:00 0                          [vvar]
Size:                 16 kB
Rss:                   0 kB
VmFlags: rd mr pf io de dd 
100000016000-10000001a000 -w-s 00009000 00:01 7662                       /dev/zero (deleted)
Rss:                  12 kB
THPeligible:           0
VmFlags: wr sh mr mw me ms 
";

    #[test]
    fn reads_headers_flags_and_rss() {
        let maps = parse(TEXT).unwrap();
        assert_eq!(maps.len(), 2);
        assert_eq!(&*maps[0].name, "[vvar]");
        assert!(maps[0].flags.contains(VmFlags::PFNMAP | VmFlags::DONTDUMP));
        assert_eq!(
            maps[1].range,
            AddrRange::new(0x1000_0001_6000, 0x1000_0001_a000)
        );
        assert_eq!(maps[1].prot, Prot::WRITE);
        assert!(maps[1].shared);
        assert_eq!(maps[1].offset, 0x9000);
        assert_eq!(maps[1].file.inode, 7662);
        assert_eq!(&*maps[1].name, "/dev/zero (deleted)");
        assert_eq!(maps[1].rss, 12 << 10);
    }

    #[test]
    fn an_unknown_flag_is_not_passed_over() {
        let text = TEXT.replace("ms", "zz");
        assert!(parse(&text).unwrap_err().contains("zz"));
    }
}
