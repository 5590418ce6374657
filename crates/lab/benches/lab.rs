//! How fast texts are parsed, run and compared: `cargo bench -p sealab-lab`.

use divan::Bencher;
use divan::counter::ItemsCount;
use sealab_lab::gallery::EXAMPLES;
use sealab_lab::report::Variant;
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_scenario::{ParseOptions, parse};
use std::fmt::Write as _;

fn main() {
    divan::main();
}

/// A trace of that many lines in which some 500 mappings come and go.
fn trace(lines: u64) -> String {
    let mut text = String::new();
    let address = |i: u64| 0x7f00_0000_0000 + i * 0x1_0000;
    for i in 0..lines / 2 {
        let at = address(i);
        let _ = writeln!(
            text,
            "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = {at:#x}"
        );
        let _ = match i.checked_sub(500) {
            Some(old) => writeln!(text, "munmap({:#x}, 8192) = 0", address(old)),
            None => writeln!(text, "mprotect({at:#x}, 4096, PROT_READ) = 0"),
        };
    }
    text
}

fn session(text: &str, kernels: &[&str]) -> Session {
    let variants: Vec<Variant> = kernels
        .iter()
        .map(|&kernel| Variant {
            kernel: kernel.to_owned(),
            ..Variant::default()
        })
        .collect();
    let input = Input {
        text: text.to_owned(),
        ..Input::default()
    };
    Session::run(input, &variants, &RunOptions::default(), &mut |_| true).expect("a run")
}

#[divan::bench(args = [1_000, 100_000])]
fn parse_trace(bencher: Bencher<'_, '_>, lines: u64) {
    let text = trace(lines);
    bencher
        .counter(ItemsCount::new(lines))
        .bench(|| parse(&text, &ParseOptions::default()));
}

#[divan::bench(args = [1_000, 100_000])]
fn run_trace(bencher: Bencher<'_, '_>, lines: u64) {
    let text = trace(lines);
    bencher
        .counter(ItemsCount::new(lines))
        .bench(|| session(&text, &["6.12"]));
}

#[divan::bench(args = [100_000])]
fn compare_trace(bencher: Bencher<'_, '_>, lines: u64) {
    let text = trace(lines);
    bencher
        .counter(ItemsCount::new(3 * lines))
        .bench(|| session(&text, &["6.8", "6.11", "6.12"]));
}

/// Pairs of mmap and munmap in a loop, through the interpreter.
#[divan::bench(args = [100_000])]
fn loop_of_pairs(bencher: Bencher<'_, '_>, pairs: u64) {
    let text = format!(
        "repeat {pairs} {{ a = mmap(NULL, 4K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\nmunmap(a, 4K) }}"
    );
    bencher
        .counter(ItemsCount::new(pairs))
        .bench(|| session(&text, &["6.12"]));
}

/// What a page does after each keystroke.
#[divan::bench]
fn first_example(bencher: Bencher<'_, '_>) {
    let text = EXAMPLES[0].text;
    bencher.bench(|| session(text, &["6.8", "6.11", "6.12"]));
}

/// Sliding through the steps of a long trace.
#[divan::bench]
fn visit_steps(bencher: Bencher<'_, '_>) {
    let mut session = session(&trace(20_000), &["6.12"]);
    let mut step = 0;
    bencher.bench_local(|| {
        step = (step + 7_919) % 20_000;
        session.maps_at(0, step)
    });
}
