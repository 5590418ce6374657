//! How the address spaces differ in the end.

use sealab_core::call::Mapping;
use sealab_core::flags::VmFlags;

use super::sentence::{Group, Sentence, grouped, subject};
use super::{Found, Rank};
use crate::session::Session;
use crate::words;

/// The sentence on the final address spaces, where they are not all alike.
pub fn maps(session: &Session) -> Option<Found> {
    let variants: Group = (0..session.runs().len()).collect();
    let maps = |v: usize| session.runs().get(v).map_or(&[][..], |r| r.maps.as_slice());
    let groups = grouped(&variants, |v| maps(v).iter().map(look).collect::<Vec<_>>());
    if groups.len() < 2 {
        return None;
    }
    let (first, rest) = groups.split_first()?;
    let base = maps(*first.1.first()?);
    let other = maps(*rest.first()?.1.first()?);
    let at = first_difference(base, other)?;
    let mut sentence = Sentence::new("In the end ");
    for (place, (looks, members)) in groups.iter().enumerate() {
        let who = subject(session, members);
        let joint = if place == 0 { "" } else { " and " };
        let joint = if place > 0 && place + 1 < groups.len() {
            ", "
        } else {
            joint
        };
        let count = words::count(looks.len() as u64, "mapping");
        let has = if place == 0 {
            who.verb("has ", "have ")
        } else {
            format!("{} ", who.words)
        };
        sentence = sentence.then(joint).then(has).then(count);
    }
    sentence = sentence
        .then("; they first differ at ")
        .strong(format!("{at:#x}"));
    for (place, (_, members)) in groups.iter().enumerate() {
        let what = described(maps(*members.first()?), at);
        let joint = if place == 0 { ": " } else { ", " };
        let names = words::list(&members.iter().map(|&v| session.name(v)).collect::<Vec<_>>());
        sentence = sentence
            .then(joint)
            .then(what)
            .then(format!(" under {names}"));
    }
    Some(Found::new(Rank::Maps, "maps", None, sentence.then(".")))
}

/// What makes two mappings look alike.
type Look = (u64, u64, u64, bool, VmFlags);

fn look(m: &Mapping) -> Look {
    (m.range.start, m.range.end, m.prot.bits(), m.shared, m.flags)
}

fn first_difference(a: &[Mapping], b: &[Mapping]) -> Option<u64> {
    let same = a
        .iter()
        .zip(b)
        .take_while(|(x, y)| look(x) == look(y))
        .count();
    let heads = [a.get(same), b.get(same)];
    heads.iter().flatten().map(|m| m.range.start).min()
}

/// What lies at `at`: `rw-p 8K, sealed`, `a hole`.
fn described(maps: &[Mapping], at: u64) -> String {
    let Some(mapping) = maps.iter().find(|m| m.range.contains(at)) else {
        return "a hole".to_owned();
    };
    let entry = crate::space::maps_entry(mapping);
    let mut text = format!("{} {}", entry.perms, words::short_size(mapping.range.len()));
    if mapping.flags.contains(VmFlags::SEALED) {
        text.push_str(", sealed");
    }
    text
}
