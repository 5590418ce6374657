//! Differences at one call: how it ended, and what it had changed by then.

use sealab_core::call::{Call, Outcome};
use sealab_core::errno::Errno;
use sealab_core::machine::Change;

use super::effects::{Form, phrase};
use super::sentence::{Group, Sentence, Subject, grouped, subject};
use super::{Found, Rank};
use crate::run::{Ended, What};
use crate::session::{Effect, Session, Step, result_text};
use crate::words;

/// One variant at a call.
struct Fact<'a> {
    variant: usize,
    ended: Ended,
    refused: bool,
    call: Option<&'a Call>,
    changes: &'a [Change],
    effect: Effect,
}

/// What carries over from call to call.
#[derive(Default)]
pub struct State {
    /// Memory lies at different addresses under different variants: later addresses differ too,
    /// and that is nothing new.
    moved: bool,
}

impl State {
    /// Whether memory lies at different addresses under different variants.
    pub fn moved(&self) -> bool {
        self.moved
    }
}

/// Differences at `step`, the `at`th call from 0.
pub fn at(session: &Session, at: usize, step: &Step, state: &mut State) -> Vec<Found> {
    let facts: Vec<Fact<'_>> = (0..session.runs().len())
        .filter_map(|variant| {
            let (run, record) = session.record(step, variant)?;
            let changes = run.records.changes(record);
            Some(Fact {
                variant,
                ended: record.ended,
                refused: record.refused(),
                call: match &record.what {
                    What::Call(call) => Some(call),
                    What::Pattern(_) => None,
                },
                changes,
                effect: Effect::of(changes),
            })
        })
        .collect();
    let teller = Teller {
        session,
        at,
        line: step.line,
    };
    let mut found = Vec::new();
    let facts: Vec<&Fact<'_>> = facts.iter().collect();
    let classes = grouped(&facts, class);
    for (_, members) in &classes {
        found.extend(teller.partial(members));
    }
    if classes.len() > 1 {
        found.push(teller.results(&facts, &classes, !found.is_empty()));
    } else if found.is_empty() {
        found.extend(teller.places(&facts, state));
    }
    found
}

/// What is the same for calls that ended alike: the error or signal, or success. A break that
/// stays is a refusal, so its value counts.
fn class(fact: &Fact<'_>) -> String {
    let is_break = matches!(fact.call, Some(Call::Brk { .. }));
    if fact.ended.failed() || is_break {
        result_text(fact.ended)
    } else {
        String::new()
    }
}

struct Teller<'a> {
    session: &'a Session,
    at: usize,
    line: u32,
}

impl Teller<'_> {
    fn found(&self, rank: Rank, kind: &str, sentence: Sentence) -> Found {
        Found::new(rank, kind, Some((self.at, self.line)), sentence)
    }

    fn opening(&self) -> Sentence {
        Sentence::new(format!("Line {}: ", self.line))
    }

    /// All failed alike, but some had changed something by then.
    fn partial(&self, members: &[&Fact<'_>]) -> Option<Found> {
        let first = members.first()?;
        let effects = grouped(members, |f| (f.effect.bytes.clone(), f.effect.splits.len()));
        if effects.len() < 2 || !first.refused {
            return None;
        }
        let group: Group = members.iter().map(|f| f.variant).collect();
        let all = subject(self.session, &group);
        let mut sentence = self
            .opening()
            .join(&self.ending(first, &all))
            .then(", but ");
        let (some, none): (Vec<_>, Vec<_>) = effects
            .into_iter()
            .partition(|(_, facts)| facts.first().is_some_and(|f| !nothing(f)));
        let split_only = some
            .iter()
            .all(|(_, facts)| facts.first().is_some_and(|f| f.effect.is_split_only()));
        for (place, (_, facts)) in some.iter().enumerate() {
            let (Some(fact), variants) = (facts.first(), variants(facts)) else {
                continue;
            };
            let who = subject(self.session, &variants);
            if place > 0 {
                sentence = sentence.then("; ");
            }
            sentence = sentence.then(&who.words).then(" ");
            sentence = if fact.effect.is_split_only() {
                let form = if who.plural { Form::Several } else { Form::One };
                sentence.join(&phrase(fact.call, fact.changes, &fact.effect, form)?)
            } else {
                let done = phrase(fact.call, fact.changes, &fact.effect, Form::Participle)?;
                sentence
                    .then("had already ")
                    .join(&done)
                    .then(before_what(first.ended))
            };
        }
        for (_, facts) in &none {
            let who = subject(self.session, &variants(facts));
            let did = match split_only {
                true => who.verb("leaves it whole", "leave it whole"),
                false => format!("{} changed nothing", who.words),
            };
            sentence = sentence.then("; ").then(did);
        }
        let (rank, kind) = if split_only {
            (Rank::Split, "partial")
        } else {
            (Rank::Partial, "partial")
        };
        Some(self.found(rank, kind, sentence.then(".")))
    }

    /// The call ended differently.
    fn results(
        &self,
        facts: &[&Fact<'_>],
        classes: &[(String, Vec<&Fact<'_>>)],
        told: bool,
    ) -> Found {
        let seals = |variant: usize| {
            let run = self.session.runs().get(variant);
            run.is_some_and(|r| r.variant.kernel.has_mseal())
        };
        // Kernels with seals are what is compared; those without come last.
        let mut ordered: Vec<&Vec<&Fact<'_>>> = classes.iter().map(|(_, m)| m).collect();
        ordered.sort_by_key(|members| !members.iter().any(|f| seals(f.variant)));
        let among_sealing = classes
            .iter()
            .filter(|(_, members)| members.iter().any(|f| seals(f.variant)))
            .count();
        let mut sentence = self.opening();
        for (place, members) in ordered.iter().enumerate() {
            if place > 0 {
                sentence = sentence.then(if ordered.len() == 2 { ", but " } else { "; " });
            }
            sentence = sentence.join(&self.clause(members));
        }
        let lacks_call = facts
            .iter()
            .any(|f| matches!(f.ended, Ended::Simulated(Outcome::Errno(Errno::ENOSYS))));
        let rank = if among_sealing > 1 || facts.iter().all(|f| !seals(f.variant)) {
            Rank::Result
        } else if lacks_call {
            Rank::Missing
        } else if told {
            Rank::Unsealed
        } else {
            Rank::Sealed
        };
        self.found(rank, "result", sentence.then("."))
    }

    /// `both sealing kernels answer EPERM`, `6.8 (before mseal) unmaps 4 KiB`.
    fn clause(&self, members: &[&Fact<'_>]) -> Sentence {
        let Some(first) = members.first() else {
            return Sentence::default();
        };
        let who = subject(self.session, &variants(members));
        let alike = members.iter().all(|f| f.effect == first.effect);
        let form = if who.plural { Form::Several } else { Form::One };
        if let Some(Call::Brk { .. }) = first.call {
            return self.ending(first, &who);
        }
        if matches!(first.ended, Ended::Simulated(Outcome::Errno(Errno::ENOSYS))) {
            let verb = who.verb(
                "does not have the call and answers ",
                "do not have the call and answer ",
            );
            return Sentence::new(verb).strong("ENOSYS");
        }
        if !first.ended.failed() {
            if let Some(done) = moved(first, form) {
                return Sentence::new(who.words).then(" ").join(&done);
            }
            let done = phrase(first.call, first.changes, &first.effect, form);
            return match done.filter(|_| alike && !first.effect.is_split_only()) {
                Some(done) => Sentence::new(who.words).then(" ").join(&done),
                None => Sentence::new(who.words).then(" ").strong(if who.plural {
                    "succeed"
                } else {
                    "succeeds"
                }),
            };
        }
        let answered = self.ending(first, &who);
        let after = phrase(first.call, first.changes, &first.effect, Form::Participle);
        match after.filter(|_| alike && !first.effect.is_split_only()) {
            Some(after) => {
                let had = if who.plural {
                    " after they had "
                } else {
                    " after it had "
                };
                answered.then(had).join(&after)
            }
            None => answered,
        }
    }

    /// `both sealing kernels answer EPERM`, `6.8 moves the break to 0x…`.
    fn ending(&self, fact: &Fact<'_>, who: &Subject) -> Sentence {
        let verb = match (fact.call, fact.ended) {
            (Some(Call::Brk { .. }), _) if fact.refused => {
                who.verb("leaves the break at ", "leave the break at ")
            }
            (Some(Call::Brk { .. }), _) => who.verb("moves the break to ", "move the break to "),
            (_, Ended::Simulated(Outcome::Signal(_))) => who.verb("ends in ", "end in "),
            _ => who.verb("answers ", "answer "),
        };
        Sentence::new(verb).strong(result_text(fact.ended))
    }

    /// All succeeded, or all failed alike: where, and what became of the mappings.
    fn places(&self, facts: &[&Fact<'_>], state: &mut State) -> Option<Found> {
        let groups = grouped(facts, |f| f.ended.outcome());
        if groups.len() > 1 {
            let maps = matches!(
                facts.first()?.call,
                Some(Call::Mmap { .. } | Call::Mremap { .. })
            );
            if std::mem::replace(&mut state.moved, true) || !maps {
                return None;
            }
            let mut sentence = self.opening();
            for (place, (outcome, members)) in groups.iter().enumerate() {
                let Some(Outcome::Value(addr)) = outcome else {
                    return None;
                };
                let who = subject(self.session, &variants(members));
                let verb = match place {
                    0 => who.verb("places the memory at ", "place the memory at "),
                    _ => format!("; {} at ", who.words),
                };
                sentence = sentence.then(verb).strong(format!("{addr:#x}"));
                if addr % (2 << 20) == 0 {
                    sentence = sentence.then(", a multiple of 2 MiB");
                }
            }
            return Some(self.found(Rank::Result, "result", sentence.then(".")));
        }
        let joins = grouped(facts, |f| f.effect.merges.len());
        if joins.len() > 1 {
            let mut sentence = self.opening();
            for (place, (merges, members)) in joins.iter().enumerate() {
                let who = subject(self.session, &variants(members));
                let did = match merges {
                    0 => who.verb(
                        "leaves the mapping apart from its neighbours",
                        "leave the mapping apart from its neighbours",
                    ),
                    1 => who.verb("joins it with a neighbour", "join it with a neighbour"),
                    _ => who.verb(
                        "joins it with both neighbours",
                        "join it with both neighbours",
                    ),
                };
                let joint = if place > 0 { ", but " } else { "" };
                sentence = sentence.then(joint).then(did);
            }
            return Some(self.found(Rank::Maps, "maps", sentence.then(".")));
        }
        None
    }
}

/// What a successful mremap did: its unmapping and mapping are the ways of a move, not its point.
fn moved(fact: &Fact<'_>, form: Form) -> Option<Sentence> {
    let Some(Call::Mremap {
        addr,
        old_len,
        new_len,
        ..
    }) = fact.call
    else {
        return None;
    };
    let Some(Outcome::Value(at)) = fact.ended.outcome() else {
        return None;
    };
    let plural = form == Form::Several;
    let pick = |one, several| if plural { several } else { one };
    let size = words::size(*old_len);
    Some(match () {
        () if *old_len == 0 => {
            Sentence::new(pick("copies ", "copy ")).strong(words::size(*new_len))
        }
        () if at != *addr => Sentence::new(pick("moves ", "move ")).strong(size),
        () if new_len < old_len => {
            Sentence::new(pick("shrinks it to ", "shrink it to ")).strong(words::size(*new_len))
        }
        () if new_len > old_len => {
            Sentence::new(pick("grows it to ", "grow it to ")).strong(words::size(*new_len))
        }
        () => Sentence::default().strong(pick("succeeds", "succeed")),
    })
}

fn nothing(fact: &Fact<'_>) -> bool {
    fact.effect.bytes.is_empty() && fact.effect.splits.is_empty()
}

fn variants(members: &[&Fact<'_>]) -> Group {
    members.iter().map(|f| f.variant).collect()
}

fn before_what(ended: Ended) -> &'static str {
    match ended.outcome() {
        Some(Outcome::Errno(Errno::EPERM)) => " before it met the seal",
        _ => " before it failed",
    }
}

/// Whether any variant's call at `step` did not end as the text says.
pub fn disagreeing(session: &Session, step: &Step) -> Vec<usize> {
    (0..session.runs().len())
        .filter(|&v| session.record(step, v).is_some_and(|(_, r)| !r.agrees))
        .collect()
}
