//! The memory that the process starts with.

use std::rc::Rc;

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::store::{Action, use_store};

/// A field for the process's first `/proc/PID/maps`, folded away until it is wanted.
#[component]
pub fn StartingMaps() -> Html {
    let store = use_store();
    let maps = store.document.maps.clone();
    let on_input = {
        let dispatch = store.dispatcher();
        Callback::from(move |event: InputEvent| {
            let text = event
                .target_dyn_into::<HtmlTextAreaElement>()
                .map(|f| f.value());
            let maps = text.filter(|text| !text.trim().is_empty()).map(Rc::from);
            dispatch.dispatch(Action::Maps(maps));
        })
    };
    let state = match &maps {
        Some(maps) => format!(
            "{} mappings given",
            maps.lines().filter(|l| l.contains('-')).count()
        ),
        None => "a bare process".to_owned(),
    };
    html! {
        <details class="start">
            <summary>{ "Starting memory: " }<span>{ state }</span></summary>
            <p class="note" id="start-note">
                { "Paste the process's first /proc/PID/maps or smaps. With it the simulator places \
                   every mapping itself and compares it with the recorded address." }
            </p>
            <textarea class="field" rows="6" spellcheck="false" wrap="off" dir="ltr"
                aria-label="Starting memory" aria-describedby="start-note"
                value={maps.as_deref().map(str::to_owned).unwrap_or_default()} oninput={on_input} />
        </details>
    }
}
