//! One variant's mappings, drawn.

use std::ops::Range;
use std::rc::Rc;

use sealab_protocol::{Block, SpaceView as Space};
use yew::prelude::*;

use super::Pointed;
use super::axis::Axis;
use crate::store::Shared;

/// Height of a strip in CSS pixels.
const HEIGHT: f64 = 46.0;
/// Top of the mappings: room for the outline of what changed.
const TOP: f64 = 4.0;
/// Height of a mapping.
const TALL: f64 = HEIGHT - 2.0 * TOP;
/// Width of a character of the labels.
const CHAR: f64 = 6.7;
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
            { for holes(&props.space, axis, &props.window, blocks) }
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
    let (from, to) = (props.axis.at(block.first), props.axis.at(block.last));
    let width = (to - from - 1.0).max(2.0);
    let words = format!(
        "{}{}{}",
        block.line,
        if block.sealed { ", sealed" } else { "" },
        if block.changed {
            ", changed in this step"
        } else {
            ""
        }
    );
    let [first, second] = labels(block, width);
    html! {
        <svg key={block.maps.start.clone()} class={classes!("vma", permission(&block.maps.perms), block.sealed.then_some("sealed"))}
            data-start={block.maps.start.clone()} data-changed={block.changed.to_string()}
            x={px(from)} y={px(TOP)} width={px(width)} height={px(TALL)} overflow="visible"
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

/// What fits: permissions and size above, seal and name below.
fn labels(block: &Block, width: f64) -> [String; 2] {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // floats saturate
    let room = ((width - 9.0) / CHAR).max(0.0) as usize;
    let perms = &block.maps.perms;
    let short = perms.get(..3).unwrap_or(perms);
    let first = [
        format!("{perms} {}", block.size),
        perms.clone(),
        short.to_owned(),
    ];
    let first = first.into_iter().find(|text| text.chars().count() <= room);
    let name = block.maps.name.rsplit('/').next().unwrap_or_default();
    let seal = match (block.sealed, room) {
        (false, _) => "",
        (true, 0) => "",
        (true, 1..6) => "S",
        (true, _) => "sealed",
    };
    let both = match (seal, name) {
        ("", name) => name.to_owned(),
        (seal, "") => seal.to_owned(),
        (seal, name) => format!("{seal} {name}"),
    };
    [first.unwrap_or_default(), shorten(&both, room)]
}

fn shorten(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    if room < 3 {
        return text
            .chars()
            .take(if text.starts_with('S') { room } else { 0 })
            .collect();
    }
    text.chars().take(room - 1).chain(['…']).collect()
}

/// The colour's class: writable and executable are told apart first.
fn permission(perms: &str) -> &'static str {
    let has = |c: char| perms.contains(c);
    match (has('w'), has('x'), has('r')) {
        (true, true, _) => "rwx",
        (true, false, _) => "rw",
        (false, true, _) => "rx",
        (false, false, true) => "ro",
        (false, false, false) => "none",
    }
}

/// Where this variant maps nothing.
fn holes(space: &Space, axis: &Axis, window: &Range<usize>, blocks: &[Block]) -> Vec<Html> {
    let mut out = Vec::new();
    let mut hole = |from: usize, to: usize| {
        if from >= to || to <= window.start || from >= window.end {
            return;
        }
        let (x, end) = (axis.at(from), axis.at(to));
        let only = (to - from == 1).then(|| space.axis.get(from)).flatten();
        let words = only.map_or_else(
            || "hole".to_owned(),
            |segment| format!("hole {}", segment.size),
        );
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let room = ((end - x - 8.0) / CHAR).max(0.0) as usize;
        let text = if words.len() <= room {
            words
        } else if room >= 4 {
            "hole".to_owned()
        } else {
            String::new()
        };
        out.push(html! {
            <g key={format!("hole-{from}")} class="hole">
                <path d={format!("M{:.1} {:.1}H{:.1}", x + 2.0, TOP + TALL / 2.0, (end - 3.0).max(x + 2.0))} />
                <text x={px((x + end) / 2.0)} y={px(TOP + TALL / 2.0 - 5.0)} text-anchor="middle">{ text }</text>
            </g>
        });
    };
    let mut at = 0;
    for block in blocks {
        hole(at, block.first);
        at = block.last;
    }
    hole(at, space.axis.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_protocol::MapsEntry;

    fn block(perms: &str, name: &str, sealed: bool) -> Block {
        Block {
            maps: MapsEntry {
                perms: perms.to_owned(),
                name: name.to_owned(),
                ..MapsEntry::default()
            },
            size: "128K".to_owned(),
            sealed,
            ..Block::default()
        }
    }

    #[test]
    fn labels_shrink_but_never_spill() {
        let block = block("rw-p", "/usr/lib/libc.so.6", true);
        assert_eq!(labels(&block, 400.0), ["rw-p 128K", "sealed libc.so.6"]);
        assert_eq!(
            labels(&block, 50.0),
            ["rw-p", "sealed"]
                .map(String::from)
                .map(|s| if s == "sealed" {
                    "sealed"[..5].to_owned() + "…"
                } else {
                    s
                })
        );
        for width in 0..120 {
            let room = ((f64::from(width) - 9.0) / CHAR).max(0.0);
            for label in labels(&block, f64::from(width)) {
                assert!(
                    label.chars().count() as f64 <= room + 1e-9,
                    "{label} in {width}"
                );
            }
        }
    }

    #[test]
    fn every_permission_has_a_colour() {
        let classes = ["rw-p", "r--p", "r-xp", "rwxp", "---p", "-w-s", "--xp", ""].map(permission);
        assert_eq!(
            classes,
            ["rw", "ro", "rx", "rwx", "none", "rw", "rx", "none"]
        );
    }
}
