//! Fits profiles and weights to the published tables and writes them to `crates/lab/data`:
//! `cargo run --release -p sealab-lab --features fit --example fit`
//! (`-- cpu` leaves out the workloads, which take longer).

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use sealab_lab::bench::fitting;
use serde::Serialize;

fn main() -> ExitCode {
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}

fn write() -> Result<(), String> {
    let fault = |e: sealab_lab::bench::BenchError| e.to_string();
    let pentium = fitting::pentium().map_err(fault)?;
    save(
        "cpu/xeon-gold-6346.json",
        &fitting::xeon(&pentium).map_err(fault)?,
    )?;
    save("cpu/ampere-altra.json", &fitting::altra_profile(&pentium))?;
    save("cpu/pentium-gold-7505.json", &pentium)?;
    if std::env::args().nth(1).as_deref() == Some("cpu") {
        return Ok(());
    }
    save("bench/altra.json", &fitting::workloads().map_err(fault)?)
}

fn save(name: &str, value: &impl Serialize) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name);
    let json = serde_json::to_string_pretty(value).map_err(|e| e.to_string())?;
    fs::write(&path, json + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}
