//! Where variants differ, in sentences.

mod calls;
mod counts;
mod effects;
mod ending;
mod recorded;
mod sentence;

use crate::report::Difference;
use crate::session::Session;

use sentence::Sentence;

/// Most sentences of one session; how many more there would be is said in a last one.
const MAX_SENTENCES: usize = 40;

/// How telling a difference is, the most telling first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    /// Kernels that could agree end a call differently.
    Result,
    /// They end it alike, but one had changed something by then.
    Partial,
    /// One leaves a mapping cut in two.
    Split,
    /// A call did not end as the text says.
    Recorded,
    /// Kernels with seals refuse what one without allows.
    Sealed,
    /// The final address spaces differ.
    Maps,
    /// A variant takes more work.
    Counts,
    /// A kernel does not have the call.
    Missing,
    /// A variant takes less work.
    Fewer,
    /// As `Sealed`, where the call has a sentence of its own already.
    Unsealed,
}

/// A difference with its rank.
struct Found {
    rank: Rank,
    difference: Difference,
}

impl Found {
    fn new(rank: Rank, kind: &str, at: Option<(usize, u32)>, sentence: Sentence) -> Self {
        Self {
            rank,
            difference: Difference {
                kind: kind.to_owned(),
                call: at.map(|(call, _)| call),
                line: at.map(|(_, line)| line),
                sentence: sentence.text,
                emphasis: sentence.emphasis,
            },
        }
    }
}

/// The differences of a session, most telling first, then in the order of the calls.
#[must_use]
pub fn differences(session: &Session) -> Vec<Difference> {
    let mut found = Vec::new();
    if session.runs().len() > 1 {
        let mut state = calls::State::default();
        for (at, step) in session.steps().iter().enumerate() {
            found.extend(calls::at(session, at, step, &mut state));
        }
        // Where memory lies elsewhere every address differs in the end: that was said.
        if !state.moved() {
            found.extend(ending::maps(session));
        }
        found.extend(counts::all(session));
    }
    found.extend(recorded::all(session));
    found.sort_by_key(|f| (f.rank, f.difference.call.unwrap_or(usize::MAX)));
    // A loop says the same thing every time.
    let mut seen = std::collections::HashSet::new();
    found.retain(|f| seen.insert(f.difference.sentence.clone()));
    let more = found.len().saturating_sub(MAX_SENTENCES);
    found.truncate(MAX_SENTENCES);
    let mut out: Vec<Difference> = found.into_iter().map(|f| f.difference).collect();
    if more > 0 {
        out.push(Difference {
            kind: "more".to_owned(),
            sentence: format!(
                "There {} further; the calls list them all.",
                match more {
                    1 => "is 1 difference".to_owned(),
                    _ => format!("are {} differences", crate::words::grouped(more as u64)),
                }
            ),
            ..Difference::default()
        });
    }
    out
}
