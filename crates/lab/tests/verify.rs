//! Random programs, with one simulated kernel playing the real one.

use std::collections::BTreeSet;

use sealab_core::addr::PageSize;
use sealab_core::call::{Call, Outcome};
use sealab_core::kernel::{Kernel, KernelId};
use sealab_core::machine::{Config, Limits, Machine};
use sealab_core::paging::MemoryDesign;
use sealab_core::start::StartState;
use sealab_lab::verify::{self, Family, Generated, Run, Step, compare, generate, minimise};

/// A machine in the state every program here starts from.
fn machine(kernel: KernelId) -> Machine {
    Machine::new(Config {
        kernel: Kernel::by_id(kernel),
        memory: MemoryDesign::BASELINE_4K,
        limits: Limits::default(),
        start: StartState::bare(PageSize::K4),
    })
}

fn draw(family: Family, seed: u64) -> Generated {
    let start = StartState::bare(PageSize::K4);
    let mut drawn_on = machine(KernelId::V6_18);
    generate(family, seed, &mut drawn_on, &start, &mut |_| true)
}

fn run_on(kernel: KernelId, program: &[Step]) -> Run {
    verify::run(&mut machine(kernel), program)
}

#[test]
fn a_seed_always_draws_the_same_program() {
    for &family in Family::ALL {
        let drawn = draw(family, 12);
        assert_eq!(drawn, draw(family, 12), "{family}");
        assert_ne!(drawn.program, draw(family, 13).program, "{family}");
        // What was answered while drawing is what a fresh machine answers.
        assert_eq!(
            drawn.run,
            run_on(KernelId::V6_18, &drawn.program),
            "{family}"
        );
    }
}

#[test]
fn programs_are_aimed_at_what_is_there() {
    for &family in Family::ALL {
        let drawn: Vec<Generated> = (0..60).map(|seed| draw(family, seed)).collect();
        let outcomes: Vec<Outcome> = drawn.iter().flat_map(|d| d.run.outcomes.clone()).collect();
        let good = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let share = good as f64 / outcomes.len() as f64;
        let least = if family == Family::BadArgs { 0.2 } else { 0.45 };
        assert!(share > least, "{family}: {share:.2} of all calls succeed");
        assert!(share < 0.98, "{family}: {share:.2} of all calls succeed");
    }
}

#[test]
fn families_are_about_what_they_are_called_after() {
    let uses = |family, is: fn(&Call) -> bool| {
        let programs = (0..40).map(|seed| draw(family, seed).program);
        let with = programs.filter(|p| p.iter().any(|(_, call)| is(call)));
        with.count()
    };
    assert!(uses(Family::Brk, |c| matches!(c, Call::Brk { .. })) == 40);
    assert!(uses(Family::SealHeavy, |c| matches!(c, Call::Mseal { .. })) == 40);
    assert!(uses(Family::Fork, |c| *c == Call::Fork) == 40);
    assert!(uses(Family::FileAndShared, |c| matches!(c, Call::Open { .. })) > 5);
    assert!(uses(Family::Extra, |c| matches!(c, Call::Mlock { .. })) > 20);
    assert!(uses(Family::MremapHeavy, |c| matches!(c, Call::Mremap { .. })) > 30);
}

#[test]
fn calls_that_may_not_be_made_are_not_drawn() {
    let start = StartState::bare(PageSize::K4);
    let mut drawn_on = machine(KernelId::V6_18);
    let mut no_seals = |call: &Call| !matches!(call, Call::Mseal { .. });
    let drawn = generate(Family::SealHeavy, 3, &mut drawn_on, &start, &mut no_seals);
    assert!(drawn.program.len() >= 6);
    assert!(drawn.program.iter().all(|(_, call)| no_seals(call)));
    // Even if nothing may be made, drawing ends.
    let mut drawn_on = machine(KernelId::V6_18);
    let drawn = generate(Family::ArenaFixed, 3, &mut drawn_on, &start, &mut |_| false);
    assert!(drawn.program.is_empty());
}

/// Another kernel in the real one's place: differences must be found, and made small.
#[test]
fn another_kernels_rules_are_found_and_minimised() {
    let mut kinds = BTreeSet::new();
    for &family in &[Family::SealHeavy, Family::MremapHeavy, Family::ArenaFixed] {
        for seed in 0..150 {
            let drawn = draw(family, seed);
            let real = run_on(KernelId::V6_11, &drawn.program);
            let Some(mismatch) = compare(&drawn.program, &[], &real, &drawn.run) else {
                continue;
            };
            if !kinds.insert(mismatch.kind()) {
                continue;
            }
            let small = minimise(
                &drawn.program,
                &mismatch,
                &[],
                &mut |program| Some(run_on(KernelId::V6_11, program)),
                &mut |program| run_on(KernelId::V6_18, program),
            )
            .expect("what differs once differs again");
            assert!(
                small.program.len() <= 8,
                "{family} {seed}: {} calls left for {}",
                small.program.len(),
                small.mismatch
            );
            assert_eq!(small.mismatch.kind(), mismatch.kind());
        }
    }
    assert!(kinds.len() > 8, "only {kinds:?}");
    assert!(
        kinds.contains("maps"),
        "a split left behind by a refused munmap"
    );
}

#[test]
fn a_kernel_agrees_with_itself() {
    for &family in Family::ALL {
        for seed in 0..20 {
            let drawn = draw(family, seed);
            let again = run_on(KernelId::V6_18, &drawn.program);
            assert_eq!(compare(&drawn.program, &[], &again, &drawn.run), None);
        }
    }
}
