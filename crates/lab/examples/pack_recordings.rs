//! Packs folders of recorded cases into the project's form:
//! `cargo run --release -p sealab-lab --example pack_recordings -- RECORDINGS... recordings/`
//! (the last argument is the folder to write to).

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use sealab_lab::replay::{self, pack};

fn main() -> ExitCode {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let Some(target) = paths.pop().filter(|_| !paths.is_empty()) else {
        eprintln!("usage: pack_recordings FOLDER... TARGET");
        return ExitCode::from(2);
    };
    match write(&paths, &target) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}

fn write(paths: &[PathBuf], target: &std::path::Path) -> Result<(), String> {
    let cases = replay::load(paths, None).map_err(|e| e.to_string())?;
    let packs = pack::pack_all(&cases).map_err(|e| format!("{}: {}", e.place, e.reason))?;
    for (name, bytes) in packs {
        let path = target.join(&name);
        let folder = path.parent().unwrap_or(target);
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        fs::write(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{:9}  {name}", bytes.len());
    }
    Ok(())
}
