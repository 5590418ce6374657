//! `sealab verify`: the kernel this machine runs against the simulated one.

#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod random;
#[cfg(target_os = "linux")]
mod scenario;

use std::path::PathBuf;

use sealab_lab::verify::Family;

use crate::Ending;

/// Make the same calls on the kernel this machine runs, and show what differs
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sealab verify gallery/mprotect-across-a-seal.seal
  sealab verify --random 20000
  sealab verify --random 1 --seed 4711 --family seal-heavy

Calls are made by a small process of their own; no file of yours is opened, and calls that would
harm that process are refused. Where this machine cannot be asked (no mseal, another architecture,
a container that forbids it), that is said and nothing fails.

Exit status: 0 no difference or skipped, 1 something differs, 2 the text or the arguments are wrong.")]
pub struct Args {
    /// Scenarios or traces; - reads the standard input
    #[arg(required_unless_present = "random", conflicts_with = "random")]
    files: Vec<PathBuf>,

    /// Write what the kernel made of each file's calls into this folder, as a recorded case that
    /// `sealab replay` reads
    #[arg(long, value_name = "FOLDER", conflicts_with = "random")]
    record: Option<PathBuf>,

    /// Draw N random programs and hold both kernels' answers against each other
    #[arg(long, value_name = "N")]
    random: Option<u64>,

    /// Seed of the first program; the next ones count up
    #[arg(long, value_name = "S", default_value_t = 1, requires = "random")]
    seed: u64,

    /// Only programs of this family; may be given several times
    #[arg(long, value_name = "NAME", requires = "random", help = family_help())]
    family: Vec<Family>,

    /// Programs run at a time
    #[arg(long, value_name = "N", requires = "random")]
    jobs: Option<usize>,

    /// Where minimised scenarios of differences are written
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = "verify-differences",
        requires = "random"
    )]
    out: PathBuf,
}

fn family_help() -> String {
    let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
    format!(
        "Only programs of this family ({}); may be given several times",
        names.join(", ")
    )
}

#[cfg(target_os = "linux")]
pub fn run(args: &Args) -> Ending {
    use sealab_host::{Availability, availability};

    let info = match availability() {
        Availability::Ready(info) => info,
        Availability::Skipped(reason) => return skip(&reason),
    };
    match args.random {
        Some(count) => random::run(args, &info, count),
        None => scenario::run(&args.files, args.record.as_deref(), &info),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn run(_: &Args) -> Ending {
    skip("this is not Linux")
}

/// Nothing can be asked here: said plainly, and no failure.
fn skip(reason: &str) -> Ending {
    println!("skipped: {reason}");
    println!("0 passed, 0 failed");
    Ending::Agrees
}
