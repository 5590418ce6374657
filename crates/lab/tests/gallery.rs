//! The gallery's scenarios as golden reports: what a reader is told of each. They were read against
//! the recordings of the same calls; `UPDATE_EXPECT=1 cargo test -p sealab-lab --test gallery`
//! writes them anew after a change that is meant.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use sealab_lab::gallery::{EXAMPLES, Example};
use sealab_lab::pages::PagesQuery;
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_lab::tables::tally_cells;

fn run(example: &Example) -> Session {
    let input = Input {
        text: example.text.to_owned(),
        ..Input::default()
    };
    Session::run(
        input,
        &example.variants(),
        &RunOptions::default(),
        &mut |_| true,
    )
    .expect("the gallery runs")
}

/// Everything but estimated costs, which move when weights are fitted anew.
fn golden(example: &Example, session: &mut Session) -> String {
    let mut out = format!("# {}\n\n", example.title());
    for difference in session.differences() {
        let _ = writeln!(out, "- {}: {}", difference.kind, difference.sentence);
    }
    for run in session.report().runs {
        let _ = writeln!(out, "\n## {} {}\n", run.variant.kernel, run.variant.memory);
        for call in &run.calls {
            let result = [&call.result.value, &call.result.errno, &call.result.signal];
            let result: Vec<&str> = result.into_iter().flatten().map(String::as_str).collect();
            let counts: Vec<String> = call
                .counts
                .iter()
                .map(|(k, n)| format!("{k} {n}"))
                .collect();
            let agrees = if call.agrees {
                ""
            } else {
                " (not as the text says)"
            };
            let _ = writeln!(
                out,
                "{}: {} = {}{agrees} [{}]",
                call.line,
                call.text,
                result.join(""),
                counts.join(", ")
            );
        }
        if run.unlisted_calls > 0 {
            let _ = writeln!(
                out,
                "and {} calls that are only summed up",
                run.unlisted_calls
            );
        }
        out.push('\n');
        for line in &run.maps {
            let flags = line.vm_flags.join(" ");
            let _ = writeln!(
                out,
                "{}-{} {} {} {} [{flags}] {} kB",
                line.start, line.end, line.perms, line.offset, line.name, line.rss_kb
            );
        }
    }
    if example.memories != ["baseline-4k"] {
        pages(session, &mut out);
    }
    out
}

/// What steps did to contiguous blocks, the pages at the end, and what was counted.
fn pages(session: &mut Session, out: &mut String) {
    let _ = writeln!(out, "\n## Pages\n");
    for step in 1..=session.steps().len() {
        let view = session.pages(&PagesQuery {
            step,
            ..PagesQuery::default()
        });
        for row in &view.rows {
            for said in row.events.iter().filter(|e| e.contains("folded")) {
                let _ = writeln!(out, "step {step}, {} ({}): {said}", row.title, row.process);
            }
        }
        if step == session.steps().len() {
            for row in &view.rows {
                let _ = writeln!(
                    out,
                    "\n{} ({}): {}; {} TLB entries of {}\n{}",
                    row.title, row.process, row.line, row.tlb_entries, row.tlb_size, row.letters
                );
            }
        }
    }
    out.push('\n');
    for tally in session.tallies() {
        let _ = writeln!(out, "{}: {}", tally.title, tally_cells(&tally).join(", "));
    }
}

#[test]
fn the_gallery_tells_what_it_told() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut stale = Vec::new();
    for example in EXAMPLES {
        let path = folder.join(format!("{}.md", example.slug));
        let now = golden(example, &mut run(example));
        if update {
            fs::create_dir_all(&folder).expect("a folder for the golden reports");
            fs::write(&path, now).expect("a golden report");
        } else if fs::read_to_string(&path).ok().as_deref() != Some(now.as_str()) {
            stale.push(example.slug);
        }
    }
    assert!(
        stale.is_empty(),
        "not as before: {stale:?}; look at them with UPDATE_EXPECT=1 and git diff"
    );
}

/// What the examples say they expect holds under the kernels they are shown with.
#[test]
fn every_expectation_of_the_gallery_holds() {
    for example in EXAMPLES {
        let session = run(example);
        assert_eq!(session.diagnostics(), [], "{}", example.slug);
        for run in session.runs() {
            let kernel = &run.variant.ids.kernel;
            assert_eq!(run.disagreements, 0, "{} under {kernel}", example.slug);
        }
    }
}

/// The page's first sentence, word for word.
#[test]
fn the_first_sentence_is_the_point() {
    let session = run(&EXAMPLES[0]);
    let first = session.differences().first().expect("a difference");
    assert_eq!(
        first.sentence,
        "Line 7: both sealing kernels answer EPERM, but 6.12 in-loop had already made 8 KiB \
         read-only before it met the seal; 6.11 out-of-loop changed nothing."
    );
    let strong: Vec<&str> = first
        .emphasis
        .iter()
        .map(|&(s, e)| &first.sentence[s..e])
        .collect();
    assert_eq!(strong, ["EPERM", "8 KiB"]);
}

/// Moving through the steps gives the same address spaces as running up to each.
#[test]
fn steps_can_be_visited_in_any_order() {
    for example in EXAMPLES {
        let mut session = run(example);
        let steps = session.steps().len();
        let forwards: Vec<_> = (0..=steps).map(|s| session.space(s)).collect();
        for step in (0..=steps).rev().step_by(3) {
            assert_eq!(
                session.space(step),
                forwards[step],
                "{} at {step}",
                example.slug
            );
        }
        let last = &forwards[steps];
        for (strip, run) in last.strips.iter().zip(session.report().runs) {
            if run.unlisted_calls == 0 {
                let shown: Vec<_> = strip.blocks.iter().map(|b| b.maps.clone()).collect();
                assert_eq!(shown, run.maps, "{}", example.slug);
            }
        }
    }
}
