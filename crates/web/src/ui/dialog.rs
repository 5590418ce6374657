//! A dialog over the page.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::{Icon, Shape};

/// Properties of [`Modal`].
#[derive(Properties, PartialEq)]
pub struct ModalProps {
    /// Its heading.
    pub title: AttrValue,
    /// Called when it is closed, however.
    pub on_close: Callback<()>,
    /// What is in it.
    pub children: Html,
}

/// A dialog: the browser keeps the focus in it, closes it on Escape and gives the focus back.
#[component]
pub fn Modal(props: &ModalProps) -> Html {
    let node = use_node_ref();
    use_effect_with((), {
        let node = node.clone();
        move |()| {
            if let Some(dialog) = node.cast::<HtmlDialogElement>() {
                // Fails only where it is open already.
                let _ = dialog.show_modal();
            }
        }
    });
    let on_close = props.on_close.reform(|_: Event| ());
    let on_button = {
        let node = node.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(dialog) = node.cast::<HtmlDialogElement>() {
                dialog.close();
            }
        })
    };
    // A click on the dialog itself and not on anything in it is one on the backdrop.
    let on_backdrop = {
        let node = node.clone();
        Callback::from(move |event: MouseEvent| {
            let dialog = node.cast::<HtmlDialogElement>();
            let target = event.target_dyn_into::<HtmlDialogElement>();
            if let (Some(dialog), Some(_)) = (dialog, target) {
                dialog.close();
            }
        })
    };
    html! {
        <dialog ref={node} onclose={on_close} onclick={on_backdrop} aria-label={props.title.clone()}>
            <div class="dialog-head">
                <h2>{ &props.title }</h2>
                <button class="btn icon plain" type="button" onclick={on_button} aria-label="Close">
                    <Icon shape={Shape::Close} />
                </button>
            </div>
            <div class="dialog-body">{ props.children.clone() }</div>
        </dialog>
    }
}
