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
    let counts: Vec<usize> = groups.iter().map(|(looks, _)| looks.len()).collect();
    let mut sentence = if counts.windows(2).all(|pair| pair.first() == pair.last()) {
        Sentence::new("In the end the address spaces differ, first at ")
    } else {
        let held: Vec<String> = groups
            .iter()
            .enumerate()
            .map(|(place, (looks, members))| {
                let who = subject(session, members);
                match place {
                    0 => who.verb("has ", "have ") + &words::count(looks.len() as u64, "mapping"),
                    _ => format!("{} {}", who.words, looks.len()),
                }
            })
            .collect();
        Sentence::new(format!(
            "In the end {}; they first differ at ",
            words::list(&held)
        ))
    };
    sentence = sentence.strong(format!("{at:#x}"));
    let there: Vec<Option<&Mapping>> = groups
        .iter()
        .map(|(_, members)| {
            let of = maps(members.first().copied().unwrap_or_default());
            of.iter().find(|m| m.range.contains(at))
        })
        .collect();
    for (place, (_, members)) in groups.iter().enumerate() {
        let what = described(&there, place);
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

/// One of the things that lie at an address, so that it can be told from the others:
/// `rw-p 8K, sealed`, `r--p 16K with dd`, `a hole`.
fn described(there: &[Option<&Mapping>], place: usize) -> String {
    let Some(mapping) = there.get(place).copied().flatten() else {
        return "a hole".to_owned();
    };
    let text = plain(mapping);
    let others = there.iter().flatten();
    let same = others.filter(|m| plain(m) == text).count();
    if same < 2 {
        return text;
    }
    let common = there
        .iter()
        .flatten()
        .fold(VmFlags::all(), |common, m| common & m.flags);
    let own: Vec<&str> = VmFlags::MNEMONICS
        .iter()
        .filter(|(flag, _)| mapping.flags.contains(*flag) && !common.contains(*flag))
        .map(|(_, letters)| *letters)
        .collect();
    match own.as_slice() {
        [] => text,
        own => format!("{text} with {}", own.join(" ")),
    }
}

fn plain(mapping: &Mapping) -> String {
    let perms = crate::space::maps_entry(mapping).perms;
    let sealed = mapping.flags.contains(VmFlags::SEALED);
    let sealed = if sealed { ", sealed" } else { "" };
    format!("{perms} {}{sealed}", words::short_size(mapping.range.len()))
}
