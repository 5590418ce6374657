//! Characters that are not what they seem: invisible ones, ones that turn the reading direction,
//! and look-alikes of ASCII letters and marks. They are shown for what they are, by name.

/// Whether `ch` is read as a blank: unusual spaces, and what cannot be seen at all.
pub(crate) fn is_blank(ch: char) -> bool {
    ch.is_whitespace() || invisible_name(ch).is_some()
}

/// Whether an invisible `ch` may stand inside a word without ending it, so that the word is
/// reported as a whole.
pub(crate) fn joins_words(ch: char) -> bool {
    invisible_name(ch).is_some()
}

/// The ASCII mark that a look-alike stands for.
pub(crate) fn meant_mark(ch: char) -> Option<u8> {
    MARKS
        .iter()
        .find(|(mark, _, _)| *mark == ch)
        .map(|(_, meant, _)| *meant)
        .or_else(|| fullwidth(ch).filter(u8::is_ascii_punctuation))
}

/// The ASCII letter or digit that a look-alike is taken for by the eye.
pub(crate) fn meant_letter(ch: char) -> Option<char> {
    LETTERS
        .iter()
        .find(|(letter, _, _)| *letter == ch)
        .map(|(_, meant, _)| *meant)
        .or_else(|| {
            fullwidth(ch)
                .filter(u8::is_ascii_alphanumeric)
                .map(char::from)
        })
}

/// The name of an invisible character.
pub(crate) fn invisible_name(ch: char) -> Option<&'static str> {
    INVISIBLE
        .iter()
        .find(|(invisible, _)| *invisible == ch)
        .map(|(_, name)| *name)
        .or_else(|| bidi_name(ch))
        .or(match ch {
            '\u{fe00}'..='\u{fe0f}' => Some("VARIATION SELECTOR"),
            '\u{e0000}'..='\u{e007f}' => Some("TAG CHARACTER"),
            _ => None,
        })
}

/// The name of a character that turns the direction of reading, so that a text may look unlike
/// what it says.
pub(crate) fn bidi_name(ch: char) -> Option<&'static str> {
    BIDI.iter()
        .find(|(bidi, _)| *bidi == ch)
        .map(|(_, name)| *name)
}

/// The word as the eye reads it: invisible characters left out, look-alikes replaced.
pub(crate) fn skeleton(word: &str) -> String {
    word.chars()
        .filter(|ch| invisible_name(*ch).is_none() && *ch != '\\')
        .map(|ch| meant_letter(ch).unwrap_or(ch))
        .collect()
}

/// `U+0430 CYRILLIC SMALL LETTER A`; only the number where the name is not known here.
pub(crate) fn describe(ch: char) -> String {
    let number = u32::from(ch);
    let name = invisible_name(ch)
        .or_else(|| MARKS.iter().find(|(mark, _, _)| *mark == ch).map(|m| m.2))
        .or_else(|| LETTERS.iter().find(|(l, _, _)| *l == ch).map(|l| l.2));
    match name {
        Some(name) => format!("U+{number:04X} {name}"),
        None if fullwidth(ch).is_some() => format!("U+{number:04X} FULLWIDTH FORM"),
        None => format!("U+{number:04X}"),
    }
}

/// The ASCII character whose full-width form (CJK typography) `ch` is.
fn fullwidth(ch: char) -> Option<u8> {
    let offset = u32::from(ch).checked_sub(0xff01)?;
    (offset < 0x5e).then(|| u8::try_from(offset + 0x21).ok())?
}

const INVISIBLE: &[(char, &str)] = &[
    ('\u{ad}', "SOFT HYPHEN"),
    ('\u{34f}', "COMBINING GRAPHEME JOINER"),
    ('\u{115f}', "HANGUL CHOSEONG FILLER"),
    ('\u{1160}', "HANGUL JUNGSEONG FILLER"),
    ('\u{17b4}', "KHMER VOWEL INHERENT AQ"),
    ('\u{180e}', "MONGOLIAN VOWEL SEPARATOR"),
    ('\u{200b}', "ZERO WIDTH SPACE"),
    ('\u{200c}', "ZERO WIDTH NON-JOINER"),
    ('\u{200d}', "ZERO WIDTH JOINER"),
    ('\u{2060}', "WORD JOINER"),
    ('\u{2061}', "FUNCTION APPLICATION"),
    ('\u{2062}', "INVISIBLE TIMES"),
    ('\u{2063}', "INVISIBLE SEPARATOR"),
    ('\u{2064}', "INVISIBLE PLUS"),
    ('\u{3164}', "HANGUL FILLER"),
    ('\u{feff}', "ZERO WIDTH NO-BREAK SPACE"),
    ('\u{ffa0}', "HALFWIDTH HANGUL FILLER"),
];

const BIDI: &[(char, &str)] = &[
    ('\u{61c}', "ARABIC LETTER MARK"),
    ('\u{200e}', "LEFT-TO-RIGHT MARK"),
    ('\u{200f}', "RIGHT-TO-LEFT MARK"),
    ('\u{202a}', "LEFT-TO-RIGHT EMBEDDING"),
    ('\u{202b}', "RIGHT-TO-LEFT EMBEDDING"),
    ('\u{202c}', "POP DIRECTIONAL FORMATTING"),
    ('\u{202d}', "LEFT-TO-RIGHT OVERRIDE"),
    ('\u{202e}', "RIGHT-TO-LEFT OVERRIDE"),
    ('\u{2066}', "LEFT-TO-RIGHT ISOLATE"),
    ('\u{2067}', "RIGHT-TO-LEFT ISOLATE"),
    ('\u{2068}', "FIRST STRONG ISOLATE"),
    ('\u{2069}', "POP DIRECTIONAL ISOLATE"),
];

/// Marks that word processors, chat tools and keyboards put in place of ASCII ones.
const MARKS: &[(char, u8, &str)] = &[
    ('\u{ab}', b'"', "LEFT-POINTING DOUBLE ANGLE QUOTATION MARK"),
    ('\u{bb}', b'"', "RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK"),
    ('\u{201c}', b'"', "LEFT DOUBLE QUOTATION MARK"),
    ('\u{201d}', b'"', "RIGHT DOUBLE QUOTATION MARK"),
    ('\u{201e}', b'"', "DOUBLE LOW-9 QUOTATION MARK"),
    ('\u{201f}', b'"', "DOUBLE HIGH-REVERSED-9 QUOTATION MARK"),
    ('\u{2010}', b'-', "HYPHEN"),
    ('\u{2011}', b'-', "NON-BREAKING HYPHEN"),
    ('\u{2012}', b'-', "FIGURE DASH"),
    ('\u{2013}', b'-', "EN DASH"),
    ('\u{2014}', b'-', "EM DASH"),
    ('\u{2026}', b'.', "HORIZONTAL ELLIPSIS"),
    ('\u{2044}', b'/', "FRACTION SLASH"),
    ('\u{2212}', b'-', "MINUS SIGN"),
    ('\u{2215}', b'/', "DIVISION SLASH"),
    ('\u{2223}', b'|', "DIVIDES"),
    ('\u{22c5}', b'*', "DOT OPERATOR"),
    ('\u{d7}', b'*', "MULTIPLICATION SIGN"),
    ('\u{1c0}', b'|', "LATIN LETTER DENTAL CLICK"),
    ('\u{3001}', b',', "IDEOGRAPHIC COMMA"),
    ('\u{37e}', b';', "GREEK QUESTION MARK"),
];

#[rustfmt::skip]
const LETTERS: &[(char, char, &str)] = &[
    ('а', 'a', "CYRILLIC SMALL LETTER A"), ('в', 'b', "CYRILLIC SMALL LETTER VE"),
    ('е', 'e', "CYRILLIC SMALL LETTER IE"), ('к', 'k', "CYRILLIC SMALL LETTER KA"),
    ('м', 'm', "CYRILLIC SMALL LETTER EM"), ('н', 'h', "CYRILLIC SMALL LETTER EN"),
    ('о', 'o', "CYRILLIC SMALL LETTER O"), ('р', 'p', "CYRILLIC SMALL LETTER ER"),
    ('с', 'c', "CYRILLIC SMALL LETTER ES"), ('т', 't', "CYRILLIC SMALL LETTER TE"),
    ('у', 'y', "CYRILLIC SMALL LETTER U"), ('х', 'x', "CYRILLIC SMALL LETTER HA"),
    ('ѕ', 's', "CYRILLIC SMALL LETTER DZE"), ('і', 'i', "CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I"),
    ('ј', 'j', "CYRILLIC SMALL LETTER JE"), ('һ', 'h', "CYRILLIC SMALL LETTER SHHA"),
    ('ԁ', 'd', "CYRILLIC SMALL LETTER KOMI DE"), ('ԛ', 'q', "CYRILLIC SMALL LETTER QA"),
    ('ԝ', 'w', "CYRILLIC SMALL LETTER WE"), ('А', 'A', "CYRILLIC CAPITAL LETTER A"),
    ('В', 'B', "CYRILLIC CAPITAL LETTER VE"), ('Е', 'E', "CYRILLIC CAPITAL LETTER IE"),
    ('К', 'K', "CYRILLIC CAPITAL LETTER KA"), ('М', 'M', "CYRILLIC CAPITAL LETTER EM"),
    ('Н', 'H', "CYRILLIC CAPITAL LETTER EN"), ('О', 'O', "CYRILLIC CAPITAL LETTER O"),
    ('Р', 'P', "CYRILLIC CAPITAL LETTER ER"), ('С', 'C', "CYRILLIC CAPITAL LETTER ES"),
    ('Т', 'T', "CYRILLIC CAPITAL LETTER TE"), ('У', 'Y', "CYRILLIC CAPITAL LETTER U"),
    ('Х', 'X', "CYRILLIC CAPITAL LETTER HA"), ('Ѕ', 'S', "CYRILLIC CAPITAL LETTER DZE"),
    ('І', 'I', "CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I"), ('Ј', 'J', "CYRILLIC CAPITAL LETTER JE"),
    ('α', 'a', "GREEK SMALL LETTER ALPHA"), ('ι', 'i', "GREEK SMALL LETTER IOTA"),
    ('κ', 'k', "GREEK SMALL LETTER KAPPA"), ('ν', 'v', "GREEK SMALL LETTER NU"),
    ('ο', 'o', "GREEK SMALL LETTER OMICRON"), ('ρ', 'p', "GREEK SMALL LETTER RHO"),
    ('υ', 'u', "GREEK SMALL LETTER UPSILON"), ('χ', 'x', "GREEK SMALL LETTER CHI"),
    ('Α', 'A', "GREEK CAPITAL LETTER ALPHA"), ('Β', 'B', "GREEK CAPITAL LETTER BETA"),
    ('Ε', 'E', "GREEK CAPITAL LETTER EPSILON"), ('Ζ', 'Z', "GREEK CAPITAL LETTER ZETA"),
    ('Η', 'H', "GREEK CAPITAL LETTER ETA"), ('Ι', 'I', "GREEK CAPITAL LETTER IOTA"),
    ('Κ', 'K', "GREEK CAPITAL LETTER KAPPA"), ('Μ', 'M', "GREEK CAPITAL LETTER MU"),
    ('Ν', 'N', "GREEK CAPITAL LETTER NU"), ('Ο', 'O', "GREEK CAPITAL LETTER OMICRON"),
    ('Ρ', 'P', "GREEK CAPITAL LETTER RHO"), ('Τ', 'T', "GREEK CAPITAL LETTER TAU"),
    ('Υ', 'Y', "GREEK CAPITAL LETTER UPSILON"), ('Χ', 'X', "GREEK CAPITAL LETTER CHI"),
    ('ı', 'i', "LATIN SMALL LETTER DOTLESS I"), ('ɡ', 'g', "LATIN SMALL LETTER SCRIPT G"),
    ('ɑ', 'a', "LATIN SMALL LETTER ALPHA"), ('ℓ', 'l', "SCRIPT SMALL L"),
    ('ո', 'n', "ARMENIAN SMALL LETTER VO"), ('օ', 'o', "ARMENIAN SMALL LETTER OH"),
    ('ս', 'u', "ARMENIAN SMALL LETTER SEH"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_seen_through() {
        assert_eq!(skeleton("mmаp"), "mmap");
        assert_eq!(skeleton("m\u{200b}map"), "mmap");
        assert_eq!(skeleton("ｍｍａｐ"), "mmap");
        assert_eq!(describe('а'), "U+0430 CYRILLIC SMALL LETTER A");
        assert_eq!(describe('\u{200b}'), "U+200B ZERO WIDTH SPACE");
        assert_eq!(describe('漢'), "U+6F22");
    }

    #[test]
    fn marks_are_understood() {
        assert_eq!(meant_mark('\u{2212}'), Some(b'-'));
        assert_eq!(meant_mark('（'), Some(b'('));
        assert_eq!(meant_mark('a'), None);
        assert!(is_blank('\u{a0}') && is_blank('\u{202e}'));
    }
}
