//! One call in full: how it went, what it changed, what it counted and who walked the tree.

use sealab_protocol::{CallDetail, ChangeReport, CountRow, Mark, StepDetail, StepRequest, kind};
use yew::prelude::*;

use crate::hooks::use_answer;
use crate::store::{Shared, use_store};
use crate::ui::{Plain, count, nanoseconds};

/// Changes listed at once.
const CHANGES_MAX: usize = 12;

/// Properties of [`StepDetailPanel`].
#[derive(Properties, PartialEq)]
pub struct StepDetailPanelProps {
    /// The step.
    pub step: usize,
}

/// The panel.
#[component]
pub fn StepDetailPanel(props: &StepDetailPanelProps) -> Html {
    let store = use_store();
    let overview = store.run.overview.clone();
    let step = props.step;
    let detail = use_answer::<_, StepDetail>(
        kind::STEP,
        overview
            .as_ref()
            .filter(|_| step > 0)
            .map(|o| StepRequest { run: o.run, step }),
    );
    let (Some(overview), Some(detail)) = (overview, detail.filter(|d| step > 0 && d.step == step))
    else {
        return html! { <section class="detail" aria-label="This call"></section> };
    };
    let names: Vec<String> = overview
        .runs
        .iter()
        .map(|run| run.variant.kernel.clone())
        .collect();
    html! {
        <section class="detail" aria-labelledby="detail-title">
            <h2 id="detail-title">{ "This call" }</h2>
            <div class="detail-grid">
                for (index, (name, call)) in names.iter().zip(&detail.variants).enumerate() {
                    <div class="outcome" data-v={(index + 1).to_string()}>{ outcome(name, call) }</div>
                }
            </div>
            <Counts {names} {detail} />
        </section>
    }
}

fn outcome(name: &str, call: &CallDetail) -> Html {
    let bad = matches!(call.cell.mark, Mark::Error | Mark::Partial | Mark::Mismatch);
    let more = call.changes.len().saturating_sub(CHANGES_MAX);
    html! {
        <>
            <h3>{ name }<span class={classes!("outcome-result", bad.then_some("bad"))}>
                <Plain text={call.cell.result.clone()} />
            </span></h3>
            <code class="evaluated"><Plain text={call.text.clone()} /></code>
            if call.changes.is_empty() {
                <p class="quiet">{ "changed nothing" }</p>
            } else {
                <ul class="changes">
                    for change in call.changes.iter().take(CHANGES_MAX) { <li>{ change_words(change) }</li> }
                    if more > 0 { <li class="quiet">{ format!("and {} more", count(more as u64)) }</li> }
                </ul>
            }
            if let Some(recorded) = &call.cell.recorded {
                <p class="bad">{ "the text says " }<Plain text={recorded.clone()} /></p>
            }
            if call.cell.inferred {
                <p class="quiet">{ "inferred: the trace does not show the memory it is about" }</p>
            }
            for remark in &call.remarks { <p class="remark"><Plain text={remark.clone()} /></p> }
        </>
    }
}

/// A change with its place; a cut or a join has no length.
fn change_words(change: &ChangeReport) -> Html {
    html! {
        <>
            { format!("{} ", change.kind) }
            <code>{ &change.start }if change.end != change.start { { format!("–{}", change.end) } }</code>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct CountsProps {
    names: Vec<String>,
    detail: Shared<StepDetail>,
}

/// The counts, differing ones marked, and behind them the walks.
#[component]
fn Counts(props: &CountsProps) -> Html {
    let detail = &props.detail;
    let any_walk = detail.variants.iter().any(|call| !call.walks.is_empty());
    html! {
        <>
            <div class="table-box" tabindex="0" role="region" aria-label="What this call counted">
                <table class="counts">
                    <thead><tr>
                        <th scope="col">{ "counted" }</th>
                        for name in &props.names { <th scope="col">{ name }</th> }
                    </tr></thead>
                    <tbody>
                        for row in &detail.counts { { count_row(row) } }
                        <tr class="sum">
                            <th scope="row">{ "estimated cost" }</th>
                            for call in &detail.variants { <td>{ nanoseconds(call.cell.cost_ns) }</td> }
                        </tr>
                    </tbody>
                </table>
            </div>
            if any_walk {
                <details class="walks">
                    <summary>{ "Who walked the VMA tree" }</summary>
                    <div class="detail-grid">
                        for (index, (name, call)) in props.names.iter().zip(&detail.variants).enumerate() {
                            <div class="outcome" data-v={(index + 1).to_string()}>
                                <h3>{ name }</h3>
                                <ol class="chains">
                                    for chain in &call.walks {
                                        <li>for (depth, function) in chain.iter().enumerate() {
                                            if depth > 0 { <span class="from">{ " ← " }</span> }
                                            <code>{ function }</code>
                                        }</li>
                                    }
                                </ol>
                                if call.walks.is_empty() { <p class="quiet">{ "no walk" }</p> }
                            </div>
                        }
                    </div>
                </details>
            }
        </>
    }
}

fn count_row(row: &CountRow) -> Html {
    let differs = row.counts.windows(2).any(|pair| pair[0] != pair[1]);
    html! {
        <tr key={row.counter.clone()} class={classes!(differs.then_some("differs"))}>
            <th scope="row" title={row.counter.clone()}>{ &row.title }</th>
            for (index, n) in row.counts.iter().enumerate() {
                <td title={weight(row, index, *n)}>{ count(*n) }</td>
            }
        </tr>
    }
}

fn weight(row: &CountRow, index: usize, n: u64) -> Option<String> {
    let weight = row
        .weight_ns
        .get(index)
        .copied()
        .filter(|&weight| weight > 0.0)?;
    #[allow(clippy::cast_precision_loss)] // a readable estimate
    let cost = weight * n as f64;
    Some(format!(
        "{} × {} = {}",
        count(n),
        nanoseconds(weight),
        nanoseconds(cost)
    ))
}
