//! `sealab stats`: what samples say, and what they cannot.

use std::path::PathBuf;

use sealab_lab::stats;

use crate::{Ending, input};

/// Describe and compare samples: will-it-scale, stress-ng, perf stat, hyperfine, columns of numbers
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sealab stats before.txt after.txt
  perf stat -x, -e cycles ./a 2>&1 | sealab stats -
  sealab stats --power 4.4 --cv 60

Exit status: 0 all was read, 1 some was not, 2 the arguments are wrong.")]
pub struct Args {
    /// Samples, each file the output of one tool; - reads the standard input
    #[arg(required_unless_present = "power")]
    files: Vec<PathBuf>,

    /// Print JSON (sealab-stats/1)
    #[arg(long)]
    json: bool,

    /// What resamplings are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How many runs a side show a difference of so many percent
    #[arg(
        long,
        value_name = "PERCENT",
        requires = "cv",
        allow_negative_numbers = true
    )]
    power: Option<f64>,

    /// How much runs spread: standard deviation in percent of the mean
    #[arg(long, value_name = "PERCENT")]
    cv: Option<f64>,

    /// Runs a side of the benchmark whose wrong conclusions are counted
    #[arg(long, default_value_t = 10)]
    runs: u32,
}

pub fn run(args: &Args) -> Ending {
    match answer(args) {
        Ok((text, whole)) => {
            print!("{text}");
            if whole {
                Ending::Agrees
            } else {
                Ending::Differs
            }
        }
        Err(fault) => {
            eprintln!("sealab: {fault}");
            Ending::Wrong
        }
    }
}

fn answer(args: &Args) -> Result<(String, bool), String> {
    if let (Some(effect), Some(cv)) = (args.power, args.cv) {
        return power(args, cv, effect).map(|text| (text, true));
    }
    let (mut series, mut faults) = (Vec::new(), Vec::new());
    for file in &args.files {
        let (mut found, wrong) = stats::parse(&input::text(file)?);
        if args.files.len() > 1 {
            for one in &mut found {
                one.name = format!("{}: {}", input::name(file), one.name);
            }
        }
        for fault in &wrong {
            eprintln!(
                "{}:{}:{}: {}",
                input::name(file),
                fault.line,
                fault.column,
                fault.message
            );
        }
        series.append(&mut found);
        faults.extend(wrong);
    }
    let report = stats::report(series, faults, args.seed);
    let whole = report.faults.is_empty();
    if args.json {
        let json = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
        return Ok((json + "\n", whole));
    }
    let mut out = String::new();
    for one in &report.series {
        let d = &one.description;
        out.push_str(&format!(
            "{}: n {} mean {:.6}",
            one.series.name, d.n, d.mean
        ));
        for (name, value) in [
            ("median", d.median),
            ("sd", d.sd),
            ("sem", d.sem),
            ("cv %", d.cv_pct),
        ] {
            if let Some(value) = value {
                out.push_str(&format!(" {name} {value:.4}"));
            }
        }
        if let Some((low, high)) = d.ci {
            out.push_str(&format!(" 95 % CI {low:.4} to {high:.4}"));
        }
        out.push('\n');
    }
    for c in &report.comparisons {
        out.push_str(&format!(
            "{} against {}: {:+.2} %",
            c.other, c.first, c.change_pct
        ));
        if let Some(w) = &c.welch {
            out.push_str(&format!(
                ", Welch t {:.3}, df {:.1}, p {:.4}",
                w.t, w.df, w.p
            ));
        }
        if let Some(m) = &c.mann_whitney {
            out.push_str(&format!(", Mann-Whitney U {:.1}, p {:.4}", m.u, m.p));
        }
        if let Some(b) = &c.bootstrap {
            out.push_str(&format!(
                ", bootstrap 95 % {:+.2} to {:+.2} %",
                b.low_pct, b.high_pct
            ));
        }
        out.push('\n');
    }
    Ok((out, whole))
}

fn power(args: &Args, cv: f64, effect: f64) -> Result<String, String> {
    let wrong = "give a spread above 0 and a difference other than 0 and above −100, in percent";
    let power = stats::runs_a_side(cv, effect, 0.8).ok_or(wrong)?;
    let misled = stats::wrong_conclusions(cv, effect, args.runs, 4_000, args.seed).ok_or(wrong)?;
    if args.json {
        let json = serde_json::json!({"power": power, "wrong_conclusions": misled});
        return Ok(format!("{json:#}\n"));
    }
    Ok(format!(
        "With a spread of {cv} %, a difference of {effect} % takes {:.0} runs a side to be seen in 80 of 100 benchmarks.\n\
         With {} runs a side: {:.1} % of benchmarks point the wrong way, {:.1} % find nothing, {:.1} % find it \
         ({} simulated, seed {}).\n",
        power.runs,
        misled.runs,
        misled.wrong_sign_pct,
        misled.missed_pct,
        misled.right_pct,
        misled.trials,
        misled.seed
    ))
}
