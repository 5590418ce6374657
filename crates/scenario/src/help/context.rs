//! Where the cursor stands: in which call, at which argument, on which word.

use std::ops::Range;

use crate::calls::{self, CallSpec};
use crate::parse::{self, Dialect, Lex, Lexer};
use crate::text::floor_boundary;

/// The place of the cursor.
#[derive(Clone, Debug)]
pub(super) struct Context<'t> {
    /// The word it stands in or behind; empty where there is none.
    pub word: Range<usize>,
    /// The call around it, and the argument.
    pub call: Option<(&'static CallSpec, usize)>,
    /// The call whose result it stands in.
    pub result_of: Option<&'static CallSpec>,
    /// Inside a comment.
    pub in_comment: bool,
    /// Inside a text in quotes: what is inside the quotes up to the cursor.
    pub in_text: Option<Range<usize>>,
    /// Before everything else of its statement.
    pub at_start: bool,
    /// The lexeme before the word.
    pub before: &'t str,
}

/// How many lines back a call may have started.
const LINES_BACK: usize = 16;

impl<'t> Context<'t> {
    pub fn at(text: &'t str, offset: usize) -> Self {
        let offset = floor_boundary(text, offset);
        let mut walk = Walk {
            text,
            offset,
            stack: Vec::new(),
            last_call: None,
            context: Self {
                word: word_at(text, offset),
                call: None,
                result_of: None,
                in_comment: false,
                in_text: None,
                at_start: true,
                before: "",
            },
        };
        let from = lines_back(text, offset);
        let window_end = text
            .get(offset..)
            .and_then(|rest| rest.find(['\n', '\r']))
            .map_or(text.len(), |length| offset + length);
        let window = text.get(from..window_end).unwrap_or("");
        for (start, line) in parse::lines(window) {
            walk.line(from + start, line);
        }
        if window.is_empty() || window.ends_with(['\n', '\r']) {
            walk.line(window_end, "");
        }
        let mut context = walk.context;
        context.call = walk
            .stack
            .last()
            .copied()
            .and_then(|(spec, arg)| Some((spec?, arg)));
        context
    }
}

struct Walk<'t> {
    text: &'t str,
    offset: usize,
    /// Open parentheses: the call, if it is one, and its argument in hand.
    stack: Vec<(Option<&'static CallSpec>, usize)>,
    last_call: Option<&'static CallSpec>,
    context: Context<'t>,
}

impl<'t> Walk<'t> {
    fn line(&mut self, start: usize, line: &'t str) {
        let prefix = parse::prefix_length(line, false);
        let body = line.get(prefix..).unwrap_or("");
        if parse::starts_statement(body, false) || self.stack.is_empty() {
            self.stack.clear();
            self.context.before = "";
            self.context.result_of = None;
            self.context.at_start = true;
        }
        let mut lexer = Lexer::new(line, prefix, false);
        let mut called = None;
        loop {
            let lexeme = lexer.next_or_comment();
            let (from, to) = (start + lexeme.start, start + lexeme.end);
            if lexeme.kind == Lex::End || from >= self.offset {
                return;
            }
            let inside = to > self.offset;
            match lexeme.kind {
                Lex::Comment { closed } => {
                    let line_comment = line
                        .get(lexeme.start..)
                        .is_some_and(|c| !c.starts_with("/*"));
                    self.context.in_comment = inside || line_comment || !closed;
                    continue;
                }
                Lex::Text { closed } if inside || !closed => {
                    self.context.in_text = Some(from + 1..self.offset);
                    return;
                }
                _ => {}
            }
            let word_in_hand = matches!(lexeme.kind, Lex::Word | Lex::Number) && to >= self.offset;
            if word_in_hand {
                return;
            }
            self.context.before = self.text.get(from..to).unwrap_or("");
            self.context.at_start = false;
            called = self.step(lexeme.kind, called);
        }
    }

    fn step(&mut self, kind: Lex, called: Option<&'static CallSpec>) -> Option<&'static CallSpec> {
        match kind {
            Lex::Word => return calls::by_name(self.context.before),
            Lex::Mark(b'(') => {
                self.context.result_of = None;
                self.stack.push((called, 0));
            }
            Lex::Mark(b')') => {
                if let Some((spec, _)) = self.stack.pop() {
                    self.last_call = spec;
                }
            }
            Lex::Mark(b',') => {
                if let Some((_, arg)) = self.stack.last_mut() {
                    *arg += 1;
                }
            }
            Lex::Mark(b'=') if self.stack.is_empty() => {
                self.context.result_of = self.last_call.take()
            }
            Lex::Mark(b'{' | b'}' | b';') if self.stack.is_empty() => {
                self.context.result_of = None;
                self.context.at_start = true;
            }
            _ => {}
        }
        None
    }
}

/// The start of the line that is so many lines before the one of `offset`.
fn lines_back(text: &str, offset: usize) -> usize {
    let head = text.as_bytes().get(..offset).unwrap_or(&[]);
    memchr::memrchr2_iter(b'\n', b'\r', head)
        .nth(LINES_BACK)
        .map_or(0, |at| at + 1)
}

/// The word that `offset` stands in or right behind.
pub(super) fn word_at(text: &str, offset: usize) -> Range<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let head = text.get(..offset).unwrap_or("");
    let tail = text.get(offset..).unwrap_or("");
    let start = head.trim_end_matches(word).len();
    let end = offset + (tail.len() - tail.trim_start_matches(word).len());
    start..end
}

/// The names that a text binds before `offset`, and where.
pub(super) fn bound_names(text: &str, offset: usize) -> Vec<(String, Range<usize>)> {
    let lenient = parse::dialect_of(text) == Dialect::Trace;
    let mut names: Vec<(String, Range<usize>)> = Vec::new();
    let head = text.get(..floor_boundary(text, offset)).unwrap_or(text);
    for (start, line) in parse::lines(head) {
        let mut add = |range: Range<usize>| {
            let name = line.get(range.clone()).unwrap_or("");
            names.retain(|(known, _)| known != name);
            names.push((name.to_owned(), start + range.start..start + range.end));
        };
        let mut lexer = Lexer::new(line, parse::prefix_length(line, lenient), lenient);
        let mut fresh = true;
        let mut after_as = false;
        loop {
            let lexeme = lexer.next_or_comment();
            let word = line.get(lexeme.range()).unwrap_or("");
            match lexeme.kind {
                Lex::End => break,
                Lex::Word => {
                    let next = lexer.clone().next_or_comment();
                    let binds =
                        next.is(b'=') && line.get(next.end..).is_some_and(|l| !l.starts_with('='));
                    if (fresh && binds) || after_as {
                        add(lexeme.range());
                    }
                    after_as = word == "as";
                    fresh = false;
                }
                Lex::Mark(b'{' | b'}' | b';') => fresh = true,
                _ => fresh = false,
            }
        }
    }
    names
}
