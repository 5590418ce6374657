//! One variant's mappings, drawn.

use std::ops::Range;
use std::rc::Rc;

use sealab_picture::axis::Axis;
use sealab_picture::strip::{self, HEIGHT, Hole, TALL, TOP, labels, permission};
use sealab_protocol::{Block, SpaceView as Space};
use yew::prelude::*;

use super::Pointed;
use crate::store::Shared;

/// More mappings than these are not reached with the tab key one by one; the maps as text are.
const TABBABLE_MAX: usize = 150;

/// Properties of [`Strip`].
#[derive(Properties, PartialEq)]
pub struct StripProps {
    /// Which variant.
    pub variant: usize,
    /// What it is called.
    pub name: String,
    /// What is shown.
    pub space: Shared<Space>,
    /// Where.
    pub axis: Rc<Axis>,
    /// Which segments are in sight.
    pub window: Range<usize>,
    /// What is pointed at, in any strip.
    pub pointed: Option<Pointed>,
    /// Called when something else is.
    pub on_point: Callback<Option<Pointed>>,
}

/// The strip.
#[component]
pub fn Strip(props: &StripProps) -> Html {
    let empty = Vec::new();
    let strip = props.space.strips.get(props.variant);
    let blocks = strip.map_or(&empty, |strip| &strip.blocks);
    let axis = &props.axis;
    let tabbable = blocks.len() <= TABBABLE_MAX;
    let seen = blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.last > props.window.start && block.first < props.window.end);
    let leave = {
        let on_point = props.on_point.clone();
        Callback::from(move |_: MouseEvent| on_point.emit(None))
    };
    let pointed = props.pointed.and_then(|at| {
        let block = props.space.strips.get(at.variant)?.blocks.get(at.block)?;
        Some((axis.at(block.first), axis.at(block.last)))
    });
    html! {
        <svg class="strip" data-v={(props.variant + 1).to_string()} role="group"
            aria-label={format!("{}: {} mappings", props.name, blocks.len())}
            width={format!("{:.1}", axis.width())} height={HEIGHT.to_string()} onmouseleave={leave}>
            <defs>
                <pattern id={format!("hatch-{}", props.variant)} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="hatch" width="3" height="8" />
                </pattern>
            </defs>
            { for strip::holes(&props.space.axis, axis, &props.window, blocks).into_iter().map(hole) }
            { for seen.map(|(index, block)| draw(props, index, block, tabbable)) }
            if let Some((from, to)) = pointed {
                <rect class="pointed" x={px(from)} y="0.5" width={px((to - from).max(1.0))} height={px(HEIGHT - 1.0)} rx="5" />
            }
        </svg>
    }
}

fn px(x: f64) -> String {
    format!("{x:.1}")
}

fn draw(props: &StripProps, index: usize, block: &Block, tabbable: bool) -> Html {
    let at = Pointed {
        variant: props.variant,
        block: index,
    };
    let point = |to: Option<Pointed>| {
        let on_point = props.on_point.clone();
        move || on_point.emit(to)
    };
    let (enter, focus, click, blur) = (
        point(Some(at)),
        point(Some(at)),
        point(Some(at)),
        point(None),
    );
    let strip::Place { x, width } = strip::place(&props.axis, block);
    let words = strip::words(block);
    let [first, second] = labels(block, width);
    html! {
        <svg key={block.maps.start.clone()} class={classes!("vma", permission(&block.maps.perms), block.sealed.then_some("sealed"))}
            data-start={block.maps.start.clone()} data-changed={block.changed.to_string()}
            x={px(x)} y={px(TOP)} width={px(width)} height={px(TALL)} overflow="visible"
            tabindex={tabbable.then_some("0")} role="img" aria-label={words}
            onmouseenter={move |_: MouseEvent| enter()} onfocus={move |_: FocusEvent| focus()}
            onclick={move |_: MouseEvent| click()} onblur={move |_: FocusEvent| blur()}>
            <rect class="face" width={px(width)} height={px(TALL)} rx="4" />
            if block.sealed {
                <rect width={px(width)} height={px(TALL)} rx="4" fill={format!("url(#hatch-{})", props.variant)} />
                <rect class="seal-line" x="1" y="1" width={px((width - 2.0).max(0.5))} height={px(TALL - 2.0)} rx="3" />
            }
            if block.changed {
                <rect class="change-line" x="-1.5" y="-2" width={px(width + 3.0)} height={px(TALL + 4.0)} rx="6" />
            }
            <text class="perms" x="6" y="15">{ first }</text>
            <text class="detail" x="6" y="30">{ second }</text>
        </svg>
    }
}

/// Where this variant maps nothing.
fn hole(hole: Hole) -> Html {
    let Hole {
        first,
        x,
        end,
        text,
    } = hole;
    html! {
        <g key={format!("hole-{first}")} class="hole">
            <path d={format!("M{:.1} {:.1}H{:.1}", x + 2.0, TOP + TALL / 2.0, (end - 3.0).max(x + 2.0))} />
            <text x={px((x + end) / 2.0)} y={px(TOP + TALL / 2.0 - 5.0)} text-anchor="middle">{ text }</text>
        </g>
    }
}
