//! How many runs show a difference, and how often fewer lead to the wrong conclusion.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::{ALPHA, welch_of_summaries};
use crate::random::Rng;

/// What a power calculator was asked and says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// Coefficient of variation in percent.
    pub cv_pct: f64,
    /// The difference to be seen, in percent.
    pub effect_pct: f64,
    /// Chance to see it.
    pub power: f64,
    /// Runs a side.
    pub runs: f64,
}

/// Runs a side that show a difference of `effect_pct` with chance `power`, where runs spread by
/// `cv_pct`: n = 2 (z₁₋ₐ⸝₂ + z_power)² (CV / effect)². `None` where the numbers make no sense.
#[must_use]
pub fn runs_a_side(cv_pct: f64, effect_pct: f64, power: f64) -> Option<Power> {
    let sense = cv_pct.is_finite() && cv_pct > 0.0 && effect_pct.is_finite() && effect_pct != 0.0;
    if !(sense && power > 0.0 && power < 1.0) {
        return None;
    }
    let normal = Normal::standard();
    let z = normal.inverse_cdf(1.0 - ALPHA / 2.0) + normal.inverse_cdf(power);
    let runs = 2.0 * z * z * (cv_pct / effect_pct).powi(2);
    Some(Power {
        cv_pct,
        effect_pct,
        power,
        runs: runs.ceil().max(2.0),
    })
}

/// How benchmarks with `runs` a side would have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WrongConclusions {
    /// Runs a side.
    pub runs: u32,
    /// Benchmarks simulated.
    pub trials: u32,
    /// What they were drawn from.
    pub seed: u64,
    /// In percent of the benchmarks: the means point the wrong way.
    pub wrong_sign_pct: f64,
    /// In percent: the difference is not significant, so that it would be called none.
    pub missed_pct: f64,
    /// In percent: it is significant, and the right way.
    pub right_pct: f64,
    /// In percent: it is significant, and the wrong way.
    pub significant_wrong_pct: f64,
    /// Were there no difference, how often one would be called significant all the same.
    pub false_alarm_pct: f64,
}

/// Most draws of one simulation.
const DRAWS_MAX: u64 = 40_000_000;

/// Simulates benchmarks with `runs` a side of a true difference `effect_pct`, whose runs spread by
/// `cv_pct` around their means (log-normally: rates are positive), and says how often one would
/// have led to the wrong conclusion by Welch's test. `None` where the numbers make no sense.
#[must_use]
pub fn wrong_conclusions(
    cv_pct: f64,
    effect_pct: f64,
    runs: u32,
    trials: u32,
    seed: u64,
) -> Option<WrongConclusions> {
    let sense = cv_pct.is_finite() && cv_pct > 0.0 && cv_pct <= 1000.0 && effect_pct.abs() < 100.0;
    if !sense || effect_pct == 0.0 || runs < 2 || trials == 0 {
        return None;
    }
    let most = DRAWS_MAX / (4 * u64::from(runs));
    let trials = trials.min(u32::try_from(most).unwrap_or(u32::MAX)).max(1);
    let mut random = Rng::new(seed);
    let sigma = (1.0 + (cv_pct / 100.0).powi(2)).ln().sqrt();
    let mut side = |mean: f64| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..runs {
            let value = mean * (sigma * gauss(&mut random) - sigma * sigma / 2.0).exp();
            sum += value;
            squares += value * value;
        }
        let n = f64::from(runs);
        let mean = sum / n;
        let variance = ((squares - n * mean * mean) / (n - 1.0)).max(0.0);
        (n, mean, variance.sqrt())
    };
    let (mut wrong, mut missed, mut right, mut worse, mut alarms) =
        (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    for _ in 0..trials {
        let (a, b) = (side(1.0), side(1.0 + effect_pct / 100.0));
        let significant = welch_of_summaries(a, b).is_some_and(|w| w.p < ALPHA);
        let points_right = (b.1 - a.1) * effect_pct > 0.0;
        wrong += u32::from(!points_right);
        missed += u32::from(!significant);
        right += u32::from(significant && points_right);
        worse += u32::from(significant && !points_right);
        alarms += u32::from(welch_of_summaries(a, side(1.0)).is_some_and(|w| w.p < ALPHA));
    }
    let percent = |n: u32| f64::from(n) / f64::from(trials) * 100.0;
    Some(WrongConclusions {
        runs,
        trials,
        seed,
        wrong_sign_pct: percent(wrong),
        missed_pct: percent(missed),
        right_pct: percent(right),
        significant_wrong_pct: percent(worse),
        false_alarm_pct: percent(alarms),
    })
}

/// A draw of the standard normal distribution (Box and Muller).
fn gauss(random: &mut Rng) -> f64 {
    let unit = |word: u64| ((word >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (u, v) = (unit(random.word()), unit(random.word()));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_of_60_percent_hides_4_4_percent_from_fewer_than_2900_runs() {
        let power = runs_a_side(60.0, 4.4, 0.8).expect("sense");
        assert!((2_850.0..2_950.0).contains(&power.runs), "{power:?}");
        assert_eq!(runs_a_side(0.0, 4.4, 0.8), None);
        assert_eq!(runs_a_side(60.0, 0.0, 0.8), None);
        assert_eq!(runs_a_side(60.0, 4.4, 1.0), None);
    }

    #[test]
    fn ten_runs_mislead_and_enough_runs_do_not() {
        let ten = wrong_conclusions(60.0, -4.4, 10, 2_000, 1).expect("sense");
        assert!(
            ten.wrong_sign_pct > 35.0 && ten.missed_pct > 90.0,
            "{ten:?}"
        );
        let enough = wrong_conclusions(60.0, -4.4, 2_900, 300, 1).expect("sense");
        assert!((70.0..90.0).contains(&enough.right_pct), "{enough:?}");
        assert_eq!(wrong_conclusions(60.0, -4.4, 10, 2_000, 1), Some(ten));
        assert_eq!(wrong_conclusions(60.0, -4.4, 1, 10, 1), None);
    }
}
