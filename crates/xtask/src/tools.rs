//! Command-line tools from crates.io, pinned, built once per machine into the user's cache folder.

use std::{fs, path::PathBuf, process};

use crate::{
    fail::{AtPath, Result},
    place::Place,
    process::{Process, on_path},
    say,
};

/// A tool at one exact version.
pub struct Tool {
    /// The package on crates.io.
    package: &'static str,
    /// The program that is looked for.
    program: &'static str,
    version: &'static str,
    why: &'static str,
    /// What a person waits for on two cores.
    minutes: u32,
}

/// Must equal the version of the `wasm-bindgen` crate in Cargo.lock: the two speak a private format.
pub const WASM_BINDGEN: Tool = Tool {
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    version: "0.2.129",
    why: "joins WebAssembly to JavaScript, and runs tests in a browser",
    minutes: 2,
};

/// Builds the page's files and serves them.
pub const TRUNK: Tool = Tool {
    package: "trunk",
    program: "trunk",
    version: "0.21.14",
    why: "builds the page and serves it with reload",
    minutes: 5,
};

impl Tool {
    /// Makes sure that the tool is there, and returns the folder to put on `PATH`.
    pub fn ensure(&self, place: &Place) -> Result<PathBuf> {
        let label = format!("{} {}", self.package, self.version);
        let name = format!("{}-{}", self.program, self.version);
        let home = place.tools().join(&name);
        if let Some(folder) = self.find(&home) {
            say::present(&label, &format!("{} ({})", self.why, folder.display()));
            return Ok(folder);
        }
        let why = format!(
            "{}; building it from source, about {} minutes, once per machine",
            self.why, self.minutes
        );
        say::step(&label, &why, || {
            let _lock = place.lock(&name)?;
            // Another run may have installed it while this one waited.
            if self.find(&home).is_none() {
                self.install(place, &home)?;
            }
            Ok(home.join("bin"))
        })
    }

    fn find(&self, home: &std::path::Path) -> Option<PathBuf> {
        let cached = home.join("bin").join(self.program);
        [Some(cached), on_path(self.program)]
            .into_iter()
            .flatten()
            .filter(|program| self.is_right_version(program))
            .find_map(|program| program.parent().map(PathBuf::from))
    }

    fn is_right_version(&self, program: &std::path::Path) -> bool {
        Process::new(program)
            .arg("--version")
            .output()
            .is_some_and(|text| text.split_whitespace().nth(1) == Some(self.version))
    }

    /// Builds beside the final folder and renames, so that a stopped build leaves nothing half done.
    fn install(&self, place: &Place, home: &std::path::Path) -> Result<()> {
        let draft = place
            .tools()
            .join(format!(".{}-{}", self.program, process::id()));
        let build = draft.join("build");
        fs::create_dir_all(&build).at("create", &build)?;
        let built = Process::new("cargo")
            .args(["install", "--locked", self.package])
            .args(["--version", &format!("={}", self.version)])
            .arg("--root")
            .arg(&draft)
            .dir(&draft)
            .env("CARGO_TARGET_DIR", &build)
            // These programs run for seconds: a quick build is worth more than a quick program.
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .remedy(format!(
                "check the network and the C compiler, or put {} {} on PATH yourself",
                self.program, self.version
            ))
            .run()
            .and_then(|()| fs::remove_dir_all(&build).at("remove", &build))
            .and_then(|()| match fs::remove_dir_all(home) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(error).at("replace", home)
                }
                _ => fs::rename(&draft, home).at("move the finished tool to", home),
            });
        if built.is_err() {
            // The failure itself is what matters; a leftover draft is only disk space.
            let _ = fs::remove_dir_all(&draft);
        }
        built
    }
}
