//! The command line's promises: what it prints, and its exit status.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;

use common::sealab;

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn project(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_string_lossy().into_owned()
}

const SEALED: &str = "a = mmap(NULL, 8K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n\
                      mseal(a, 4K, 0) = 0\n\
                      munmap(a, 8K) = -1 EPERM\n";

#[test]
fn run_says_where_designs_differ() {
    let file = project("gallery/mprotect-across-a-seal.seal");
    let output = sealab(&["run", &file], "");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("6.12 in-loop had already made 8 KiB read-only"));
}

#[test]
fn an_expectation_that_fails_is_status_1() {
    let kept = sealab(&["run", "-", "--kernel", "6.12"], SEALED);
    assert_eq!(kept.status.code(), Some(0), "{}", err(&kept));
    let broken = sealab(&["run", "-", "--kernel", "6.8"], SEALED);
    assert_eq!(broken.status.code(), Some(1), "{}", out(&broken));
    assert!(
        out(&broken).contains("the text expects"),
        "{}",
        out(&broken)
    );
}

#[test]
fn faults_are_shown_in_the_text_and_are_status_2() {
    let output = sealab(&["run", "-"], "mmpa(1)\nmprotect(y, 4K, PROT_REED)\n");
    assert_eq!(output.status.code(), Some(2));
    let err = err(&output);
    for said in [
        "did you mean `mmap`?",
        "did you mean `PROT_READ`?",
        "nothing is called `y`",
    ] {
        assert!(err.contains(said), "{said} is not in:\n{err}");
    }
    assert_eq!(sealab(&["run", "-"], "").status.code(), Some(2));
    assert_eq!(sealab(&["run", "no such file"], "").status.code(), Some(2));
    assert_eq!(
        sealab(&["run", "-", "--kernel", "6.99"], SEALED)
            .status
            .code(),
        Some(2)
    );
    assert_eq!(sealab(&["walk"], "").status.code(), Some(2));
}

#[test]
fn json_is_the_report() {
    let output = sealab(&["run", "-", "--json", "--kernel", "6.12"], SEALED);
    let report: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(report["format"], "sealab-report/1");
    let call = &report["runs"][0]["calls"][2];
    assert_eq!(call["line"], 3);
    assert_eq!(call["result"]["errno"], "EPERM");
    assert_eq!(call["agrees"], true);
    let maps = report["runs"][0]["maps"].as_array().expect("maps");
    let sealed = maps.iter().filter(|m| {
        let flags = m["vm_flags"].as_array().expect("flags");
        flags.iter().any(|f| f == "sl")
    });
    assert_eq!(sealed.count(), 1);
}

#[test]
fn csv_and_markdown_are_tables() {
    let csv = out(&sealab(&["run", "-", "--csv", "--kernel", "6.12"], SEALED));
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.starts_with("kernel,memory,cpu,call,line,"));
    let markdown = out(&sealab(&["run", "-", "--markdown"], SEALED));
    assert!(
        markdown.contains("| line | call | 6.8 | 6.11 | 6.12 |"),
        "{markdown}"
    );
}

#[test]
fn a_link_comes_back_as_it_was() {
    let made = sealab(&["link", "-", "--kernel", "6.18", "--step", "2"], SEALED);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let link = out(&made).trim().to_owned();
    let opened = sealab(&["open", &link], "");
    assert_eq!(out(&opened), SEALED);
    assert!(err(&opened).contains("6.18"), "{}", err(&opened));
    let cut = &link[..link.len() / 2];
    assert_eq!(sealab(&["open", cut], "").status.code(), Some(2));
}

#[test]
fn real_programs_agree_with_their_recordings() {
    let folder = PathBuf::from(project("recordings/linux-6.18-x86_64/real-programs"));
    let mut held = 0;
    for entry in std::fs::read_dir(&folder).expect("the traces").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((program, rest)) = name.split_once('.') else {
            continue;
        };
        let Some(pid) = rest.strip_suffix(".start.maps") else {
            continue;
        };
        let trace = folder.join(format!("{program}.strace"));
        let maps = entry.path();
        let arguments = [
            "run",
            &trace.to_string_lossy(),
            "--kernel",
            "6.18",
            "--maps",
            &maps.to_string_lossy(),
            "--pid",
            pid,
            "--json",
        ];
        let output = sealab(&arguments, "");
        let report: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
        let errors = report["diagnostics"]
            .as_array()
            .expect("diagnostics")
            .iter();
        assert_eq!(
            errors.filter(|d| d["severity"] == "error").count(),
            0,
            "{name}"
        );
        let totals = &report["runs"][0]["totals"];
        let calls = totals["calls"].as_u64().expect("a number");
        assert_eq!(totals["disagreements"], 0, "{name}");
        assert!(calls > 10, "{name}");
        held += 1;
    }
    assert_eq!(held, 10);
}

#[test]
fn replay_ends_with_its_count() {
    let pack = project("recordings/linux-6.12-x86_64/replay-design.cases.gz");
    let output = sealab(&["replay", &pack], "");
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert_eq!(out(&output).lines().last(), Some("91 passed, 0 failed"));
    let wrong = sealab(&["replay", &pack, "--kernel", "6.11"], "");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(out(&wrong).contains("recorded:") && out(&wrong).contains("simulated:"));
}

#[test]
fn render_draws_what_run_says() {
    let file = project("gallery/mprotect-across-a-seal.seal");
    let svg = sealab(&["render", &file], "");
    assert_eq!(svg.status.code(), Some(0), "{}", err(&svg));
    let svg = out(&svg);
    assert!(svg.starts_with("<svg ") && svg.contains("EPERM, 8K changed"));
    assert!(svg.contains("<metadata>#v1/"), "the link is in it");
    let page = ["--page", "https://example.org/sealab/"];
    let html = out(&sealab(
        &[&["render", &file, "--html"], &page[..]].concat(),
        "",
    ));
    assert!(html.starts_with("<sealab-play src=\"#v1/") && html.contains("<table"));
    assert!(html.contains("href=\"https://example.org/sealab/#v1/"));
    let markdown = out(&sealab(
        &[&["render", &file, "--markdown"], &page[..]].concat(),
        "",
    ));
    assert!(markdown.starts_with("```c\n# mprotect across a seal"));
    assert!(
        markdown.ends_with(")\n") && markdown.contains("[Open in sealab](https://example.org/")
    );
    let calls = out(&sealab(
        &["render", "-", "--view", "calls", "--theme", "dark"],
        SEALED,
    ));
    assert!(calls.contains("munmap(a, 8K)") && calls.contains("#141c25"));
    for wrong in [&["--view", "tree"], &["--theme", "red"], &["--width", "0"]] {
        let all = [&["render", "-"], &wrong[..]].concat();
        assert_eq!(sealab(&all, SEALED).status.code(), Some(2), "{wrong:?}");
    }
}

/// What the kernel made of a scenario is a recording like any other.
#[test]
fn a_scenario_recorded_here_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = folder.path().join("seal.seal");
    let text = "a = mmap(NULL, 16K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n\
                store(a, 8K)\nmseal(a + 4K, 4K, 0)\nmunmap(a, 8K)\nmprotect(a, 4K, PROT_READ)\n";
    std::fs::write(&scenario, text).expect("written");
    let recorded = folder.path().join("recorded");
    let (scenario, recorded) = (scenario.to_string_lossy(), recorded.to_string_lossy());
    let output = sealab(&["verify", &scenario, "--record", &recorded], "");
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    if out(&output).contains("skipped:") {
        return;
    }
    let replayed = sealab(&["replay", &recorded], "");
    assert!(
        out(&replayed).ends_with("1 passed, 0 failed\n"),
        "{}",
        out(&replayed)
    );
}
