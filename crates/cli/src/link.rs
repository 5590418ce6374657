//! `sealab link` and `sealab open`: share links, made and unpacked.

use std::fs;
use std::path::{Path, PathBuf};

use sealab_lab::variant;
use sealab_scenario::link::{self, LinkState, LinkVariant};

use crate::input::Source;
use crate::run::Variants;
use crate::{Ending, input};

/// Make a share link of a scenario
#[derive(clap::Args)]
pub struct LinkArgs {
    #[command(flatten)]
    source: Source,

    /// The step to show, from 0
    #[arg(long, value_name = "N")]
    step: Option<u64>,

    /// The view to show
    #[arg(long, value_name = "NAME")]
    view: Option<String>,

    /// The page's address; without it only the part from # on is printed
    #[arg(long, value_name = "URL", default_value = "")]
    page: String,
}

/// Print the scenario that a share link carries
#[derive(clap::Args)]
pub struct OpenArgs {
    /// The link, or its part from # on; - reads it from the standard input
    link: String,

    /// Print everything it carries as JSON
    #[arg(long)]
    json: bool,

    /// Write the maps that it carries to this file
    #[arg(long, value_name = "FILE")]
    maps: Option<PathBuf>,
}

pub fn make(args: &LinkArgs) -> Ending {
    match link_of(args) {
        Ok(link) => {
            println!("{}{link}", args.page);
            if link::is_too_long_for_chat(&link) {
                eprintln!(
                    "sealab: the link has {} characters; some programs cut such links, a file is safer",
                    link.len()
                );
            }
            Ending::Agrees
        }
        Err(fault) => wrong(&fault),
    }
}

fn link_of(args: &LinkArgs) -> Result<String, String> {
    let state = LinkState {
        text: input::text(&args.source.file)?,
        variants: variants_for_link(&args.source.variants)?,
        maps: args.source.maps.as_deref().map(input::text).transpose()?,
        view: args.view.clone(),
        step: args.step,
        theme: None,
        pid: args.source.pid,
    };
    link::encode(&state).map_err(|e| e.to_string())
}

/// The variants as a link has them; the default comparison takes no room in it.
///
/// # Errors
/// An id that names nothing.
pub fn variants_for_link(given: &Variants) -> Result<Vec<LinkVariant>, String> {
    let chosen = !given.kernel.is_empty()
        || !given.memory.is_empty()
        || given.cpu != sealab_lab::cost::DEFAULT_CPU;
    if !chosen {
        return Ok(Vec::new());
    }
    let all = variant::product(&given.kernel, &given.memory, &given.cpu);
    all.iter()
        .map(|ids| {
            let ids = variant::resolve(ids).map_err(|e| e.to_string())?.ids;
            Ok(LinkVariant {
                kernel: ids.kernel,
                memory: ids.memory,
                cpu: ids.cpu,
            })
        })
        .collect()
}

pub fn open(args: &OpenArgs) -> Ending {
    match opened(args) {
        Ok(()) => Ending::Agrees,
        Err(fault) => wrong(&fault),
    }
}

fn opened(args: &OpenArgs) -> Result<(), String> {
    let link = if args.link == "-" {
        input::text(Path::new("-"))?.trim().to_owned()
    } else {
        args.link.clone()
    };
    let decoded = link::decode_with_remarks(&link).map_err(|e| e.to_string())?;
    for remark in &decoded.remarks {
        eprintln!("sealab: {remark}");
    }
    let state = decoded.state;
    if let (Some(path), Some(maps)) = (&args.maps, &state.maps) {
        fs::write(path, maps).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    if args.json {
        let json = serde_json::to_string_pretty(&state).map_err(|e| e.to_string())?;
        println!("{json}");
        return Ok(());
    }
    print!("{}", state.text);
    if !state.text.ends_with('\n') {
        println!();
    }
    let variants = state
        .variants
        .iter()
        .map(|v| format!("{} {}", v.kernel, v.memory));
    let variants: Vec<String> = variants.collect();
    if !variants.is_empty() {
        eprintln!("sealab: the link compares {}", variants.join(", "));
    }
    if state.maps.is_some() && args.maps.is_none() {
        eprintln!("sealab: the link carries maps; --maps FILE writes them to a file");
    }
    Ok(())
}

fn wrong(fault: &str) -> Ending {
    eprintln!("sealab: {fault}");
    Ending::Wrong
}
