//! Addresses below the strips, and marks where the variants differ.

use std::ops::Range;
use std::rc::Rc;

use sealab_picture::axis::{Axis, differing};
use sealab_protocol::SpaceView as Space;
use yew::prelude::*;

use crate::store::Shared;

/// Properties of [`Ruler`].
#[derive(Properties, PartialEq)]
pub struct RulerProps {
    /// What is shown.
    pub space: Shared<Space>,
    /// Where.
    pub axis: Rc<Axis>,
    /// Which segments are in sight.
    pub window: Range<usize>,
}

/// The ruler.
#[component]
pub fn Ruler(props: &RulerProps) -> Html {
    let (space, axis, window) = (&props.space, &props.axis, &props.window);
    let differs = differing(space);
    let ticks = axis.ticks(&space.axis, window).into_iter().map(|tick| {
        html! {
            <g key={format!("tick-{}", tick.segment)} transform={format!("translate({:.1} 0)", tick.x)}>
                <path class="tick" d="M.5 8v5" />
                <text x={if tick.ends { "0" } else { "3" }} y="22"
                    text-anchor={if tick.ends { "end" } else { "start" }}>
                    { tick.text }
                </text>
            </g>
        }
    });
    let in_sight = differs.iter().enumerate();
    let in_sight = in_sight.take(window.end).skip(window.start);
    let marks = in_sight.filter(|(_, differs)| **differs).map(|(index, _)| {
        let (from, to) = (axis.at(index), axis.at(index + 1));
        html! {
            <rect key={format!("mark-{index}")} class="differs" x={format!("{from:.1}")} y="1" height="4"
                width={format!("{:.1}", (to - from - 1.0).max(1.0))} rx="1" />
        }
    });
    html! {
        <svg class="ruler" width={format!("{:.1}", axis.width())} height="28" aria-hidden="true">
            { for marks }
            { for ticks }
        </svg>
    }
}
