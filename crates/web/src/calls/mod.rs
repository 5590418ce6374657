//! The calls, one a row, with a column for each variant.

mod detail;
mod table;

use yew::prelude::*;

use crate::store::use_store;

pub use detail::StepDetailPanel;
use table::Table;

/// The view: all calls, and the one of the step in full.
#[component]
pub fn CallsView() -> Html {
    let store = use_store();
    let Some(overview) = store.run.overview.clone() else {
        return Html::default();
    };
    let unlisted = overview
        .runs
        .iter()
        .map(|run| run.unlisted_calls)
        .max()
        .unwrap_or(0);
    html! {
        <div class="calls">
            <Table {overview} step={store.step()} {unlisted} />
            <StepDetailPanel step={store.step()} />
        </div>
    }
}
