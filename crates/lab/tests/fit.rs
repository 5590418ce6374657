//! Carried weights are what the published tables and the simulation give, and predictions follow
//! from them: nothing is written into a prediction.

use sealab_lab::bench::{self, Benchmark, Request, fitting};
use sealab_lab::cost;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs())
}

#[test]
fn carried_profiles_are_what_the_fit_gives() {
    let pentium = fitting::pentium().expect("fits");
    let xeon = fitting::xeon(&pentium).expect("fits");
    for made in [&pentium, &xeon, &fitting::altra_profile(&pentium)] {
        let kept = cost::profile(&made.id).expect("carried");
        // As it comes back from a file: JSON's numbers may lose their last bit.
        let text = serde_json::to_string(made).expect("plain data");
        let made: cost::CpuProfile = serde_json::from_str(&text).expect("plain data");
        assert_eq!(kept, &made, "run the `fit` example of sealab-lab");
    }
}

#[test]
fn carried_workload_weights_are_what_the_fit_gives() {
    let made = fitting::workloads().expect("fits");
    let kept = bench::model::altra();
    assert!(
        near(made.compile.faults, kept.compile.faults),
        "run the `fit` example"
    );
    assert!(near(made.compile.entries, kept.compile.entries));
    assert!(near(made.compile.data, kept.compile.data));
    assert!(near(made.compile.share, kept.compile.share));
    assert!(near(made.speedometer.data, kept.speedometer.data));
    assert_eq!(made.fitted, kept.fitted);
}

#[test]
fn predictions_follow_the_weights_and_the_counts() {
    let mut profile = cost::profile(cost::DEFAULT_CPU).expect("there").clone();
    let request = |profile| Request {
        kernels: vec!["6.8".to_owned(), "6.11".to_owned()],
        vmas: vec![4],
        profile,
        ..Request::default()
    };
    let run =
        |profile| bench::run(Benchmark::Mmperf, &request(profile), &mut |_| true).expect("runs");
    let as_carried = run(Some(profile.clone()));
    for weight in &mut profile.weights {
        weight.cycles *= 2.0;
    }
    for call in &mut profile.calls {
        call.cycles *= 2.0;
    }
    let doubled = run(Some(profile.clone()));
    for (a, b) in as_carried.rows.iter().zip(&doubled.rows) {
        assert!(near(
            a.predicted.cycles.unwrap() * 2.0,
            b.predicted.cycles.unwrap()
        ));
    }
    // Without a price for the check there is no overhead at all.
    for weight in &mut profile.weights {
        if [
            "tree_level",
            "tree_next",
            "tree_prev",
            "tree_refused",
            "seal_check",
        ]
        .contains(&&*weight.counter)
        {
            weight.cycles = 0.0;
        }
    }
    let free = run(Some(profile));
    for row in free.rows.iter().filter(|r| r.kernel == "6.11") {
        assert!(near(row.predicted.overhead_pct.unwrap(), 0.0), "{row:?}");
    }
}

#[test]
fn fewer_weights_than_rows() {
    let report = bench::run(Benchmark::Mmperf, &Request::default(), &mut |_| true).expect("runs");
    let fitted: usize = report
        .errors
        .iter()
        .filter(|e| e.role == "fitted" && !e.figure.ends_with("_pct"))
        .map(|e| e.values)
        .sum();
    let weights = cost::profile(cost::DEFAULT_CPU).expect("there");
    let mut prices: Vec<u64> = weights
        .weights
        .iter()
        .filter(|w| w.source.starts_with("fitted"))
        .map(|w| w.cycles.to_bits())
        .collect();
    prices.sort_unstable();
    prices.dedup();
    assert!(
        prices.len() + 4 < fitted,
        "{} prices, {fitted} rows",
        prices.len()
    );
}
