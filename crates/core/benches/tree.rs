//! Speed of the VMA tree beside the `BTreeMap` that the tests hold it against.
//!
//! `cargo bench -p sealab-core --bench tree`; every figure is for one round.

#![allow(missing_docs)]

#[allow(dead_code)]
#[path = "../src/vma/tree/tests/model.rs"]
mod model;

use divan::{Bencher, black_box};
use sealab_core::addr::AddrRange;
use sealab_core::flags::VmFlags;
use sealab_core::vma::area::{SpecialName, Vma};
use sealab_core::vma::tree::VmaTree;

use self::model::Model;

fn main() {
    divan::main();
}

const PAGE: u64 = 4096;
const LOW: u64 = 0x1_0000;
const SIZES: [u64; 2] = [1_000, 60_000];

/// What both can do, so that both run the same rounds.
trait Set: Default {
    type Id: Copy;
    fn add(&mut self, vma: Vma) -> Self::Id;
    fn take(&mut self, id: Self::Id) -> Vma;
    fn at(&self, addr: u64) -> Option<Self::Id>;
    fn shrink(&mut self, id: Self::Id, start: u64, end: u64);
    fn range(&self, id: Self::Id) -> AddrRange;
    fn highest(&self, low: u64, high: u64, size: u64) -> Option<AddrRange>;
    fn lowest(&self, low: u64, high: u64, size: u64) -> Option<AddrRange>;
}

macro_rules! set {
    ($set:ty, $id:ty) => {
        impl Set for $set {
            type Id = $id;
            fn add(&mut self, vma: Vma) -> Self::Id {
                self.insert(vma)
            }
            fn take(&mut self, id: Self::Id) -> Vma {
                self.remove(id)
            }
            fn at(&self, addr: u64) -> Option<Self::Id> {
                self.find(addr)
            }
            fn shrink(&mut self, id: Self::Id, start: u64, end: u64) {
                self.set_bounds(id, start, end);
            }
            fn range(&self, id: Self::Id) -> AddrRange {
                self.get(id).range()
            }
            fn highest(&self, low: u64, high: u64, size: u64) -> Option<AddrRange> {
                self.highest_gap(low, high, size).map(|gap| gap.range)
            }
            fn lowest(&self, low: u64, high: u64, size: u64) -> Option<AddrRange> {
                self.lowest_gap(low, high, size).map(|gap| gap.range)
            }
        }
    };
}
set!(VmaTree, sealab_core::vma::tree::VmaId);
set!(Model, model::VmaId);

fn vma(start: u64, end: u64) -> Vma {
    Vma {
        start,
        end,
        flags: VmFlags::READ,
        pgoff: start / PAGE,
        file: None,
        anon_vma: None,
        special: SpecialName::None,
    }
}

/// Xorshift: the same numbers each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// `n` VMAs of 1 to 4 pages with gaps of 0 to 8 pages, added in a random order; and where they end.
fn spread<S: Set>(n: u64, numbers: &mut Numbers) -> (S, u64) {
    let mut at = LOW;
    let mut vmas: Vec<Vma> = (0..n)
        .map(|_| {
            let start = at + numbers.below(9) * PAGE;
            at = start + (1 + numbers.below(4)) * PAGE;
            vma(start, at)
        })
        .collect();
    let mut set = S::default();
    while !vmas.is_empty() {
        let i = numbers.below(vmas.len() as u64) as usize;
        set.add(vmas.swap_remove(i));
    }
    (set, at)
}

/// Finds the highest gap below a random address, maps there and unmaps.
#[divan::bench(types = [VmaTree, Model], args = SIZES)]
fn map_unmap_anywhere<S: Set>(bencher: Bencher<'_, '_>, n: u64) {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (mut set, end) = spread::<S>(n, &mut numbers);
    bencher.bench_local(|| {
        let size = (1 + numbers.below(8)) * PAGE;
        let high = LOW + numbers.below(end - LOW);
        if let Some(gap) = set.highest(LOW, high, size) {
            let id = set.add(vma(gap.end - size, gap.end));
            black_box(set.take(id));
        }
    });
}

/// As a process does: always in the same highest gap, which lies below all that is mapped densely.
/// The model is left out: it tries every gap, which takes it milliseconds.
#[divan::bench(types = [VmaTree], args = SIZES)]
fn map_unmap_below<S: Set>(bencher: Bencher<'_, '_>, n: u64) {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (mut set, end) = spread::<S>(n, &mut numbers);
    let offset = 0x7000_0000_0000;
    for i in 0..n {
        set.add(vma(offset + i * PAGE, offset + (i + 1) * PAGE));
    }
    let high = offset + n * PAGE;
    assert!(end < offset);
    bencher.bench_local(|| {
        let gap = set.highest(LOW, high, 16 * PAGE).expect("room");
        let id = set.add(vma(gap.end - 16 * PAGE, gap.end));
        black_box(set.take(id));
    });
}

#[divan::bench(types = [VmaTree, Model], args = SIZES)]
fn find<S: Set>(bencher: Bencher<'_, '_>, n: u64) {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (set, end) = spread::<S>(n, &mut numbers);
    bencher.bench_local(|| set.at(LOW + numbers.below(end - LOW)).is_some());
}

/// Splits a VMA in two and makes it one again, as mprotect does there and back.
#[divan::bench(types = [VmaTree, Model], args = SIZES)]
fn split_merge<S: Set>(bencher: Bencher<'_, '_>, n: u64) {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (mut set, end) = spread::<S>(n, &mut numbers);
    bencher.bench_local(|| {
        let addr = LOW + numbers.below(end - PAGE - LOW);
        let id = set.at(addr).expect("not past the last");
        let AddrRange { start, end } = set.range(id);
        let middle = start + (end - start) / 2;
        set.shrink(id, start, middle);
        let upper = set.add(vma(middle, end));
        set.take(upper);
        set.shrink(id, start, end);
    });
}

/// Looks for a large gap up and down, which are few.
#[divan::bench(types = [VmaTree, Model], args = SIZES)]
fn gaps<S: Set>(bencher: Bencher<'_, '_>, n: u64) {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let (set, end) = spread::<S>(n, &mut numbers);
    bencher.bench_local(|| {
        let addr = LOW + numbers.below(end - LOW);
        black_box(set.lowest(addr, end, 8 * PAGE));
        black_box(set.highest(LOW, addr, 8 * PAGE));
    });
}
