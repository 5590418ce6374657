//! `sealab replay`: recorded cases made again and compared.

mod experiments;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use rayon::prelude::*;
use sealab_lab::replay::{self, Case, Difference, Place, Verdict};

use crate::Ending;

/// Replay recorded cases and compare every result, the final maps, flags and Rss
#[derive(clap::Args)]
pub struct Args {
    /// Cases (NAME.strace with NAME.before, .after and .smaps beside it), folders of them, packs, or
    /// experiments on page tables (NAME.jsonl, NAME.jsonl.gz)
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// Replay under this kernel instead of the one that KERNEL-ID names
    #[arg(long, value_name = "ID")]
    kernel: Option<String>,

    /// Only cases of this family, for example seal-heavy; may be given several times
    #[arg(long, value_name = "NAME")]
    family: Vec<String>,

    /// Show every difference of a case, not only the first
    #[arg(long, visible_alias = "keep-going")]
    all: bool,

    /// Show no cases but count their first differences by kind
    #[arg(long)]
    summary: bool,
}

pub fn run(args: &Args) -> Ending {
    let mut paths = args.paths.clone();
    let experiments = match replay::pages::take_files(&mut paths) {
        Ok(files) => files,
        Err(fault) => {
            eprintln!("sealab: {fault}");
            return Ending::Wrong;
        }
    };
    if experiments.is_empty() {
        return run_cases(args, &paths);
    }
    let pages = experiments::run(&experiments, &args.family);
    if paths.is_empty() {
        return pages;
    }
    let cases = run_cases(args, &paths);
    // The worse of both.
    if pages as u8 > cases as u8 {
        pages
    } else {
        cases
    }
}

fn run_cases(args: &Args, paths: &[PathBuf]) -> Ending {
    let cases = match replay::load(paths, args.kernel.as_deref()) {
        Ok(cases) => cases,
        Err(fault) => {
            eprintln!("sealab: {fault}");
            return Ending::Wrong;
        }
    };
    let cases: Vec<Case> = cases
        .into_iter()
        .filter(|c| args.family.is_empty() || args.family.iter().any(|f| **f == *c.family))
        .collect();
    let verdicts: Vec<Result<Verdict, String>> = cases
        .par_iter()
        .map(|case| replay::replay(case, args.all))
        .collect();
    let mut out = io::BufWriter::new(io::stdout().lock());
    match report(args, &cases, &verdicts, &mut out) {
        Ok(ending) => ending,
        // A reader that has seen enough (`| head`) is no fault.
        Err(_) => Ending::Wrong,
    }
}

fn report(
    args: &Args,
    cases: &[Case],
    verdicts: &[Result<Verdict, String>],
    out: &mut impl io::Write,
) -> io::Result<Ending> {
    let mut kinds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let (mut passed, mut failed) = (0_u64, 0_u64);
    let mut ending = Ending::Agrees;
    for (case, verdict) in cases.iter().zip(verdicts) {
        let verdict = match verdict {
            Ok(verdict) if verdict.passed() => {
                passed += 1;
                continue;
            }
            Ok(verdict) => verdict,
            Err(fault) => {
                writeln!(out, "{fault}")?;
                ending = Ending::Wrong;
                failed += 1;
                continue;
            }
        };
        failed += 1;
        if args.summary {
            if let Some(first) = verdict.differences.first() {
                kinds.entry(kind(first)).or_default().push(&case.place);
            }
            continue;
        }
        writeln!(out, "{} (kernel {})", case.place, case.kernel)?;
        for difference in &verdict.differences {
            writeln!(out, "  {difference}")?;
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    for (kind, places) in kinds {
        let example = places.first().copied().unwrap_or_default();
        writeln!(out, "{:6}  {kind}  (e.g. {example})", places.len())?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    out.flush()?;
    Ok(match ending {
        Ending::Agrees if failed > 0 => Ending::Differs,
        other => other,
    })
}

/// What differences of one kind have in common: the call, how it ended and how it should have.
fn kind(difference: &Difference) -> String {
    let side = |side: &Option<String>| match side.as_deref() {
        None => "no line".to_owned(),
        Some(text) => match text.strip_prefix("-1 ") {
            Some(error) => error.split(' ').next().unwrap_or(error).to_owned(),
            None if text.starts_with("0x") => "an address".to_owned(),
            None => text.to_owned(),
        },
    };
    let (what, recorded, simulated) = match &difference.at {
        Place::Call { text, .. } => {
            let (recorded, simulated) = (side(&difference.recorded), side(&difference.simulated));
            let both = recorded == "an address" && simulated == recorded;
            let simulated = if both {
                "another address".into()
            } else {
                simulated
            };
            (call_kind(text), recorded, simulated)
        }
        Place::Maps => {
            let side = |s: &Option<String>| if s.is_some() { "a line" } else { "no line" };
            let recorded = side(&difference.recorded);
            let simulated = side(&difference.simulated);
            ("final maps".into(), recorded.into(), simulated.into())
        }
        Place::VmFlags(_) => (
            "VmFlags".into(),
            side(&difference.recorded),
            side(&difference.simulated),
        ),
        Place::Rss(_) => ("Rss".into(), "one".into(), "another".into()),
    };
    format!("{what}: recorded {recorded}, simulated {simulated}")
}

/// A call's name and its flags, without addresses and lengths.
fn call_kind(text: &str) -> String {
    let Some((name, arguments)) = text.split_once('(') else {
        return text.to_owned();
    };
    let words: Vec<&str> = arguments
        .trim_end_matches(')')
        .split(", ")
        .filter(|word| {
            let named = word.starts_with(|c: char| c.is_ascii_uppercase());
            named && !word.starts_with("PROT_") && *word != "NULL"
        })
        .collect();
    format!("{name} {}", words.join(" ")).trim_end().to_owned()
}
