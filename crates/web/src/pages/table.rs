//! What was counted over the whole run, as table and chart.

use sealab_protocol::Tally;
use yew::prelude::*;

use crate::cost::{Chart, specs};
use crate::ui::count;

/// What the chart shows; the table has all.
const CHARTED: [&str; 7] = [
    "page_fault",
    "pte_write",
    "tlb_flush",
    "tlb_l1_miss",
    "tlb_walk",
    "zeroed_bytes",
    "resident",
];

/// Properties of [`Tallies`].
#[derive(Properties, PartialEq)]
pub struct TalliesProps {
    /// The numbers.
    pub tallies: Vec<Tally>,
    /// Names of the variants.
    pub names: Vec<String>,
}

/// The numbers of all variants.
#[component]
pub fn Tallies(props: &TalliesProps) -> Html {
    let names = &props.names;
    let (groups, values) = charted(&props.tallies);
    let differ = values
        .iter()
        .any(|row| row.windows(2).any(|pair| pair.first() != pair.last()));
    html! {
        <section class="cost-part">
            <h2>{ "Over the whole run" }</h2>
            if names.len() > 1 && differ {
                <Chart spec={specs::relative("Against the first variant", groups, names, &values)} />
            }
            <div class="table-box" tabindex="0" role="region" aria-label="Counts of each variant">
                <table class="counts">
                    <thead><tr><th scope="col">{ "counted" }</th>for name in names { <th scope="col">{ name }</th> }</tr></thead>
                    <tbody>
                        for tally in &props.tallies {
                            <tr>
                                <th scope="row">{ &tally.title }</th>
                                for value in &tally.values {
                                    <td class={classes!(least(tally, *value).then_some("least"))}>{ cell(tally, *value) }</td>
                                }
                            </tr>
                        }
                    </tbody>
                </table>
            </div>
        </section>
    }
}

/// Names and percentages of what the chart shows: what the first variant has none of has no
/// percentage.
fn charted(tallies: &[Tally]) -> (Vec<String>, Vec<Vec<f64>>) {
    let shown = CHARTED.iter().filter_map(|key| {
        let tally = tallies.iter().find(|tally| tally.key == *key)?;
        let first = tally.values.first().copied().flatten().filter(|&n| n > 0)?;
        #[allow(clippy::cast_precision_loss)] // a chart
        let percent =
            |value: &Option<u64>| value.map_or(f64::NAN, |n| n as f64 * 100.0 / first as f64);
        Some((
            tally.title.clone(),
            tally.values.iter().map(percent).collect(),
        ))
    });
    shown.unzip()
}

/// Whether a number is the least of several different ones.
fn least(tally: &Tally, value: Option<u64>) -> bool {
    let all = || tally.values.iter().flatten().copied();
    value.is_some() && value == all().min() && all().min() != all().max()
}

fn cell(tally: &Tally, value: Option<u64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(n) if tally.bytes && n.is_multiple_of(1 << 20) && n > 0 => {
            format!("{}M", count(n >> 20))
        }
        Some(n) if tally.bytes => format!("{}K", count(n >> 10)),
        Some(n) => count(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(values: &[Option<u64>]) -> Tally {
        Tally {
            key: "page_fault".to_owned(),
            values: values.to_vec(),
            ..Tally::default()
        }
    }

    #[test]
    fn percentages_are_of_the_first() {
        let (groups, values) = charted(&[tally(&[Some(4), Some(1), None])]);
        assert_eq!(groups.len(), 1);
        assert_eq!(&values[0][..2], [100.0, 25.0]);
        assert!(values[0][2].is_nan());
        assert!(charted(&[tally(&[Some(0), Some(1)])]).0.is_empty());
    }

    #[test]
    fn only_what_differs_has_a_least() {
        assert!(least(&tally(&[Some(4), Some(1)]), Some(1)));
        assert!(!least(&tally(&[Some(1), Some(1)]), Some(1)));
        assert!(!least(&tally(&[None, Some(1)]), None));
    }
}
