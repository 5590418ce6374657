//! The head of the page: what it is, which example, and what can be done with it.

use yew::prelude::*;

use crate::gallery::Gallery;
use crate::store::{Action, Dialog, Theme, use_store};
use crate::ui::{Icon, Shape};

/// The head.
#[component]
pub fn Header() -> Html {
    let store = use_store();
    let open = |dialog| {
        let dispatch = store.dispatcher();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Dialog(Some(dialog))))
    };
    let next_theme = {
        let (dispatch, next) = (store.dispatcher(), store.theme.next());
        Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Theme(next)))
    };
    let (shape, theme) = match store.theme {
        Theme::Auto => (Shape::ThemeAuto, "Theme: as the system"),
        Theme::Light => (Shape::ThemeLight, "Theme: light"),
        Theme::Dark => (Shape::ThemeDark, "Theme: dark"),
    };
    html! {
        <header class="top">
            <a class="brand" href="./" aria-label="sealab, start page"><Logo /><b>{ "sealab" }</b></a>
            <Gallery />
            <span class="grow"></span>
            <button class="btn primary" type="button" title="Share (Ctrl S)" onclick={open(Dialog::Share)}>
                <Icon shape={Shape::Share} /><span class="word">{ "Share" }</span>
            </button>
            <button class="btn icon" type="button" aria-label={theme} title={format!("{theme} (t)")} onclick={next_theme}>
                <Icon {shape} />
            </button>
            <button class="btn icon" type="button" aria-label="Keys and help" title="Keys and help (?)" onclick={open(Dialog::Help)}>
                <Icon shape={Shape::Help} />
            </button>
        </header>
    }
}

#[component]
fn Logo() -> Html {
    html! {
        <svg class="logo" viewBox="0 0 26 26" aria-hidden="true">
            <circle cx="13" cy="13" r="11" />
            <path d="M7 15c3-5 9-5 12-1-2 4-9 5-12 1z" />
            <circle class="eye" cx="16" cy="13" r="1.1" />
        </svg>
    }
}
