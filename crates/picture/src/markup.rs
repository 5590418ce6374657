//! Text that goes into markup. Everything that comes from a scenario passes through here.

use std::fmt::Write as _;

/// `text` for an element's content or a quoted attribute, in HTML and XML alike. Characters that
/// XML does not allow at all, and those that turn the direction of what follows, are shown as `�`.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || is_forbidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn is_forbidden(c: char) -> bool {
    matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number of pixels, to a tenth, without a needless `.0`.
#[must_use]
pub fn px(value: f64) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(out, "{value:.1}");
    if let Some(whole) = out.strip_suffix(".0") {
        out.truncate(whole.len());
    }
    out
}

/// A name for what is written that another picture on the same page will not have by chance
/// (FNV-1a).
#[must_use]
pub fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_element_or_attribute() {
        let out = escaped("<script>'\"&\u{0}\u{1b}\u{202e}]]>");
        assert_eq!(
            out,
            "&lt;script&gt;&#39;&quot;&amp;\u{fffd}\u{fffd}\u{fffd}]]&gt;"
        );
    }

    #[test]
    fn pixels_are_short() {
        assert_eq!([1.0, 1.04, 1.25, -0.5].map(px), ["1", "1", "1.2", "-0.5"]);
    }

    #[test]
    fn fingerprints_tell_parts_apart() {
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
