//! The page as a whole.

use yew::prelude::*;

use crate::calls::CallsView;
use crate::cost::CostView;
use crate::door::Door;
use crate::editor::EditorPane;
use crate::files;
use crate::findings::Findings;
use crate::header::Header;
use crate::help::HelpDialog;
use crate::hooks;
use crate::pages::PagesView;
use crate::share::ShareDialog;
use crate::space::SpaceView;
use crate::stepbar::StepBar;
use crate::store::{Action, Dialog, State, Store, View, use_store};
use crate::ui::{Toasts, count};
use crate::variants::Variants;

/// Id of the right-hand side.
const RESULT_ID: &str = "result";

/// Properties of [`App`].
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// The static page's text.
    pub shell: AttrValue,
    /// Whether it was changed before the program started.
    pub changed: bool,
}

/// The page.
#[component]
pub fn App(props: &AppProps) -> Html {
    let store: Store = use_reducer(|| State::opened(&props.shell, props.changed));
    let door = use_state(Door::open);
    hooks::use_catalogue(&store, &door);
    let opening = hooks::use_address(&store, &door);
    hooks::use_runs(&store, &door, !opening);
    hooks::use_autosave(&store, opening);
    hooks::use_theme(&store);
    hooks::use_title(&store);
    hooks::use_keys(&store);
    hooks::use_playing(&store);
    let on_open = files::use_files(&store);
    use_effect_with((), |()| crate::said_started());
    html! {
        <ContextProvider<Door> context={(*door).clone()}>
        <ContextProvider<Store> context={store.clone()}>
            <button class="off-screen skip-link" type="button" onclick={|_: MouseEvent| hooks::focus(RESULT_ID)}>
                { "Skip to the result" }
            </button>
            <Header />
            <Findings />
            <main class="desk">
                <EditorPane {opening} />
                <Result />
            </main>
            <Toasts />
            if store.dialog == Some(Dialog::Share) { <ShareDialog on_open={on_open.clone()} /> }
            if store.dialog == Some(Dialog::Help) { <HelpDialog /> }
        </ContextProvider<Store>>
        </ContextProvider<Door>>
    }
}

/// The right-hand side: variants, step and the view in front.
#[component]
fn Result() -> Html {
    let store = use_store();
    let stale = (store.stale() && store.run.overview.is_some()).then_some("stale");
    html! {
        <section class="right" id={RESULT_ID} tabindex="-1" aria-label="Result" aria-busy={store.run.busy.to_string()}
            data-fresh={(!store.stale() && !store.run.busy).to_string()}>
            <Variants />
            <RunProgress />
            <Tabs />
            <StepBar />
            <div class={classes!("body", stale)} role="tabpanel" id="view"
                aria-labelledby={format!("tab-{}", store.view.name())}>
                if store.run.overview.is_some() {
                    { match store.view {
                        View::Space => html! { <SpaceView /> },
                        View::Pages => html! { <PagesView /> },
                        View::Calls => html! { <CallsView /> },
                        View::Cost => html! { <CostView /> },
                    } }
                } else if store.run.fault.is_none() {
                    <p class="empty">{ "Running the scenario…" }</p>
                }
            </div>
            <Checked />
        </section>
    }
}

/// What this build was held against, and where to read how.
#[component]
fn Checked() -> Html {
    let store = use_store();
    let Some(catalogue) = store.catalogue.clone() else {
        return html! {};
    };
    let checked = &catalogue.checked;
    let cases = checked.recorded.iter().map(|kernel| kernel.cases).sum();
    html! {
        <p class="checked">
            { "Checked against " }{ checked.recorded.len() }{ " kernels: " }
            { count(cases) }{ " recorded programs, " }
            { count(checked.page_records) }{ " records of page tables, " }
            { count(checked.random.programs) }{ " random programs on Linux " }{ &checked.random.kernel }
            { ". " }
            <a href="verified.html">{ "How, and what is known to differ" }</a>
        </p>
    }
}

#[component]
fn Tabs() -> Html {
    let store = use_store();
    let tab = |view: View| {
        let chosen = store.view == view;
        let on_click = {
            let dispatch = store.dispatcher();
            Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::View(view)))
        };
        html! {
            <button class="tab" role="tab" type="button" id={format!("tab-{}", view.name())}
                aria-selected={chosen.to_string()} aria-controls="view"
                tabindex={if chosen { "0" } else { "-1" }} onclick={on_click}>
                { view.title() }
            </button>
        }
    };
    // The arrow keys go from tab to tab, as everywhere.
    let on_key = {
        let dispatch = store.dispatcher();
        let at = View::ALL
            .iter()
            .position(|&view| view == store.view)
            .unwrap_or(0);
        Callback::from(move |event: KeyboardEvent| {
            let count = View::ALL.len();
            let next = match event.key().as_str() {
                "ArrowRight" => (at + 1) % count,
                "ArrowLeft" => (at + count - 1) % count,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            dispatch.dispatch(Action::View(View::ALL[next]));
            hooks::focus(&format!("tab-{}", View::ALL[next].name()));
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label="Views" onkeydown={on_key}>
            for view in View::ALL { { tab(view) } }
        </div>
    }
}

/// A long run: how far it is, and the way out.
#[component]
fn RunProgress() -> Html {
    let store = use_store();
    let door = use_context::<Door>();
    let Some(progress) = store.run.progress.filter(|_| store.run.busy) else {
        return Html::default();
    };
    let cancel = {
        let id = store.run.id;
        Callback::from(move |_: MouseEvent| {
            if let (Some(door), Some(id)) = (&door, id) {
                door.cancel(id);
            }
        })
    };
    let known = progress.total > 0;
    html! {
        <div class="progress">
            <span>{ "Simulating…" }</span>
            if known {
                <progress max={progress.total.to_string()} value={progress.done.to_string()} aria-label="Simulating"></progress>
            } else {
                <progress aria-label="Simulating"></progress>
            }
            <span class="mono">{ crate::ui::count(progress.done) }{ " calls" }</span>
            <button class="btn small" type="button" onclick={cancel}>{ "Cancel" }</button>
        </div>
    }
}
