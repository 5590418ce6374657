//! What the page does by itself: runs what is written, keeps it, and listens to the keyboard and
//! the address bar.

mod address;
mod answer;
mod autosave;
mod keys;
mod runs;

use gloo_timers::callback::Interval;
use sealab_protocol::{Catalogue, kind};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::door::Door;
use crate::store::{Action, Shared, Store, Theme};

pub use address::use_address;
pub use answer::use_answer;
pub use autosave::use_autosave;
pub use keys::{EDITOR_ID, GALLERY_ID, KEYS, STEP_ID, go_to_difference, use_keys};
pub use runs::use_runs;

/// Time between two steps while playing, in milliseconds.
const PLAY_MS: u32 = 800;

/// Asks once what there is to choose from.
#[hook]
pub fn use_catalogue(store: &Store, door: &Door) {
    let dispatch = store.dispatcher();
    let door = door.clone();
    use_effect_with((), move |()| {
        spawn_local(async move {
            match door.ask::<Catalogue>(kind::CATALOGUE, &()).await {
                Ok(catalogue) => dispatch.dispatch(Action::Catalogue(Shared::new(catalogue))),
                Err(fault) => dispatch.dispatch(Action::Failed(fault)),
            }
        });
    });
}

/// Shows the chosen theme.
#[hook]
pub fn use_theme(store: &Store) {
    use_effect_with(store.theme, |&theme| {
        let root = web_sys::window()
            .and_then(|window| window.document())
            .and_then(|document| document.document_element());
        if let Some(root) = root {
            // Neither can fail: the attribute's name is a valid one.
            let _ = match theme {
                Theme::Auto => root.remove_attribute("data-theme"),
                _ => root.set_attribute("data-theme", theme.name()),
            };
        }
    });
}

/// Names the window after the scenario, for the history and the tab.
#[hook]
pub fn use_title(store: &Store) {
    use_effect_with(store.document.text.clone(), {
        let title = store.title();
        move |_| {
            if let Some(document) = web_sys::window().and_then(|window| window.document()) {
                document.set_title(&format!("{title} · sealab"));
            }
        }
    });
}

/// Advances the step while playing.
#[hook]
pub fn use_playing(store: &Store) {
    let dispatch = store.dispatcher();
    use_effect_with((store.playing, store.step()), move |&(playing, step)| {
        let interval = playing.then(|| {
            Interval::new(PLAY_MS, move || {
                dispatch.dispatch(Action::Step(step.saturating_add(1)));
            })
        });
        move || drop(interval)
    });
}

/// Puts the focus on the element of that id, if there is one.
pub fn focus(id: &str) {
    let element = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id(id))
        .and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        // Elements that take no focus ignore it.
        let _ = element.focus();
    }
}
