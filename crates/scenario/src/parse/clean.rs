//! Undoes what mail and web pages do to a text: a byte-order mark, terminal colours,
//! quoted-printable, HTML entities and tags. What is cleaned still knows where it came from.

use std::borrow::Cow;

/// A cleaned text and the way back to the text it was made from.
#[derive(Debug)]
pub(crate) struct Clean<'t> {
    pub text: Cow<'t, str>,
    /// Where stretches of the cleaned text came from: from each first offset on, bytes follow the
    /// second one by one, up to the next entry. Empty where both texts are the same.
    map: Vec<(usize, usize)>,
}

impl Clean<'_> {
    /// The lines without their ends, each with its start.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut lines = super::record::Lines::new(&self.text);
        std::iter::from_fn(move || {
            let range = lines.next_line()?;
            Some((range.start, self.text.get(range)?))
        })
    }

    /// The offset in the original text.
    pub fn original(&self, offset: usize) -> usize {
        let after = self.map.partition_point(|(clean, _)| *clean <= offset);
        match after.checked_sub(1).and_then(|index| self.map.get(index)) {
            Some((clean, original)) => original + (offset - clean),
            None => offset,
        }
    }
}

/// Cleans `text`; borrows it where there is nothing to do.
pub(crate) fn clean(text: &str) -> Clean<'_> {
    let ways = Ways::of(text);
    if !ways.any() {
        return Clean {
            text: Cow::Borrowed(text),
            map: Vec::new(),
        };
    }
    let mut cleaner = Cleaner {
        text,
        at: 0,
        out: Vec::with_capacity(text.len()),
        map: Vec::new(),
        in_string: false,
    };
    while cleaner.at < text.len() {
        cleaner.step(ways);
    }
    cleaner.map.push((cleaner.out.len(), text.len()));
    let out =
        String::from_utf8(cleaner.out).unwrap_or_else(|error| same_length_lossy(error.as_bytes()));
    Clean {
        text: Cow::Owned(out),
        map: cleaner.map,
    }
}

/// What there is to undo in a text.
#[derive(Clone, Copy)]
struct Ways {
    bom: bool,
    colours: bool,
    quoted_printable: bool,
    entities: bool,
    tags: bool,
}

impl Ways {
    fn of(text: &str) -> Self {
        let has = |needle: &str| memchr::memmem::find(text.as_bytes(), needle.as_bytes()).is_some();
        let entities = memchr::memchr(b'&', text.as_bytes()).is_some()
            && ENTITIES.iter().any(|(name, _)| has(name))
            || has("&#");
        Self {
            bom: text.starts_with('\u{feff}'),
            colours: memchr::memchr(0x1b, text.as_bytes()).is_some(),
            quoted_printable: is_quoted_printable(text),
            entities,
            tags: [
                "<pre", "<code", "<br", "<p>", "<span", "<div", "<b>", "<strong", "<tt>",
            ]
            .iter()
            .any(|tag| has(tag)),
        }
    }

    fn any(self) -> bool {
        self.bom || self.colours || self.quoted_printable || self.entities || self.tags
    }
}

/// In quoted-printable every `=` is `=3D`; in any other text of calls, `=` is followed by a blank.
fn is_quoted_printable(text: &str) -> bool {
    let coded = memchr::memmem::find_iter(text.as_bytes(), b"=3D").count();
    coded > 0 && memchr::memmem::find_iter(text.as_bytes(), b"= ").count() * 4 <= coded
}

const ENTITIES: &[(&str, u8)] = &[
    ("&lt;", b'<'),
    ("&gt;", b'>'),
    ("&quot;", b'"'),
    ("&apos;", b'\''),
    ("&nbsp;", b' '),
    ("&amp;", b'&'),
    ("&vert;", b'|'),
    ("&equals;", b'='),
    ("&lpar;", b'('),
    ("&rpar;", b')'),
    ("&comma;", b','),
    ("&hellip;", b'.'),
];

const TAGS: &[&str] = &[
    "pre",
    "code",
    "br",
    "p",
    "span",
    "div",
    "b",
    "i",
    "em",
    "strong",
    "tt",
    "a",
    "li",
    "ul",
    "ol",
    "td",
    "tr",
    "table",
    "tbody",
    "kbd",
    "samp",
    "font",
    "blockquote",
    "html",
    "body",
];

struct Cleaner<'t> {
    text: &'t str,
    at: usize,
    out: Vec<u8>,
    map: Vec<(usize, usize)>,
    /// Inside a text in plain quotes, where entities and tags are the program's own data.
    in_string: bool,
}

impl Cleaner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn step(&mut self, ways: Ways) {
        let bytes = self.text.as_bytes();
        let Some(&byte) = bytes.get(self.at) else {
            self.at = self.text.len();
            return;
        };
        let done = match byte {
            0xef if ways.bom && self.at == 0 => self.replace("\u{feff}".len(), b""),
            0x1b if ways.colours => self.colour(),
            b'=' if ways.quoted_printable => self.quoted_printable(),
            b'&' if ways.entities && !self.in_string => self.entity(),
            b'<' if ways.tags && !self.in_string => self.tag(),
            _ => false,
        };
        if done {
            return;
        }
        match byte {
            b'"' => self.in_string = !self.in_string,
            b'\n' | b'\r' => self.in_string = false,
            b'\\' if self.in_string => {
                self.copy_char();
            }
            _ => {}
        }
        self.copy_char();
    }

    fn copy_char(&mut self) {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let end = self.at + length;
        let bytes = self.text.as_bytes().get(self.at..end).unwrap_or(&[]);
        self.out.extend_from_slice(bytes);
        self.at = end;
    }

    /// Puts `with` in place of the next `length` bytes.
    fn replace(&mut self, length: usize, with: &[u8]) -> bool {
        if !with.is_empty() {
            self.map.push((self.out.len(), self.at));
        }
        self.out.extend_from_slice(with);
        self.at += length;
        // An entry for the same place in the cleaned text would hide the way back.
        while self
            .map
            .last()
            .is_some_and(|(clean, _)| *clean == self.out.len())
        {
            self.map.pop();
        }
        self.map.push((self.out.len(), self.at));
        true
    }

    fn colour(&mut self) -> bool {
        let rest = self.rest().as_bytes();
        let Some(b'[') = rest.get(1) else {
            return self.replace(1, b"");
        };
        let end = rest.iter().skip(2).position(|b| (0x40..=0x7e).contains(b));
        match end {
            Some(end) if end < 32 => self.replace(end + 3, b""),
            _ => self.replace(1, b""),
        }
    }

    fn quoted_printable(&mut self) -> bool {
        let rest = self.rest().as_bytes();
        match rest {
            [_, b'\r', b'\n', ..] => self.replace(3, b""),
            [_, b'\n', ..] => self.replace(2, b""),
            [_, high, low, ..] => {
                let digit = |byte: u8| {
                    char::from(byte)
                        .to_digit(16)
                        .and_then(|d| u8::try_from(d).ok())
                };
                match (digit(*high), digit(*low)) {
                    (Some(high), Some(low)) => self.replace(3, &[high * 16 + low]),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn entity(&mut self) -> bool {
        let rest = self.rest();
        if let Some((name, byte)) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name)) {
            let (length, byte) = (name.len(), *byte);
            return match byte {
                b'.' => self.replace(length, b"..."),
                _ => self.replace(length, &[byte]),
            };
        }
        let Some((ch, length)) = numeric_entity(rest) else {
            return false;
        };
        self.replace(length, ch.encode_utf8(&mut [0; 4]).as_bytes())
    }

    fn tag(&mut self) -> bool {
        let rest = self.rest();
        let inner = rest.get(1..).unwrap_or("");
        let closing = inner.starts_with('/');
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        let length = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = inner.get(..length).unwrap_or("").to_ascii_lowercase();
        let followed = inner.as_bytes().get(length);
        if !TAGS.contains(&name.as_str()) || !matches!(followed, Some(b'>' | b' ' | b'/')) {
            return false;
        }
        // a bounded look: text full of `<p ` must not cost quadratic time
        let Some(end) = rest.bytes().take(512).position(|b| b == b'>') else {
            return false;
        };
        let after = rest.as_bytes().get(end + 1);
        let breaks = matches!(name.as_str(), "br" | "p" | "div" | "li" | "tr" | "pre")
            && (closing || name == "br")
            && !matches!(after, Some(b'\n' | b'\r'));
        self.replace(end + 1, if breaks { b"\n" } else { b"" })
    }
}

/// The character of `&#60;` or `&#x3c;` and the entity's length.
fn numeric_entity(rest: &str) -> Option<(char, usize)> {
    let body = rest.strip_prefix("&#")?;
    let end = body.bytes().take(10).position(|b| b == b';')?;
    let digits = body.get(..end)?;
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let ch = char::from_u32(number).filter(|ch| *ch != '\0')?;
    Some((if ch == '\u{a0}' { ' ' } else { ch }, end + 3))
}

/// The bytes as text, each wrong one replaced by `?`, so that offsets stay.
fn same_length_lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '?'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_is_borrowed() {
        let clean = clean("mmap(NULL, 1, 2, 3) = 0\n");
        assert!(matches!(clean.text, Cow::Borrowed(_)));
        assert_eq!(clean.original(5), 5);
    }

    #[test]
    fn quoted_printable_is_undone_and_mapped_back() {
        let text = "munmap(0x7f, 4096) =3D 0\nmprotect(0x7f, 4=\n096) =3D 0";
        let clean = clean(text);
        assert_eq!(
            clean.text,
            "munmap(0x7f, 4096) = 0\nmprotect(0x7f, 4096) = 0"
        );
        assert_eq!(&text[clean.original(19)..clean.original(20)], "=3D");
        assert_eq!(clean.original(clean.text.len()), text.len());
        let nine = clean.text.rfind("096").expect("there");
        assert_eq!(&text[clean.original(nine)..][..3], "096");
    }

    #[test]
    fn entities_and_tags_are_undone_outside_strings() {
        let text = "<pre>close(3 &lt;unfinished ...&gt;<br>write(1, \"&lt;b&gt;\", 3) = 3</pre>";
        let clean = clean(text);
        assert_eq!(
            clean.text,
            "close(3 <unfinished ...>\nwrite(1, \"&lt;b&gt;\", 3) = 3\n"
        );
    }

    #[test]
    fn colours_and_the_byte_order_mark_go() {
        let clean = clean("\u{feff}\u{1b}[1;31mbrk\u{1b}[0m(NULL)");
        assert_eq!(clean.text, "brk(NULL)");
        assert_eq!(clean.original(0), 10);
    }
}
