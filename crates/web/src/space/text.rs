//! The same address spaces as text.

use sealab_protocol::SpaceView as Space;
use yew::prelude::*;

use crate::store::Shared;
use crate::ui::Plain;

/// Lines written at once; more are asked for by a button.
const LINES_MAX: usize = 300;

/// Properties of [`MapsText`].
#[derive(Properties, PartialEq)]
pub struct MapsTextProps {
    /// What is shown.
    pub space: Shared<Space>,
    /// Names of the variants.
    pub names: Vec<String>,
}

/// `/proc/PID/maps` of every variant, folded away until it is wanted.
#[component]
pub fn MapsText(props: &MapsTextProps) -> Html {
    let open = use_state_eq(|| false);
    let all = use_state_eq(|| false);
    let on_toggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let is_open = event
                .target_dyn_into::<web_sys::Element>()
                .is_some_and(|details| details.has_attribute("open"));
            open.set(is_open);
        })
    };
    let show_all = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| all.set(true))
    };
    let limit = if *all { usize::MAX } else { LINES_MAX };
    html! {
        <details class="maps-text" ontoggle={on_toggle}>
            <summary>{ "As text: /proc/PID/maps of each variant" }</summary>
            if *open {
                for (name, strip) in props.names.iter().zip(&props.space.strips) {
                    <h3>{ name }</h3>
                    <ol class="maps-lines" aria-label={format!("Mappings under {name}")}>
                        for block in strip.blocks.iter().take(limit) {
                            <li class={classes!(block.changed.then_some("changed"), block.differs.then_some("differs"))}>
                                <code><Plain text={block.line.clone()} /></code>
                                if block.sealed { <b>{ " sealed" }</b> }
                            </li>
                        }
                    </ol>
                    if strip.blocks.len() > limit {
                        <button class="btn small" type="button" onclick={show_all.clone()}>
                            { format!("All {}", strip.blocks.len()) }
                        </button>
                    }
                }
            }
        </details>
    }
}
