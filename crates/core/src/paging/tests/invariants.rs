//! What must hold of page tables and folios at any time.

use std::collections::BTreeMap;

use super::BASE;
use crate::addr::AddrRange;
use crate::call::ProcessId;
use crate::machine::Machine;
use crate::paging::Level;
use crate::paging::entry::Pte;
use crate::paging::folio::{Backing, FolioId};

const EVERYTHING: AddrRange = AddrRange {
    start: 0,
    end: 1 << 47,
};

/// How often each page of each folio is mapped, and how often it is mapped whole.
#[derive(Default)]
struct Recount {
    pages: BTreeMap<(FolioId, u32), u32>,
    entire: BTreeMap<FolioId, u32>,
    by_mm: BTreeMap<FolioId, BTreeMap<u32, u32>>,
}

/// Checks everything; panics with what is wrong.
pub fn check(machine: &Machine) {
    let mut recount = Recount::default();
    for process in 0..machine.process_count() {
        let id = ProcessId(u32::try_from(process).unwrap());
        if machine.page_table(id).is_some() {
            check_table(machine, id, &mut recount);
        }
    }
    check_folios(machine, &recount);
}

fn check_table(machine: &Machine, id: ProcessId, recount: &mut Recount) {
    let table = machine.page_table(id).unwrap();
    let mem = machine.memory();
    let shift = mem.design.page_size.shift();
    let mut resident = 0;
    let mut pmd_seen = None;
    let entries: Vec<(u64, Level, Pte)> = table.entries(EVERYTHING).collect();
    for &(addr, level, pte) in &entries {
        assert!(
            machine.vmas(id).any(|v| v.range().contains(addr)),
            "{addr:#x} is mapped outside every VMA"
        );
        resident += u64::from(pte.resident());
        if !pte.resident() {
            continue;
        }
        let folio = mem.arena.get(pte.folio());
        assert!(folio.birth > 0, "{addr:#x} maps a freed folio");
        assert!(pte.index() < folio.len(), "{addr:#x} maps beyond its folio");
        let mm = table.mm().0;
        match level {
            Level::Pte => {
                *recount.pages.entry((pte.folio(), pte.index())).or_default() += 1;
                *recount
                    .by_mm
                    .entry(pte.folio())
                    .or_default()
                    .entry(mm)
                    .or_default() += 1;
            }
            Level::Pmd => {
                let key = addr >> (2 * shift - 3);
                if pmd_seen != Some(key) {
                    pmd_seen = Some(key);
                    *recount.entire.entry(pte.folio()).or_default() += 1;
                    *recount
                        .by_mm
                        .entry(pte.folio())
                        .or_default()
                        .entry(mm)
                        .or_default() += 1;
                }
            }
        }
        if folio.is_anon() && pte.writable() {
            let first = if level == Level::Pmd { 0 } else { pte.index() };
            assert!(
                folio.exclusive(first),
                "{addr:#x} may write a page that others reach"
            );
        }
    }
    assert_eq!(
        table.rss(EVERYTHING).0 >> shift,
        resident,
        "Rss is not the recount"
    );
    check_blocks(machine, &entries);
}

/// Folded: all or none, aligned, one folio, one protection.
fn check_blocks(machine: &Machine, entries: &[(u64, Level, Pte)]) {
    let mem = machine.memory();
    let shift = mem.design.page_size.shift();
    let n = mem.design.page_size.cont_ptes();
    let by_addr: BTreeMap<u64, Pte> = entries.iter().map(|&(a, _, p)| (a, p)).collect();
    for &(addr, level, pte) in entries {
        if !pte.cont() {
            continue;
        }
        assert!(mem.design.has_contpte() && level == Level::Pte && pte.valid() && !pte.special());
        let start = addr & !((n << shift) - 1);
        let head = by_addr.get(&start).copied().unwrap_or_default();
        assert!(head.cont(), "{start:#x}: a block is folded in part");
        assert_eq!(u64::from(head.index()) % n, 0, "{start:#x}: not congruent");
        for i in 0..n {
            let here = by_addr
                .get(&(start + (i << shift)))
                .copied()
                .unwrap_or_default();
            assert!(here.cont(), "{start:#x}+{i}: a block is folded in part");
            assert_eq!(
                here.rigid(),
                head.advance(u32::try_from(i).unwrap()).rigid(),
                "{start:#x}+{i}: a folded block differs"
            );
        }
    }
}

fn check_folios(machine: &Machine, recount: &Recount) {
    let mem = machine.memory();
    let mut pages = 0;
    for (id, folio) in mem.arena.live() {
        pages += u64::from(folio.len());
        assert!(
            folio.mapcount > 0 || folio.cached,
            "a folio of order {} ({:?}) that nothing holds was not freed",
            folio.order,
            folio.backing
        );
        let mut sum = 0;
        for (i, count) in folio.counts().enumerate() {
            let key = (id, u32::try_from(i).unwrap());
            let seen = recount.pages.get(&key).copied().unwrap_or(0);
            assert_eq!(
                count, seen,
                "mapcount of page {i} of {id:?}, order {}",
                folio.order
            );
            sum += seen;
        }
        let entire = recount.entire.get(&id).copied().unwrap_or(0);
        assert_eq!(folio.entire, entire, "{id:?} mapped whole");
        assert_eq!(folio.mapcount, sum + entire, "{id:?} mapped at all");
        let owners = recount.by_mm.get(&id).map_or(0, BTreeMap::len);
        if !folio.maybe_shared {
            assert!(
                owners <= 1,
                "{id:?} has {owners} owners and is called one's own"
            );
        }
        if let Backing::File(inode, first) | Backing::Shmem(inode, first) = folio.backing
            && folio.cached
        {
            let found = mem
                .caches
                .get(&inode)
                .and_then(|c| c.find(&mem.arena, first));
            assert_eq!(found, Some((id, 0)), "the page cache does not name it");
        }
    }
    assert_eq!(mem.used_pages(), pages, "pages in use");
    let _ = BASE;
}
