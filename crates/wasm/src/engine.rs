//! What the simulator answers, in plain Rust: one session at a time, asked window by window.

use sealab_core::kernel::KERNELS;
use sealab_core::paging::{ContPte, DESIGNS, MemoryDesign};
use sealab_lab::gallery::{self, EXAMPLES};
use sealab_lab::pages::PagesQuery;
use sealab_lab::report::Report;
use sealab_lab::run::{self, RunOptions};
use sealab_lab::session::{Input, Session};
use sealab_lab::{cost, variant, words};
use sealab_picture::{Picture, Scene, Theme, View, calls, scene};
use sealab_protocol::{
    Catalogue, Choice, CostView, Diagnostic, Drawn, Example, Fault, LinkState, Overview,
    PagesRequest, PagesView, PictureRequest, Place, Progress, ReportRequest, Rows, RowsRequest,
    RunId, RunRequest, SpaceView, StepDetail, StepRequest, Variant,
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

    /// Pages of a stretch of memory after a step.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn pages(&mut self, request: PagesRequest) -> Result<PagesView, Fault> {
        let query = PagesQuery {
            step: request.step,
            region: request.region,
            from: request.from,
            len: request.len,
        };
        Ok(self.session(request.run)?.pages(&query))
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
    pub fn report(&mut self, request: ReportRequest) -> Result<Report, Fault> {
        let session = self.session(request.run)?;
        Ok(if request.pages {
            session.report_with_pages()
        } else {
            session.report()
        })
    }

    /// The calls as CSV.
    ///
    /// # Errors
    /// Where the run is not the one held.
    pub fn csv(&mut self, request: RunId) -> Result<String, Fault> {
        Ok(self.session(request.run)?.csv())
    }

    /// A view as a file.
    ///
    /// # Errors
    /// Where the run is not the one held, or the view or theme is none that can be drawn.
    pub fn picture(&mut self, request: &PictureRequest) -> Result<Drawn, Fault> {
        let unknown = |what: &str, given: &str| {
            Fault::new("message", format!("There is no {what} {given:?} to draw."))
        };
        let or = |given: &str, default: &'static str| match given {
            "" => default.to_owned(),
            given => given.to_owned(),
        };
        let (view, theme) = (or(&request.view, "space"), or(&request.theme, "auto"));
        let view = View::named(&view).ok_or_else(|| unknown("view", &view))?;
        let theme = Theme::named(&theme).ok_or_else(|| unknown("theme", &theme))?;
        let scene = Scene::of(self.session(request.run)?, request.step);
        let width = match request.width {
            width if width.is_finite() && width > 0.0 => width.min(scene::WIDTH_MAX),
            _ => scene::WIDTH,
        };
        let picture = Picture {
            view,
            theme,
            width,
            link: &request.link,
            ..Picture::of(&scene)
        };
        Ok(Drawn {
            step: scene.step,
            steps: scene.steps,
            caption: scene.caption(),
            svg: picture.svg(),
            table: calls::html_table(&scene),
            differences: scene.differences.clone(),
        })
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
        default_variants: variant::defaults().iter().map(whole).collect(),
        granules: variant::GRANULES.iter().map(|&m| m.to_owned()).collect(),
        gallery: EXAMPLES.iter().map(example).collect(),
        checked: sealab_lab::checked::checked(),
    }
}

fn example(example: &gallery::Example) -> Example {
    Example {
        id: example.slug.to_owned(),
        title: example.title().to_owned(),
        line: example.explanation(),
        text: example.text.to_owned(),
        variants: example.variants().iter().map(whole).collect(),
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
    let mut state = state.clone();
    for ids in &mut state.variants {
        // What is at its default takes no room.
        let default = whole(&Variant::default());
        let leave_out = |id: &mut String, default: &str| {
            if id == default {
                id.clear();
            }
        };
        leave_out(&mut ids.memory, &default.memory);
        leave_out(&mut ids.cpu, &default.cpu);
    }
    link::encode(&state).map_err(|error| Fault::new("link", sentence(&error.to_string())))
}

/// The state in a fragment or a whole address.
///
/// # Errors
/// Where it is not a link, is damaged, too large, or of a newer version.
pub fn decode_link(text: &str) -> Result<LinkState, Fault> {
    let mut state =
        link::decode(text).map_err(|error| Fault::new("link", sentence(&error.to_string())))?;
    for ids in &mut state.variants {
        let filled = whole(&Variant {
            kernel: ids.kernel.clone(),
            memory: ids.memory.clone(),
            cpu: ids.cpu.clone(),
        });
        (ids.kernel, ids.memory, ids.cpu) = (filled.kernel, filled.memory, filled.cpu);
    }
    Ok(state)
}

/// A variant with its default ids filled in; one that names what there is not stays as it is, and
/// running it says so.
fn whole(variant: &Variant) -> Variant {
    variant::resolve(variant).map_or_else(|_| variant.clone(), |resolved| resolved.ids)
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAP: &str =
        "heap = mmap(NULL, 32K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
mseal(heap + 8K, 4K, 0)
mprotect(heap, 16K, PROT_READ)
";

    fn ran(text: &str) -> (Engine, Overview) {
        let mut engine = Engine::default();
        let request = RunRequest {
            text: text.to_owned(),
            variants: catalogue().default_variants,
            ..RunRequest::default()
        };
        let overview = engine.run(7, &request, |_| {}).expect("a result");
        (engine, overview)
    }

    #[test]
    fn everything_an_overview_names_can_be_asked_for() {
        let (mut engine, overview) = ran(HEAP);
        assert_eq!((overview.run, overview.runs.len()), (7, 3));
        assert_eq!(overview.lines, [1, 2, 3]);
        assert_eq!(overview.differing, [2, 3]);
        assert_eq!(overview.badges.len(), 3);
        for step in 0..=overview.lines.len() {
            let space = engine.space(StepRequest { run: 7, step }).expect("a space");
            assert_eq!(space.strips.len(), 3);
            for block in space.strips.iter().flat_map(|strip| &strip.blocks) {
                assert!(block.first < block.last && block.last <= space.axis.len());
            }
            let detail = engine.step(StepRequest { run: 7, step });
            assert_eq!(detail.is_ok(), step > 0);
        }
        let request = RowsRequest {
            run: 7,
            first: 1,
            count: usize::MAX,
            differing: false,
        };
        let rows = engine.rows(request).expect("rows");
        assert_eq!((rows.total, rows.first, rows.rows.len()), (3, 1, 2));
        assert!(
            !engine
                .cost(RunId { run: 7 })
                .expect("costs")
                .calls
                .is_empty()
        );
        let pages = engine.pages(PagesRequest {
            run: 7,
            step: 1,
            ..PagesRequest::default()
        });
        let pages = pages.expect("pages");
        assert_eq!((pages.rows.len(), pages.whole), (3, 32 << 10));
        assert!(
            engine
                .markdown(RunId { run: 7 })
                .expect("a table")
                .contains("EPERM")
        );
    }

    #[test]
    fn a_result_that_is_not_held_is_said_to_be_gone() {
        let (mut engine, _) = ran(HEAP);
        let fault = engine
            .space(StepRequest { run: 6, step: 0 })
            .expect_err("gone");
        assert_eq!(fault.code, "gone");
        assert!(engine.step(StepRequest { run: 7, step: 99 }).is_err());
    }

    #[test]
    fn faults_have_places_in_the_text() {
        let (_, overview) = ran("é = 1\nmprotec(0, 4K, PROT_READ)\n");
        let place = overview.places.first().expect("a fault");
        assert_eq!((place.from, place.to), (6, 13));
    }

    #[test]
    fn a_variant_that_there_is_not_is_a_fault_in_words() {
        let mut engine = Engine::default();
        let request = RunRequest {
            variants: vec![Variant {
                kernel: "9.9".to_owned(),
                ..Variant::default()
            }],
            ..RunRequest::default()
        };
        let fault = engine.run(1, &request, |_| {}).expect_err("no such kernel");
        assert!(fault.message.contains("9.9") && fault.message.contains("6.12"));
    }

    #[test]
    fn links_leave_defaults_out_and_give_them_back() {
        let mut state = LinkState {
            text: HEAP.to_owned(),
            ..LinkState::default()
        };
        state.variants = catalogue()
            .default_variants
            .into_iter()
            .map(|v| sealab_protocol::LinkVariant {
                kernel: v.kernel,
                memory: v.memory,
                cpu: v.cpu,
            })
            .collect();
        let link = encode_link(&state).expect("a link");
        assert_eq!(decode_link(&link), Ok(state));
    }

    #[test]
    fn the_static_page_shows_the_first_example() {
        let page = include_str!("../../../www/index.html");
        let first = catalogue().gallery.remove(0);
        // A text area's first line break is not part of its text.
        let field = format!(
            ">\n{}</textarea>",
            first.text.replace('&', "&amp;").replace('<', "&lt;")
        );
        assert!(
            page.contains(&field),
            "www/index.html does not hold {}",
            first.id
        );
    }

    #[test]
    fn a_bad_link_is_a_sentence() {
        let fault = decode_link("#v1/").expect_err("no payload");
        assert_eq!(fault.code, "link");
        assert!(fault.message.ends_with('.') && !fault.message.starts_with(char::is_lowercase));
    }
}
