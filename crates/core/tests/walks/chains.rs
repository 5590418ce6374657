//! The call chains of every descent, held against those recorded.

use std::collections::HashMap;

use sealab_core::kernel::Kernel;
use sealab_core::machine::WalkRecord;

use crate::operations::run;
use crate::world::Setting;

/// Simulated kernels and the ones whose chains theirs must be.
const RECORDED_ON: [(&str, &str); 6] = [
    ("6.8", "6.8"),
    ("6.11", "6.11"),
    ("6.11-src-first", "6.11-srcfirst"),
    ("6.12", "6.12.8"),
    ("6.18", "6.17"),
    ("7.x", "7.2.8"),
];

/// Functions between a fault and the anonymous page, which only 6.8's recording shows there.
const FAULT: [&str; 4] = [
    "do_pte_missing",
    "handle_pte_fault",
    "__handle_mm_fault",
    "handle_mm_fault",
];
/// Functions of the files that were not instrumented in 7.2.8 (gup.c, pagewalk.c, msync.c).
const UNSEEN_IN_7: [&str; 8] = [
    "__mm_populate",
    "populate_vma_page_range",
    "__get_user_pages",
    "gup_vma_lookup",
    "faultin_page",
    "walk_page_range",
    "walk_page_range_mm",
    "msync",
];

type Chain = Vec<&'static str>;

#[test]
fn every_walk_names_the_functions_that_led_to_it() {
    let recorded = load();
    let mut compared = 0;
    let mut differences = Vec::new();
    for (name, recorded_on) in RECORDED_ON {
        let kernel = Kernel::by_name(name).expect(name);
        for ((operation, k, on), chains) in &recorded {
            if *on != recorded_on {
                continue;
            }
            let setting = Setting {
                k: *k,
                others: 100,
                touching: false,
                written: false,
            };
            let walks = run(kernel, operation, setting).walks;
            let mut simulated: Vec<Chain> = walks
                .iter()
                .map(|walk| as_recorded(recorded_on, walk))
                .collect();
            simulated.sort();
            compared += 1;
            if simulated != *chains {
                differences.push(format!(
                    "{name} {operation} {k}\n{}",
                    side_by_side(chains, &simulated)
                ));
            }
        }
    }
    differences.sort();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(compared, 710);
}

/// A simulated chain as the recorder of that kernel would have shown it.
fn as_recorded(kernel: &str, walk: &WalkRecord) -> Chain {
    let mut chain = walk.chain.clone();
    // The fault's entry is the architecture's and was not instrumented.
    chain.retain(|f| *f != "do_user_addr_fault");
    if kernel != "6.8" && chain.contains(&"do_anonymous_page") {
        chain.retain(|f| !FAULT.contains(f));
    }
    if kernel == "7.2.8" {
        chain.retain(|f| !UNSEEN_IN_7.contains(f));
    }
    // 6.11's recording shows the way through the placement of private memory as one function.
    if kernel.starts_with("6.11")
        && let Some(at) = chain
            .iter()
            .position(|f| *f == "arch_get_unmapped_area_topdown_vmflags")
        && chain[at + 1] == "mm_get_unmapped_area_vmflags"
    {
        chain.splice(at..at + 3, ["get_unmapped_area"]);
    }
    chain
}

/// The recorded chains of each operation, k and kernel, sorted.
fn load() -> HashMap<(&'static str, u64, &'static str), Vec<Chain>> {
    let mut chains = HashMap::new();
    let mut recorded = HashMap::new();
    let mut operation = ("", 0);
    let text = include_str!("chains.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((number, functions)) = line.split_once(": ") {
            chains.insert(number, functions.split(' ').collect::<Chain>());
        } else if let Some(rest) = line.strip_prefix("  ") {
            let mut words = rest.split(' ');
            let kernels = words.next().expect("kernels");
            let mut of: Vec<Chain> = words
                .flat_map(|word| {
                    let (times, number) = word.split_once('x').unwrap_or(("1", word));
                    let times = times.parse().expect("a number");
                    std::iter::repeat_n(chains[number].clone(), times)
                })
                .collect();
            of.sort();
            for kernel in kernels.split(',') {
                recorded.insert((operation.0, operation.1, kernel), of.clone());
            }
        } else if let Some((name, k)) = line.split_once(' ') {
            operation = (name, k.parse().expect("a number"));
        }
    }
    recorded
}

fn side_by_side(recorded: &[Chain], simulated: &[Chain]) -> String {
    let show = |title, these: &[Chain], those: &[Chain]| {
        let mut left = those.to_vec();
        let mut lines = String::new();
        for chain in these {
            match left.iter().position(|other| other == chain) {
                Some(at) => _ = left.swap_remove(at),
                None => lines += &format!("  {title} {}\n", chain.join(" < ")),
            }
        }
        lines
    };
    show("recorded ", recorded, simulated) + &show("simulated", simulated, recorded)
}
