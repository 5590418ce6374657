//! `mdbook-sealab`: the program that mdBook runs.

use std::io::{self, Write as _};
use std::process::ExitCode;

use mdbook_preprocessor::{Preprocessor as _, parse_input};
use mdbook_sealab::Sealab;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        // Every renderer gets something it can show.
        (Some("supports"), Some(_)) => ExitCode::SUCCESS,
        (None, None) => match preprocess() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("mdbook-sealab: {error:#}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!(
                "mdbook-sealab is run by mdBook. Put this into book.toml:\n\n[preprocessor.sealab]\n\
                 base = \"https://HOST/sealab/\"   # where the playground is published"
            );
            ExitCode::from(2)
        }
    }
}

fn preprocess() -> anyhow::Result<()> {
    let (context, book) = parse_input(io::stdin().lock())?;
    let book = Sealab.run(&context, book)?;
    let out = serde_json::to_vec(&book)?;
    Ok(io::stdout().lock().write_all(&out)?)
}
