//! The JavaScript side's packages: exactly those of www/package-lock.json.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
};

use crate::{
    fail::{AtPath, Failure, Result},
    place::Place,
    process::{self, Process},
    say,
};

/// The oldest Node.js that the build scripts and the test runner work with.
const NODE: u32 = 20;

/// Installs the npm packages when the lock file has changed since the last time.
pub fn packages(place: &Place) -> Result<()> {
    node()?;
    let www = place.www();
    let lock = www.join("package-lock.json");
    let text = fs::read(&lock).at("read", &lock)?;
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let key = format!("{:016x}", hasher.finish());

    // Inside node_modules, so that removing the folder removes the mark.
    let mark = www.join("node_modules/.sealab-lock");
    let fresh = || fs::read_to_string(&mark).is_ok_and(|seen| seen == key);
    let why = "bundler, editor, charts, wasm-opt and browser driver of www/package-lock.json";
    if fresh() {
        say::present("npm packages", why);
        return Ok(());
    }
    say::step("npm packages", why, || {
        let _lock = place.lock("npm")?;
        if fresh() {
            return Ok(());
        }
        Process::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--prefer-offline"])
            .dir(&www)
            // Tests use the system's Chromium; nothing here needs an install script.
            .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
            .env("npm_config_ignore_scripts", "true")
            .remedy("check the network and `npm config get registry`, then run it again")
            .run()?;
        fs::write(&mark, &key).at("write", &mark)
    })
}

/// The folder of the packages' programs, for `PATH`.
pub fn bin(place: &Place) -> PathBuf {
    place.www().join("node_modules/.bin")
}

/// A script of www/package.json.
pub fn script(place: &Place, name: &str) -> Process {
    Process::new("npm")
        .args(["run", "--silent", name])
        .dir(&place.www())
}

fn node() -> Result<()> {
    if let Some(found) = version() {
        if found >= NODE {
            return Ok(());
        }
        return Err(Failure::new(
            format!("Node.js {NODE} or newer is needed, found {found}"),
            "install a current Node.js (nodejs.org, nvm, or your distribution's backports)",
        ));
    }
    let remedy = format!("install Node.js {NODE} or newer with npm, and run this again");
    if process::on_path("apt-get").is_none() || !process::is_root() {
        return Err(Failure::new(
            "Node.js is missing: the page's editor and charts are built with it",
            remedy,
        ));
    }
    crate::browser::apt(
        "Node.js",
        "builds the page's JavaScript",
        &["nodejs", "npm"],
    )?;
    match version() {
        Some(found) if found >= NODE => Ok(()),
        _ => Err(Failure::new(
            "the distribution's Node.js is too old",
            remedy,
        )),
    }
}

fn version() -> Option<u32> {
    let text = Process::new("node").arg("--version").output()?;
    text.trim_start_matches('v').split('.').next()?.parse().ok()
}
