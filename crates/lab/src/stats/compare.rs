//! Two samples compared.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

use super::describe::quantile;
use super::{ALPHA, RESAMPLINGS, SeriesReport};
use crate::random::Rng;

/// How a sample differs from the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The first sample.
    pub first: String,
    /// The other.
    pub other: String,
    /// The other's mean less the first's.
    pub difference: f64,
    /// The same in percent of the first's mean.
    pub change_pct: f64,
    /// The other's median against the first's, in percent.
    pub median_change_pct: Option<f64>,
    /// Welch's t test of the means.
    pub welch: Option<Welch>,
    /// Mann and Whitney's test of the ranks.
    pub mann_whitney: Option<MannWhitney>,
    /// Interval of the change by resampling.
    pub bootstrap: Option<Bootstrap>,
}

/// Welch's t test: two means, spreads not taken to be equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Welch {
    /// The statistic.
    pub t: f64,
    /// Degrees of freedom (Welch and Satterthwaite).
    pub df: f64,
    /// Chance of a difference as large were there none, both sides.
    pub p: f64,
}

/// Mann and Whitney's U, with the normal approximation, corrected for ties and continuity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MannWhitney {
    /// The statistic of the first sample.
    pub u: f64,
    /// Its standard score.
    pub z: f64,
    /// Chance of a rank sum as extreme were there no difference, both sides.
    pub p: f64,
}

/// Interval that holds the change of the mean in 95 of 100 resamplings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Its lower end, in percent.
    pub low_pct: f64,
    /// Its upper end, in percent.
    pub high_pct: f64,
    /// How many resamplings.
    pub resamplings: usize,
    /// What they were drawn from.
    pub seed: u64,
}

/// Compares `other` with `first`; `None` where either is empty.
#[must_use]
pub fn compare(first: &SeriesReport, other: &SeriesReport, seed: u64) -> Option<Comparison> {
    let (a, b) = (&first.description, &other.description);
    if a.n == 0.0 || b.n == 0.0 {
        return None;
    }
    let spreads = a.sd.zip(b.sd);
    Some(Comparison {
        first: first.series.name.clone(),
        other: other.series.name.clone(),
        difference: b.mean - a.mean,
        change_pct: (b.mean / a.mean - 1.0) * 100.0,
        median_change_pct: a.median.zip(b.median).map(|(a, b)| (b / a - 1.0) * 100.0),
        welch: spreads
            .and_then(|(sa, sb)| welch_of_summaries((a.n, a.mean, sa), (b.n, b.mean, sb))),
        mann_whitney: mann_whitney(&first.series.values, &other.series.values),
        bootstrap: bootstrap(&first.series.values, &other.series.values, seed),
    })
}

/// Welch's test of two samples by their number, mean and standard deviation; `None` where there is
/// no spread to test against.
#[must_use]
pub fn welch_of_summaries(a: (f64, f64, f64), b: (f64, f64, f64)) -> Option<Welch> {
    if a.0 < 2.0 || b.0 < 2.0 {
        return None;
    }
    let (va, vb) = (a.2 * a.2 / a.0, b.2 * b.2 / b.0);
    let variance = va + vb;
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let t = (b.1 - a.1) / variance.sqrt();
    let df = variance * variance / (va * va / (a.0 - 1.0) + vb * vb / (b.0 - 1.0));
    let p = 2.0 * StudentsT::new(0.0, 1.0, df).ok()?.cdf(-t.abs());
    Some(Welch { t, df, p })
}

fn mann_whitney(a: &[f64], b: &[f64]) -> Option<MannWhitney> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let mut all: Vec<(f64, bool)> = a
        .iter()
        .map(|&v| (v, true))
        .chain(b.iter().map(|&v| (v, false)))
        .collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut ranks, mut ties, mut passed) = (0.0, 0.0, 0.0);
    for group in all.chunk_by(|x, y| x.0 == y.0) {
        let size = group.len() as f64;
        let rank = passed + (size + 1.0) / 2.0;
        ranks += rank * group.iter().filter(|x| x.1).count() as f64;
        ties += size.powi(3) - size;
        passed += size;
    }
    let (na, nb) = (a.len() as f64, b.len() as f64);
    let n = na + nb;
    let u = ranks - na * (na + 1.0) / 2.0;
    let mean = na * nb / 2.0;
    let variance = na * nb / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    if variance <= 0.0 {
        return Some(MannWhitney { u, z: 0.0, p: 1.0 });
    }
    let off = (u - mean).abs() - 0.5;
    let z = off.max(0.0) / variance.sqrt();
    let p = (2.0 * Normal::standard().cdf(-z)).min(1.0);
    Some(MannWhitney {
        u,
        z: z * (u - mean).signum(),
        p,
    })
}

fn bootstrap(a: &[f64], b: &[f64], seed: u64) -> Option<Bootstrap> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    // Large samples are resampled less often: the work is bounded.
    let resamplings = (40_000_000 / (a.len() + b.len())).clamp(200, RESAMPLINGS);
    let mut random = Rng::new(seed);
    let mut mean = |values: &[f64]| {
        let sum: f64 = values.iter().filter_map(|_| random.one(values)).sum();
        sum / values.len() as f64
    };
    let mut changes: Vec<f64> = (0..resamplings)
        .map(|_| {
            let first = mean(a);
            (mean(b) / first - 1.0) * 100.0
        })
        .collect();
    changes.sort_by(f64::total_cmp);
    Some(Bootstrap {
        low_pct: quantile(&changes, ALPHA / 2.0),
        high_pct: quantile(&changes, 1.0 - ALPHA / 2.0),
        resamplings,
        seed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_by_a_textbook() {
        // By hand: variances of the means 0.4 and 1.0667, so t = 3 / 1.21106 and df = 2.15111 / 0.099048.
        let welch = welch_of_summaries((10.0, 20.0, 2.0), (15.0, 23.0, 4.0)).expect("a test");
        assert!((welch.t - 2.477_167).abs() < 1e-4, "{welch:?}");
        assert!((welch.df - 21.718).abs() < 1e-2, "{welch:?}");
        assert!(welch.p > 0.02 && welch.p < 0.022, "{welch:?}");
        assert_eq!(welch_of_summaries((1.0, 1.0, 0.0), (5.0, 1.0, 1.0)), None);
        assert_eq!(welch_of_summaries((5.0, 1.0, 0.0), (5.0, 1.0, 0.0)), None);
    }

    #[test]
    fn mann_whitney_counts_who_is_ahead() {
        let test = mann_whitney(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]).expect("a test");
        assert_eq!(test.u, 0.0);
        assert!(test.p > 0.02 && test.p < 0.04, "{test:?}");
        let same = mann_whitney(&[1.0, 1.0], &[1.0, 1.0]).expect("a test");
        assert_eq!(same.p, 1.0);
    }

    #[test]
    fn the_interval_holds_the_change_and_the_seed_decides_it() {
        let a: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i % 7)).collect();
        let b: Vec<f64> = a.iter().map(|v| v * 1.1).collect();
        let interval = bootstrap(&a, &b, 7).expect("values");
        assert!(interval.low_pct < 10.0 && interval.high_pct > 10.0 && interval.low_pct > 8.0);
        assert_eq!(bootstrap(&a, &b, 7), Some(interval));
        assert_ne!(bootstrap(&a, &b, 8), Some(interval));
    }
}
