//! Links and copies.

use sealab_protocol::{LinkState, RunId, kind};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlTextAreaElement, window};
use yew::prelude::*;

use crate::hooks::use_answer;
use crate::store::{Action, Store, use_store};
use crate::ui::{Icon, Modal, Shape, count};

/// Chat tools cut longer links.
const CHAT_MAX: usize = 2_000;

/// The dialog.
#[component]
pub fn ShareDialog() -> Html {
    let store = use_store();
    let close = {
        let dispatch = store.dispatcher();
        Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)))
    };
    let fragment = use_answer::<LinkState, String>(kind::ENCODE_LINK, Some(store.link()));
    let fresh = store.run.overview.clone().filter(|_| !store.stale());
    let table = use_answer::<RunId, String>(kind::MARKDOWN, fresh.map(|o| RunId { run: o.run }));
    let link = fragment
        .as_ref()
        .map(|fragment| format!("{}{}", page(), **fragment));
    let title = store.title();
    html! {
        <Modal title="Share" on_close={close}>
            { match link {
                Some(link) => html! {
                    <>
                        <Copyable title="Link" note={length_note(&link)} text={link.clone()} rows=2 first=true />
                        <Copyable title="Markdown link" note="For a mail, an issue or a chat."
                            text={format!("[{}]({link})", escape_title(&title))} rows=2 first=false />
                        if let Some(table) = table {
                            <Copyable title="Markdown with the scenario and its result"
                                note="Readable without opening the link."
                                text={with_result(&store, &table, &link)} rows=6 first=false />
                        }
                    </>
                },
                None => html! { <p>{ "Making the link…" }</p> },
            } }
            <p class="note">
                { "The link holds everything: text, variants, view and step. Nothing is stored on a server." }
            </p>
        </Modal>
    }
}

/// The page's own address without a fragment.
fn page() -> String {
    let href = window()
        .and_then(|w| w.location().href().ok())
        .unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

fn length_note(link: &str) -> String {
    let length = link.chars().count();
    if length > CHAT_MAX {
        format!(
            "{} characters: longer than the {} that chat tools pass on whole. Send the text as a file instead.",
            count(length as u64),
            count(CHAT_MAX as u64)
        )
    } else {
        format!(
            "{} characters. Opens exactly what you see.",
            count(length as u64)
        )
    }
}

/// A title that cannot end the link's text.
fn escape_title(title: &str) -> String {
    title
        .chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| {
            let special = matches!(c, '[' | ']' | '\\' | '`' | '*' | '_' | '<' | '>');
            special.then_some('\\').into_iter().chain([c])
        })
        .collect()
}

/// The scenario in a fence that its own text cannot close, the result below it.
fn with_result(store: &Store, table: &str, link: &str) -> String {
    let text = &store.document.text;
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!(
        "{fence}c\n{}\n{fence}\n\n{table}\n\n[Open in sealab]({link})\n",
        text.trim_end()
    )
}

#[derive(Properties, PartialEq)]
struct CopyableProps {
    title: AttrValue,
    note: AttrValue,
    text: AttrValue,
    rows: u32,
    /// Whether the focus goes to it when the dialog opens.
    first: bool,
}

/// Puts `text` on the clipboard; whether the browser allowed it.
async fn copy(text: &str) -> bool {
    match window() {
        // Without a secure context there is no clipboard at all.
        Some(window) if window.is_secure_context() => {
            let clipboard = window.navigator().clipboard();
            JsFuture::from(clipboard.write_text(text)).await.is_ok()
        }
        _ => false,
    }
}

/// A text with a button that copies it.
#[component]
fn Copyable(props: &CopyableProps) -> Html {
    let field = use_node_ref();
    let button = use_node_ref();
    let copied = use_state_eq(|| None::<bool>);
    use_effect_with(props.text.clone(), {
        let copied = copied.setter();
        move |_| copied.set(None)
    });
    use_effect_with((), {
        let (button, first) = (button.clone(), props.first);
        move |()| {
            if let Some(button) = button.cast::<web_sys::HtmlElement>().filter(|_| first) {
                let _ = button.focus();
            }
        }
    });
    let copy = {
        let (text, field, copied) = (props.text.clone(), field.clone(), copied.setter());
        Callback::from(move |_: MouseEvent| {
            let (text, field, copied) = (text.clone(), field.clone(), copied.clone());
            spawn_local(async move {
                let done = copy(&text).await;
                if !done && let Some(field) = field.cast::<HtmlTextAreaElement>() {
                    field.select();
                }
                copied.set(Some(done));
            });
        })
    };
    let note = match *copied {
        Some(false) => {
            "The browser did not allow copying. The text is selected: press Ctrl C.".into()
        }
        _ => props.note.clone(),
    };
    let word = if *copied == Some(true) {
        "Copied"
    } else {
        "Copy"
    };
    html! {
        <div class="share-row">
            <div><h3>{ &props.title }</h3><p aria-live="polite">{ note }</p></div>
            <button class="btn" type="button" ref={button} onclick={copy} aria-label={format!("{word}: {}", props.title)}>
                <Icon shape={Shape::Copy} />{ word }
            </button>
            <textarea class="field" ref={field} readonly=true rows={props.rows.to_string()}
                value={props.text.clone()} aria-label={props.title.clone()} spellcheck="false" />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_leave_the_link() {
        assert_eq!(escape_title("a](javascript:x)"), "a\\](javascript:x)");
        assert_eq!(escape_title("heap\u{0}"), "heap");
    }

    #[test]
    fn a_long_link_says_so() {
        assert!(length_note(&"x".repeat(2_001)).contains("longer"));
        assert!(!length_note(&"x".repeat(2_000)).contains("longer"));
    }
}
