//! Files (`www/src/files.ts`): what is kept from the page, and what is dropped on it.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::store::{Action, Document, State, Store};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = sealab, js_name = loadFiles, catch)]
    async fn load_files() -> Result<JsValue, JsValue>;

    type FilesModule;
    #[wasm_bindgen(method, js_name = saveText, catch)]
    fn save_text(this: &FilesModule, name: &str, kind: &str, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = savePng, catch)]
    async fn save_png(this: &FilesModule, name: &str, svg: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn pick(this: &FilesModule, heard: &js_sys::Function) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = takeDropped, catch)]
    fn take_dropped(this: &FilesModule, heard: &js_sys::Function) -> Result<(), JsValue>;
}

/// Offers `text` as a file; whether that was possible.
pub async fn save(name: &str, kind: &str, text: &str) -> bool {
    let Ok(module) = load_files().await else {
        return false;
    };
    let module = module.unchecked_into::<FilesModule>();
    module.save_text(name, kind, text).is_ok()
}

/// Offers a picture as a PNG file; whether that was possible.
pub async fn save_as_png(name: &str, svg: &str) -> bool {
    let Ok(module) = load_files().await else {
        return false;
    };
    let module = module.unchecked_into::<FilesModule>();
    module.save_png(name, svg).await.is_ok()
}

/// What hears of opened files.
type Heard = Closure<dyn FnMut(String, String, String)>;

/// Takes files that are dropped on the page, and returns what asks for one.
#[hook]
pub fn use_files(store: &Store) -> Callback<()> {
    let latest = use_mut_ref(|| store.clone());
    latest.replace(store.clone());
    let heard = use_memo((), |()| {
        let latest = latest.clone();
        Heard::new(move |kind: String, name: String, text: String| {
            take(&latest, &kind, &name, text)
        })
    });
    use_effect_with((), {
        let heard = heard.clone();
        move |()| {
            spawn_local(async move {
                if let Ok(module) = load_files().await {
                    let module = module.unchecked_into::<FilesModule>();
                    let _ = module.take_dropped(heard.as_ref().as_ref().unchecked_ref());
                }
            });
        }
    });
    Callback::from(move |()| {
        let heard = heard.clone();
        spawn_local(async move {
            if let Ok(module) = load_files().await {
                let module = module.unchecked_into::<FilesModule>();
                let _ = module.pick(heard.as_ref().as_ref().unchecked_ref());
            }
        });
    })
}

fn take(store: &Rc<RefCell<UseReducerHandle<State>>>, kind: &str, name: &str, text: String) {
    let store = store.borrow();
    match kind {
        "scenario" => {
            let document = Document {
                text: crate::store::unix_lines(&text),
                variants: store.document.variants.clone(),
                ..Document::default()
            };
            store.dispatch(Action::Load(document));
        }
        "maps" => {
            store.dispatch(Action::Maps(Some(Rc::from(text))));
            store.dispatch(Action::Say(format!("{name} is the starting memory now.")));
        }
        _ => store.dispatch(Action::Complain(text)),
    }
}
