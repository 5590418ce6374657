//! What was done and what it cost, by the names of the calls.

use sealab_core::meter::Counts;
use sealab_scenario::calls::{self, CallKind};
use sealab_scenario::program::{Program, StatementId, StatementKind};

use crate::cost::{CpuProfile, Prices};

/// All calls of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct NameSum {
    /// The name.
    pub name: &'static str,
    /// How many there were.
    pub calls: u64,
    /// What they counted.
    pub counts: Counts,
    /// Estimated cost, in nanoseconds.
    pub cost_ns: f64,
}

/// Sums by name while a run is under way.
pub struct Names {
    sums: Vec<NameSum>,
    /// Cycles of the fixed part of a call of each name.
    fixed: Vec<f64>,
    /// Each statement's place in `sums`.
    places: Vec<usize>,
}

impl Names {
    pub fn new(program: &Program, cpu: &CpuProfile) -> Self {
        let mut names = Self {
            sums: Vec::new(),
            fixed: Vec::new(),
            places: Vec::with_capacity(program.statements().len()),
        };
        for statement in program.statements() {
            let (name, fixed) = match &statement.kind {
                StatementKind::Call { call, .. } => {
                    let spec = calls::spec(*call);
                    let priced = !matches!(spec.kind, CallKind::Access | CallKind::Setting);
                    let cycles = priced.then(|| cpu.call_cycles(spec.name));
                    (spec.name, cycles.unwrap_or(0.0))
                }
                _ => ("access", 0.0),
            };
            let place = names.sums.iter().position(|s| s.name == name);
            let place = place.unwrap_or_else(|| {
                names.sums.push(NameSum {
                    name,
                    calls: 0,
                    counts: Counts::default(),
                    cost_ns: 0.0,
                });
                names.fixed.push(fixed);
                names.sums.len() - 1
            });
            names.places.push(place);
        }
        names
    }

    fn place(&self, statement: StatementId) -> usize {
        let place = self.places.get(statement.0 as usize);
        place.copied().unwrap_or(usize::MAX)
    }

    /// Cycles of the fixed part of the statement's call; accesses and settings have none.
    pub fn cycles(&self, statement: StatementId) -> f64 {
        let fixed = self.fixed.get(self.place(statement));
        fixed.copied().unwrap_or(0.0)
    }

    /// `calls` more of the statement's, that counted `counts`.
    pub fn add(&mut self, statement: StatementId, calls: u64, counts: &Counts) {
        let place = self.place(statement);
        if let Some(sum) = self.sums.get_mut(place) {
            sum.calls = sum.calls.saturating_add(calls);
            sum.counts.merge(counts);
        }
    }

    /// The names that occurred, in the order of the text.
    pub fn finish(self, prices: &Prices) -> Vec<NameSum> {
        let sums = self.sums.into_iter().zip(self.fixed);
        sums.filter(|(sum, _)| sum.calls > 0)
            .map(|(mut sum, fixed)| {
                sum.cost_ns = prices.ns(prices.cycles(&sum.counts) + sum.calls as f64 * fixed);
                sum
            })
            .collect()
    }
}
