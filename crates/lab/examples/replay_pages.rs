//! Replays recorded arm64 experiments: `cargo run --release -p sealab-lab --example replay_pages
//! -- recordings/linux-arm64/*.jsonl.gz [NAME]`.

use std::collections::BTreeMap;
use std::path::Path;

use sealab_lab::replay::pages::{PagesVerdict, read, replay};

fn main() {
    let (files, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains(".jsonl"));
    let (mut passed, mut failed) = (0, 0);
    let mut not_modelled: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in files {
        let experiments = match read(Path::new(&file)) {
            Ok(experiments) => experiments,
            Err(fault) => {
                eprintln!("{fault}");
                std::process::exit(2);
            }
        };
        for e in experiments {
            if !names.is_empty() && !names.iter().any(|n| e.name.starts_with(n.as_str())) {
                continue;
            }
            match replay(&e) {
                Ok(PagesVerdict::Passed) => passed += 1,
                Ok(PagesVerdict::NotModelled(why)) => {
                    not_modelled.entry(why).or_default().push(format!("{}/{}", e.config, e.name));
                }
                Ok(PagesVerdict::Failed { step, call, differences }) => {
                    failed += 1;
                    println!("{}/{}: step {step}: {call}", e.config, e.name);
                    for difference in differences.iter().take(8) {
                        println!("    {difference}");
                    }
                    if differences.len() > 8 {
                        println!("    … {} more", differences.len() - 8);
                    }
                }
                Err(fault) => {
                    failed += 1;
                    println!("{fault}");
                }
            }
        }
    }
    for (why, names) in &not_modelled {
        println!("not modelled ({}): {why}: {}", names.len(), names.join(" "));
    }
    println!("{passed} passed, {failed} failed");
}
