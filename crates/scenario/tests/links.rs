//! Links of every release, kept for ever, and links that were tampered with.
//!
//! `data/links.jsonl` only grows: each line has a link as it was once made, and what it carries.

use proptest::prelude::*;
use sealab_scenario::link::{LinkError, LinkState, LinkVariant, decode, encode};

fn corpus() -> Vec<(String, LinkState)> {
    include_str!("data/links.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is [link, state]"))
        .collect()
}

#[test]
fn every_link_ever_made_still_opens() {
    let corpus = corpus();
    assert!(corpus.len() >= 12);
    for (link, state) in corpus {
        assert_eq!(decode(&link), Ok(state), "{link}");
    }
}

/// Prints lines to add to the corpus:
/// `cargo test -p sealab-scenario --test links -- --ignored --nocapture`
#[test]
#[ignore = "prints new lines for the corpus"]
fn print_corpus_lines() {
    for state in samples() {
        let link = encode(&state).expect("fits");
        println!(
            "{}",
            serde_json::to_string(&(link, state)).expect("plain data")
        );
    }
}

fn samples() -> Vec<LinkState> {
    let text = |text: &str| LinkState {
        text: text.to_owned(),
        ..LinkState::default()
    };
    let heap = "heap = mmap(NULL, 32K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
    let variant = |kernel: &str, memory: &str, cpu: &str| LinkVariant {
        kernel: kernel.into(),
        memory: memory.into(),
        cpu: cpu.into(),
    };
    let all_bytes: String = (0..=0x2ff_u32).filter_map(char::from_u32).collect();
    vec![
        LinkState::default(),
        text("brk(NULL)"),
        text(&format!(
            "{heap}store(heap, 32K)\nmseal(heap + 8K, 4K, 0)\nmprotect(heap, 16K, PROT_READ)\n"
        )),
        text(&format!(
            "{heap}repeat 1000 as i {{ mprotect(heap + i*PAGE, PAGE, PROT_READ) }}\n"
        )),
        text("# Größe, 漢字, \u{202e}rtl, \u{0}\u{1}\u{7f}\n"),
        text(&all_bytes),
        text(&"munmap(0x7f0000000000, 4096) = 0\n".repeat(400)),
        LinkState {
            variants: vec![
                variant("6.8", "", ""),
                variant("6.18", "contpte", ""),
                variant("", "", "altra"),
            ],
            ..text(heap)
        },
        LinkState {
            variants: vec![variant("", "4k,folio=32k,contpte", "")],
            view: Some("pages".into()),
            step: Some(0),
            theme: Some("light".into()),
            ..text(heap)
        },
        LinkState {
            maps: Some(
                "00400000-00401000 r--p 00000000 fe:00 12                         /usr/bin/a b\n"
                    .into(),
            ),
            pid: Some(25988),
            step: Some(u64::MAX),
            ..text("25988 brk(NULL) = 0x55d2234be000\n")
        },
        LinkState {
            view: Some("a.b_c-".into()),
            theme: Some("dark".into()),
            pid: Some(-1),
            ..text("load(1, 2)")
        },
        LinkState {
            variants: vec![LinkVariant::default()],
            ..text("load(1, 2)")
        },
    ]
}

/// What a page would hold: ids without separators, no empty texts in place of none.
fn states() -> impl Strategy<Value = LinkState> {
    let id = || {
        prop_oneof![
            Just(String::new()),
            "[a-z0-9.-]{1,12}".prop_map(String::from)
        ]
    };
    let variant = (id(), id(), id()).prop_map(|(kernel, memory, cpu)| LinkVariant {
        kernel,
        memory,
        cpu,
    });
    let text = prop_oneof![
        any::<String>(),
        "(mmap\\(NULL, |PROT_READ|, 4K|heap|\\)\n| = 0\n|[a-z]|\\PC){0,60}".prop_map(String::from),
    ];
    (
        text,
        proptest::collection::vec(variant, 0..4),
        proptest::option::of("\\PC{1,40}"),
        proptest::option::of("[a-z._-]{1,9}[a-z]"),
        proptest::option::of(any::<u64>()),
        proptest::option::of(any::<i64>()),
    )
        .prop_map(|(text, variants, maps, view, step, pid)| LinkState {
            text,
            variants,
            maps,
            view,
            step,
            theme: None,
            pid,
        })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(state in states()) {
        let link = encode(&state).expect("fits");
        prop_assert!(!link.ends_with(['_', '-', '.']));
        prop_assert_eq!(decode(&link), Ok(state));
    }

    #[test]
    fn no_text_breaks_the_reader(text in any::<String>()) {
        let _ = decode(&text);
        let _ = decode(&format!("#v1/{text}"));
        let _ = decode(&format!("#src={text}"));
    }

    #[test]
    fn no_damage_breaks_the_reader(state in states(), at in any::<prop::sample::Index>(), with in "[A-Za-z0-9_%-]{0,3}") {
        let link = encode(&state).expect("fits");
        let at = at.index(link.len());
        let damaged = format!("{}{with}{}", &link[..at], &link[(at + 1)..]);
        match decode(&damaged) {
            Ok(_) | Err(LinkError::Damaged | LinkError::NotALink | LinkError::Empty | LinkError::NewerVersion { .. }) => {}
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }
}
