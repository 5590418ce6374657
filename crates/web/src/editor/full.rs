//! The full editor (`www/src/editor.ts`), loaded after the first view is there.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, Object, Promise, Reflect};
use sealab_protocol::{CursorRequest, Mark, Overview, TextRequest, kind};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{future_to_promise, spawn_local};
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::door::Door;
use crate::store::{Action, Follow, Store, use_store};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = sealab, js_name = loadEditor, catch)]
    async fn load_editor() -> Result<JsValue, JsValue>;

    type EditorModule;
    #[wasm_bindgen(method, js_name = createEditor, catch)]
    fn create_editor(
        this: &EditorModule,
        parent: &HtmlElement,
        options: &Object,
    ) -> Result<Editor, JsValue>;

    #[derive(Clone)]
    type Editor;
    #[wasm_bindgen(method, js_name = getDoc)]
    fn get_doc(this: &Editor) -> String;
    #[wasm_bindgen(method)]
    fn version(this: &Editor) -> f64;
    #[wasm_bindgen(method, js_name = setDoc)]
    fn set_doc(this: &Editor, text: &str);
    #[wasm_bindgen(method, js_name = setTokens)]
    fn set_tokens(this: &Editor, tokens: &JsValue, version: f64);
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    fn set_diagnostics(this: &Editor, diagnostics: &Array, version: f64);
    #[wasm_bindgen(method, js_name = setBadges)]
    fn set_badges(this: &Editor, badges: &Array, version: f64);
    #[wasm_bindgen(method, js_name = setActiveLine)]
    fn set_active_line(this: &Editor, line: JsValue, reveal: bool);
    #[wasm_bindgen(method, js_name = goToLine)]
    fn go_to_line(this: &Editor, line: f64);
    #[wasm_bindgen(method)]
    fn focus(this: &Editor);
    #[wasm_bindgen(method)]
    fn destroy(this: &Editor);
}

/// How many texts are remembered with their versions: an answer older than that is dropped.
const VERSIONS_MAX: usize = 16;

/// An editor on the page, with what JavaScript calls back.
struct Mounted {
    editor: Editor,
    /// Texts that were asked about, and which version of the editor's text each was.
    versions: RefCell<VecDeque<(Rc<str>, f64)>>,
    _callbacks: Callbacks,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.editor.destroy();
    }
}

/// Handle of the mounted editor; equal to itself.
#[derive(Clone)]
struct Handle(Rc<Mounted>);

impl PartialEq for Handle {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Properties of [`FullEditor`].
#[derive(Properties, PartialEq)]
pub struct FullEditorProps {
    /// Called once it is there, so that the plain field can go.
    pub on_ready: Callback<()>,
}

/// The editor, and nothing until it is loaded.
#[component]
pub fn FullEditor(props: &FullEditorProps) -> Html {
    let store = use_store();
    let door = use_context::<Door>();
    let host = use_node_ref();
    let mounted = use_state(|| None::<Handle>);
    let latest = use_mut_ref(|| store.clone());
    latest.replace(store.clone());

    use_effect_with((), {
        let (host, mounted, latest) = (host.clone(), mounted.setter(), latest.clone());
        let on_ready = props.on_ready.clone();
        move |()| {
            spawn_local(async move {
                // Where it cannot be loaded the plain field stays: nothing is lost.
                let Ok(module) = load_editor().await else {
                    return;
                };
                let (Some(host), Some(door)) = (host.cast::<HtmlElement>(), door) else {
                    return;
                };
                let focused = in_plain_field();
                let made = mount(&module.unchecked_into(), &host, &latest, door);
                if let Some(handle) = made {
                    if let Some(line) = focused {
                        handle.0.editor.go_to_line(line);
                        handle.0.editor.focus();
                    }
                    mounted.set(Some(handle));
                    on_ready.emit(());
                }
            });
        }
    });
    let mounted = (*mounted).clone();
    use_text(&store, mounted.clone());
    use_tokens(&store, mounted.clone());
    use_marks(&store, mounted.clone());
    let before = use_mut_ref(|| store.focus_editor);
    use_effect_with(
        (mounted.clone(), store.focus_editor),
        move |(mounted, asked)| {
            if before.replace(*asked) != *asked
                && let Some(Handle(mounted)) = mounted
            {
                mounted.editor.focus();
            }
        },
    );
    let reveal = !matches!(store.follow, Follow::Line { .. });
    use_effect_with((mounted, store.step_line()), move |(mounted, line)| {
        if let Some(Handle(mounted)) = mounted {
            let line = line.map_or(JsValue::NULL, JsValue::from);
            mounted.editor.set_active_line(line, reveal);
        }
    });
    html! { <div class="full-editor" ref={host}></div> }
}

/// The line that the cursor is on while a person writes in the plain field.
fn in_plain_field() -> Option<f64> {
    let active = web_sys::window()?.document()?.active_element()?;
    let field = active.dyn_into::<web_sys::HtmlTextAreaElement>().ok()?;
    let at = field.selection_start().ok().flatten()? as usize;
    let breaks = field
        .value()
        .encode_utf16()
        .take(at)
        .filter(|&u| u == 10)
        .count();
    #[allow(clippy::cast_precision_loss)]
    Some(breaks as f64 + 1.0)
}

/// Puts a replaced document's text into the editor.
#[hook]
fn use_text(store: &Store, mounted: Option<Handle>) {
    let text = store.document.text.clone();
    use_effect_with((mounted, store.replaced), move |(mounted, _)| {
        if let Some(Handle(mounted)) = mounted
            && mounted.editor.get_doc() != *text
        {
            mounted.editor.set_doc(&text);
        }
    });
}

/// Colours the text.
#[hook]
fn use_tokens(store: &Store, mounted: Option<Handle>) {
    let door = use_context::<Door>();
    use_effect_with(
        (mounted, store.document.text.clone()),
        move |(mounted, text)| {
            let (Some(Handle(mounted)), Some(door)) = (mounted.clone(), door) else {
                return;
            };
            let version = mounted.editor.version();
            {
                let mut versions = mounted.versions.borrow_mut();
                versions.push_back((text.clone(), version));
                if versions.len() > VERSIONS_MAX {
                    versions.pop_front();
                }
            }
            let request = TextRequest {
                text: text.to_string(),
            };
            spawn_local(async move {
                let question = door.send(kind::TOKENS, &request, None);
                // Without an answer the text stays as it is coloured.
                if let Ok(tokens) = question.answer().await {
                    mounted.editor.set_tokens(&tokens, version);
                }
            });
        },
    );
}

/// Shows faults under the text and how each line went beside it.
#[hook]
fn use_marks(store: &Store, mounted: Option<Handle>) {
    let of = store.run.of.clone();
    use_effect_with(
        (mounted, store.run.overview.clone()),
        move |(mounted, overview)| {
            let (Some(Handle(mounted)), Some(overview), Some(of)) = (mounted, overview, of) else {
                return;
            };
            let version = {
                let versions = mounted.versions.borrow();
                let asked = versions.iter().rev().find(|(text, _)| *text == of.text);
                asked.map(|&(_, version)| version)
            };
            if let Some(version) = version {
                mounted
                    .editor
                    .set_diagnostics(&diagnostics(overview), version);
                mounted.editor.set_badges(&badges(overview), version);
            }
        },
    );
}

fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        // Setting a field of a new plain object cannot fail.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object
}

fn diagnostics(overview: &Overview) -> Array {
    let pairs = overview.diagnostics.iter().zip(&overview.places);
    // What is about the starting maps has no place in the text.
    let pairs = pairs.filter(|(_, place)| place.from < place.to);
    pairs
        .map(|(diagnostic, place)| {
            let severity = match diagnostic.severity.as_str() {
                "note" => "info",
                other => other,
            };
            let mut fields = vec![
                ("from", place.from.into()),
                ("to", place.to.into()),
                ("severity", severity.into()),
                ("message", diagnostic.message.as_str().into()),
            ];
            if let Some(hint) = &diagnostic.hint {
                fields.push(("hint", hint.as_str().into()));
            }
            object(&fields)
        })
        .collect()
}

fn badges(overview: &Overview) -> Array {
    let mark = |(&mark, title): (&Mark, &String)| {
        let (shape, color) = match mark {
            Mark::None => ("dot", "--edge"),
            Mark::Ok => ("square", "--badge-ok"),
            Mark::Error => ("cross", "--error"),
            Mark::Partial => ("half", "--badge-partial"),
            Mark::Mismatch => ("diamond", "--warn"),
        };
        object(&[
            ("shape", shape.into()),
            ("color", color.into()),
            ("title", title.as_str().into()),
        ])
    };
    let badge = |badge: &sealab_protocol::Badge| {
        let marks: Array = badge.marks.iter().zip(&badge.titles).map(mark).collect();
        object(&[("line", badge.line.into()), ("marks", marks.into())])
    };
    overview.badges.iter().map(badge).collect()
}

/// What JavaScript calls back; dropped with the editor.
struct Callbacks {
    on_change: Closure<dyn FnMut()>,
    on_cursor_line: Closure<dyn FnMut(u32)>,
    on_badge: Closure<dyn FnMut(u32)>,
    complete: Closure<dyn FnMut(u32) -> Promise>,
    hover: Closure<dyn FnMut(u32) -> Promise>,
}

fn mount(
    module: &EditorModule,
    host: &HtmlElement,
    latest: &Rc<RefCell<Store>>,
    door: Door,
) -> Option<Handle> {
    // The editor is made after its callbacks, which look it up here.
    let slot: Rc<RefCell<Option<Editor>>> = Rc::default();
    let dispatch = latest.borrow().dispatcher();
    let help = |kind: &'static str| {
        let (slot, door) = (slot.clone(), door.clone());
        Closure::<dyn FnMut(u32) -> Promise>::new(move |at: u32| {
            let text = slot
                .borrow()
                .as_ref()
                .map(Editor::get_doc)
                .unwrap_or_default();
            let request = CursorRequest {
                text,
                offset: at as usize,
            };
            let question = door.send(kind, &request, None);
            // No help is no fault.
            future_to_promise(async move { Ok(question.answer().await.unwrap_or(JsValue::NULL)) })
        })
    };
    let callbacks = Callbacks {
        on_change: {
            let (slot, dispatch) = (slot.clone(), dispatch.clone());
            Closure::new(move || {
                if let Some(editor) = slot.borrow().as_ref() {
                    dispatch.dispatch(Action::Typed(Rc::from(editor.get_doc())));
                }
            })
        },
        on_cursor_line: {
            let dispatch = dispatch.clone();
            Closure::new(move |line| dispatch.dispatch(Action::Line(line)))
        },
        on_badge: Closure::new(move |line| dispatch.dispatch(Action::Line(line))),
        complete: help(kind::COMPLETE),
        hover: help(kind::HOVER),
    };
    let text = latest.borrow().document.text.clone();
    let options = object(&[
        ("doc", JsValue::from(&*text)),
        ("label", "Scenario: system calls, one a line".into()),
        (
            "placeholder",
            "Write or paste system calls: what strace prints is a scenario".into(),
        ),
        ("onChange", callbacks.on_change.as_ref().clone()),
        ("onCursorLine", callbacks.on_cursor_line.as_ref().clone()),
        ("onBadge", callbacks.on_badge.as_ref().clone()),
        ("complete", callbacks.complete.as_ref().clone()),
        ("hover", callbacks.hover.as_ref().clone()),
    ]);
    let editor = module.create_editor(host, &options).ok()?;
    slot.replace(Some(editor.clone()));
    Some(Handle(Rc::new(Mounted {
        editor,
        versions: RefCell::default(),
        _callbacks: callbacks,
    })))
}
