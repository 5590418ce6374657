//! Fits the default CPU profile to the published tables of the mseal mails and prints it:
//! `cargo run --release -p sealab-lab --example fit_cpu > crates/lab/data/cpu/pentium-gold-7505.json`
//!
//! Fitted on the base columns at 1, 4 and 16 mappings and on munmap's six increments; every other
//! value is held out and only measures the error.

use std::process::ExitCode;

use sealab_core::meter::{Counter, Counts};
use sealab_lab::cost::mmperf::{self, CYCLES, Published};
use sealab_lab::cost::{CallWeight, CounterWeight, CpuProfile, fit};

const CALLS: [&str; 3] = ["munmap", "mprotect", "madvise"];
/// Work that the tables can tell apart, each with the counters that share one price.
const WORK: [&[Counter]; 5] = [
    &[Counter::TreeWalk, Counter::TreeStoreWalk],
    &[Counter::TreeNext, Counter::TreePrev, Counter::TreeRefused],
    &[Counter::VmaFree, Counter::VmaAlloc],
    &[Counter::VmaModify, Counter::VmaMerge, Counter::VmaSplit],
    &[Counter::PteClear, Counter::PteWrite],
];
const SOURCE: &str = "fitted to the mseal v10 table in cycles (Jeff Xu, 2024-04-15): base columns at 1, 4 and 16 mappings, munmap's increments";

fn main() -> ExitCode {
    match profile() {
        Some(profile) => {
            println!(
                "{}",
                serde_json::to_string_pretty(&profile).unwrap_or_default()
            );
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

struct Row {
    published: Published,
    base: Vec<f64>,
    sealing: Vec<f64>,
}

fn profile() -> Option<CpuProfile> {
    let rows: Vec<Row> = mmperf::published(CYCLES)
        .into_iter()
        .map(|published| {
            Some(Row {
                base: features(&published, "6.8")?,
                sealing: features(&published, "6.11")?,
                published,
            })
        })
        .collect::<Option<_>>()?;
    let mut counts = Vec::new();
    let mut measured = Vec::new();
    for row in &rows {
        let p = &row.published;
        if [1, 4, 16].contains(&p.vmas) {
            counts.push(row.base.clone());
            measured.push(p.base);
        }
        if p.syscall == "munmap" {
            let more = row.sealing.iter().zip(&row.base).map(|(s, b)| s - b);
            counts.push(more.collect());
            measured.push(p.sealing - p.base);
        }
    }
    let weights = fit::nonnegative(&counts, &measured);
    let predict =
        |features: &[f64]| -> f64 { features.iter().zip(&weights).map(|(f, w)| f * w).sum() };
    let mut errors = Vec::new();
    for row in &rows {
        let p = &row.published;
        for (what, features, truth) in [
            ("base", &row.base, p.base),
            ("sealing", &row.sealing, p.sealing),
        ] {
            let guess = predict(features);
            let error = guess / truth - 1.0;
            eprintln!(
                "{:9} {:2} {what:8} published {truth:7.0} predicted {guess:7.0} {:+.1} %",
                p.syscall,
                p.vmas,
                error * 100.0
            );
            errors.push(error);
        }
    }
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let call = |(name, cycles): (&str, &f64)| CallWeight {
        call: name.to_owned(),
        cycles: rounded(*cycles),
        source: SOURCE.to_owned(),
    };
    let mut calls: Vec<CallWeight> = CALLS.into_iter().zip(&weights).map(call).collect();
    let mean = calls.iter().map(|c| c.cycles).sum::<f64>() / calls.len() as f64;
    calls.push(CallWeight {
        call: "*".to_owned(),
        cycles: rounded(mean),
        source: "assumed: the mean of munmap, mprotect and madvise".to_owned(),
    });
    let mut priced: Vec<CounterWeight> = Vec::new();
    for (counters, cycles) in WORK.iter().zip(weights.iter().skip(CALLS.len())) {
        priced.extend(counters.iter().map(|counter| CounterWeight {
            counter: counter.name().to_owned(),
            cycles: rounded(*cycles),
            source: SOURCE.to_owned(),
        }));
    }
    // What the tables do not hold, from other sources or as round figures that say so.
    for (counter, cycles, source) in [
        (
            Counter::PageFault,
            2000.0,
            "assumed: about 1 µs for a first touch (x86, 6.6: median 3241 cycles with zeroing)",
        ),
        (Counter::ZeroedBytes, 0.125, "assumed: 8 bytes a cycle"),
        (Counter::CopiedBytes, 0.25, "assumed: 4 bytes a cycle"),
        (Counter::TlbFlush, 150.0, "assumed: a local invalidation"),
        (
            Counter::TableAlloc,
            400.0,
            "assumed: a page from the allocator, zeroed apart",
        ),
    ] {
        priced.push(CounterWeight {
            counter: counter.name().to_owned(),
            cycles,
            source: source.to_owned(),
        });
    }
    Some(CpuProfile {
        id: "pentium-gold-7505".to_owned(),
        label: "Intel Pentium Gold 7505, 2.0 GHz".to_owned(),
        cycles_per_ns: 2.0,
        model: "a fixed part for each call plus a weighted sum of what it counts, by non-negative least squares of the relative errors".to_owned(),
        relative_error: rounded(rms * 1000.0) / 1000.0,
        error_rows: "the 36 values of the mseal v10 table in cycles, 21 of them held out".to_owned(),
        calls,
        weights: priced,
    })
}

/// What one call counts on average, in the order of the weights.
fn features(row: &Published, kernel: &str) -> Option<Vec<f64>> {
    let (counts, samples) = mmperf::counted(&row.syscall, row.vmas, kernel)?;
    let calls = CALLS.iter().map(|c| f64::from(u8::from(*c == row.syscall)));
    let work = WORK
        .iter()
        .map(|counters| per_call(&counts, counters, samples));
    Some(calls.chain(work).collect())
}

fn per_call(counts: &Counts, counters: &[Counter], samples: u64) -> f64 {
    let sum: u64 = counters.iter().map(|&c| counts.get(c)).sum();
    sum as f64 / samples.max(1) as f64
}

/// Tenths are more than the data can tell.
fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}
