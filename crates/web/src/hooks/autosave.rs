//! Keeps what is written in the browser, and says once when it cannot.

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use web_sys::window;
use yew::prelude::*;

use crate::store::{Action, Store, save};

/// How long typing must rest before it is kept, in milliseconds.
const REST_MS: u32 = 300;

/// Keeps the document, the view and the theme. Not while a link is being opened.
#[hook]
pub fn use_autosave(store: &Store, opening: bool) {
    let told = use_mut_ref(|| false);
    let latest = use_mut_ref(|| None::<Store>);
    latest.replace(
        Some(store.clone()).filter(|store| !opening && !store.document.variants.is_empty()),
    );
    let keep = {
        let latest = latest.clone();
        Callback::from(move |()| {
            let Some(store) = latest.borrow().clone() else {
                return;
            };
            match save(&store) {
                Ok(()) => _ = told.replace(false),
                Err(reason) => {
                    if !told.replace(true) {
                        store.dispatch(Action::Complain(reason));
                    }
                }
            }
        })
    };
    let what = (
        store.document.clone(),
        store.view,
        store.theme,
        store.loads,
        opening,
    );
    use_effect_with(what, {
        let keep = keep.clone();
        move |_| {
            let timeout = Timeout::new(REST_MS, move || keep.emit(()));
            move || drop(timeout)
        }
    });
    // What was typed in the last moment before leaving.
    use_effect_with((), move |()| {
        let listener =
            window().map(|window| EventListener::new(&window, "pagehide", move |_| keep.emit(())));
        move || drop(listener)
    });
}
