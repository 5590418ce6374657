//! Benchmarks and statistics: views in a module of their own (`www/src/bench.ts`), loaded when the
//! first is opened, with their own worker, so that the first view carries none of them.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::store::{Action, use_store};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = sealab, js_name = loadBench, catch)]
    async fn load_bench() -> Result<JsValue, JsValue>;

    type BenchModule;
    #[wasm_bindgen(method, catch)]
    fn mount(
        this: &BenchModule,
        root: &HtmlElement,
        view: &str,
        open: &js_sys::Function,
    ) -> Result<js_sys::Function, JsValue>;
}

/// Properties of [`BenchView`].
#[derive(Properties, PartialEq)]
pub struct BenchProps {
    /// `bench` or `stats`.
    pub view: &'static str,
}

/// What is on the page: the function that takes it away, and the one it calls.
struct Shown {
    leave: js_sys::Function,
    _open: Closure<dyn FnMut(String)>,
}

/// The view.
#[component]
pub fn BenchView(props: &BenchProps) -> Html {
    let store = use_store();
    let node = use_node_ref();
    let missing = use_state_eq(|| false);
    let shown = use_mut_ref(|| None::<Shown>);
    use_effect_with(props.view, {
        let (node, missing) = (node.clone(), missing.setter());
        let dispatch = store.dispatcher();
        move |&view| {
            let kept = shown.clone();
            spawn_local(async move {
                let module = load_bench().await;
                // The view may have been left meanwhile.
                let Some(element) = node.cast::<HtmlElement>() else {
                    return;
                };
                let open = Closure::new(move |text: String| {
                    dispatch.dispatch(Action::OpenText(text.into()));
                });
                let mounted = module.and_then(|m| {
                    let open: &JsValue = open.as_ref();
                    m.unchecked_into::<BenchModule>()
                        .mount(&element, view, open.unchecked_ref())
                });
                match mounted {
                    Ok(leave) => _ = shown.replace(Some(Shown { leave, _open: open })),
                    Err(_) => missing.set(true),
                }
            });
            move || {
                if let Some(shown) = kept.borrow_mut().take() {
                    // What taking it away throws is no reason to stay.
                    let _ = shown.leave.call0(&JsValue::NULL);
                }
            }
        }
    });
    html! {
        <>
            <div ref={node}></div>
            if *missing {
                <p class="empty">{ "The view could not be loaded. Check the connection and open it again." }</p>
            }
        </>
    }
}
