//! `sealab-docs FOLDER`: builds the documentation site into a folder.

use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(out) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: sealab-docs FOLDER");
        return ExitCode::from(2);
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let built = absolute(out)
        .map_err(anyhow::Error::from)
        .and_then(|out| sealab_docs::build(&source, &out));
    match built {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sealab-docs: {error:#}");
            ExitCode::FAILURE
        }
    }
}
