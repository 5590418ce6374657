//! The text's tokens, for highlighting. They come from the same lexer and the same table as the
//! parser's.

use std::ops::Range;

use serde::Serialize;

use crate::calls::{self, CallKind};
use crate::parse::{self, Dialect, Lex, Lexer};

/// A stretch of the text and what it is. Stretches ascend and do not overlap; what lies between
/// them is blank.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Token {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it is.
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenKind {
    /// `repeat`, `as`, `measure`.
    Keyword,
    /// A system call or setting that is simulated.
    Call,
    /// `load`, `store`, `exec`, `access`.
    Access,
    /// A system call that is skipped.
    SkippedCall,
    /// A name that the text binds.
    Name,
    /// A number, with its suffix.
    Number,
    /// `PAGE`, `NULL`.
    Constant,
    /// A flag's name.
    Flag,
    /// An error's or a signal's name.
    Errno,
    /// A text in quotes.
    String,
    /// A comment.
    Comment,
    /// `+ - * / % | = <<`
    Operator,
    /// Brackets and commas.
    Punctuation,
    /// What a tracer put before, after or between the calls.
    Trace,
    /// What is no part of any statement.
    Other,
}

/// All tokens of `text`, in order.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let dialect = parse::dialect_of(text);
    let mut state = LineState::default();
    let mut all = Vec::new();
    for (start, line) in parse::lines(text) {
        let mut found = line_tokens(line, dialect, &mut state);
        for token in &mut found {
            token.span = token.span.start + start..token.span.end + start;
        }
        all.append(&mut found);
    }
    all
}

/// What one line hands to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineState {
    /// Inside a `/* … */` that was not closed yet.
    in_comment: bool,
    /// Inside a call that was not closed yet.
    in_call: bool,
}

/// The tokens of one line, with spans from the line's start. An editor can call it for the lines
/// it shows alone.
#[must_use]
pub fn line_tokens(line: &str, dialect: Dialect, state: &mut LineState) -> Vec<Token> {
    let mut painter = Painter {
        line,
        lenient: dialect == Dialect::Trace,
        tokens: Vec::new(),
        result: Part::Statement,
    };
    let mut at = 0;
    if state.in_comment {
        let end = line.find("*/").map(|end| end + 2);
        painter.add(0..end.unwrap_or(line.len()), TokenKind::Comment);
        state.in_comment = end.is_none();
        at = end.unwrap_or(line.len());
    }
    if at == 0 {
        let prefix = parse::prefix_length(line, painter.lenient);
        painter.add(0..prefix, TokenKind::Trace);
        at = prefix;
    }
    let body = line.get(at..).unwrap_or("");
    match parse::note_of_line(body) {
        Some(_) => painter.add(at..line.len(), TokenKind::Trace),
        None if parse::is_prose(body, painter.lenient) && !state.in_call => {
            painter.add(at..line.len(), TokenKind::Other);
        }
        None => painter.lexemes(at, state),
    }
    painter.tokens
}

/// Which part of a statement is being painted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Statement,
    /// Behind a call's `)`.
    AfterCall,
    /// Behind the `=` of a result.
    Result,
}

struct Painter<'a> {
    line: &'a str,
    lenient: bool,
    tokens: Vec<Token>,
    result: Part,
}

impl Painter<'_> {
    fn add(&mut self, span: Range<usize>, kind: TokenKind) {
        let text = self.line.get(span.clone()).unwrap_or("");
        let start = span.start + (text.len() - text.trim_start().len());
        let end = start + text.trim().len();
        if start < end {
            self.tokens.push(Token {
                span: start..end,
                kind,
            });
        }
    }

    fn lexemes(&mut self, from: usize, state: &mut LineState) {
        let mut lexer = Lexer::new(self.line, from, self.lenient);
        let mut depth = usize::from(state.in_call);
        loop {
            let lexeme = lexer.next_or_comment();
            let span = lexeme.range();
            let kind = match lexeme.kind {
                Lex::End => break,
                Lex::Comment { closed } => {
                    state.in_comment = !closed;
                    TokenKind::Comment
                }
                Lex::Number => TokenKind::Number,
                Lex::Text { .. } => TokenKind::String,
                Lex::Ellipsis => TokenKind::Trace,
                Lex::ShiftLeft => TokenKind::Operator,
                Lex::Other => TokenKind::Other,
                Lex::Word => self.word(span.clone(), &lexer, depth),
                Lex::Mark(mark) => {
                    if let Some(end) = self.remark(mark, span.start, depth) {
                        self.add(span.start..end, TokenKind::Trace);
                        lexer = Lexer::new(self.line, end, self.lenient);
                        continue;
                    }
                    depth = self.mark(mark, depth);
                    mark_kind(mark)
                }
            };
            self.add(span, kind);
        }
        state.in_call = depth > 0;
    }

    fn mark(&mut self, mark: u8, depth: usize) -> usize {
        match mark {
            b'(' => depth + 1,
            b')' => {
                if depth == 1 {
                    self.result = Part::AfterCall;
                }
                depth.saturating_sub(1)
            }
            b'=' if depth == 0 && self.result == Part::AfterCall => {
                self.result = Part::Result;
                depth
            }
            b';' | b'{' | b'}' if depth == 0 => {
                self.result = Part::Statement;
                depth
            }
            _ => depth,
        }
    }

    /// The end of a remark that starts here: an error's text, a duration, a descriptor's path.
    fn remark(&self, mark: u8, start: usize, depth: usize) -> Option<usize> {
        let rest = self.line.get(start..)?;
        match mark {
            b'(' if depth == 0 && self.result == Part::Result => Some(
                rest.find(')')
                    .map_or(self.line.len(), |end| start + end + 1),
            ),
            b'<' => {
                Some(parse::angle_length(rest).map_or(self.line.len(), |length| start + length))
            }
            _ => None,
        }
    }

    fn word(&mut self, span: Range<usize>, lexer: &Lexer<'_>, depth: usize) -> TokenKind {
        let word = self.line.get(span).unwrap_or("");
        let called = lexer.clone().next_or_comment().is(b'(');
        if called && depth == 0 && !self.is_error(word) {
            self.result = Part::Statement;
            return match calls::by_name(word) {
                Some(spec) if spec.kind == CallKind::Access => TokenKind::Access,
                Some(_) => TokenKind::Call,
                None if calls::linux::is_syscall(word) => TokenKind::SkippedCall,
                None => TokenKind::Other,
            };
        }
        match word {
            "repeat" | "measure" | "as" if depth == 0 => return TokenKind::Keyword,
            "PAGE" => return TokenKind::Constant,
            "seq" | "random" | "stride" | "load" | "store" | "exec" if depth > 0 => {
                return TokenKind::Constant;
            }
            _ => {}
        }
        if let Some(known) = calls::flag(word) {
            return if known.table.prefix.is_empty() {
                TokenKind::Constant
            } else {
                TokenKind::Flag
            };
        }
        if self.is_error(word) {
            return TokenKind::Errno;
        }
        TokenKind::Name
    }

    fn is_error(&self, word: &str) -> bool {
        let error = word.starts_with('E') && calls::errnos::by_name(word).is_some();
        self.result == Part::Result && (error || matches!(word, "SIGSEGV" | "SIGBUS"))
    }
}

fn mark_kind(mark: u8) -> TokenKind {
    match mark {
        b'+' | b'-' | b'*' | b'/' | b'%' | b'|' | b'=' | b'?' => TokenKind::Operator,
        b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' | b';' | b':' => TokenKind::Punctuation,
        _ => TokenKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TokenKind::*;

    fn of(text: &str) -> Vec<(TokenKind, &str)> {
        tokens(text)
            .into_iter()
            .map(|token| (token.kind, &text[token.span]))
            .collect()
    }

    #[test]
    fn a_scenario_is_painted() {
        let text =
            "heap = mmap(NULL, 32K, PROT_READ) # new\nrepeat 3 as i { load(heap + i*PAGE, 1) }";
        assert_eq!(
            of(text),
            [
                (Name, "heap"),
                (Operator, "="),
                (Call, "mmap"),
                (Punctuation, "("),
                (Constant, "NULL"),
                (Punctuation, ","),
                (Number, "32K"),
                (Punctuation, ","),
                (Flag, "PROT_READ"),
                (Punctuation, ")"),
                (Comment, "# new"),
                (Keyword, "repeat"),
                (Number, "3"),
                (Keyword, "as"),
                (Name, "i"),
                (Punctuation, "{"),
                (Access, "load"),
                (Punctuation, "("),
                (Name, "heap"),
                (Operator, "+"),
                (Name, "i"),
                (Operator, "*"),
                (Constant, "PAGE"),
                (Punctuation, ","),
                (Number, "1"),
                (Punctuation, ")"),
                (Punctuation, "}"),
            ]
        );
    }

    #[test]
    fn a_trace_is_painted() {
        let text = "[pid 12] mprotect(0x1, 4096, PROT_NONE) = -1 EPERM (Operation not permitted) <0.000012>\n\
                    strace: Process 13 attached\n\
                    hello, world\n\
                    read(3</a b>, \"x\"..., 1) = 1";
        let found = of(text);
        assert_eq!(found[0], (Trace, "[pid 12]"));
        assert_eq!(found[1], (Call, "mprotect"));
        let tail: Vec<_> = found
            .iter()
            .skip_while(|(kind, _)| *kind != Errno)
            .take(5)
            .collect();
        assert_eq!(
            tail,
            [
                &(Errno, "EPERM"),
                &(Trace, "(Operation not permitted)"),
                &(Trace, "<0.000012>"),
                &(Trace, "strace: Process 13 attached"),
                &(Other, "hello, world"),
            ]
        );
        assert!(found.contains(&(SkippedCall, "read")) && found.contains(&(Trace, "</a b>")));
    }

    #[test]
    fn comments_go_on_over_lines() {
        let found = of("/* a\nb\n*/ brk(NULL)");
        assert_eq!(
            found[..4],
            [
                (Comment, "/* a"),
                (Comment, "b"),
                (Comment, "*/"),
                (Call, "brk")
            ]
        );
    }

    #[test]
    fn tokens_ascend_whatever_the_text() {
        for text in [
            "",
            "\u{feff}a\r\rb",
            "(((",
            "\"",
            "ä(ö",
            "= = =",
            "`x` **y**",
            "/*",
            "<<<>>",
        ] {
            let mut end = 0;
            for token in tokens(text) {
                assert!(end <= token.span.start && token.span.start < token.span.end);
                assert!(text.get(token.span.clone()).is_some());
                end = token.span.end;
            }
        }
    }
}
