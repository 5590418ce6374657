//! A program and what the real kernel made of it, as a recorded case that `replay` reads.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use sealab_core::call::{Call, Mapping};
use sealab_scenario::{maps, render};

use super::compare::outcome_text;
use super::{Run, Step};

/// Writes `NAME.strace` (the calls with the kernel's results, `remarks` as comments before them)
/// into `folder`, and beside it the address space before and after: `.before`, `.bsmaps`,
/// `.after`, `.smaps`.
///
/// # Errors
/// Where a file cannot be written.
pub fn write_case(
    folder: &Path,
    name: &str,
    remarks: &[String],
    program: &[Step],
    before: &[Mapping],
    run: &Run,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file =
        |ending: &str, text: String| fs::write(folder.join(format!("{name}.{ending}")), text);
    let after = run.after.first().map_or(&[][..], |maps| maps);
    file("strace", trace(remarks, program, run))?;
    file("before", maps_text(before))?;
    file("bsmaps", smaps_text(before))?;
    file("after", maps_text(after))?;
    file("smaps", smaps_text(after))
}

fn trace(remarks: &[String], program: &[Step], run: &Run) -> String {
    let mut text = String::new();
    for line in remarks.iter().flat_map(|remark| remark.lines()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# {line}");
    }
    let several = program.iter().any(|(_, call)| *call == Call::Fork);
    for ((by, call), outcome) in program.iter().zip(&run.outcomes) {
        let mut result = outcome_text(*outcome);
        if several {
            let _ = write!(text, "[pid {}] ", pid(u64::from(by.0)));
            if let (Call::Fork, sealab_core::call::Outcome::Value(child)) = (call, outcome) {
                result = pid(*child).to_string();
            }
        }
        let _ = writeln!(text, "{} = {result}", render::call_text(call));
    }
    text
}

/// A process number that could be one: strace names processes by it.
fn pid(number: u64) -> u64 {
    1000 + number
}

fn maps_text(mappings: &[Mapping]) -> String {
    mappings.iter().map(|m| maps::maps_line(m) + "\n").collect()
}

fn smaps_text(mappings: &[Mapping]) -> String {
    let entry = |m: &Mapping| {
        format!(
            "{}\n{}\n{}\n",
            maps::maps_line(m),
            maps::vm_flags_line(m),
            maps::rss_line(m)
        )
    };
    mappings.iter().map(entry).collect()
}
