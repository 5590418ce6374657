//! `sealab render`: a result as a picture or as markup, for documents that run no script.

use std::io::{self, Write as _};

use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_lab::variant;
use sealab_picture::embed::Embed;
use sealab_picture::{Picture, Scene, Theme, View, calls, scene};
use sealab_scenario::link::{self, LinkState};

use crate::input::Source;
use crate::link::variants_for_link;
use crate::{Ending, diagnostics, input};

/// Draw a scenario's result as SVG, or write it as HTML or Markdown
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sealab render heap.seal > heap.svg
  sealab render heap.seal --step 3 --theme dark > heap-dark.svg
  sealab render heap.seal --html --page https://HOST/sealab/ > heap.html
  sealab render heap.seal --markdown --page https://HOST/sealab/ >> README.md

The HTML is a <sealab-play> element with the picture and the result table inside: it is readable as
it stands, and becomes live where the page loads embed/v1.js.")]
pub struct Args {
    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    format: Format,

    /// What is drawn: space (the address spaces) or calls
    #[arg(long, value_name = "VIEW", default_value = "space", value_parser = view)]
    view: View,

    /// The step drawn, 0 before the first call; by default the first where the designs differ
    #[arg(long, value_name = "N")]
    step: Option<usize>,

    /// The colours: auto (as the page it stands in), light or dark
    #[arg(long, value_name = "THEME", default_value = "auto", value_parser = theme)]
    theme: Theme,

    /// Least width, in CSS pixels
    #[arg(long, value_name = "PX", default_value_t = scene::WIDTH)]
    width: f64,

    /// Where the playground is published, for links
    #[arg(long, value_name = "URL", default_value = "")]
    page: String,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct Format {
    /// Write an SVG picture (the default)
    #[arg(long)]
    svg: bool,

    /// Write an HTML element that is readable by itself
    #[arg(long)]
    html: bool,

    /// Write the scenario, its result table and a link as Markdown
    #[arg(long)]
    markdown: bool,
}

fn view(name: &str) -> Result<View, String> {
    View::named(name).ok_or_else(|| "there are space and calls".to_owned())
}

fn theme(name: &str) -> Result<Theme, String> {
    Theme::named(name).ok_or_else(|| "there are auto, light and dark".to_owned())
}

pub fn run(args: &Args) -> Ending {
    match rendered(args) {
        Ok((text, ending)) => {
            // A reader that has seen enough (`| head`) is no fault of the run.
            drop(io::stdout().lock().write_all(text.as_bytes()));
            ending
        }
        Err(fault) => {
            eprintln!("sealab: {fault}");
            Ending::Wrong
        }
    }
}

fn rendered(args: &Args) -> Result<(String, Ending), String> {
    if !(args.width.is_finite() && args.width > 0.0 && args.width <= scene::WIDTH_MAX) {
        return Err(format!(
            "--width {} is not between 1 and {}",
            args.width,
            scene::WIDTH_MAX
        ));
    }
    let given = &args.source.variants;
    let variants = variant::product(&given.kernel, &given.memory, &given.cpu);
    let input = Input {
        text: input::text(&args.source.file)?,
        maps: args.source.maps.as_deref().map(input::text).transpose()?,
        pid: args.source.pid,
    };
    let state = LinkState {
        text: input.text.clone(),
        variants: variants_for_link(given)?,
        maps: input.maps.clone(),
        view: (args.view != View::Space).then(|| args.view.name().to_owned()),
        step: args.step.map(|step| step as u64),
        theme: (args.theme != Theme::Auto).then(|| args.theme.name().to_owned()),
        pid: args.source.pid,
    };
    let fragment = link::encode(&state).map_err(|e| e.to_string())?;
    let mut session = Session::run(input, &variants, &RunOptions::default(), &mut |_| true)
        .map_err(|fault| fault.to_string())?;
    let name = input::name(&args.source.file);
    diagnostics::print(&name, session.text(), &session.parsed().diagnostics);
    for run in session.runs() {
        diagnostics::print(&name, session.text(), &run.faults);
    }
    let ending = crate::run::ending(&session);
    let scene = Scene::of(&mut session, args.step);
    let step = scene.step.try_into().ok();
    let embed = Embed {
        base: &args.page,
        fragment: &fragment,
        text: session.text(),
        title: &scene.title,
        view: args.view.name(),
        step: args.step.and(step),
        theme: args.theme,
        ..Embed::default()
    };
    let link = if args.page.is_empty() {
        fragment.clone()
    } else {
        embed.link()
    };
    let picture = Picture {
        view: args.view,
        theme: args.theme,
        width: args.width,
        link: &link,
        ..Picture::of(&scene)
    };
    let text = if args.format.html {
        let result = format!("{}\n{}", picture.svg(), calls::html_table(&scene));
        let embed = Embed {
            result: &result,
            ..embed
        };
        format!("{}\n", embed.element())
    } else if args.format.markdown {
        let link = (!args.page.is_empty()).then(|| embed.link());
        session.markdown_with_scenario(link.as_deref())
    } else {
        format!("{}\n", picture.svg())
    };
    Ok((text, ending))
}
