//! What the browser keeps between visits. Storage may be off, full or broken: every use is allowed
//! to fail, and the page says so once.

use std::rc::Rc;

use sealab_protocol::Variant;
use serde::{Deserialize, Serialize};
use web_sys::Storage;

use super::{Document, State, Theme, View};

/// The key. Its number changes when the shape does.
const KEY: &str = "sealab/1";
/// Longer texts are not kept: a browser's storage holds 5 MiB for all.
const TEXT_MAX: usize = 1 << 20;

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The scenario.
    pub text: String,
    /// Its variants.
    pub variants: Vec<Variant>,
    /// Its starting maps.
    #[serde(default)]
    pub maps: Option<String>,
    /// Its process.
    #[serde(default)]
    pub pid: Option<i64>,
    /// The view's name.
    #[serde(default)]
    pub view: String,
    /// The theme's name.
    #[serde(default)]
    pub theme: String,
    /// Replaced documents, oldest first.
    #[serde(default)]
    pub before: Vec<(String, Vec<Variant>)>,
}

impl Saved {
    /// What of `state` is kept.
    fn of(state: &State) -> Self {
        let before = state.before.iter().rev().take(5).rev();
        let before = before.filter(|d| d.text.len() <= TEXT_MAX / 8);
        Self {
            text: state.document.text.to_string(),
            variants: state.document.variants.to_vec(),
            maps: state.document.maps.as_deref().map(str::to_owned),
            pid: state.document.pid,
            view: state.view.name().to_owned(),
            theme: state.theme.name().to_owned(),
            before: before
                .map(|d| (d.text.to_string(), d.variants.to_vec()))
                .collect(),
        }
    }

    /// Puts what was kept into a new state.
    pub fn restore(self, state: &mut State) {
        let document = |(text, variants): (String, Vec<Variant>)| Document {
            text: Rc::from(text),
            variants: Rc::from(variants),
            ..Document::default()
        };
        state.view = View::named(&self.view).unwrap_or_default();
        state.theme = Theme::named(&self.theme).unwrap_or_default();
        state.before = self.before.into_iter().map(document).collect();
        state.document = Document {
            maps: self.maps.map(Rc::from),
            pid: self.pid,
            ..document((self.text, self.variants))
        };
    }
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What was kept at the last visit, if anything can be read.
pub fn load_saved() -> Option<Saved> {
    let text = storage()?.get_item(KEY).ok()??;
    serde_json::from_str(&text).ok()
}

/// Keeps `state`.
///
/// # Errors
/// In words for a person: why it is not kept.
pub fn save(state: &State) -> Result<(), String> {
    let Some(storage) = storage() else {
        return Err(
            "This browser keeps nothing for this page, so your text is gone when you \
                    leave. Share gives a link that holds it."
                .to_owned(),
        );
    };
    let maps = state.document.maps.as_deref().map_or(0, str::len);
    if state.document.text.len().saturating_add(maps) > TEXT_MAX {
        return Err(
            "This text is too long to be kept by the browser. Save it as a file before \
                    you leave."
                .to_owned(),
        );
    }
    let json = serde_json::to_string(&Saved::of(state)).map_err(|error| error.to_string())?;
    storage.set_item(KEY, &json).map_err(|_| {
        "The browser's storage is full, so your text is not kept. Share gives a link that holds it."
            .to_owned()
    })
}
