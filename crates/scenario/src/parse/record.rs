//! Lines, and the records made of them: a record is the text of one or more lines without their
//! prefixes, read as one.

use std::borrow::Cow;
use std::ops::Range;

/// The lines of a text, with a look at the next one.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Where the next line starts.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes on from `position`, a line's start.
    pub fn seek(&mut self, position: usize) {
        self.at = position;
    }

    /// The next line's bytes without its end, if there is one.
    pub fn next_line(&mut self) -> Option<Range<usize>> {
        let rest = self
            .text
            .as_bytes()
            .get(self.at..)
            .filter(|r| !r.is_empty())?;
        let start = self.at;
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let ending = match rest.get(length..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([]) | None => 0,
            Some(_) => 1,
        };
        self.at = start + length + ending;
        Some(start..start + length)
    }
}

/// Text that is read as one, and where its bytes stand in the cleaned text.
#[derive(Clone, Debug)]
pub(crate) struct Record<'t> {
    pub text: Cow<'t, str>,
    /// Where stretches came from: offset here, offset in the cleaned text. Empty as
    /// long as the record is one piece.
    pieces: Vec<(usize, usize)>,
    /// Where the text starts in the cleaned text, as long as it is one piece.
    base: usize,
}

impl<'t> Record<'t> {
    /// A stretch of the cleaned text.
    pub fn of(clean: &'t str, range: Range<usize>) -> Self {
        Self {
            base: range.start,
            text: Cow::Borrowed(clean.get(range).unwrap_or("")),
            pieces: Vec::new(),
        }
    }

    /// Whether it is one stretch of the text.
    pub fn is_whole(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds a stretch of the cleaned text, after `glue`.
    pub fn append(&mut self, clean: &str, range: Range<usize>, glue: &str) {
        if self.pieces.is_empty() {
            self.pieces.push((0, self.base));
        }
        let text = self.text.to_mut();
        text.push_str(glue);
        self.pieces.push((text.len(), range.start));
        text.push_str(clean.get(range).unwrap_or(""));
    }

    /// Keeps the first `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        match &mut self.text {
            Cow::Borrowed(text) => *text = text.get(..length).unwrap_or(text),
            Cow::Owned(text) => {
                if text.is_char_boundary(length) {
                    text.truncate(length);
                }
            }
        }
        self.pieces.retain(|(at, _)| *at < length || *at == 0);
    }

    /// Drops the first `length` bytes.
    pub fn skip(&mut self, length: usize) {
        let from = self.clean_offset(length);
        match &mut self.text {
            Cow::Borrowed(text) => *text = text.get(length..).unwrap_or(""),
            Cow::Owned(text) => {
                if text.is_char_boundary(length) {
                    text.drain(..length);
                }
            }
        }
        self.base = from;
        if !self.pieces.is_empty() {
            self.pieces.retain(|(at, _)| *at > length);
            for (at, _) in &mut self.pieces {
                *at -= length;
            }
            self.pieces.insert(0, (0, from));
        }
    }

    /// Adds another record's text.
    pub fn join(&mut self, other: &Record<'_>) {
        if self.pieces.is_empty() {
            self.pieces.push((0, self.base));
        }
        let shift = self.text.len();
        self.text.to_mut().push_str(&other.text);
        if other.pieces.is_empty() {
            self.pieces.push((shift, other.base));
        } else {
            self.pieces
                .extend(other.pieces.iter().map(|(at, from)| (at + shift, *from)));
        }
    }

    /// The offset in the cleaned text.
    pub fn clean_offset(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|(at, _)| *at <= offset);
        match after
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index))
        {
            Some((at, from)) => from + (offset - at),
            None => self.base + offset,
        }
    }

    /// A stretch in the cleaned text; of a broken one, the part after its last break.
    pub fn clean_range(&self, range: Range<usize>) -> Range<usize> {
        if self.pieces.is_empty() {
            return self.base + range.start..self.base + range.end;
        }
        let last = self.clean_offset(range.end.saturating_sub(1)) + 1;
        let first = self.clean_offset(range.start);
        if range.is_empty() {
            return first..first;
        }
        if first < last {
            return first..last;
        }
        // A resumed call's first half may stand anywhere before; its second half is the place.
        let piece = self.pieces.partition_point(|(at, _)| *at < range.end);
        let start = piece
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index))
            .map_or(last, |(_, from)| *from);
        start.min(last)..last
    }

    /// The part of a stretch after its last break, in the cleaned text.
    pub fn last_piece(&self, range: Range<usize>) -> Range<usize> {
        let after = self.pieces.partition_point(|(at, _)| *at < range.end);
        match after
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index))
        {
            Some((at, _)) if *at > range.start => self.clean_range(*at..range.end),
            _ => self.clean_range(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_endings_end_lines() {
        let text = "a\r\nb\rc\n\nd";
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line() {
            all.push(&text[line]);
        }
        assert_eq!(all, ["a", "b", "c", "", "d"]);
    }

    #[test]
    fn a_joined_record_knows_its_places() {
        let clean = "> munmap(0x1,\n> 4096)";
        let mut record = Record::of(clean, 2..13);
        record.append(clean, 16..21, " ");
        assert_eq!(record.text, "munmap(0x1, 4096)");
        let at = record.text.find("4096").expect("there");
        assert_eq!(&clean[record.clean_range(at..at + 4)], "4096");
        assert_eq!(record.clean_range(0..17), 2..21);
        record.skip(7);
        assert_eq!(record.text, "0x1, 4096)");
        assert_eq!(record.clean_offset(0), 9);
        assert_eq!(record.clean_offset(5), 16);
    }
}
