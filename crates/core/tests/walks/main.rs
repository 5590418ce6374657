//! Every call's work on the VMA tree, held against what was measured on instrumented kernels.

mod chains;
mod operations;
mod process;
mod table;
mod world;

use std::collections::BTreeMap;

use sealab_core::call::Outcome;
use sealab_core::kernel::Kernel;
use sealab_core::meter::Counter;

use operations::run;
use table::{Case, Row, Table};
use world::{Measured, Setting};

/// Simulated kernels and the measured ones they answer for. 6.18 itself was not measured; the
/// kernels on either side of it were, and where they agree it must too.
const ANSWERS_FOR: [(&str, &[&str]); 6] = [
    ("6.8", &["6.8"]),
    ("6.11", &["6.11"]),
    ("6.11-src-first", &["6.11-srcfirst"]),
    ("6.12", &["6.12.8"]),
    ("6.18", &["6.17", "7.2.8"]),
    ("7.x", &["7.2.8"]),
];

#[test]
fn the_table_holds_every_measured_row() {
    assert_eq!(Table::load().len(), 9840);
}

#[test]
fn every_kernel_does_the_measured_tree_work() {
    let table = Table::load();
    let mut failures = Failures::default();
    for (name, measured_on) in ANSWERS_FOR {
        let kernel = Kernel::by_name(name).expect(name);
        for (case, rows) in table.cases() {
            let rows: Vec<&Row> = measured_on.iter().filter_map(|on| rows.get(on)).collect();
            if rows.len() < measured_on.len() || rows.windows(2).any(|w| !agree(w[0], w[1])) {
                continue;
            }
            let measured = run(kernel, &case.operation, case.setting);
            for row in rows {
                failures.compare(name, case, row, &measured);
            }
        }
    }
    failures.report();
}

/// Whether two kernels did the same, but for what depends on where their leaves end.
fn agree(a: &Row, b: &Row) -> bool {
    a.result == b.result && a.counts == b.counts
}

/// What differs, by kernel and operation.
#[derive(Default)]
struct Failures {
    rows: usize,
    failed: usize,
    first: BTreeMap<(String, String), String>,
}

impl Failures {
    fn compare(&mut self, kernel: &str, case: &Case, row: &Row, measured: &Measured) {
        self.rows += 1;
        let Some(difference) = difference(row, measured) else {
            return;
        };
        self.failed += 1;
        let Setting {
            k,
            others,
            touching,
            written,
        } = case.setting;
        self.first
            .entry((kernel.into(), format!("{} {k}", case.operation)))
            .or_insert_with(|| {
                format!("others {others}, touching {touching}, written {written}: {difference}")
            });
    }

    fn report(self) {
        for ((kernel, operation), first) in &self.first {
            println!("{kernel:15} {operation:28} {first}");
        }
        println!("{} of {} rows differ", self.failed, self.rows);
        assert_eq!(self.failed, 0);
    }
}

/// W, N, P, r and S must be what was measured. Descents inside stores (s) and the height depend in
/// part on where the tree's leaves end, which the simulator does not model: it counts the descents
/// of stores that begin at the root, which are the same wherever the leaves end, and bounds the
/// height.
fn difference(row: &Row, measured: &Measured) -> Option<String> {
    let count = |counter| measured.counts.get(counter);
    let counts = [
        Counter::TreeWalk,
        Counter::TreeNext,
        Counter::TreePrev,
        Counter::TreeRefused,
        Counter::TreeStore,
    ]
    .map(count);
    let result = match measured.outcome {
        Outcome::Value(0) => "0".into(),
        Outcome::Value(_) => "address".into(),
        Outcome::Errno(errno) => errno.name().to_owned(),
        Outcome::Signal(signal) => format!("{signal:?}"),
    };
    if result != row.result || counts != row.counts {
        return Some(format!(
            "measured {} {:?}, simulated {result} {counts:?}",
            row.result, row.counts
        ));
    }
    let store_walks = count(Counter::TreeStoreWalk);
    // Each store goes back to the root at most once.
    if store_walks != row.store_walks || row.store_resets > counts[4] {
        return Some(format!(
            "measured s {} and up to {} more in {} stores, simulated {store_walks}",
            row.store_walks, row.store_resets, counts[4]
        ));
    }
    if !measured.height.contains(&row.height) {
        return Some(format!(
            "measured height {}, simulated {:?}",
            row.height, measured.height
        ));
    }
    None
}
