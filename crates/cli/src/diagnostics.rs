//! Faults of a text, shown in it.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use sealab_scenario::text::{LineIndex, floor_boundary};
use sealab_scenario::{Diagnostic, Severity};

/// Most faults shown one by one.
const MOST: usize = 20;
/// Most bytes of a line that are shown around a fault.
const WINDOW: usize = 120;

/// Prints `faults` of `text` to the standard error; `name` is what the text is called.
pub fn print(name: &str, text: &str, faults: &[Diagnostic]) {
    let renderer = Renderer::styled();
    let index = LineIndex::new(text);
    for fault in faults.iter().take(MOST) {
        anstream::eprintln!("{}\n", one(&renderer, name, text, &index, fault));
    }
    if faults.len() > MOST {
        anstream::eprintln!("… and {} more; --json has them all\n", faults.len() - MOST);
    }
}

fn one(
    renderer: &Renderer,
    name: &str,
    text: &str,
    index: &LineIndex,
    fault: &Diagnostic,
) -> String {
    // Only the fault's own lines, and of long ones only a part: the rest may be megabytes.
    let start = index.line_start(fault.line);
    let last = fault.end_line.max(fault.line).min(fault.line + 2);
    let end = match index.line_start(last + 1) {
        next if next > start => next,
        _ => text.len(),
    };
    let from = floor_boundary(text, start.max(fault.span.start.saturating_sub(WINDOW)));
    let to = floor_boundary(text, end.min(fault.span.start.saturating_add(2 * WINDOW)));
    let shown = text.get(from..to).unwrap_or("").trim_end();
    let inside = |at: usize| floor_boundary(shown, at.saturating_sub(from));
    let span = inside(fault.span.start)..inside(fault.span.end).max(inside(fault.span.start));
    let level = match fault.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let snippet = Snippet::source(shown)
        .line_start(fault.line as usize)
        .path(name)
        .annotation(AnnotationKind::Primary.span(span));
    let mut group = level
        .primary_title(fault.message.as_str())
        .id(fault.code)
        .element(snippet);
    if let Some(hint) = &fault.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    renderer.render(&[group])
}
