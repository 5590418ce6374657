//! `sealab`: the simulator on the command line.

mod bench;
mod diagnostics;
mod input;
mod link;
mod render;
mod replay;
mod run;
mod stats;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Linux memory mappings, memory sealing and contiguous PTEs, simulated and compared.
#[derive(Parser)]
#[command(name = "sealab", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Render(render::Args),
    Replay(replay::Args),
    Verify(verify::Args),
    Bench(bench::Args),
    Stats(stats::Args),
    Link(link::LinkArgs),
    Open(link::OpenArgs),
}

/// How a command ended; the numbers are the exit status.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Ending {
    /// All agrees.
    Agrees = 0,
    /// Something differs.
    Differs = 1,
    /// The input or the arguments are wrong.
    Wrong = 2,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(ending as u8)
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Link(args) => link::make(&args),
        Command::Open(args) => link::open(&args),
    }
    .into()
}
