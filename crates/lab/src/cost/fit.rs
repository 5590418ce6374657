//! Weights from measurements: least squares of the relative errors, with no weight below zero.

/// Rounds of the descent. Each lowers the error; systems of a dozen weights are settled long before.
const ROUNDS: usize = 200_000;

/// Weights `x` that make `counts · x` come nearest to `measured`, none negative. Errors are taken
/// relative to what was measured, so that a short call counts as much as a long one.
///
/// Coordinate descent: each weight in turn goes to its best value with the others held, cut off at
/// zero. The problem is convex, so this ends at its minimum.
#[must_use]
pub fn nonnegative(counts: &[Vec<f64>], measured: &[f64]) -> Vec<f64> {
    let width = counts.iter().map(Vec::len).max().unwrap_or(0);
    let rows: Vec<(Vec<f64>, f64)> = counts
        .iter()
        .zip(measured)
        .filter(|(_, b)| **b > 0.0)
        .map(|(row, b)| (row.iter().map(|a| a / b).collect(), 1.0))
        .collect();
    let at = |row: &[f64], column: usize| row.get(column).copied().unwrap_or(0.0);
    let mut weights = vec![0.0; width];
    let mut errors: Vec<f64> = rows.iter().map(|(_, b)| *b).collect();
    for _ in 0..ROUNDS {
        let mut moved = 0.0_f64;
        for (column, weight) in weights.iter_mut().enumerate() {
            let square: f64 = rows.iter().map(|(row, _)| at(row, column).powi(2)).sum();
            if square <= 0.0 {
                continue;
            }
            let slope: f64 = rows
                .iter()
                .zip(&errors)
                .map(|((row, _), error)| at(row, column) * error)
                .sum();
            let next = (*weight + slope / square).max(0.0);
            let step = next - *weight;
            if step == 0.0 {
                continue;
            }
            for ((row, _), error) in rows.iter().zip(&mut errors) {
                *error -= step * at(row, column);
            }
            moved = moved.max(step.abs() / (1.0 + next));
            *weight = next;
        }
        if moved < 1e-12 {
            break;
        }
    }
    weights
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
}
