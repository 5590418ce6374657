//! The list of keys, and what the page is.

use yew::prelude::*;

use crate::hooks::KEYS;
use crate::store::{Action, use_store};
use crate::ui::Modal;

/// The dialog.
#[component]
pub fn HelpDialog() -> Html {
    let store = use_store();
    let close = {
        let dispatch = store.dispatcher();
        Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)))
    };
    html! {
        <Modal title="Keys and help" on_close={close}>
            <p>
                { "Write or paste system calls on the left: what strace prints is a scenario as it \
                   stands. Each variant on the right is a kernel simulated in your browser. Nothing \
                   is sent anywhere. Times are estimates from counted work, not measurements." }
            </p>
            <dl class="keys">
                for (keys, what) in KEYS {
                    <dt>for key in *keys { { " " }<kbd>{ *key }</kbd> }</dt>
                    <dd>{ *what }</dd>
                }
            </dl>
            <p class="note">
                { "On the marks beside a line: a square succeeded, a cross failed, a half square \
                   failed after it had changed part of the range, a diamond did not end as recorded." }
            </p>
        </Modal>
    }
}
