//! The address spaces of all variants at a step, on one axis.

mod legend;
mod ruler;
mod strip;
mod text;

use sealab_picture::axis::Axis;
use sealab_protocol::{SpaceView as Space, StepRequest, kind};
use web_sys::Element;
use yew::prelude::*;

use crate::calls::StepDetailPanel;
use crate::hooks::use_answer;
use crate::store::use_store;
use crate::ui::{Plain, use_width};

use legend::Legend;
use ruler::Ruler;
use strip::Strip;
use text::MapsText;

/// A mapping that the reader points at: variant and place in its strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointed {
    /// Which variant.
    pub variant: usize,
    /// Which of its mappings.
    pub block: usize,
}

/// The view.
#[component]
pub fn SpaceView() -> Html {
    let store = use_store();
    let overview = store.run.overview.clone();
    let space = use_answer::<_, Space>(
        kind::SPACE,
        overview.as_ref().map(|o| StepRequest {
            run: o.run,
            step: store.step(),
        }),
    );
    let scroller = use_node_ref();
    let width = use_width(scroller.clone());
    let scrolled = use_state_eq(|| 0.0);
    let pointed = use_state_eq(|| None::<Pointed>);
    let on_scroll = {
        let (scroller, scrolled) = (scroller.clone(), scrolled.setter());
        Callback::from(move |_: Event| {
            if let Some(element) = scroller.cast::<Element>() {
                scrolled.set(f64::from(element.scroll_left()));
            }
        })
    };
    let axis = use_memo((space.clone(), width.to_bits()), |(space, _)| {
        Axis::new(space.as_ref().map_or(&[][..], |space| &space.axis), width)
    });
    use_reveal(&scroller, space.clone(), &axis);

    let point = {
        let pointed = pointed.setter();
        Callback::from(move |to: Option<Pointed>| pointed.set(to))
    };
    let runs = overview.as_ref().map_or(&[][..], |o| &o.runs);
    let nothing = space.as_ref().is_some_and(|space| space.axis.is_empty());
    html! {
        <>
            <figure class="space" aria-label="Address spaces">
                <div class="strip-labels" aria-hidden="true">
                    for (index, run) in runs.iter().enumerate() {
                        <div class="strip-label" data-v={(index + 1).to_string()}>
                            <b>{ &run.variant.kernel }</b>
                            <span>{ &run.label }</span>
                        </div>
                    }
                </div>
                <div class="strips" ref={scroller} onscroll={on_scroll}>
                    if let Some(space) = &space {
                        if nothing {
                            <p class="empty">{ "Nothing is mapped yet." }</p>
                        } else {
                            for (index, run) in runs.iter().enumerate() {
                                <div class="strip-name" aria-hidden="true" data-v={(index + 1).to_string()}>
                                    <b>{ &run.variant.kernel }</b>{ format!(" {}", run.label) }
                                </div>
                                <Strip variant={index} space={space.clone()} axis={axis.clone()}
                                    name={format!("{} {}", run.variant.kernel, run.label)}
                                    window={axis.window(*scrolled, width)}
                                    pointed={*pointed} on_point={point.clone()} />
                            }
                            <Ruler space={space.clone()} axis={axis.clone()} window={axis.window(*scrolled, width)} />
                        }
                    }
                </div>
                <figcaption class="readout">{ readout(space.as_deref(), *pointed) }</figcaption>
                <Legend />
            </figure>
            <StepDetailPanel step={store.step()} />
            if let Some(space) = &space {
                <MapsText space={space.clone()} names={runs.iter().map(|r| r.variant.kernel.clone()).collect::<Vec<_>>()} />
            }
        </>
    }
}

/// The line of the maps that is pointed at.
fn readout(space: Option<&Space>, pointed: Option<Pointed>) -> Html {
    let block = pointed.and_then(|at| space?.strips.get(at.variant)?.blocks.get(at.block));
    let Some(block) = block else {
        return html! { <span class="quiet">{ "Point at a mapping, or tab to it, to read its line of the maps." }</span> };
    };
    let flags = block.maps.vm_flags.join(" ");
    html! {
        <>
            <code><Plain text={block.line.clone()} /></code>
            <span class="quiet">
                { format!("{} · {flags}", block.size) }
                if block.maps.rss_kb > 0 { { format!(" · {}K resident", block.maps.rss_kb) } }
            </span>
            if block.sealed { <span class="tag sealed">{ "sealed" }</span> }
            if block.changed { <span class="tag changed">{ "changed in this step" }</span> }
            if block.differs { <span class="tag">{ "differs between variants" }</span> }
        </>
    }
}

/// Brings what the step changed into sight.
#[hook]
fn use_reveal(
    scroller: &NodeRef,
    space: Option<crate::store::Shared<Space>>,
    axis: &std::rc::Rc<Axis>,
) {
    let (scroller, axis) = (scroller.clone(), axis.clone());
    use_effect_with(space, move |space| {
        let changed = space.as_ref().and_then(|space| {
            let blocks = space.strips.iter().flat_map(|strip| &strip.blocks);
            blocks
                .filter(|block| block.changed)
                .map(|block| (block.first, block.last))
                .min()
        });
        let (Some((first, last)), Some(element)) = (changed, scroller.cast::<Element>()) else {
            return;
        };
        let (from, to) = (axis.at(first), axis.at(last));
        let (seen, width) = (
            f64::from(element.scroll_left()),
            f64::from(element.client_width()),
        );
        if from < seen || to > seen + width {
            #[allow(clippy::cast_possible_truncation)] // a place in the page
            element.set_scroll_left((from - width / 3.0).max(0.0) as i32);
        }
    });
}
