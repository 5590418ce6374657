//! The directory of tables and its counts.

use crate::addr::{AddrRange, Bytes, PageSize};
use crate::paging::entry::Pte;
use crate::paging::folio::FolioId;
use crate::paging::{MmId, PageTable};

fn page(folio: u32) -> Pte {
    Pte::new(FolioId(folio), 0, Pte::PRESENT)
}

#[test]
fn a_table_goes_when_no_neighbour_needs_it() {
    let mut table = PageTable::new(MmId(1), PageSize::K4);
    let base = 0x4000_0000;
    assert_eq!(table.make_leaf(base), 3, "leaf, PMD table, PUD table");
    assert_eq!(table.make_leaf(base + (2 << 20)), 1);
    assert_eq!(table.table_pages(), 5);
    table.put(base, page(9));
    let all = AddrRange::new(base, base + (4 << 20));
    assert_eq!(table.rss(all), Bytes(4096));
    table.put(base, Pte::EMPTY);
    let one = AddrRange::new(base, base + 4096);
    assert_eq!(
        table.free_tables(one, 0, base + 8192),
        0,
        "a neighbour shares it"
    );
    assert_eq!(table.free_tables(one, 0, base + (2 << 20)), 1);
    assert_eq!(table.free_tables(all, 0, 0), 3);
    assert_eq!(table.table_pages(), 1);
}

#[test]
fn rss_of_parts_adds_up() {
    let mut table = PageTable::new(MmId(1), PageSize::K16);
    let base = 1 << 40;
    table.make_leaf(base);
    for i in [0u64, 5, 2047] {
        table.put(base + (i << 14), page(3));
    }
    table.put(base + (7 << 14), Pte::zero_page(Pte::PRESENT));
    let cut = base + (6 << 14);
    let end = base + (32 << 20);
    assert_eq!(table.rss(AddrRange::new(base, cut)), Bytes(2 << 14));
    assert_eq!(table.rss(AddrRange::new(cut, end)), Bytes(1 << 14));
    assert_eq!(table.rss(AddrRange::new(base, end)), Bytes(3 << 14));
    assert_eq!(table.entries(AddrRange::new(base, end)).count(), 4);
}
