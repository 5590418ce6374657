//! Every change is run at once; what is overtaken is dropped.

use std::cell::Cell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use sealab_protocol::{Overview, Progress, RunRequest, kind};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::door::Door;
use crate::store::{Action, Document, Shared, Store};

/// How long typing must rest before it is run, in milliseconds.
const REST_MS: u32 = 30;
/// How long a run may take before its progress is shown, in milliseconds.
const PATIENCE_MS: f64 = 250.0;

/// Runs the document whenever it changes. `ready` is false while a link is being opened.
#[hook]
pub fn use_runs(store: &Store, door: &Door, ready: bool) {
    let running = use_mut_ref(|| None::<u64>);
    let ready = ready && !store.document.variants.is_empty();
    let dispatch = store.dispatcher();
    let door = door.clone();
    let first = store.run.overview.is_none();
    let wanted = (store.document.clone(), store.run.again, ready);
    use_effect_with(wanted, move |(document, _, ready)| {
        let timeout = ready.then(|| {
            let document = document.clone();
            Timeout::new(if first { 0 } else { REST_MS }, move || {
                if let Some(id) = running.borrow_mut().take() {
                    door.cancel(id);
                }
                let shown = progress(&dispatch);
                let question = door.send(kind::RUN, &request(&document), Some(shown));
                let id = question.id;
                running.borrow_mut().replace(id);
                dispatch.dispatch(Action::Asked(id));
                spawn_local(async move {
                    let answer = question.read::<Overview>().await;
                    if *running.borrow() != Some(id) {
                        return;
                    }
                    running.borrow_mut().take();
                    dispatch.dispatch(match answer {
                        Ok(overview) => Action::Done(document, Shared::new(overview)),
                        Err(fault) => Action::Failed(fault),
                    });
                });
            })
        });
        move || drop(timeout)
    });
}

/// Passes progress on once the run takes long enough for a person to wonder.
fn progress(dispatch: &UseReducerDispatcher<crate::store::State>) -> Callback<Progress> {
    let dispatch = dispatch.clone();
    let begun = Rc::new(Cell::new(js_sys::Date::now()));
    Callback::from(move |progress| {
        if js_sys::Date::now() - begun.get() >= PATIENCE_MS {
            dispatch.dispatch(Action::Progress(progress));
        }
    })
}

fn request(document: &Document) -> RunRequest {
    RunRequest {
        text: document.text.to_string(),
        variants: document.variants.to_vec(),
        pid: document.pid,
        maps: document.maps.as_deref().map(str::to_owned),
    }
}
