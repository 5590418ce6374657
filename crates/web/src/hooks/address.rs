//! The address bar: opens the link that is in it, and holds one to what is shown.

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use sealab_protocol::{LinkState, TextRequest, kind};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{HashChangeEvent, window};
use yew::prelude::*;

use crate::door::Door;
use crate::store::{Action, State, Store};

/// How long the page must rest before the address is written, in milliseconds: browsers refuse
/// more than some 100 changes in half a minute.
const REST_MS: u32 = 400;
/// Longer links stay out of the address bar, which gets slow; Share still gives them.
const ADDRESS_MAX: usize = 16_000;
/// Longer texts, in bytes, are not even tried: packing them would keep the simulator busy.
const TEXT_MAX: usize = 400_000;

/// Keeps page and address in step. True while the link that the page was opened with is read.
#[hook]
pub fn use_address(store: &Store, door: &Door) -> bool {
    let opening = use_state(|| !fragment().is_empty());
    let dispatch = store.dispatcher();
    {
        let (door, dispatch, opening) = (door.clone(), dispatch.clone(), opening.setter());
        use_effect_with((), move |()| {
            if !fragment().is_empty() {
                open(door.clone(), dispatch.clone(), fragment(), Some(opening));
            }
            let listener = window().map(|window| {
                EventListener::new(&window, "hashchange", move |event| {
                    // From the event: what was typed may be written over by now.
                    let url = event
                        .dyn_ref::<HashChangeEvent>()
                        .map(HashChangeEvent::new_url);
                    let new = url
                        .as_deref()
                        .and_then(|url| url.find('#').map(|at| &url[at..]));
                    if let Some(new) = new.filter(|new| new.len() > 1) {
                        open(door.clone(), dispatch.clone(), new.to_owned(), None);
                    }
                })
            });
            move || drop(listener)
        });
    }

    let written = use_mut_ref(|| 0);
    let pristine = use_mut_ref(|| None::<LinkState>);
    let shown = use_mut_ref(|| None::<LinkState>);
    let ready = !*opening && !store.document.variants.is_empty();
    let link = ready.then(|| store.link());
    let (loads, door) = (store.loads, door.clone());
    let opened_bare = use_memo((), |()| fragment().is_empty());
    use_effect_with(link, move |link: &Option<LinkState>| {
        let timeout = link.clone().map(|link| {
            Timeout::new(REST_MS, move || {
                // A page that was opened without a link keeps its clean address until something
                // is changed.
                let untouched = *pristine.borrow_mut().get_or_insert_with(|| link.clone()) == link;
                if *opened_bare && untouched && fragment().is_empty() {
                    shown.replace(Some(link));
                    return;
                }
                let push = written.replace(loads) != loads;
                let last = shown.replace(Some(link.clone()));
                spawn_local(async move {
                    if let Some(last) = last.filter(|_| push && fragment().is_empty()) {
                        // So that going back finds what was there.
                        write(packed(&door, &last).await.as_deref(), false);
                    }
                    write(packed(&door, &link).await.as_deref(), push);
                });
            })
        });
        move || drop(timeout)
    });
    *opening
}

/// The fragment with its `#`; empty where there is none.
fn fragment() -> String {
    window()
        .and_then(|window| window.location().hash().ok())
        .filter(|hash| hash.len() > 1)
        .unwrap_or_default()
}

fn open(
    door: Door,
    dispatch: UseReducerDispatcher<State>,
    text: String,
    opening: Option<UseStateSetter<bool>>,
) {
    spawn_local(async move {
        let request = TextRequest { text };
        match door.ask::<LinkState>(kind::DECODE_LINK, &request).await {
            Ok(link) => dispatch.dispatch(Action::Open(Box::new(link))),
            Err(fault) => dispatch.dispatch(Action::Complain(fault.message)),
        }
        if let Some(opening) = opening {
            opening.set(false);
        }
    });
}

/// The fragment for `link`, if there is a short enough one.
async fn packed(door: &Door, link: &LinkState) -> Option<String> {
    if link.text.len() > TEXT_MAX {
        return None;
    }
    door.ask::<String>(kind::ENCODE_LINK, link).await.ok()
}

/// Writes the fragment into the address bar; without one, or with one too long, takes out what is
/// there, so that the address never stands for something else than what is shown.
fn write(link: Option<&str>, push: bool) {
    let Some(window) = window() else { return };
    let link = link
        .filter(|link| link.len() <= ADDRESS_MAX)
        .unwrap_or_default();
    if fragment() == link {
        return;
    }
    let path = window.location().pathname().unwrap_or_default();
    let query = window.location().search().unwrap_or_default();
    let url = format!("{path}{query}{link}");
    let Ok(history) = window.history() else {
        return;
    };
    // Fails where the page may not change its address, as in some frames: then it just stays.
    let _ = if push {
        history.push_state_with_url(&JsValue::NULL, "", Some(&url))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
    };
}
