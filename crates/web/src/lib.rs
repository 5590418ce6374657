//! The page: views over one store, which asks a worker for everything that is computed.
//!
//! Nothing here knows a rule of any kernel: what is shown comes from the worker, and what a person
//! does becomes an [`store::Action`]. One folder a view.

mod app;
mod calls;
mod cost;
pub mod door;
mod editor;
mod findings;
mod gallery;
mod header;
mod help;
mod hooks;
mod share;
mod space;
mod stepbar;
pub mod store;
pub mod ui;
mod variants;

use wasm_bindgen::prelude::*;

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
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    let Some(root) = root else { return };
    let shell = shell_text();
    let props = app::AppProps {
        shell: shell.into(),
    };
    yew::Renderer::<app::App>::with_root_and_props(root, props).render();
}
