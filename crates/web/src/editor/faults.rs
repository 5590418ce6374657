//! What is wrong with the text, what was left out of it, and whose calls were taken.

use sealab_protocol::{Diagnostic, Overview, ProcessChoice};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::store::{Action, use_store};
use crate::ui::{Message, count};

/// Faults shown before the reader asks for all.
const FIRST: usize = 4;

/// The list below the text.
#[component]
pub fn Faults() -> Html {
    let store = use_store();
    let all = use_state_eq(|| false);
    let Some(overview) = store.run.overview.clone() else {
        return Html::default();
    };
    let total = overview.diagnostics.len();
    let shown = if *all { total } else { total.min(FIRST) };
    let go = |line: u32| {
        let dispatch = store.dispatcher();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Line(line)))
    };
    let toggle = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(!*all))
    };
    html! {
        <>
            if total > 0 {
                <div class="faults">
                    <h2 class="off-screen">{ "Faults in the text" }</h2>
                    <ul>for (index, diagnostic) in overview.diagnostics[..shown].iter().enumerate() {
                        { fault(diagnostic, in_text(&overview, index).then(|| go(diagnostic.line))) }
                    }</ul>
                    if total > FIRST {
                        <button class="btn small" type="button" aria-expanded={all.to_string()} onclick={toggle}>
                            { if *all { "Fewer".to_owned() } else { format!("All {}", count(total as u64)) } }
                        </button>
                    }
                </div>
            }
            <Taken overview_run={overview.run} processes={overview.processes.clone()} skipped={skipped(&overview)} />
        </>
    }
}

/// Whether a diagnostic is about the text and not about the starting maps.
fn in_text(overview: &Overview, index: usize) -> bool {
    overview
        .places
        .get(index)
        .is_some_and(|place| place.from < place.to)
}

fn fault(diagnostic: &Diagnostic, go: Option<Callback<MouseEvent>>) -> Html {
    let place = format!("line {}, column {}", diagnostic.line, diagnostic.column);
    html! {
        <li class={classes!("fault", diagnostic.severity.clone())}>
            if let Some(go) = go {
                <button class="fault-button" type="button" onclick={go}>
                    <b>{ &diagnostic.severity }</b><span>{ place }</span>
                </button>
            } else {
                <p class="fault-button"><b>{ &diagnostic.severity }</b><span>{ place }</span></p>
            }
            <p><Message text={diagnostic.message.clone()} /></p>
            if let Some(hint) = &diagnostic.hint { <p class="hint"><Message text={hint.clone()} /></p> }
        </li>
    }
}

/// Calls left out, in words; empty where there are none.
fn skipped(overview: &Overview) -> String {
    let total: u64 = overview.skipped.values().sum();
    if total == 0 {
        return String::new();
    }
    let mut names: Vec<_> = overview.skipped.iter().collect();
    names.sort_by_key(|&(name, &n)| (std::cmp::Reverse(n), name));
    let shown: Vec<_> = names
        .iter()
        .take(3)
        .map(|(name, n)| format!("{name} ×{}", count(**n)))
        .collect();
    let more = names.len().saturating_sub(3);
    let more = if more > 0 {
        format!(" and {more} other names")
    } else {
        String::new()
    };
    let calls = if total == 1 {
        "1 call does"
    } else {
        &format!("{} calls do", count(total))
    };
    format!(
        "{calls} not touch memory and are skipped: {}{more}",
        shown.join(", ")
    )
}

#[derive(Properties, PartialEq)]
struct TakenProps {
    overview_run: u64,
    processes: Vec<ProcessChoice>,
    skipped: String,
}

/// Whose calls were taken, and what was skipped.
#[component]
fn Taken(props: &TakenProps) -> Html {
    let store = use_store();
    if props.skipped.is_empty() && props.processes.len() < 2 {
        return Html::default();
    }
    let on_change = {
        let dispatch = store.dispatcher();
        Callback::from(move |event: Event| {
            let select = event.target_dyn_into::<HtmlSelectElement>();
            let pid = select.and_then(|select| select.value().parse().ok());
            dispatch.dispatch(Action::Process(pid));
        })
    };
    let words = |process: &ProcessChoice| {
        let pid = process.pid.map_or("?".to_owned(), |pid| pid.to_string());
        let command = process.command.as_deref().unwrap_or("");
        let command: String = command.chars().take(40).collect();
        format!("pid {pid} · {} calls {command}", count(process.calls))
    };
    html! {
        <div class="taken">
            if props.processes.len() > 1 {
                <label class="check">{ "Process " }
                    <select onchange={on_change}>
                        for process in &props.processes {
                            <option value={process.pid.map(|pid| pid.to_string()).unwrap_or_default()}
                                selected={process.chosen}>{ words(process) }</option>
                        }
                    </select>
                </label>
            }
            if !props.skipped.is_empty() { <p class="note">{ &props.skipped }</p> }
        </div>
    }
}
