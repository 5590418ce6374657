//! Short messages at the foot of the page.

use gloo_timers::callback::Timeout;
use yew::prelude::*;

use super::{Icon, Shape};
use crate::store::{Action, Store, Toast, use_store};

/// How long a message without a button stays, in milliseconds.
const STAY_MS: u32 = 6_000;
/// How long one with a button or of a fault stays.
const STAY_LONG_MS: u32 = 15_000;

/// All messages. The region is there before any message is, so that it is read out.
#[component]
pub fn Toasts() -> Html {
    let store = use_store();
    html! {
        <div class="toasts" role="status" aria-live="polite">
            for toast in &store.toasts {
                <One key={toast.id} toast={toast.clone()} store={store.clone()} />
            }
        </div>
    }
}

#[derive(Properties)]
struct OneProps {
    toast: Toast,
    store: Store,
}

impl PartialEq for OneProps {
    fn eq(&self, other: &Self) -> bool {
        self.toast == other.toast
    }
}

#[component]
fn One(props: &OneProps) -> Html {
    let Toast {
        id,
        text,
        bad,
        undo,
    } = props.toast.clone();
    let dispatch = props.store.dispatcher();
    use_effect_with(id, {
        let dispatch = dispatch.clone();
        move |&id| {
            let stay = if bad || undo { STAY_LONG_MS } else { STAY_MS };
            let timeout = Timeout::new(stay, move || dispatch.dispatch(Action::Dismiss(id)));
            move || drop(timeout)
        }
    });
    let dismiss = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Dismiss(id)))
    };
    let on_undo = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Undo));
    html! {
        <div class={classes!("toast", bad.then_some("bad"))}>
            <p>{ text }</p>
            if undo {
                <button class="btn small" type="button" onclick={on_undo}>{ "Bring it back" }</button>
            }
            <button class="btn small icon plain" type="button" onclick={dismiss} aria-label="Dismiss">
                <Icon shape={Shape::Close} />
            </button>
        </div>
    }
}
