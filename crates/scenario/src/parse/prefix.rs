//! What stands before a call on its line: quote marks of mail, process numbers and time stamps of
//! tracers, what journald, logcat and grep put there, a list's bullet.

use crate::calls;

/// What was found before a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Prefix {
    /// Length of it all, in bytes; the statement starts there.
    pub length: usize,
    /// The process that made the call.
    pub pid: Option<i64>,
    /// Whether a tracer's mark was there, so that no earlier line goes on here.
    pub marks_start: bool,
    /// Whether what follows looks like the start of a statement.
    pub starts: bool,
}

/// Reads the prefix of `line`.
pub(crate) fn strip(line: &str, lenient: bool) -> Prefix {
    let mut scan = Scan {
        line,
        at: 0,
        pid: None,
        marks_start: false,
        lenient,
    };
    // What is surely a prefix stays off even where no statement follows.
    let mut sure = Prefix::default();
    for _ in 0..MOST_ELEMENTS {
        scan.skip_blanks();
        if starts_statement(scan.rest(), lenient) {
            return scan.prefix(true);
        }
        match scan.element() {
            Some(Sure::Yes) => sure = scan.prefix(false),
            Some(Sure::IfStatement) => {}
            None => return sure,
        }
    }
    sure
}

/// More elements than any prefix has; a line of nothing else must not cost quadratic time.
const MOST_ELEMENTS: usize = 24;
/// How far ahead an element is looked for, in bytes, for the same reason.
const WINDOW: usize = 160;

/// Whether `text` starts like a statement: a call, a block, a binding, the end of a block, or a
/// tracer's own line.
pub(crate) fn starts_statement(text: &str, lenient: bool) -> bool {
    let bytes = text.as_bytes();
    let length = word_length(bytes);
    if length == 0 {
        return starts_mark(text);
    }
    let word = text.get(..length).unwrap_or("");
    let rest = bytes.get(length..).unwrap_or(&[]);
    let blanks = rest
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    match (rest.get(blanks), blanks) {
        (Some(b'('), 0) => true,
        (Some(b'('), _) => is_call(word),
        (Some(b'='), _) if rest.get(blanks + 1) != Some(&b'=') => {
            !lenient || binds_call(text.get(length + blanks + 1..).unwrap_or(""))
        }
        (Some(b'{'), _) => false,
        (_, 1..) => matches!(word, "repeat" | "measure"),
        (Some(b':'), 0) => word == "strace",
        (Some(b'"'), 0) => word == "measure",
        _ => false,
    }
}

fn starts_mark(text: &str) -> bool {
    text.starts_with("<... ")
        || text.starts_with("... [continued]: ")
        || text.starts_with("--- ")
        || text.starts_with("+++ ")
        || text.starts_with('}')
        || text.starts_with("[pid ") && text.as_bytes().get(5).is_some_and(u8::is_ascii_alphabetic)
}

fn binds_call(text: &str) -> bool {
    let text = text.trim_start();
    let length = word_length(text.as_bytes());
    is_call(text.get(..length).unwrap_or("")) && text.as_bytes().get(length) == Some(&b'(')
}

/// Whether a scenario or Linux has a call of that name.
pub(crate) fn is_call(word: &str) -> bool {
    calls::by_name(word).is_some() || calls::linux::is_syscall(word) || is_raw_syscall(word)
}

/// `syscall` or what strace prints for a number it does not know: `syscall_0x1ce`.
pub(crate) fn is_raw_syscall(word: &str) -> bool {
    word == "syscall" || word.starts_with("syscall_0x")
}

fn word_length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => bytes
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count(),
        // A name with look-alike letters counts, so that it is reported as a name.
        Some(0x80..) => {
            let text = std::str::from_utf8(bytes).unwrap_or("");
            text.find(|ch: char| {
                !(ch.is_alphanumeric() || ch == '_' || super::suspicious::joins_words(ch))
            })
            .unwrap_or(text.len())
        }
        _ => 0,
    }
}

enum Sure {
    /// A prefix whatever follows.
    Yes,
    /// Only before a statement; it may be part of one.
    IfStatement,
}

struct Scan<'a> {
    line: &'a str,
    at: usize,
    pid: Option<i64>,
    marks_start: bool,
    lenient: bool,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or("")
    }

    /// The next bytes, as many as an element may have.
    fn window(&self) -> &'a str {
        let rest = self.rest();
        let end = crate::text::floor_boundary(rest, WINDOW);
        rest.get(..end).unwrap_or("")
    }

    fn prefix(&self, starts: bool) -> Prefix {
        Prefix {
            length: self.at,
            pid: self.pid,
            marks_start: self.marks_start,
            starts,
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\u{a0}', '\u{feff}', '\u{200b}']);
        self.at += rest.len() - trimmed.len();
    }

    fn take(&mut self, length: usize, sure: Sure) -> Option<Sure> {
        self.at += length;
        Some(sure)
    }

    /// Reads one element of a prefix.
    fn element(&mut self) -> Option<Sure> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        match bytes.first()? {
            b'>' => {
                let run = bytes
                    .iter()
                    .take_while(|b| matches!(b, b'>' | b' ' | b'\t'))
                    .count();
                self.take(run, Sure::Yes)
            }
            b'|' if !matches!(bytes.get(1), Some(b'|')) => self.take(1, Sure::IfStatement),
            b'[' => self.bracket(),
            b'0'..=b'9' => self.number(),
            b'(' => self.perf_duration(),
            b'?' if bytes.get(1) == Some(&b' ') => self.take(1, Sure::IfStatement),
            b'-' | b'+' if bytes.get(1) == Some(&b' ') => self.take(2, Sure::IfStatement),
            b'*' | b'`' | b'~' => self.take(1, Sure::IfStatement),
            b'_' if bytes.get(1) == Some(&b'_') => self.take(2, Sure::IfStatement),
            b'$' | b'%' => self.take(1, Sure::IfStatement),
            b'/' | b'.' => self.file_name(),
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            _ => None,
        }
    }

    /// `[pid 12]`, `[pid 12<name>]`, `[00007f0f1f29a000]`, `[   9]`, `[  12.345678]`.
    fn bracket(&mut self) -> Option<Sure> {
        let rest = self.rest();
        let end = rest.bytes().take(64).position(|b| b == b']')?;
        let inner = rest.get(1..end)?.trim();
        if let Some(pid) = inner.strip_prefix("pid ") {
            let digits = pid.trim().split('<').next()?;
            self.pid = Some(digits.trim().parse().ok()?);
        } else {
            let known = |b: u8| b.is_ascii_hexdigit() || matches!(b, b'.' | b'?' | b':' | b'x');
            if inner.is_empty() || !inner.bytes().all(known) {
                return None;
            }
        }
        self.marks_start = true;
        self.take(end + 1, Sure::Yes)
    }

    fn number(&mut self) -> Option<Sure> {
        let rest = self.window();
        let word_end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let word = rest.get(..word_end)?;
        if is_time(word) || is_stamp(word) {
            self.marks_start = true;
            return self.take(word_end, Sure::Yes);
        }
        if is_iso_date(word) {
            self.marks_start = true;
            self.at += word_end;
            self.skip_blanks();
            return self.after_date();
        }
        if is_month_day(word) {
            return self.logcat(word_end);
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        match rest.as_bytes().get(digits) {
            // `grep -n`; a context line has `-` in place of `:`
            Some(b':') => self.take(digits + 1, Sure::Yes),
            Some(b'-') => self.take(digits + 1, Sure::IfStatement),
            Some(b'.' | b')') => self.take(digits + 1, Sure::IfStatement),
            Some(b' ' | b'\t') => self.pid_before_statement(digits, digits),
            // strace -Y: `25988<cat> `
            Some(b'<') => {
                let end = rest.bytes().take(64).position(|b| b == b'>')?;
                self.pid_before_statement(digits, end + 1)
            }
            _ => None,
        }
    }

    fn pid_before_statement(&mut self, digits: usize, length: usize) -> Option<Sure> {
        let pid = self.rest().get(..digits)?.parse().ok();
        let mut ahead = Scan {
            at: self.at + length,
            ..*self
        };
        ahead.skip_blanks();
        let stamped = {
            let word = ahead.rest().split([' ', '\t']).next().unwrap_or("");
            is_time(word) || is_stamp(word)
        };
        if !stamped
            && !starts_statement(ahead.rest(), self.lenient)
            && !ahead.rest().starts_with('[')
        {
            return None;
        }
        self.pid = pid;
        self.marks_start = true;
        self.take(length, Sure::IfStatement)
    }

    /// `11-30 21:17:01.123  1234  1240 D strace : mmap(…)`
    fn logcat(&mut self, date: usize) -> Option<Sure> {
        self.at += date;
        self.skip_blanks();
        let mut words = self.window().split_ascii_whitespace();
        let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
        is_time(words.next()?).then_some(())?;
        is_number(words.next()?).then_some(())?;
        is_number(words.next()?).then_some(())?;
        (words.next()?.len() == 1).then_some(())?;
        let colon = self.window().find(": ")?;
        let date = self.window().find(' ')?;
        // the first `: ` may only stand after the tag, not in the call
        if self.window().find('(').is_some_and(|paren| paren < colon) || colon < date {
            return None;
        }
        self.marks_start = true;
        self.take(colon + 2, Sure::Yes)
    }

    /// After a date: `host program[12]: `, or nothing.
    fn after_date(&mut self) -> Option<Sure> {
        let rest = self.window();
        if starts_statement(rest, self.lenient) {
            return Some(Sure::Yes);
        }
        let mut at = 0;
        for _ in 0..3 {
            let word = rest.get(at..)?.split(' ').next()?;
            let tag = word.strip_suffix(':');
            at += word.len();
            if tag.is_some() && !word.contains('(') {
                return self.take(at, Sure::Yes);
            }
            if is_time(word) {
                return self.take(at, Sure::Yes);
            }
            at += rest.get(at..)?.len() - rest.get(at..)?.trim_start_matches(' ').len();
        }
        Some(Sure::Yes)
    }

    /// perf's `( 0.003 ms): cat/123 ` or strace's `(+     0.000123) `.
    fn perf_duration(&mut self) -> Option<Sure> {
        let rest = self.window();
        let end = rest.bytes().take(40).position(|b| b == b')')?;
        let inner = rest.get(1..end)?.trim();
        let stamp = inner.strip_prefix('+').unwrap_or(inner);
        let stamp = stamp.strip_suffix("ms").unwrap_or(stamp).trim();
        if !stamp.is_empty() && !is_stamp(stamp) {
            return None;
        }
        self.marks_start = true;
        let colon = usize::from(rest.as_bytes().get(end + 1) == Some(&b':'));
        if colon == 1 {
            self.at += end + 2;
            self.skip_blanks();
            self.perf_thread();
            return Some(Sure::Yes);
        }
        self.take(end + 1, Sure::Yes)
    }

    /// perf's `name/123 `; names may hold blanks.
    fn perf_thread(&mut self) {
        let rest = self.window();
        let head = rest.split('(').next().unwrap_or("");
        let Some(slash) = head.rfind('/') else {
            return;
        };
        let after = rest.get(slash + 1..).unwrap_or("");
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(Ok(pid)) = after.get(..digits).map(str::parse) {
            self.pid = Some(pid);
            self.at += slash + 1 + digits;
        }
    }

    /// `./trace.log:12:` or `/var/log/x-12-`, as `grep -n` prints.
    fn file_name(&mut self) -> Option<Sure> {
        let rest = self.window();
        let end = rest.find([' ', '(', '\t', '"']).unwrap_or(rest.len());
        let word = rest.get(..end)?;
        let colon = word.find(':')?;
        let tail = word.get(colon + 1..)?;
        let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = digits > 0 && tail.as_bytes().get(digits) == Some(&b':');
        if numbered {
            return self.take(colon + 1 + digits + 1, Sure::Yes);
        }
        // a program's own words may end in a colon, too
        if !word.contains(['.', '/']) {
            return None;
        }
        self.take(colon + 1, Sure::IfStatement)
    }

    fn word(&mut self) -> Option<Sure> {
        let rest = self.window();
        // `Nov 30 21:17:01 host program[12]: `
        if let Some(length) = month_day(rest) {
            self.at += length;
            self.skip_blanks();
            let time = self.rest().split(' ').next()?;
            is_time(time).then_some(())?;
            self.at += time.len();
            self.skip_blanks();
            self.marks_start = true;
            return self.after_date();
        }
        // logcat, brief: `D/strace ( 1234): `
        let bytes = rest.as_bytes();
        if bytes.get(1) == Some(&b'/') && bytes.first().is_some_and(u8::is_ascii_uppercase) {
            let end = rest.find("): ")?;
            let pid = rest.get(..end)?.rsplit('(').next()?.trim();
            pid.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
            self.marks_start = true;
            return self.take(end + 3, Sure::Yes);
        }
        self.file_name()
    }
}

/// `21:17:01` or `21:17:01.123456`
fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let colon = |at: usize| bytes.get(at) == Some(&b':');
    digit(0)
        && digit(1)
        && colon(2)
        && digit(3)
        && digit(4)
        && colon(5)
        && digit(6)
        && digit(7)
        && word.get(8..).is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(['.', ',']).is_some_and(all_digits)
        })
}

/// `1700000000.123456` or `0.000123`
fn is_stamp(word: &str) -> bool {
    word.split_once('.')
        .is_some_and(|(whole, part)| all_digits(whole) && all_digits(part) && !part.is_empty())
        && !word.starts_with('.')
}

/// `2026-11-30` or `2026-11-30T21:17:01+0000`
fn is_iso_date(word: &str) -> bool {
    let mut parts = word.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    year.len() == 4
        && all_digits(year)
        && month.len() == 2
        && all_digits(month)
        && rest.get(..2).is_some_and(all_digits)
        && rest
            .get(2..)
            .is_some_and(|r| r.is_empty() || r.starts_with('T'))
}

/// `11-30`
fn is_month_day(word: &str) -> bool {
    word.split_once('-').is_some_and(|(month, day)| {
        month.len() == 2 && day.len() == 2 && all_digits(month) && all_digits(day)
    })
}

/// Length of `Nov 30 `.
fn month_day(text: &str) -> Option<usize> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = text.get(..3).filter(|word| MONTHS.contains(word))?;
    let rest = text.get(month.len()..)?.strip_prefix(' ')?;
    let day = rest.trim_start_matches(' ');
    let digits = day.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && day.as_bytes().get(digits) == Some(&b' '))
        .then_some(text.len() - day.len() + digits)
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, pid: Option<i64>) {
        let prefix = strip(line, true);
        assert_eq!(line.get(prefix.length..), Some("brk(NULL) = 0x1"), "{line}");
        assert_eq!(prefix.pid, pid, "{line}");
        assert!(prefix.starts);
    }

    #[test]
    fn tracers_prefixes_are_read() {
        check("brk(NULL) = 0x1", None);
        check("25988 brk(NULL) = 0x1", Some(25988));
        check("[pid 25988] brk(NULL) = 0x1", Some(25988));
        check("[pid  2598] 21:17:01 brk(NULL) = 0x1", Some(2598));
        check("25988 21:17:01.123456 brk(NULL) = 0x1", Some(25988));
        check("25988 1700000000.123456 brk(NULL) = 0x1", Some(25988));
        check("25988<cat> brk(NULL) = 0x1", Some(25988));
        check("21:17:01 brk(NULL) = 0x1", None);
        check("     0.000123 brk(NULL) = 0x1", None);
        check("21:17:01.5 (+     0.000123) brk(NULL) = 0x1", None);
        check("[00007f0f1f29a000] brk(NULL) = 0x1", None);
        check("[????????????????] brk(NULL) = 0x1", None);
        check("[  12] brk(NULL) = 0x1", None);
        check("25988 [00007f0f1f29a000] brk(NULL) = 0x1", Some(25988));
    }

    #[test]
    fn perf_s_prefix_is_read() {
        check(
            "     0.000 ( 0.003 ms): cat/25988 brk(NULL) = 0x1",
            Some(25988),
        );
        check(
            "         ? (         ): cat/25988 brk(NULL) = 0x1",
            Some(25988),
        );
        check(
            "     0.017 ( 0.005 ms): Web Content/77 brk(NULL) = 0x1",
            Some(77),
        );
        check("     0.000 ( 0.003 ms): brk(NULL) = 0x1", None);
    }

    #[test]
    fn logs_prefixes_are_read() {
        check("Nov 30 21:17:01 host strace[77]: brk(NULL) = 0x1", None);
        check(
            "Nov  3 21:17:01 host app[77]: [pid 5] brk(NULL) = 0x1",
            Some(5),
        );
        check(
            "2026-11-30T21:17:01+0000 host strace[77]: brk(NULL) = 0x1",
            None,
        );
        check("2026-11-30 21:17:01 brk(NULL) = 0x1", None);
        check(
            "11-30 21:17:01.123  1234  1240 D strace  : brk(NULL) = 0x1",
            None,
        );
        check("D/strace  ( 1234): brk(NULL) = 0x1", None);
        check("[   12.345678] brk(NULL) = 0x1", None);
        check("12:brk(NULL) = 0x1", None);
        check("12-brk(NULL) = 0x1", None);
        check("logs/trace.txt:12:25988 brk(NULL) = 0x1", Some(25988));
        check("trace.log:brk(NULL) = 0x1", None);
    }

    #[test]
    fn quotes_and_lists_are_read() {
        check("> brk(NULL) = 0x1", None);
        check(">>> > | brk(NULL) = 0x1", None);
        check("- brk(NULL) = 0x1", None);
        check("1. brk(NULL) = 0x1", None);
        check("**brk(NULL) = 0x1", None);
        check("> 25988 brk(NULL) = 0x1", Some(25988));
        check("$ brk(NULL) = 0x1", None);
    }

    #[test]
    fn what_is_no_prefix_stays() {
        for line in [
            "4096, PROT_READ) = 0",
            "-1, 0) = 0",
            "heap + 8K)",
            "3 mappings are left",
        ] {
            assert_eq!(strip(line, true).length, 0, "{line}");
        }
        assert_eq!(strip("> 4096, PROT_READ)", true).length, 2);
    }
}
