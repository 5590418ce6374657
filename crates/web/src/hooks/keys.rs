//! The page's keys. The list that a person sees is made of the same table.

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, window};
use yew::prelude::*;

use crate::store::{Action, Dialog, Store, View};

/// Keys and what they do, for the list under `?`.
pub const KEYS: &[(&[&str], &str)] = &[
    (&["←", "→"], "One step back or on"),
    (&["Home", "End"], "To the start or the end"),
    (&["Space"], "Play, stop"),
    (
        &["n", "p"],
        "To the next or previous step where the designs differ",
    ),
    (&["1", "2", "3", "4"], "Address space, Pages, Calls, Cost"),
    (&["e"], "Into the editor"),
    (&["Esc"], "Out of the editor, to the steps"),
    (&["g"], "Choose an example"),
    (&["Ctrl Enter"], "Run again"),
    (&["Ctrl S"], "Share"),
    (&["t"], "Theme: system, light, dark"),
    (&["?"], "This list"),
];

/// Id of the element that the keyboard goes to from the editor.
pub const STEP_ID: &str = "step";
/// Id of the button that opens the gallery.
pub const GALLERY_ID: &str = "gallery";
/// Id of the editor's box.
pub const EDITOR_ID: &str = "editor";

/// Listens to the keyboard.
#[hook]
pub fn use_keys(store: &Store) {
    let latest = use_mut_ref(|| store.clone());
    latest.replace(store.clone());
    use_effect_with((), move |()| {
        let listener = window()
            .and_then(|window| window.document())
            .map(|document| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&document, "keydown", options, move |event| {
                    if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                        let store = latest.borrow().clone();
                        if pressed(&store, event) {
                            event.prevent_default();
                        }
                    }
                })
            });
        move || drop(listener)
    });
}

/// Does what `event` asks for; whether it asked for anything.
fn pressed(store: &Store, event: &KeyboardEvent) -> bool {
    if event.default_prevented() || event.is_composing() {
        return false;
    }
    let key = event.key();
    if (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key() {
        match key.as_str() {
            "s" => store.dispatch(Action::Dialog(Some(Dialog::Share))),
            "Enter" => store.dispatch(Action::Again),
            _ => return false,
        }
        return true;
    }
    if event.ctrl_key() || event.meta_key() || event.alt_key() || store.dialog.is_some() {
        return false;
    }
    let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
    let place = target.as_ref().map_or(Place::Page, place_of);
    match (place, key.as_str()) {
        (Place::Text, "Escape") => super::focus(STEP_ID),
        (Place::Text, _) => return false,
        (Place::Control, " " | "Enter" | "ArrowLeft" | "ArrowRight" | "Home" | "End") => {
            return false;
        }
        (_, "ArrowLeft") => go(store, store.step().saturating_sub(1)),
        (_, "ArrowRight") => go(store, store.step().saturating_add(1)),
        (_, "Home") => go(store, 0),
        (_, "End") => go(store, store.steps()),
        (_, " ") => store.dispatch(Action::Play(!store.playing)),
        (_, "n") => go_to_difference(store, true),
        (_, "p") => go_to_difference(store, false),
        (_, "1" | "2" | "3" | "4") => {
            let index = key.parse::<usize>().unwrap_or(1).saturating_sub(1);
            if let Some(&view) = View::ALL.get(index) {
                store.dispatch(Action::View(view));
            }
        }
        (_, "e") => store.dispatch(Action::FocusEditor),
        (_, "g") => super::focus(GALLERY_ID),
        (_, "t") => store.dispatch(Action::Theme(store.theme.next())),
        (_, "?") => store.dispatch(Action::Dialog(Some(Dialog::Help))),
        _ => return false,
    }
    true
}

/// What kind of place a key was pressed in.
enum Place {
    /// Letters go into a text.
    Text,
    /// A button, a choice or a slider has keys of its own.
    Control,
    /// Anywhere else.
    Page,
}

fn place_of(element: &Element) -> Place {
    let is = |selector: &str| element.closest(selector).ok().flatten().is_some();
    // The editor lives in a shadow root, from outside of which its box is the target.
    if is("textarea, input:not([type=range]):not([type=checkbox]), [contenteditable], .editor-host")
    {
        Place::Text
    } else if element.id() == STEP_ID {
        // The slider takes arrows itself; space plays.
        Place::Page
    } else if is("button, select, input, a[href], summary") {
        Place::Control
    } else {
        Place::Page
    }
}

fn go(store: &Store, step: usize) {
    store.dispatch(Action::Play(false));
    store.dispatch(Action::Step(step));
}

/// To the nearest step beyond the one shown at which the designs differ.
pub fn go_to_difference(store: &Store, forward: bool) {
    let Some(overview) = &store.run.overview else {
        return;
    };
    let step = store.step();
    let mut ahead = overview.differing.iter().copied();
    let found = if forward {
        ahead.find(|&s| s > step)
    } else {
        ahead.rfind(|&s| s < step)
    };
    if let Some(step) = found {
        go(store, step);
    }
}
