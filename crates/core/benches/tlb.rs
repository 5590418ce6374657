//! Accesses a second through the TLBs, counters on, page tables behind them.
//!
//! `cargo bench -p sealab-core --bench tlb`

use divan::Bencher;
use divan::counter::ItemsCount;
use sealab_core::addr::{AddrRange, PageSize};
use sealab_core::call::{Call, MemorySystem as _, ProcessId};
use sealab_core::flags::{MapFlags, Prot};
use sealab_core::kernel::{Kernel, KernelId};
use sealab_core::machine::{At, Config, Machine};
use sealab_core::paging::{Access, MemoryDesign};
use sealab_core::tlb::NEOVERSE_N1;

fn main() {
    divan::main();
}

const BASE: u64 = 0x100_0000_0000;
const ACCESSES: u64 = 1 << 20;
/// Accesses handed over at a time, as a run does.
const CHUNK: usize = 1024;

/// A machine with `bytes` of touched memory.
fn machine(bytes: u64) -> Machine {
    let design = MemoryDesign::from_parts("bench".into(), PageSize::K4);
    let mut machine = Machine::new(Config::new(Kernel::by_id(KernelId::V6_12), design));
    let process = ProcessId(0);
    machine.call(
        process,
        &Call::Mmap {
            addr: BASE,
            len: bytes,
            prot: (Prot::READ | Prot::WRITE).bits(),
            flags: (MapFlags::PRIVATE | MapFlags::ANONYMOUS | MapFlags::FIXED).bits(),
            fd: -1,
            offset: 0,
        },
    );
    machine.call(
        process,
        &Call::Store {
            addr: BASE,
            len: bytes,
        },
    );
    machine
}

/// Accesses as a run of a scenario makes them: page tables, access flags and TLBs together.
fn run(bencher: Bencher<'_, '_>, bytes: u64, mut next: impl FnMut(u64) -> u64 + Sync + Send) {
    let mut machine = machine(bytes);
    let table = machine.page_table(ProcessId(0)).unwrap();
    assert!(table.rss(AddrRange::new(BASE, BASE + bytes)).0 == bytes);
    machine.attach_tlb(&NEOVERSE_N1);
    let mut chunk = Vec::with_capacity(CHUNK);
    bencher.counter(ItemsCount::new(ACCESSES)).bench_local(|| {
        let mut accesses = machine.accesses(ProcessId(0), ACCESSES);
        let mut made = 0;
        while made < ACCESSES {
            chunk.clear();
            chunk.extend((made..ACCESSES).take(CHUNK).map(|i| At {
                addr: BASE + next(i) % bytes,
                access: Access::Load,
            }));
            accesses.make(&chunk).unwrap();
            made += chunk.len() as u64;
        }
        made
    });
    let stats = machine.tlb().unwrap().stats();
    assert!(stats.data_accesses >= ACCESSES && stats.faults == 0);
}

fn random() -> impl FnMut(u64) -> u64 {
    let mut state = 1u64;
    move |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 20
    }
}

#[divan::bench]
fn stride_of_64_bytes(bencher: Bencher<'_, '_>) {
    run(bencher, 64 << 20, |i| i * 64);
}

#[divan::bench]
fn stride_of_a_page(bencher: Bencher<'_, '_>) {
    run(bencher, 64 << 20, |i| i * 4096);
}

#[divan::bench(args = [128 << 10, 4 << 20, 64 << 20])]
fn random_within(bencher: Bencher<'_, '_>, bytes: u64) {
    run(bencher, bytes, random());
}

/// As a program does: instructions in line, a stack, a heap.
#[divan::bench]
fn like_a_program(bencher: Bencher<'_, '_>) {
    let mut far = random();
    run(bencher, 64 << 20, move |i| match i % 8 {
        0..=3 => (i * 4) % (256 << 10),
        4 | 5 => (32 << 20) + i % 4096,
        6 => (33 << 20) + far(i) % (128 << 10),
        _ => far(i),
    });
}
