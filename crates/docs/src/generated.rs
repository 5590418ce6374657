//! Chapters and tables written from the project's own tables, so that they cannot go stale.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use sealab_core::kernel::KERNELS;
use sealab_core::meter::Counter;
use sealab_core::paging::DESIGNS;
use sealab_lab::gallery::EXAMPLES;
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_lab::{cost, names, variant, words};
use sealab_scenario::help;

/// What the examples of the reference take for granted.
const NAMES: &str = "heap = mmap(NULL, 1M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
text = mmap(NULL, 1M, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
shared = memfd_create(\"shared\", 0)
child = fork()
";

/// The text that `name` stands for. `root` is the book's folder.
///
/// # Errors
/// A name that stands for nothing, or an example that is not right.
pub fn text(name: &str, root: &Path) -> Result<String> {
    match name {
        "reference" => reference(),
        "kernels" => Ok(kernels()),
        "memories" => Ok(memories()),
        "cpus" => Ok(cpus()),
        "counters" => Ok(counters()),
        "gallery" => Ok(gallery()),
        "report" => report(),
        "accuracy" => Ok(accuracy(root)),
        _ => bail!("there is nothing called {name} to put in"),
    }
}

/// The scenario reference; every example of it is run.
fn reference() -> Result<String> {
    let text = help::reference();
    for example in text.split("```sealab\n").skip(1) {
        let example = example.split("\n```").next().unwrap_or_default();
        let session = run(&format!("{NAMES}{example}\n"))?;
        let faults = session.diagnostics();
        if let Some(fault) = faults.iter().find(|fault| fault.severity == "error") {
            bail!("{example}: {}", fault.message);
        }
    }
    // They lean on names that a reader has yet to make, so they are shown, not played.
    Ok(text.replace("```sealab\n", "```c\n"))
}

fn run(text: &str) -> Result<Session> {
    let input = Input {
        text: text.to_owned(),
        ..Input::default()
    };
    let options = RunOptions::default();
    Session::run(input, &variant::defaults(), &options, &mut |_| true).context("it does not run")
}

fn kernels() -> String {
    let mut out = String::from("| kernel | design |\n|---|---|\n");
    for kernel in KERNELS {
        let _ = writeln!(out, "| `{}` | {} |", kernel.name, kernel.label);
    }
    out
}

fn memories() -> String {
    let mut out = String::from(
        "| memory | page | anonymous folios up to | contiguous PTEs |\n|---|---|---|---|\n",
    );
    for design in DESIGNS.iter() {
        let page = design.page_size.bytes();
        let largest = design.anon_orders.checked_ilog2();
        let folios = largest.map_or("single pages".to_owned(), |order| {
            words::short_size(page << order)
        });
        let _ = writeln!(
            out,
            "| `{}` | {} | {folios} | {:?} |",
            design.name,
            words::short_size(page),
            design.contpte
        );
    }
    out
}

fn cpus() -> String {
    let mut out = String::from("| cpu | what it is |\n|---|---|\n");
    for profile in cost::profiles() {
        let _ = writeln!(out, "| `{}` | {} |", profile.id, profile.label);
    }
    out
}

fn counters() -> String {
    let mut out = String::from("| key | what is counted |\n|---|---|\n");
    for &counter in Counter::ALL {
        let _ = writeln!(
            out,
            "| `{}` | {} |",
            counter.name(),
            names::counter_title(counter)
        );
    }
    out
}

/// Every example of the gallery, to be played.
fn gallery() -> String {
    let mut out = String::new();
    for example in EXAMPLES {
        let variants = example.variants();
        let variants: Vec<String> = variants
            .iter()
            .map(|v| match v.memory.as_str() {
                "" | variant::DEFAULT_MEMORY => v.kernel.clone(),
                memory => format!("{}:{memory}", v.kernel),
            })
            .collect();
        let _ = write!(
            out,
            "\n## {}\n\n{}\n\n```sealab loading=click variants={}\n{}\n```\n",
            example.title(),
            example.explanation(),
            variants.join(";"),
            example.text.trim_end()
        );
    }
    out
}

/// The report of a small scenario, as it is.
fn report() -> Result<String> {
    let session = run(
        "a = mmap(NULL, 8K, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\nmseal(a, 4K, 0)\nmunmap(a, 8K)\n",
    )?;
    let mut report = session.report();
    // One run is enough to show the form.
    report.runs.drain(..report.runs.len().saturating_sub(1));
    let json = serde_json::to_string_pretty(&report)?;
    Ok(format!("```json\n{json}\n```\n"))
}

/// `docs/accuracy.md` is written by `sealab bench`; without it the chapter says so.
fn accuracy(root: &Path) -> String {
    let text = std::fs::read_to_string(root.join("accuracy.md"));
    text.unwrap_or_else(|_| {
        "The table of predicted against published figures has not been made for this build.\n"
            .to_owned()
    })
}
