//! What the recorder's own process looks like when a case begins, for recordings that do not say.

use std::sync::OnceLock;

use sealab_core::addr::AddrRange;
use sealab_core::call::Mapping;
use sealab_core::flags::VmFlags;

struct Known {
    kernels: &'static str,
    file: &'static str,
    perms: &'static str,
    offset: u64,
    size: u64,
    flags: VmFlags,
    rss: u64,
    pages: Vec<(u64, u64)>,
}

/// What is usual of a mapping.
pub struct Usual {
    /// Its flags.
    pub flags: VmFlags,
    /// Its resident bytes; `None` where `resident` says more.
    pub rss: Option<u64>,
    /// Its resident parts, where it is resident in part.
    pub resident: Vec<AddrRange>,
}

impl Usual {
    /// Its resident bytes.
    pub fn size(&self) -> u64 {
        let parts = self.resident.iter().map(|r| r.len());
        self.rss.unwrap_or_else(|| parts.sum())
    }
}

/// What the recorder's mapping `line` usually has under `kernel`.
pub fn usual(kernel: &str, line: &Mapping) -> Option<Usual> {
    static TABLE: OnceLock<Vec<Known>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let text = include_str!("../../data/recorder-start.csv");
        text.lines().filter_map(parse).collect()
    });
    let file = line.name.rsplit('/').next().unwrap_or_default();
    let perms = crate::space::maps_entry(line).perms;
    let found = table.iter().find(|k| {
        (k.kernels == "*" || k.kernels == kernel)
            && k.file == file
            && k.perms == perms
            && (k.offset, k.size) == (line.offset, line.range.len())
    });
    let start = line.range.start;
    found.map(|k| Usual {
        flags: k.flags,
        rss: k.pages.is_empty().then_some(k.rss),
        resident: (k.pages.iter())
            .map(|(first, end)| AddrRange::new(start + (first << 12), start + (end << 12)))
            .collect(),
    })
}

fn parse(line: &'static str) -> Option<Known> {
    let mut fields = line.split(',');
    let mut next = || fields.next();
    let kernels = next().filter(|k| !k.starts_with('#'))?;
    let (file, perms) = (next()?, next()?);
    let offset = u64::from_str_radix(next()?, 16).ok()?;
    let size = next()?.parse::<u64>().ok()? << 10;
    let letters = next()?;
    let flags = letters.split(' ').filter_map(|two| {
        let known = VmFlags::MNEMONICS.iter().find(|(_, m)| *m == two);
        known.map(|(flag, _)| *flag)
    });
    Some(Known {
        kernels,
        file,
        perms,
        offset,
        size,
        flags: flags.collect(),
        rss: next()?.parse::<u64>().ok()? << 10,
        pages: next()?
            .split_terminator(' ')
            .map(|run| {
                let (first, end) = run.split_once('-')?;
                Some((first.parse().ok()?, end.parse().ok()?))
            })
            .collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let text = include_str!("../../data/recorder-start.csv");
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let known = parse(line).unwrap_or_else(|| panic!("{line}"));
            let pages: u64 = known.pages.iter().map(|(first, end)| end - first).sum();
            assert!(known.pages.is_empty() || pages << 12 == known.rss, "{line}");
        }
    }
}
