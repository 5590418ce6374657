//! Building a sentence whose telling parts are set off.

use crate::session::Session;
use crate::words;

/// A sentence and the stretches of it to set off, as byte offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sentence {
    /// Its text.
    pub text: String,
    /// Where it is set off.
    pub emphasis: Vec<(usize, usize)>,
}

impl Sentence {
    /// One that begins with `text`.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self::default().then(text)
    }

    /// Goes on with `text`.
    pub fn then(mut self, text: impl AsRef<str>) -> Self {
        self.text.push_str(text.as_ref());
        self
    }

    /// Goes on with `text`, set off.
    pub fn strong(mut self, text: impl AsRef<str>) -> Self {
        let start = self.text.len();
        self.text.push_str(text.as_ref());
        self.emphasis.push((start, self.text.len()));
        self
    }

    /// Goes on with another.
    pub fn join(mut self, other: &Self) -> Self {
        let offset = self.text.len();
        self.text.push_str(&other.text);
        let moved = other.emphasis.iter();
        self.emphasis
            .extend(moved.map(|&(start, end)| (start + offset, end + offset)));
        self
    }
}

/// Variants that are spoken of together, by their places, ascending.
pub type Group = Vec<usize>;

/// A subject with the number its verb takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its words.
    pub words: String,
    /// Whether it is more than one.
    pub plural: bool,
}

impl Subject {
    /// The verb's form for it: `answer` after several, `answers` after one.
    pub fn verb(&self, one: &str, several: &str) -> String {
        format!("{} {}", self.words, if self.plural { several } else { one })
    }
}

/// How a group of variants is spoken of.
pub fn subject(session: &Session, group: &[usize]) -> Subject {
    let runs = session.runs();
    let plural = group.len() > 1;
    let words = match group {
        [one] => session.long_name(*one),
        many => {
            let seals = |v: usize| runs.get(v).is_some_and(|r| r.variant.kernel.has_mseal());
            let sealing: Group = (0..runs.len()).filter(|&v| seals(v)).collect();
            let number = if many.len() == 2 { "both" } else { "all" };
            if many.len() == runs.len() {
                format!("{number} variants")
            } else if *many == sealing {
                format!("{number} sealing kernels")
            } else {
                words::list(&many.iter().map(|&v| session.name(v)).collect::<Vec<_>>())
            }
        }
    };
    Subject { words, plural }
}

/// Members of `items` that are alike by `key`, in the order of their first.
pub fn grouped<T: Copy, K: PartialEq>(items: &[T], key: impl Fn(T) -> K) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for &item in items {
        let this = key(item);
        match groups.iter_mut().find(|(k, _)| *k == this) {
            Some((_, members)) => members.push(item),
            None => groups.push((this, vec![item])),
        }
    }
    groups
}

/// `line 5`, `lines 5 and 8`, `lines 5, 6, 8 and 4 more`.
pub fn lines(numbers: &[u32]) -> String {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.as_slice() {
        [one] => format!("line {one}"),
        few if few.len() <= 4 => {
            let texts: Vec<String> = few.iter().map(u32::to_string).collect();
            format!("lines {}", words::list(&texts))
        }
        many => {
            let shown = many.iter().take(3).map(u32::to_string);
            let rest = words::grouped(many.len() as u64 - 3);
            let texts: Vec<String> = shown.chain([format!("{rest} more")]).collect();
            format!("lines {}", words::list(&texts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emphasis_follows_the_text() {
        let tail = Sentence::new("of ").strong("8 KiB");
        let whole = Sentence::new("Line 5: ")
            .strong("EPERM")
            .then(", ")
            .join(&tail);
        let set_off: Vec<&str> = whole
            .emphasis
            .iter()
            .map(|&(start, end)| &whole.text[start..end])
            .collect();
        assert_eq!(set_off, ["EPERM", "8 KiB"]);
    }

    #[test]
    fn lines_are_listed_briefly() {
        assert_eq!(lines(&[5]), "line 5");
        assert_eq!(lines(&[8, 5, 8]), "lines 5 and 8");
        assert_eq!(lines(&[1, 2, 3, 4, 5, 6]), "lines 1, 2, 3 and 3 more");
    }
}
