//! `cargo xtask`: everything one does with this repository, each command setting up what it needs.
//!
//! A command says what it is doing and why, keeps what it installs in the user's cache folder by
//! version (so that the next clone finds it), and ends a failure with the sentence that remedies it.

mod bench;
mod browser;
mod dist;
mod fail;
mod metadata;
mod node;
mod place;
mod process;
mod rust;
mod say;
mod site;
mod stages;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use fail::Result;
use place::Place;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install everything that the other commands need, and say where it went
    Setup,
    /// Build the page, serve it on this machine and rebuild it on every change
    Serve(site::ServeArgs),
    /// Run every check: the one command that a change must pass
    Test(stages::TestArgs),
    /// Build the release page into a folder that any static host can serve
    Build(site::BuildArgs),
    /// Build everything that is published: page, embeds and documentation, as a folder and a zip
    Dist(site::BuildArgs),
    /// Build the npm package of the simulator into target/xtask/npm, and check it in Node.js
    Package,
    /// Format Rust and TypeScript sources
    Fmt,
    /// Compressed sizes of the release page, held to the budget in www/budget.json
    Sizes(site::SizesArgs),
    /// Run the benchmark suites
    Bench(bench::BenchArgs),
}

fn main() -> ExitCode {
    let args = Args::parse();
    match Place::find().and_then(|place| run(args.command, &place)) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, place: &Place) -> Result<ExitCode> {
    match command {
        Command::Setup => setup(place)?,
        Command::Serve(args) => site::serve(place, &args)?,
        Command::Test(args) => return stages::test(place, &args),
        Command::Build(args) => {
            site::build(place, &args.folder(place))?;
        }
        Command::Dist(args) => dist::make(place, &args.folder(place))?,
        Command::Package => {
            let site = site::test_folder(place);
            site::build(place, &site)?;
            dist::package(place, &site)?;
        }
        Command::Fmt => fmt(place)?,
        Command::Sizes(args) => site::sizes(place, &args)?,
        Command::Bench(args) => bench::bench(place, &args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn setup(place: &Place) -> Result<()> {
    rust::toolchain()?;
    rust::wasm_target()?;
    tools::WASM_BINDGEN.ensure(place)?;
    tools::TRUNK.ensure(place)?;
    node::packages(place)?;
    browser::ensure()?;
    rust::fetch(place)?;
    say::done(&format!(
        "everything is in place; tools are kept in {}",
        place.tools().display()
    ));
    Ok(())
}

fn fmt(place: &Place) -> Result<()> {
    rust::toolchain()?;
    say::step("cargo fmt", "Rust sources", || {
        process::cargo(place).args(["fmt", "--all"]).run()
    })?;
    node::packages(place)?;
    say::step("biome", "TypeScript, JSON and CSS of www/", || {
        node::script(place, "fix").run()
    })
}
