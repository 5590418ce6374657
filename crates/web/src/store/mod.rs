//! The page's one store. What is here decides what is shown; everything else is derived from it
//! or asked of the worker.

mod document;
mod follow;
mod persist;
mod reduce;
mod shared;

use sealab_protocol::{Catalogue, Fault, LinkState, LinkVariant, Overview, Progress};
use yew::prelude::*;

pub use document::{Document, unix_lines};
pub use follow::Follow;
pub use persist::{Saved, load_saved, save};
pub use reduce::{Action, VARIANTS_MAX};
pub use shared::Shared;

/// The store as components hold it.
pub type Store = UseReducerHandle<State>;

/// The store, inside the page.
#[hook]
pub fn use_store() -> Store {
    use_context::<Store>().unwrap_or_else(|| {
        // Every component stands below the provider in `app`.
        unreachable!("a component outside the page")
    })
}

/// Everything that decides what the page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The scenario and what it is run under.
    pub document: Document,
    /// Grows when the document's text was replaced from outside the editor, which must then show
    /// the new one.
    pub replaced: u64,
    /// Counts loads that deserve an entry of their own in the browser's history.
    pub loads: u64,
    /// Documents that a load replaced, latest last: nothing a person typed is lost.
    pub before: Vec<Document>,
    /// Grows when the editor is to take the focus.
    pub focus_editor: u64,
    /// The view in front.
    pub view: View,
    /// What decides the step.
    pub follow: Follow,
    /// Whether the steps advance by themselves.
    pub playing: bool,
    /// Light or dark.
    pub theme: Theme,
    /// What can be chosen from; absent until the worker has said.
    pub catalogue: Option<Shared<Catalogue>>,
    /// The run.
    pub run: RunState,
    /// The dialog that is open.
    pub dialog: Option<Dialog>,
    /// Short messages, oldest first.
    pub toasts: Vec<Toast>,
    /// Numbers toasts.
    pub toast_count: u64,
}

/// The run that is wanted and the one that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunState {
    /// Whether an answer is outstanding.
    pub busy: bool,
    /// The message that asked for it.
    pub id: Option<u64>,
    /// How far it is, once it takes long.
    pub progress: Option<Progress>,
    /// The last good result: shown, dimmed, while the next is computed.
    pub overview: Option<Shared<Overview>>,
    /// The document that `overview` is of.
    pub of: Option<Document>,
    /// Why the latest run has no result.
    pub fault: Option<Fault>,
    /// Grows when a run is asked for although the document is the same.
    pub again: u64,
}

/// A view of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The address spaces on one axis.
    #[default]
    Space,
    /// Pages, folios, contiguous blocks and TLB entries.
    Pages,
    /// The calls, one a row.
    Calls,
    /// What they cost.
    Cost,
}

impl View {
    /// Every view, in the order of the tabs.
    pub const ALL: [Self; 4] = [Self::Space, Self::Pages, Self::Calls, Self::Cost];

    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Pages => "pages",
            Self::Calls => "calls",
            Self::Cost => "cost",
        }
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Space => "Address space",
            Self::Pages => "Pages & TLB",
            Self::Calls => "Calls",
            Self::Cost => "Cost",
        }
    }

    /// The view of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Its name in links, storage and `data-theme`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Auto, Self::Light, Self::Dark]
            .into_iter()
            .find(|theme| theme.name() == name)
    }

    /// The one that the button goes to next.
    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

/// A dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Links and copies.
    Share,
    /// Keys.
    Help,
}

/// A short message.
#[derive(Clone, Debug, PartialEq)]
pub struct Toast {
    /// Names it.
    pub id: u64,
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub bad: bool,
    /// Whether it offers to bring the former document back.
    pub undo: bool,
}

impl State {
    /// The state a page opens with: what was kept at the last visit, else the static page's text.
    /// A static text that was `changed` already is what the person works on; what was kept is then
    /// one step of undo away.
    pub fn opened(shell: &str, changed: bool) -> Self {
        let mut state = Self::default();
        if let Some(saved) = load_saved() {
            saved.restore(&mut state);
        }
        let kept = !state.document.text.is_empty();
        if changed && kept {
            state.before.push(state.document.clone());
        }
        if changed || !kept {
            state.document = Document {
                text: shell.into(),
                ..Document::default()
            };
        }
        state
    }

    /// The step shown: 0 is the start, n is after the nth call.
    pub fn step(&self) -> usize {
        self.run
            .overview
            .as_ref()
            .map_or(0, |overview| self.follow.resolve(overview))
    }

    /// How many steps the shown run has.
    pub fn steps(&self) -> usize {
        self.run.overview.as_ref().map_or(0, |o| o.lines.len())
    }

    /// The line of the shown step's call.
    pub fn step_line(&self) -> Option<u32> {
        let overview = self.run.overview.as_ref()?;
        overview.lines.get(self.step().checked_sub(1)?).copied()
    }

    /// What the scenario is called: an example's title, else its first words.
    pub fn title(&self) -> String {
        let gallery = self.catalogue.as_ref().map(|c| c.gallery.as_slice());
        let mut examples = gallery.unwrap_or_default().iter();
        let example = examples.find(|example| example.text == *self.document.text);
        example.map_or_else(|| self.document.title(), |example| example.title.clone())
    }

    /// What a link to the page as it is carries.
    pub fn link(&self) -> LinkState {
        let chosen = |name: &str, default: &str| (name != default).then(|| name.to_owned());
        let defaults = self
            .catalogue
            .as_ref()
            .map(|c| c.default_variants.as_slice());
        let variants = self.document.variants.iter();
        let variants = variants.map(|v| LinkVariant {
            kernel: v.kernel.clone(),
            memory: v.memory.clone(),
            cpu: v.cpu.clone(),
        });
        LinkState {
            text: self.document.text.to_string(),
            variants: if defaults == Some(&self.document.variants) {
                Vec::new()
            } else {
                variants.collect()
            },
            maps: self.document.maps.as_deref().map(str::to_owned),
            view: chosen(self.view.name(), View::default().name()),
            step: (self.follow != Follow::Finding).then(|| self.step() as u64),
            theme: chosen(self.theme.name(), Theme::default().name()),
            pid: self.document.pid,
        }
    }

    /// Whether what is shown is not the answer to what is written.
    pub fn stale(&self) -> bool {
        self.run.of.as_ref() != Some(&self.document)
    }
}
