//! The one place where Rust's bytes and JavaScript's UTF-16 units meet.

use sealab_protocol::{Diagnostic, Place};

/// Turns ascending byte offsets of a text into UTF-16 units, in one pass.
pub struct Units<'t> {
    text: &'t str,
    /// Where the pass stands.
    byte: usize,
    unit: u32,
}

impl<'t> Units<'t> {
    /// Starts a pass over `text`.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            byte: 0,
            unit: 0,
        }
    }

    /// The unit at `byte`. An offset before an earlier one starts the pass anew; one inside a
    /// character stands for the character's start, one beyond the text for its end.
    pub fn at(&mut self, byte: usize) -> u32 {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        if byte < self.byte {
            (self.byte, self.unit) = (0, 0);
        }
        let between = self.text.get(self.byte..byte).unwrap_or_default();
        self.unit = self.unit.saturating_add(length(between));
        self.byte = byte;
        self.unit
    }
}

/// The byte offset of a UTF-16 unit; inside a character, the character's start.
pub fn byte_at(text: &str, unit: usize) -> usize {
    let mut left = unit;
    for (at, c) in text.char_indices() {
        let len = c.len_utf16();
        if left < len {
            return at;
        }
        left -= len;
    }
    text.len()
}

/// Where diagnostics stand: their lines and columns (in characters) as UTF-16 units. An empty
/// place is widened to the character behind it, so that there is something to underline.
pub fn places(text: &str, diagnostics: &[Diagnostic]) -> Vec<Place> {
    let starts = line_starts(text);
    let mut units = Units::new(text);
    let mut at = |line: u32, column: u32| {
        let index = (line.max(1) - 1) as usize;
        let start = starts.get(index).copied().unwrap_or(text.len());
        let rest = text.get(start..).unwrap_or_default();
        let end_of_line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line = rest.get(..end_of_line).unwrap_or_default();
        let column = column.max(1) as usize - 1;
        let in_line = line
            .char_indices()
            .nth(column)
            .map_or(line.len(), |(at, _)| at);
        units.at(start + in_line)
    };
    diagnostics
        .iter()
        .map(|d| {
            let from = at(d.line, d.column);
            let to = at(d.end_line, d.end_column).max(from);
            let to = if to == from {
                at(d.line, d.column.saturating_add(1)).max(from)
            } else {
                to
            };
            Place { from, to }
        })
        .collect()
}

/// Byte offsets at which lines start; `\n`, `\r\n` and a lone `\r` end a line.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|&(at, &byte)| {
        byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    });
    [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect()
}

fn length(text: &str) -> u32 {
    let units = if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    };
    u32::try_from(units).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "é𝕏 = 1\nb\r\nc\rd";

    #[test]
    fn bytes_and_units_agree_both_ways() {
        let mut units = Units::new(TEXT);
        for (byte, _) in TEXT.char_indices() {
            let unit = units.at(byte);
            assert_eq!(unit as usize, TEXT[..byte].encode_utf16().count());
            assert_eq!(byte_at(TEXT, unit as usize), byte);
        }
        assert_eq!(units.at(usize::MAX) as usize, TEXT.encode_utf16().count());
        assert_eq!(units.at(0), 0);
    }

    #[test]
    fn offsets_inside_a_character_are_its_start() {
        assert_eq!(Units::new(TEXT).at(3), 1);
        assert_eq!(byte_at(TEXT, 2), 2);
    }

    fn diagnostic(line: u32, column: u32, end_line: u32, end_column: u32) -> Diagnostic {
        Diagnostic {
            line,
            column,
            end_line,
            end_column,
            ..Diagnostic::default()
        }
    }

    #[test]
    fn columns_count_characters_and_lines_end_in_every_way() {
        let found = places(
            TEXT,
            &[
                diagnostic(1, 2, 1, 3),
                diagnostic(2, 1, 2, 2),
                diagnostic(3, 1, 4, 2),
            ],
        );
        let place = |from, to| Place { from, to };
        assert_eq!(found, [place(1, 3), place(8, 9), place(11, 14)]);
    }

    #[test]
    fn a_place_without_width_gets_one_and_none_leaves_the_text() {
        assert_eq!(
            places("ab", &[diagnostic(1, 1, 1, 1)]),
            [Place { from: 0, to: 1 }]
        );
        for place in places(TEXT, &[diagnostic(0, 0, 0, 0), diagnostic(99, 99, 1, 1)]) {
            assert!(place.to as usize <= TEXT.encode_utf16().count());
            assert!(place.from <= place.to);
        }
    }
}
