//! Lining up the same call under every variant.

use std::collections::HashMap;

use sealab_scenario::program::StatementId;

use crate::run::{Record, VariantRun};

/// One call of the program, with its record in each variant's run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which statement.
    pub statement: StatementId,
    /// Its line, from 1.
    pub line: u32,
    /// Place among each run's records; `None`: not made there, because a name had no value.
    pub records: Vec<Option<usize>>,
}

/// All calls in the order made. Every run has its records in the program's order, so where one
/// lacks a call the others' order decides.
pub fn align(runs: &[VariantRun]) -> Vec<Step> {
    let lists: Vec<&[Record]> = runs.iter().map(|r| r.records.all()).collect();
    let key = |r: &Record| (r.statement, r.occurrence);
    let alike = lists.windows(2).all(|pair| match pair {
        [a, b] => a.len() == b.len() && a.iter().zip(*b).all(|(x, y)| key(x) == key(y)),
        _ => true,
    });
    let Some(first) = lists.first() else {
        return Vec::new();
    };
    if alike {
        let step = |(at, r): (usize, &Record)| Step {
            statement: r.statement,
            line: r.line,
            records: vec![Some(at); lists.len()],
        };
        return first.iter().enumerate().map(step).collect();
    }
    merge(&lists)
}

fn merge(lists: &[&[Record]]) -> Vec<Step> {
    let key = |r: &Record| (r.statement, r.occurrence);
    let places: Vec<HashMap<(StatementId, u64), usize>> = lists
        .iter()
        .map(|list| {
            list.iter()
                .enumerate()
                .map(|(at, r)| (key(r), at))
                .collect()
        })
        .collect();
    let mut cursors = vec![0_usize; lists.len()];
    let mut steps = Vec::new();
    loop {
        let heads = lists.iter().zip(&cursors).map(|(list, &at)| list.get(at));
        // Next is a head that no other run has still further ahead.
        let ready = |r: &Record| {
            places
                .iter()
                .zip(&cursors)
                .all(|(places, &cursor)| places.get(&key(r)).is_none_or(|&place| place <= cursor))
        };
        let mut heads = heads.flatten();
        let Some(fallback) = heads.clone().next() else {
            return steps;
        };
        let next = heads.find(|r| ready(r)).unwrap_or(fallback);
        let mut records = vec![None; lists.len()];
        for (at, (places, cursor)) in places.iter().zip(&mut cursors).enumerate() {
            if places.get(&key(next)) == Some(&*cursor) {
                if let Some(slot) = records.get_mut(at) {
                    *slot = Some(*cursor);
                }
                *cursor += 1;
            }
        }
        steps.push(Step {
            statement: next.statement,
            line: next.line,
            records,
        });
    }
}
