//! Packs: all cases of one family in one compressed text, small enough to be carried in the
//! project and readable with `zcat`.
//!
//! A pack is gzip over lines, each with a one-letter tag and a blank before its text:
//!
//! ```text
//! P sealab-cases/1       the format
//! K 6.12                 kernel id
//! F seal-heavy           family
//! S 0                    a start state, shared by cases: number, then its lines
//! b 555555554000-…       a line of /proc/self/maps before the first call
//! r VmFlags: rd mr …     a line of the smaps extract before the first call
//! C seal-heavy-000004 0  a case: name and start state, then its lines
//! c mseal(0x1000000…     a call, in strace's style
//! = 12                   maps after the last call: that many lines as before,
//! - 1                    that many of before left out,
//! + 100000005000-…       and a new one
//! m VmFlags: rd wr …     a line of the smaps extract after the last call
//! ```
//!
//! Packing loses nothing: unpacked cases have their files back to the byte.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::case::{Case, LoadError};

const FORMAT: &str = "sealab-cases/1";

/// Most bytes that a pack may unpack to; the largest of the project's own is a tenth of it.
const MAX_UNPACKED: u64 = 256 << 20;

/// What could not be packed.
#[derive(Debug, PartialEq, Eq)]
pub struct Unpackable {
    /// The case.
    pub place: String,
    /// Why.
    pub reason: &'static str,
}

/// Packs `cases`, all of one kernel and family.
///
/// # Errors
/// A case of another kernel or family, or one whose files do not end with a newline.
pub fn pack(cases: &[Case]) -> Result<Vec<u8>, Unpackable> {
    let text = to_text(cases)?;
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a Vec cannot fail.
    let _ = gz.write_all(text.as_bytes());
    Ok(gz.finish().unwrap_or_default())
}

/// Packs `cases` by the folder of their kernel and by family: the name each pack goes by, relative
/// to the recordings' folder (`linux-6.12-x86_64/seal-heavy.cases.gz`), and its bytes. Cases of
/// one pack keep their order.
///
/// # Errors
/// As [`pack`].
pub fn pack_all(cases: &[Case]) -> Result<Vec<(String, Vec<u8>)>, Unpackable> {
    let mut packs: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        let folder = case.place.split('/').next().unwrap_or_default();
        let name = format!("{folder}/{}.cases.gz", case.family);
        packs.entry(name).or_default().push(case.clone());
    }
    let packed = packs
        .into_iter()
        .map(|(name, cases)| Ok((name, pack(&cases)?)));
    packed.collect()
}

/// Unpacks what [`pack`] made; `path` is for messages and for the cases' places.
///
/// # Errors
/// Bytes that are no pack, with the line at fault.
pub fn unpack(path: &Path, bytes: &[u8]) -> Result<Vec<Case>, LoadError> {
    let mut text = String::new();
    GzDecoder::new(bytes)
        .take(MAX_UNPACKED)
        .read_to_string(&mut text)
        .map_err(LoadError::io(path))?;
    from_text(&text, path)
}

fn to_text(cases: &[Case]) -> Result<String, Unpackable> {
    let mut out = String::new();
    let Some(first) = cases.first() else {
        return Ok(out);
    };
    let _ = writeln!(out, "P {FORMAT}\nK {}\nF {}", first.kernel, first.family);
    let mut starts: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    for case in cases {
        let refuse = |reason| {
            Err(Unpackable {
                place: case.place.clone(),
                reason,
            })
        };
        if (&case.kernel, &case.family) != (&first.kernel, &first.family) {
            return refuse("another kernel or family than the first case");
        }
        let files = [&*case.before, &case.after, &case.smaps, &case.strace];
        if files.iter().any(|t| !t.is_empty() && !t.ends_with('\n')) {
            return refuse("a file does not end with a newline");
        }
        let next = starts.len();
        let start = *starts
            .entry((&case.before, case.before_smaps.as_deref()))
            .or_insert(next);
        if start == next {
            let _ = writeln!(out, "S {start}");
            tagged(&mut out, 'b', &case.before);
            tagged(&mut out, 'r', case.before_smaps.as_deref().unwrap_or(""));
        }
        let _ = writeln!(out, "C {} {start}", case.name());
        tagged(&mut out, 'c', &case.strace);
        edits(&mut out, &case.before, &case.after);
        tagged(&mut out, 'm', &case.smaps);
    }
    Ok(out)
}

fn tagged(out: &mut String, tag: char, text: &str) {
    for line in text.split_terminator('\n') {
        let _ = writeln!(out, "{tag} {line}");
    }
}

/// `after` as edits of `before`. Both are in address order, so a line of `after` that `before`
/// has as well stands there in the same order.
fn edits(out: &mut String, before: &str, after: &str) {
    let old: Vec<&str> = before.split_terminator('\n').collect();
    let mut at = 0;
    let mut same = 0;
    for line in after.split_terminator('\n') {
        let found = old.iter().skip(at).position(|&l| l == line);
        if found != Some(0) && same > 0 {
            let _ = writeln!(out, "= {same}");
            same = 0;
        }
        match found {
            Some(skip) => {
                if skip > 0 {
                    let _ = writeln!(out, "- {skip}");
                }
                at += skip + 1;
                same += 1;
            }
            None => {
                let _ = writeln!(out, "+ {line}");
            }
        }
    }
    if same > 0 {
        let _ = writeln!(out, "= {same}");
    }
}

#[derive(Default)]
struct Start {
    before: String,
    smaps: String,
}

fn from_text(text: &str, path: &Path) -> Result<Vec<Case>, LoadError> {
    let mut reader = Reader {
        folder: path
            .parent()
            .and_then(Path::file_name)
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default(),
        ..Reader::default()
    };
    for (index, line) in text.lines().enumerate() {
        let (tag, rest) = line.split_at_checked(2).unwrap_or((line, ""));
        reader
            .line(tag.trim_end(), rest)
            .map_err(|message| LoadError::Pack {
                path: path.to_owned(),
                line: index + 1,
                message,
            })?;
    }
    Ok(reader.finish())
}

#[derive(Default)]
struct Reader {
    folder: String,
    kernel: Arc<str>,
    family: Arc<str>,
    starts: Vec<Start>,
    shared: Vec<(Arc<str>, Option<Arc<str>>)>,
    cases: Vec<Case>,
    /// Bytes of the current case's `before` that its edits have passed.
    cursor: usize,
}

impl Reader {
    fn line(&mut self, tag: &str, rest: &str) -> Result<(), String> {
        match tag {
            "P" if rest == FORMAT => {}
            "P" => return Err(format!("format {rest:?}, not {FORMAT:?}")),
            "K" => self.kernel = Arc::from(rest),
            "F" => self.family = Arc::from(rest),
            "S" => {
                if rest != self.starts.len().to_string() {
                    return Err(format!("start state {rest:?} out of order"));
                }
                self.starts.push(Start::default());
            }
            "b" | "r" => {
                let start = self.starts.last_mut().ok_or("no start state yet")?;
                let text = if tag == "b" {
                    &mut start.before
                } else {
                    &mut start.smaps
                };
                text.push_str(rest);
                text.push('\n');
            }
            "C" => self.begin(rest)?,
            "c" | "+" | "m" => {
                let case = self.cases.last_mut().ok_or("no case yet")?;
                let text = match tag {
                    "c" => &mut case.strace,
                    "+" => &mut case.after,
                    _ => &mut case.smaps,
                };
                text.push_str(rest);
                text.push('\n');
            }
            "=" | "-" => {
                let count: usize = rest.parse().map_err(|_| "not a count".to_owned())?;
                let case = self.cases.last_mut().ok_or("no case yet")?;
                let left = case.before.get(self.cursor..).unwrap_or("");
                let len = left
                    .split_inclusive('\n')
                    .take(count)
                    .map(str::len)
                    .sum::<usize>();
                if tag == "=" {
                    case.after.push_str(left.get(..len).unwrap_or(""));
                }
                self.cursor += len;
            }
            _ => return Err(format!("unknown tag {tag:?}")),
        }
        Ok(())
    }

    fn begin(&mut self, rest: &str) -> Result<(), String> {
        let (name, start) = rest.split_once(' ').ok_or("a case needs its start state")?;
        let start: usize = start.parse().map_err(|_| "not a start state".to_owned())?;
        while self.shared.len() < self.starts.len() {
            let done = &self.starts[self.shared.len()];
            let smaps = (!done.smaps.is_empty()).then(|| Arc::from(done.smaps.as_str()));
            self.shared.push((Arc::from(done.before.as_str()), smaps));
        }
        let (before, before_smaps) = self
            .shared
            .get(start)
            .cloned()
            .ok_or("no such start state")?;
        self.cursor = 0;
        self.cases.push(Case {
            kernel: self.kernel.clone(),
            family: self.family.clone(),
            place: format!("{}/{}/{name}", self.folder, self.family),
            strace: String::new(),
            before,
            before_smaps,
            after: String::new(),
            smaps: String::new(),
        });
        Ok(())
    }

    fn finish(self) -> Vec<Case> {
        self.cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, before: &str, after: &str) -> Case {
        Case {
            kernel: Arc::from("6.12"),
            family: Arc::from("pinned"),
            place: format!("linux/pinned/{name}"),
            strace: "munmap(0x1000, 4096) = 0\n".to_owned(),
            before: Arc::from(before),
            before_smaps: Some(Arc::from("x\ny\n")),
            after: after.to_owned(),
            smaps: "VmFlags: rd \n".to_owned(),
        }
    }

    #[test]
    fn packing_loses_nothing() {
        let before = "a\nb\nc\nd\n";
        let cases = [
            case("pinned-000000", before, before),
            case("pinned-000002", before, ""),
            case("pinned-000004", before, "x\na\nc\ny\n"),
            case("pinned-000006", "", "a\nb\n"),
            case("pinned-000008", before, "b \nd\n"),
        ];
        let bytes = pack(&cases).expect("packable");
        let again = unpack(Path::new("recordings/linux/pinned.cases.gz"), &bytes).expect("a pack");
        assert_eq!(again, cases);
    }

    #[test]
    fn a_case_of_another_family_is_refused() {
        let mut other = case("brk-000000", "", "");
        other.family = Arc::from("brk");
        assert!(pack(&[case("pinned-000000", "", ""), other]).is_err());
    }

    #[test]
    fn a_fault_is_named_with_its_line() {
        let fault = from_text("P sealab-cases/1\nC nope 0\n", Path::new("x")).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "x: line 2 of the unpacked text: no such start state"
        );
    }
}
