//! What must hold after any sequence of calls under every kernel: the VMAs are in order, the
//! accounts equal a recount, what may merge with a new mapping has merged, and a naive model that
//! knows only pages sees the same results and the same pages.

use proptest::prelude::*;
use sealab_core::addr::{AddrRange, Pages};
use sealab_core::call::{Call, MemorySystem, Outcome, ProcessId};
use sealab_core::errno::Errno;
use sealab_core::flags::{VmFlags, madv};
use sealab_core::kernel::{KERNELS, Kernel};
use sealab_core::machine::{Config, Machine};
use sealab_core::paging::MemoryDesign;

const P0: ProcessId = ProcessId(0);
const PAGE: u64 = 4096;
const BASE: u64 = 0x1000_0000_0000;
const ARENA: u64 = 48;

fn machine(kernel: &'static Kernel) -> Machine {
    Machine::new(Config::new(kernel, MemoryDesign::BASELINE_4K))
}

fn range() -> impl Strategy<Value = (u64, u64)> {
    (0..ARENA, 1..=12_u64).prop_map(|(at, len)| (at, len.min(ARENA - at)))
}

fn prot() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(3), Just(5), Just(7)]
}

/// Calls at page granularity inside a small arena.
fn arena_call() -> impl Strategy<Value = Call> {
    let addr = |page: u64| BASE + page * PAGE;
    prop_oneof![
        4 => (range(), prot(), any::<bool>()).prop_map(move |((at, len), prot, reserve)| Call::Mmap {
            addr: addr(at), len: len * PAGE, prot,
            flags: if reserve { 0x32 } else { 0x4032 }, fd: -1, offset: 0,
        }),
        3 => range().prop_map(move |(at, len)| Call::Munmap { addr: addr(at), len: len * PAGE }),
        4 => (range(), prot()).prop_map(move |((at, len), prot)| Call::Mprotect {
            addr: addr(at), len: len * PAGE, prot,
        }),
        2 => range().prop_map(move |(at, len)| Call::Mseal { addr: addr(at), len: len * PAGE, flags: 0 }),
        3 => range().prop_map(move |(at, len)| Call::Store { addr: addr(at), len: len * PAGE }),
        2 => (range(), prop_oneof![Just(madv::DONTNEED), Just(madv::RANDOM), Just(madv::DONTFORK)])
            .prop_map(move |((at, len), advice)| Call::Madvise { addr: addr(at), len: len * PAGE, advice }),
    ]
}

/// Calls with anything in them.
fn wild_call() -> impl Strategy<Value = Call> {
    let addr = || {
        prop_oneof![
            4 => (0..ARENA).prop_map(|p| BASE + p * PAGE),
            1 => any::<u64>(),
            1 => (0..32_u64).prop_map(|n| u64::MAX - n * 1024),
            1 => (0..64_u64).prop_map(|n| 0x7fff_ffff_f000 - n * PAGE),
        ]
    };
    let len = || {
        prop_oneof![
            4 => (0..14_u64).prop_map(|p| p * PAGE),
            1 => any::<u64>(),
            1 => 0..9000_u64,
            1 => (0..32_u64).prop_map(|n| u64::MAX - n * 1024),
        ]
    };
    prop_oneof![
        arena_call(),
        (addr(), len(), any::<u8>(), any::<u32>()).prop_map(|(addr, len, prot, flags)| {
            Call::Mmap {
                addr,
                len,
                prot: u64::from(prot),
                flags: u64::from(flags),
                fd: -1,
                offset: 0,
            }
        }),
        (addr(), len()).prop_map(|(addr, len)| Call::Mmap {
            addr,
            len,
            prot: 3,
            flags: 0x22,
            fd: -1,
            offset: 0,
        }),
        (addr(), len()).prop_map(|(addr, len)| Call::Munmap { addr, len }),
        (addr(), len(), any::<u32>()).prop_map(|(addr, len, prot)| Call::Mprotect {
            addr,
            len,
            prot: u64::from(prot),
        }),
        (addr(), len(), len(), 0..8_u64, addr()).prop_map(
            |(addr, old_len, new_len, flags, new_addr)| {
                Call::Mremap {
                    addr,
                    old_len,
                    new_len,
                    flags,
                    new_addr,
                }
            }
        ),
        (addr(), len(), -2..110_i32).prop_map(|(addr, len, advice)| Call::Madvise {
            addr,
            len,
            advice
        }),
        (addr(), len(), 0..2_u64).prop_map(|(addr, len, flags)| Call::Mseal { addr, len, flags }),
        (addr(), len()).prop_map(|(addr, len)| Call::Mlock {
            addr,
            len: len.min(1 << 20)
        }),
        (addr(), len()).prop_map(|(addr, len)| Call::Munlock { addr, len }),
        (addr(), len(), 0..8_u64).prop_map(|(addr, len, flags)| Call::Msync { addr, len, flags }),
        (addr(), 0..20_000_u64).prop_map(|(addr, len)| Call::Load { addr, len }),
        prop_oneof![
            Just(0),
            (0..40_u64).prop_map(|p| 0x5555_5556_0000 + p * 1000),
            any::<u64>(),
        ]
        .prop_map(|addr| Call::Brk { addr }),
        Just(Call::Munlockall),
        (0..8_u64).prop_map(|flags| Call::Mlockall { flags }),
        Just(Call::Fork),
    ]
}

/// In order, apart, whole pages, and every account equal to what the VMAs add up to.
fn check(machine: &Machine, of: ProcessId) -> Result<(), TestCaseError> {
    let mut end = 0;
    let mut total = 0;
    let mut data = 0;
    let mut locked = 0;
    for vma in machine.vmas(of) {
        prop_assert!(vma.start >= end, "VMAs out of order at {:x}", vma.start);
        prop_assert!(vma.start < vma.end, "an empty VMA at {:x}", vma.start);
        prop_assert!(vma.start % PAGE == 0 && vma.end % PAGE == 0);
        end = vma.end;
        let pages = (vma.end - vma.start) / PAGE;
        total += pages;
        let kind = vma.flags & (VmFlags::WRITE | VmFlags::SHARED | VmFlags::GROWSDOWN);
        if kind == VmFlags::WRITE {
            data += pages;
        }
        if vma.flags.contains(VmFlags::LOCKED) {
            locked += pages;
        }
    }
    let accounts = machine.accounts(of);
    prop_assert_eq!(accounts.total, Pages(total));
    prop_assert_eq!(accounts.data, Pages(data));
    prop_assert_eq!(accounts.locked, Pages(locked));
    Ok(())
}

/// One page as the naive model sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Page {
    prot: u64,
    sealed: bool,
}

/// Pages and nothing else: no VMA, no merge, no split.
struct Naive {
    kernel: &'static Kernel,
    pages: Vec<Option<Page>>,
}

impl Naive {
    fn new(kernel: &'static Kernel) -> Self {
        Self {
            kernel,
            pages: vec![None; ARENA as usize],
        }
    }

    fn part(&mut self, addr: u64, len: u64) -> &mut [Option<Page>] {
        let first = ((addr - BASE) / PAGE) as usize;
        &mut self.pages[first..first + (len / PAGE) as usize]
    }

    fn has_seal(&mut self, addr: u64, len: u64) -> bool {
        self.part(addr, len).iter().flatten().any(|p| p.sealed)
    }

    fn call(&mut self, call: &Call) -> Option<Result<(), Errno>> {
        Some(match *call {
            Call::Mmap {
                addr, len, prot, ..
            } => {
                if self.has_seal(addr, len) {
                    Err(Errno::EPERM)
                } else {
                    self.part(addr, len).fill(Some(Page {
                        prot,
                        sealed: false,
                    }));
                    Ok(())
                }
            }
            Call::Munmap { addr, len } => {
                if self.has_seal(addr, len) {
                    Err(Errno::EPERM)
                } else {
                    self.part(addr, len).fill(None);
                    Ok(())
                }
            }
            Call::Mprotect { addr, len, prot } => self.mprotect(addr, len, prot),
            Call::Mseal { addr, len, .. } => {
                if !self.kernel.has_mseal() {
                    Err(Errno::ENOSYS)
                } else if self.part(addr, len).contains(&None) {
                    Err(Errno::ENOMEM)
                } else {
                    self.part(addr, len)
                        .iter_mut()
                        .flatten()
                        .for_each(|p| p.sealed = true);
                    Ok(())
                }
            }
            _ => return None,
        })
    }

    fn mprotect(&mut self, addr: u64, len: u64, prot: u64) -> Result<(), Errno> {
        if self.part(addr, len)[0].is_none() {
            return Err(Errno::ENOMEM);
        }
        if self.kernel.checks_out_of_loop() && self.has_seal(addr, len) {
            return Err(Errno::EPERM);
        }
        for page in self.part(addr, len) {
            match page {
                None => return Err(Errno::ENOMEM),
                Some(p) if p.sealed => return Err(Errno::EPERM),
                Some(p) => p.prot = prot,
            }
        }
        Ok(())
    }
}

/// The machine's arena, page by page.
fn pages_of(machine: &Machine) -> Vec<Option<Page>> {
    let mut pages = vec![None; ARENA as usize];
    for vma in machine.vmas(P0) {
        let part = vma
            .range()
            .intersect(AddrRange::new(BASE, BASE + ARENA * PAGE));
        let mut at = part.start;
        while at < part.end {
            pages[((at - BASE) / PAGE) as usize] = Some(Page {
                prot: vma.flags.prot().bits(),
                sealed: vma.is_sealed(),
            });
            at += PAGE;
        }
    }
    pages
}

/// Whether two touching VMAs could be one, as far as attributes outside the anon_vma tell.
fn look_alike(machine: &Machine, at: u64) -> bool {
    let below = machine.vmas(P0).find(|v| v.end == at);
    let above = machine.vmas(P0).find(|v| v.start == at);
    match (below, above) {
        (Some(a), Some(b)) => {
            a.flags == b.flags
                && a.file == b.file
                && a.anon_vma.is_none()
                && b.anon_vma.is_none()
                && a.pgoff + (a.end - a.start) / PAGE == b.pgoff
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// The naive model agrees on every result and every page, under every kernel.
    #[test]
    fn a_model_of_pages_agrees(calls in prop::collection::vec(arena_call(), 1..60)) {
        for kernel in KERNELS {
            let mut machine = machine(kernel);
            let mut naive = Naive::new(kernel);
            for call in &calls {
                let outcome = machine.call(P0, call);
                if let Some(expected) = naive.call(call) {
                    let seen = match outcome {
                        Outcome::Value(_) => Ok(()),
                        Outcome::Errno(errno) => Err(errno),
                        Outcome::Signal(_) => unreachable!("no access is compared"),
                    };
                    prop_assert_eq!(seen, expected, "{} {:?}", kernel.name, call);
                }
                prop_assert_eq!(pages_of(&machine), naive.pages.clone(), "{} {:?}", kernel.name, call);
            }
            check(&machine, P0)?;
        }
    }

    /// No call, whatever its arguments, panics or leaves the books wrong.
    #[test]
    fn the_books_balance(calls in prop::collection::vec(wild_call(), 1..50)) {
        for kernel in KERNELS {
            let mut machine = machine(kernel);
            for call in &calls {
                machine.call(P0, call);
                check(&machine, P0)?;
            }
            for child in 1..machine.process_count() {
                check(&machine, ProcessId(u32::try_from(child).unwrap()))?;
            }
        }
    }

    /// A new mapping never stands apart from an untouched neighbour that is like it.
    #[test]
    fn a_new_mapping_merges(calls in prop::collection::vec(arena_call(), 1..40), (at, len) in range()) {
        for kernel in KERNELS {
            let mut machine = machine(kernel);
            for call in &calls {
                machine.call(P0, call);
            }
            let addr = BASE + at * PAGE;
            let mapped = machine.call(P0, &Call::Mmap {
                addr, len: len * PAGE, prot: 3, flags: 0x32, fd: -1, offset: 0,
            });
            if mapped.is_ok() {
                prop_assert!(!look_alike(&machine, addr), "{}", kernel.name);
                prop_assert!(!look_alike(&machine, addr + len * PAGE), "{}", kernel.name);
            }
        }
    }

    /// The same calls give the same counts.
    #[test]
    fn runs_are_deterministic(calls in prop::collection::vec(wild_call(), 1..30)) {
        for kernel in KERNELS {
            let mut first = machine(kernel);
            let mut second = machine(kernel);
            second.set_tracing(true);
            for call in &calls {
                prop_assert_eq!(first.call(P0, call), second.call(P0, call));
            }
            prop_assert_eq!(first.counts(), second.counts());
        }
    }
}

/// A mapping of terabytes costs nothing to make; whatever is then done to all of it must end, and
/// the page tables must stay bounded.
#[test]
fn calls_over_terabytes_end() {
    const LEN: u64 = 16 << 40;
    let kernel = KERNELS.last().expect("there are kernels");
    let whole = |call: fn(u64, u64) -> Call| call(BASE, LEN);
    let mut calls: Vec<Call> = vec![
        whole(|addr, len| Call::Load { addr, len }),
        whole(|addr, len| Call::Mlock { addr, len }),
        whole(|addr, len| Call::Mprotect { addr, len, prot: 1 }),
        whole(|addr, len| Call::Munmap { addr, len }),
    ];
    let advices = (0..=26).chain(100..=103);
    calls.extend(advices.map(|advice| Call::Madvise {
        addr: BASE,
        len: LEN,
        advice,
    }));
    for call in calls {
        for flags in [0x4022_u64 | 0x10, 0x4021 | 0x10] {
            let mut machine = machine(kernel);
            let mapped = machine.call(
                P0,
                &Call::Mmap {
                    addr: BASE,
                    len: LEN,
                    prot: 3,
                    flags,
                    fd: -1,
                    offset: 0,
                },
            );
            assert_eq!(mapped, Outcome::Value(BASE));
            machine.call(P0, &call);
        }
    }
}
