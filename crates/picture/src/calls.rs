//! The calls and how each went under every variant: as SVG and as an HTML table.

use std::fmt::Write as _;

use sealab_lab::tables::row_cells;
use sealab_lab::view::Row;

use crate::markup::{escaped, px};
use crate::scene::{Picture, Scene};
use crate::space::{MARGIN, frame, line};
use crate::theme::{self, INK, LINE, MONO, MUTE, SEAL};

/// Height of a row.
const ROW: f64 = 22.0;
/// Width of a character at the rows' size.
const CHAR: f64 = 7.3;
/// Longest text of a call, in characters.
const CALL_MAX: usize = 72;
/// Longest text of a cell, in characters.
const CELL_MAX: usize = 34;

/// The calls around the scene's step as a picture.
pub(crate) fn svg(picture: &Picture<'_>) -> String {
    let Picture { scene, theme, .. } = picture;
    let theme = *theme;
    let rows: Vec<(&Row, Vec<String>)> = scene.rows.rows.iter().map(cells).collect();
    let call = widest(
        rows.iter().map(|(row, _)| row.text.as_str()),
        CALL_MAX,
        "call",
    );
    let columns: Vec<f64> = scene
        .names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let texts = rows.iter().filter_map(|(_, cells)| cells.get(at));
            widest(texts.map(String::as_str), CELL_MAX, &name.id)
        })
        .collect();
    let lefts: Vec<f64> = columns
        .iter()
        .scan(MARGIN + 44.0 + call, |x, width| {
            let left = *x;
            *x += width;
            Some(left)
        })
        .collect();
    let content = MARGIN + 44.0 + call + columns.iter().sum::<f64>() + MARGIN;
    let width = content.max(picture.width);
    let mut body = String::new();
    let mut y = MARGIN + 14.0;
    body.push_str(&text(theme, MARGIN, y, "line", MUTE, ""));
    body.push_str(&text(theme, MARGIN + 44.0, y, "call", MUTE, ""));
    for (at, (name, x)) in scene.names.iter().zip(&lefts).enumerate() {
        let bold = " font-weight=\"650\"";
        body.push_str(&text(theme, *x, y, &name.id, theme::variant(at), bold));
    }
    y += 8.0;
    for (row, cells) in &rows {
        let _ = write!(
            body,
            "<path d=\"M{} {}H{}\"{}/>",
            px(MARGIN),
            px(y),
            px(width - MARGIN),
            theme.paint("stroke", LINE)
        );
        if row.step == scene.step {
            let _ = write!(
                body,
                "<rect x=\"{}\" y=\"{}\" width=\"3\" height=\"{}\"{}/>",
                px(MARGIN - 6.0),
                px(y + 2.0),
                px(ROW - 4.0),
                theme.paint("fill", theme::CHANGE)
            );
        }
        let base = y + 15.5;
        body.push_str(&text(theme, MARGIN, base, &row.line.to_string(), MUTE, ""));
        body.push_str(&text(
            theme,
            MARGIN + 44.0,
            base,
            &cut(&row.text, CALL_MAX),
            INK,
            "",
        ));
        for (cell, x) in cells.iter().zip(&lefts) {
            let colour = match (row.differs, cell.as_str()) {
                (_, "same") => MUTE,
                (true, _) => SEAL,
                _ => INK,
            };
            body.push_str(&text(theme, *x, base, &cut(cell, CELL_MAX), colour, ""));
        }
        y += ROW;
    }
    for words in left_out(scene) {
        y += ROW;
        body.push_str(&line(theme, MARGIN, y - 6.0, &words, theme::SANS, 12.0));
    }
    frame(picture, width, y + MARGIN, &describe(scene), &body, None)
}

fn text(
    theme: theme::Theme,
    x: f64,
    y: f64,
    text: &str,
    colour: theme::Colour,
    more: &str,
) -> String {
    format!(
        "<text x=\"{}\" y=\"{}\" font-family=\"{MONO}\" font-size=\"12\"{more}{}>{}</text>",
        px(x),
        px(y),
        theme.paint("fill", colour),
        escaped(text)
    )
}

fn cells(row: &Row) -> (&Row, Vec<String>) {
    (row, row_cells(row))
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>, most: usize, head: &str) -> f64 {
    let longest = texts.map(|text| text.chars().count().min(most)).max();
    let longest = longest.unwrap_or(0).max(head.chars().count());
    longest as f64 * CHAR + 18.0
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// How many calls stand before and after those listed.
fn left_out(scene: &Scene) -> Vec<String> {
    let before = scene.rows.first;
    let after = scene
        .rows
        .total
        .saturating_sub(before.saturating_add(scene.rows.rows.len()));
    let say = |count: usize, place: &str| {
        let noun = if count == 1 { "call" } else { "calls" };
        (count > 0).then(|| format!("{count} {noun} {place} these"))
    };
    [say(before, "before"), say(after, "after")]
        .into_iter()
        .flatten()
        .collect()
}

fn describe(scene: &Scene) -> String {
    let mut out = String::new();
    for row in &scene.rows.rows {
        let _ = write!(out, "Line {}: {}", row.line, row.text);
        for (name, cell) in scene.names.iter().zip(row_cells(row)) {
            let _ = write!(out, "; {} {cell}", name.id);
        }
        out.push_str(".\n");
    }
    out
}

/// The calls as an HTML table, the step's row marked with `aria-current`.
#[must_use]
pub fn html_table(scene: &Scene) -> String {
    let mut out = String::from("<table class=\"sealab-result\">\n<caption>");
    out.push_str(&escaped(&scene.title));
    out.push_str("</caption>\n<thead><tr><th scope=\"col\">line</th><th scope=\"col\">call</th>");
    for name in &scene.names {
        let _ = write!(
            out,
            "<th scope=\"col\">{} {}</th>",
            escaped(&name.id),
            escaped(&name.label)
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &scene.rows.rows {
        let class = if row.differs {
            " class=\"differs\""
        } else {
            ""
        };
        let current = if row.step == scene.step {
            " aria-current=\"step\""
        } else {
            ""
        };
        let _ = write!(
            out,
            "<tr{class}{current}><td>{}</td><td><code>{}</code></td>",
            row.line,
            escaped(&row.text)
        );
        for cell in row_cells(row) {
            let _ = write!(out, "<td>{}</td>", escaped(&cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("<tr><td></td><td>total</td>");
    for total in &scene.totals {
        let _ = write!(out, "<td>{}</td>", escaped(total));
    }
    out.push_str("</tr>\n</tbody></table>\n");
    for words in left_out(scene).iter().chain(&scene.notes) {
        let _ = writeln!(out, "<p class=\"sealab-note\">{}</p>", escaped(words));
    }
    out
}
