//! The reference, written from the tables.

use std::fmt::Write as _;

use crate::calls::flags::TABLES;
use crate::calls::{self, CallKind, CallSpec};
use crate::limits::{
    CALLS_RUN, LINK_CHAT_CHARS, LINK_PACKED_BYTES, LINK_UNPACKED_BYTES, Limits, MAPS_BYTES,
    MAPS_LINES,
};

const GROUPS: &[(CallKind, &str)] = &[
    (CallKind::Memory, "Memory calls"),
    (CallKind::Access, "Accesses"),
    (CallKind::File, "Files behind mappings"),
    (CallKind::Process, "Processes"),
    (CallKind::Setting, "Settings"),
];

/// The reference of all calls, accesses, flags and limits, as Markdown. Each call's example is a
/// fenced block of its own.
#[must_use]
pub fn reference() -> String {
    let mut out = String::from("# Scenario reference\n");
    for (kind, title) in GROUPS {
        let _ = write!(out, "\n## {title}\n");
        for spec in calls::all().filter(|spec| spec.kind == *kind) {
            call(&mut out, spec);
        }
    }
    out.push_str("\n## Flags\n");
    for table in TABLES {
        let _ = write!(
            out,
            "\n### {}\n\n| name | value | meaning |\n|---|---|---|\n",
            table.title
        );
        for flag in table.flags {
            let _ = writeln!(
                out,
                "| `{}` | {:#x} | {} |",
                flag.name,
                flag.value,
                cell(flag.doc)
            );
        }
    }
    limits(&mut out);
    out
}

fn call(out: &mut String, spec: &CallSpec) {
    let _ = write!(
        out,
        "\n### {}\n\n`{}` returns {}.\n",
        spec.name,
        spec.signature(),
        spec.returns
    );
    let _ = write!(out, "\nIt {}.", spec.doc);
    if !spec.aliases.is_empty() {
        let _ = write!(out, " Also written {}.", spec.aliases.join(", "));
    }
    if spec.kernels != "all" {
        let _ = write!(out, " Kernels: {}.", spec.kernels);
    }
    out.push('\n');
    if !spec.args.is_empty() {
        out.push_str("\n| argument | what it is |\n|---|---|\n");
        for arg in spec.args {
            let _ = writeln!(out, "| `{}` | {} |", arg.label(), cell(arg.doc));
        }
    }
    if !spec.errors.is_empty() {
        out.push_str("\n| error | when |\n|---|---|\n");
        for (errno, when) in spec.errors {
            let _ = writeln!(out, "| `{errno}` | {} |", cell(when));
        }
    }
    let _ = write!(out, "\n```sealab\n{}\n```\n", spec.example);
}

/// A text for a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn limits(out: &mut String) {
    let limits = Limits::default();
    let rows = [
        ("limit-text", "bytes of a text", limits.text_bytes as u64),
        ("limit-lines", "lines of a text", limits.lines as u64),
        ("limit-statements", "statements", limits.statements as u64),
        (
            "limit-nesting",
            "blocks inside each other",
            limits.nesting as u64,
        ),
        (
            "limit-expression",
            "parentheses inside each other",
            limits.expression_depth as u64,
        ),
        ("limit-names", "names", limits.names as u64),
        (
            "limit-diagnostics",
            "faults listed one by one",
            limits.diagnostics as u64,
        ),
        (
            "limit-notes",
            "notes listed one by one",
            limits.notes as u64,
        ),
        ("limit-calls", "calls and iterations of a run", CALLS_RUN),
        ("limit-maps", "bytes of a maps text", MAPS_BYTES as u64),
        (
            "limit-maps-lines",
            "mappings of a maps text",
            MAPS_LINES as u64,
        ),
        (
            "limit-link",
            "characters of a link",
            LINK_PACKED_BYTES as u64,
        ),
        (
            "limit-link-unpacked",
            "bytes a link unpacks to",
            LINK_UNPACKED_BYTES as u64,
        ),
        (
            "",
            "characters of a link that chat tools pass on",
            LINK_CHAT_CHARS as u64,
        ),
    ];
    out.push_str("\n## Limits\n\n| error | most | what it counts |\n|---|---|---|\n");
    for (code, what, most) in rows {
        let code = if code.is_empty() {
            String::new()
        } else {
            format!("`{code}`")
        };
        let _ = writeln!(out, "| {code} | {most} | {what} |");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{ParseOptions, parse};

    #[test]
    fn every_call_and_flag_is_in_it() {
        let text = reference();
        for spec in calls::all() {
            assert!(
                text.contains(&format!("### {}\n", spec.name)),
                "{}",
                spec.name
            );
        }
        for known in calls::flags::all() {
            assert!(
                text.contains(&format!("`{}`", known.flag.name)),
                "{}",
                known.flag.name
            );
        }
    }

    #[test]
    fn every_example_parses() {
        let names = "heap = 0x10000\ntext = 0x20000\nshared = 9\nchild = fork()\n";
        for spec in calls::all() {
            let text = format!("{names}{}", spec.example);
            let parsed = parse(&text, &ParseOptions::default());
            assert!(
                parsed.diagnostics.is_empty(),
                "{}: {:?}",
                spec.example,
                parsed.diagnostics
            );
            assert!(parsed.skipped.is_empty(), "{}", spec.example);
            assert_eq!(parsed.program.statements().len(), 5, "{}", spec.example);
        }
    }
}
