//! Pages, folios, contiguous blocks and TLB entries of all variants at a step, on one axis.

mod legend;
mod row;
mod table;

use sealab_protocol::{PagesRequest, PagesRow, PagesView as Pages, Variant, kind};
use yew::prelude::*;

use crate::hooks::use_answer;
use crate::store::{Action, Shared, use_store};
use crate::ui::{Plain, use_width};

use legend::Legend;
use row::{Row, describe};
use table::Tallies;

/// Least width of the smallest page, in CSS pixels, below which rows scroll sideways …
const PAGE_MIN_PX: f64 = 3.0;
/// … up to this many pages; more are drawn as narrow as they come out.
const SCROLLED_PAGES_MAX: u64 = 1024;
/// Fewest bytes that can be zoomed into.
const LEAST_BYTES: u64 = 64 << 10;

/// Pages that the reader points at: row and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointed {
    /// Which row.
    pub row: usize,
    /// Which of its runs.
    pub run: usize,
}

/// What of the memory is shown: stretch, first byte, bytes; absent or 0: as the worker chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Window {
    region: Option<usize>,
    from: u64,
    len: u64,
}

/// The view.
#[component]
pub fn PagesView() -> Html {
    let store = use_store();
    let overview = store.run.overview.clone();
    let window = use_state_eq(Window::default);
    let pages = use_answer::<_, Pages>(
        kind::PAGES,
        overview.as_ref().map(|o| PagesRequest {
            run: o.run,
            step: store.step(),
            region: window.region,
            from: window.from,
            len: window.len,
        }),
    );
    let Some(pages) = pages else {
        return html! { <p class="empty">{ "Looking at the pages…" }</p> };
    };
    let show = |to: Window| {
        let window = window.setter();
        Callback::from(move |_: MouseEvent| window.set(to))
    };
    let shown = Window {
        region: Some(pages.region),
        from: pages.from,
        len: pages.len,
    };
    html! {
        <div class="pages-view">
            <Toolbar />
            if pages.rows.is_empty() {
                <p class="empty">{ "This scenario maps and touches no memory." }</p>
            } else {
                <div class="regions" role="group" aria-label="Memory shown">
                    for (index, region) in pages.regions.iter().enumerate() {
                        <button class="chip" type="button" aria-pressed={(index == pages.region).to_string()}
                            title={format!("Mapped or first touched on line {}", region.line)}
                            onclick={show(Window { region: Some(index), ..Window::default() })}>
                            <b>{ &region.name }</b>{ " " }{ &region.size }
                        </button>
                    }
                    if pages.regions_left_out > 0 {
                        <span class="quiet">{ format!("and {} more", pages.regions_left_out) }</span>
                    }
                    if window.region.is_some() {
                        <button class="chip" type="button" aria-pressed="false" onclick={show(Window::default())}>
                            { "follow the steps" }
                        </button>
                    }
                    { zoom(shown, pages.whole, &show) }
                </div>
                <Rows pages={pages.clone()} />
                <Events pages={pages.clone()} step={store.step()} line={store.step_line()} />
                <Legend />
                <Tallies tallies={pages.tallies.clone()} names={names(&pages.rows)} />
                <details class="maps-text">
                    <summary>{ "As text: one letter a page" }</summary>
                    <dl class="letters">
                        for row in &pages.rows {
                            <dt>{ name(row) }{ ": " }{ &row.line }</dt>
                            <dd><code>{ &row.letters }</code></dd>
                        }
                    </dl>
                    <p class="note">{ "W writable and dirty, w writable, d dirty, r read-only, x executable, z page of zeros, n PROT_NONE, g guard, - not present, blank not mapped; […] contiguous block, {…} PMD block, | between folios." }</p>
                </details>
                for note in &pages.notes { <p class="note"><Plain text={note.clone()} /></p> }
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct RowsProps {
    pages: Shared<Pages>,
}

/// The rows of all variants on one axis, and how many TLB entries each needs.
#[component]
fn Rows(props: &RowsProps) -> Html {
    let pages = &props.pages;
    let pointed = use_state_eq(|| None::<Pointed>);
    let scroller = use_node_ref();
    let width = use_width(scroller.clone());
    let point = {
        let pointed = pointed.setter();
        Callback::from(move |to: Option<Pointed>| pointed.set(to))
    };
    let least = pages.rows.iter().map(|row| row.page_bytes).min();
    let count = (pages.len / least.unwrap_or(4096).max(1)).max(1);
    #[allow(clippy::cast_precision_loss)] // some thousands
    let drawn = width.max(count.min(SCROLLED_PAGES_MAX) as f64 * PAGE_MIN_PX);
    let readout = pointed.and_then(|at| {
        let row = pages.rows.get(at.row)?;
        Some((row.title.clone(), describe(row, row.runs.get(at.run)?)))
    });
    html! {
        <figure class="page-rows" aria-label="Pages of each variant">
            <div class="page-labels">
                for row in &pages.rows {
                    <div class="page-label" data-v={(row.variant + 1).to_string()}>
                        <b>{ name(row) }</b>
                        <span title={row.line.clone()}>{ &row.line }</span>
                    </div>
                }
            </div>
            <div class="page-strips" ref={scroller} tabindex="-1">
                for (index, row) in pages.rows.iter().enumerate() {
                    <Row {index} pages={pages.clone()} width={drawn} pointed={*pointed} on_point={point.clone()}
                        name={name(row)} />
                }
            </div>
            <div class="page-tlb">
                for row in &pages.rows {
                    <div class="tlb-need" title={format!("{} of them held after this step", row.tlb_held)}>
                        <b>{ crate::ui::count(row.tlb_entries) }</b>
                        <span>{ if row.tlb_entries == 1 { "TLB entry" } else { "TLB entries" } }</span>
                        <small>{ "of " }{ &row.tlb_size }</small>
                    </div>
                }
            </div>
            <figcaption class="readout">
                if let Some((title, words)) = readout {
                    <b>{ title }</b><span>{ words }</span>
                } else {
                    <span class="quiet">{ "Point at pages, or tab to them, to read what their entries say." }</span>
                }
            </figcaption>
        </figure>
    }
}

/// What a row is called: its variant, and its process if that is a child.
fn name(row: &PagesRow) -> String {
    match row.process {
        0 => row.title.clone(),
        1 => format!("{}, child", row.title),
        n => format!("{}, child {n}", row.title),
    }
}

/// Names of the variants, in their order.
fn names(rows: &[PagesRow]) -> Vec<String> {
    let firsts = rows.iter().filter(|row| row.process == 0);
    firsts.map(|row| row.title.clone()).collect()
}

/// Nearer, further, back and on.
fn zoom(now: Window, whole: u64, show: &impl Fn(Window) -> Callback<MouseEvent>) -> Html {
    let around = |len: u64| {
        let middle = now.from + now.len / 2;
        Window {
            from: middle.saturating_sub(len / 2),
            len,
            ..now
        }
    };
    let half = (now.len / 2).max(LEAST_BYTES);
    let button = |label: &str, sign: &str, to: Window, off: bool| {
        html! {
            <button class="btn small icon" type="button" aria-label={label.to_owned()} title={label.to_owned()}
                disabled={off} onclick={show(to)}>{ sign }</button>
        }
    };
    let back = Window {
        from: now.from.saturating_sub(half),
        ..now
    };
    let on = Window {
        from: now.from + half,
        ..now
    };
    html! {
        <span class="zoom" role="group" aria-label="Zoom">
            { button("Show less, larger", "+", around(half), now.len <= LEAST_BYTES) }
            { button("Show more, smaller", "−", around(now.len.saturating_mul(2)), now.len >= whole) }
            { button("Lower addresses", "‹", back, now.from == 0) }
            { button("Higher addresses", "›", on, now.from + now.len >= whole) }
        </span>
    }
}

/// Puts the page sizes side by side.
#[component]
fn Toolbar() -> Html {
    let store = use_store();
    let Some(catalogue) = &store.catalogue else {
        return Html::default();
    };
    let base = store.document.variants.last().cloned().unwrap_or_default();
    let wanted: Vec<Variant> = catalogue
        .granules
        .iter()
        .map(|memory| Variant {
            memory: memory.clone(),
            ..base.clone()
        })
        .collect();
    if wanted.as_slice() == &*store.document.variants {
        return Html::default();
    }
    let compare = {
        let (dispatch, kernel) = (store.dispatcher(), base.kernel.clone());
        Callback::from(move |_: MouseEvent| {
            dispatch.dispatch(Action::Compare(wanted.clone().into()));
            dispatch.dispatch(Action::Say(format!(
                "4K, 16K and 64K pages side by side, on {kernel}."
            )));
        })
    };
    html! {
        <div class="page-tools">
            <button class="btn small" type="button" onclick={compare}>{ "Compare granules" }</button>
            <span class="quiet">{ "the same scenario with 4K, 16K and 64K pages, with and without contiguous PTEs" }</span>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct EventsProps {
    pages: Shared<Pages>,
    step: usize,
    line: Option<u32>,
}

/// What the step did to contiguous blocks, and the rule that made it.
#[component]
fn Events(props: &EventsProps) -> Html {
    let rows = props.pages.rows.iter().filter(|row| !row.events.is_empty());
    let rows: Vec<&PagesRow> = rows.collect();
    if rows.is_empty() {
        return html! {
            <div class="page-events quiet" role="status">{ "This step changed no page table." }</div>
        };
    }
    let place = props
        .line
        .map_or_else(String::new, |line| format!(", line {line}"));
    html! {
        <div class="page-events" role="status">
            <b>{ format!("Step {}{place}", props.step) }</b>
            <ul>
                for row in rows {
                    <li><b>{ name(row) }</b>{ ": " }{ row.events.join("; ") }</li>
                }
            </ul>
        </div>
    }
}
