//! Builds the runner: a freestanding program for the same target, carried inside this crate.
//!
//! Cargo has no stable way to depend on another program, so the compiler that builds this crate
//! is called once more.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=runner");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let os = env::var("CARGO_CFG_TARGET_OS")?;
    let arch = env::var("CARGO_CFG_TARGET_ARCH")?;
    let image = out.join("runner");
    if os == "linux" && arch == "x86_64" {
        compile(&image)?;
    } else {
        // No runner for this target: the crate then says that it is not available.
        fs::write(&image, [])?;
    }
    println!("cargo::rustc-env=SEALAB_RUNNER={}", image.display());
    Ok(())
}

fn compile(image: &Path) -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("runner");
    let script = folder.join("runner.ld");
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args(["--edition", "2024", "--crate-type", "bin"])
        .args(["--crate-name", "sealab_runner", "--target"])
        .arg(env::var("TARGET")?)
        .args([
            "-C",
            "panic=abort",
            "-C",
            "opt-level=2",
            "-C",
            "debuginfo=0",
        ])
        .args(["-C", "strip=symbols", "-C", "relocation-model=pic"])
        .args(["-C", "codegen-units=1"]);
    for arg in ["-nostartfiles", "-nostdlib", "-static", "-no-pie"] {
        rustc.arg("-C").arg(format!("link-arg={arg}"));
    }
    rustc.arg("-C").arg(format!(
        "link-arg=-Wl,--build-id=none,-T,{}",
        script.display()
    ));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg({
            let mut option = std::ffi::OsString::from("linker=");
            option.push(linker);
            option
        });
    }
    let status = rustc
        .arg("-o")
        .arg(image)
        .arg(folder.join("main.rs"))
        .status()
        .map_err(|e| format!("cannot start rustc for the runner: {e}"))?;
    if !status.success() {
        return Err(format!("the runner does not compile or link ({status})").into());
    }
    Ok(())
}
