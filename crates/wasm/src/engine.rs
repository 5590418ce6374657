//! What the simulator answers, in plain Rust: one session at a time, asked window by window.

use sealab_core::kernel::KERNELS;
use sealab_core::paging::{ContPte, DESIGNS, MemoryDesign};
use sealab_lab::report::Report;
use sealab_lab::run::{self, RunOptions};
use sealab_lab::session::{Input, Session};
use sealab_lab::{cost, variant, words};
use sealab_protocol::{
    Catalogue, Choice, CostView, Diagnostic, Fault, LinkState, Overview, Place, Progress, Rows,
    RowsRequest, RunId, RunRequest, SpaceView, StepDetail, StepRequest,
};
use sealab_scenario::link;

use crate::units;

/// Holds the latest run and answers questions about it.
#[derive(Default)]
pub struct Engine {
    held: Option<Held>,
}

struct Held {
    run: u64,
    session: Session,
}

impl Engine {
    /// Simulates, and holds the result under the number `run`. `progress` is told how far it is.
    ///
    /// # Errors
    /// Where a variant names what there is not, or the starting maps do not fit it.
    pub fn run(
        &mut self,
        run: u64,
        request: &RunRequest,
        mut progress: impl FnMut(Progress),
    ) -> Result<Overview, Fault> {
        // The last result is let go first, so that two large ones are never held at once.
        self.held = None;
        let input = Input {
            text: request.text.clone(),
            maps: request.maps.clone(),
            pid: request.pid,
        };
        let mut watch = |now: run::Progress| {
            progress(Progress {
                done: now.done,
                total: now.total,
            });
            true
        };
        let session = Session::run(input, &request.variants, &RunOptions::default(), &mut watch)
            .map_err(|error| Fault::new("run", sentence(&error.to_string())))?;
        let diagnostics = session.diagnostics();
        let overview = Overview {
            run,
            places: places(&request.text, &diagnostics),
            diagnostics,
            skipped: session.parsed().skipped.clone(),
            differences: session.differences().to_vec(),
            runs: session.summaries(),
            lines: session.steps().iter().map(|step| step.line).collect(),
            differing: session.differing(),
            badges: session.badges(),
            processes: session.processes(),
        };
        self.held = Some(Held { run, session });
        Ok(overview)
    }

    /// The address spaces after a step.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn space(&mut self, request: StepRequest) -> Result<SpaceView, Fault> {
        Ok(self.session(request.run)?.space(request.step))
    }

    /// A window of the calls.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn rows(&mut self, request: RowsRequest) -> Result<Rows, Fault> {
        let session = self.session(request.run)?;
        Ok(session.rows(
            request.first,
            request.count.min(ROWS_MAX),
            request.differing,
        ))
    }

    /// One call in full.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn step(&mut self, request: StepRequest) -> Result<StepDetail, Fault> {
        self.session(request.run)?
            .step(request.step)
            .ok_or_else(|| Fault::new("gone", "There is no such step in this run."))
    }

    /// What the run cost.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn cost(&mut self, request: RunId) -> Result<CostView, Fault> {
        Ok(self.session(request.run)?.cost())
    }

    /// The result as a Markdown table.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn markdown(&mut self, request: RunId) -> Result<String, Fault> {
        Ok(self.session(request.run)?.markdown())
    }

    /// The whole report.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn report(&mut self, request: RunId) -> Result<Report, Fault> {
        Ok(self.session(request.run)?.report())
    }

    fn session(&mut self, run: u64) -> Result<&mut Session, Fault> {
        match &mut self.held {
            Some(held) if held.run == run => Ok(&mut held.session),
            _ => Err(Fault::new(
                "gone",
                "This result is not held any more. Run again.",
            )),
        }
    }
}

/// Where the diagnostics stand in the text. Those about the starting maps, which the session says
/// in their words, stand nowhere in it: their place is empty.
fn places(text: &str, diagnostics: &[Diagnostic]) -> Vec<Place> {
    let mut places = units::places(text, diagnostics);
    for (place, diagnostic) in places.iter_mut().zip(diagnostics) {
        if diagnostic.message.starts_with("in the maps: ") {
            *place = Place::default();
        }
    }
    places
}

/// Most rows of one answer; a page shows some dozens at a time.
const ROWS_MAX: usize = 1_000;

/// What can be chosen from.
#[must_use]
pub fn catalogue() -> Catalogue {
    let choice = |id: &str, label: &str| Choice {
        id: id.to_owned(),
        label: label.to_owned(),
    };
    Catalogue {
        kernels: KERNELS.iter().map(|k| choice(k.name, k.label)).collect(),
        memories: DESIGNS
            .iter()
            .map(|d| choice(&d.name, &memory_label(d)))
            .collect(),
        cpus: cost::profiles()
            .iter()
            .map(|p| choice(&p.id, &p.label))
            .collect(),
        default_variants: variant::defaults(),
        gallery: Vec::new(),
    }
}

/// A memory design in a few words.
fn memory_label(design: &MemoryDesign) -> String {
    let page = design.page_size.bytes();
    let mut label = format!("{} pages", words::short_size(page));
    if let Some(order) = design.anon_orders.checked_ilog2() {
        label.push_str(&format!(
            ", folios up to {}",
            words::short_size(page << order)
        ));
    }
    if design.exec_order > 0 {
        label.push_str(" for executables too");
    }
    match design.contpte {
        ContPte::Off => {}
        ContPte::Merged => label.push_str(", contiguous PTEs"),
        ContPte::FirstPosting => label.push_str(", contiguous PTEs as first posted"),
    }
    label
}

/// The fragment, with its `#`, that carries `state`.
///
/// # Errors
/// Where the state is too large for any link.
pub fn encode_link(state: &LinkState) -> Result<String, Fault> {
    link::encode(state).map_err(|error| Fault::new("link", sentence(&error.to_string())))
}

/// The state in a fragment or a whole address.
///
/// # Errors
/// Where it is not a link, is damaged, too large, or of a newer version.
pub fn decode_link(text: &str) -> Result<LinkState, Fault> {
    link::decode(text).map_err(|error| Fault::new("link", sentence(&error.to_string())))
}

/// An error's words as a sentence.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(char::to_uppercase);
    let mut out: String = first.into_iter().flatten().chain(chars).collect();
    if !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}
