//! Weights from measurements: least squares of the relative errors, with no weight below zero.
//! Only built where profiles are made (feature `fit`); a page carries their result.

use ndarray::{Array1, Array2};

/// Weights `x` that make `counts · x` come nearest to `measured`, none negative (Lawson and
/// Hanson). Errors are taken relative to what was measured, so that a short call counts as much as
/// a long one. Rows without a positive measurement are left out; no rows give no weights.
#[must_use]
pub fn nonnegative(counts: &[Vec<f64>], measured: &[f64]) -> Vec<f64> {
    let width = counts.iter().map(Vec::len).max().unwrap_or(0);
    let rows: Vec<(&Vec<f64>, f64)> = counts
        .iter()
        .zip(measured.iter().copied())
        .filter(|(row, b)| b.is_finite() && *b > 0.0 && row.iter().all(|a| a.is_finite()))
        .collect();
    if rows.is_empty() || width == 0 {
        return vec![0.0; width];
    }
    let a = Array2::from_shape_fn((rows.len(), width), |(row, column)| {
        rows.get(row).map_or(0.0, |(counts, b)| {
            counts.get(column).copied().unwrap_or(0.0) / b
        })
    });
    let ones = Array1::ones(rows.len());
    nnls::nnls(a.view(), ones.view()).0.to_vec()
}

/// As [`nonnegative`], but with errors taken as they are: for figures that are percentages.
#[must_use]
pub fn nonnegative_absolute(counts: &[Vec<f64>], measured: &[f64]) -> Vec<f64> {
    let width = counts.iter().map(Vec::len).max().unwrap_or(0);
    if counts.is_empty() || width == 0 || counts.len() != measured.len() {
        return vec![0.0; width];
    }
    let a = Array2::from_shape_fn((counts.len(), width), |(row, column)| {
        let of = counts.get(row).and_then(|r| r.get(column));
        of.copied().unwrap_or(0.0)
    });
    nnls::nnls(a.view(), Array1::from_vec(measured.to_vec()).view())
        .0
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_data_gives_the_weights_back() {
        let counts = [vec![1.0, 1.0], vec![1.0, 4.0], vec![1.0, 16.0]];
        let measured: Vec<f64> = counts.iter().map(|r| 100.0 * r[0] + 7.0 * r[1]).collect();
        let weights = nonnegative(&counts, &measured);
        assert!(
            (weights[0] - 100.0).abs() < 1e-3 && (weights[1] - 7.0).abs() < 1e-3,
            "{weights:?}"
        );
    }

    #[test]
    fn no_weight_is_negative() {
        let counts = [vec![1.0, 1.0], vec![1.0, 2.0]];
        let weights = nonnegative(&counts, &[100.0, 50.0]);
        assert!(weights.iter().all(|&w| w >= 0.0), "{weights:?}");
    }

    #[test]
    fn rows_that_say_nothing_are_left_out() {
        assert_eq!(nonnegative(&[vec![1.0]], &[f64::NAN]), [0.0]);
        assert!(nonnegative(&[], &[]).is_empty());
    }
}
