//! A simulated state against a recorded one.

use std::collections::{BTreeMap, HashMap, HashSet};

use sealab_core::addr::AddrRange;
use sealab_core::call::{MemorySystem as _, ProcessId};
use sealab_core::flags::Prot;
use sealab_core::machine::Machine;
use sealab_core::paging::{Level, PageState};

use super::super::values::number;
use super::record::{PageRow, ProcessState, RangeState, What};

/// Which of the record's folio names stands for which simulated folio. Names are page frames: one
/// that was freed may be named again.
#[derive(Default)]
pub struct Folios {
    by_name: HashMap<String, u64>,
    by_birth: HashMap<u64, String>,
}

impl Folios {
    /// Whether `name` may stand for `birth`, given which folios are mapped now.
    fn same(
        &mut self,
        name: &str,
        birth: u64,
        mapped: &HashSet<u64>,
        named: &HashSet<&str>,
    ) -> bool {
        if self.by_name.get(name) == Some(&birth) {
            return self.by_birth.get(&birth).is_some_and(|n| n == name);
        }
        // An older meaning of either must be gone from every table.
        if let Some(old) = self.by_name.get(name)
            && mapped.contains(old)
        {
            return false;
        }
        if let Some(old) = self.by_birth.get(&birth)
            && named.contains(old.as_str())
        {
            return false;
        }
        self.by_name.insert(name.to_owned(), birth);
        self.by_birth.insert(birth, name.to_owned());
        true
    }
}

/// Compares every range of every process; writes down what differs.
pub fn state(
    machine: &mut Machine,
    recorded: &BTreeMap<String, ProcessState>,
    processes: &super::Processes,
    folios: &mut Folios,
    differences: &mut Vec<String>,
) -> Result<(), String> {
    let mut pairs = Vec::new();
    for (name, process) in recorded {
        let id = *processes
            .get(name)
            .ok_or_else(|| format!("{name}: no process"))?;
        maps(machine, id, name, process, differences)?;
        for (label, range) in &process.ranges {
            let simulated = pages(machine, id, range)?;
            pairs.push((format!("{name} {label}"), range.rows(), simulated));
        }
    }
    let mapped: HashSet<u64> = pairs
        .iter()
        .flat_map(|(_, _, simulated)| simulated.values().map(|p| p.folio))
        .collect();
    let named: HashSet<&str> = pairs
        .iter()
        .flat_map(|(_, rows, _)| rows.values())
        .filter_map(|row| match &row.what {
            What::Folio { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    for (place, rows, simulated) in &pairs {
        let all: std::collections::BTreeSet<u64> =
            rows.keys().chain(simulated.keys()).copied().collect();
        for page in all {
            let (row, state) = (rows.get(&page), simulated.get(&page));
            let agree = match (row, state) {
                (Some(row), Some(state)) => {
                    row_agrees(row, state)
                        && match &row.what {
                            What::Folio { name, .. } => {
                                folios.same(name, state.folio, &mapped, &named)
                            }
                            _ => true,
                        }
                }
                _ => false,
            };
            if !agree {
                differences.push(format!(
                    "{place} page {page}: recorded {}, simulated {}",
                    row.map_or_else(|| "no entry".into(), row_text),
                    state.map_or_else(|| "no entry".into(), state_text),
                ));
            }
        }
    }
    Ok(())
}

fn row_agrees(row: &PageRow, state: &PageState) -> bool {
    match row.what {
        What::Marker => return state.marker.is_some(),
        What::Zero if !state.zero => return false,
        What::Folio { order, index, .. }
            if !state.present || state.zero || (order, index) != (state.order, state.index) =>
        {
            return false;
        }
        _ => {}
    }
    row.writable == state.writable
        && row.young == state.young
        && row.dirty == state.dirty
        && row.contiguous == state.contiguous
        && row.block == (state.level == Level::Pmd)
}

fn pages(
    machine: &mut Machine,
    id: ProcessId,
    range: &RangeState,
) -> Result<BTreeMap<u64, PageState>, String> {
    let base = number(&range.base)?;
    let page = machine.page_size().bytes();
    let whole = AddrRange::new(base, base + range.pages * page);
    Ok(machine
        .pages(id, whole)
        .into_iter()
        .map(|p| ((p.addr - base) / page, p))
        .collect())
}

/// The mappings that touch the ranges.
fn maps(
    machine: &Machine,
    id: ProcessId,
    name: &str,
    process: &ProcessState,
    differences: &mut Vec<String>,
) -> Result<(), String> {
    let page = machine.page_size().bytes();
    let mut looked_at = Vec::new();
    for range in process.ranges.values() {
        let base = number(&range.base)?;
        looked_at.push(AddrRange::new(base, base + range.pages * page));
    }
    let simulated: Vec<String> = machine
        .mappings(id)
        .iter()
        .filter(|m| looked_at.iter().any(|r| r.overlaps(m.range)))
        .map(|m| {
            let bit = |on: bool, letter: char| if on { letter } else { '-' };
            format!(
                "{:x}-{:x} {}{}{}{}",
                m.range.start,
                m.range.end,
                bit(m.prot.contains(Prot::READ), 'r'),
                bit(m.prot.contains(Prot::WRITE), 'w'),
                bit(m.prot.contains(Prot::EXEC), 'x'),
                if m.shared { 's' } else { 'p' },
            )
        })
        .collect();
    if simulated != process.vmas {
        differences.push(format!(
            "{name} maps: recorded {:?}, simulated {simulated:?}",
            process.vmas
        ));
    }
    Ok(())
}

fn row_text(row: &PageRow) -> String {
    let what = match &row.what {
        What::Folio { name, order, index } => format!("{name}+{index} order {order}"),
        What::Zero => "zero page".into(),
        What::Marker => return "marker".into(),
    };
    what + &bits(
        row.writable,
        row.young,
        row.dirty,
        row.contiguous,
        row.block,
    )
}

fn state_text(state: &PageState) -> String {
    if state.marker.is_some() {
        return "marker".into();
    }
    let what = if state.zero {
        "zero page".into()
    } else {
        format!("#{}+{} order {}", state.folio, state.index, state.order)
    };
    let block = state.level == Level::Pmd;
    what + &bits(
        state.writable,
        state.young,
        state.dirty,
        state.contiguous,
        block,
    )
}

fn bits(writable: bool, young: bool, dirty: bool, contiguous: bool, block: bool) -> String {
    let bit = |on: bool, letter: char| if on { letter } else { '-' };
    format!(
        " {}{}{}{}{}",
        bit(writable, 'W'),
        bit(young, 'Y'),
        bit(dirty, 'D'),
        bit(contiguous, 'C'),
        bit(block, 'B')
    )
}
