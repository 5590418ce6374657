//! Texts that nobody means well with. None may panic or take for ever; every fault is named.

use sealab_core::call::Outcome;
use sealab_scenario::help::{complete, hover, signature};
use sealab_scenario::maps::parse_maps;
use sealab_scenario::{
    Dialect, EvalContext, Event, Interp, Limits, ParseOptions, Parsed, Severity, parse, tokens,
};

fn plain(text: &str) -> Parsed {
    let parsed = parse(text, &ParseOptions::default());
    check(text, &parsed);
    parsed
}

/// What holds of every text.
fn check(text: &str, parsed: &Parsed) {
    for d in &parsed.diagnostics {
        assert!(text.get(d.span.clone()).is_some(), "{d:?}");
        assert!(
            d.line >= 1 && d.column >= 1 && (d.line, d.column) <= (d.end_line, d.end_column),
            "{d:?}"
        );
        assert!(!d.message.is_empty());
    }
    for note in &parsed.notes {
        assert!(text.get(note.span.clone()).is_some(), "{note:?}");
    }
    for (index, statement) in parsed.program.statements().iter().enumerate() {
        let span = statement.span.start as usize..statement.span.end as usize;
        assert!(text.get(span).is_some(), "{statement:?}");
        assert!(statement.line >= 1, "{index}");
    }
    let mut end = 0;
    for token in tokens(text) {
        assert!(
            end <= token.span.start && token.span.start < token.span.end,
            "{token:?}"
        );
        assert!(text.get(token.span.clone()).is_some(), "{token:?}");
        end = token.span.end;
    }
}

/// Runs a program for a while, answering with failures now and then.
fn run(parsed: &Parsed, most: u64) -> (u64, Vec<&'static str>) {
    let context = EvalContext {
        max_calls: most,
        ..EvalContext::default()
    };
    let mut interp = Interp::new(&parsed.program, context);
    let (mut calls, mut faults) = (0, Vec::new());
    loop {
        match interp.next_event() {
            Event::Call(step) => {
                calls += 1;
                assert!(!step.text().is_empty());
                interp.answer(if calls % 3 == 0 {
                    Outcome::Errno(sealab_core::errno::Errno::ENOMEM)
                } else {
                    Outcome::Value(calls << 12)
                });
            }
            Event::Error(fault) => faults.push(fault.code),
            Event::Done => return (calls, faults),
            _ => {}
        }
    }
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

/// A small generator of numbers, so that every run sees the same bytes.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn nothing_at_all_is_a_scenario() {
    for text in [
        "", "\n", " \t\r\n", "\u{feff}", "#", "/* */", ";;;", "\r\r\r",
    ] {
        let parsed = plain(text);
        assert!(parsed.program.statements().is_empty());
        assert!(!parsed.has_errors(), "{text:?}: {:?}", parsed.diagnostics);
    }
}

#[test]
fn a_mebibyte_of_random_bytes_is_refused_in_words() {
    let mut random = Xorshift(42);
    let bytes: Vec<u8> = (0..1 << 20).map(|_| (random.next() >> 24) as u8).collect();
    let text = String::from_utf8_lossy(&bytes);
    let parsed = plain(&text);
    assert!(parsed.has_errors());
    assert!(codes(&parsed).contains(&"limit-diagnostics"));
    assert!(parsed.diagnostics.len() <= Limits::default().diagnostics + 2);
    // and printable ones
    let text: String = bytes.iter().map(|b| char::from(b' ' + b % 95)).collect();
    assert!(plain(&text).has_errors());
    assert!(
        parse_maps(&text)
            .diagnostics
            .iter()
            .any(|d| d.code == "no-mappings")
    );
}

#[test]
fn a_long_trace_is_read_whole() {
    let mut text = String::new();
    for n in 0..100_000_u64 {
        let addr = 0x7f00_0000_0000 + n * 8192;
        text.push_str(&format!("mprotect({addr:#x}, 4096, PROT_READ) = 0\n"));
    }
    let parsed = parse(&text, &ParseOptions::default());
    assert_eq!(parsed.dialect, Dialect::Trace);
    assert_eq!(parsed.program.statements().len(), 100_000);
    assert_eq!(run(&parsed, u64::MAX), (100_000, Vec::new()));
}

#[test]
fn loops_of_thousands_of_millions_cost_nothing_to_start() {
    let text = "repeat 1000000000 as i { repeat 1000000000 as j { load(i*PAGE + j, 1) } }";
    let parsed = plain(text);
    assert!(!parsed.has_errors());
    let (calls, faults) = run(&parsed, 10_000);
    assert!(calls > 4_000 && calls <= 10_000);
    assert_eq!(faults, ["limit-calls"]);
}

#[test]
fn loops_without_calls_end_too() {
    let (_, faults) = run(
        &plain("repeat 1000000000 { repeat 1000000000 { x = 1 } }"),
        100_000,
    );
    assert_eq!(faults, ["limit-calls"]);
    assert_eq!(run(&plain("repeat 1000000000 { }"), 10), (0, Vec::new()));
    let (_, faults) = run(
        &plain("repeat 1000000000 { repeat 1000000000 { } }"),
        100_000,
    );
    assert_eq!(faults, ["limit-calls"]);
    // a fault in each iteration is said once, and does not go on for ever
    let (_, faults) = run(
        &plain("repeat 1000000000 as i { load(1/i*0 + 1/(i%2), 1) }"),
        1_000,
    );
    assert_eq!(faults, ["division-by-zero", "limit-calls"]);
}

#[test]
fn deep_nesting_has_a_limit_with_a_name() {
    let depth = 100_000;
    let text = format!(
        "{}load(1, 1){}",
        "repeat 2 { ".repeat(depth),
        "}".repeat(depth)
    );
    let parsed = plain(&text);
    assert!(codes(&parsed).contains(&"limit-nesting"));
    run(&parsed, 1_000);
    let text = format!("load({}1{}, 1)", "(".repeat(depth), ")".repeat(depth));
    assert!(codes(&plain(&text)).contains(&"limit-expression"));
    let text = format!("load({}1, 1)", "-".repeat(depth));
    assert!(codes(&plain(&text)).contains(&"limit-expression"));
    let text = format!("a = 1\nload(a{}, 1)", " + a".repeat(depth));
    assert!(codes(&plain(&text)).contains(&"limit-expression"));
    // folded constants are no depth
    let text = format!("load(1{}, 1)", " + 1".repeat(depth));
    assert!(!plain(&text).has_errors());
    let text = format!("{}load(1, 1)", "measure \"x\" {\n".repeat(depth));
    assert!(codes(&plain(&text)).contains(&"limit-nesting"));
}

#[test]
fn every_limit_is_an_error_of_its_own() {
    let with = |text: &str, limits: Limits| {
        let parsed = parse(
            text,
            &ParseOptions {
                limits,
                ..ParseOptions::default()
            },
        );
        check(
            text.get(..limits.text_bytes.min(text.len()))
                .unwrap_or(text),
            &parsed,
        );
        codes(&parsed)
    };
    let text = "load(1, 1)\n".repeat(20);
    let some = Limits::default();
    assert_eq!(
        with(
            &text,
            Limits {
                text_bytes: 100,
                ..some
            }
        )[..1],
        ["limit-text"][..]
    );
    assert_eq!(with(&text, Limits { lines: 10, ..some }), ["limit-lines"]);
    assert_eq!(
        with(
            &text,
            Limits {
                statements: 10,
                ..some
            }
        ),
        ["limit-statements"]
    );
    let wrong = "oops\n".repeat(20);
    let found = with(
        &wrong,
        Limits {
            diagnostics: 5,
            ..some
        },
    );
    assert_eq!((found.len(), found[5]), (6, "limit-diagnostics"));
    let prose = format!("brk(0) = 1\n{}", "some words\n".repeat(20));
    assert_eq!(with(&prose, Limits { notes: 5, ..some }), ["limit-notes"]);
    let names: String = (0..20).map(|n| format!("name{n} = {n}\n")).collect();
    assert!(with(&names, Limits { names: 10, ..some }).contains(&"limit-names"));
}

#[test]
fn huge_numbers_are_faults() {
    for number in [
        "18446744073709551616",
        "0xfffffffffffffffff",
        "99999999999999999999999999999999999999999",
        "20000000T",
        "1e9",
        "0x",
        "1__",
        "0b1",
    ] {
        let parsed = plain(&format!("load({number}, 1)"));
        let known = number == "1__";
        assert_eq!(
            parsed.has_errors(),
            !known,
            "{number}: {:?}",
            parsed.diagnostics
        );
    }
    assert!(!plain("load(18446744073709551615, -1)").has_errors());
    let (_, faults) = run(&plain("a = 0xffffffffffffffff\nload(a + 1, a*a)"), 10);
    assert_eq!(faults, ["overflow"]);
    let (_, faults) = run(&plain("a = 1\nload(a - 0xffffffffffffffff, 1)"), 10);
    assert_eq!(faults, ["out-of-range"]);
}

#[test]
fn unknown_calls_are_guessed_at() {
    let parsed = plain("mprotct(0, 1, 2)");
    assert_eq!(codes(&parsed), ["unknown-call"]);
    assert!(
        parsed.diagnostics[0]
            .hint
            .as_ref()
            .is_some_and(|hint| hint.contains("mprotect"))
    );
}

#[test]
fn open_ends_are_faults_and_the_rest_still_runs() {
    for open in [
        "load(1, 1",
        "open(\"x",
        "repeat 3 {",
        "measure \"x",
        "/* ",
        "x = ",
        "x = (",
        "load(1, 1) =",
        "load(1, 1) = -",
        "repeat",
        "[pid ",
        "mmap(",
    ] {
        let parsed = plain(&format!("{open}\n\nload(2, 2)\n"));
        assert!(
            parsed.has_errors() || open == "[pid ",
            "{open}: {:?}",
            parsed.diagnostics
        );
        let after = parsed.program.statements().iter().any(|s| s.line == 3);
        let in_block = open.starts_with("measure");
        assert!(after || in_block, "{open}: {:#?}", parsed.program);
    }
}

#[test]
fn look_alikes_are_called_by_their_names() {
    for (text, name) in [
        (
            "m\u{43c}ap(NULL, 1, 1, 1, 1, 1)",
            "CYRILLIC SMALL LETTER EM",
        ),
        ("load\u{202e}(1, 1)", "RIGHT-TO-LEFT OVERRIDE"),
        ("load(1,\u{200b} 1)", "ZERO WIDTH SPACE"),
        ("load(1, 1\u{ff09}", "FULLWIDTH"),
        ("load(1, \u{2212}1)", "MINUS SIGN"),
        ("load(\0 1, 1)", "NULL"),
        ("# \u{2067}\u{5d0}\u{2069}", "RIGHT-TO-LEFT ISOLATE"),
    ] {
        let parsed = plain(text);
        assert!(
            parsed.diagnostics.iter().any(|d| d.message.contains(name)),
            "{text:?}: {:?}",
            parsed.diagnostics
        );
    }
    // right-to-left writing itself is nothing strange
    assert!(
        plain("# \u{5d0}\u{5d1}\u{5d2} \u{645}\u{631}\u{62d}\u{628}\u{627}\n")
            .diagnostics
            .is_empty()
    );
}

/// Pieces that make a slow parser slower with each repetition.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "*",
    "**",
    "/*",
    "*/",
    "/* ",
    "//",
    "#",
    "\\",
    "=",
    "= ",
    "=3D",
    "=\n",
    "&lt;",
    "&",
    "&#",
    "<p ",
    "<b>",
    "<br>",
    "> ",
    "| ",
    "- ",
    "1. ",
    "1)",
    "12:",
    "12 ",
    "0x",
    "0x7f",
    "9",
    "-",
    "+",
    "a",
    "ab ",
    "a=",
    "a = 1\n",
    "a = a + 1\n",
    "load(",
    "load(1",
    "load(1, 1)",
    "load(1, 1)\n",
    "load(1,\n",
    "read(",
    "read(\n",
    "read()",
    "read()=",
    "read()= read(\n",
    "x read(\n",
    "x read()= read(\n",
    "mmap(\"",
    "mmap(<",
    "3</a",
    "read(3<a",
    "read(<\n",
    "<unfinished ...>",
    "read( <unfinished ...>",
    "read( <unfinished ...>\n",
    "<... read resumed>",
    "<... read resumed>)=0",
    "read( <unfinished ...><... read resumed>",
    "1 read( <unfinished ...>\n",
    "--- ",
    "+++ ",
    "--- S ---",
    "strace: ",
    "[pid 1] ",
    "[pid 1] brk(0)=0\n",
    "[pid x] ",
    "repeat 2 {",
    "repeat 2 {\n",
    "}\n",
    "repeat ",
    "repeat 9 as i {load(i,1)}",
    "measure \"x\" {",
    "measure \"x",
    "a.b:1:",
    "Nov 30 ",
    "D/x (1): ",
    "0.0 ",
    "? ",
    "brk(0) = 0x1\n1\n",
    "brk(0) = -1 E\n",
    "brk(0) = -1 EPERM (",
    "brk(0) = -1 EPERM (\n",
    "brk(0) =\n",
    "mprot\n",
    "fork() = 2\n",
    "1 fork() = 2\n",
    "2 fork() = 1\n",
    "1 fork() = 1\n",
    "clone(CLONE_VM) = 1\n",
    "execve(\"a\", [\"b\"], []) = 0\n",
    "exit_group(0) = ?\n",
    "\u{200b}",
    "\u{202e}",
    "\u{430}",
    "\u{feff}",
    "\0",
    "\u{1b}[",
    "\u{1b}[0m",
    "\r",
    "\u{2028}",
    "…",
    "“",
    "m\u{430}(",
    "ä=",
    "12-34 ",
    "0.1 ( 0.1 ms): a/1 ",
    "a/1 ",
    "...",
    "... [continued]: read())",
    "PROT_READ|",
    "load(PROT_READ|",
    "1+",
    "load(1+",
    "1<<",
    "(1",
    "-(",
    "load(-(",
    "a|",
    "]",
    "[pid ",
    "mmap2(",
    "openat(AT_FDCWD, \"x\", O_RDONLY) = 3\n",
    "fstat(3, {st_mode=S_IFREG, st_size=1}) = 0\n",
];

fn drive(text: &str) {
    let parsed = parse(text, &ParseOptions::default());
    check(text, &parsed);
    run(&parsed, 1_000);
    for offset in [0, text.len() / 2, text.len()] {
        let _ = complete(text, offset);
        let _ = hover(text, offset);
        let _ = signature(text, offset);
    }
    let _ = parse_maps(text);
}

#[test]
fn repetition_breaks_nothing() {
    for piece in PIECES {
        for ending in ["", "\nbrk(0) = 0\n"] {
            drive(&format!("{}{ending}", piece.repeat(3_000)));
        }
    }
}

#[test]
fn pairs_of_pieces_break_nothing() {
    // Every fifth pair: all of them take minutes in a debug build.
    for (i, a) in PIECES.iter().enumerate() {
        for b in PIECES.iter().skip(i % 5).step_by(5) {
            drive(&format!("{a}{b}").repeat(3));
            drive(&format!("brk(0) = 0\n{a}{b}{a}\n{b}"));
        }
    }
}

/// Prints what a mebibyte of each piece costs:
/// `cargo test --release -p sealab-scenario --test hostile -- --ignored --nocapture`
#[test]
#[ignore = "prints times"]
fn times_of_repetition() {
    let mut times: Vec<_> = PIECES
        .iter()
        .flat_map(|piece| [(*piece, ""), (*piece, "brk(0) = 0\nbrk(0) = 0\n")])
        .map(|(piece, head)| {
            let text = format!("{head}{}", piece.repeat((1 << 20) / piece.len()));
            let start = std::time::Instant::now();
            let parsed = parse(&text, &ParseOptions::default());
            let parsing = start.elapsed();
            let _ = tokens(&text);
            let _ = complete(&text, text.len());
            let _ = hover(&text, text.len() / 2);
            let _ = parse_maps(&text);
            (
                start.elapsed(),
                parsing,
                piece,
                head.is_empty(),
                parsed.diagnostics.len(),
            )
        })
        .collect();
    times.sort();
    for (all, parsing, piece, alone, diagnostics) in times.iter().rev().take(25) {
        println!("{all:>10.1?} {parsing:>10.1?} {piece:?} {alone} {diagnostics}");
    }
}

#[test]
fn severity_says_whether_anything_was_left_out() {
    let parsed = plain("brk(NULL) = 0x1\nmprotec(1, 2, 3) = 0\nread(1) = 1\nwords\n");
    let errors = parsed
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    assert_eq!(errors, 1);
    assert_eq!(parsed.skipped.get("read"), Some(&1));
    assert_eq!(parsed.notes.len(), 1);
}
