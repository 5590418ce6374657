//! The scenario's text: a plain text field from the first moment, then a full editor over it.

mod faults;
mod full;
mod plain;
mod start;

use yew::prelude::*;

use crate::hooks::EDITOR_ID;
use crate::store::use_store;

use faults::Faults;
use full::FullEditor;
use plain::PlainEditor;
use start::StartingMaps;

/// Properties of [`EditorPane`].
#[derive(Properties, PartialEq)]
pub struct EditorPaneProps {
    /// Whether a link is being opened, so that there is no text yet.
    pub opening: bool,
}

/// The left-hand side.
#[component]
pub fn EditorPane(props: &EditorPaneProps) -> Html {
    let store = use_store();
    let full = use_state_eq(|| false);
    let on_ready = {
        let full = full.setter();
        Callback::from(move |()| full.set(true))
    };
    html! {
        <section class="left" aria-label="Scenario">
            <div class="editor" id={EDITOR_ID}>
                if props.opening {
                    <p class="empty">{ "Opening the link…" }</p>
                } else {
                    if !*full { <PlainEditor text={store.document.text.to_string()} replaced={store.replaced} /> }
                    <FullEditor {on_ready} />
                }
            </div>
            <Faults />
            <StartingMaps />
        </section>
    }
}
