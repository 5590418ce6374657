//! Any calls in any order under any kernel and design leave consistent tables and counts.

use super::invariants::check;
use super::*;
use crate::paging::{Arch, ContPte};

/// splitmix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

const ADVICE: &[i32] = &[
    madv::DONTNEED,
    madv::DONTNEED,
    madv::FREE,
    madv::COLD,
    madv::PAGEOUT,
    madv::WILLNEED,
    madv::COLLAPSE,
    madv::REMOVE,
    madv::HUGEPAGE,
    madv::NOHUGEPAGE,
    madv::POPULATE_READ,
    madv::POPULATE_WRITE,
    madv::GUARD_INSTALL,
    madv::GUARD_REMOVE,
    madv::DONTFORK,
    madv::WIPEONFORK,
];

const PROTS: &[Prot] = &[
    Prot::empty(),
    Prot::READ,
    Prot::READ.union(Prot::WRITE),
    Prot::READ.union(Prot::WRITE),
    Prot::READ.union(Prot::EXEC),
];

/// A range of the area, often on edges of blocks.
fn range(dice: &mut Dice, lab: &Lab, pages: u64) -> (u64, u64) {
    let block = lab.machine.page_size().cont_ptes();
    let mut at = dice.below(pages);
    if dice.below(3) == 0 {
        at -= at % block;
    }
    let most = pages - at;
    let len = match dice.below(4) {
        0 => 1,
        1 => block.min(most),
        _ => 1 + dice.below(most),
    };
    (lab.addr(at), len * lab.page)
}

fn one_call(dice: &mut Dice, lab: &Lab, pages: u64) -> Call {
    let (addr, len) = range(dice, lab, pages);
    match dice.below(16) {
        0 | 1 => {
            let kind = dice.pick(&[
                MapFlags::PRIVATE | MapFlags::ANONYMOUS,
                MapFlags::PRIVATE | MapFlags::ANONYMOUS,
                MapFlags::SHARED | MapFlags::ANONYMOUS,
                MapFlags::SHARED,
                MapFlags::PRIVATE,
            ]);
            Call::Mmap {
                addr,
                len,
                prot: dice.pick(PROTS).bits(),
                flags: (kind | MapFlags::FIXED).bits(),
                fd: if kind.contains(MapFlags::ANONYMOUS) {
                    -1
                } else {
                    3 + i32::try_from(dice.below(2)).unwrap()
                },
                offset: dice.below(8) * lab.page,
            }
        }
        2 => Call::Munmap { addr, len },
        3 | 4 => Call::Mprotect {
            addr,
            len,
            prot: dice.pick(PROTS).bits(),
        },
        5 | 6 => {
            let (new_addr, _) = range(dice, lab, pages);
            Call::Mremap {
                addr,
                old_len: len,
                new_len: if dice.below(4) == 0 { len / 2 } else { len },
                flags: (MremapFlags::MAYMOVE | MremapFlags::FIXED).bits(),
                new_addr: new_addr + (pages * lab.page) * dice.below(2),
            }
        }
        7 | 8 => Call::Madvise {
            addr,
            len,
            advice: dice.pick(ADVICE),
        },
        9 | 10 => Call::Load { addr, len },
        11..=13 => Call::Store { addr, len },
        14 => match dice.below(5) {
            0 => Call::SetSysfs {
                path: "/proc/self/clear_refs".into(),
                value: "1".into(),
            },
            1 => Call::SetSysfs {
                path: "/sys/kernel/debug/split_huge_pages".into(),
                value: format!("1,{addr:#x},{:#x},{}", addr + len, dice.below(4)).into(),
            },
            2 => Call::Mlock { addr, len },
            3 => Call::Munlock { addr, len },
            _ => Call::Ftruncate {
                fd: 3,
                len: dice.below(pages) * lab.page,
            },
        },
        _ => match dice.below(3) {
            0 => Call::Fork,
            1 => Call::Exit,
            _ => Call::Exec { addr, len },
        },
    }
}

fn play(kernel: KernelId, design: &MemoryDesign, seed: u64, pages: u64, calls: u32) {
    let mut lab = Lab::new(kernel, design.clone());
    lab.machine.memory_mut().log.on = true;
    let mut dice = Dice(seed);
    if dice.below(2) == 0 {
        lab.set("enabled", "always");
        let kib = (lab.page >> 10) << dice.pick(&[2u32, 4, 5]);
        lab.set(&format!("hugepages-{kib}kB/shmem_enabled"), "always");
    }
    let size = pages * lab.page;
    lab.ok(Call::MemfdCreate {
        name: "m".into(),
        flags: 0,
        fd: Some(3),
    });
    lab.ok(Call::Ftruncate { fd: 3, len: size });
    lab.ok(Call::Open {
        path: "/f".into(),
        flags: 2,
        fd: Some(4),
        size: Some(size / 2),
    });
    lab.map(0, pages);
    let mut done = Vec::new();
    for _ in 0..calls {
        let call = one_call(&mut dice, &lab, pages);
        let processes = lab.machine.process_count() as u64;
        let by = u32::try_from(dice.below(processes)).unwrap();
        // The first process stays, so that there is always one to go on.
        if matches!(call, Call::Exit) && by == 0 || matches!(call, Call::Fork) && processes > 6 {
            continue;
        }
        done.push((by, call.clone()));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lab.call_by(by, call);
            check(&lab.machine);
        }));
        if let Err(cause) = result {
            let text = cause
                .downcast_ref::<String>()
                .map_or_else(|| "a panic".to_owned(), Clone::clone);
            panic!(
                "{text}\n{} under {} with seed {seed}, after:\n{done:#?}",
                design.name,
                lab.machine.kernel().name
            );
        }
    }
}

#[test]
fn four_kib_pages() {
    let every_size = MemoryDesign::from_parts("4k all sizes".into(), PageSize::K4)
        .with_anon_folios_up_to(2 << 20)
        .with_contpte(ContPte::Merged);
    let mut software = every_size.clone();
    software.hardware_af_dirty = false;
    for kernel in [KernelId::V6_8, KernelId::V6_12, KernelId::V7] {
        for seed in 0..60 {
            play(kernel, &every_size, seed, 96, 60);
            play(kernel, &software, seed + 100, 96, 60);
            for design in super::super::DESIGNS.iter().take(4) {
                play(kernel, design, seed + 200, 64, 60);
            }
        }
    }
}

#[test]
fn first_posting() {
    let design = MemoryDesign::by_name("contpte-v1").unwrap();
    for seed in 0..120 {
        play(KernelId::V6_12, design, seed, 96, 60);
    }
}

#[test]
fn larger_granules() {
    for name in ["contpte-16k", "contpte-64k", "baseline-16k", "baseline-64k"] {
        let design = MemoryDesign::by_name(name).unwrap();
        for kernel in [KernelId::V6_12, KernelId::V7] {
            for seed in 0..20 {
                play(kernel, design, seed, 300, 40);
            }
        }
    }
}

#[test]
fn pmd_blocks() {
    let design = MemoryDesign::BASELINE_4K.on(Arch::X86_64);
    for kernel in [
        KernelId::V6_8,
        KernelId::V6_12,
        KernelId::V6_18,
        KernelId::V7,
    ] {
        for seed in 0..40 {
            play(kernel, &design, seed, 1300, 50);
        }
    }
}
