//! The address space that the recorded program starts in: a static executable without address
//! randomisation, with the recorder's buffer as the first thing it has mapped.

use std::sync::Arc;

use sealab_core::addr::{AddrRange, PageSize};
use sealab_core::flags::Prot;
use sealab_core::start::{MMAP_BASE, StartMapping, StartState};

const START_BRK: u64 = 0x4c_4000;
const HEAP_END: u64 = 0x4c_9000;
/// As set, not rounded.
const BREAK: u64 = 0x4c_81c0;
const VVAR: u64 = MMAP_BASE - 0x6000;
const VDSO: u64 = MMAP_BASE - 0x2000;

/// The state before an operation is made ready.
pub fn start() -> StartState {
    let read = Prot::READ;
    let write = Prot::READ | Prot::WRITE;
    let exec = Prot::READ | Prot::EXEC;
    let mappings = vec![
        program(0x40_0000, 0x40_1000, read, 0),
        program(0x40_1000, 0x49_5000, exec, 0x1000),
        program(0x49_5000, 0x4b_d000, read, 0x9_5000),
        program(0x4b_d000, 0x4c_1000, read, 0xb_c000),
        program(0x4c_1000, 0x4c_4000, write, 0xc_0000),
        anonymous(START_BRK, HEAP_END, write, "[heap]"),
        StartMapping {
            shared: true,
            inode: 1,
            dev: (0, 1),
            ..anonymous(VVAR - (6 << 20), VVAR, write, "/dev/zero (deleted)")
        },
        anonymous(VVAR, VDSO, read, "[vvar]"),
        anonymous(VDSO, MMAP_BASE, exec, "[vdso]"),
        anonymous(0x7fff_fffd_e000, 0x7fff_ffff_f000, write, "[stack]"),
    ];
    StartState {
        start_brk: Some(START_BRK),
        brk: Some(BREAK),
        mmap_base: MMAP_BASE,
        ..StartState::from_mappings(mappings, PageSize::K4)
    }
}

fn anonymous(start: u64, end: u64, prot: Prot, name: &str) -> StartMapping {
    StartMapping {
        range: AddrRange::new(start, end),
        prot,
        shared: false,
        offset: 0,
        dev: (0, 0),
        inode: 0,
        name: Arc::from(name),
        flags: None,
        rss: None,
    }
}

fn program(start: u64, end: u64, prot: Prot, offset: u64) -> StartMapping {
    StartMapping {
        offset,
        dev: (0, 2),
        inode: 12,
        ..anonymous(start, end, prot, "/init")
    }
}
