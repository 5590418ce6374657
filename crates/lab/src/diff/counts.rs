//! Where calls end alike but take different work.

use std::collections::{BTreeMap, HashMap};

use sealab_core::meter::Counter;

use super::sentence::{Sentence, lines};
use super::{Found, Rank};
use crate::session::{Effect, Session, Step, result_text};
use crate::words;

/// Most sentences on walks, for the kinds of calls that differ most often.
const MAX_WALK_SENTENCES: usize = 6;
/// Most call chains named in a sentence.
const MAX_CHAINS: usize = 3;

/// Sentences on walks by kind of call, and on paging work over the whole run.
pub fn all(session: &Session) -> Vec<Found> {
    let mut found = walks(session);
    found.extend(paging(session));
    found
}

/// How a variant's walks differ from the first variant's at a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct WalkDifference {
    /// Walks more (positive) or fewer.
    more: i64,
    /// Chains that it has more often, with how much more often.
    chains: Vec<(String, u64)>,
}

fn walks(session: &Session) -> Vec<Found> {
    // By call name and by what is said of it: the calls of which that is true.
    let mut kinds: BTreeMap<(String, Told), Vec<usize>> = BTreeMap::new();
    // A long trace has few different sets of walks: each is put in words once.
    let mut known: HashMap<(String, Walks), Option<Told>> = HashMap::new();
    for (at, step) in session.steps().iter().enumerate() {
        if !ended_alike(session, step) {
            continue;
        }
        let key = (name(session, step), walk_numbers(session, step));
        let told = known.entry(key).or_insert_with_key(|(name, _)| {
            let base = chains(session, step, 0)?;
            let others: Option<Vec<WalkDifference>> = (1..session.runs().len())
                .map(|v| Some(against(&base, &chains(session, step, v)?)))
                .collect();
            let others = others.filter(|o| o.iter().any(|d| d.more != 0))?;
            Some(told(session, name, &others))
        });
        if let Some(told) = told {
            let key = (name(session, step), told.clone());
            kinds.entry(key).or_default().push(at);
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    kinds.truncate(MAX_WALK_SENTENCES);
    let found = kinds.into_iter().filter_map(|((name, told), places)| {
        let first = *places.first()?;
        let numbers: Vec<u32> = places
            .iter()
            .filter_map(|&at| Some(session.steps().get(at)?.line))
            .collect();
        let line = session.steps().get(first)?.line;
        // What makes a call dearer is asked about more than what makes it cheaper.
        let rank = if told.dearer {
            Rank::Counts
        } else {
            Rank::Fewer
        };
        let sentence = Sentence::new(format!("{name} on {}: ", lines(&numbers))).join(&told.what);
        Some(Found::new(rank, "counts", Some((first, line)), sentence))
    });
    found.collect()
}

/// Each variant's walks at a call, by the numbers that its run gives their chains.
type Walks = Vec<Vec<u32>>;

fn walk_numbers(session: &Session, step: &Step) -> Walks {
    let of = |v| {
        let (run, record) = session.record(step, v)?;
        Some(run.records.walk_numbers(record).to_vec())
    };
    let all = 0..session.runs().len();
    all.map(|v| of(v).unwrap_or_default()).collect()
}

/// What is said of a call's walks, without its lines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Told {
    dearer: bool,
    what: Sentence,
}

/// `6.11 out-of-loop makes 1 walk more of the VMA tree than 6.8 (can_modify_mm ← …)`
fn told(session: &Session, call: &str, others: &[WalkDifference]) -> Told {
    let mut what = Sentence::default();
    for (place, difference) in others.iter().enumerate() {
        if difference.more == 0 {
            continue;
        }
        let who = session.long_name(place + 1);
        let how_many = words::count(difference.more.unsigned_abs(), "walk");
        let amount = match difference.more > 0 {
            true => format!("{how_many} more"),
            false => format!("{how_many} fewer"),
        };
        what = if what.text.is_empty() {
            what.then(format!("{who} makes "))
                .strong(amount)
                .then(format!(" of the VMA tree than {}", session.name(0)))
        } else {
            what.then(format!("; {who} makes ")).strong(amount)
        };
        if difference.more > 0 && !difference.chains.is_empty() {
            what = what.then(format!(" ({})", shown_chains(difference, call)));
        }
    }
    Told {
        dearer: others.iter().any(|d| d.more > 0),
        what: what.then("."),
    }
}

/// The chains that account for the walks that are more: where kernels name their functions
/// differently every chain is new, so those that check seals come first and no more are shown
/// than there are walks.
fn shown_chains(difference: &WalkDifference, call: &str) -> String {
    let checks = |chain: &str| chain.contains("can_modify");
    let mut chains: Vec<&(String, u64)> = difference.chains.iter().collect();
    chains.sort_by_key(|(chain, _)| !checks(chain));
    let mut left = difference.more.unsigned_abs();
    let mut shown = Vec::new();
    let mut hidden = 0;
    for (chain, n) in chains {
        let n = (*n).min(left);
        if n == 0 {
            break;
        }
        left -= n;
        if shown.len() == MAX_CHAINS {
            hidden += n;
            continue;
        }
        let times = if n > 1 {
            format!("{n} × ")
        } else {
            String::new()
        };
        shown.push(format!("{times}{}", brief(chain, call)));
    }
    if hidden > 0 {
        shown.push(format!("{hidden} more"));
    }
    shown.join("; ")
}

/// A chain without the lookup that all have and without the call that is named already:
/// `can_modify_mm ← do_vmi_munmap ← mremap_to`.
fn brief(chain: &str, call: &str) -> String {
    const LOOKUPS: [&str; 4] = ["vma_find", "vma_iter_load", "find_vma", "vma_lookup"];
    let mut functions: Vec<&str> = chain.split(" ← ").collect();
    if functions.len() > 2 && functions.first().is_some_and(|f| LOOKUPS.contains(f)) {
        functions.remove(0);
    }
    if functions.len() > 1 && functions.last() == Some(&call) {
        functions.pop();
    }
    functions.join(" ← ")
}

fn name(session: &Session, step: &Step) -> String {
    let source = session
        .parsed()
        .program
        .source(step.statement, &session.text);
    let call = source.split('(').next().unwrap_or(source);
    call.rsplit([' ', '=']).next().unwrap_or(call).to_owned()
}

/// Whether a call ended alike under all variants and did the same.
fn ended_alike(session: &Session, step: &Step) -> bool {
    let mut first = None;
    (0..session.runs().len()).all(|v| {
        let Some((run, record)) = session.record(step, v) else {
            return false;
        };
        let effect = Effect::of(run.records.changes(record));
        let failed = record.ended.failed();
        let ended = failed.then(|| result_text(record.ended));
        let this = (ended, effect.bytes, effect.splits.len());
        *first.get_or_insert_with(|| this.clone()) == this
    })
}

/// How often each chain of kernel functions led to a walk.
fn chains(session: &Session, step: &Step, variant: usize) -> Option<BTreeMap<String, u64>> {
    let (run, record) = session.record(step, variant)?;
    let mut chains = BTreeMap::new();
    for chain in run.records.walks(record) {
        *chains.entry(chain.join(" ← ")).or_insert(0) += 1;
    }
    Some(chains)
}

fn against(base: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>) -> WalkDifference {
    let total = |chains: &BTreeMap<String, u64>| {
        i64::try_from(chains.values().sum::<u64>()).unwrap_or(i64::MAX)
    };
    let added = other.iter().filter_map(|(chain, &n)| {
        let before = base.get(chain).copied().unwrap_or(0);
        (n > before).then(|| (chain.clone(), n - before))
    });
    WalkDifference {
        more: total(other).saturating_sub(total(base)),
        chains: added.collect(),
    }
}

/// Counters that a comparison of memories is about, with what they are called.
const PAGING: &[(Counter, &str)] = &[
    (Counter::PageFault, "page fault"),
    (Counter::ContFold, "contiguous block folded"),
    (Counter::ContUnfold, "contiguous block unfolded"),
    (Counter::TlbFlush, "TLB invalidation"),
    (Counter::PteWrite, "PTE write"),
];

/// Where variants differ in memory: what that did to faults and page tables over the whole run.
fn paging(session: &Session) -> Vec<Found> {
    let memories = || session.runs().iter().map(|r| &r.variant.ids.memory);
    let first_memory = memories().next();
    if memories().all(|m| Some(m) == first_memory) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for &(counter, noun) in PAGING {
        let counts: Vec<u64> = session
            .runs()
            .iter()
            .map(|r| r.counts.get(counter))
            .collect();
        if counts.windows(2).all(|pair| pair.first() == pair.last()) {
            continue;
        }
        let mut sentence = Sentence::new(format!("{} over the whole run: ", plural(noun)));
        for (variant, &count) in counts.iter().enumerate() {
            let joint = if variant == 0 { "" } else { ", " };
            sentence = sentence
                .then(joint)
                .strong(words::grouped(count))
                .then(format!(" with {}", session.name(variant)));
        }
        found.push(Found::new(Rank::Counts, "counts", None, sentence.then(".")));
    }
    found
}

/// `page fault` as a heading: `Page faults`.
fn plural(noun: &str) -> String {
    let text = match noun.split_once(' ') {
        Some((head, tail @ ("block folded" | "block unfolded"))) => {
            format!("{head} {}", tail.replacen("block", "blocks", 1))
        }
        _ => format!("{noun}s"),
    };
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
