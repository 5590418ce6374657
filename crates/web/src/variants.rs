//! The variants that are compared: one card each, to choose, remove and add.

use sealab_protocol::{Catalogue, Choice, RunSummary, Variant};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::store::{Action, VARIANTS_MAX, use_store};
use crate::ui::{Icon, Shape, count, nanoseconds, percent_change};

/// The row of cards.
#[component]
pub fn Variants() -> Html {
    let store = use_store();
    let Some(catalogue) = store.catalogue.clone() else {
        return html! { <div class="variants"></div> };
    };
    let variants = store.document.variants.clone();
    let runs = store.run.overview.as_ref().map_or(&[][..], |o| &o.runs);
    // A result belongs to the card only while it is of the same variant.
    let result = |index: usize| {
        runs.get(index)
            .filter(|run| variants.get(index) == Some(&run.variant))
    };
    let add = {
        let dispatch = store.dispatcher();
        let next = next_variant(&catalogue, &variants);
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::AddVariant(next.clone())))
    };
    html! {
        <div class="variants" role="group" aria-label="Variants compared">
            for (index, variant) in variants.iter().enumerate() {
                <Card key={index} {index} variant={variant.clone()}
                    run={result(index).cloned()} base={result(0).cloned()}
                    removable={variants.len() > 1} />
            }
            if variants.len() < VARIANTS_MAX {
                <button class="add-variant" type="button" onclick={add}
                    aria-label="Add a variant" title="Add a variant">
                    <Icon shape={Shape::Plus} />
                </button>
            }
        </div>
    }
}

/// The first kernel not yet compared, otherwise the next memory design.
fn next_variant(catalogue: &Catalogue, variants: &[Variant]) -> Variant {
    let last = variants.last().cloned().unwrap_or_default();
    let with_kernel = catalogue.kernels.iter().rev().map(|kernel| Variant {
        kernel: kernel.id.clone(),
        ..last.clone()
    });
    let with_memory = catalogue.memories.iter().map(|memory| Variant {
        memory: memory.id.clone(),
        ..last.clone()
    });
    with_kernel
        .chain(with_memory)
        .find(|variant| !variants.contains(variant))
        .unwrap_or(last)
}

#[derive(Properties, PartialEq)]
struct CardProps {
    index: usize,
    variant: Variant,
    run: Option<RunSummary>,
    base: Option<RunSummary>,
    removable: bool,
}

#[component]
fn Card(props: &CardProps) -> Html {
    let store = use_store();
    let index = props.index;
    let set = |change: fn(&mut Variant, String)| {
        let (dispatch, variant) = (store.dispatcher(), props.variant.clone());
        Callback::from(move |id: String| {
            let mut variant = variant.clone();
            change(&mut variant, id);
            dispatch.dispatch(Action::SetVariant(index, variant));
        })
    };
    let remove = {
        let dispatch = store.dispatcher();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::RemoveVariant(index)))
    };
    let Some(catalogue) = &store.catalogue else {
        return Html::default();
    };
    let design = catalogue
        .kernels
        .iter()
        .find(|k| k.id == props.variant.kernel);
    html! {
        <div class="card" data-v={(index + 1).to_string()} role="group"
            aria-label={format!("Variant {}: kernel {}", index + 1, props.variant.kernel)}>
            <div class="card-row">
                <Select label="Kernel" choices={catalogue.kernels.clone()} chosen={props.variant.kernel.clone()}
                    on_choose={set(|variant, id| variant.kernel = id)} />
                if props.removable {
                    <button class="btn small icon plain" type="button" onclick={remove}
                        aria-label={format!("Remove {}", props.variant.kernel)} title="Remove">
                        <Icon shape={Shape::Close} />
                    </button>
                }
            </div>
            <div class="card-row quiet">
                <span class="design">{ design.map_or("", |d| &d.label) }</span>
                <Select label="Memory" choices={catalogue.memories.clone()} chosen={props.variant.memory.clone()}
                    on_choose={set(|variant, id| variant.memory = id)} />
            </div>
            { numbers(props.run.as_ref(), props.base.as_ref().filter(|_| index > 0)) }
        </div>
    }
}

/// What the run came to, and how much more that is than the first variant's.
fn numbers(run: Option<&RunSummary>, base: Option<&RunSummary>) -> Html {
    let Some(run) = run else {
        return html! { <p class="numbers">{ "…" }</p> };
    };
    let walks = |run: &RunSummary| run.totals.counts.get("tree_walk").copied().unwrap_or(0);
    let more_walks = base.and_then(|base| match walks(run).abs_diff(walks(base)) {
        0 => None,
        n if walks(run) > walks(base) => Some(format!("+{}", count(n))),
        n => Some(format!("−{}", count(n))),
    });
    let dearer = base.and_then(|base| percent_change(run.totals.cost_ns, base.totals.cost_ns));
    html! {
        <p class="numbers">
            <span title="Lookups that descended the VMA tree from its root">
                { count(walks(run)) }{ " walks" }
                if let Some(more) = more_walks { <em>{ more }</em> }
            </span>
            <span title="Estimated cost of all calls">
                { nanoseconds(run.totals.cost_ns) }
                if let Some(dearer) = dearer { <em>{ dearer }</em> }
            </span>
            if run.totals.disagreements > 0 {
                <span class="bad" title="Calls that did not end as the text says">
                    { count(run.totals.disagreements) }{ " not as recorded" }
                </span>
            }
        </p>
    }
}

/// Properties of [`Select`].
#[derive(Properties, PartialEq)]
pub struct SelectProps {
    /// What is chosen, for a screen reader.
    pub label: &'static str,
    /// From what.
    pub choices: Vec<Choice>,
    /// The id chosen.
    pub chosen: String,
    /// Called with the id.
    pub on_choose: Callback<String>,
}

/// A choice by id, shown with its label while the list is open.
#[component]
pub fn Select(props: &SelectProps) -> Html {
    let on_change = props.on_choose.reform(|event: Event| {
        event
            .target_dyn_into::<HtmlSelectElement>()
            .map(|select| select.value())
            .unwrap_or_default()
    });
    // A link may name what this version does not know; the result says so, the choice shows it.
    let unknown = !props.choices.iter().any(|choice| choice.id == props.chosen);
    html! {
        <select aria-label={props.label} onchange={on_change}>
            if unknown {
                <option value={props.chosen.clone()} selected=true>{ &props.chosen }</option>
            }
            for choice in &props.choices {
                <option key={choice.id.clone()} value={choice.id.clone()}
                    selected={choice.id == props.chosen} title={choice.label.clone()}>
                    { &choice.id }
                </option>
            }
        </select>
    }
}
