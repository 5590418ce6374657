//! `cargo xtask test`: every check in order, each named and timed, with a table at the end.

use std::{cell::OnceCell, process::ExitCode, time::Instant};

use clap::{Args, ValueEnum};

use crate::{
    browser::{self, Browser},
    dist,
    fail::{AtPath, Failure, Result},
    metadata::Workspace,
    node,
    place::Place,
    process::{self, on_path},
    rust, say, site, tools,
};

/// Arguments of `test`.
#[derive(Args)]
pub struct TestArgs {
    /// Run only these stages
    #[arg(long, value_name = "STAGE", num_args = 1..)]
    only: Vec<Stage>,
    /// Leave these stages out
    #[arg(long, value_name = "STAGE", num_args = 1..)]
    skip: Vec<Stage>,
    /// Leave out the stages that build WebAssembly: for use while editing
    #[arg(long)]
    quick: bool,
}

/// Programs that the simulator and the kernel of this machine are both asked in every run.
const RANDOM_PROGRAMS: &str = "20000";

/// One group of checks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
enum Stage {
    /// Sources are formatted
    Fmt,
    /// Lints, for this machine and for the browser
    Clippy,
    /// Unit, property and golden tests on this machine
    Native,
    /// The same crates compiled to WebAssembly, in headless Chromium
    Wasm,
    /// The simulator replays what real kernels did, and answers as the one underneath
    Recordings,
    /// Types, lints and unit tests of the JavaScript side
    Js,
    /// The release page and its documentation build
    Site,
    /// The built page does what it promises, in real Chromium
    Browser,
    /// The built page is within its budget
    Sizes,
}

/// How a stage ended.
enum Outcome {
    Passed,
    Failed(Failure),
    Skipped(String),
}

impl Stage {
    fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    fn why(self) -> String {
        self.to_possible_value()
            .and_then(|value| value.get_help().map(ToString::to_string))
            .unwrap_or_default()
    }

    fn builds_wasm(self) -> bool {
        matches!(self, Self::Wasm | Self::Site | Self::Browser | Self::Sizes)
    }
}

impl TestArgs {
    /// Why `stage` is left out, if it is.
    fn left_out(&self, stage: Stage) -> Option<&'static str> {
        if !self.only.is_empty() && !self.only.contains(&stage) {
            Some("not in --only")
        } else if self.skip.contains(&stage) {
            Some("--skip")
        } else if self.quick && stage.builds_wasm() {
            Some("--quick")
        } else {
            None
        }
    }
}

/// Runs the stages, all of them even when one fails, and reports.
pub fn test(place: &Place, args: &TestArgs) -> Result<ExitCode> {
    rust::toolchain()?;
    let run = Run {
        place,
        workspace: Workspace::read(place)?,
        site: OnceCell::new(),
    };
    let start = Instant::now();
    let mut rows = Vec::new();
    for &stage in Stage::value_variants() {
        let started = Instant::now();
        let outcome = match args.left_out(stage) {
            Some(reason) => Outcome::Skipped(reason.into()),
            None => {
                println!("\n━━ {}: {}", stage.name(), stage.why());
                run.stage(stage).unwrap_or_else(Outcome::Failed)
            }
        };
        if let Outcome::Failed(failure) = &outcome {
            eprintln!("{failure}");
        }
        rows.push((stage, outcome, started.elapsed()));
    }

    println!("\n━━ summary");
    let mut tally = [0_usize; 3];
    for (stage, outcome, took) in &rows {
        let (slot, mark, words) = match outcome {
            Outcome::Passed => (0, "✓", stage.why()),
            Outcome::Failed(failure) => (1, "✗", failure.what().to_owned()),
            Outcome::Skipped(reason) => (2, "–", format!("skipped: {reason}")),
        };
        tally[slot] += 1;
        println!(
            "{mark} {:<11} {:>14}  {words}",
            stage.name(),
            say::seconds(*took)
        );
    }
    println!("total {:>21}\n", say::seconds(start.elapsed()));
    let [passed, failed, skipped] = tally;
    println!("stages: {passed} passed, {failed} failed, {skipped} skipped");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What the stages of one run share.
struct Run<'a> {
    place: &'a Place,
    workspace: Workspace,
    /// Set once the release page was built.
    site: OnceCell<std::path::PathBuf>,
}

impl Run<'_> {
    fn stage(&self, stage: Stage) -> Result<Outcome> {
        match stage {
            Stage::Fmt => self.cargo(&["fmt", "--all", "--check"], "run `cargo xtask fmt`")?,
            Stage::Clippy => self.clippy()?,
            Stage::Native => self.native()?,
            Stage::Wasm => self.wasm()?,
            Stage::Recordings => return self.recordings(),
            Stage::Js => self.js()?,
            Stage::Site => self.site().map(drop)?,
            Stage::Browser => self.browser()?,
            Stage::Sizes => site::weigh(self.place, &self.site()?)?,
        }
        Ok(Outcome::Passed)
    }

    fn cargo(&self, args: &[&str], remedy: &str) -> Result<()> {
        println!("  cargo {}", args.join(" "));
        process::cargo(self.place).args(args).remedy(remedy).run()
    }

    fn clippy(&self) -> Result<()> {
        let remedy = "mend what clippy names; an `allow` needs its reason beside it";
        let lints = ["--", "--deny", "warnings"];
        let native = ["clippy", "--locked", "--workspace", "--all-targets"];
        self.cargo(&[&native[..], &lints].concat(), remedy)?;

        let packages = self.workspace.using("wasm-bindgen");
        if packages.is_empty() {
            return Ok(());
        }
        rust::wasm_target()?;
        let wasm = [
            "clippy",
            "--locked",
            "--all-targets",
            "--target",
            rust::WASM,
        ];
        self.cargo(&[&wasm[..], &chosen(&packages), &lints].concat(), remedy)
    }

    fn native(&self) -> Result<()> {
        let remedy = "run the failing test alone: cargo test -p PACKAGE NAME";
        let workspace = ["--locked", "--workspace", "--no-fail-fast"];
        if on_path("cargo-nextest").is_none() {
            return self.cargo(&[&["test"], &workspace[..]].concat(), remedy);
        }
        self.cargo(&[&["nextest", "run"], &workspace[..]].concat(), remedy)?;
        // nextest does not run the examples in documentation.
        self.cargo(&[&["test", "--doc"], &workspace[..]].concat(), remedy)
    }

    fn wasm(&self) -> Result<()> {
        let packages = self.workspace.using("wasm-bindgen-test");
        if packages.is_empty() {
            return Err(Failure::new(
                "no package has tests for the browser",
                "add wasm-bindgen-test to a package's dev-dependencies",
            ));
        }
        rust::wasm_target()?;
        let bindgen = tools::WASM_BINDGEN.ensure(self.place)?;
        let browser = browser::ensure()?;
        process::cargo(self.place)
            .args([
                "test",
                "--locked",
                "--no-fail-fast",
                "--tests",
                "--target",
                rust::WASM,
            ])
            .args(chosen(&packages))
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
                bindgen.join("wasm-bindgen-test-runner"),
            )
            .env("WASM_BINDGEN_USE_BROWSER", "1")
            .env(
                "WASM_BINDGEN_TEST_WEBDRIVER_JSON",
                self.webdriver(&browser)?,
            )
            .env("CHROMEDRIVER", &browser.driver)
            .remedy("run one package: cargo xtask test --only wasm, and read its first failure")
            .run()
    }

    /// www/webdriver.json with the path of the browser that was found.
    fn webdriver(&self, browser: &Browser) -> Result<std::path::PathBuf> {
        let source = self.place.www().join("webdriver.json");
        let text = std::fs::read_to_string(&source).at("read", &source)?;
        let mut value: serde_json::Value = serde_json::from_str(&text).map_err(|error| {
            Failure::new(format!("www/webdriver.json: {error}"), "mend its JSON")
        })?;
        value["goog:chromeOptions"]["binary"] = browser.chromium.to_string_lossy().into();
        let folder = self.place.target().join("xtask");
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let path = folder.join("webdriver.json");
        std::fs::write(&path, value.to_string()).at("write", &path)?;
        Ok(path)
    }

    fn recordings(&self) -> Result<Outcome> {
        if !self.place.root().join("recordings").is_dir() {
            return Ok(Outcome::Skipped("this tree carries no recordings/".into()));
        }
        self.sealab(
            &["replay", "recordings"],
            "replay one case: cargo run --release -p sealab-cli -- replay PATH",
        )?;
        // Where the kernel cannot be asked, the command says so and passes.
        let found = self.place.target().join("xtask/verify-differences");
        self.sealab(
            &[
                "verify",
                "--random",
                RANDOM_PROGRAMS,
                "--out",
                &found.to_string_lossy(),
            ],
            "run the command printed beside `again:`; the minimised scenarios are in \
             target/xtask/verify-differences",
        )?;
        Ok(Outcome::Passed)
    }

    fn sealab(&self, args: &[&str], remedy: &str) -> Result<()> {
        let run = [
            "run",
            "--locked",
            "--release",
            "--package",
            "sealab-cli",
            "--",
        ];
        self.cargo(&[&run[..], args].concat(), remedy)
    }

    fn js(&self) -> Result<()> {
        node::packages(self.place)?;
        say::step("types and lints", "tsc and biome over www/", || {
            node::script(self.place, "check")
                .remedy("mend what is named; `cargo xtask fmt` mends formatting")
                .run()
        })?;
        say::step(
            "unit tests",
            "the logic of the editor and chart modules",
            || node::script(self.place, "unit").run(),
        )
    }

    fn site(&self) -> Result<std::path::PathBuf> {
        if let Some(site) = self.site.get() {
            return Ok(site.clone());
        }
        let folder = site::test_folder(self.place);
        dist::make(self.place, &folder)?;
        dist::package(self.place, &folder)?;
        Ok(self.site.get_or_init(|| folder).clone())
    }

    fn browser(&self) -> Result<()> {
        let site = self.site()?;
        let browser = browser::ensure()?;
        let results = self.place.target().join("xtask/playwright");
        node::script(self.place, "browser")
            .env("SEALAB_SITE", &site)
            .env("SEALAB_RESULTS", &results)
            .env("CHROMIUM", &browser.chromium)
            .remedy(format!(
                "run one test: cd www && SEALAB_SITE={} npx playwright test -g NAME; traces and \
                 screenshots of failures are in {}",
                site.display(),
                results.display()
            ))
            .run()
    }
}

fn chosen(packages: &[String]) -> Vec<&str> {
    packages
        .iter()
        .flat_map(|package| ["--package", package])
        .collect()
}
