//! Reading what the command line names: files, or the standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sealab_scenario::Limits;

use crate::run::Variants;

/// What is run: a scenario, its variants, and where it starts from.
#[derive(clap::Args)]
pub struct Source {
    /// The scenario or trace; - reads the standard input
    pub file: PathBuf,

    #[command(flatten)]
    pub variants: Variants,

    /// The process's /proc/PID/maps (or smaps) before the first call
    #[arg(long, value_name = "FILE")]
    pub maps: Option<PathBuf>,

    /// The process of a trace to take, where it shows several
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub pid: Option<i64>,
}

/// Reads the text at `path`, or the standard input for `-`. Bytes that are no UTF-8 are shown as
/// `�`, so that the parser can say where they stand.
///
/// # Errors
/// What is wrong and what to do, for a person.
pub fn text(path: &Path) -> Result<String, String> {
    let limit = Limits::default().text_bytes as u64;
    let name = name(path);
    let fault = |error: io::Error| format!("cannot read {name}: {error}");
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more.
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)
    } else {
        let file = File::open(path).map_err(fault)?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(format!("{name} is a folder; give a file in it"));
        }
        file.take(limit + 1).read_to_end(&mut bytes)
    };
    read.map_err(fault)?;
    if bytes.len() as u64 > limit {
        return Err(format!(
            "{name} has more than {} MiB; split it, or leave out what is not about memory \
             (strace -e trace=%memory)",
            limit >> 20
        ));
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// How messages name `path`.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "the standard input".to_owned()
    } else {
        path.display().to_string()
    }
}
