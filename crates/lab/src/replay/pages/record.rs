//! A recorded experiment on arm64 page tables, as its file has it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// One experiment: settings, calls, and after each call what every process's table held.
#[derive(Deserialize, Debug)]
pub struct Experiment {
    /// Which machine recorded it, for example `debian-6.12-4k`.
    pub config: String,
    /// Its name; the letter it begins with is its family.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What else a reader must know (the file system, the swap device).
    pub note: Option<String>,
    /// `uname -r`.
    pub release: String,
    /// In bytes.
    pub page_size: u64,
    /// sysfs values at the start.
    pub settings: Settings,
    /// What was done.
    pub steps: Vec<Step>,
}

/// sysfs values at the start, below `/sys/kernel/mm/transparent_hugepage/`.
#[derive(Deserialize, Debug)]
pub struct Settings {
    #[serde(rename = "transparent_hugepage/enabled")]
    pub enabled: String,
    #[serde(rename = "hugepages-*kB/enabled")]
    pub anon: BTreeMap<String, String>,
    #[serde(rename = "hugepages-*kB/shmem_enabled")]
    pub shmem: BTreeMap<String, String>,
}

/// One call and what it left.
#[derive(Deserialize, Debug)]
pub struct Step {
    /// The process that made it: `P0`, and `P1`… for children.
    pub by: String,
    /// The call, in strace's style.
    pub call: String,
    /// Its result.
    pub ret: String,
    /// Per process; `None`: no tables were read after it.
    pub state: Option<BTreeMap<String, ProcessState>>,
}

/// One process's memory.
#[derive(Deserialize, Debug)]
pub struct ProcessState {
    /// Lines of maps that touch the ranges: addresses and permissions.
    pub vmas: Vec<String>,
    /// The ranges looked at, by label.
    #[serde(flatten)]
    pub ranges: BTreeMap<String, RangeState>,
}

/// One range of a process.
#[derive(Deserialize, Debug)]
pub struct RangeState {
    /// Its first address, in hex.
    pub base: String,
    /// Its length.
    pub pages: u64,
    /// Runs of pages whose entries are alike.
    runs: Vec<RunRow>,
}

/// A run as recorded: first and last page, position in the folio of the first, folio, order,
/// writable, young, dirty, cont, level, mapcount, bits.
type RunRow = (
    u64,
    u64,
    Option<u32>,
    String,
    Option<u32>,
    Option<u8>,
    Option<u8>,
    Option<u8>,
    Option<u8>,
    u8,
    Value,
    String,
);

/// One page's entry, as far as it is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageRow {
    /// What it maps.
    pub what: What,
    pub writable: bool,
    pub young: bool,
    pub dirty: bool,
    pub contiguous: bool,
    /// Whether a PMD entry maps it.
    pub block: bool,
}

/// What an entry maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// Page `index` of a folio of that order.
    Folio {
        name: String,
        order: u32,
        index: u32,
    },
    /// The shared zero page.
    Zero,
    /// Nothing: a swap entry or a marker.
    Marker,
}

impl RangeState {
    /// The entries by page number in the range; pages without an entry are left out.
    pub fn rows(&self) -> BTreeMap<u64, PageRow> {
        let mut rows = BTreeMap::new();
        for (first, last, index, folio, order, w, y, d, c, level, _, _) in &self.runs {
            let set = |bit: &Option<u8>| *bit == Some(1);
            for page in *first..=*last {
                let what = match (folio.as_str(), index, order) {
                    ("zero", ..) => What::Zero,
                    (name, Some(index), Some(order)) => What::Folio {
                        name: name.to_owned(),
                        order: *order,
                        index: index + u32::try_from(page - first).unwrap_or(0),
                    },
                    _ => What::Marker,
                };
                let row = PageRow {
                    what,
                    writable: set(w),
                    young: set(y),
                    dirty: set(d),
                    contiguous: set(c),
                    block: *level == 2,
                };
                rows.insert(page, row);
            }
        }
        rows
    }
}

/// Reads the experiments of a `.jsonl` file, gzipped or not.
///
/// # Errors
/// A file that cannot be read, or a line that is no experiment: with file and line number.
pub fn read(path: &Path) -> Result<Vec<Experiment>, String> {
    let place = path.display();
    let file = File::open(path).map_err(|e| format!("cannot read {place}: {e}"))?;
    let plain: Box<dyn Read> = if path.extension().is_some_and(|e| e == "gz") {
        Box::new(flate2::read::GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut experiments = Vec::new();
    for (number, line) in BufReader::new(plain).lines().enumerate() {
        let line = line.map_err(|e| format!("cannot read {place}: {e}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let experiment = serde_json::from_str(&line)
            .map_err(|e| format!("{place}: line {}: {e}", number + 1))?;
        experiments.push(experiment);
    }
    Ok(experiments)
}
