//! Many accesses in a row: what traces and patterns are made of. The same as one call each, but
//! what is known of a page is asked once.

use super::Machine;
use crate::addr::Bytes;
use crate::call::ProcessId;
use crate::errno::Signal;
use crate::hardware::{Hardware, LINE_SHIFT};
use crate::paging::Access;
use crate::tlb::{Profile, Tlb, Translation};

/// One access to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// Where.
    pub addr: u64,
    /// What it does.
    pub access: Access,
}

/// What memory is used for, over all processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUse {
    /// Resident memory of all processes together; a page that several map counts in each.
    pub resident: Bytes,
    /// Page tables.
    pub tables: Bytes,
    /// Resident memory that no access has touched, in units of 4 KiB: what larger pages and folios
    /// brought in beyond what was asked for.
    pub untouched: Bytes,
}

/// What is known of a line: which accesses it lets through without any change, and how it is
/// translated.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// One more than the line's number; 0: nothing.
    tag: u64,
    epoch: u32,
    allowed: u8,
    shift: u8,
    reads: u8,
}

/// log2 of the most lines that are known at a time.
const SEEN_BITS: u32 = 15;

/// Accesses of one process under way. See [`Machine::accesses`].
pub struct Accesses<'m> {
    machine: &'m mut Machine,
    by: ProcessId,
    seen: Box<[Seen]>,
    epoch: u32,
}

impl Machine {
    /// Gives the machine TLBs. From now on every access goes through them, and what the kernel
    /// invalidates is dropped from them.
    pub fn attach_tlb(&mut self, profile: &'static Profile) {
        let tlb = Tlb::new(profile, self.page_size());
        self.hardware = Some(Box::new(Hardware::new(tlb)));
        self.mem.log.flushes_on = true;
    }

    /// Its TLBs, where it has any.
    #[must_use]
    pub fn tlb(&self) -> Option<&Tlb> {
        self.hardware.as_ref().map(|h| &h.tlb)
    }

    /// Starts a series of about `count` accesses of process `by`, one call as far as
    /// [`Machine::trace`] and the log of pages go.
    pub fn accesses(&mut self, by: ProcessId, count: u64) -> Accesses<'_> {
        self.begin();
        let lines = count.clamp(16, 1 << SEEN_BITS).next_power_of_two();
        Accesses {
            machine: self,
            by,
            seen: vec![Seen::default(); usize::try_from(lines).unwrap_or(16)].into_boxed_slice(),
            epoch: 1,
        }
    }

    /// What memory is used for now.
    #[must_use]
    pub fn memory_use(&self) -> MemoryUse {
        let page = self.page_size();
        let mut all = MemoryUse::default();
        for process in self.processes.iter().filter(|p| p.alive) {
            let table = &process.mm.pages;
            let everything = crate::addr::AddrRange::new(0, u64::MAX);
            let resident = table.rss(everything).0;
            let touched = self.hardware.as_ref().map_or(0, |hardware| {
                let lines = hardware.touched(table.mm());
                lines
                    .filter(|&line| table.is_resident(line << LINE_SHIFT))
                    .count() as u64
            });
            all.resident.0 += resident;
            all.tables.0 += table.table_pages() << page.shift();
            all.untouched.0 += resident.saturating_sub(touched << LINE_SHIFT);
        }
        all
    }
}

impl Accesses<'_> {
    /// Makes `accesses` in their order.
    ///
    /// # Errors
    /// The first that a signal ends: its place, and the signal. Those before it were made.
    pub fn make(&mut self, accesses: &[At]) -> Result<(), (usize, Signal)> {
        let Self {
            machine,
            by,
            seen,
            epoch,
        } = self;
        let Some(mut cx) = machine.cx(*by) else {
            return Err((0, Signal::Segv));
        };
        let mm = cx.mm.pages.mm();
        let mask = seen.len() as u64 - 1;
        for (place, &At { addr, access }) in accesses.iter().enumerate() {
            let line = addr >> LINE_SHIFT;
            let (bit, granted) = bits(access);
            #[allow(clippy::cast_possible_truncation)] // masked
            let Some(slot) = seen.get_mut((line & mask) as usize) else {
                continue;
            };
            if slot.tag != line + 1 || slot.epoch != *epoch || slot.allowed & bit == 0 {
                let through = cx.reach(addr, access).map_err(|signal| (place, signal))?;
                if !through {
                    // What a fault changes is not only its own page.
                    *epoch = epoch.wrapping_add(1);
                }
                let known = slot.tag == line + 1 && slot.epoch == *epoch;
                let translation = cx.mm.pages.translation(addr);
                let translation = translation.unwrap_or(Translation { shift: 0, reads: 0 });
                *slot = Seen {
                    tag: line + 1,
                    epoch: *epoch,
                    allowed: if known {
                        slot.allowed | granted
                    } else {
                        granted
                    },
                    shift: u8::try_from(translation.shift).unwrap_or(0),
                    reads: u8::try_from(translation.reads).unwrap_or(0),
                };
                if let Some(hardware) = cx.hardware.as_deref_mut() {
                    hardware.touch(mm, addr);
                }
            }
            if let Some(hardware) = cx.hardware.as_deref_mut() {
                let known = Translation {
                    shift: u32::from(slot.shift),
                    reads: u32::from(slot.reads),
                };
                hardware.access_known(mm, addr, access, known);
            }
        }
        Ok(())
    }
}

/// An access's bit in [`Seen::allowed`], and the bits it earns.
fn bits(access: Access) -> (u8, u8) {
    match access {
        Access::Load => (1, 1),
        // What may be stored to may be loaded from.
        Access::Store => (2, 3),
        Access::Exec => (4, 4),
    }
}
