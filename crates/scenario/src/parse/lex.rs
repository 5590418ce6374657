//! Words, numbers and marks of a stretch of text. The parser and the highlighter share it.

use std::ops::Range;

use super::suspicious;

/// Splits a stretch of text into lexemes; blanks and comments lie between them.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether Markdown's marks (`**`, backticks, `\_`) count as blanks, as in what a tool printed
    /// and a web page passed on.
    lenient: bool,
}

/// A word, number or mark with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lexeme {
    pub kind: Lex,
    pub start: usize,
    pub end: usize,
}

/// Kind of a lexeme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lex {
    /// The end of the stretch.
    End,
    /// A name. It may hold letters that only look like ASCII ones; see [`suspicious`].
    Word,
    /// Starts with a digit, runs on over letters and digits.
    Number,
    /// In quotes; whether the closing one is there.
    Text { closed: bool },
    /// A comment; whether a `/*` has its `*/`.
    Comment { closed: bool },
    /// One of the ASCII marks, or a look-alike of it.
    Mark(u8),
    /// `<<`
    ShiftLeft,
    /// `...`
    Ellipsis,
    /// Anything else.
    Other,
}

impl Lexeme {
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    pub fn is(self, mark: u8) -> bool {
        self.kind == Lex::Mark(mark)
    }
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, at: usize, lenient: bool) -> Self {
        Self { text, at, lenient }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn char(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// The next lexeme that is no comment, and whether an unclosed comment was passed over.
    pub fn next_lexeme(&mut self) -> (Lexeme, bool) {
        let mut unclosed = false;
        loop {
            let lexeme = self.next_or_comment();
            match lexeme.kind {
                Lex::Comment { closed } => unclosed |= !closed,
                _ => return (lexeme, unclosed),
            }
        }
    }

    /// The next lexeme, comments included.
    pub fn next_or_comment(&mut self) -> Lexeme {
        self.skip_blanks();
        let start = self.at;
        let kind = self.scan();
        Lexeme {
            kind,
            start,
            end: self.at,
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'`' | b'\\' if self.lenient => self.at += 1,
                b'*' if self.lenient && self.byte(self.at + 1) == Some(b'*') => self.at += 2,
                0x80.. => match self.char(self.at) {
                    Some(ch) if suspicious::is_blank(ch) => self.at += ch.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn scan(&mut self) -> Lex {
        let Some(byte) = self.byte(self.at) else {
            return Lex::End;
        };
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.skip_word();
                Lex::Word
            }
            b'0'..=b'9' => {
                self.skip_word();
                Lex::Number
            }
            b'"' => self.scan_text(1),
            b'#' => self.scan_line_comment(),
            b'/' if self.byte(self.at + 1) == Some(b'/') => self.scan_line_comment(),
            b'/' if self.byte(self.at + 1) == Some(b'*') => self.scan_block_comment(),
            b'<' if self.byte(self.at + 1) == Some(b'<') => {
                self.at += 2;
                Lex::ShiftLeft
            }
            b'.' if self
                .text
                .get(self.at..)
                .is_some_and(|s| s.starts_with("...")) =>
            {
                self.at += 3;
                Lex::Ellipsis
            }
            0x80.. => self.scan_unicode(),
            mark => {
                self.at += 1;
                if mark.is_ascii_punctuation() {
                    Lex::Mark(mark)
                } else {
                    Lex::Other
                }
            }
        }
    }

    fn skip_word(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => self.at += 1,
                // Markdown's `MAP\_PRIVATE`
                b'\\' if self.lenient && self.byte(self.at + 1) == Some(b'_') => self.at += 2,
                0x80.. => match self.char(self.at) {
                    Some(ch) if ch.is_alphanumeric() || suspicious::joins_words(ch) => {
                        self.at += ch.len_utf8();
                    }
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn scan_unicode(&mut self) -> Lex {
        let Some(ch) = self.char(self.at) else {
            self.at = self.text.len();
            return Lex::End;
        };
        if ch.is_alphabetic() {
            self.skip_word();
            return Lex::Word;
        }
        match suspicious::meant_mark(ch) {
            Some(b'"') => self.scan_text(ch.len_utf8()),
            Some(b'.') => {
                self.at += ch.len_utf8();
                Lex::Ellipsis
            }
            Some(mark) => {
                self.at += ch.len_utf8();
                Lex::Mark(mark)
            }
            None => {
                self.at += ch.len_utf8();
                Lex::Other
            }
        }
    }

    fn scan_text(&mut self, quote: usize) -> Lex {
        self.at += quote;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Lex::Text { closed: true };
                }
                b'\\' => {
                    self.at += 1;
                    self.at += self.char(self.at).map_or(0, char::len_utf8);
                }
                b'\n' | b'\r' => return Lex::Text { closed: false },
                0x80.. => {
                    let ch = self.char(self.at).unwrap_or('\u{fffd}');
                    self.at += ch.len_utf8();
                    if suspicious::meant_mark(ch) == Some(b'"') {
                        return Lex::Text { closed: true };
                    }
                }
                _ => self.at += 1,
            }
        }
        Lex::Text { closed: false }
    }

    fn scan_line_comment(&mut self) -> Lex {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        Lex::Comment { closed: true }
    }

    fn scan_block_comment(&mut self) -> Lex {
        let rest = self.text.get(self.at + 2..).unwrap_or("");
        if let Some(end) = rest.find("*/") {
            self.at += end + 4;
            Lex::Comment { closed: true }
        } else {
            self.at = self.text.len();
            Lex::Comment { closed: false }
        }
    }
}

/// What a text in quotes says, with strace's escapes undone.
pub(crate) fn unquote(quoted: &str) -> String {
    let is_quote = |ch: char| ch == '"' || suspicious::meant_mark(ch) == Some(b'"');
    let inner = quoted.strip_prefix(is_quote).unwrap_or(quoted);
    let inner = inner.strip_suffix(is_quote).unwrap_or(inner);
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'v') => bytes.push(0x0b),
            Some(b'f') => bytes.push(0x0c),
            Some(b'x') => {
                let digits = take_digits(&mut rest, 16, 2, 0);
                bytes.push(digits);
            }
            Some(digit @ b'0'..=b'7') => {
                let value = take_digits(&mut rest, 8, 2, u32::from(digit - b'0'));
                bytes.push(value);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn take_digits(
    rest: &mut std::iter::Peekable<std::str::Bytes<'_>>,
    radix: u32,
    most: u32,
    first: u32,
) -> u8 {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|&b| char::from(b).to_digit(radix)) else {
            break;
        };
        value = value * radix + digit;
        rest.next();
    }
    u8::try_from(value & 0xff).unwrap_or(0)
}

/// Why a number could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberFault {
    /// More than 64 bits.
    TooLarge,
    /// A digit or suffix that is none.
    Malformed,
    /// A leading 0 makes it octal, and it has an 8 or 9.
    NotOctal,
}

/// The value of a number: decimal, `0x` hexadecimal, `0` octal, with `_` between digits, and with
/// a suffix `K M G T` (powers of 1024).
pub(crate) fn number(text: &str) -> Result<u64, NumberFault> {
    let bytes = text.as_bytes();
    let (radix, digits) = match bytes {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => (8, rest),
        _ => (10, bytes),
    };
    let mut value: u64 = 0;
    let mut seen = false;
    for (index, &byte) in digits.iter().enumerate() {
        match char::from(byte).to_digit(radix) {
            Some(digit) => {
                value = value
                    .checked_mul(u64::from(radix))
                    .and_then(|v| v.checked_add(u64::from(digit)))
                    .ok_or(NumberFault::TooLarge)?;
                seen = true;
            }
            None if byte == b'_' && seen => {}
            None if radix == 8 && byte.is_ascii_digit() => return Err(NumberFault::NotOctal),
            None if seen => {
                let shift = suffix(digits.get(index..).unwrap_or(&[]))?;
                return value.checked_mul(1 << shift).ok_or(NumberFault::TooLarge);
            }
            None => return Err(NumberFault::Malformed),
        }
    }
    if seen {
        Ok(value)
    } else {
        Err(NumberFault::Malformed)
    }
}

fn suffix(suffix: &[u8]) -> Result<u32, NumberFault> {
    let letter = match suffix {
        [letter] | [letter, b'i', b'B'] => *letter,
        _ => return Err(NumberFault::Malformed),
    };
    match letter {
        b'K' | b'k' => Ok(10),
        b'M' | b'm' => Ok(20),
        b'G' | b'g' => Ok(30),
        b'T' | b't' => Ok(40),
        _ => Err(NumberFault::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<(Lex, &str)> {
        let mut lexer = Lexer::new(text, 0, false);
        let mut all = Vec::new();
        loop {
            let lexeme = lexer.next_or_comment();
            if lexeme.kind == Lex::End {
                return all;
            }
            all.push((lexeme.kind, &text[lexeme.range()]));
        }
    }

    #[test]
    fn a_call_splits_into_words_and_marks() {
        let all = lex("munmap(heap+8K, 0x10) # gone");
        let texts: Vec<_> = all.iter().map(|(_, text)| *text).collect();
        assert_eq!(
            texts,
            ["munmap", "(", "heap", "+", "8K", ",", "0x10", ")", "# gone"]
        );
    }

    #[test]
    fn text_ends_at_its_quote_or_at_the_line() {
        assert_eq!(
            lex(r#""a\"b" c"#)[0],
            (Lex::Text { closed: true }, r#""a\"b""#)
        );
        assert_eq!(lex("\"ab\nc")[0], (Lex::Text { closed: false }, "\"ab"));
        assert_eq!(lex("\u{201c}ab\u{201d}")[0].0, Lex::Text { closed: true });
    }

    #[test]
    fn numbers_have_suffixes_and_bases() {
        assert_eq!(number("32K"), Ok(32768));
        assert_eq!(number("0x10"), Ok(16));
        assert_eq!(number("0755"), Ok(0o755));
        assert_eq!(number("1_000_000"), Ok(1_000_000));
        assert_eq!(number("2MiB"), Ok(2 << 20));
        assert_eq!(number("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(number("18446744073709551616"), Err(NumberFault::TooLarge));
        assert_eq!(number("99999999999G"), Err(NumberFault::TooLarge));
        assert_eq!(number("089"), Err(NumberFault::NotOctal));
        assert_eq!(number("12Q"), Err(NumberFault::Malformed));
        assert_eq!(number("0x"), Err(NumberFault::Malformed));
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unquote(r#""a\tb\x41\101\"""#), "a\tbAA\"");
        assert_eq!(unquote(r#""\303\244""#), "ä");
    }
}
