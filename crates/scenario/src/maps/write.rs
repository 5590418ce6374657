//! Mappings as the kernel prints them.

use std::fmt::Write as _;

use sealab_core::call::Mapping;
use sealab_core::flags::{Prot, VmFlags};

/// Names start in this column, counted from 0 (`show_map_vma`, fs/proc/task_mmu.c).
const NAME_COLUMN: usize = 73;

/// The line of `/proc/PID/maps` for `mapping`, byte for byte as the kernel prints it, without the
/// newline. A mapping without a name ends in a blank.
#[must_use]
pub fn maps_line(mapping: &Mapping) -> String {
    let letter = |flag, letter| {
        if mapping.prot.contains(flag) {
            letter
        } else {
            '-'
        }
    };
    let mut line = format!(
        "{:08x}-{:08x} {}{}{}{} {:08x} {:02x}:{:02x} {} ",
        mapping.range.start,
        mapping.range.end,
        letter(Prot::READ, 'r'),
        letter(Prot::WRITE, 'w'),
        letter(Prot::EXEC, 'x'),
        if mapping.shared { 's' } else { 'p' },
        mapping.offset,
        mapping.file.dev_major,
        mapping.file.dev_minor,
        mapping.file.inode,
    );
    if mapping.name.is_empty() {
        return line;
    }
    // The last blank before the name comes in any case.
    while line.len() < NAME_COLUMN - 1 {
        line.push(' ');
    }
    line.push(' ');
    line.push_str(&mapping.name.replace('\n', "\\012"));
    line
}

/// All of `/proc/PID/maps`.
#[must_use]
pub fn maps_text(mappings: &[Mapping]) -> String {
    let mut text = String::with_capacity(mappings.len() * 100);
    for mapping in mappings {
        let _ = writeln!(text, "{}", maps_line(mapping));
    }
    text
}

/// The `VmFlags:` line of `/proc/PID/smaps`, without the newline. It ends in a blank.
#[must_use]
pub fn vm_flags_line(mapping: &Mapping) -> String {
    let mut line = "VmFlags: ".to_owned();
    for (flag, letters) in VmFlags::MNEMONICS {
        if mapping.flags.contains(*flag) {
            let _ = write!(line, "{letters} ");
        }
    }
    line
}

/// The `Rss:` line of `/proc/PID/smaps`, without the newline.
#[must_use]
pub fn rss_line(mapping: &Mapping) -> String {
    format!("Rss:            {:8} kB", mapping.rss / 1024)
}
