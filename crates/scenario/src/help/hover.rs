//! Help on what stands under the cursor.

use crate::calls::errnos;
use crate::calls::{self, ArgKind, CallSpec};
use crate::parse::{Lex, Lexer, number_of};
use crate::program::Expected;
use crate::text::{LineIndex, floor_boundary};

use super::context::{Context, bound_names, word_at};
use super::{Hover, Signature};

/// Help on what stands at `offset` (bytes).
#[must_use]
pub fn hover(text: &str, offset: usize) -> Option<Hover> {
    let offset = floor_boundary(text, offset);
    let span = word_at(text, offset);
    let word = text.get(span.clone()).filter(|word| !word.is_empty())?;
    let context = Context::at(text, span.start);
    if context.in_comment || context.in_text.is_some() {
        return None;
    }
    let (title, paragraphs) = on_call(text, &span, word)
        .or_else(|| on_keyword(word))
        .or_else(|| on_flag(word))
        .or_else(|| on_error(word))
        .or_else(|| on_name(text, span.end, word))
        .or_else(|| on_number(word))?;
    Some(Hover {
        span,
        title,
        paragraphs,
    })
}

type Help = (String, Vec<String>);

fn on_call(text: &str, span: &std::ops::Range<usize>, word: &str) -> Option<Help> {
    let called = Lexer::new(text, span.end, false).next_or_comment().kind == Lex::Mark(b'(');
    if !called {
        return None;
    }
    let Some(spec) = calls::by_name(word) else {
        return calls::linux::is_syscall(word).then(|| {
            let what = match calls::linux::unmodelled(word) {
                Some(what) => {
                    format!("It {what}, which is not simulated: it is skipped, with a warning.")
                }
                None => "It does not touch memory: it is skipped and counted.".to_owned(),
            };
            (
                format!("{word}: a system call that is not simulated"),
                vec![what],
            )
        });
    };
    Some((
        format!("{} → {}", spec.signature(), spec.returns),
        describe(spec),
    ))
}

fn describe(spec: &CallSpec) -> Vec<String> {
    let mut paragraphs = vec![format!("{}.", capital(spec.doc))];
    paragraphs.extend(spec.args.iter().map(|arg| {
        let optional = if arg.default.is_some() {
            " (may be left out)"
        } else {
            ""
        };
        format!("{}: {}{optional}", arg.name, arg.doc)
    }));
    paragraphs.extend(
        spec.errors
            .iter()
            .map(|(errno, when)| format!("{errno}: {when}")),
    );
    if spec.kernels != "all" {
        paragraphs.push(format!("Kernels: {}.", spec.kernels));
    }
    paragraphs.push(format!("Example: {}", spec.example));
    paragraphs
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn on_keyword(word: &str) -> Option<Help> {
    let (title, text) = match word {
        "repeat" => (
            "repeat N as i { … }",
            "Runs its body N times; i counts from 0. `as i` may be left out; loops nest.",
        ),
        "measure" => (
            "measure \"NAME\" { … }",
            "Names a stretch whose counts and cost are reported apart. Inside a loop, each time is one sample.",
        ),
        "as" => (
            "repeat N as i { … }",
            "Names the loop variable, which counts from 0.",
        ),
        "PAGE" => (
            "PAGE",
            "The page size of the variant: 4096, 16384 or 65536 bytes.",
        ),
        _ => return None,
    };
    Some((title.to_owned(), vec![text.to_owned()]))
}

fn on_flag(word: &str) -> Option<Help> {
    let known = calls::flag(word)?;
    let title = format!("{word} = {:#x}", known.flag.value);
    Some((title, vec![format!("{}.", capital(known.flag.doc))]))
}

fn on_error(word: &str) -> Option<Help> {
    let signal = match word {
        "SIGSEGV" => Some("Nothing is mapped there, or the access is not allowed."),
        "SIGBUS" => Some("The access lies behind the end of the file."),
        _ => None,
    };
    if let Some(text) = signal {
        return Some((word.to_owned(), vec![text.to_owned()]));
    }
    let title = match errnos::by_name(word)? {
        Expected::Errno(errno) => format!("{word} ({}): {}", errno.number(), errno.message()),
        _ => {
            return Some((
                word.to_owned(),
                vec!["No simulated call gives this error.".to_owned()],
            ));
        }
    };
    let paragraphs = calls::all()
        .flat_map(|spec| {
            spec.errors
                .iter()
                .filter(|(errno, _)| *errno == word)
                .map(|(_, when)| format!("{}: {when}", spec.name))
        })
        .collect();
    Some((title, paragraphs))
}

fn on_name(text: &str, end: usize, word: &str) -> Option<Help> {
    // up to the line's end, so that a name's own binding counts
    let line_end = text
        .get(end..)?
        .find(['\n', '\r'])
        .map_or(text.len(), |length| end + length);
    let (_, place) = bound_names(text, line_end)
        .into_iter()
        .find(|(name, _)| name == word)?;
    let line = LineIndex::new(text).line(place.start);
    let source = text.get(place.start..)?.lines().next().unwrap_or("").trim();
    Some((
        format!("{word}, bound on line {line}"),
        vec![crate::parse::excerpt(source)],
    ))
}

fn on_number(word: &str) -> Option<Help> {
    let value = number_of(word)?;
    let mut title = format!("{value} = {value:#x}");
    let units = [(1_u64 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    if let Some((unit, letter)) = units
        .iter()
        .find(|(unit, _)| value >= *unit && value % unit == 0)
    {
        title.push_str(&format!(" = {}{letter}", value / unit));
    }
    let pages = value / 4096;
    let paragraphs = match value % 4096 {
        0 if pages == 1 => vec!["1 page of 4K".to_owned()],
        0 if pages > 1 => vec![format!("{pages} pages of 4K")],
        _ => Vec::new(),
    };
    Some((title, paragraphs))
}

/// The call around `offset` (bytes) and the argument in hand.
#[must_use]
pub fn signature(text: &str, offset: usize) -> Option<Signature> {
    let context = Context::at(text, floor_boundary(text, offset));
    if context.in_comment {
        return None;
    }
    let (spec, argument) = context.call?;
    let mut label = format!("{}(", spec.name);
    let mut parameters = Vec::new();
    for (index, arg) in spec.args.iter().enumerate() {
        if index > 0 {
            label.push_str(", ");
        }
        let start = label.len();
        label.push_str(&arg.label());
        parameters.push(start..label.len());
    }
    label.push(')');
    let active = spec.args.get(argument);
    Some(Signature {
        label,
        parameters,
        active: active.map(|_| argument),
        detail: match active {
            Some(arg) if !matches!(arg.kind, ArgKind::Ignored) => {
                format!("{}: {}", arg.name, arg.doc)
            }
            _ => spec.doc.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(marked: &str) -> Option<Hover> {
        let offset = marked.find('|').expect("has a cursor");
        hover(&marked.replacen('|', "", 1), offset)
    }

    #[test]
    fn calls_flags_and_errors_are_explained() {
        let call = on("mpro|tect(0, 1, 2)").expect("known");
        assert_eq!(call.title, "mprotect(addr, len, prot) → 0");
        assert!(call.paragraphs.iter().any(|p| p.starts_with("EPERM:")));
        assert_eq!(
            on("load(MAP_|FIXED, 1)").expect("known").title,
            "MAP_FIXED = 0x10"
        );
        assert_eq!(
            on("munmap(0, 1) = -1 EP|ERM").expect("known").title,
            "EPERM (1): Operation not permitted"
        );
        assert!(
            on("re|ad(3)")
                .expect("known")
                .title
                .contains("not simulated")
        );
        assert!(on("|repeat 3 {}").is_some());
    }

    #[test]
    fn names_and_numbers_are_explained() {
        let name = on("heap = brk(NULL)\nload(he|ap, 1)").expect("known");
        assert_eq!(name.title, "heap, bound on line 1");
        assert_eq!(
            on("load(32|K, 1)").expect("known").title,
            "32768 = 0x8000 = 32K"
        );
    }

    #[test]
    fn nothing_on_comments_texts_and_unknown_words() {
        assert_eq!(on("# mm|ap(x)"), None);
        assert_eq!(on("open(\"mm|ap\", 0)"), None);
        assert_eq!(on("fo|o"), None);
        assert_eq!(on("|"), None);
    }

    #[test]
    fn the_argument_in_hand_is_named() {
        let text = "mremap(heap, 4K, ";
        let found = signature(text, text.len()).expect("in a call");
        assert_eq!(
            found.label,
            "mremap(addr, old_len, new_len, flags, new_addr?)"
        );
        assert_eq!(found.active, Some(2));
        assert_eq!(&found.label[found.parameters[2].clone()], "new_len");
        assert_eq!(signature("brk(NULL) ", 10), None);
        assert_eq!(
            signature("munmap(1, 2, 3", 13).expect("in a call").active,
            None
        );
    }
}
