//! What counted work costs on a processor: a weighted sum, and where each weight is from.
//!
//! The counts come from the simulation, never from a table. A profile's weights are fitted to
//! published measurements by `cargo run -p sealab-lab --features fit --example fit` and kept as data
//! with their sources.

#[cfg(feature = "fit")]
pub mod fit;

use std::sync::OnceLock;

use sealab_core::meter::{Counter, Counts};
use serde::{Deserialize, Serialize};

/// The profile of a variant that names none.
pub const DEFAULT_CPU: &str = "pentium-gold-7505";

/// A processor's prices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuProfile {
    /// Its id in scenarios, reports and on the command line.
    pub id: String,
    /// What it is.
    pub label: String,
    /// Cycles in a nanosecond.
    pub cycles_per_ns: f64,
    /// Nanoseconds of a call that a clock sees and the kernel's cycles do not: entering, leaving, and
    /// the loop around it.
    #[serde(default)]
    pub outside_ns: f64,
    /// How the weights were come by, for a person.
    pub model: String,
    /// How far an estimate is off: root mean square of the relative errors over [`Self::error_rows`].
    pub relative_error: f64,
    /// The rows that the error is over.
    pub error_rows: String,
    /// Prices of a call's fixed part: entry, exit and what it does whatever it finds.
    pub calls: Vec<CallWeight>,
    /// Prices of counted work; what is not listed costs nothing that the data can tell.
    pub weights: Vec<CounterWeight>,
}

/// The price of a call's fixed part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallWeight {
    /// The call's name, or `*` for every call not listed.
    pub call: String,
    /// Cycles.
    pub cycles: f64,
    /// Where it is from.
    pub source: String,
}

/// The price of one piece of counted work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterWeight {
    /// The counter's key in reports.
    pub counter: String,
    /// Cycles each.
    pub cycles: f64,
    /// Where it is from.
    pub source: String,
}

/// A profile made ready: weights by counter.
#[derive(Clone, Debug)]
pub struct Prices {
    weights: [f64; Counter::COUNT],
    cycles_per_ns: f64,
}

impl CpuProfile {
    /// Its weights, by counter.
    #[must_use]
    pub fn prices(&self) -> Prices {
        let mut weights = [0.0; Counter::COUNT];
        for (slot, counter) in weights.iter_mut().zip(Counter::ALL) {
            let known = self.weights.iter().find(|w| w.counter == counter.name());
            *slot = known.map_or(0.0, |w| w.cycles);
        }
        Prices {
            weights,
            cycles_per_ns: self.cycles_per_ns,
        }
    }

    /// Cycles of the fixed part of the call named `call`. Accesses have none: what they cost is
    /// counted as faults.
    #[must_use]
    pub fn call_cycles(&self, call: &str) -> f64 {
        let of = |name: &str| self.calls.iter().find(|c| c.call == name);
        of(call).or_else(|| of("*")).map_or(0.0, |c| c.cycles)
    }
}

impl Prices {
    /// Cycles of the work in `counts`.
    #[must_use]
    pub fn cycles(&self, counts: &Counts) -> f64 {
        let priced = counts.iter().zip(self.weights);
        priced.map(|((_, n), weight)| n as f64 * weight).sum()
    }

    /// Nanoseconds of so many cycles.
    #[must_use]
    pub fn ns(&self, cycles: f64) -> f64 {
        cycles / self.cycles_per_ns
    }

    /// Nanoseconds of one piece of `counter`'s work.
    #[must_use]
    pub fn weight_ns(&self, counter: Counter) -> f64 {
        self.ns(self.weights[counter as usize])
    }
}

/// Every profile, the default one first.
#[must_use]
pub fn profiles() -> &'static [CpuProfile] {
    static PROFILES: OnceLock<Vec<CpuProfile>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        let texts = [
            include_str!("../../data/cpu/pentium-gold-7505.json"),
            include_str!("../../data/cpu/xeon-gold-6346.json"),
            include_str!("../../data/cpu/ampere-altra.json"),
        ];
        // The project's own data, held valid by the test below.
        texts
            .iter()
            .filter_map(|t| serde_json::from_str(t).ok())
            .collect()
    })
}

/// The profile of that id.
#[must_use]
pub fn profile(id: &str) -> Option<&'static CpuProfile> {
    profiles().iter().find(|p| p.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_are_whole() {
        assert!(profile(DEFAULT_CPU).is_some());
        for profile in profiles() {
            for weight in &profile.weights {
                let known = Counter::ALL.iter().any(|c| c.name() == weight.counter);
                assert!(known, "{}: no counter {}", profile.id, weight.counter);
                assert!(weight.cycles >= 0.0 && !weight.source.is_empty());
            }
            assert!(profile.calls.iter().any(|c| c.call == "*"));
            assert!(profile.cycles_per_ns > 0.0);
        }
    }

    #[test]
    fn a_cost_is_the_weighted_sum() {
        let mut counts = Counts::default();
        counts.add(Counter::TreeLevel, 3);
        let profile = profile(DEFAULT_CPU).expect("the default");
        let prices = profile.prices();
        let each = prices.weight_ns(Counter::TreeLevel);
        let cost = prices.ns(prices.cycles(&counts));
        assert!((cost - 3.0 * each).abs() < 1e-9 && each > 0.0);
    }
}
