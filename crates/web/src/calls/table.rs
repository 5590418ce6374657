//! The table: only the rows in sight are asked for and drawn.

use sealab_protocol::{Cell, Mark, Overview, Row, Rows, RowsRequest, kind};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::hooks::use_answer;
use crate::store::{Action, Shared, use_store};
use crate::ui::{Plain, VirtualList, Window, count, nanoseconds};

/// Height of a row on a wide screen, in CSS pixels; as `--row` in the style sheets.
const ROW: f64 = 30.0;
/// Height of a row where the results stand below the call.
const ROW_NARROW: f64 = 52.0;
/// Width below which they do, in CSS pixels; as in the style sheets.
const NARROW: f64 = 760.0;

/// Properties of [`Table`].
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// The run.
    pub overview: Shared<Overview>,
    /// The step shown.
    pub step: usize,
    /// Calls that were made but not kept one by one.
    pub unlisted: u64,
}

/// The table and its filter.
#[component]
pub fn Table(props: &TableProps) -> Html {
    let store = use_store();
    let only = use_state_eq(|| false);
    let window = use_state_eq(|| 0..40_usize);
    let overview = &props.overview;
    let total = if *only {
        overview.differing.len()
    } else {
        overview.lines.len()
    };
    let request = RowsRequest {
        run: overview.run,
        first: window.start,
        count: window.len(),
        differing: *only,
    };
    let rows = use_answer::<_, Rows>(kind::ROWS, Some(request));
    let on_window = {
        let window = window.setter();
        Callback::from(move |to: Window| window.set(to.rows))
    };
    let on_only = {
        let only = only.setter();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            only.set(input.is_some_and(|input| input.checked()));
        })
    };
    let reveal = if *only {
        overview
            .differing
            .iter()
            .position(|&step| step == props.step)
    } else {
        props.step.checked_sub(1)
    };
    let row_height = if is_narrow() { ROW_NARROW } else { ROW };
    let variants = overview.runs.len();
    let head = html! {
        <div class="row head" role="row" data-n={variants.to_string()}>
            <span role="columnheader" class="c-step">{ "step" }</span>
            <span role="columnheader" class="c-line">{ "line" }</span>
            <span role="columnheader" class="c-call">{ "call" }</span>
            for (index, run) in overview.runs.iter().enumerate() {
                <span role="columnheader" class="c-result" data-v={(index + 1).to_string()}>{ &run.variant.kernel }</span>
            }
        </div>
    };
    let shown = rows.as_ref().map_or(&[][..], |rows| &rows.rows);
    let first = rows.as_ref().map_or(0, |rows| rows.first);
    let dispatch = store.dispatcher();
    html! {
        <div class="calls-table">
            <div class="calls-bar">
                <label class="check">
                    <input type="checkbox" checked={*only} onchange={on_only} />
                    { "Only calls in which the designs differ" }
                </label>
                <span class="quiet">{ words(total, overview, props.unlisted, *only) }</span>
            </div>
            <VirtualList {total} {row_height} {reveal} {on_window} {first} {head}
                label="Calls" columns={variants + 3}>
                for (offset, row) in shown.iter().enumerate() {
                    <CallRow key={row.step} row={row.clone()} place={first + offset}
                        current={row.step == props.step} on_choose={{
                            let dispatch = dispatch.clone();
                            Callback::from(move |step| dispatch.dispatch(Action::Step(step)))
                        }} />
                }
            </VirtualList>
        </div>
    }
}

fn is_narrow() -> bool {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    width.is_some_and(|width| width <= NARROW)
}

fn words(total: usize, overview: &Overview, unlisted: u64, only: bool) -> String {
    let all = count(overview.lines.len() as u64);
    let mut words = if only {
        format!("{} of {all} calls", count(total as u64))
    } else {
        format!("{all} calls")
    };
    if unlisted > 0 {
        words.push_str(&format!(
            "; {} more of long loops are counted in the sums but not listed",
            count(unlisted)
        ));
    }
    words
}

#[derive(Properties, PartialEq)]
struct CallRowProps {
    row: Row,
    /// Place in the table, from 0.
    place: usize,
    current: bool,
    on_choose: Callback<usize>,
}

#[component]
fn CallRow(props: &CallRowProps) -> Html {
    let row = &props.row;
    let choose = {
        let (on_choose, step) = (props.on_choose.clone(), row.step);
        Callback::from(move |_: MouseEvent| on_choose.emit(step))
    };
    html! {
        <div class={classes!("row", row.differs.then_some("differs"), props.current.then_some("current"))}
            role="row" aria-rowindex={(props.place + 2).to_string()} data-step={row.step.to_string()}
            data-n={row.cells.len().to_string()} onclick={choose.clone()}>
            <span role="cell" class="c-step">{ row.step }</span>
            <span role="cell" class="c-line">{ row.line }</span>
            <span role="cell" class="c-call">
                <button class="call-button" type="button" onclick={choose} title={row.text.clone()}
                    aria-current={props.current.then_some("step")}>
                    <Plain text={row.text.clone()} />
                </button>
            </span>
            for (index, cell) in row.cells.iter().enumerate() { { result(index, cell) } }
        </div>
    }
}

fn result(index: usize, cell: &Cell) -> Html {
    let bad = matches!(cell.mark, Mark::Error | Mark::Partial | Mark::Mismatch);
    let mut title = format!("about {}", nanoseconds(cell.cost_ns));
    if let Some(recorded) = &cell.recorded {
        title.push_str(&format!("; the text says {recorded}"));
    }
    if cell.inferred {
        title.push_str("; answered as recorded, the trace does not show this memory");
    }
    html! {
        <span role="cell" class={classes!("c-result", bad.then_some("bad"), (cell.same && index > 0).then_some("same"))}
            data-v={(index + 1).to_string()} {title}>
            if cell.same && index > 0 && !bad {
                <span class="same-word">{ "same" }</span>
                <span class="same-value"><Plain text={cell.result.clone()} /></span>
            } else {
                <Plain text={cell.result.clone()} />
            }
            if let Some(partial) = &cell.partial { { format!(" · {partial}") } }
            if let Some(recorded) = &cell.recorded { <em>{ " ≠ " }<Plain text={recorded.clone()} /></em> }
            if cell.inferred { <i>{ " inferred" }</i> }
        </span>
    }
}
