//! Examples to start from, and what was on the page before.

use gloo_events::EventListener;
use sealab_protocol::Example;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, window};
use yew::prelude::*;

use crate::hooks::{GALLERY_ID, focus};
use crate::store::{Action, Document, use_store};
use crate::ui::{Icon, Plain, Shape};

/// The button and the sheet it opens.
#[component]
pub fn Gallery() -> Html {
    let store = use_store();
    let open = use_state_eq(|| false);
    let sheet = use_node_ref();
    use_closing(&open, &sheet);

    let examples = store.catalogue.as_ref().map_or(&[][..], |c| &c.gallery);
    let current = examples
        .iter()
        .find(|example| example.text == *store.document.text);
    let title = match current {
        Some(example) => example.title.clone(),
        None => format!("Your scenario: {}", store.document.title()),
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let load = |document: Document| {
        let (dispatch, open) = (store.dispatcher(), open.clone());
        Callback::from(move |_: MouseEvent| {
            dispatch.dispatch(Action::Load(document.clone()));
            open.set(false);
            focus(GALLERY_ID);
        })
    };
    let undo = {
        let (dispatch, open) = (store.dispatcher(), open.clone());
        Callback::from(move |_: MouseEvent| {
            dispatch.dispatch(Action::Undo);
            open.set(false);
            focus(GALLERY_ID);
        })
    };
    let choice = |example: &Example| {
        let is_current = current.is_some_and(|c| c.id == example.id);
        html! {
            <li key={example.id.clone()}>
                <button class="choice" type="button" data-example={example.id.clone()}
                    aria-current={is_current.to_string()}
                    onclick={load(Document::of_example(example))}>
                    <b>{ &example.title }</b>
                    <small>{ &example.line }</small>
                </button>
            </li>
        }
    };
    html! {
        <div class="menu">
            <button class="btn pick" type="button" id={GALLERY_ID} aria-haspopup="true"
                aria-expanded={open.to_string()} aria-controls="gallery-sheet" onclick={toggle}>
                <span><Plain text={title} /></span>
                <Icon shape={Shape::Down} />
            </button>
            if *open {
                <nav class="sheet" id="gallery-sheet" ref={sheet} aria-label="Examples">
                    if let Some(before) = store.before.last() {
                        <h2>{ "Before this" }</h2>
                        <button class="choice" type="button" data-example="before" onclick={undo}>
                            <b><Plain text={before.title()} /></b>
                            <small>{ format!("{} lines, as you left it", before.text.lines().count()) }</small>
                        </button>
                    }
                    <h2>{ "Examples" }</h2>
                    <ul>for example in examples { { choice(example) } }</ul>
                </nav>
            }
        </div>
    }
}

/// Closes the sheet on Escape and on a press elsewhere, and lets the arrow keys walk in it.
#[hook]
fn use_closing(open: &UseStateHandle<bool>, sheet: &NodeRef) {
    use_effect_with(**open, {
        let (open, sheet) = (open.clone(), sheet.clone());
        move |&is_open| {
            let listeners = window()
                .and_then(|window| window.document())
                .filter(|_| is_open)
                .map(|document| {
                    step_in(&sheet, 0);
                    let close = {
                        let open = open.clone();
                        let sheet = sheet.clone();
                        EventListener::new(&document, "pointerdown", move |event| {
                            let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
                            let inside = target.as_ref().is_some_and(|target| {
                                let sheet = sheet.cast::<Element>();
                                sheet.is_some_and(|sheet| sheet.contains(Some(target)))
                                    || target.closest(".pick").ok().flatten().is_some()
                            });
                            if !inside {
                                open.set(false);
                            }
                        })
                    };
                    let keys = EventListener::new_with_options(
                        &document,
                        "keydown",
                        gloo_events::EventListenerOptions::run_in_capture_phase(),
                        move |event| {
                            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                                match event.key().as_str() {
                                    "Escape" => {
                                        open.set(false);
                                        focus(GALLERY_ID);
                                    }
                                    "ArrowDown" => step_in(&sheet, 1),
                                    "ArrowUp" => step_in(&sheet, -1),
                                    // Everything else goes on to where the focus is.
                                    _ => return,
                                }
                                event.stop_propagation();
                            }
                        },
                    );
                    (close, keys)
                });
            move || drop(listeners)
        }
    });
}

/// Moves the focus by `by` choices; by 0, to the chosen one or the first.
fn step_in(sheet: &NodeRef, by: i64) {
    let Some(element) = sheet.cast::<Element>() else {
        return;
    };
    let Ok(choices) = element.query_selector_all(".choice") else {
        return;
    };
    let all: Vec<HtmlElement> = (0..choices.length())
        .filter_map(|i| choices.item(i)?.dyn_into().ok())
        .collect();
    let is = |selector: &str| {
        all.iter()
            .position(|c| c.matches(selector).unwrap_or(false))
    };
    let at = is(":focus")
        .or_else(|| is("[aria-current=true]"))
        .unwrap_or(0);
    let last = all.len().saturating_sub(1);
    let to = at
        .saturating_add_signed(isize::try_from(by).unwrap_or(0))
        .min(last);
    if let Some(choice) = all.get(to) {
        let _ = choice.focus();
    }
}
