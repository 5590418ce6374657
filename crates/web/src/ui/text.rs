//! Text from outside, shown for what it is.

use yew::prelude::*;

/// Properties of [`Plain`].
#[derive(Properties, PartialEq)]
pub struct PlainProps {
    /// The text.
    pub text: AttrValue,
}

/// Text whose invisible and direction-turning characters are named where they stand.
#[component]
pub fn Plain(props: &PlainProps) -> Html {
    html! { for piece in pieces(&props.text) { { show(piece) } } }
}

/// `sentence` with the stretches of `emphasis` (bytes) in bold.
pub fn emphasised(sentence: &str, emphasis: &[(usize, usize)]) -> Html {
    let mut parts = Vec::new();
    let mut at = 0;
    for &(start, end) in emphasis {
        // Ranges that do not fit the text are left plain rather than trusted.
        let (Some(before), Some(bold)) = (sentence.get(at..start), sentence.get(start..end)) else {
            continue;
        };
        parts.push(html! { <Plain text={before.to_owned()} /> });
        parts.push(html! { <b><Plain text={bold.to_owned()} /></b> });
        at = end;
    }
    let rest = sentence.get(at..).unwrap_or_default().to_owned();
    html! { <>{ for parts }<Plain text={rest} /></> }
}

/// Properties of [`Message`].
#[derive(Properties, PartialEq)]
pub struct MessageProps {
    /// The text.
    pub text: AttrValue,
}

/// A message in which `names` stand between backquotes: they are set as code.
#[component]
pub fn Message(props: &MessageProps) -> Html {
    let parts = props.text.split('`').enumerate();
    html! {
        for (index, part) in parts {
            if index % 2 == 1 {
                <code><Plain text={part.to_owned()} /></code>
            } else {
                <Plain text={part.to_owned()} />
            }
        }
    }
}

enum Piece<'a> {
    Text(&'a str),
    Odd(char),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().filter(|&(_, c)| is_odd(c)) {
        if start < at {
            out.push(Piece::Text(&text[start..at]));
        }
        out.push(Piece::Odd(c));
        start = at + c.len_utf8();
    }
    if start < text.len() {
        out.push(Piece::Text(&text[start..]));
    }
    out
}

fn show(piece: Piece<'_>) -> Html {
    match piece {
        Piece::Text(text) => html! { text.to_owned() },
        Piece::Odd(c) => {
            let code = format!("U+{:04X}", u32::from(c));
            html! { <span class="odd-char" title={format!("{code}: a character without a shape of its own")}>{ code }</span> }
        }
    }
}

/// Whether `c` is invisible or turns the text around it.
pub fn is_odd(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> String {
        let show = |piece: Piece<'_>| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Odd(c) => format!("<{:X}>", u32::from(c)),
        };
        pieces(text).into_iter().map(show).collect()
    }

    #[test]
    fn turning_and_invisible_characters_are_named() {
        assert_eq!(named("a\u{202e}b"), "a<202E>b");
        assert_eq!(named("he\u{200b}ap"), "he<200B>ap");
        assert_eq!(named("\u{0}x\u{7f}"), "<0>x<7F>");
        assert_eq!(named("\u{feff}"), "<FEFF>");
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for text in ["", "heap + 8K", "Größe", "堆", "كومة", "a\tb"] {
            assert_eq!(named(text), text);
        }
    }
}
