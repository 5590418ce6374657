//! STOPGAP until scenario::maps reads these: parses maps and smaps extracts.

use std::fmt;

use sealab_core::call::Mapping;
use sealab_core::flags::{Prot, VmFlags};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapsLine {
    pub start: u64,
    pub end: u64,
    pub perms: String,
    pub offset: u64,
    pub dev: (u32, u32),
    pub ino: u64,
    pub name: String,
}

impl MapsLine {
    pub fn of(m: &Mapping) -> Self {
        let bit = |p, c| if m.prot.contains(p) { c } else { '-' };
        Self {
            start: m.range.start,
            end: m.range.end,
            perms: [
                bit(Prot::READ, 'r'),
                bit(Prot::WRITE, 'w'),
                bit(Prot::EXEC, 'x'),
                if m.shared { 's' } else { 'p' },
            ]
            .iter()
            .collect(),
            offset: m.offset,
            dev: (m.file.dev_major, m.file.dev_minor),
            ino: m.file.inode,
            name: m.name.to_string(),
        }
    }
    pub fn inode(&self) -> (u32, u32, u64) {
        (self.dev.0, self.dev.1, self.ino)
    }
    pub fn without_inode(&self) -> (u64, u64, &str, u64, &str) {
        (self.start, self.end, &self.perms, self.offset, &self.name)
    }
    pub fn parse(line: &str) -> Option<Self> {
        let mut it = line.splitn(6, ' ');
        let (s, e) = it.next()?.split_once('-')?;
        let perms = it.next()?.to_owned();
        let offset = u64::from_str_radix(it.next()?, 16).ok()?;
        let (a, b) = it.next()?.split_once(':')?;
        let ino = it.next()?.parse().ok()?;
        Some(Self {
            start: u64::from_str_radix(s, 16).ok()?,
            end: u64::from_str_radix(e, 16).ok()?,
            perms,
            offset,
            dev: (
                u32::from_str_radix(a, 16).ok()?,
                u32::from_str_radix(b, 16).ok()?,
            ),
            ino,
            name: it.next().unwrap_or("").trim().to_owned(),
        })
    }
    pub fn prot(&self) -> Prot {
        let mut p = Prot::empty();
        p.set(Prot::READ, self.perms.contains('r'));
        p.set(Prot::WRITE, self.perms.contains('w'));
        p.set(Prot::EXEC, self.perms.contains('x'));
        p
    }
    pub fn shared(&self) -> bool {
        self.perms.ends_with('s')
    }
}

impl fmt::Display for MapsLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:08x}-{:08x} {} {:08x} {:02x}:{:02x} {} {}",
            self.start,
            self.end,
            self.perms,
            self.offset,
            self.dev.0,
            self.dev.1,
            self.ino,
            self.name
        )
    }
}

#[derive(Clone, Debug)]
pub struct SmapsEntry {
    pub maps: MapsLine,
    pub flags: VmFlags,
    pub rss: u64,
}

pub fn parse_maps(text: &str) -> Vec<MapsLine> {
    text.lines().filter_map(MapsLine::parse).collect()
}

pub fn parse_smaps(text: &str) -> Vec<SmapsEntry> {
    let mut out: Vec<SmapsEntry> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("VmFlags:") {
            if let Some(e) = out.last_mut() {
                for w in rest.split_whitespace() {
                    for (f, m) in VmFlags::MNEMONICS {
                        if *m == w {
                            e.flags |= *f;
                        }
                    }
                }
            }
        } else if let Some(rest) = line.strip_prefix("Rss:") {
            if let Some(e) = out.last_mut() {
                e.rss = rest
                    .trim()
                    .trim_end_matches(" kB")
                    .parse::<u64>()
                    .unwrap_or(0)
                    << 10;
            }
        } else if let Some(maps) = MapsLine::parse(line) {
            out.push(SmapsEntry {
                maps,
                flags: VmFlags::empty(),
                rss: 0,
            });
        }
    }
    out
}

pub fn mnemonics(flags: VmFlags) -> Vec<&'static str> {
    VmFlags::MNEMONICS
        .iter()
        .filter(|(f, _)| flags.contains(*f))
        .map(|(_, m)| *m)
        .collect()
}
