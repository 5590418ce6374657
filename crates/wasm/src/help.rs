//! Colours, completion and hover help as the editor module takes them
//! (`www/src/editor/types.ts`).

use std::collections::HashMap;

use sealab_scenario::{TokenKind, help, tokens};
use serde::Serialize;

use crate::units::{Units, byte_at};

/// Tokens without an object for each: `spans` holds from, to and an index into `kinds`.
#[derive(Debug, Default)]
pub struct PackedTokens {
    /// Names of the colours that occur.
    pub kinds: Vec<&'static str>,
    /// Three numbers a token.
    pub spans: Vec<u32>,
}

/// The tokens of `text`.
pub fn packed_tokens(text: &str) -> PackedTokens {
    let mut packed = PackedTokens::default();
    let mut places = HashMap::new();
    let mut units = Units::new(text);
    for token in tokens(text) {
        let colour = colour(token.kind);
        let place = *places.entry(colour).or_insert_with(|| {
            packed.kinds.push(colour);
            u32::try_from(packed.kinds.len()).unwrap_or(1) - 1
        });
        let from = units.at(token.span.start);
        let to = units.at(token.span.end);
        packed.spans.extend([from, to, place]);
    }
    packed
}

/// The colour that a kind of token has in the editor (`www/src/editor/theme.ts`).
fn colour(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Keyword => "keyword",
        TokenKind::Call | TokenKind::Access => "call",
        TokenKind::Name => "name",
        TokenKind::Number | TokenKind::Constant => "number",
        TokenKind::Flag => "flag",
        TokenKind::Errno => "result",
        TokenKind::String => "string",
        // What takes no part in the run stands back.
        TokenKind::Comment | TokenKind::SkippedCall | TokenKind::Trace | TokenKind::Other => {
            "comment"
        }
        TokenKind::Operator | TokenKind::Punctuation => "punctuation",
    }
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

    #[test]
    fn tokens_are_packed_in_utf16_units_and_ascend() {
        let text = "𝕏 = mmap(NULL, 4K) # é";
        let packed = packed_tokens(text);
        let spans: Vec<_> = packed.spans.chunks(3).map(|s| (s[0], s[1])).collect();
        assert!(
            spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "{spans:?}"
        );
        let call = packed
            .kinds
            .iter()
            .position(|&kind| kind == "call")
            .expect("a call");
        let place = packed
            .spans
            .chunks(3)
            .find(|s| s[2] as usize == call)
            .expect("a span");
        let units: Vec<u16> = text.encode_utf16().collect();
        let word = String::from_utf16(&units[place[0] as usize..place[1] as usize]);
        assert_eq!(word.as_deref().ok(), Some("mmap"));
    }

    #[test]
    fn completion_takes_the_place_of_the_word_at_the_cursor() {
        let text = "é\nmprot";
        let answer = complete(text, text.encode_utf16().count()).expect("an answer");
        assert_eq!((answer.from, answer.to), (2, 7));
        assert!(
            answer
                .options
                .iter()
                .any(|option| option.label == "mprotect")
        );
    }

    #[test]
    fn a_call_has_help_and_a_blank_has_none() {
        let answer = hover("mseal(0, 4K, 0)", 2).expect("help");
        assert_eq!((answer.from, answer.to), (0, 5));
        assert!(!answer.body.is_empty());
        assert!(hover("   ", 1).is_none());
    }
}
