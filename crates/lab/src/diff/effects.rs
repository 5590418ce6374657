//! What a call did, in a verb phrase.

use sealab_core::call::Call;
use sealab_core::flags::Prot;
use sealab_core::machine::{Change, ChangeKind};

use super::sentence::Sentence;
use crate::session::Effect;
use crate::words;

/// How the verb stands: `makes`, `make`, `made`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// After one subject, in the present.
    One,
    /// After several.
    Several,
    /// After "had already".
    Participle,
}

/// The phrase for `effect` of `call`: `made 8 KiB read-only`. `None` where it did nothing.
pub fn phrase(
    call: Option<&Call>,
    changes: &[Change],
    effect: &Effect,
    form: Form,
) -> Option<Sentence> {
    let parts: Vec<Sentence> = effect
        .bytes
        .iter()
        .map(|&(kind, bytes)| one(call, changes, kind, bytes, form))
        .collect();
    if let Some((first, rest)) = parts.split_first() {
        let whole = rest
            .iter()
            .fold(first.clone(), |s, p| s.then(" and ").join(p));
        return Some(whole);
    }
    let at = effect.splits.first()?;
    let verb = pick(form, ["leaves", "leave", "left"]);
    let place = match effect.splits.as_slice() {
        [_] => format!("split in two at {at:#x}"),
        many => format!("split at {} places, first at {at:#x}", many.len()),
    };
    Some(Sentence::new(verb).then(" the mapping ").strong(place))
}

fn one(
    call: Option<&Call>,
    changes: &[Change],
    kind: ChangeKind,
    bytes: u64,
    form: Form,
) -> Sentence {
    let size = words::size(bytes);
    let plain = |verbs: [&'static str; 3]| Sentence::new(pick(form, verbs)).then(" ").strong(&size);
    match kind {
        ChangeKind::Mapped => plain(["maps", "map", "mapped"]),
        ChangeKind::Unmapped => {
            let unmapped = plain(["unmaps", "unmap", "unmapped"]);
            match unmapped_where(call, changes) {
                Some(place) => unmapped.then(place),
                None => unmapped,
            }
        }
        ChangeKind::Sealed => plain(["seals", "seal", "sealed"]),
        ChangeKind::Discarded => Sentence::new(pick(form, ["drops", "drop", "dropped"]))
            .then(" the contents of ")
            .strong(&size),
        ChangeKind::Protected => {
            let made = plain(["makes", "make", "made"]);
            match call {
                Some(Call::Mprotect { prot, .. } | Call::PkeyMprotect { prot, .. }) => {
                    made.then(" ").then(access(*prot))
                }
                _ => made.then(" differently accessible"),
            }
        }
        ChangeKind::Flagged => match call {
            Some(Call::Mlock { .. } | Call::Mlock2 { .. } | Call::Mlockall { .. }) => {
                plain(["locks", "lock", "locked"])
            }
            Some(Call::Munlock { .. } | Call::Munlockall) => {
                plain(["unlocks", "unlock", "unlocked"])
            }
            _ => plain(["marks", "mark", "marked"]),
        },
        ChangeKind::Split | ChangeKind::Merged => plain(["changes", "change", "changed"]),
    }
}

/// Which side of a move was unmapped.
fn unmapped_where(call: Option<&Call>, changes: &[Change]) -> Option<&'static str> {
    let Some(Call::Mremap {
        new_addr, new_len, ..
    }) = call
    else {
        return None;
    };
    let destination = *new_addr..new_addr.saturating_add(*new_len);
    let gone = changes.iter().find(|c| c.kind == ChangeKind::Unmapped)?;
    Some(if destination.contains(&gone.range.start) {
        " at the destination"
    } else {
        " of the source"
    })
}

fn access(prot: u64) -> &'static str {
    let prot = Prot::from_bits_retain(prot & 7);
    let (read, write, exec) = (Prot::READ, Prot::WRITE, Prot::EXEC);
    match prot {
        p if p.is_empty() => "inaccessible",
        p if p == read => "read-only",
        p if p == exec => "execute-only",
        p if p == (read | exec) => "executable",
        p if p.contains(write | exec) => "writable and executable",
        _ => "writable",
    }
}

fn pick(form: Form, [one, several, participle]: [&'static str; 3]) -> &'static str {
    match form {
        Form::One => one,
        Form::Several => several,
        Form::Participle => participle,
    }
}
