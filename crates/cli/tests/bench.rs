//! `sealab bench` and `sealab stats`: what they print, and their exit status.

mod common;

use common::sealab;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn bench_prints_a_row_for_each_combination() {
    let output = sealab(
        &[
            "bench", "mmperf", "--kernel", "6.8", "--kernel", "6.11", "--vmas", "4", "--json",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["format"], "sealab-bench/1");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    let row = rows
        .iter()
        .find(|r| r["syscall"] == "munmap" && r["kernel"] == "6.11")
        .expect("asked for");
    assert_eq!(row["published"]["ns"], 2594.0);
    assert_eq!(row["role"], "fitted");
    assert!(row["predicted"]["ns"].as_f64().is_some_and(|ns| ns > 500.0));
    assert!(row["measured"].is_null());
}

#[test]
fn bench_says_what_there_is() {
    let output = sealab(&["bench", "solitaire"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("pagemove"),
        "{}",
        text(&output.stderr)
    );
    let output = sealab(&["bench", "mmperf", "--vmas", "0"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bench_prints_tables_of_each_kind() {
    for form in ["--csv", "--markdown"] {
        let output = sealab(&["bench", "mmap1", form], "");
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("6.11-src-first"));
        assert!(text(&output.stdout).contains("https://lore.kernel.org/"));
    }
}

#[test]
fn stats_reads_the_standard_input_and_names_places() {
    let output = sealab(
        &["stats", "-"],
        "min:1 max:1 total:10\nmin:1 max:1 total:20\n",
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stdout).contains("mean 15"),
        "{}",
        text(&output.stdout)
    );
    let wrong = sealab(&["stats", "-"], "1\ntwo\n");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        text(&wrong.stderr).contains(":2:1:"),
        "{}",
        text(&wrong.stderr)
    );
}

#[test]
fn stats_says_how_many_runs() {
    let output = sealab(&["stats", "--power", "4.4", "--cv", "60"], "");
    assert!(
        text(&output.stdout).contains("2920 runs a side"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(
        sealab(&["stats", "--power", "0", "--cv", "60"], "")
            .status
            .code(),
        Some(2)
    );
}
