//! Parts of the page, drawn by themselves. Runs in a browser.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use sealab_web::ui::{Plain, VirtualList, Window, emphasised};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, window};
use yew::prelude::*;

wasm_bindgen_test_configure!(run_in_browser);

fn place() -> Element {
    let document = window().and_then(|w| w.document()).expect("a document");
    let place = document.create_element("div").expect("an element");
    document
        .body()
        .expect("a body")
        .append_child(&place)
        .expect("appended");
    place
}

async fn drawn() {
    yew::scheduler::flush().await;
    // Sizes are known only once the browser has laid the page out.
    gloo_timers::future::TimeoutFuture::new(60).await;
    yew::scheduler::flush().await;
}

#[derive(Properties, PartialEq)]
struct TextProps {
    text: AttrValue,
}

#[component]
fn Shown(props: &TextProps) -> Html {
    html! { <p><Plain text={props.text.clone()} /></p> }
}

#[wasm_bindgen_test]
async fn text_is_never_markup_and_odd_characters_are_named() {
    let place = place();
    let text = "<b>a</b>\u{202e}x".into();
    yew::Renderer::<Shown>::with_root_and_props(place.clone(), TextProps { text }).render();
    drawn().await;
    assert_eq!(place.text_content().as_deref(), Some("<b>a</b>U+202Ex"));
    assert!(place.query_selector("b").expect("a selector").is_none());
    assert!(
        place
            .query_selector(".odd-char")
            .expect("a selector")
            .is_some()
    );
}

#[component]
fn Emphasised() -> Html {
    html! { <p>{ emphasised("6.12 answers é EPERM", &[(13, 14), (16, 21), (99, 100)]) }</p> }
}

#[wasm_bindgen_test]
async fn emphasis_that_does_not_fit_the_text_is_left_out() {
    let place = place();
    yew::Renderer::<Emphasised>::with_root(place.clone()).render();
    drawn().await;
    assert_eq!(
        place.text_content().as_deref(),
        Some("6.12 answers é EPERM")
    );
    let bold = place.query_selector_all("b").expect("a selector");
    assert_eq!(bold.length(), 1);
    assert_eq!(
        bold.item(0).and_then(|b| b.text_content()).as_deref(),
        Some("EPERM")
    );
}

#[derive(Properties, PartialEq)]
struct ListProps {
    total: usize,
    reveal: Option<usize>,
}

#[component]
fn List(props: &ListProps) -> Html {
    let window = use_state_eq(|| 0..0_usize);
    let on_window = {
        let window = window.setter();
        Callback::from(move |to: Window| window.set(to.rows))
    };
    html! {
        <div style="height:200px;display:grid">
            <VirtualList total={props.total} row_height={20.0} reveal={props.reveal} {on_window}
                first={window.start} head={html! { <b>{ "head" }</b> }} label="rows" columns=1>
                for row in (*window).clone() { <div class="one" style="height:20px">{ row }</div> }
            </VirtualList>
        </div>
    }
}

#[wasm_bindgen_test]
async fn of_a_million_rows_only_those_in_sight_are_drawn() {
    let place = place();
    let style = place
        .owner_document()
        .expect("a document")
        .create_element("style")
        .expect("one");
    style.set_text_content(Some(".rows{overflow:auto;height:200px}"));
    place.append_child(&style).expect("appended");
    let root = place
        .owner_document()
        .expect("a document")
        .create_element("div")
        .expect("one");
    place.append_child(&root).expect("appended");
    let props = ListProps {
        total: 1_000_000,
        reveal: Some(500_000),
    };
    yew::Renderer::<List>::with_root_and_props(root.clone(), props).render();
    drawn().await;
    let rows = root.query_selector_all(".one").expect("a selector");
    assert!((10..60).contains(&rows.length()), "{} rows", rows.length());
    let texts: Vec<_> = (0..rows.length())
        .filter_map(|i| rows.item(i)?.text_content())
        .collect();
    assert!(texts.iter().any(|text| text == "500000"), "{texts:?}");
}
