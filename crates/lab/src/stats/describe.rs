//! One sample described.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::{ALPHA, Series};

/// What a sample says. What its data do not allow is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// How many values.
    pub n: f64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: Option<f64>,
    /// Standard deviation of the sample (n − 1).
    pub sd: Option<f64>,
    /// Standard error of the mean.
    pub sem: Option<f64>,
    /// Coefficient of variation in percent.
    pub cv_pct: Option<f64>,
    /// 95 % confidence interval of the mean, by Student's t.
    pub ci: Option<(f64, f64)>,
    /// Least, first quartile, third quartile, greatest.
    pub range: Option<(f64, f64, f64, f64)>,
}

/// Describes `series`, from its values or from the summary that was published of them.
#[must_use]
pub fn describe(series: &Series) -> Description {
    if let (true, Some(summary)) = (series.values.is_empty(), series.summary) {
        return spread(summary.n, summary.mean, Some(summary.sd));
    }
    let values = &series.values;
    let n = values.len() as f64;
    if values.is_empty() {
        return Description::default();
    }
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.len() > 1).then(|| {
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (squares / (n - 1.0)).sqrt()
    });
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |p| quantile(&sorted, p);
    Description {
        median: Some(at(0.5)),
        range: Some((at(0.0), at(0.25), at(0.75), at(1.0))),
        ..spread(n, mean, sd)
    }
}

fn spread(n: f64, mean: f64, sd: Option<f64>) -> Description {
    let sem = sd.filter(|_| n > 1.0).map(|sd| sd / n.sqrt());
    let t = StudentsT::new(0.0, 1.0, n - 1.0).ok().filter(|_| n > 1.0);
    let ci = sem.zip(t).map(|(sem, t)| {
        let half = t.inverse_cdf(1.0 - ALPHA / 2.0) * sem;
        (mean - half, mean + half)
    });
    Description {
        n,
        mean,
        sd,
        sem,
        cv_pct: sd.filter(|_| mean != 0.0).map(|sd| sd / mean.abs() * 100.0),
        ci,
        ..Description::default()
    }
}

/// The value below which the share `p` of `sorted` lies, between neighbours in proportion.
pub(super) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * sorted.len().saturating_sub(1) as f64;
    let low = place.floor();
    let at = |i: f64| sorted.get(i as usize).copied().unwrap_or(f64::NAN);
    at(low) + (at(place.ceil()) - at(low)) * (place - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sample_by_hand() {
        let series = Series {
            values: vec![2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0],
            ..Series::default()
        };
        let d = describe(&series);
        assert_eq!((d.n, d.mean, d.median), (8.0, 5.0, Some(4.5)));
        let sd = d.sd.expect("eight values");
        assert!((sd - 2.138_089_935).abs() < 1e-9);
        // t(0.975, 7) = 2.364624
        let (low, high) = d.ci.expect("eight values");
        let half = 2.364_624_25 * sd / 8_f64.sqrt();
        assert!((low - (5.0 - half)).abs() < 1e-6 && (high - (5.0 + half)).abs() < 1e-6);
    }

    #[test]
    fn one_value_has_no_spread_and_none_has_nothing() {
        let one = describe(&Series {
            values: vec![3.0],
            ..Series::default()
        });
        assert_eq!((one.mean, one.sd, one.ci), (3.0, None, None));
        assert_eq!(describe(&Series::default()), Description::default());
    }
}
