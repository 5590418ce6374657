//! The table of what was measured, as `measured.txt` holds it.

use std::collections::{BTreeMap, HashMap};

use crate::world::Setting;

/// One operation in one setting.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Case {
    pub operation: String,
    pub setting: Setting,
}

/// What one kernel did in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// `0`, `address` or an errno's name.
    pub result: String,
    /// W, N, P, r and S.
    pub counts: [u64; 5],
    /// Descents inside stores that began at the root.
    pub store_walks: u64,
    /// Most further ones, where a store reached beyond its leaf.
    pub store_resets: u64,
    /// Levels of the tree.
    pub height: u32,
}

/// Everything measured: the kernels' names as recorded.
pub struct Table(BTreeMap<Case, HashMap<&'static str, Row>>);

/// The kernels measured.
const KERNELS: [&str; 6] = ["6.8", "6.11", "6.11-srcfirst", "6.12.8", "6.17", "7.2.8"];
/// Other VMAs beside what is operated on.
const OTHERS: [u64; 3] = [8, 100, 1000];
const MANY: u64 = 10_000;
/// VMAs of the heights' patterns.
const HEIGHTS_OF: [u64; 5] = [8, 100, 1000, 10_000, 60_000];

impl Table {
    pub fn load() -> Self {
        let mut table = Self(BTreeMap::new());
        let mut heights = HashMap::new();
        let mut operation = ("", 0);
        let text = include_str!("measured.txt");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match (line.starts_with(' '), words.as_slice()) {
                (_, []) => {}
                (false, ["others", n, height]) => _ = heights.insert(number(n), number(height)),
                (false, [name, k]) => operation = (name, number(k)),
                (true, [kernels, result, w, by_size @ ..]) if operation.0 == "height" => {
                    table.add_heights(operation.1, kernels, result, number(w), by_size);
                }
                (true, [kernels, settings, result, counts @ .., s]) => {
                    let (store_walks, store_resets) = store_walks(s);
                    let row = Row {
                        result: (*result).into(),
                        counts: numbers(counts),
                        store_walks,
                        store_resets,
                        height: 0,
                    };
                    table.add(operation, kernels, settings, &row, &heights);
                }
                _ => panic!("not a line of the table: {line}"),
            }
        }
        table
    }

    /// Every case, with the rows of the kernels that it was measured on.
    pub fn cases(&self) -> impl Iterator<Item = (&Case, &HashMap<&'static str, Row>)> {
        self.0.iter()
    }

    /// How many rows there are, over all kernels.
    pub fn len(&self) -> usize {
        self.0.values().map(HashMap::len).sum()
    }

    fn add(
        &mut self,
        (operation, k): (&str, u64),
        kernels: &str,
        settings: &str,
        row: &Row,
        heights: &HashMap<u64, u64>,
    ) {
        let settings = match settings {
            "all" => "gu,gw,tu,tw",
            some => some,
        };
        for setting in settings.split(',') {
            let (letters, many) = match setting.strip_suffix('+') {
                Some(letters) => (letters, Some(MANY)),
                None => (setting, None),
            };
            for others in OTHERS.into_iter().chain(many) {
                let setting = Setting {
                    k,
                    others,
                    touching: letters.starts_with('t'),
                    written: letters.ends_with('w'),
                };
                let height = heights[&others] as u32;
                self.insert(
                    operation,
                    setting,
                    kernels,
                    &Row {
                        height,
                        ..row.clone()
                    },
                );
            }
        }
    }

    fn add_heights(&mut self, k: u64, kernels: &str, result: &str, w: u64, by_size: &[&str]) {
        assert_eq!(by_size.len(), HEIGHTS_OF.len());
        for (others, height) in HEIGHTS_OF.into_iter().zip(by_size) {
            let setting = Setting {
                k,
                others,
                touching: false,
                written: false,
            };
            let row = Row {
                result: result.into(),
                counts: [w, 0, 0, 0, 0],
                store_walks: 0,
                store_resets: 0,
                height: number(height) as u32,
            };
            self.insert("height", setting, kernels, &row);
        }
    }

    fn insert(&mut self, operation: &str, setting: Setting, kernels: &str, row: &Row) {
        let case = Case {
            operation: operation.into(),
            setting,
        };
        let rows = self.0.entry(case).or_default();
        for name in kernels.split(',') {
            let kernel = KERNELS.into_iter().find(|kernel| *kernel == name);
            let kernel = kernel.unwrap_or_else(|| panic!("no kernel is called {name}"));
            assert!(rows.insert(kernel, row.clone()).is_none(), "twice: {name}");
        }
    }
}

fn number(word: &str) -> u64 {
    word.parse()
        .unwrap_or_else(|_| panic!("not a number: {word}"))
}

fn numbers(words: &[&str]) -> [u64; 5] {
    let numbers: Vec<u64> = words.iter().map(|word| number(word)).collect();
    numbers.try_into().expect("five counts")
}

/// `fresh`, or `fresh+least..most`.
fn store_walks(word: &str) -> (u64, u64) {
    match word.split_once('+') {
        Some((fresh, resets)) => {
            let (_, most) = resets.split_once("..").expect("a range of resets");
            (number(fresh), number(most))
        }
        None => (number(word), 0),
    }
}
