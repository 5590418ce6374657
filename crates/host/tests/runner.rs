//! The runner itself, on kernels that have what it needs; elsewhere these tests say so and pass.

#![allow(clippy::unwrap_used)]

use sealab_core::call::{Call, Outcome, ProcessId};
use sealab_core::errno::{Errno, Signal};
use sealab_core::flags::VmFlags;
use sealab_host::{Availability, Host, HostError, RunnerConfig, Step, availability};

const ARENA: u64 = 0x1000_0000_0000;
const PAGE: u64 = 4096;
const RW: u64 = 3;
const PRIVATE_ANON_FIXED: u64 = 0x32;

/// A host, or `None` (said on stderr) where there is none.
fn host() -> Option<Host> {
    match availability() {
        Availability::Ready(_) => Some(Host::open(RunnerConfig::default()).unwrap()),
        Availability::Skipped(reason) => {
            eprintln!("skipped: {reason}");
            None
        }
    }
}

fn map(addr: u64, pages: u64, prot: u64) -> Call {
    Call::Mmap {
        addr,
        len: pages * PAGE,
        prot,
        flags: PRIVATE_ANON_FIXED,
        fd: -1,
        offset: 0,
    }
}

fn first(calls: Vec<Call>) -> Vec<Step> {
    calls.into_iter().map(|call| (ProcessId(0), call)).collect()
}

#[test]
fn every_run_starts_alike() {
    let Some(mut host) = host() else { return };
    let before = host.before().clone();
    for _ in 0..20 {
        let run = host.run_program(&[]).unwrap();
        assert_eq!(run.after[0], before.to_vec());
    }
}

#[test]
fn a_seal_is_refused_and_seen() {
    let Some(mut host) = host() else { return };
    let program = first(vec![
        map(ARENA, 4, RW),
        Call::Store {
            addr: ARENA,
            len: 2 * PAGE,
        },
        Call::Mseal {
            addr: ARENA + PAGE,
            len: PAGE,
            flags: 0,
        },
        Call::Munmap {
            addr: ARENA,
            len: 4 * PAGE,
        },
    ]);
    let run = host.run_program(&program).unwrap();
    assert_eq!(run.outcomes[0], Outcome::Value(ARENA));
    assert_eq!(run.outcomes[3], Outcome::Errno(Errno::EPERM));
    let sealed = run.after[0]
        .iter()
        .find(|m| m.range.start == ARENA + PAGE)
        .unwrap();
    assert!(sealed.flags.contains(VmFlags::SEALED));
    assert_eq!(sealed.rss, PAGE);
}

#[test]
fn accesses_end_with_the_signal_of_the_fault() {
    let Some(mut host) = host() else { return };
    let at = |page: u64| ARENA + page * PAGE;
    let load = |addr, len| Call::Load { addr, len };
    let exec = |addr| Call::Exec { addr, len: 1 };
    let segv = Outcome::Signal(Signal::Segv);
    let ok = Outcome::Value(0);
    let checks = [
        (map(at(0), 1, RW), Outcome::Value(at(0))),
        (load(at(0), PAGE), ok),
        (load(at(0), 2 * PAGE), segv),
        (exec(at(0)), segv),
        (map(at(2), 1, 4), Outcome::Value(at(2))),
        (exec(at(2)), ok),
        (load(at(2), 1), ok),
        (
            Call::Store {
                addr: at(2),
                len: 1,
            },
            segv,
        ),
        (exec(at(3)), segv),
        (load(0x8000_0000_0000, 1), segv),
        (exec(0x8000_0000_0000), segv),
        (load(u64::MAX, 1), ok),
        (load(at(9), 0), ok),
    ];
    let (calls, expected): (Vec<_>, Vec<_>) = checks.into_iter().unzip();
    let run = host.run_program(&first(calls)).unwrap();
    assert_eq!(run.outcomes, expected);
}

#[test]
fn files_have_their_names_and_ends() {
    let Some(mut host) = host() else { return };
    let program = first(vec![
        Call::Open {
            path: "/some/library.so".into(),
            flags: 0,
            fd: Some(7),
            size: Some(PAGE),
        },
        Call::MemfdCreate {
            name: "sealab".into(),
            flags: 0,
            fd: None,
        },
        Call::Ftruncate { fd: 3, len: PAGE },
        Call::Mmap {
            addr: ARENA,
            len: 2 * PAGE,
            prot: 1,
            flags: 0x12,
            fd: 7,
            offset: 0,
        },
        Call::Load {
            addr: ARENA,
            len: 2 * PAGE,
        },
        Call::Mmap {
            addr: ARENA + 8 * PAGE,
            len: PAGE,
            prot: 1,
            flags: 0x11,
            fd: 3,
            offset: 0,
        },
    ]);
    let run = host.run_program(&program).unwrap();
    assert_eq!(run.outcomes[0], Outcome::Value(7));
    assert_eq!(run.outcomes[1], Outcome::Value(3));
    assert_eq!(run.outcomes[4], Outcome::Signal(Signal::Bus));
    let name = |addr| {
        let m = run.after[0].iter().find(|m| m.range.start == addr).unwrap();
        m.name.to_string()
    };
    assert_eq!(name(ARENA), "/some/library.so");
    assert_eq!(name(ARENA + 8 * PAGE), "/memfd:sealab (deleted)");
}

#[test]
fn children_have_their_own_memory() {
    let Some(mut host) = host() else { return };
    let (parent, child) = (ProcessId(0), ProcessId(1));
    let unmap = Call::Munmap {
        addr: ARENA,
        len: PAGE,
    };
    let load = Call::Load {
        addr: ARENA,
        len: PAGE,
    };
    let program = vec![
        (parent, map(ARENA, 1, RW)),
        (parent, Call::Fork),
        (parent, unmap),
        (child, load.clone()),
        (parent, load),
    ];
    let run = host.run_program(&program).unwrap();
    assert_eq!(run.outcomes[1], Outcome::Value(1));
    assert_eq!(run.outcomes[3], Outcome::Value(0));
    assert_eq!(run.outcomes[4], Outcome::Signal(Signal::Segv));
    assert_eq!(run.after.len(), 2);
    assert!(run.after[1].iter().any(|m| m.range.start == ARENA));
}

#[test]
fn long_programs_come_in_pieces() {
    let Some(mut host) = host() else { return };
    let calls = (0..3000)
        .map(|page| map(ARENA + 2 * page * PAGE, 1, RW))
        .collect();
    let run = host.run_program(&first(calls)).unwrap();
    assert_eq!(run.outcomes.len(), 3000);
    assert_eq!(run.after[0].len(), host.before().len() + 3000);
}

#[test]
fn calls_one_by_one_give_the_same() {
    let Some(mut host) = host() else { return };
    let calls = vec![
        map(ARENA, 3, RW),
        Call::Mprotect {
            addr: ARENA + PAGE,
            len: PAGE,
            prot: 1,
        },
    ];
    let whole = host.run_program(&first(calls.clone())).unwrap();
    let mut system = host.system().unwrap();
    for (call, expected) in calls.iter().zip(&whole.outcomes) {
        assert_eq!(system.try_call(ProcessId(0), call).unwrap(), *expected);
    }
    assert_eq!(system.try_mappings(ProcessId(0)).unwrap(), whole.after[0]);
}

#[test]
fn the_runner_is_kept_from_harm() {
    let Some(mut host) = host() else { return };
    let image = host.before()[0].range;
    let refused = host.run_program(&first(vec![Call::Munmap {
        addr: image.start,
        len: PAGE,
    }]));
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("would unmap the runner"), "{message}");
    // Sealed, it defends itself.
    let run = host
        .run_program(&first(vec![
            Call::Mseal {
                addr: image.start,
                len: PAGE,
                flags: 0,
            },
            Call::Munmap {
                addr: image.start,
                len: PAGE,
            },
        ]))
        .unwrap();
    assert_eq!(run.outcomes[1], Outcome::Errno(Errno::EPERM));
}

#[test]
fn no_process_of_that_number() {
    let Some(mut host) = host() else { return };
    let refused = host.run_program(&[(ProcessId(3), Call::Munlockall)]);
    assert!(matches!(refused, Err(HostError::NoSuchProcess(3))));
}
