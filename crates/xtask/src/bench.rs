//! The benchmark suites of the crates that have one.

use clap::Args;

use crate::{
    fail::{Failure, Result},
    metadata::Workspace,
    place::Place,
    process, rust, say,
};

/// Arguments of `bench`.
#[derive(Args)]
pub struct BenchArgs {
    /// Only benchmarks whose name contains this
    filter: Option<String>,
}

/// Runs every package's benchmarks, optimised as for release.
pub fn bench(place: &Place, args: &BenchArgs) -> Result<()> {
    rust::toolchain()?;
    let packages = Workspace::read(place)?.with_benches();
    if packages.is_empty() {
        return Err(Failure::new(
            "no package has a benchmark",
            "add a [[bench]] target to a package, then run this again",
        ));
    }
    for package in packages {
        say::step(&package, "native benchmarks", || {
            process::cargo(place)
                .args([
                    "bench",
                    "--locked",
                    "--benches",
                    "--package",
                    &package,
                    "--",
                ])
                .args(&args.filter)
                .run()
        })?;
    }
    Ok(())
}
