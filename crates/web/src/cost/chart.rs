//! A chart (`www/src/charts.ts`), loaded when the first one is shown.

use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::specs::Spec;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = sealab, js_name = loadCharts, catch)]
    async fn load_charts() -> Result<JsValue, JsValue>;

    type ChartModule;
    #[wasm_bindgen(method, js_name = createChart, catch)]
    fn create_chart(
        this: &ChartModule,
        element: &HtmlElement,
        spec: &JsValue,
    ) -> Result<Drawn, JsValue>;

    type Drawn;
    #[wasm_bindgen(method, catch)]
    fn update(this: &Drawn, spec: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    fn destroy(this: &Drawn);
}

/// Properties of [`Chart`].
#[derive(Properties, PartialEq)]
pub struct ChartProps {
    /// What it shows.
    pub spec: Spec,
}

/// A chart; where the module cannot be loaded, the table below it has the data.
#[component]
pub fn Chart(props: &ChartProps) -> Html {
    let node = use_node_ref();
    let drawn = use_mut_ref(|| None::<Drawn>);
    let missing = use_state_eq(|| false);
    let latest = use_mut_ref(|| JsValue::NULL);
    latest.replace(
        props
            .spec
            .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
            .unwrap_or(JsValue::NULL),
    );
    use_effect_with((), {
        let (node, drawn, latest, missing) = (
            node.clone(),
            drawn.clone(),
            latest.clone(),
            missing.setter(),
        );
        move |()| {
            let kept = drawn.clone();
            spawn_local(async move {
                let module = load_charts().await;
                // The view may have been left meanwhile.
                let Some(element) = node.cast::<HtmlElement>() else {
                    return;
                };
                let made = module.and_then(|m| {
                    m.unchecked_into::<ChartModule>()
                        .create_chart(&element, &latest.borrow())
                });
                match made {
                    Ok(chart) => _ = drawn.replace(Some(chart)),
                    Err(_) => missing.set(true),
                }
            });
            move || {
                if let Some(chart) = kept.borrow_mut().take() {
                    chart.destroy();
                }
            }
        }
    });
    use_effect_with(props.spec.clone(), move |_| {
        if let Some(chart) = &*drawn.borrow() {
            // A chart that cannot be drawn anew keeps its last picture; the table is right.
            let _ = chart.update(&latest.borrow());
        }
    });
    html! {
        <>
            <div class="chart" ref={node}></div>
            if *missing { <p class="note">{ "The chart could not be loaded; its data is in the table." }</p> }
        </>
    }
}
