//! Each rule that tells kernels apart is held by a recording: changed on purpose, it makes one fail.

use std::path::Path;

use sealab_core::kernel::{Kernel, MremapDesign, SealDesign};
use sealab_lab::replay::{Case, load, replay_under};

fn recordings() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings");
    load(&[folder], None).expect("the recordings that the project carries")
}

/// A kernel, what is changed in it, and how.
type Rule = (&'static str, &'static str, fn(&mut Kernel));

/// The first recorded case that `wrong`, a changed `kernel`, gets wrong.
fn caught(cases: &[Case], name: &str, change: fn(&mut Kernel)) -> Option<String> {
    let mut wrong = *Kernel::by_name(name).expect("a kernel");
    let right = wrong;
    change(&mut wrong);
    assert_ne!(wrong, right, "nothing was changed");
    let wrong: &'static Kernel = Box::leak(Box::new(wrong));
    let mut of_kernel = cases.iter().filter(|case| &*case.kernel == name);
    of_kernel.find_map(|case| {
        let verdict = replay_under(case, wrong, false).expect("a readable recording");
        let first = verdict.differences.first()?;
        Some(format!("{}: {first}", case.place))
    })
}

/// Three rules show elsewhere: `madvise_rcu` and `relooks_unwritten_on_fault` in the work counted
/// (crates/core/tests/walks), `batches_ptes` in arm64 page tables (tests/replay_pages.rs).
#[test]
fn every_changed_rule_is_caught() {
    let cases = recordings();
    let rules: [Rule; 18] = [
        ("6.8", "no mseal", |k| k.seal = SealDesign::OutOfLoop),
        ("6.11", "seals out of loop", |k| k.seal = SealDesign::InLoop),
        ("6.12", "seals in the loop", |k| {
            k.seal = SealDesign::OutOfLoop
        }),
        ("6.10", "the bit test", |k| k.madvise_tests_bits = false),
        ("6.11", "no bit test", |k| k.madvise_tests_bits = true),
        ("6.11-src-first", "source first", |k| {
            k.mremap = MremapDesign::DestinationFirst
        }),
        ("6.11", "destination first", |k| {
            k.mremap = MremapDesign::SourceFirst
        }),
        ("6.18", "checked up front", |k| {
            k.mremap = MremapDesign::DestinationFirst
        }),
        ("6.12", "gathering", |k| k.gathers = false),
        ("6.11", "no gathering", |k| k.gathers = true),
        ("6.18", "touched into untouched", |k| {
            k.merges_faulted_into_unfaulted = false
        }),
        ("6.18", "guard advice", |k| k.has_guard_advice = false),
        ("6.18", "guards are marked", |k| k.marks_guards = false),
        ("6.8", "no droppable", |k| k.has_droppable = true),
        ("6.11", "large ones aligned", |k| {
            k.aligns_any_large_mapping = false
        }),
        ("6.18", "special ones spared", |k| {
            k.seal_spares_special_mappings = false
        }),
        ("6.18", "tail cleared", |k| {
            k.clears_tail_when_growing = false
        }),
        ("6.18", "the end spared", |k| {
            k.spares_the_end_of_files = false
        }),
    ];
    let missed: Vec<&str> = rules
        .iter()
        .filter(
            |(kernel, what, change)| match caught(&cases, kernel, *change) {
                Some(case) => {
                    println!("{kernel}, {what}: {case}");
                    false
                }
                None => true,
            },
        )
        .map(|&(_, what, _)| what)
        .collect();
    assert!(missed.is_empty(), "no recording holds: {missed:?}");
}
