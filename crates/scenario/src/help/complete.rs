//! What may be written at the cursor.

use crate::calls::flags::FlagTable;
use crate::calls::{self, ArgKind, CallKind, CallName, CallSpec};
use crate::text::floor_boundary;

use super::Completion;
use super::context::{Context, bound_names};

/// Keywords, what is written for them, and where the cursor then stands.
const BLOCKS: &[(&str, &str, &str)] = &[
    (
        "repeat",
        "repeat 1000 as i { | }",
        "runs its body so many times",
    ),
    (
        "measure",
        "measure \"|\" {  }",
        "names a stretch whose counts and cost are reported apart",
    ),
];

/// What may be written at `offset` (bytes), best first.
#[must_use]
pub fn complete(text: &str, offset: usize) -> Vec<Completion> {
    let offset = floor_boundary(text, offset);
    let context = Context::at(text, offset);
    if context.in_comment {
        return Vec::new();
    }
    let mut list = List {
        text,
        offset,
        replace: context.word.clone(),
        typed: text
            .get(context.word.start..offset)
            .unwrap_or("")
            .to_lowercase(),
        found: Vec::new(),
    };
    if let Some(inside) = &context.in_text {
        if let Some((spec, argument)) = context.call {
            list.replace = inside.clone();
            list.typed = text.get(inside.clone()).unwrap_or("").to_lowercase();
            list.texts(spec, argument);
        }
        return list.sorted();
    }
    if list.typed.starts_with(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    match (context.call, context.result_of) {
        (Some((spec, argument)), _) => list.argument(spec, argument),
        (None, Some(spec)) if context.before == "-" || context.before == "1" => {
            list.errors(spec, "")
        }
        (None, Some(spec)) => list.results(spec),
        (None, None) if context.at_start => list.statements(),
        (None, None) if context.before == "=" => {
            list.calls();
            list.values();
        }
        (None, None) => list.keywords(context.before),
    }
    list.sorted()
}

struct List<'t> {
    text: &'t str,
    offset: usize,
    replace: std::ops::Range<usize>,
    /// What is there already, in lower case.
    typed: String,
    found: Vec<(u8, Completion)>,
}

impl List<'_> {
    /// Adds a completion if it goes with what was typed. A `|` in `insert` is where the cursor
    /// goes.
    fn add(&mut self, label: &str, insert: &str, kind: &'static str, detail: &str) {
        let Some(rank) = rank(label, &self.typed) else {
            return;
        };
        let cursor = insert.find('|').unwrap_or(insert.len());
        self.found.push((
            rank,
            Completion {
                replace: self.replace.clone(),
                label: label.to_owned(),
                insert: insert.replacen('|', "", 1),
                cursor,
                kind,
                detail: detail.to_owned(),
            },
        ));
    }

    fn sorted(mut self) -> Vec<Completion> {
        self.found.sort_by_key(|(rank, _)| *rank);
        self.found
            .into_iter()
            .map(|(_, completion)| completion)
            .collect()
    }

    fn statements(&mut self) {
        self.calls();
        for (label, insert, detail) in BLOCKS {
            self.add(label, insert, "keyword", detail);
        }
    }

    fn calls(&mut self) {
        for spec in calls::all() {
            // old names are for traces
            if matches!(
                spec.call,
                CallName::Mmap2 | CallName::OldMmap | CallName::Openat2
            ) {
                continue;
            }
            let kind = match spec.kind {
                CallKind::Access => "access",
                CallKind::Setting => "setting",
                _ => "call",
            };
            let insert = match (spec.call, spec.args.len()) {
                (CallName::Write, _) => "write(\"|\", \"always\")".to_owned(),
                (_, 0) => format!("{}()", spec.name),
                _ => format!("{}(|)", spec.name),
            };
            self.add(
                spec.name,
                &insert,
                kind,
                &format!("{}: {}", spec.signature(), spec.doc),
            );
        }
    }

    fn keywords(&mut self, before: &str) {
        if before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ')') {
            self.add("as", "as i { | }", "keyword", "names the loop variable");
        }
    }

    /// Names and constants that a number can be written with.
    fn values(&mut self) {
        for (name, place) in bound_names(self.text, self.offset).into_iter().rev() {
            let line = self
                .text
                .get(..place.start)
                .unwrap_or("")
                .matches('\n')
                .count()
                + 1;
            self.add(&name, &name, "name", &format!("bound on line {line}"));
        }
        self.add("PAGE", "PAGE", "constant", "the variant's page size");
    }

    fn argument(&mut self, spec: &CallSpec, argument: usize) {
        let Some(arg) = spec.args.get(argument) else {
            return;
        };
        match arg.kind {
            ArgKind::Flags(table) | ArgKind::Choice(table) => self.flags(table),
            ArgKind::DirFd => self.add("AT_FDCWD", "AT_FDCWD", "constant", "the current directory"),
            ArgKind::Pattern => {
                self.add("seq", "seq", "constant", "eight bytes on each time");
                self.add(
                    "random",
                    "random",
                    "constant",
                    "anywhere, drawn from the seed",
                );
                self.add(
                    "stride",
                    "stride |",
                    "constant",
                    "so many bytes on each time",
                );
            }
            ArgKind::AccessWord => {
                self.add("load", "load", "constant", "reads");
                self.add("store", "store", "constant", "writes");
                self.add("exec", "exec", "constant", "runs an instruction");
            }
            ArgKind::Path | ArgKind::Text | ArgKind::Ignored => {}
            ArgKind::Address => {
                self.values();
                self.add("NULL", "NULL", "constant", arg.doc);
            }
            ArgKind::Fd => {
                self.values();
                self.add("-1", "-1", "constant", "no file");
            }
            _ => self.values(),
        }
    }

    fn flags(&mut self, table: &FlagTable) {
        for flag in table.flags {
            self.add(flag.name, flag.name, "flag", flag.doc);
        }
    }

    /// Texts in quotes: the settings' files and their values.
    fn texts(&mut self, spec: &CallSpec, argument: usize) {
        if spec.call != CallName::Write {
            return;
        }
        let base = "/sys/kernel/mm/transparent_hugepage";
        match argument {
            0 => {
                for kilobytes in [16, 32, 64, 128, 256, 512, 1024, 2048] {
                    let path = format!("{base}/hugepages-{kilobytes}kB/enabled");
                    self.add(&path, &path, "text", "anonymous folios of that size");
                }
                let path = format!("{base}/enabled");
                self.add(
                    &path,
                    &path,
                    "text",
                    "PMD-sized pages, and sizes that inherit",
                );
            }
            _ => {
                for value in ["always", "madvise", "inherit", "never"] {
                    self.add(value, value, "text", "when the size is used");
                }
            }
        }
    }

    fn results(&mut self, spec: &CallSpec) {
        self.add("0", "0", "constant", "it succeeds");
        self.errors(spec, "-1 ");
        self.add("?", "?", "constant", "nothing is said");
    }

    fn errors(&mut self, spec: &CallSpec, before: &str) {
        for (errno, when) in spec.errors {
            self.add(errno, &format!("{before}{errno}"), "errno", when);
        }
    }
}

/// How well a label goes with what was typed: as its start, as the start behind its prefix
/// (`read` for `PROT_READ`), or within; `None` if not at all.
fn rank(label: &str, typed: &str) -> Option<u8> {
    let label = label.to_lowercase();
    if label.starts_with(typed) {
        return Some(0);
    }
    let behind = label.split_once('_').map_or("", |(_, rest)| rest);
    if behind.starts_with(typed) {
        return Some(1);
    }
    let within = label.find(typed)?;
    Some(u8::try_from(within).unwrap_or(u8::MAX).saturating_add(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels offered at the `^` of a text.
    fn at(marked: &str) -> Vec<String> {
        let offset = marked.find('^').expect("has a cursor");
        let text = marked.replacen('^', "", 1);
        complete(&text, offset)
            .into_iter()
            .map(|c| c.label)
            .collect()
    }

    #[test]
    fn calls_at_the_start() {
        assert_eq!(at("mpro^")[0], "mprotect");
        assert_eq!(at("x = mm^")[0], "mmap");
        assert!(at("^").len() > 25);
        assert!(at("re^").contains(&"repeat".to_owned()));
        assert_eq!(at("repeat 3 { se^")[0], "mseal");
        assert_eq!(at("[pid 3] mseal(0, 1, 0) = 0\nmu^")[0], "munmap");
    }

    #[test]
    fn flags_where_they_belong() {
        assert_eq!(at("mprotect(0, 1, ^")[0], "PROT_NONE");
        assert_eq!(at("mprotect(0, 1, wr^)")[0], "PROT_WRITE");
        assert_eq!(at("mprotect(0, 1, PROT_READ|PROT_W^")[0], "PROT_WRITE");
        assert_eq!(at("madvise(0, 1, MADV_DONTN^")[0], "MADV_DONTNEED");
        assert_eq!(
            at("mmap(NULL, 4K,\n     PROT_READ, MAP_PRI^")[0],
            "MAP_PRIVATE"
        );
        assert_eq!(at("access(0, 1, ^")[..], ["seq", "random", "stride"]);
    }

    #[test]
    fn names_that_are_bound() {
        let text = "heap = brk(NULL)\nrepeat 2 as i { load(^";
        assert_eq!(at(text)[..3], ["i", "heap", "PAGE"]);
        assert_eq!(at("load(he^\nheap = brk(NULL)"), Vec::<String>::new());
    }

    #[test]
    fn results_by_the_call() {
        assert_eq!(at("mseal(0, 1, 0) = ^")[..2], ["0", "EINVAL"]);
        assert_eq!(at("munmap(0, 1) = -1 EP^")[0], "EPERM");
        assert_eq!(at("load(0, 1) = -1 ^")[..2], ["SIGSEGV", "SIGBUS"]);
    }

    #[test]
    fn settings_in_quotes() {
        assert!(
            at("write(\"/sys^")
                .iter()
                .any(|label| label.ends_with("hugepages-64kB/enabled"))
        );
        assert_eq!(at("write(\"x\", \"al^")[0], "always");
        assert_eq!(at("open(\"a^"), Vec::<String>::new());
    }

    #[test]
    fn nothing_in_comments_and_numbers() {
        assert_eq!(at("# mm^"), Vec::<String>::new());
        assert_eq!(at("munmap(0x1^"), Vec::<String>::new());
    }

    #[test]
    fn the_cursor_lands_in_the_parentheses() {
        let all = complete("munm", 4);
        assert_eq!((all[0].insert.as_str(), all[0].cursor), ("munmap()", 7));
        assert_eq!(all[0].replace, 0..4);
    }
}
