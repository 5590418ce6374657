//! When blocks fold and unfold: the findings of the recordings' notes, one a test.

use super::*;

const ALL: &str = "CCCCCCCCCCCCCCCC";
const LOOSE: &str = "hhhhhhhhhhhhhhhh";

/// Two folded blocks.
fn two_blocks(kernel: KernelId) -> Lab {
    let mut lab = Lab::contpte(kernel);
    lab.map(0, 32);
    lab.store(0, 32);
    assert_eq!(lab.map_of(0, 0, 32), ALL.repeat(2));
    lab
}

#[test]
fn one_store_anywhere_in_an_empty_block_folds_it() {
    let mut lab = Lab::contpte(KernelId::V6_12);
    lab.map(0, 32);
    lab.store(11, 1);
    assert_eq!(lab.map_of(0, 0, 32), format!("{ALL}................"));
    let page = lab.page_at(0, 2).unwrap();
    assert!(page.young && page.dirty && page.writable);
}

#[test]
fn a_read_first_spoils_the_block() {
    let mut lab = Lab::contpte(KernelId::V6_12);
    lab.map(0, 16);
    lab.load(5, 1);
    lab.store(0, 16);
    assert_eq!(lab.map_of(0, 0, 16), "p".repeat(16));
}

#[test]
fn smaller_sizes_fill_the_empty_parts() {
    let mut lab = Lab::contpte(KernelId::V6_12);
    lab.set("hugepages-16kB/enabled", "always");
    lab.map(0, 16);
    lab.load(5, 1);
    lab.store(0, 16);
    assert_eq!(lab.map_of(0, 0, 16), "hhhhpppphhhhhhhh");
}

#[test]
fn only_the_last_page_refolds_entry_by_entry() {
    for kernel in [KernelId::V6_12, KernelId::V7] {
        for (first, pages, refolds) in [
            (5, 1, false),
            (0, 1, false),
            (15, 1, true),
            (0, 8, false),
            (0, 16, true),
        ] {
            let mut lab = two_blocks(kernel);
            lab.protect(first, pages, Prot::READ);
            let whole = pages == 16;
            assert_eq!(lab.map_of(0, 0, 16), if whole { ALL } else { LOOSE });
            lab.protect(first, pages, Prot::READ | Prot::WRITE);
            let expected = if refolds { ALL } else { LOOSE };
            assert_eq!(
                lab.map_of(0, 0, 16),
                expected,
                "{kernel:?}, {first}+{pages}"
            );
            assert_eq!(lab.map_of(0, 16, 16), ALL);
        }
    }
}

#[test]
fn the_upper_half_refolds_entry_by_entry_but_not_in_a_batch() {
    for (kernel, expected) in [(KernelId::V6_12, ALL), (KernelId::V7, LOOSE)] {
        let mut lab = two_blocks(kernel);
        lab.protect(8, 8, Prot::READ);
        lab.protect(8, 8, Prot::READ | Prot::WRITE);
        assert_eq!(lab.map_of(0, 0, 16), expected);
    }
}

#[test]
fn pieces_refold_in_ascending_order_only() {
    let mut lab = two_blocks(KernelId::V6_12);
    for page in 0..16 {
        lab.protect(page, 1, Prot::READ);
    }
    assert_eq!(lab.map_of(0, 0, 16), ALL);
    for page in (16..32).rev() {
        lab.protect(page, 1, Prot::READ);
    }
    assert_eq!(lab.map_of(0, 16, 16), LOOSE);
}

#[test]
fn prot_none_entries_are_no_block() {
    let mut lab = two_blocks(KernelId::V6_12);
    lab.protect(15, 1, Prot::empty());
    assert_eq!(lab.map_of(0, 0, 16), "hhhhhhhhhhhhhhhn");
    lab.protect(15, 1, Prot::READ | Prot::WRITE);
    assert_eq!(lab.map_of(0, 0, 16), ALL);
}

#[test]
fn moved_blocks_fold_where_they_are_congruent() {
    for kernel in [KernelId::V6_12, KernelId::V7] {
        let mut lab = two_blocks(kernel);
        lab.shift(0, 16, 64);
        assert_eq!(lab.map_of(0, 64, 16), ALL);
        lab.shift(64, 16, 129);
        assert_eq!(lab.map_of(0, 129, 16), LOOSE);
        lab.shift(129, 16, 256);
        assert_eq!(lab.map_of(0, 256, 16), ALL);
        // One page away and back: only the last one's return folds.
        lab.shift(5 + 256, 1, 400);
        lab.shift(400, 1, 5 + 256);
        assert_eq!(lab.map_of(0, 256, 16), LOOSE);
        lab.shift(15 + 256, 1, 400);
        lab.shift(400, 1, 15 + 256);
        assert_eq!(lab.map_of(0, 256, 16), ALL);
    }
}

#[test]
fn fork_keeps_blocks_and_copies_unfold_one_side() {
    let mut lab = two_blocks(KernelId::V6_12);
    let child = lab.fork();
    assert_eq!(lab.map_of(0, 0, 16), ALL);
    assert_eq!(lab.map_of(child, 0, 16), ALL);
    let (parents, childs) = (lab.page_at(0, 3).unwrap(), lab.page_at(child, 3).unwrap());
    assert!(!parents.writable && parents.young && !childs.young && childs.dirty);
    lab.call_by(
        child,
        Call::Store {
            addr: BASE + 5 * 4096,
            len: 1,
        },
    );
    assert_eq!(lab.map_of(child, 0, 16), "hhhhhphhhhhhhhhh");
    assert_eq!(lab.map_of(0, 0, 16), ALL);
}

#[test]
fn fork_folds_the_child_where_the_parent_is_loose() {
    let mut lab = two_blocks(KernelId::V6_12);
    lab.protect(5, 1, Prot::READ);
    lab.protect(5, 1, Prot::READ | Prot::WRITE);
    let child = lab.fork();
    assert_eq!(lab.map_of(0, 0, 16), LOOSE);
    assert_eq!(lab.map_of(child, 0, 16), ALL);
}

#[test]
fn a_vma_boundary_in_a_block_unfolds_it_on_fork() {
    let mut lab = two_blocks(KernelId::V6_12);
    lab.ok(Call::Mlock {
        addr: BASE + 5 * 4096,
        len: 4096,
    });
    assert_eq!(lab.map_of(0, 0, 16), ALL, "a VMA split changes no entry");
    let child = lab.fork();
    assert_eq!(lab.map_of(0, 0, 16), LOOSE);
    assert_eq!(lab.map_of(child, 0, 16), LOOSE);
}

#[test]
fn a_folio_alone_again_is_written_in_place_since_6_15() {
    for (kernel, expected) in [(KernelId::V6_12, "hhhhhphhhhhhhhhh"), (KernelId::V7, LOOSE)] {
        let mut lab = two_blocks(kernel);
        let child = lab.fork();
        lab.call_by(child, Call::Exit);
        lab.store(5, 1);
        assert_eq!(lab.map_of(0, 0, 16), expected, "{kernel:?}");
        let (written, other) = (lab.page_at(0, 5).unwrap(), lab.page_at(0, 6).unwrap());
        assert!(written.writable && !other.writable);
    }
}

#[test]
fn advice_on_a_part_splits_the_folio_dontneed_does_not() {
    for advice in [madv::FREE, madv::COLD, madv::PAGEOUT] {
        let mut lab = two_blocks(KernelId::V6_12);
        lab.advise(5, 1, advice);
        assert_eq!(lab.map_of(0, 0, 16), "p".repeat(16), "{advice}");
    }
    let mut lab = two_blocks(KernelId::V6_12);
    lab.advise(5, 1, madv::DONTNEED);
    assert_eq!(lab.map_of(0, 0, 16), "hhhhh.hhhhhhhhhh");
    lab.advise(16, 16, madv::COLD);
    assert_eq!(lab.map_of(0, 16, 16), ALL);
    assert!(!lab.page_at(0, 20).unwrap().young);
}

#[test]
fn pageout_without_swap_splits_a_whole_folio() {
    let mut lab = two_blocks(KernelId::V6_12);
    lab.advise(0, 16, madv::PAGEOUT);
    assert_eq!(lab.map_of(0, 0, 32), format!("{}{ALL}", "p".repeat(16)));
}

#[test]
fn pages_never_stored_to_go_to_the_zero_page_when_split() {
    for (kernel, letter) in [(KernelId::V6_11, 'p'), (KernelId::V6_12, 'z')] {
        let mut lab = Lab::contpte(kernel);
        lab.map(0, 16);
        lab.store(4, 2);
        lab.advise(0, 8, madv::COLD);
        let map = lab.map_of(0, 0, 16);
        assert_eq!(&map[4..6], "pp");
        assert_eq!(
            map.matches(letter).count(),
            if letter == 'z' { 14 } else { 16 }
        );
    }
}

#[test]
fn a_guard_page_unfolds_and_its_removal_leaves_a_hole() {
    let mut lab = two_blocks(KernelId::V7);
    lab.advise(5, 1, madv::GUARD_INSTALL);
    assert_eq!(lab.map_of(0, 0, 16), "hhhhhghhhhhhhhhh");
    let touched = lab.call_by(
        0,
        Call::Load {
            addr: BASE + 5 * 4096,
            len: 1,
        },
    );
    assert!(!touched.is_ok());
    lab.advise(5, 1, madv::GUARD_REMOVE);
    assert_eq!(lab.map_of(0, 0, 16), "hhhhh.hhhhhhhhhh");
}

#[test]
fn every_block_of_a_split_pmd_but_the_touched_one_is_folded() {
    let mut lab = Lab::contpte(KernelId::V6_12);
    lab.set("enabled", "always");
    lab.map(0, 512);
    lab.store(0, 1);
    assert_eq!(lab.map_of(0, 0, 512), "B".repeat(512));
    lab.unmap(21, 1);
    let map = lab.map_of(0, 0, 512);
    assert_eq!(&map[..48], format!("{ALL}hhhhh.hhhhhhhhhh{ALL}"));
    assert_eq!(map.matches('C').count(), 512 - 16);
}

#[test]
fn without_hardware_flags_a_fault_sets_the_whole_block() {
    let mut design = MemoryDesign::from_parts("test".into(), PageSize::K4)
        .with_anon_folio(64 << 10)
        .with_contpte(crate::paging::ContPte::Merged);
    for hardware in [true, false] {
        design.hardware_af_dirty = hardware;
        let mut lab = Lab::new(KernelId::V6_12, design.clone());
        lab.map(0, 16);
        lab.store(0, 16);
        lab.advise(0, 16, madv::FREE);
        let faults = lab.counted(|lab| lab.store(3, 1)).get(Counter::PageFault);
        assert_eq!(faults, u64::from(!hardware));
        assert_eq!(lab.page_at(0, 9).unwrap().dirty, !hardware);
        assert_eq!(lab.map_of(0, 0, 16), ALL);
        // Unfolding makes one page's state the block's.
        lab.unmap(15, 1);
        assert!(lab.page_at(0, 9).unwrap().dirty);
    }
}

#[test]
fn a_fold_and_an_unfold_cost_what_the_code_does() {
    let mut lab = two_blocks(KernelId::V6_12);
    let cost = lab.counted(|lab| lab.unmap(5, 1));
    assert_eq!(cost.get(Counter::ContUnfold), 1);
    // The block's 16 entries and the one that goes.
    assert_eq!(cost.get(Counter::PteClear), 17);
    assert_eq!(cost.get(Counter::PteWrite), 16);
    assert_eq!(cost.get(Counter::TlbFlush), 2);
    assert_eq!(cost.get(Counter::TlbFlushPages), 17);

    let mut design = lab.machine.config().memory.clone();
    design.bbml2 = true;
    let mut lab = Lab::new(KernelId::V6_12, design);
    lab.map(0, 16);
    lab.store(0, 16);
    let cost = lab.counted(|lab| lab.unmap(5, 1));
    assert_eq!(cost.get(Counter::PteClear), 17);
    assert_eq!(
        cost.get(Counter::TlbFlush),
        1,
        "BBML2: the unfold flushes nothing"
    );
}

#[test]
fn whole_blocks_go_without_an_unfold() {
    let mut lab = two_blocks(KernelId::V6_12);
    let cost = lab.counted(|lab| lab.unmap(0, 32));
    assert_eq!(cost.get(Counter::ContUnfold), 0);
    assert_eq!(cost.get(Counter::PteClear), 32);
    assert_eq!(cost.get(Counter::FolioFree), 2);
    assert_eq!(cost.get(Counter::TlbFlush), 1);
    assert_eq!(cost.get(Counter::TableFree), 3);
}

#[test]
fn the_log_names_the_rules() {
    use crate::paging::{EventKind, PageEvent, Reason};
    let mut lab = two_blocks(KernelId::V6_12);
    lab.machine.memory_mut().log.on = true;
    let events = |lab: &mut Lab| -> Vec<PageEvent> {
        let log = &mut lab.machine.memory_mut().log;
        let events = log.events.clone();
        log.clear();
        events
    };
    lab.protect(5, 1, Prot::READ);
    let seen = events(&mut lab);
    assert_eq!(seen[0].reason, Reason::PageCleared);
    assert_eq!((seen[0].block, seen[0].page), (BASE, 5));
    lab.protect(5, 1, Prot::READ | Prot::WRITE);
    let seen = events(&mut lab);
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].reason, Reason::OnlyLastPageTries);
    assert_eq!(seen[0].reason.kind(), EventKind::NotFolded);
    lab.protect(15, 1, Prot::READ);
    assert_eq!(events(&mut lab)[0].reason, Reason::EntryDiffers);
    lab.protect(15, 1, Prot::READ | Prot::WRITE);
    assert_eq!(events(&mut lab)[0].reason, Reason::LastPageSet);
}

#[test]
fn the_first_posting_folds_again_after_an_upgrade() {
    let posted = MemoryDesign::by_name("contpte-v1").unwrap().clone();
    let mut merged = posted.clone();
    merged.contpte = crate::paging::ContPte::Merged;
    for (design, expected) in [(posted, ALL), (merged, LOOSE)] {
        // In 7.x a folio that is one's own again is written in place: upgrade after upgrade, and
        // the last page's comes last.
        let mut lab = Lab::new(KernelId::V7, design);
        lab.map(0, 16);
        lab.store(0, 16);
        let child = lab.fork();
        lab.call_by(child, Call::Exit);
        lab.store(0, 16);
        assert_eq!(lab.map_of(0, 0, 16), expected);
    }
}

#[test]
fn a_walk_finds_what_one_entry_may_translate() {
    use crate::tlb::Translation;
    let mut lab = two_blocks(KernelId::V6_12);
    let translation = |lab: &Lab, page: u64| {
        let table = lab.machine.page_table(ProcessId(0)).unwrap();
        table.translation(BASE + page * 4096)
    };
    let of = |shift| Some(Translation { shift, reads: 4 });
    assert_eq!(translation(&lab, 3), of(16));
    lab.protect(5, 1, Prot::READ);
    assert_eq!(
        [3, 5, 16].map(|p| translation(&lab, p)),
        [of(12), of(12), of(16)]
    );
    // Hardware finds nothing valid behind PROT_NONE, nor where nothing is.
    lab.protect(5, 1, Prot::empty());
    assert_eq!([5, 32].map(|p| translation(&lab, p)), [None, None]);
}
