//! Chromium and its driver, for the tests that need a real browser.

use std::{env, path::PathBuf};

use crate::{
    fail::{Failure, Result},
    process::{Process, is_root, on_path},
    say,
};

/// The browser and the program that drives it.
pub struct Browser {
    /// Chromium or Chrome.
    pub chromium: PathBuf,
    /// ChromeDriver of the same major version.
    pub driver: PathBuf,
}

/// Finds Chromium and ChromeDriver, installing Debian's packages when they are missing and may be.
pub fn ensure() -> Result<Browser> {
    let why = "runs the tests of what a reader sees";
    let found = match find() {
        Some(found) => found,
        None => {
            install()?;
            find().ok_or_else(missing)?
        }
    };
    let (browser, driver) = (major(&found.chromium), major(&found.driver));
    if browser.is_none() || browser != driver {
        return Err(Failure::new(
            format!(
                "Chromium and ChromeDriver must be of one major version, found {} and {}",
                browser.unwrap_or_else(|| "none".into()),
                driver.unwrap_or_else(|| "none".into())
            ),
            "install both from one source, or point CHROMIUM and CHROMEDRIVER at a pair that fits",
        ));
    }
    let label = format!("Chromium {}", browser.unwrap_or_default());
    say::present(&label, &format!("{why} ({})", found.chromium.display()));
    Ok(found)
}

/// Installs Debian packages, once, waiting for any other run of the package manager.
pub fn apt(what: &str, why: &str, packages: &[&str]) -> Result<()> {
    say::step(
        what,
        &format!("{why}; installing {}", packages.join(", ")),
        || {
            let remedy = format!("install {} with your package manager", packages.join(", "));
            let apt = || {
                Process::new("apt-get")
                    .args(["-qq", "-o", "DPkg::Lock::Timeout=600"])
                    .env("DEBIAN_FRONTEND", "noninteractive")
                    .remedy(remedy.clone())
            };
            apt().arg("update").run()?;
            apt()
                .args(["install", "-y", "--no-install-recommends"])
                .args(packages)
                .run()
        },
    )
}

fn find() -> Option<Browser> {
    let given = |name: &str| env::var_os(name).map(PathBuf::from);
    let first = |names: &[&str]| names.iter().find_map(|name| on_path(name));
    Some(Browser {
        chromium: given("CHROMIUM").or_else(|| {
            first(&[
                "chromium",
                "chromium-browser",
                "google-chrome-stable",
                "google-chrome",
            ])
        })?,
        driver: given("CHROMEDRIVER").or_else(|| first(&["chromedriver"]))?,
    })
}

fn install() -> Result<()> {
    if on_path("apt-get").is_none() || !is_root() {
        return Err(missing());
    }
    apt(
        "Chromium",
        "runs the tests of what a reader sees",
        &["chromium", "chromium-driver", "fonts-dejavu-core"],
    )
}

fn missing() -> Failure {
    Failure::new(
        "Chromium or ChromeDriver is missing: the browser tests need both",
        "install them (Debian: `sudo apt-get install chromium chromium-driver`), or set CHROMIUM \
         and CHROMEDRIVER to their paths",
    )
}

fn major(program: &std::path::Path) -> Option<String> {
    let text = Process::new(program).arg("--version").output()?;
    let word = text
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(word.split('.').next()?.to_owned())
}
