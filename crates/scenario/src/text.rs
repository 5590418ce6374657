//! Positions in a text: bytes, lines and columns, UTF-16 units.

use std::ops::Range;

/// Finds lines and columns of byte offsets, and UTF-16 offsets of them and back.
///
/// Offsets beyond the text or inside a character are moved back to the nearest place that exists,
/// so that a position from a stale editor cannot panic.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes `text`. `\n`, `\r\n` and a lone `\r` end a line.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let crlf = bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n');
            if !crlf {
                starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
            }
        }
        Self { starts }
    }

    /// How many lines there are; an empty text has one.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The line, from 1, that holds the byte at `offset`.
    #[must_use]
    pub fn line(&self, offset: usize) -> u32 {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        u32::try_from(self.starts.partition_point(|&start| start <= offset)).unwrap_or(u32::MAX)
    }

    /// Where line `line`, counted from 1, starts; the last line's start if there are fewer.
    #[must_use]
    pub fn line_start(&self, line: u32) -> usize {
        let index = (line.saturating_sub(1) as usize).min(self.starts.len().saturating_sub(1));
        self.starts.get(index).copied().unwrap_or(0) as usize
    }

    /// Line and column, both from 1, the column in characters.
    #[must_use]
    pub fn line_column(&self, text: &str, offset: usize) -> (u32, u32) {
        let offset = floor_boundary(text, offset);
        let line = self.line(offset);
        let start = self.line_start(line);
        let column = text.get(start..offset).map_or(0, |s| s.chars().count());
        (line, u32::try_from(column + 1).unwrap_or(u32::MAX))
    }
}

/// The largest character boundary of `text` that is not beyond `offset`.
#[must_use]
pub fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The UTF-16 offset of the byte at `offset`, as JavaScript counts.
#[must_use]
pub fn utf16_of_byte(text: &str, offset: usize) -> usize {
    let head = text.get(..floor_boundary(text, offset)).unwrap_or(text);
    head.encode_utf16().count()
}

/// The byte offset of a UTF-16 offset; one inside a surrogate pair means the pair's start.
#[must_use]
pub fn byte_of_utf16(text: &str, utf16: usize) -> usize {
    let mut units = 0;
    for (at, ch) in text.char_indices() {
        if units + ch.len_utf16() > utf16 {
            return at;
        }
        units += ch.len_utf16();
    }
    text.len()
}

/// Turns ascending byte ranges into UTF-16 ranges in one pass over the text, for highlighting.
#[must_use]
pub fn utf16_ranges(text: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut walk = Utf16Walk {
        text,
        byte: 0,
        utf16: 0,
    };
    ranges
        .iter()
        .map(|range| walk.to(range.start)..walk.to(range.end))
        .collect()
}

struct Utf16Walk<'a> {
    text: &'a str,
    byte: usize,
    utf16: usize,
}

impl Utf16Walk<'_> {
    fn to(&mut self, offset: usize) -> usize {
        let offset = floor_boundary(self.text, offset);
        if offset < self.byte {
            return utf16_of_byte(self.text, offset);
        }
        let between = self.text.get(self.byte..offset).unwrap_or("");
        self.utf16 += between.encode_utf16().count();
        self.byte = offset;
        self.utf16
    }
}
