//! Colours, completion and hover help as the editor module takes them
//! (`www/src/editor/types.ts`).

use std::collections::HashMap;

use sealab_scenario::{help, tokens};
use serde::Serialize;

use crate::units::{Units, byte_at};

/// Tokens without an object for each: `spans` holds from, to and an index into `kinds`.
#[derive(Debug, Default)]
pub struct PackedTokens {
    /// Names of the kinds that occur.
    pub kinds: Vec<String>,
    /// Three numbers a token.
    pub spans: Vec<u32>,
}

/// The tokens of `text`.
pub fn packed_tokens(text: &str) -> PackedTokens {
    let mut packed = PackedTokens::default();
    let mut places = HashMap::new();
    let mut units = Units::new(text);
    for token in tokens(text) {
        let place = *places.entry(token.kind).or_insert_with(|| {
            packed.kinds.push(kind_name(&token.kind));
            u32::try_from(packed.kinds.len()).unwrap_or(1) - 1
        });
        let from = units.at(token.span.start);
        let to = units.at(token.span.end);
        packed.spans.extend([from, to, place]);
    }
    packed
}

/// A kind's name as serde writes it, which is the name that the style sheet knows.
fn kind_name(kind: &sealab_scenario::TokenKind) -> String {
    let debug = format!("{kind:?}");
    let mut name = String::with_capacity(debug.len() + 2);
    for c in debug.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// What may be written at the cursor.
#[derive(Debug, Serialize)]
pub struct CompletionAnswer {
    from: u32,
    to: u32,
    options: Vec<CompletionOption>,
}

#[derive(Debug, Serialize)]
struct CompletionOption {
    label: String,
    kind: &'static str,
    detail: String,
    apply: String,
}

/// What may be written at `unit`; `None` where nothing is known.
pub fn complete(text: &str, unit: usize) -> Option<CompletionAnswer> {
    let found = help::complete(text, byte_at(text, unit));
    // All take the place of the same word; one that does not could not be shown in one list.
    let replace = found.first()?.replace.clone();
    let options = found.into_iter().filter(|c| c.replace == replace);
    let options = options.map(|completion| CompletionOption {
        kind: match completion.kind {
            "call" | "access" => "function",
            "flag" | "errno" | "constant" => "constant",
            "keyword" => "keyword",
            "name" => "variable",
            _ => "text",
        },
        label: completion.label,
        detail: completion.detail,
        apply: completion.insert,
    });
    let options = options.collect();
    let mut units = Units::new(text);
    Some(CompletionAnswer {
        from: units.at(replace.start),
        to: units.at(replace.end),
        options,
    })
}

/// Help on what stands in the text.
#[derive(Debug, Serialize)]
pub struct HoverAnswer {
    from: u32,
    to: u32,
    title: String,
    body: Vec<String>,
}

/// Help on what stands at `unit`, if there is any.
pub fn hover(text: &str, unit: usize) -> Option<HoverAnswer> {
    let hover = help::hover(text, byte_at(text, unit))?;
    let mut units = Units::new(text);
    Some(HoverAnswer {
        from: units.at(hover.span.start),
        to: units.at(hover.span.end),
        title: hover.title,
        body: hover.paragraphs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_scenario::TokenKind;

    #[test]
    fn kinds_have_the_names_that_the_style_sheet_knows() {
        assert_eq!(kind_name(&TokenKind::SkippedCall), "skipped-call");
        assert_eq!(kind_name(&TokenKind::Flag), "flag");
    }
}
