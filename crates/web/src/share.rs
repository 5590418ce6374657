//! Links and copies.

use sealab_picture::embed::Embed;
use sealab_protocol::{Drawn, LinkState, PictureRequest, RunId, kind};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlTextAreaElement, window};
use yew::prelude::*;

use crate::door::Door;
use crate::files;
use crate::hooks::use_answer;
use crate::store::{Action, Store, Theme, View, use_store};
use crate::ui::{Icon, Modal, Shape, count};

/// Chat tools cut longer links.
const CHAT_MAX: usize = 2_000;

/// Properties of [`ShareDialog`].
#[derive(Properties, PartialEq)]
pub struct ShareDialogProps {
    /// Asks for a file to open.
    pub on_open: Callback<()>,
}

/// The dialog.
#[component]
pub fn ShareDialog(props: &ShareDialogProps) -> Html {
    let store = use_store();
    let close = {
        let dispatch = store.dispatcher();
        Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)))
    };
    let fragment = use_answer::<LinkState, String>(kind::ENCODE_LINK, Some(store.link()));
    let fresh = store.run.overview.clone().filter(|_| !store.stale());
    let table = use_answer::<RunId, String>(kind::MARKDOWN, fresh.map(|o| RunId { run: o.run }));
    let title = store.title();
    let open = {
        let (on_open, dispatch) = (props.on_open.clone(), store.dispatcher());
        Callback::from(move |_: MouseEvent| {
            dispatch.dispatch(Action::Dialog(None));
            on_open.emit(());
        })
    };
    let links = fragment.as_ref().map(|fragment| {
        let page = page();
        let base = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        let link = format!("{page}{}", **fragment);
        let embed = Embed {
            base,
            fragment,
            text: &store.document.text,
            title: &title,
            view: if store.view == View::Calls { "calls" } else { "space" },
            ..Embed::default()
        };
        let element = format!("{}\n{}", embed.script(), embed.element());
        html! {
            <>
                <Copyable title="Link" note={length_note(&link)} text={link.clone()} rows=2 first=true />
                <Copyable title="Markdown link" note="For a mail, an issue or a chat."
                    text={format!("[{}]({link})", escape_title(&title))} rows=2 first=false />
                if let Some(table) = table {
                    <Copyable title="Markdown with the scenario and its result"
                        note="Readable without opening the link."
                        text={with_result(&store, &table, &link)} rows=6 first=false />
                }
                <Copyable title="HTML embed"
                    note="For a page of yours: readable as it is, alive where scripts run."
                    text={element} rows=4 first=false />
                <Copyable title="Frame" note="Where scripts of others are not wanted."
                    text={embed.frame()} rows=3 first=false />
                <Exports link={link} />
            </>
        }
    });
    html! {
        <Modal title="Share" on_close={close}>
            { links.unwrap_or_else(|| html! { <p>{ "Making the link…" }</p> }) }
            <p class="note">
                { "The link holds everything: text, variants, view and step. Nothing is stored on a server. " }
                <button class="btn small" type="button" onclick={open}>{ "Open a file" }</button>
                { " or drop one on the page: a scenario, a trace, or a process's maps." }
            </p>
        </Modal>
    }
}

#[derive(Properties, PartialEq)]
struct ExportsProps {
    link: AttrValue,
}

/// A file that can be kept.
#[derive(Clone, Copy, PartialEq)]
enum Export {
    Scenario,
    Svg,
    Png,
    Csv,
    Markdown,
    Json,
}

impl Export {
    const ALL: [(Self, &str); 6] = [
        (Self::Scenario, "Scenario"),
        (Self::Svg, "Picture, SVG"),
        (Self::Png, "Picture, PNG"),
        (Self::Csv, "Table, CSV"),
        (Self::Markdown, "Table, Markdown"),
        (Self::Json, "Report, JSON"),
    ];
}

/// Everything that can be kept as a file.
#[component]
fn Exports(props: &ExportsProps) -> Html {
    let store = use_store();
    let door = use_context::<Door>();
    let button = |(export, word): (Export, &'static str)| {
        let (store, door, link) = (store.clone(), door.clone(), props.link.clone());
        let on_click = Callback::from(move |_: MouseEvent| {
            let (store, door, link) = (store.clone(), door.clone(), link.clone());
            spawn_local(async move {
                if !keep(export, &store, door.as_ref(), &link).await {
                    let words = "The file could not be made: run the scenario again and retry.";
                    store.dispatch(Action::Complain(words.to_owned()));
                }
            });
        });
        html! { <button class="btn small" type="button" onclick={on_click}>{ word }</button> }
    };
    html! {
        <div class="share-files" role="group" aria-label="Save as a file">
            <h3>{ "Save as a file" }</h3>
            { for Export::ALL.into_iter().map(button) }
        </div>
    }
}

/// Makes one file; whether that was possible.
async fn keep(export: Export, store: &Store, door: Option<&Door>, link: &str) -> bool {
    let name = file_name(&store.title());
    if export == Export::Scenario {
        let text = &store.document.text;
        return files::save(&format!("{name}.seal"), "text/plain", text).await;
    }
    let (Some(door), Some(overview)) = (door, &store.run.overview) else {
        return false;
    };
    let id = RunId { run: overview.run };
    match export {
        Export::Svg | Export::Png => {
            let request = PictureRequest {
                run: id.run,
                step: Some(store.step()),
                view: if store.view == View::Calls {
                    "calls"
                } else {
                    "space"
                }
                .to_owned(),
                theme: shown_theme(store).to_owned(),
                link: link.to_owned(),
                ..PictureRequest::default()
            };
            let Ok(drawn) = door.ask::<Drawn>(kind::PICTURE, &request).await else {
                return false;
            };
            if export == Export::Png {
                return files::save_as_png(&format!("{name}.png"), &drawn.svg).await;
            }
            files::save(&format!("{name}.svg"), "image/svg+xml", &drawn.svg).await
        }
        Export::Csv => match door.ask::<String>(kind::CSV, &id).await {
            Ok(text) => files::save(&format!("{name}.csv"), "text/csv", &text).await,
            Err(_) => false,
        },
        Export::Markdown => match door.ask::<String>(kind::MARKDOWN, &id).await {
            Ok(table) => {
                let text = with_result(store, &table, link);
                files::save(&format!("{name}.md"), "text/markdown", &text).await
            }
            Err(_) => false,
        },
        Export::Json | Export::Scenario => {
            match door.ask::<serde_json::Value>(kind::REPORT, &id).await {
                Ok(mut report) => {
                    if let Some(fields) = report.as_object_mut() {
                        fields.insert("link".to_owned(), link.into());
                    }
                    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
                    files::save(&format!("{name}.json"), "application/json", &text).await
                }
                Err(_) => false,
            }
        }
    }
}

/// `light` or `dark`, as the page is shown.
fn shown_theme(store: &Store) -> &'static str {
    let dark = || {
        let query = "(prefers-color-scheme: dark)";
        let list = window().and_then(|window| window.match_media(query).ok().flatten());
        list.is_some_and(|list| list.matches())
    };
    match store.theme {
        Theme::Dark => "dark",
        Theme::Auto if dark() => "dark",
        Theme::Auto | Theme::Light => "light",
    }
}

/// A title as a file's name, without what some system does not allow.
fn file_name(title: &str) -> String {
    let plain = title.chars().map(|c| match c {
        c if c.is_alphanumeric() => c.to_ascii_lowercase(),
        _ => '-',
    });
    let plain: String = plain.collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(60).collect();
    match name.is_empty() {
        true => "scenario".to_owned(),
        false => name,
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
            "{} characters: longer than the {} that chat tools pass on whole. Save the scenario as a file and send that instead.",
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
    fn a_title_is_a_name_on_every_system() {
        assert_eq!(file_name("mprotect, 4 VMAs: a/b"), "mprotect-4-vmas-a-b");
        assert_eq!(file_name("../../"), "scenario");
    }

    #[test]
    fn a_long_link_says_so() {
        assert!(length_note(&"x".repeat(2_001)).contains("longer"));
        assert!(!length_note(&"x".repeat(2_000)).contains("longer"));
    }
}
