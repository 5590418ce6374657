//! How many calls a second the simulated kernels answer, by the number of VMAs around.
//!
//! A pair is what `mmap1` of will-it-scale does: map memory where the kernel likes, unmap it.
//! Counters are on, as always; call chains are off, as in long loops.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use sealab_core::call::{Call, MemorySystem, Outcome, ProcessId};
use sealab_core::kernel::{KERNELS, Kernel};
use sealab_core::machine::{Config, Machine};
use sealab_core::paging::MemoryDesign;

const VMAS: [u64; 4] = [100, 1_000, 10_000, 60_000];
const BATCH: u64 = 1_000;
const P0: ProcessId = ProcessId(0);

fn main() {
    divan::main();
}

/// A process with `vmas` one-page mappings, each with a free page above it.
fn machine(kernel: &'static Kernel, vmas: u64) -> Machine {
    let mut machine = Machine::new(Config::new(kernel, MemoryDesign::BASELINE_4K));
    for i in 0..vmas {
        let outcome = machine.call(
            P0,
            &Call::Mmap {
                addr: 0x1000_0000_0000 + i * 0x2000,
                len: 4096,
                prot: 3,
                flags: 0x32,
                fd: -1,
                offset: 0,
            },
        );
        assert!(outcome.is_ok(), "the field must be mapped");
    }
    machine
}

fn kernel(name: &str) -> &'static Kernel {
    KERNELS
        .iter()
        .find(|k| k.name == name)
        .unwrap_or(&KERNELS[0])
}

fn mmap_munmap(machine: &mut Machine) {
    for _ in 0..BATCH {
        let mapped = machine.call(
            P0,
            &Call::Mmap {
                addr: 0,
                len: 128 << 20,
                prot: 3,
                flags: 0x22,
                fd: -1,
                offset: 0,
            },
        );
        let Outcome::Value(addr) = mapped else {
            unreachable!("there is room")
        };
        black_box(machine.call(
            P0,
            &Call::Munmap {
                addr,
                len: 128 << 20,
            },
        ));
    }
}

#[divan::bench(args = VMAS)]
fn mmap_munmap_pair_6_11(bencher: Bencher<'_, '_>, vmas: u64) {
    let mut machine = machine(kernel("6.11"), vmas);
    bencher
        .counter(ItemsCount::new(BATCH))
        .bench_local(|| mmap_munmap(&mut machine));
}

#[divan::bench(args = VMAS)]
fn mmap_munmap_pair_6_12(bencher: Bencher<'_, '_>, vmas: u64) {
    let mut machine = machine(kernel("6.12"), vmas);
    bencher
        .counter(ItemsCount::new(BATCH))
        .bench_local(|| mmap_munmap(&mut machine));
}

/// mprotect of one page of a four-page mapping and back: two splits, two merges.
#[divan::bench(args = VMAS)]
fn mprotect_split_and_merge_6_12(bencher: Bencher<'_, '_>, vmas: u64) {
    let mut machine = machine(kernel("6.12"), vmas);
    let base = 0x2000_0000_0000;
    machine.call(
        P0,
        &Call::Mmap {
            addr: base,
            len: 4 * 4096,
            prot: 3,
            flags: 0x32,
            fd: -1,
            offset: 0,
        },
    );
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for i in 0..BATCH {
            let prot = if i % 2 == 0 { 1 } else { 3 };
            black_box(machine.call(
                P0,
                &Call::Mprotect {
                    addr: base + 4096,
                    len: 4096,
                    prot,
                },
            ));
        }
    });
}
