//! Page cache, fault-around, tmpfs.

use super::*;
use crate::paging::{Arch, FileSystem, ShmemHuge};

fn open(lab: &mut Lab, path: &str, fs: FileSystem, pages: u64) -> i32 {
    let size = pages * lab.page;
    let fd = lab.ok(Call::Open {
        path: path.into(),
        flags: 2,
        fd: None,
        size: Some(size),
    });
    let inode = lab.machine.files().inode_by_path(path).unwrap();
    lab.machine.memory_mut().set_file_system(inode, fs);
    i32::try_from(fd).unwrap()
}

fn x86(kernel: KernelId) -> Lab {
    let mut lab = Lab::new(kernel, MemoryDesign::BASELINE_4K.on(Arch::X86_64));
    lab.machine.memory_mut().assume_files_cached(true);
    lab
}

#[test]
fn a_read_maps_the_64_kib_around_it_a_write_one_page() {
    let mut lab = x86(KernelId::V6_12);
    let fd = open(&mut lab, "/f", FileSystem::Ext4, 40);
    lab.map_with(3, 37, MapFlags::PRIVATE, fd);
    lab.load(20, 1);
    assert_eq!(
        lab.map_of(0, 0, 40),
        format!("{}{}{}", ".".repeat(16), "p".repeat(16), ".".repeat(8))
    );
    lab.store(5, 1);
    assert_eq!(lab.map_of(0, 3, 5), "..p..");
    // The window starts at the mapping's start and ends with it.
    lab.load(3, 1);
    assert_eq!(lab.map_of(0, 3, 16), "p".repeat(16));
}

#[test]
fn what_lies_beyond_the_file_faults() {
    let mut lab = x86(KernelId::V6_12);
    let fd = open(&mut lab, "/f", FileSystem::Ext4, 5);
    lab.map_with(0, 16, MapFlags::SHARED, fd);
    lab.load(1, 1);
    assert_eq!(lab.map_of(0, 0, 16), "ppppp...........");
    let beyond = lab.call_by(
        0,
        Call::Load {
            addr: BASE + 5 * 4096,
            len: 1,
        },
    );
    assert_eq!(beyond, Outcome::Signal(crate::errno::Signal::Bus));
}

#[test]
fn shared_memory_is_present_for_all_and_mapped_by_each() {
    let mut lab = x86(KernelId::V6_12);
    lab.map_with(0, 16, MapFlags::SHARED | MapFlags::ANONYMOUS, -1);
    lab.store(3, 2);
    let child = lab.fork();
    // Pages of shared memory are not copied by fork; a read around finds the two that exist.
    assert_eq!(lab.map_of(child, 0, 16), "................");
    lab.call_by(
        child,
        Call::Load {
            addr: BASE + 3 * 4096,
            len: 1,
        },
    );
    assert_eq!(lab.map_of(child, 0, 16), "...pp...........");
    let (ours, theirs) = (lab.page_at(0, 3).unwrap(), lab.page_at(child, 3).unwrap());
    assert_eq!(ours.folio, theirs.folio);
    assert_eq!(ours.mapcount, 2);
}

#[test]
fn a_hole_leaves_private_copies_a_cut_does_not() {
    let mut lab = x86(KernelId::V6_12);
    let fd = i32::try_from(lab.ok(Call::MemfdCreate {
        name: "m".into(),
        flags: 0,
        fd: None,
    }))
    .unwrap();
    lab.ok(Call::Ftruncate { fd, len: 16 * 4096 });
    lab.map_with(0, 16, MapFlags::SHARED, fd);
    lab.map_with(32, 16, MapFlags::PRIVATE, fd);
    lab.store(0, 16);
    lab.load(32, 16);
    lab.store(33, 1);
    lab.advise(0, 4, madv::REMOVE);
    assert_eq!(lab.map_of(0, 0, 6), "....pp");
    assert_eq!(lab.map_of(0, 32, 6), ".p..pp");
    lab.ok(Call::Ftruncate { fd, len: 0 });
    assert_eq!(lab.map_of(0, 0, 16), ".".repeat(16));
    assert_eq!(lab.map_of(0, 32, 16), ".".repeat(16));
}

#[test]
fn large_shared_folios_are_mapped_whole_by_the_first_touch() {
    // `hugepages-64kB/shmem_enabled` = always (a8 of the recordings).
    for kernel in [KernelId::V6_12, KernelId::V7] {
        let mut lab = Lab::contpte(kernel);
        lab.set("hugepages-64kB/shmem_enabled", "always");
        lab.map_with(0, 32, MapFlags::SHARED | MapFlags::ANONYMOUS, -1);
        lab.store(21, 1);
        assert_eq!(
            lab.map_of(0, 0, 32),
            format!("{}{}", ".".repeat(16), "C".repeat(16))
        );
    }
}

#[test]
fn exec_folios_only_where_the_design_reads_them() {
    let (around, folio) = ("p".repeat(16), "C".repeat(16));
    // From 6.17 on, executable mappings are read from the fault on, not around it.
    let from_here = format!(".....{}", "p".repeat(11));
    for (kernel, name, expected) in [
        (KernelId::V6_12, "contpte", &around),
        (KernelId::V6_12, "exefolio", &folio),
        (KernelId::V7, "contpte", &from_here),
        (KernelId::V7, "exefolio", &folio),
    ] {
        let mut lab = Lab::new(kernel, MemoryDesign::by_name(name).unwrap().clone());
        let fd = open(&mut lab, "/bin/x", FileSystem::Ext4, 64);
        let addr = BASE;
        lab.ok(Call::Mmap {
            addr,
            len: 64 * 4096,
            prot: (Prot::READ | Prot::EXEC).bits(),
            flags: (MapFlags::PRIVATE | MapFlags::FIXED).bits(),
            fd,
            offset: 0,
        });
        lab.ok(Call::Exec {
            addr: addr + 5 * 4096,
            len: 1,
        });
        assert_eq!(&lab.map_of(0, 0, 16), expected, "{name} {kernel:?}");
    }
}

#[test]
fn tmpfs_without_huge_has_single_pages() {
    let mut lab = Lab::contpte(KernelId::V7);
    let fd = open(
        &mut lab,
        "/mnt/t/f",
        FileSystem::Tmpfs(ShmemHuge::Never),
        32,
    );
    let inode = lab.machine.files().inode_by_path("/mnt/t/f").unwrap();
    let mut uncounted = Counts::default();
    lab.machine
        .memory_mut()
        .write_file(&mut uncounted, inode, 0, 32 * 4096);
    lab.map_with(0, 32, MapFlags::SHARED, fd);
    lab.load(0, 32);
    assert_eq!(lab.map_of(0, 0, 32), "p".repeat(32));
}

#[test]
fn memory_that_runs_out_ends_the_access_not_the_program() {
    let mut design = MemoryDesign::BASELINE_4K;
    design.memory_pages = 100;
    let mut lab = Lab::new(KernelId::V6_12, design);
    lab.map(0, 500);
    let outcome = lab.call_by(
        0,
        Call::Store {
            addr: BASE,
            len: 500 * 4096,
        },
    );
    assert!(!outcome.is_ok());
    assert_eq!(lab.machine.memory().used_pages(), 100);
    super::invariants::check(&lab.machine);
}
