//! `measure` blocks: what each counted and what its samples cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use sealab_core::meter::Counts;
use sealab_scenario::program::{MeasureId, Program};

use crate::cost::Prices;
use crate::report::Spread;

/// A named stretch's sums.
#[derive(Clone, Debug)]
pub struct MeasureRun {
    /// Its name in the scenario.
    pub name: Arc<str>,
    /// Line of the block, from 1.
    pub line: u32,
    /// How often it ran.
    pub samples: u64,
    /// Sum of what it counted.
    pub counts: Counts,
    /// Spread of its samples' costs, in nanoseconds.
    pub cost_ns: Spread,
}

/// The measures of a run that is under way.
pub struct Measures {
    runs: Vec<MeasureRun>,
    open: Vec<(MeasureId, Counts, f64)>,
    /// How often each cost was seen, by the bits of its cycles: positive numbers sort as their
    /// bits do, and a deterministic machine knows few different costs.
    costs: Vec<BTreeMap<u64, u64>>,
    cycles_to_ns: f64,
}

impl Measures {
    pub fn new(program: &Program) -> Self {
        let runs = program.measures().iter().map(|info| MeasureRun {
            name: info.name.clone(),
            line: program.statement(info.statement).map_or(0, |s| s.line),
            samples: 0,
            counts: Counts::default(),
            cost_ns: Spread::default(),
        });
        Self {
            costs: vec![BTreeMap::new(); program.measures().len()],
            runs: runs.collect(),
            open: Vec::new(),
            cycles_to_ns: 1.0,
        }
    }

    /// A block begins; `cycles`: fixed parts of all calls before it.
    pub fn begin(&mut self, id: MeasureId, counts: Counts, cycles: f64) {
        self.open.push((id, counts, cycles));
    }

    /// It ends: one sample more.
    pub fn end(&mut self, id: MeasureId, counts: &Counts, cycles: f64, prices: &Prices) {
        let Some(at) = self.open.iter().rposition(|(open, ..)| *open == id) else {
            return;
        };
        let (_, before, cycles_before) = self.open.swap_remove(at);
        let counts = counts.since(&before);
        let index = id.0 as usize;
        let (Some(run), Some(costs)) = (self.runs.get_mut(index), self.costs.get_mut(index)) else {
            return;
        };
        run.samples = run.samples.saturating_add(1);
        run.counts.merge(&counts);
        let cost = prices.cycles(&counts) + (cycles - cycles_before).max(0.0);
        *costs.entry(cost.to_bits()).or_insert(0) += 1;
        self.cycles_to_ns = prices.ns(1.0);
    }

    pub fn finish(mut self) -> Vec<MeasureRun> {
        for (run, costs) in self.runs.iter_mut().zip(&self.costs) {
            run.cost_ns = spread(costs, self.cycles_to_ns);
        }
        self.runs
    }
}

/// Median, least and greatest of the costs; the median of an even number is the mean of the
/// middle two.
fn spread(costs: &BTreeMap<u64, u64>, scale: f64) -> Spread {
    let total: u64 = costs.values().sum();
    if total == 0 {
        return Spread::default();
    }
    let nth = |rank: u64| {
        let mut passed = 0;
        let found = costs.iter().find(|&(_, &n)| {
            passed += n;
            passed > rank
        });
        found.map_or(0.0, |(&bits, _)| f64::from_bits(bits) * scale)
    };
    Spread {
        median: f64::midpoint(nth((total - 1) / 2), nth(total / 2)),
        min: nth(0),
        max: nth(total - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_that_of_the_samples() {
        let costs = [(1.5_f64, 2), (3.0, 1), (10.0, 1)];
        let costs = costs.iter().map(|&(c, n)| (c.to_bits(), n)).collect();
        let spread = spread(&costs, 2.0);
        assert_eq!((spread.min, spread.median, spread.max), (3.0, 4.5, 20.0));
    }
}
