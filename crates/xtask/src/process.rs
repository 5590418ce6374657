//! Running other programs, with failures that can be acted on.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    fail::{Failure, Result},
    place::Place,
};

/// A program about to be run.
pub struct Process {
    command: Command,
    remedy: String,
}

impl Process {
    /// `program`, found on `PATH` or given as a path.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            command: Command::new(program),
            remedy: "read the output above; it says what to change".into(),
        }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs in `folder`.
    pub fn dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Puts `folders` before everything else on the program's `PATH`.
    pub fn path(self, folders: &[PathBuf]) -> Self {
        let old = env::var_os("PATH").unwrap_or_default();
        let all = folders.iter().cloned().chain(env::split_paths(&old));
        match env::join_paths(all) {
            Ok(path) => self.env("PATH", path),
            // A folder with a colon in its name cannot be on PATH at all.
            Err(_) => self,
        }
    }

    /// What the reader is told to do when this program fails.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// Runs it with its output shown.
    pub fn run(mut self) -> Result<()> {
        let name = self.name();
        let status = self.command.stdin(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure::new(
                format!("`{name}` failed ({status})"),
                self.remedy,
            )),
            Err(error) => Err(Failure::new(
                format!("`{name}` could not be started: {error}"),
                self.remedy,
            )),
        }
    }

    /// Runs it quietly and returns what it printed, or `None` when it is missing or fails.
    pub fn output(mut self) -> Option<String> {
        let output = self.command.stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    }

    fn name(&self) -> String {
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        let line: Vec<_> = words.map(OsStr::to_string_lossy).collect();
        line.join(" ")
    }
}

/// Cargo, in the repository.
pub fn cargo(place: &Place) -> Process {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Process::new(cargo).dir(place.root())
}

/// The path of `program` when it is on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

/// Whether this process may install system packages.
pub fn is_root() -> bool {
    Process::new("id").arg("-u").output().as_deref() == Some("0")
}
