//! What the run cost, and what made it cost that. Every chart has its data as a table.

mod chart;
pub mod specs;

use sealab_protocol::{CostRow, CostView as Costs, MeasureRow, RunId, WorkRow, kind};
use yew::prelude::*;

use crate::hooks::use_answer;
use crate::store::use_store;
use crate::ui::{count, nanoseconds};

pub use chart::Chart;

/// The view.
#[component]
pub fn CostView() -> Html {
    let store = use_store();
    let overview = store.run.overview.clone();
    let costs = use_answer::<_, Costs>(kind::COST, overview.as_ref().map(|o| RunId { run: o.run }));
    let (Some(overview), Some(costs)) = (overview, costs) else {
        return html! { <p class="empty">{ "Adding up…" }</p> };
    };
    let names: Vec<String> = overview
        .runs
        .iter()
        .map(|run| format!("{} {}", run.variant.kernel, run.label))
        .collect();
    if costs.calls.is_empty() {
        return html! { <p class="empty">{ "No call was made, so nothing cost anything." }</p> };
    }
    html! {
        <div class="costs">
            <p class="note">
                { "Estimated: counted work times what each kind of work costs. " }
                { costs.provenance.join(" ") }
            </p>
            if !costs.measures.is_empty() {
                <section class="cost-part">
                    <h2>{ "Measured stretches, cost of one run" }</h2>
                    <Chart spec={specs::measures(&costs.measures, &names)} />
                    { table("stretch", &names, &costs.measures, measure_row) }
                </section>
            }
            <section class="cost-part">
                <h2>{ "By system call" }</h2>
                <Chart spec={specs::calls(&costs.calls, &names)} />
                { table("call", &names, &costs.calls, call_row) }
            </section>
            <section class="cost-part">
                <h2>{ "By kind of work" }</h2>
                <Chart spec={specs::work(&costs.work, &names)} />
                { table("work", &names, &costs.work, work_row) }
            </section>
        </div>
    }
}

fn table<T>(first: &str, names: &[String], rows: &[T], row: fn(&T) -> (String, Vec<Html>)) -> Html {
    html! {
        <div class="table-box" tabindex="0" role="region" aria-label={format!("The same by {first}, as a table")}>
            <table class="counts">
                <thead><tr><th scope="col">{ first }</th>for name in names { <th scope="col">{ name }</th> }</tr></thead>
                <tbody>
                    for one in rows {
                        { {
                            let (head, cells) = row(one);
                            html! { <tr><th scope="row">{ head }</th>for cell in cells { <td>{ cell }</td> }</tr> }
                        } }
                    }
                </tbody>
            </table>
        </div>
    }
}

fn call_row(row: &CostRow) -> (String, Vec<Html>) {
    let cells = row.cost_ns.iter().zip(&row.calls).map(|(&ns, &calls)| {
        html! { <>{ nanoseconds(ns) }<small>{ format!(" {} ×", count(calls)) }</small></> }
    });
    (row.name.clone(), cells.collect())
}

fn work_row(row: &WorkRow) -> (String, Vec<Html>) {
    let cells = row.counts.iter().zip(&row.weight_ns).zip(&row.cost_ns).map(|((&n, &weight), &ns)| {
        html! { <>{ nanoseconds(ns) }<small>{ format!(" {} × {}", count(n), nanoseconds(weight)) }</small></> }
    });
    (row.title.clone(), cells.collect())
}

fn measure_row(row: &MeasureRow) -> (String, Vec<Html>) {
    let cells = row.median_ns.iter().enumerate().map(|(index, &median)| {
        let at = |list: &[f64]| list.get(index).copied().unwrap_or(f64::NAN);
        let spread = format!(" {} – {}", nanoseconds(at(&row.min_ns)), nanoseconds(at(&row.max_ns)));
        let samples = row.samples.get(index).copied().unwrap_or(0);
        html! { <>{ nanoseconds(median) }<small>{ spread }{ format!(", {} ×", count(samples)) }</small></> }
    });
    (row.name.clone(), cells.collect())
}
