//! The measured operations: what each one's process has mapped, and the one call of it that is
//! counted. Names and address spaces are those of the recording's own program.

use sealab_core::call::Call;
use sealab_core::flags::{MS_ASYNC, MapFlags, MremapFlags, Prot, madv};
use sealab_core::kernel::Kernel;

use crate::world::{BASE, Measured, NONE, PAGE, READ, READ_WRITE, Setting, VMA, World, mmap_call};

/// Where mremap moves to.
const TARGET: u64 = 0x100_1000_0000;
const READ_EXEC: Prot = Prot::READ.union(Prot::EXEC);
const MAYMOVE: MremapFlags = MremapFlags::MAYMOVE;
const FIXED: MremapFlags = MremapFlags::MAYMOVE.union(MremapFlags::FIXED);
const DONTUNMAP: MremapFlags = MremapFlags::MAYMOVE.union(MremapFlags::DONTUNMAP);

/// Runs `operation` in `setting` under `kernel`.
pub fn run(kernel: &'static Kernel, operation: &str, setting: Setting) -> Measured {
    let mut world = World::new(kernel, setting);
    if operation == "height" {
        return world.height();
    }
    world.others();
    let family = operation.split('-').next().unwrap_or_default();
    match family {
        "mmap" => world.mmap(operation),
        "munmap" => world.munmap(operation),
        "mprotect" => world.mprotect(operation),
        "mseal" => world.mseal(operation),
        "madv" => world.madvise(operation),
        "brk" => world.brk(operation),
        "mremap" => world.mremap(operation),
        "fault" => world.fault(operation),
        "mlock" | "munlock" | "msync" => world.lock_or_sync(operation),
        _ => panic!("no operation is called {operation}"),
    }
}

/// The part of the operated-on range that a name's ending says, as offset and length.
fn part(operation: &str, len: u64) -> (u64, u64) {
    let has = |what| operation.contains(what);
    if has("-mid") {
        (PAGE, PAGE)
    } else if has("-head") {
        (0, PAGE)
    } else if has("-tail") {
        (len - PAGE, PAGE)
    } else if has("-cut") {
        (PAGE, len - 2 * PAGE)
    } else if has("-hole") {
        (len + 2 * PAGE, PAGE)
    } else {
        (0, len)
    }
}

impl World {
    fn mmap(&mut self, operation: &str) -> Measured {
        let private =
            |addr, len, prot, flags| mmap_call(addr, len, prot, flags | MapFlags::PRIVATE);
        let anywhere = |prot| private(0, VMA, prot, NONE);
        let len = self.len();
        match operation {
            "mmap-nohint" => return self.measure(&anywhere(READ_WRITE)),
            "mmap-nohint-2nd" => {
                self.make(&anywhere(READ));
                return self.measure(&anywhere(READ_WRITE));
            }
            "mmap-nohint-merge" => {
                self.make(&anywhere(READ_WRITE));
                return self.measure(&anywhere(READ_WRITE));
            }
            "mmap-nohint-4M" => return self.measure(&private(0, 4 << 20, READ_WRITE, NONE)),
            "mmap-shared-nohint" => {
                return self.measure(&mmap_call(0, VMA, READ_WRITE, MapFlags::SHARED));
            }
            _ => {}
        }
        if operation.starts_with("mmap-fixed-over") {
            self.build_sealed(operation, READ_WRITE);
            return self.measure(&private(BASE, len, READ_EXEC, MapFlags::FIXED));
        }
        self.build(self.setting.k, READ_WRITE);
        // Beside what is there, or, where that is asked for, touching on both sides.
        let mut beside = BASE + VMA + PAGE;
        let mut prot = READ_WRITE;
        let both_sides = matches!(
            operation,
            "mmap-hint" | "mmap-hint-busy" | "mmap-fixed-empty" | "mmap-noreplace"
        );
        if both_sides && self.setting.touching {
            beside = BASE + VMA;
            prot = READ_EXEC;
            self.unmap(beside, PAGE);
            self.map(beside + VMA, PAGE, READ, MapFlags::NORESERVE);
        }
        self.measure(&match operation {
            "mmap-hint" => private(beside, VMA, prot, NONE),
            "mmap-hint-busy" => private(BASE, VMA, prot, NONE),
            "mmap-fixed-empty" => private(beside, VMA, prot, MapFlags::FIXED),
            "mmap-fixed-merge-left" => private(BASE + VMA, VMA, READ_WRITE, MapFlags::FIXED),
            "mmap-fixed-mid" => private(BASE + PAGE, PAGE, READ_EXEC, MapFlags::FIXED),
            "mmap-noreplace" => private(beside, VMA, prot, MapFlags::FIXED_NOREPLACE),
            "mmap-noreplace-busy" => private(BASE, len, READ_WRITE, MapFlags::FIXED_NOREPLACE),
            _ => panic!("no operation is called {operation}"),
        })
    }

    fn munmap(&mut self, operation: &str) -> Measured {
        self.build_sealed(operation, READ_WRITE);
        let (offset, len) = part(operation, self.len());
        self.measure(&Call::Munmap {
            addr: BASE + offset,
            len,
        })
    }

    fn mprotect(&mut self, operation: &str) -> Measured {
        self.build_sealed(operation, READ_WRITE);
        let (offset, len) = part(operation, self.len());
        let mut prot = READ;
        if operation.contains("-same") {
            prot = READ_WRITE;
        } else if operation == "mprotect-merge" {
            self.map(BASE - PAGE, PAGE, READ, NONE);
        }
        self.measure(&Call::Mprotect {
            addr: BASE + offset,
            len,
            prot: prot.bits(),
        })
    }

    fn mseal(&mut self, operation: &str) -> Measured {
        self.build(self.setting.k, READ_WRITE);
        let (offset, len) = part(operation, self.len());
        if operation == "mseal-sealed" {
            self.seal(BASE, len);
        }
        self.measure(&Call::Mseal {
            addr: BASE + offset,
            len,
            flags: 0,
        })
    }

    fn madvise(&mut self, operation: &str) -> Measured {
        let prot = if operation.contains("-ro") {
            READ
        } else {
            READ_WRITE
        };
        self.build_sealed(operation, prot);
        let (offset, len) = part(operation, self.len());
        let advice = match operation.split('-').nth(1) {
            Some("dontneed") => madv::DONTNEED,
            Some("free") => madv::FREE,
            Some("random") => madv::RANDOM,
            Some("normal") => madv::NORMAL,
            Some("willneed") => madv::WILLNEED,
            Some("dontfork") => madv::DONTFORK,
            _ => panic!("no operation is called {operation}"),
        };
        self.measure(&Call::Madvise {
            addr: BASE + offset,
            len,
            advice,
        })
    }

    fn brk(&mut self, operation: &str) -> Measured {
        let start = self.make(&Call::Brk { addr: 0 }).next_multiple_of(PAGE);
        let mut set = |pages: u64| {
            let addr = start + pages * PAGE;
            assert_eq!(self.make(&Call::Brk { addr }), addr);
            addr
        };
        match operation {
            "brk-query" => return self.measure(&Call::Brk { addr: 0 }),
            "brk-grow-new" => {
                // No heap just below the break.
                let end = set(16);
                self.unmap(start, 16 * PAGE);
                return self.measure(&Call::Brk {
                    addr: end + 4 * PAGE,
                });
            }
            _ => {}
        }
        set(8);
        if self.setting.written {
            self.write(start, 8 * PAGE);
        }
        if operation.ends_with("-sealed") {
            self.seal(start, 8 * PAGE);
        }
        let pages = match operation {
            "brk-grow" | "brk-grow-sealed" => 12,
            "brk-same" => 8,
            "brk-shrink" | "brk-shrink-sealed" => 4,
            _ => panic!("no operation is called {operation}"),
        };
        self.measure(&Call::Brk {
            addr: start + pages * PAGE,
        })
    }

    fn mremap(&mut self, operation: &str) -> Measured {
        let is = |form| operation.starts_with(form);
        let has = |what| operation.contains(what);
        self.build(self.setting.k, READ_WRITE);
        if has("-dstbusy") {
            self.map(TARGET, VMA, READ_WRITE, NONE);
            if has("-dstbusy2") {
                self.map(TARGET + VMA, VMA, READ, NONE);
            }
        }
        if has("-dstsealed") {
            self.map(TARGET, VMA, READ_WRITE, NONE);
            self.seal(TARGET, VMA);
        }
        if has("-near") {
            self.map(TARGET - PAGE, PAGE, READ, NONE);
            self.map(TARGET + VMA + 2 * PAGE, PAGE, READ, NONE);
        }
        let is_blocked = is("mremap-maymove-move") || is("mremap-expand-blocked");
        // The recording's program tests the shorter name first: its expand-blocked is not blocked.
        let is_blocked = is_blocked && !is("mremap-expand");
        if is_blocked && !self.setting.touching {
            self.map(BASE + VMA, PAGE, READ_EXEC, NONE);
        }
        if has("-sealed") {
            self.seal(BASE, VMA);
        }
        let whole = self.len();
        let more = VMA + 2 * PAGE;
        let less = VMA - 2 * PAGE;
        let none = MremapFlags::empty();
        let fixed = FIXED | MremapFlags::DONTUNMAP;
        let (addr, old_len, new_len, flags, new_addr) = if is("mremap-same") {
            (BASE, whole, whole, none, 0)
        } else if is("mremap-shrink") {
            (BASE, VMA, less, none, 0)
        } else if is("mremap-expand") {
            (BASE, VMA, more, none, 0)
        } else if is("mremap-maymove") {
            (BASE, VMA, more, MAYMOVE, 0)
        } else if is("mremap-fixed-shrink") {
            (BASE, VMA, less, FIXED, TARGET)
        } else if is("mremap-fixed-grow") {
            (BASE, VMA, more, FIXED, TARGET)
        } else if is("mremap-fixed-part") {
            (BASE + PAGE, PAGE, PAGE, FIXED, TARGET)
        } else if is("mremap-fixed") {
            (BASE, whole, whole, FIXED, TARGET)
        } else if is("mremap-dontunmap-hint") {
            (BASE, VMA, VMA, DONTUNMAP, TARGET)
        } else if is("mremap-dontunmap-fixed") {
            (BASE, VMA, VMA, fixed, TARGET)
        } else if is("mremap-dontunmap") {
            (BASE, VMA, VMA, DONTUNMAP, 0)
        } else {
            panic!("no operation is called {operation}");
        };
        self.measure(&Call::Mremap {
            addr,
            old_len,
            new_len,
            flags: flags.bits(),
            new_addr,
        })
    }

    /// One access to the second page of a VMA of untouched pages.
    fn fault(&mut self, operation: &str) -> Measured {
        self.setting.written = false;
        self.build(1, READ_WRITE);
        if operation == "fault-write-merge-avma" {
            self.map(BASE + VMA, PAGE, READ_WRITE | Prot::EXEC, NONE);
            self.write(BASE + VMA, 1);
        }
        let load = |addr| Call::Load { addr, len: 1 };
        let store = Call::Store {
            addr: BASE + PAGE,
            len: 1,
        };
        match operation {
            "fault-write-second" => self.write(BASE, 1),
            "fault-read-second" => _ = self.make(&load(BASE)),
            "fault-write-after-read" => _ = self.make(&load(BASE + PAGE)),
            _ => {}
        }
        if operation.starts_with("fault-read") {
            self.measure(&load(BASE + PAGE))
        } else {
            self.measure(&store)
        }
    }

    fn lock_or_sync(&mut self, operation: &str) -> Measured {
        self.build(self.setting.k, READ_WRITE);
        let (addr, len) = (BASE, self.len());
        let lock = Call::Mlock { addr, len };
        match operation {
            "mlock" => self.measure(&lock),
            "munlock" => {
                self.make(&lock);
                self.measure(&Call::Munlock { addr, len })
            }
            _ => self.measure(&Call::Msync {
                addr,
                len,
                flags: MS_ASYNC,
            }),
        }
    }

    /// Many VMAs in one of the patterns of the heights' table, and one lookup.
    fn height(&mut self) -> Measured {
        let n = self.setting.others;
        for place in order(self.setting.k, n) {
            let prot = |i: u64| if i % 2 == 1 { READ } else { Prot::empty() };
            if self.setting.k == 6 {
                self.make(&mmap_call(0, PAGE, prot(place), MapFlags::PRIVATE));
            } else {
                let stride = if matches!(self.setting.k, 2 | 3 | 5) {
                    1
                } else {
                    2
                };
                self.map(BASE + place * stride * PAGE, PAGE, prot(place), NONE);
            }
        }
        self.measure(&Call::Mremap {
            addr: BASE,
            old_len: PAGE,
            new_len: PAGE,
            flags: 0,
            new_addr: 0,
        })
    }
}

/// The order in which a heights pattern maps its places: ascending (0, 2), descending (1, 3),
/// shuffled (4, 5), or wherever the kernel likes (6).
fn order(pattern: u64, n: u64) -> Vec<u64> {
    let mut places: Vec<u64> = (0..n).collect();
    match pattern {
        1 | 3 => places.reverse(),
        4 | 5 => {
            let mut x: u64 = 88_172_645_463_325_252;
            for i in (1..n).rev() {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                places.swap(i as usize, (x % (i + 1)) as usize);
            }
        }
        _ => {}
    }
    places
}
