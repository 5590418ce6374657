//! Where a run does not end as its text says.

use super::calls::disagreeing;
use super::sentence::{Group, Sentence, grouped, subject};
use super::{Found, Rank};
use crate::session::{Session, is_trace, result_text};
use crate::words;

/// One sentence for each set of variants that leave the text at the same first call.
pub fn all(session: &Session) -> Vec<Found> {
    let all: Group = (0..session.runs().len()).collect();
    // Where each variant first differs, and how often.
    let firsts: Vec<(usize, usize, u64)> = all
        .iter()
        .filter_map(|&v| {
            let at = session
                .steps()
                .iter()
                .position(|step| disagreeing(session, step).contains(&v))?;
            Some((v, at, session.runs().get(v)?.disagreements))
        })
        .collect();
    let trace = is_trace(session.parsed());
    grouped(&firsts, |(_, at, n)| (at, n))
        .into_iter()
        .filter_map(|((at, disagreements), members)| {
            let step = session.steps().get(at)?;
            let group: Group = members.iter().map(|&(v, ..)| v).collect();
            // Written by hand, and some variants agree: the call's own sentence says it.
            if !trace && group.len() < all.len() {
                return None;
            }
            let (_, record) = session.record(step, *group.first()?)?;
            let who = subject(session, &group);
            let said = record
                .expected
                .map(|e| result_text(crate::run::Ended::AsRecorded(e)))?;
            let source = if trace {
                "the trace has"
            } else {
                "the text expects"
            };
            let mut sentence = Sentence::new(format!("Line {}: {source} ", step.line))
                .strong(said)
                .then(format!(", but {} ", who.verb("answers", "answer")))
                .strong(result_text(record.ended));
            if disagreements > 1 {
                let more = words::count(disagreements - 1, "later call");
                let differ = if disagreements == 2 {
                    "differs"
                } else {
                    "differ"
                };
                sentence = sentence.then(format!("; {more} {differ} too"));
            }
            Some(Found::new(
                Rank::Recorded,
                "recorded",
                Some((at, step.line)),
                sentence.then("."),
            ))
        })
        .collect()
}
