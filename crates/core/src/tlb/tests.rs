//! TLB behaviour by profile and granule.

use super::*;
use crate::addr::AddrRange;

const MM: MmId = MmId(1);

fn page(granule: PageSize) -> Translation {
    Translation {
        shift: granule.shift(),
        reads: if granule == PageSize::K64 { 3 } else { 4 },
    }
}

/// Runs `accesses` loads of every `stride` bytes below `bytes`, round and round.
fn stride(tlb: &mut Tlb, bytes: u64, stride: u64, accesses: u64, translation: Translation) {
    let mut at = 0;
    for _ in 0..accesses {
        tlb.access(MM, at, Kind::Data, || Some(translation));
        at = (at + stride) % bytes;
    }
}

#[test]
fn what_fits_the_first_level_misses_once_a_page() {
    let mut tlb = Tlb::new(&NEOVERSE_N1, PageSize::K4);
    stride(&mut tlb, 48 * 4096, 64, 100_000, page(PageSize::K4));
    assert_eq!(tlb.stats().l1d_misses, 48);
    assert_eq!(tlb.stats().walks, 48);
    // One page more and least-recently-used keeps none.
    let mut tlb = Tlb::new(&NEOVERSE_N1, PageSize::K4);
    stride(&mut tlb, 49 * 4096, 4096, 4900, page(PageSize::K4));
    assert_eq!(tlb.stats().l1d_misses, 4900);
    assert_eq!(tlb.stats().walks, 49);
}

#[test]
fn a_contiguous_block_takes_one_entry() {
    let block = Translation {
        shift: 16,
        reads: 4,
    };
    let mut loose = Tlb::new(&NEOVERSE_N1, PageSize::K4);
    let mut folded = Tlb::new(&NEOVERSE_N1, PageSize::K4);
    stride(&mut loose, 3 << 20, 4096, 76_800, page(PageSize::K4));
    stride(&mut folded, 3 << 20, 4096, 76_800, block);
    assert_eq!(folded.stats().l1d_misses, 48, "3 MiB are 48 blocks");
    assert_eq!(loose.stats().l1d_misses, 76_800);
    let held = folded.contents();
    let l1d = held.iter().find(|a| a.name == "L1 data").unwrap();
    assert_eq!((l1d.entries.len(), l1d.reach()), (48, 3 << 20));
}

#[test]
fn reach_is_as_worked_out() {
    assert_eq!(NEOVERSE_N1.reach(12), 5 << 20);
    assert_eq!(NEOVERSE_N1.reach(14), 20 << 20);
    assert_eq!(NEOVERSE_N1.reach(16), 80 << 20);
}

#[test]
fn walks_read_as_many_tables_as_are_not_known() {
    for (granule, reads) in [(PageSize::K4, 4), (PageSize::K16, 4), (PageSize::K64, 3)] {
        let mut tlb = Tlb::new(&NEOVERSE_N1, granule);
        tlb.access(MM, 0, Kind::Data, || Some(page(granule)));
        assert_eq!(tlb.stats().walk_reads, reads, "{granule:?}: from the root");
        tlb.access(MM, granule.bytes(), Kind::Data, || Some(page(granule)));
        assert_eq!(
            tlb.stats().walk_reads,
            reads + 1,
            "{granule:?}: the last table is known"
        );
        tlb.access(MM, granule.pmd_bytes(), Kind::Data, || Some(page(granule)));
        assert_eq!(
            tlb.stats().walk_reads,
            reads + 3,
            "{granule:?}: the one above it"
        );
    }
    // A PMD block is found one level higher.
    let mut tlb = Tlb::new(&SKYLAKE, PageSize::K4);
    let block = Translation {
        shift: 21,
        reads: 3,
    };
    tlb.access(MM, 0, Kind::Data, || Some(block));
    tlb.access(MM, 2 << 20, Kind::Data, || Some(block));
    assert_eq!(tlb.stats().walk_reads, 4);
    assert_eq!(tlb.stats().walk_reads_saved, 2);
}

#[test]
fn instructions_and_data_share_the_second_level_or_not() {
    for (profile, walks) in [(&NEOVERSE_N1, 1), (&ZEN2, 2)] {
        let mut tlb = Tlb::new(profile, PageSize::K4);
        tlb.access(MM, 0, Kind::Fetch, || Some(page(PageSize::K4)));
        tlb.access(MM, 0, Kind::Data, || Some(page(PageSize::K4)));
        assert_eq!(tlb.stats().walks, walks, "{}", profile.id);
    }
}

#[test]
fn flushes_drop_what_they_name() {
    let mut tlb = Tlb::new(&NEOVERSE_N1, PageSize::K4);
    let block = Translation {
        shift: 16,
        reads: 4,
    };
    for (mm, addr, what) in [
        (MM, 0, page(PageSize::K4)),
        (MM, 0x1_0000, block),
        (MM, 0x5000, page(PageSize::K4)),
        (MmId(2), 0, page(PageSize::K4)),
    ] {
        tlb.access(mm, addr, Kind::Data, || Some(what));
    }
    let hit =
        |tlb: &mut Tlb, mm: MmId, addr: u64| tlb.access(mm, addr, Kind::Data, || None).is_some();
    // One page of the block: the entry goes whole.
    tlb.flush(TlbFlush {
        mm: MM,
        range: Some(AddrRange::new(0x1_3000, 0x1_4000)),
    });
    assert!(hit(&mut tlb, MM, 0) && hit(&mut tlb, MM, 0x5000));
    assert!(!hit(&mut tlb, MM, 0x1_0000));
    tlb.flush(TlbFlush {
        mm: MM,
        range: None,
    });
    assert!(!hit(&mut tlb, MM, 0) && hit(&mut tlb, MmId(2), 0));
    tlb.flush_all();
    assert!(!hit(&mut tlb, MmId(2), 0));
    assert_eq!(tlb.stats().faults, 3);
}

#[test]
fn sizes_of_their_own_arrays_do_not_crowd_each_other() {
    let mut tlb = Tlb::new(&SKYLAKE, PageSize::K4);
    let block = Translation {
        shift: 21,
        reads: 3,
    };
    for i in 0..32 {
        tlb.access(MM, i << 21, Kind::Data, || Some(block));
    }
    for i in 0..64 {
        tlb.access(MM, (1 << 40) + (i << 12), Kind::Data, || {
            Some(page(PageSize::K4))
        });
    }
    let before = tlb.stats().l1d_misses;
    for i in 0..32 {
        tlb.access(MM, i << 21, Kind::Data, || Some(block));
    }
    assert_eq!(tlb.stats().l1d_misses, before);
}

#[test]
fn every_number_of_a_profile_says_where_it_is_from() {
    for profile in PROFILES {
        assert_eq!(Profile::by_id(profile.id), Some(profile));
        for (name, array) in profile.arrays() {
            assert!(!array.source.text().is_empty() && !array.sizes_source.text().is_empty());
            assert!(array.shifts.is_sorted(), "{} {name}", profile.id);
            assert_eq!(array.entries % array.ways, 0, "{} {name}", profile.id);
            assert!((array.entries / array.ways).is_power_of_two());
            assert!(array.shifts.len() <= usize::from(FIRST_TABLE_CLASS));
        }
    }
}
