//! How much room there is.

use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Width of `node`'s content in CSS pixels, kept up to date; 0 before it is known.
#[hook]
pub fn use_width(node: NodeRef) -> f64 {
    let width = use_state_eq(|| 0.0);
    use_effect_with(node, {
        let width = width.clone();
        move |node| {
            let element = node.cast::<Element>();
            let observed = element.map(|element| {
                width.set(f64::from(element.client_width()));
                let watched = element.clone();
                let callback = Closure::<dyn FnMut()>::new(move || {
                    width.set(f64::from(watched.client_width()));
                });
                let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok();
                if let Some(observer) = &observer {
                    observer.observe(&element);
                }
                (observer, callback)
            });
            move || {
                if let Some((Some(observer), callback)) = observed {
                    observer.disconnect();
                    drop(callback);
                }
            }
        }
    });
    *width
}
