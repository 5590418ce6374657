//! Statistics of samples: what a benchmark's numbers say, and what they cannot.

mod compare;
mod describe;
mod json;
mod parse;
mod power;

pub use compare::{Bootstrap, Comparison, MannWhitney, Welch, compare, welch_of_summaries};
pub use describe::{Description, describe};
pub use parse::{SampleFault, Series, Summary, parse};
pub use power::{Power, WrongConclusions, runs_a_side, wrong_conclusions};

use serde::{Deserialize, Serialize};

use crate::bench::published;

/// Chance of a false alarm that is accepted, as is usual.
pub const ALPHA: f64 = 0.05;
/// Resamplings of a bootstrap.
pub const RESAMPLINGS: usize = 4_000;
/// Most values of one sample.
pub const VALUES_MAX: usize = 100_000;

/// Name and version of the format.
pub const FORMAT: &str = "sealab-stats/1";

/// What samples say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatsReport {
    /// Always [`FORMAT`].
    pub format: String,
    /// Each sample.
    pub series: Vec<SeriesReport>,
    /// Each further sample against the first.
    pub comparisons: Vec<Comparison>,
    /// What could not be read, with its place.
    pub faults: Vec<SampleFault>,
}

/// One sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesReport {
    /// The sample.
    pub series: Series,
    /// What it says.
    pub description: Description,
}

/// Everything about `series`: each described, all compared with the first.
#[must_use]
pub fn report(series: Vec<Series>, faults: Vec<SampleFault>, seed: u64) -> StatsReport {
    let all: Vec<SeriesReport> = series
        .into_iter()
        .map(|series| SeriesReport {
            description: describe(&series),
            series,
        })
        .collect();
    let comparisons = match all.split_first() {
        Some((first, rest)) => rest
            .iter()
            .filter_map(|other| compare(first, other, seed))
            .collect(),
        None => Vec::new(),
    };
    StatsReport {
        format: FORMAT.to_owned(),
        series: all,
        comparisons,
        faults,
    }
}

/// A set of published samples to choose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PublishedSamples {
    /// Its id.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Mail, author, date.
    pub citation: String,
    /// The mail.
    pub url: String,
    /// The machine.
    pub machine: String,
    /// The samples.
    pub series: Vec<Series>,
}

/// The published samples: mmap1's, the stress-ng summaries, the robot's figures.
#[must_use]
pub fn published_samples() -> Vec<PublishedSamples> {
    let of =
        |id: &str, title: &str, table: published::Table, series: Vec<Series>| PublishedSamples {
            id: id.to_owned(),
            title: title.to_owned(),
            citation: table.source().to_owned(),
            url: table.url(),
            machine: table.machine().to_owned(),
            series,
        };
    let side = |stage: &str| Series {
        name: stage.to_owned(),
        unit: "operations/s".to_owned(),
        values: published::MMAP1
            .rows()
            .filter(|r| r.text("stage") == stage && r.text("phase") == "measurement")
            .filter_map(|r| r.number("ops"))
            .collect(),
        summary: None,
    };
    let summaries = |runs: &str| -> Vec<Series> {
        let rows = published::STRESS_NG
            .rows()
            .filter(|r| r.text("runs") == runs);
        rows.filter_map(|r| {
            Some(Series {
                name: r.text("kernel").to_owned(),
                unit: "operations/s".to_owned(),
                values: Vec::new(),
                summary: Some(Summary {
                    n: r.number("runs")?,
                    mean: r.number("mean")?,
                    sd: r.number("std_dev")?,
                }),
            })
        })
        .collect()
    };
    let robot = || -> Vec<Series> {
        let metric = "stress-ng.pagemove.ops_per_sec";
        let row = published::RETEST.row("metric", metric);
        let columns = [
            ("before mseal", "ff388fe5c4"),
            ("mseal", "8be7258aad"),
            ("mainline", "d456068672"),
            ("mainline, in-loop", "d58de4f958"),
        ];
        let series = columns.into_iter().filter_map(|(name, column)| {
            Some(Series {
                name: name.to_owned(),
                unit: "operations/s".to_owned(),
                values: vec![row.as_ref()?.number(column)?],
                summary: None,
            })
        });
        series.collect()
    };
    vec![
        of(
            "mmap1",
            "will-it-scale mmap1: 14 samples a side after 6 to warm up",
            published::MMAP1,
            vec![side("before"), side("after")],
        ),
        of(
            "stress-ng-10",
            "stress-ng pagemove on a Chromebook, 10 runs",
            published::STRESS_NG,
            summaries("10"),
        ),
        of(
            "stress-ng-100",
            "stress-ng pagemove on a Chromebook, 100 runs",
            published::STRESS_NG,
            summaries("100"),
        ),
        of(
            "robot",
            "The robot's re-test: means only, no spread was published",
            published::RETEST,
            robot(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(id: &str) -> StatsReport {
        let all = published_samples();
        let set = all.into_iter().find(|s| s.id == id).expect("there");
        report(set.series, Vec::new(), 1)
    }

    #[test]
    fn mmap1_gives_the_mails_own_figures() {
        let report = find("mmap1");
        let [before, after] = &report.series[..] else {
            panic!("two sides")
        };
        assert_eq!((before.description.n, after.description.n), (14.0, 14.0));
        assert_eq!(before.description.mean.round(), 255_563.0);
        assert_eq!(before.description.sd.map(f64::round), Some(29_086.0));
        assert_eq!(before.description.median, Some(267_841.5));
        assert_eq!(after.description.mean.round(), 293_729.0);
        assert_eq!(after.description.sd.map(f64::round), Some(1_450.0));
        let comparison = &report.comparisons[0];
        assert!(
            (comparison.change_pct - 14.9).abs() < 0.05,
            "{comparison:?}"
        );
        assert!(comparison.welch.as_ref().is_some_and(|w| w.p < 0.001));
        assert!(comparison.mann_whitney.as_ref().is_some_and(|m| m.p < 1e-4));
    }

    #[test]
    fn the_stress_ng_summaries_give_the_mails_standard_errors() {
        for (id, errors) in [
            ("stress-ng-10", [865.63, 659.38, 765.97]),
            ("stress-ng-100", [84.21, 101.73, 86.07]),
        ] {
            let report = find(id);
            for (series, error) in report.series.iter().zip(errors) {
                let sem = series.description.sem.expect("a spread was published");
                assert!((sem - error).abs() < 0.01, "{id}: {sem} {error}");
            }
        }
        // 10 runs: 24 % apart, and no evidence of it.
        let welch = find("stress-ng-10").comparisons[0].welch.expect("a test");
        assert!(welch.p > 0.4, "{welch:?}");
    }
}
