//! The Rust toolchain: new enough, with rustfmt, clippy and the WebAssembly target.

use std::path::Path;

use crate::{
    fail::{Failure, Result},
    place::Place,
    process::{self, Process},
    say,
};

/// The compilation target of everything that runs in a browser.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Checks the compiler's version and adds the components that the checks use.
pub fn toolchain() -> Result<()> {
    let needed = env!("CARGO_PKG_RUST_VERSION");
    let version = Process::new("rustc")
        .arg("--version")
        .output()
        .unwrap_or_default();
    let found = version.split_whitespace().nth(1).unwrap_or("none");
    if numbers(found) < numbers(needed) {
        return Err(Failure::new(
            format!("Rust {needed} or newer is needed, found {found}"),
            "run `rustup update stable`, or install Rust from your distribution or with rustup",
        ));
    }
    for component in ["rustfmt", "clippy"] {
        let command = if component == "rustfmt" {
            "fmt"
        } else {
            component
        };
        if Process::new("cargo")
            .args([command, "--version"])
            .output()
            .is_none()
        {
            say::step(component, "checks the sources; missing, adding it", || {
                Process::new("rustup")
                    .args(["component", "add", component])
                    .remedy(format!("install {component} for Rust {found}"))
                    .run()
            })?;
        }
    }
    say::present(
        &format!("Rust {found}"),
        "new enough, with rustfmt and clippy",
    );
    Ok(())
}

/// Adds the standard library for WebAssembly.
pub fn wasm_target() -> Result<()> {
    let why = "the standard library for code that runs in the browser";
    let sysroot = Process::new("rustc").args(["--print", "sysroot"]).output();
    let there = sysroot.is_some_and(|root| {
        Path::new(&root)
            .join("lib/rustlib")
            .join(WASM)
            .join("lib")
            .is_dir()
    });
    if there {
        say::present(WASM, why);
        return Ok(());
    }
    say::step(WASM, why, || {
        Process::new("rustup")
            .args(["target", "add", WASM])
            .remedy(format!(
                "run `rustup target add {WASM}` with a network, or install your distribution's \
                 package of it (Debian: libstd-rust-dev-wasm32)"
            ))
            .run()
    })
}

/// Downloads the dependencies of Cargo.lock, because Trunk builds without a network.
pub fn fetch(place: &Place) -> Result<()> {
    say::step(
        "cargo fetch",
        "the crates of Cargo.lock, into cargo's own cache",
        || {
            process::cargo(place)
            .args(["fetch", "--locked", "--quiet"])
            .remedy("check the network; if Cargo.lock is out of date, run `cargo check` and commit it")
            .run()
        },
    )
}

fn numbers(version: &str) -> Vec<u64> {
    version
        .split(['.', '-'])
        .map_while(|part| part.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_compare_by_number() {
        assert!(numbers("1.100.0") > numbers("1.95"));
        assert!(numbers("1.95.0") >= numbers("1.95"));
        assert!(numbers("1.94.9") < numbers("1.95"));
        assert!(numbers("1.97.0-nightly") > numbers("1.95"));
        assert!(numbers("none") < numbers("1.95"));
    }
}
