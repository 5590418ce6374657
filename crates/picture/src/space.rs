//! The address spaces as a file: strips stacked by variant on one axis, holes collapsed.

use std::fmt::Write as _;

use sealab_lab::session::cell_text;
use sealab_lab::view::{Block, Strip};

use crate::axis::{Axis, differing};
use crate::markup::{escaped, px};
use crate::scene::{Name, Picture, Scene};
use crate::strip::{self, TALL, TOP, labels, permission, place, words};
use crate::theme::{self, CHANGE, EDGE, INK, LINE, MONO, MUTE, PANEL, PERM_INK, SANS, SEAL, Theme};

/// Room around everything.
pub(crate) const MARGIN: f64 = 14.0;
/// Height of the caption.
const CAPTION: f64 = 24.0;
/// Height of a variant's name over its strip.
const NAME: f64 = 20.0;
/// Height of the ruler.
const RULER: f64 = 30.0;
/// Height of a line of the legend.
const LEGEND: f64 = 20.0;
/// Width of a letter of the legend.
const LETTER: f64 = 6.4;
/// Mappings drawn of one strip; beyond it the picture says how many more there are.
const BLOCKS_MAX: usize = 2_000;
/// Mappings that the description lists of one variant.
const LISTED_MAX: usize = 24;

/// The picture.
pub(crate) fn svg(picture: &Picture<'_>) -> String {
    let Picture { scene, theme, .. } = picture;
    let theme = *theme;
    let axis = Axis::new(&scene.space.axis, (picture.width - 2.0 * MARGIN).max(80.0));
    let width = axis.width().max(picture.width - 2.0 * MARGIN) + 2.0 * MARGIN;
    let hatch = format!("{}-hatch", picture.id());
    let mut body = String::new();
    let mut y = MARGIN + 14.0;
    body.push_str(&line(
        theme,
        MARGIN,
        y,
        &fit(&scene.caption(), width),
        MONO,
        12.5,
    ));
    y += CAPTION - 14.0;
    for (at, name) in scene.names.iter().enumerate() {
        let Some(strip) = scene.space.strips.get(at) else {
            continue;
        };
        let result = scene.call.as_ref().and_then(|row| row.cells.get(at));
        y += NAME;
        heading(&mut body, theme, at, name, result.map(cell_text), y - 7.0);
        let _ = write!(
            body,
            "<g transform=\"translate({} {})\">",
            px(MARGIN),
            px(y)
        );
        draw(&mut body, theme, scene, &axis, strip, &hatch);
        body.push_str("</g>");
        y += strip::HEIGHT;
        let more = strip.blocks.len().saturating_sub(BLOCKS_MAX);
        if more > 0 {
            y += 16.0;
            let words = format!("{more} further mappings are not drawn");
            body.push_str(&line(theme, MARGIN, y - 4.0, &words, SANS, 11.0));
        }
    }
    if scene.space.axis.is_empty() {
        y += NAME;
        body.push_str(&line(
            theme,
            MARGIN,
            y,
            "Nothing is mapped yet.",
            SANS,
            12.5,
        ));
    }
    y += 6.0;
    let _ = write!(
        body,
        "<g transform=\"translate({} {})\">",
        px(MARGIN),
        px(y)
    );
    ruler(&mut body, theme, scene, &axis);
    body.push_str("</g>");
    y += RULER;
    y += legend(&mut body, theme, &hatch, y, width);
    frame(
        picture,
        width,
        y + MARGIN - 6.0,
        &describe(scene),
        &body,
        Some(&hatch),
    )
}

/// The SVG element around `body`, with its name, description and metadata.
pub(crate) fn frame(
    picture: &Picture<'_>,
    width: f64,
    height: f64,
    description: &str,
    body: &str,
    hatch: Option<&str>,
) -> String {
    let id = picture.id();
    let theme = picture.theme;
    let title = format!("{}. {}", picture.scene.title, picture.scene.caption());
    let mut out = String::with_capacity(body.len() + description.len() + 1024);
    let (w, h) = (px(width), px(height));
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\" aria-labelledby=\"{id}-title\" \
         aria-describedby=\"{id}-desc\" font-family=\"{SANS}\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>",
        escaped(&title),
        escaped(description)
    );
    if !picture.link.is_empty() {
        let _ = write!(out, "<metadata>{}</metadata>", escaped(picture.link));
    }
    if let Some(hatch) = hatch {
        let _ = write!(
            out,
            "<defs><pattern id=\"{hatch}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect width=\"3\" height=\"8\"{} opacity=\"0.28\"/></pattern></defs>",
            theme.paint("fill", SEAL)
        );
    }
    let _ = write!(
        out,
        "<rect width=\"{w}\" height=\"{h}\" rx=\"8\"{}/>{body}</svg>",
        theme.paint("fill", PANEL)
    );
    out
}

/// A line of text.
pub(crate) fn line(theme: Theme, x: f64, y: f64, text: &str, face: &str, size: f64) -> String {
    format!(
        "<text x=\"{}\" y=\"{}\" font-family=\"{face}\" font-size=\"{}\"{}>{}</text>",
        px(x),
        px(y),
        px(size),
        theme.paint("fill", INK),
        escaped(text)
    )
}

/// As much of `text` as fits over `width`.
fn fit(text: &str, width: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // floats saturate
    let room = ((width - 2.0 * MARGIN) / 7.6).max(4.0) as usize;
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room - 1).chain(['…']).collect()
}

fn heading(out: &mut String, theme: Theme, at: usize, name: &Name, result: Option<String>, y: f64) {
    let _ = write!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"9\" height=\"9\" rx=\"2\"{}/>\
         <text x=\"{}\" y=\"{}\" font-size=\"12.5\"{}><tspan font-weight=\"650\">{}</tspan><tspan{}> {}</tspan>",
        px(MARGIN + 3.0),
        px(y - 8.5),
        theme.paint("fill", theme::variant(at)),
        px(MARGIN + 17.0),
        px(y),
        theme.paint("fill", INK),
        escaped(&name.id),
        theme.paint("fill", MUTE),
        escaped(&name.label),
    );
    if let Some(result) = result {
        let _ = write!(
            out,
            "<tspan dx=\"8\" font-family=\"{MONO}\" font-size=\"12\">→ {}</tspan>",
            escaped(&result)
        );
    }
    out.push_str("</text>");
}

fn draw(out: &mut String, theme: Theme, scene: &Scene, axis: &Axis, strip: &Strip, hatch: &str) {
    let all = 0..scene.space.axis.len();
    for hole in strip::holes(&scene.space.axis, axis, &all, &strip.blocks) {
        let _ = write!(
            out,
            "<path d=\"M{} {}H{}\"{} stroke-dasharray=\"2 4\"/>",
            px(hole.x + 2.0),
            px(TOP + TALL / 2.0),
            px((hole.end - 3.0).max(hole.x + 2.0)),
            theme.paint("stroke", EDGE)
        );
        if !hole.text.is_empty() {
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-family=\"{MONO}\" font-size=\"10.5\"{}>{}</text>",
                px((hole.x + hole.end) / 2.0),
                px(TOP + TALL / 2.0 - 5.0),
                theme.paint("fill", MUTE),
                escaped(&hole.text)
            );
        }
    }
    for block in strip.blocks.iter().take(BLOCKS_MAX) {
        mapping(out, theme, axis, block, hatch);
    }
}

fn mapping(out: &mut String, theme: Theme, axis: &Axis, block: &Block, hatch: &str) {
    let strip::Place { x, width } = place(axis, block);
    let face = theme::permission(permission(&block.maps.perms));
    let (w, h) = (px(width), px(TALL));
    let _ = write!(
        out,
        "<g transform=\"translate({} {})\"><title>{}</title><rect width=\"{w}\" height=\"{h}\" rx=\"4\"{}/>",
        px(x),
        px(TOP),
        escaped(&words(block)),
        theme.paint("fill", face)
    );
    if block.sealed {
        let _ = write!(
            out,
            "<rect width=\"{w}\" height=\"{h}\" rx=\"4\" fill=\"url(#{hatch})\"/>\
             <rect x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"none\" stroke-width=\"2\"{}/>",
            px((width - 2.0).max(0.5)),
            px(TALL - 2.0),
            theme.paint("stroke", SEAL)
        );
    }
    if block.changed {
        let _ = write!(
            out,
            "<rect x=\"-1.5\" y=\"-2\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"none\" stroke-width=\"2.5\"{}/>",
            px(width + 3.0),
            px(TALL + 4.0),
            theme.paint("stroke", CHANGE)
        );
    }
    for (text, y, weight) in labels(block, width)
        .iter()
        .zip([15.0, 30.0])
        .map(|(text, y)| (text, y, if y < 20.0 { " font-weight=\"600\"" } else { "" }))
    {
        if !text.is_empty() {
            let _ = write!(
                out,
                "<text x=\"6\" y=\"{}\" font-family=\"{MONO}\" font-size=\"11\"{weight}{}>{}</text>",
                px(y),
                theme.paint("fill", PERM_INK),
                escaped(text)
            );
        }
    }
    out.push_str("</g>");
}

fn ruler(out: &mut String, theme: Theme, scene: &Scene, axis: &Axis) {
    for (index, _) in differing(&scene.space)
        .iter()
        .enumerate()
        .filter(|(_, d)| **d)
    {
        let (from, to) = (axis.at(index), axis.at(index + 1));
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"1\" width=\"{}\" height=\"4\" rx=\"1\"{}/>",
            px(from),
            px((to - from - 1.0).max(1.0)),
            theme.paint("fill", SEAL)
        );
    }
    let all = 0..scene.space.axis.len();
    for tick in axis.ticks(&scene.space.axis, &all) {
        let (dx, anchor) = if tick.ends {
            (0.0, "end")
        } else {
            (3.0, "start")
        };
        let _ = write!(
            out,
            "<path d=\"M{} 8v5\"{}/><text x=\"{}\" y=\"22\" text-anchor=\"{anchor}\" font-family=\"{MONO}\" font-size=\"10.5\"{}>{}</text>",
            px(tick.x + 0.5),
            theme.paint("stroke", EDGE),
            px(tick.x + dx),
            theme.paint("fill", MUTE),
            escaped(&tick.text)
        );
    }
}

/// What the colours and lines mean; its height.
fn legend(out: &mut String, theme: Theme, hatch: &str, top: f64, width: f64) -> f64 {
    const KINDS: [(&str, &str); 8] = [
        ("rw", "read, write"),
        ("ro", "read"),
        ("rx", "execute"),
        ("rwx", "write and execute"),
        ("none", "no access"),
        ("sealed", "sealed"),
        ("changed", "changed in this step"),
        ("differs", "variants differ"),
    ];
    let _ = write!(
        out,
        "<path d=\"M{} {}H{}\"{}/>",
        px(MARGIN),
        px(top),
        px(width - MARGIN),
        theme.paint("stroke", LINE)
    );
    let (mut x, mut y) = (MARGIN, top + 8.0);
    for (kind, words) in KINDS {
        let room = 24.0 + words.len() as f64 * LETTER + 14.0;
        if x + room > width && x > MARGIN {
            (x, y) = (MARGIN, y + LEGEND);
        }
        let face = match kind {
            "sealed" | "changed" => theme::permission("rw"),
            "differs" => SEAL,
            kind => theme::permission(kind),
        };
        let (tall, down) = if kind == "differs" {
            (4.0, 5.0)
        } else {
            (14.0, 0.0)
        };
        let _ = write!(
            out,
            "<g transform=\"translate({} {})\"><rect y=\"{}\" width=\"18\" height=\"{}\" rx=\"{}\"{}/>",
            px(x),
            px(y),
            px(down),
            px(tall),
            if kind == "differs" { "1" } else { "3" },
            theme.paint("fill", face)
        );
        if kind == "sealed" {
            let _ = write!(
                out,
                "<rect width=\"18\" height=\"14\" rx=\"3\" fill=\"url(#{hatch})\"/><rect x=\"1\" y=\"1\" width=\"16\" height=\"12\" rx=\"2\" fill=\"none\" stroke-width=\"2\"{}/>",
                theme.paint("stroke", SEAL)
            );
        }
        if kind == "changed" {
            let _ = write!(
                out,
                "<rect x=\"-1\" y=\"-1\" width=\"20\" height=\"16\" rx=\"4\" fill=\"none\" stroke-width=\"2\"{}/>",
                theme.paint("stroke", CHANGE)
            );
        }
        let _ = write!(
            out,
            "<text x=\"24\" y=\"11\" font-size=\"11.5\"{}>{words}</text></g>",
            theme.paint("fill", MUTE)
        );
        x += room;
    }
    y + LEGEND - top
}

/// The picture in words, for those who do not see it.
fn describe(scene: &Scene) -> String {
    let mut out = String::new();
    for (at, name) in scene.names.iter().enumerate() {
        let blocks = scene.space.strips.get(at).map_or(&[][..], |s| &s.blocks);
        let _ = write!(out, "{} {}", name.id, name.label);
        if let Some(cell) = scene.call.as_ref().and_then(|row| row.cells.get(at)) {
            let _ = write!(out, ": {}", cell_text(cell));
        }
        let noun = if blocks.len() == 1 {
            "mapping"
        } else {
            "mappings"
        };
        let _ = write!(out, "; {} {noun}", blocks.len());
        for block in blocks.iter().take(LISTED_MAX) {
            let _ = write!(out, "; {}", words(block));
        }
        let more = blocks.len().saturating_sub(LISTED_MAX);
        if more > 0 {
            let _ = write!(out, "; and {more} more");
        }
        out.push_str(".\n");
    }
    out
}
