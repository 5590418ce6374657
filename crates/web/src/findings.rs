//! Where the designs differ: the first thing to be read.

use sealab_protocol::{Difference, Overview};
use yew::prelude::*;

use crate::hooks::go_to_difference;
use crate::store::{Action, Store, use_store};
use crate::ui::{Icon, Plain, Shape, count, emphasised};

/// The sentence, and the further ones behind it.
#[component]
pub fn Findings() -> Html {
    let store = use_store();
    let all = use_state_eq(|| false);
    if let Some(fault) = &store.run.fault {
        return failed(&store, &fault.message);
    }
    let Some(overview) = store.run.overview.clone() else {
        return band(
            "",
            "Where the designs differ",
            html! { "Running the scenario under the chosen kernels…" },
        );
    };
    let errors = overview
        .diagnostics
        .iter()
        .filter(|d| d.severity == "error")
        .count();
    let Some(first) = overview.differences.first() else {
        return band(
            "agree",
            "No difference",
            html! { <Plain text={agreement(&overview, errors)} /> },
        );
    };
    let rest = &overview.differences[1..];
    let toggle = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(!*all))
    };
    html! {
        <section class={classes!("findings", store.stale().then_some("stale"))} aria-labelledby="findings">
            <h1 id="findings">{ "Where the designs differ" }</h1>
            <p aria-live="polite">{ sentence(&store, first) }</p>
            <div class="findings-more">
                if !rest.is_empty() {
                    <button class="btn small" type="button" aria-expanded={all.to_string()} aria-controls="more-findings" onclick={toggle}>
                        { if *all { "Less".to_owned() } else { format!("{} more", count(rest.len() as u64)) } }
                    </button>
                }
                <NextDifference />
            </div>
            if *all && !rest.is_empty() {
                <ol class="more-findings" id="more-findings">
                    for difference in rest { <li>{ sentence(&store, difference) }</li> }
                </ol>
            }
        </section>
    }
}

/// A sentence that leads to the step it is about.
fn sentence(store: &Store, difference: &Difference) -> Html {
    let text = emphasised(&difference.sentence, &difference.emphasis);
    let Some(call) = difference.call else {
        return text;
    };
    let dispatch = store.dispatcher();
    let go = Callback::from(move |_: MouseEvent| {
        dispatch.dispatch(Action::Step(call.saturating_add(1)));
    });
    html! { <button class="finding" type="button" title="Show this step" onclick={go}>{ text }</button> }
}

#[component]
fn NextDifference() -> Html {
    let store = use_store();
    let there_is = store
        .run
        .overview
        .as_ref()
        .is_some_and(|o| o.differing.len() > 1);
    if !there_is {
        return Html::default();
    }
    let go = Callback::from(move |_: MouseEvent| go_to_difference(&store, true));
    html! {
        <button class="btn small" type="button" title="To the next step where the designs differ (n)" onclick={go}>
            { "Next" }<Icon shape={Shape::NextDifference} />
        </button>
    }
}

fn agreement(overview: &Overview, errors: usize) -> String {
    let calls = overview.lines.len();
    let kernels = overview.runs.len();
    if calls == 0 && errors > 0 {
        return "Nothing could be run: see the faults below the text.".to_owned();
    }
    if calls == 0 {
        return "There is no call to run yet. Write one, or choose an example.".to_owned();
    }
    match kernels {
        1 => "One variant was run. Add another to compare it with.".to_owned(),
        _ => format!(
            "All {kernels} variants answer {} the same way, with the same changes and the same work.",
            if calls == 1 {
                "the call".to_owned()
            } else {
                format!("the {} calls", count(calls as u64))
            }
        ),
    }
}

fn failed(store: &Store, message: &str) -> Html {
    let again = {
        let dispatch = store.dispatcher();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Again))
    };
    html! {
        <section class="findings fault" aria-labelledby="findings">
            <h1 id="findings">{ "No result" }</h1>
            <p role="alert"><Plain text={message.to_owned()} /></p>
            <div class="findings-more">
                <button class="btn small" type="button" onclick={again}>{ "Run again" }</button>
            </div>
        </section>
    }
}

fn band(class: &'static str, title: &'static str, text: Html) -> Html {
    html! {
        <section class={classes!("findings", class)} aria-labelledby="findings">
            <h1 id="findings">{ title }</h1>
            <p aria-live="polite">{ text }</p>
        </section>
    }
}
