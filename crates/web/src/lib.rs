//! The page: views over one store, which asks a worker for everything that is computed.
//!
//! Nothing here knows a rule of any kernel: what is shown comes from the worker, and what a person
//! does becomes an [`store::Action`]. One folder a view.

mod app;
mod calls;
mod cost;
pub mod door;
mod editor;
mod files;
mod findings;
mod gallery;
mod header;
mod help;
mod hooks;
mod pages;
mod share;
mod space;
mod stepbar;
pub mod store;
pub mod ui;
mod variants;

use wasm_bindgen::prelude::*;
use web_sys::HtmlTextAreaElement;

#[wasm_bindgen]
extern "C" {
    /// The static page's text, as the reader may have changed it meanwhile (`www/src/boot.ts`).
    #[wasm_bindgen(js_namespace = sealab, js_name = shellText)]
    fn shell_text() -> String;

    /// Said once the first view is shown.
    #[wasm_bindgen(js_namespace = sealab, js_name = started)]
    fn said_started();
}

/// Shows the page in the place of the static one.
pub fn start() {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(document) = document else { return };
    let Some(root) = document.get_element_by_id("app") else {
        return;
    };
    let field = document.query_selector("#shell-text").ok().flatten();
    let field = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
    let props = app::AppProps {
        changed: field.is_some_and(|field| {
            field
                .default_value()
                .is_ok_and(|default| default != field.value())
        }),
        shell: shell_text().into(),
    };
    yew::Renderer::<app::App>::with_root_and_props(root, props).render();
}
