//! Costs as the chart module takes them (`www/src/charts/spec.ts`).

use sealab_protocol::{CostRow, MeasureRow, WorkRow};
use serde::Serialize;

/// More groups of bars than these cannot be told apart; the table has all.
const GROUPS_MAX: usize = 12;

/// A chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spec {
    kind: &'static str,
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Axis {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Series {
    name: String,
    points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Point {
    x: usize,
    y: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
}

/// Cost by system call.
pub fn calls(rows: &[CostRow], names: &[String]) -> Spec {
    let rows = &rows[..rows.len().min(GROUPS_MAX)];
    let groups = rows.iter().map(|row| row.name.clone()).collect();
    bars(
        "Cost by system call",
        "call",
        groups,
        names,
        |variant, group| (value(&rows[group].cost_ns, variant), None),
    )
}

/// Numbers of each variant, in percent of the first one's.
pub fn relative(title: &str, groups: Vec<String>, names: &[String], values: &[Vec<f64>]) -> Spec {
    let mut spec = bars(title, "", groups, names, |variant, group| {
        (values.get(group).and_then(|v| value(v, variant)), None)
    });
    spec.y.title = format!("percent of {}", names.first().map_or("", String::as_str));
    spec.y.unit = Some("%");
    spec
}

/// Cost by kind of work.
pub fn work(rows: &[WorkRow], names: &[String]) -> Spec {
    let rows = &rows[..rows.len().min(GROUPS_MAX)];
    let groups = rows.iter().map(|row| row.title.clone()).collect();
    bars(
        "Cost by kind of work",
        "work",
        groups,
        names,
        |variant, group| (value(&rows[group].cost_ns, variant), None),
    )
}

/// Cost of the named stretches, with its spread.
pub fn measures(rows: &[MeasureRow], names: &[String]) -> Spec {
    let rows = &rows[..rows.len().min(GROUPS_MAX)];
    let groups = rows.iter().map(|row| row.name.clone()).collect();
    bars(
        "Cost of the measured stretches",
        "stretch",
        groups,
        names,
        |variant, group| {
            let row = &rows[group];
            let spread = value(&row.min_ns, variant).zip(value(&row.max_ns, variant));
            (
                value(&row.median_ns, variant),
                spread.filter(|(low, high)| low < high),
            )
        },
    )
}

fn value(of: &[f64], variant: usize) -> Option<f64> {
    of.get(variant).copied().filter(|ns| ns.is_finite())
}

/// A height, and where it has a spread its ends.
type Bar = (Option<f64>, Option<(f64, f64)>);

fn bars(
    title: &str,
    x: &str,
    groups: Vec<String>,
    names: &[String],
    bar: impl Fn(usize, usize) -> Bar,
) -> Spec {
    let series = names.iter().enumerate().map(|(variant, name)| Series {
        name: name.clone(),
        points: (0..groups.len())
            .map(|group| {
                let (y, spread) = bar(variant, group);
                Point {
                    x: group,
                    y,
                    low: spread.map(|(low, _)| low),
                    high: spread.map(|(_, high)| high),
                }
            })
            .collect(),
    });
    Spec {
        kind: "bar",
        title: title.to_owned(),
        series: series.collect(),
        x: Axis {
            title: x.to_owned(),
            categories: Some(groups),
            ..Axis::default()
        },
        y: Axis {
            title: "cost".to_owned(),
            min: Some(0.0),
            unit: Some("ns"),
            ..Axis::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_for_each_variant_and_a_group_for_each_call() {
        let row = |name: &str| CostRow {
            name: name.to_owned(),
            calls: vec![1, 1],
            cost_ns: vec![10.0, f64::NAN],
        };
        let spec = calls(
            &[row("mmap"), row("mseal")],
            &["6.8".to_owned(), "6.12".to_owned()],
        );
        assert_eq!(spec.series.len(), 2);
        assert_eq!(spec.series[0].points[1].y, Some(10.0));
        assert_eq!(spec.series[1].points[0].y, None);
    }

    #[test]
    fn one_sample_has_no_spread() {
        let row = MeasureRow {
            median_ns: vec![5.0],
            min_ns: vec![5.0],
            max_ns: vec![5.0],
            ..MeasureRow::default()
        };
        assert_eq!(
            measures(&[row], &["6.8".to_owned()]).series[0].points[0].low,
            None
        );
    }
}
