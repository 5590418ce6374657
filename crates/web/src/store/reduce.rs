//! What can happen to the store.

use std::rc::Rc;

use sealab_protocol::{Catalogue, Fault, LinkState, Overview, Progress, Variant};
use yew::prelude::*;

use super::{Dialog, Document, Follow, Shared, State, Theme, Toast, View};

/// How many replaced documents are kept.
const BEFORE_MAX: usize = 30;
/// How many toasts are shown at once.
const TOASTS_MAX: usize = 4;
/// How many variants can be compared: as many as there are colours to tell them by.
pub const VARIANTS_MAX: usize = 8;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Action {
    /// The worker said what there is to choose from.
    Catalogue(Shared<Catalogue>),
    /// The person typed.
    Typed(Rc<str>),
    /// An example was chosen.
    Load(Document),
    /// A link was opened.
    Open(Box<LinkState>),
    /// The document before the latest load is wanted back.
    Undo,
    /// Another variant is wanted beside the others.
    AddVariant(Variant),
    /// The variant at this place is not wanted any more.
    RemoveVariant(usize),
    /// The variant at this place is to be another.
    SetVariant(usize, Variant),
    /// These variants are to be compared, in this order.
    Compare(Rc<[Variant]>),
    /// Another process of the trace is wanted.
    Process(Option<i64>),
    /// The process is to start with these mappings.
    Maps(Option<Rc<str>>),
    /// The editor is to take the focus.
    FocusEditor,
    /// A view was chosen.
    View(View),
    /// A step was chosen.
    Step(usize),
    /// The cursor moved to this line.
    Line(u32),
    /// The steps are to advance by themselves, or to stop.
    Play(bool),
    /// A theme was chosen.
    Theme(Theme),
    /// A dialog is to open or close.
    Dialog(Option<Dialog>),
    /// A run of the document was asked for, by the message of this id.
    Asked(u64),
    /// It is this far.
    Progress(Progress),
    /// It is done.
    Done(Document, Shared<Overview>),
    /// It has no result.
    Failed(Fault),
    /// Run the same document again.
    Again,
    /// Something is to be said.
    Say(String),
    /// Something went wrong.
    Complain(String),
    /// A toast is not wanted any more.
    Dismiss(u64),
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Catalogue(catalogue) => {
                if state.document.variants.is_empty() {
                    state.document.variants = Rc::from(catalogue.default_variants.as_slice());
                }
                state.catalogue = Some(catalogue);
            }
            Action::Typed(text) => {
                state.document.text = text;
                state.playing = false;
            }
            Action::Load(document) => {
                state.load(document);
                state.loads = state.loads.wrapping_add(1);
            }
            Action::Open(link) => {
                state.load(Document::of_link(&link));
                if let Some(view) = link.view.as_deref().and_then(View::named) {
                    state.view = view;
                }
                if let Some(theme) = link.theme.as_deref().and_then(Theme::named) {
                    state.theme = theme;
                }
                state.follow = link.step.map_or(Follow::Finding, |step| {
                    Follow::Step(usize::try_from(step).unwrap_or(usize::MAX))
                });
            }
            Action::Undo => {
                state.undo();
                state.loads = state.loads.wrapping_add(1);
            }
            Action::AddVariant(variant) => state.edit_variants(|variants| {
                if variants.len() < VARIANTS_MAX {
                    variants.push(variant);
                }
            }),
            Action::RemoveVariant(index) => state.edit_variants(|variants| {
                if variants.len() > 1 && index < variants.len() {
                    variants.remove(index);
                }
            }),
            Action::SetVariant(index, variant) => state.edit_variants(|variants| {
                if let Some(slot) = variants.get_mut(index) {
                    *slot = variant;
                }
            }),
            Action::Compare(variants) => {
                if !variants.is_empty() {
                    state.document.variants = variants;
                }
            }
            Action::Process(pid) => state.document.pid = pid,
            Action::Maps(maps) => state.document.maps = maps,
            Action::FocusEditor => {
                state.focus_editor = state.focus_editor.wrapping_add(1);
            }
            Action::View(view) => state.view = view,
            Action::Step(step) => {
                state.follow = Follow::Step(step.min(state.steps()));
                if state.playing && step >= state.steps() {
                    state.playing = false;
                }
            }
            Action::Line(line) => {
                // The slider that moved the cursor must not be moved back by it.
                if state.step_line() == Some(line) {
                    return self;
                }
                let near = state.step();
                state.follow = Follow::Line { line, near };
                state.playing = false;
            }
            Action::Play(on) => {
                state.playing = on && state.steps() > 0;
                if state.playing {
                    let step = state.step();
                    let at_end = step >= state.steps();
                    state.follow = Follow::Step(if at_end { 0 } else { step });
                }
            }
            Action::Theme(theme) => state.theme = theme,
            Action::Dialog(dialog) => state.dialog = dialog,
            Action::Asked(id) => {
                state.run.busy = true;
                state.run.id = Some(id);
                state.run.progress = None;
            }
            Action::Progress(progress) => state.run.progress = Some(progress),
            Action::Done(document, overview) => {
                state.run.busy = false;
                state.run.progress = None;
                state.run.fault = None;
                state.run.of = Some(document);
                state.run.overview = Some(overview);
            }
            Action::Failed(fault) => {
                state.run.busy = false;
                state.run.progress = None;
                state.run.fault = Some(fault);
            }
            Action::Again => state.run.again = state.run.again.wrapping_add(1),
            Action::Say(text) => state.say(text, false, false),
            Action::Complain(text) => state.say(text, true, false),
            Action::Dismiss(id) => state.toasts.retain(|toast| toast.id != id),
        }
        Rc::new(state)
    }
}

impl State {
    /// Puts another document in the place of this one, which is kept.
    fn load(&mut self, mut document: Document) {
        if document.variants.is_empty() {
            let defaults = self.catalogue.as_ref().map(|c| &c.default_variants);
            document.variants = defaults.map_or_else(|| Rc::from([]), |v| Rc::from(v.as_slice()));
        }
        let old = std::mem::replace(&mut self.document, document);
        if old == self.document {
            return;
        }
        let worthless = old.text.trim().is_empty() || self.is_example(&old);
        if self.before.last() != Some(&old) && !old.text.is_empty() {
            self.before.push(old);
            if self.before.len() > BEFORE_MAX {
                self.before.remove(0);
            }
        }
        if !worthless {
            self.say("Your scenario was kept.".to_owned(), false, true);
        }
        self.replaced = self.replaced.wrapping_add(1);
        self.follow = Follow::Finding;
        self.playing = false;
    }

    fn undo(&mut self) {
        let Some(old) = self.before.pop() else { return };
        self.document = old;
        self.replaced = self.replaced.wrapping_add(1);
        self.follow = Follow::Finding;
        self.playing = false;
        self.toasts.retain(|toast| !toast.undo);
    }

    fn is_example(&self, document: &Document) -> bool {
        let gallery = self.catalogue.as_ref().map(|c| c.gallery.as_slice());
        let mut examples = gallery.unwrap_or_default().iter();
        examples.any(|example| example.text == *document.text)
    }

    fn edit_variants(&mut self, edit: impl FnOnce(&mut Vec<Variant>)) {
        let mut variants = self.document.variants.to_vec();
        edit(&mut variants);
        self.document.variants = Rc::from(variants);
    }

    fn say(&mut self, text: String, bad: bool, undo: bool) {
        self.toasts.retain(|toast| toast.text != text);
        self.toast_count = self.toast_count.wrapping_add(1);
        self.toasts.push(Toast {
            id: self.toast_count,
            text,
            bad,
            undo,
        });
        if self.toasts.len() > TOASTS_MAX {
            self.toasts.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Rc<State> {
        Rc::new(State::default()).reduce(Action::Typed(Rc::from(text)))
    }

    fn document(text: &str) -> Document {
        Document {
            text: Rc::from(text),
            ..Document::default()
        }
    }

    #[test]
    fn a_load_keeps_what_was_typed_and_undo_brings_it_back() {
        let state = typed("load(0, 1)").reduce(Action::Load(document("brk(0)")));
        assert_eq!(&*state.document.text, "brk(0)");
        assert!(state.toasts.iter().any(|toast| toast.undo));
        let state = state.reduce(Action::Undo);
        assert_eq!(&*state.document.text, "load(0, 1)");
        assert!(state.toasts.is_empty());
    }

    #[test]
    fn each_load_and_undo_tells_the_editor() {
        let loaded = typed("a").reduce(Action::Load(document("b")));
        let undone = loaded.clone().reduce(Action::Undo);
        assert_eq!((loaded.replaced, undone.replaced), (1, 2));
        let same = loaded.clone().reduce(Action::Load(document("b")));
        assert_eq!(same.replaced, loaded.replaced);
    }

    #[test]
    fn the_last_variant_stays() {
        let state = typed("").reduce(Action::AddVariant(Variant::default()));
        let state = state.reduce(Action::RemoveVariant(0));
        assert_eq!(state.document.variants.len(), 1);
    }

    #[test]
    fn there_are_never_more_variants_than_colours() {
        let mut state = typed("");
        for _ in 0..VARIANTS_MAX + 3 {
            state = state.reduce(Action::AddVariant(Variant::default()));
        }
        assert_eq!(state.document.variants.len(), VARIANTS_MAX);
    }

    #[test]
    fn a_failed_run_keeps_the_last_good_one() {
        let good = Shared::new(Overview::default());
        let state = typed("a").reduce(Action::Done(document("a"), good));
        let state = state
            .reduce(Action::Typed(Rc::from("b")))
            .reduce(Action::Asked(1));
        let state = state.reduce(Action::Failed(Fault::new("crashed", "gone")));
        assert!(state.run.overview.is_some());
        assert!(state.stale() && !state.run.busy);
    }

    #[test]
    fn the_line_that_the_slider_moved_to_does_not_move_the_slider() {
        let overview = Overview {
            lines: vec![1, 2, 2],
            ..Overview::default()
        };
        let state = typed("a").reduce(Action::Done(document("a"), Shared::new(overview)));
        let state = state.reduce(Action::Step(3)).reduce(Action::Line(2));
        assert_eq!(state.step(), 3);
        let state = state.reduce(Action::Line(1));
        assert_eq!(state.step(), 1);
    }

    #[test]
    fn playing_from_the_end_starts_over() {
        let overview = Overview {
            lines: vec![1, 2],
            ..Overview::default()
        };
        let state = typed("a").reduce(Action::Done(document("a"), Shared::new(overview)));
        let state = state.reduce(Action::Step(2)).reduce(Action::Play(true));
        assert_eq!((state.step(), state.playing), (0, true));
        let state = state.reduce(Action::Step(1)).reduce(Action::Step(2));
        assert!(!state.playing);
    }
}
