//! `sealab replay` of recorded experiments on page tables.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::PathBuf;

use rayon::prelude::*;
use sealab_lab::replay::pages::{self, Experiment, PagesVerdict};

use crate::Ending;

/// Differences shown of one step; the rest is counted.
const SHOWN: usize = 8;

/// Replays the experiments in `files`; with `families`, only those whose name begins with one.
pub fn run(files: &[PathBuf], families: &[String]) -> Ending {
    let mut experiments = Vec::new();
    for file in files {
        match pages::read(file) {
            Ok(mut read) => experiments.append(&mut read),
            Err(fault) => {
                eprintln!("sealab: {fault}");
                return Ending::Wrong;
            }
        }
    }
    experiments.retain(|e| families.is_empty() || families.iter().any(|f| e.name.starts_with(f)));
    let verdicts: Vec<Result<PagesVerdict, String>> =
        experiments.par_iter().map(pages::replay).collect();
    // A reader that has seen enough (`| head`) is no fault.
    report(&experiments, &verdicts).unwrap_or(Ending::Wrong)
}

fn report(
    experiments: &[Experiment],
    verdicts: &[Result<PagesVerdict, String>],
) -> io::Result<Ending> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut passed, mut failed) = (0_u64, 0_u64);
    // By reason, then by experiment: on how many machines it was recorded.
    let mut not_modelled: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut ending = Ending::Agrees;
    for (experiment, verdict) in experiments.iter().zip(verdicts) {
        let place = format!("{}/{}", experiment.config, experiment.name);
        match verdict {
            Ok(PagesVerdict::Passed) => passed += 1,
            Ok(PagesVerdict::NotModelled(why)) => {
                let names = not_modelled.entry(why).or_default();
                *names.entry(&experiment.name).or_default() += 1;
            }
            Ok(PagesVerdict::Failed {
                step,
                call,
                differences,
            }) => {
                failed += 1;
                if ending == Ending::Agrees {
                    ending = Ending::Differs;
                }
                writeln!(out, "{place}: step {step}: {call}")?;
                for difference in differences.iter().take(SHOWN) {
                    writeln!(out, "    {difference}")?;
                }
                if let Some(more) = differences.len().checked_sub(SHOWN).filter(|&n| n > 0) {
                    writeln!(out, "    … and {more} more")?;
                }
            }
            Err(fault) => {
                failed += 1;
                ending = Ending::Wrong;
                writeln!(out, "{fault}")?;
            }
        }
    }
    let mut skipped = 0;
    for (why, names) in &not_modelled {
        let list: Vec<String> = names
            .iter()
            .map(|(name, n)| format!("{name} ({n})"))
            .collect();
        writeln!(out, "not modelled: {why}: {}", list.join(", "))?;
        skipped += names.values().sum::<u64>();
    }
    writeln!(
        out,
        "{passed} passed, {failed} failed, {skipped} not modelled"
    )?;
    out.flush()?;
    Ok(ending)
}
