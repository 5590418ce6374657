//! A plain text field: there at once, and all there is where the full editor cannot be loaded.

use std::rc::Rc;

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::store::{Action, use_store};

/// Properties of [`PlainEditor`].
#[derive(Properties, PartialEq)]
pub struct PlainEditorProps {
    /// The text it opens with.
    pub text: String,
    /// Grows when `text` was replaced from outside.
    pub replaced: u64,
}

/// The text field.
#[component]
pub fn PlainEditor(props: &PlainEditorProps) -> Html {
    let store = use_store();
    let node = use_node_ref();
    let line = use_mut_ref(|| 0_u32);
    // The field keeps its own text while a person types: written into it is only what comes from
    // outside, so that the cursor stays where it is.
    use_effect_with(props.replaced, {
        let (node, text) = (node.clone(), props.text.clone());
        move |_| {
            if let Some(field) = node.cast::<HtmlTextAreaElement>()
                && field.value() != text
            {
                field.set_value(&text);
            }
        }
    });
    use_effect_with(store.focus_editor, {
        let node = node.clone();
        move |&asked| {
            if let Some(field) = node.cast::<HtmlTextAreaElement>().filter(|_| asked > 0) {
                let _ = field.focus();
            }
        }
    });
    let on_input = {
        let dispatch = store.dispatcher();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlTextAreaElement>() {
                dispatch.dispatch(Action::Typed(Rc::from(field.value())));
            }
        })
    };
    let moved = {
        let (dispatch, node) = (store.dispatcher(), node.clone());
        Callback::from(move |()| {
            let Some(field) = node.cast::<HtmlTextAreaElement>() else {
                return;
            };
            let at = field.selection_start().ok().flatten().unwrap_or(0);
            let here = line_at(&field.value(), at);
            if line.replace(here) != here {
                dispatch.dispatch(Action::Line(here));
            }
        })
    };
    let on_key_up = moved.reform(|_: KeyboardEvent| ());
    let on_click = moved.reform(|_: MouseEvent| ());
    html! {
        <textarea ref={node} class="plain-editor" oninput={on_input} onkeyup={on_key_up} onclick={on_click}
            aria-label="Scenario: system calls, one a line" spellcheck="false" autocapitalize="off"
            autocomplete="off" dir="ltr" wrap="off" />
    }
}

/// The line, from 1, of a place in UTF-16 units.
fn line_at(text: &str, at: u32) -> u32 {
    let before = text.encode_utf16().take(at as usize);
    let breaks = before.filter(|&unit| unit == u16::from(b'\n')).count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_behind_characters_of_any_size() {
        let text = "é𝕏\nb\n";
        assert_eq!(
            [0, 3, 4, 5, 6, 99].map(|at| line_at(text, at)),
            [1, 1, 2, 2, 3, 3]
        );
    }
}
