//! Every recorded case that the project carries passes: each call's result, the final maps, and
//! flags and resident memory of every mapping that the recording lists.

use std::path::Path;
use std::thread;

use sealab_lab::replay::{Case, load, replay};

fn recordings() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings");
    load(&[folder], None).expect("the recordings that the project carries")
}

#[test]
fn every_recorded_case_passes() {
    let cases = recordings();
    let cores = thread::available_parallelism().map_or(2, Into::into);
    let failures: Vec<String> = thread::scope(|scope| {
        let parts = cases.chunks(cases.len().div_ceil(cores));
        let workers: Vec<_> = parts.map(|part| scope.spawn(|| failures(part))).collect();
        let joined = workers.into_iter().map(|w| w.join().expect("a replay"));
        joined.flatten().collect()
    });
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>();
    assert!(
        failures.is_empty(),
        "{} of {} cases failed:\n{}",
        failures.len(),
        cases.len(),
        shown.join("\n")
    );
}

fn failures(cases: &[Case]) -> Vec<String> {
    let failed = cases.iter().filter_map(|case| match replay(case, false) {
        Ok(verdict) => {
            let first = verdict.differences.first()?;
            Some(format!("{} (kernel {}): {first}", case.place, case.kernel))
        }
        Err(fault) => Some(fault),
    });
    failed.collect()
}

/// The packs hold what the page claims: a pack that went missing would pass in silence.
#[test]
fn all_kernels_and_families_are_there() {
    let cases = recordings();
    let of = |kernel: &str| cases.iter().filter(|c| &*c.kernel == kernel).count();
    let claimed = sealab_lab::checked::checked().recorded;
    assert_eq!(claimed.len(), 7, "every kernel");
    for claim in claimed {
        assert!(claim.cases > 500, "{claim:?}");
        assert_eq!(of(&claim.kernel) as u64, claim.cases, "{claim:?}");
    }
}

/// A kernel that does otherwise is caught: 6.12's cases are not those of 6.11.
#[test]
fn a_wrong_kernel_fails() {
    let mut cases = recordings();
    cases.retain(|c| &*c.kernel == "6.12" && &*c.family == "replay-design");
    assert!(!cases.is_empty());
    for case in &mut cases {
        case.kernel = "6.11".into();
    }
    assert!(failures(&cases).len() > 10, "too few differ");
}
