//! The benchmarks against what was published of them.

use std::fs;
use std::path::Path;

use sealab_lab::bench::{
    self, BENCHMARKS, BenchError, BenchReport, Benchmark, Request, accuracy, texts,
};
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};

fn run(benchmark: Benchmark, request: &Request) -> BenchReport {
    bench::run(benchmark, request, &mut |_| true).expect("runs")
}

fn change(report: &BenchReport, kernel: &str) -> f64 {
    let row = report
        .rows
        .iter()
        .find(|r| r.kernel == kernel)
        .expect("asked for");
    row.predicted.change_pct.expect("a change")
}

#[test]
fn pagemove_loses_what_the_robot_saw_and_gets_it_back() {
    let report = run(Benchmark::Pagemove, &Request::default());
    let (out_of_loop, source_first, in_loop) = (
        change(&report, "6.11"),
        change(&report, "6.11-src-first"),
        change(&report, "6.12"),
    );
    assert!((-7.0..=-3.0).contains(&out_of_loop), "{out_of_loop}");
    assert!(
        source_first > out_of_loop && source_first < in_loop,
        "{source_first}"
    );
    assert!(in_loop.abs() <= 1.0, "{in_loop}");
    let row = report
        .rows
        .iter()
        .find(|r| r.kernel == "6.11")
        .expect("there");
    assert!(
        row.explained
            .iter()
            .any(|e| e.contains("walks of the VMA tree")),
        "{:?}",
        row.explained
    );
    assert!(row.also_published.len() >= 4);
}

#[test]
fn mmap1_gains_by_looking_in_the_loop() {
    let request = Request {
        kernels: vec!["6.11".to_owned(), "6.12".to_owned()],
        ..Request::default()
    };
    let gain = change(&run(Benchmark::Mmap1, &request), "6.12");
    assert!((5.0..=15.0).contains(&gain), "{gain}");
}

#[test]
fn mmperf_is_near_the_mail() {
    let report = run(Benchmark::Mmperf, &Request::default());
    for figure in ["ns", "cycles"] {
        let held = report
            .errors
            .iter()
            .find(|e| e.figure == figure && e.role == "held")
            .expect("rows");
        assert!(held.rms < 10.0, "{held:?}");
    }
    assert_eq!(report.rows.len(), 3 * 6 * 7);
    let published = report.rows.iter().filter(|r| r.published.is_some()).count();
    assert_eq!(published, 3 * 6 * 3, "6.8, 6.10 and 6.11");
}

#[test]
fn compile_keeps_its_identity_and_its_errors() {
    let report = run(Benchmark::KernelCompile, &Request::default());
    let held = |figure: &str| {
        report
            .errors
            .iter()
            .find(|e| e.figure == figure && e.role == "held")
            .expect("rows")
            .rms
    };
    assert!(held("user_pct") <= 1.0 && held("real_pct") <= 1.0 && held("kern_pct") < 2.0);
    let share = bench::model::altra().compile.share;
    for row in &report.rows {
        let f = row.predicted;
        let real = share * f.kern_pct.unwrap() + (1.0 - share) * f.user_pct.unwrap();
        assert!((real - f.real_pct.unwrap()).abs() < 1e-9);
    }
    let parts = Request {
        memories: vec!["4k,folio=32k,contpte".to_owned()],
        jobs: Some(80),
        ..Request::default()
    };
    let report = run(Benchmark::KernelCompile, &parts);
    assert_eq!((report.rows[0].jobs, report.rows.len()), (Some(80), 1));
}

#[test]
fn speedometer_is_within_a_point_and_64k_pages_have_nothing_published() {
    let report = run(Benchmark::Speedometer, &Request::default());
    assert_eq!(report.over("rate_pct", 1.0), 0, "{:?}", report.errors);
    let row = report
        .rows
        .iter()
        .find(|r| r.memory == "baseline-64k")
        .expect("asked for");
    assert_eq!((row.published.as_ref(), row.role.as_str()), (None, "none"));
}

#[test]
fn wrong_requests_are_answered_with_what_there_is() {
    let wrong = |benchmark, request: Request| {
        bench::run(benchmark, &request, &mut |_| true)
            .expect_err("wrong")
            .to_string()
    };
    let kernels = Request {
        kernels: vec!["6.13".to_owned()],
        ..Request::default()
    };
    assert!(wrong(Benchmark::Mmperf, kernels).contains("there is no kernel"));
    for vmas in [0, u64::MAX] {
        let request = Request {
            vmas: vec![vmas],
            ..Request::default()
        };
        assert!(wrong(Benchmark::Mmperf, request).contains("mappings"));
    }
    let jobs = Request {
        jobs: Some(0),
        ..Request::default()
    };
    assert!(wrong(Benchmark::KernelCompile, jobs).contains("jobs"));
    let cpu = Request {
        cpu: "abacus".to_owned(),
        ..Request::default()
    };
    assert!(wrong(Benchmark::Pagemove, cpu).contains("abacus"));
}

#[test]
fn a_watch_can_stop_every_benchmark() {
    for benchmark in BENCHMARKS {
        let stopped = bench::run(benchmark, &Request::default(), &mut |_| false);
        assert_eq!(
            stopped.err(),
            Some(BenchError::Cancelled),
            "{}",
            benchmark.id()
        );
    }
}

#[test]
fn every_loop_is_a_scenario_without_faults() {
    let mut all = vec![texts::mmap1(), texts::pagemove()];
    for call in texts::MMPERF_CALLS {
        all.push(texts::mmperf(call, 2, texts::Meter::Time));
        all.push(texts::mmperf(call, 2, texts::Meter::Cycles));
    }
    for text in all {
        let input = Input {
            text: text.clone(),
            ..Input::default()
        };
        let variants = sealab_lab::variant::defaults();
        let session =
            Session::run(input, &variants, &RunOptions::default(), &mut |_| true).expect("runs");
        assert!(
            session.diagnostics().is_empty(),
            "{text}\n{:?}",
            session.diagnostics()
        );
        for run in session.runs() {
            assert!(run.measures.iter().all(|m| m.samples > 0));
        }
    }
}

#[test]
fn the_report_reads_back() {
    let report = run(Benchmark::Mmap1, &Request::default());
    let json = serde_json::to_string(&report).expect("plain data");
    assert!(json.contains("\"format\":\"sealab-bench/1\""));
    let again: BenchReport = serde_json::from_str(&json).expect("the same shape");
    assert_eq!(again.rows.len(), report.rows.len());
}

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/accuracy.md");
    let now = accuracy::document(&mut |_| true).expect("runs");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &now).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == now,
        "docs/accuracy.md is old: UPDATE_EXPECT=1 cargo test -p sealab-lab --test bench, or \
         cargo run --release -p sealab-cli -- bench --accuracy > docs/accuracy.md"
    );
}
