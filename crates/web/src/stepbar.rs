//! The step: moves with the editor's line, and moves it.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::hooks::{STEP_ID, use_answer};
use crate::store::{Action, use_store};
use crate::ui::{Icon, Plain, Shape, count};
use sealab_protocol::{Mark, Row, Rows, RowsRequest, kind};

/// Buttons, slider and the call of the step.
#[component]
pub fn StepBar() -> Html {
    let store = use_store();
    let (step, steps) = (store.step(), store.steps());
    let overview = store.run.overview.clone();
    let rows = use_answer::<_, Rows>(
        kind::ROWS,
        overview.as_ref().filter(|_| step > 0).map(|o| RowsRequest {
            run: o.run,
            first: step.saturating_sub(1),
            count: 1,
            differing: false,
        }),
    );
    let row = rows
        .as_ref()
        .and_then(|rows| rows.rows.first().filter(|row| row.step == step));
    let act = |action: Action| {
        let dispatch = store.dispatcher();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(action.clone()))
    };
    let on_input = {
        let dispatch = store.dispatcher();
        Callback::from(move |event: InputEvent| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            if let Some(step) = input.and_then(|input| input.value().parse().ok()) {
                dispatch.dispatch(Action::Play(false));
                dispatch.dispatch(Action::Step(step));
            }
        })
    };
    let (play_shape, play_words) = if store.playing {
        (Shape::Pause, "Stop")
    } else {
        (Shape::Play, "Play the steps")
    };
    let differing = overview.as_ref().map_or(&[][..], |o| &o.differing);
    let value_text = match row {
        Some(row) => format!("Step {step} of {steps}: {}", row.text),
        None => format!("Step {step} of {steps}"),
    };
    html! {
        <div class="stepbar" role="group" aria-label="Steps">
            <div class="step-buttons">
                <button class="btn small icon" type="button" aria-label="One step back" title="One step back (←)"
                    disabled={step == 0} onclick={act(Action::Step(step.saturating_sub(1)))}>
                    <Icon shape={Shape::Back} />
                </button>
                <button class="btn small icon" type="button" aria-label={play_words} title={format!("{play_words} (space)")}
                    disabled={steps == 0} onclick={act(Action::Play(!store.playing))}>
                    <Icon shape={play_shape} />
                </button>
                <button class="btn small icon" type="button" aria-label="One step on" title="One step on (→)"
                    disabled={step >= steps} onclick={act(Action::Step(step + 1))}>
                    <Icon shape={Shape::Forward} />
                </button>
            </div>
            <div class="step-track">
                <input type="range" id={STEP_ID} min="0" max={steps.to_string()} step="1"
                    value={step.to_string()} oninput={on_input} disabled={steps == 0}
                    aria-label="Step" aria-valuetext={value_text} />
                { marks(differing, steps) }
            </div>
            <span class="step-count">{ format!("Step {} of {}", count(step as u64), count(steps as u64)) }</span>
            <div class="step-call">{ match row {
                Some(row) => call(row),
                None if step == 0 && steps > 0 => html! { <span class="quiet">{ "Before the first call" }</span> },
                None => Html::default(),
            } }</div>
        </div>
    }
}

/// The call and how it went under each variant.
fn call(row: &Row) -> Html {
    html! {
        <>
            <code><Plain text={row.text.clone()} /></code>
            <span class="step-results">
                for (index, cell) in row.cells.iter().enumerate() {
                    <span class="step-result" data-v={(index + 1).to_string()}
                        data-bad={matches!(cell.mark, Mark::Error | Mark::Partial | Mark::Mismatch).to_string()}>
                        <Plain text={cell.result.clone()} />
                        if let Some(partial) = &cell.partial { { format!(" · {partial}") } }
                    </span>
                }
            </span>
        </>
    }
}

/// Ticks where the designs differ; with very many, the nearest ones fall together.
fn marks(differing: &[usize], steps: usize) -> Html {
    const TICKS_MAX: usize = 400;
    let stride = differing.len().div_ceil(TICKS_MAX).max(1);
    #[allow(clippy::cast_precision_loss)]
    let x = |step: usize| format!("{:.3}%", step as f64 * 100.0 / steps.max(1) as f64);
    html! {
        <svg class="step-marks" aria-hidden="true">
            for step in differing.iter().step_by(stride) {
                <rect x={x(*step)} y="1" width="3" height="6" rx="1" />
            }
        </svg>
    }
}
