//! madvise(2): `do_madvise`.

use crate::addr::AddrRange;
use crate::cx::{Cx, Punch};
use crate::errno::Errno;
use crate::flags::{VmFlags, madv};
use crate::machine::ChangeKind;
use crate::paging::Fault;
use crate::vma::area::Vma;
use crate::vma::iter::Cursor;
use crate::vma::tree::VmaId;

/// Flags of mappings that have no ordinary pages.
const SPECIAL: VmFlags = VmFlags::IO
    .union(VmFlags::DONTEXPAND)
    .union(VmFlags::PFNMAP)
    .union(VmFlags::MIXEDMAP);

/// Most pages of 4 KiB a file on ext4 can have (`s_maxbytes`).
const DISK_FILE_PAGES: u64 = u32::MAX as u64;

/// What an advice is, as far as locks and walks go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visited {
    /// The VMA was changed or looked at under the lock.
    Held(VmaId),
    /// The lock was dropped: where the walk goes on is looked up by address.
    Dropped,
}

/// Whether an advice throws pages away, for the seal's rule.
fn discards(advice: i32, tests_bits: bool, guards: bool) -> bool {
    if tests_bits {
        // 6.10.0: a bit test against the advices or'ed together, so nearly everything matches.
        let bits = madv::FREE
            | madv::DONTNEED
            | madv::DONTNEED_LOCKED
            | madv::REMOVE
            | madv::DONTFORK
            | madv::WIPEONFORK;
        return advice & bits != 0;
    }
    matches!(
        advice,
        madv::FREE
            | madv::DONTNEED
            | madv::DONTNEED_LOCKED
            | madv::REMOVE
            | madv::DONTFORK
            | madv::WIPEONFORK
    ) || (guards && advice == madv::GUARD_INSTALL)
}

/// The advices 6.17 tries on a single VMA under its own lock first.
fn tries_vma_lock(advice: i32) -> bool {
    matches!(
        advice,
        madv::DONTNEED
            | madv::DONTNEED_LOCKED
            | madv::FREE
            | madv::GUARD_INSTALL
            | madv::GUARD_REMOVE
    )
}

impl Cx<'_> {
    pub(super) fn madvise(&mut self, addr: u64, len: u64, advice: i32) -> Result<u64, Errno> {
        if !self.knows_advice(advice) || !self.page.is_aligned(addr) {
            return Err(Errno::EINVAL);
        }
        let rounded = self.page.align_up_wrapping(len);
        if len != 0 && rounded == 0 {
            return Err(Errno::EINVAL);
        }
        let end = addr.checked_add(rounded).ok_or(Errno::EINVAL)?;
        if end == addr {
            return Ok(0);
        }
        let range = AddrRange::new(addr, end);
        if self.kernel.checks_out_of_loop() && !self.can_modify_mm_madv(range, advice) {
            return Err(Errno::EPERM);
        }
        self.within("madvise_do_behavior", |cx| match advice {
            madv::POPULATE_READ | madv::POPULATE_WRITE => cx.within("madvise_populate", |cx| {
                cx.madvise_populate(range, advice == madv::POPULATE_WRITE)
            }),
            _ => cx.within("madvise_walk_vmas", |cx| cx.madvise_walk(range, advice)),
        })
        .map(|()| 0)
    }

    /// `madvise_behavior_valid`.
    fn knows_advice(&self, advice: i32) -> bool {
        match advice {
            madv::NORMAL..=madv::DONTNEED | madv::FREE..=madv::COLLAPSE => true,
            madv::GUARD_INSTALL | madv::GUARD_REMOVE => self.kernel.has_guard_advice,
            _ => false,
        }
    }

    fn advice_discards(&self, advice: i32) -> bool {
        discards(
            advice,
            self.kernel.madvise_tests_bits,
            self.kernel.has_guard_advice,
        )
    }

    /// `can_modify_mm_madv`: a walk of its own over the whole range, for discarding advice.
    fn can_modify_mm_madv(&mut self, range: AddrRange, advice: i32) -> bool {
        if !self.advice_discards(advice) {
            return true;
        }
        self.within("can_modify_mm_madv", |cx| {
            let mut cursor = Cursor::Start(range.start);
            while let Some(id) = cx.vma_find(&mut cursor, range.end) {
                let vma = *cx.mm.tree.get(id);
                if cx.is_read_only_anon(&vma) && cx.sees_seal(&vma) {
                    return false;
                }
            }
            true
        })
    }

    /// `is_ro_anon`: private anonymous memory that the caller cannot write.
    fn is_read_only_anon(&self, vma: &Vma) -> bool {
        let anonymous = if self.kernel.seal_spares_special_mappings {
            vma.is_anonymous()
        } else {
            vma.file.is_none()
        };
        anonymous && !vma.flags.intersects(VmFlags::SHARED | VmFlags::WRITE)
    }

    /// `can_madvise_modify`: the in-loop designs' test of one VMA.
    fn advice_refused_in_loop(&mut self, vma: &Vma, advice: i32) -> bool {
        self.kernel.checks_in_loop()
            && self.advice_discards(advice)
            && self.is_read_only_anon(vma)
            && self.sees_seal(vma)
    }

    /// `madvise_walk_vmas`: VMA after VMA, each found by a lookup of its own. Holes are passed
    /// over and reported at the end, unless a VMA refuses.
    fn madvise_walk(&mut self, range: AddrRange, advice: i32) -> Result<(), Errno> {
        if self.kernel.madvise_rcu && tries_vma_lock(advice) {
            self.within("try_vma_read_lock", |cx| cx.walk("lock_vma_under_rcu"));
            if let Cursor::On(id) = self.cursor_at(range.start)
                && self.mm.tree.get(id).end >= range.end
            {
                return self.madvise_vma(None, id, range, advice).map(|_| ());
            }
        }
        let (mut next, mut prev) = self.find_vma_prev(range.start);
        if let Some(id) = next
            && range.start > self.mm.tree.get(id).start
        {
            prev = Some(id);
        }
        let mut start = range.start;
        let mut result = Ok(());
        loop {
            let id = next.ok_or(Errno::ENOMEM)?;
            let vma = *self.mm.tree.get(id);
            if start < vma.start {
                result = Err(Errno::ENOMEM);
                start = vma.start;
                if start >= range.end {
                    return result;
                }
            }
            let part = AddrRange::new(start, vma.end.min(range.end));
            let visited = self.madvise_vma(prev, id, part, advice)?;
            start = part.end;
            let resume = match visited {
                Visited::Held(id) => {
                    let end = self.mm.tree.get(id).end;
                    prev = Some(id);
                    start = start.max(end);
                    end
                }
                Visited::Dropped => {
                    prev = None;
                    start
                }
            };
            if start >= range.end {
                return result;
            }
            next = self.find_vma(resume);
        }
    }

    /// `madvise_vma_behavior`: one VMA's part of the range.
    fn madvise_vma(
        &mut self,
        prev: Option<VmaId>,
        id: VmaId,
        part: AddrRange,
        advice: i32,
    ) -> Result<Visited, Errno> {
        self.within("madvise_vma_behavior", |cx| {
            cx.advise_vma(prev, id, part, advice)
        })
    }

    fn advise_vma(
        &mut self,
        prev: Option<VmaId>,
        id: VmaId,
        part: AddrRange,
        advice: i32,
    ) -> Result<Visited, Errno> {
        let vma = *self.mm.tree.get(id);
        if self.advice_refused_in_loop(&vma, advice) {
            return Err(Errno::EPERM);
        }
        match advice {
            madv::REMOVE => self.madvise_remove(&vma, part),
            madv::WILLNEED => Ok(self.madvise_willneed(id, &vma, part)),
            madv::COLD | madv::PAGEOUT => self.madvise_reclaim(id, &vma, part, advice),
            madv::FREE | madv::DONTNEED | madv::DONTNEED_LOCKED => {
                self.madvise_discard(id, &vma, part, advice)
            }
            madv::COLLAPSE => {
                self.madvise_collapse(id, part)?;
                Ok(Visited::Dropped)
            }
            madv::GUARD_INSTALL | madv::GUARD_REMOVE => self.madvise_guard(id, part, advice),
            _ => {
                let flags = advised_flags(&vma, advice)?;
                let id = self
                    .within("madvise_update_vma", |cx| {
                        cx.madvise_flags(prev, id, part, flags)
                    })
                    // Running out of VMAs is told as EAGAIN here.
                    .map_err(|e| if e == Errno::ENOMEM { Errno::EAGAIN } else { e })?;
                Ok(Visited::Held(id))
            }
        }
    }

    fn madvise_flags(
        &mut self,
        prev: Option<VmaId>,
        id: VmaId,
        part: AddrRange,
        flags: VmFlags,
    ) -> Result<VmaId, Errno> {
        if self.mm.tree.get(id).flags == flags {
            return Ok(id);
        }
        let mut cursor = Cursor::Start(part.start);
        let id = self.modify_flags(&mut cursor, prev, id, part, flags)?;
        self.changed(ChangeKind::Flagged, part.start, part.end);
        Ok(id)
    }

    /// `madvise_remove`: punches a hole into the file, in every mapping of it.
    fn madvise_remove(&mut self, vma: &Vma, part: AddrRange) -> Result<Visited, Errno> {
        if vma.flags.contains(VmFlags::LOCKED) {
            return Err(Errno::EINVAL);
        }
        let file = vma.file.ok_or(Errno::EINVAL)?;
        if !vma.flags.contains(VmFlags::SHARED | VmFlags::MAYWRITE) {
            return Err(Errno::EACCES);
        }
        if !self.is_shmem(file) && vma.pgoff_at(part.end, self.page) > DISK_FILE_PAGES {
            return Err(Errno::EFBIG);
        }
        self.punches.push(Punch {
            inode: self.files.inode_of(file),
            first: vma.pgoff_at(part.start, self.page),
            end: vma.pgoff_at(part.end, self.page),
            cut: false,
        });
        self.changed(ChangeKind::Discarded, part.start, part.end);
        Ok(Visited::Dropped)
    }

    fn madvise_willneed(&mut self, id: VmaId, vma: &Vma, part: AddrRange) -> Visited {
        if vma.file.is_none() {
            self.within("madvise_willneed", |cx| cx.count_page_walk(part));
        }
        // Only page cache is read in, which the model holds complete; errors there are not told.
        let _ = self.paging().madvise(vma, part, madv::WILLNEED);
        match vma.file {
            Some(file) if !self.is_shmem(file) => Visited::Dropped,
            _ => Visited::Held(id),
        }
    }

    fn madvise_reclaim(
        &mut self,
        id: VmaId,
        vma: &Vma,
        part: AddrRange,
        advice: i32,
    ) -> Result<Visited, Errno> {
        if vma
            .flags
            .intersects(VmFlags::LOCKED | VmFlags::PFNMAP | VmFlags::HUGETLB)
        {
            return Err(Errno::EINVAL);
        }
        let step = match advice {
            madv::COLD => "madvise_cold",
            _ => "madvise_pageout",
        };
        self.within(step, |cx| cx.count_page_walk(part));
        self.paging().madvise(vma, part, advice)?;
        Ok(Visited::Held(id))
    }

    fn madvise_discard(
        &mut self,
        id: VmaId,
        vma: &Vma,
        part: AddrRange,
        advice: i32,
    ) -> Result<Visited, Errno> {
        let mut forbidden = VmFlags::PFNMAP;
        if advice != madv::DONTNEED_LOCKED {
            forbidden |= VmFlags::LOCKED;
        }
        if vma.flags.intersects(forbidden) {
            return Err(Errno::EINVAL);
        }
        if advice == madv::FREE {
            if !vma.is_anonymous() {
                return Err(Errno::EINVAL);
            }
            self.within("madvise_dontneed_free", |cx| {
                cx.within("madvise_free_single_vma", |cx| cx.count_page_walk(part));
            });
        }
        self.paging().madvise(vma, part, advice)?;
        self.paging().end_gather();
        self.changed(ChangeKind::Discarded, part.start, part.end);
        Ok(Visited::Held(id))
    }

    fn madvise_collapse(&mut self, id: VmaId, part: AddrRange) -> Result<(), Errno> {
        let vma = *self.mm.tree.get(id);
        if vma.is_anonymous() {
            // Collapsing allocates anonymous pages only where some are there already.
            if vma.anon_vma.is_none() && self.mm.pages.rss(part).0 != 0 {
                self.prepare_anon_vma(id);
            }
        }
        let vma = *self.mm.tree.get(id);
        self.paging().madvise(&vma, part, madv::COLLAPSE)
    }

    /// `madvise_guard_install` and `madvise_guard_remove`.
    fn madvise_guard(&mut self, id: VmaId, part: AddrRange, advice: i32) -> Result<Visited, Errno> {
        let flags = self.mm.tree.get(id).flags;
        let mut forbidden = SPECIAL | VmFlags::HUGETLB;
        if advice == madv::GUARD_INSTALL {
            forbidden |= VmFlags::LOCKED;
        }
        if flags.intersects(forbidden) {
            return Err(Errno::EINVAL);
        }
        if advice == madv::GUARD_INSTALL {
            if self.kernel.marks_guards {
                self.mm.tree.get_mut(id).flags |= VmFlags::MAYBE_GUARD;
            }
            // Markers are copied on fork like pages, so the mapping counts as written.
            if self.mm.tree.get(id).is_anonymous() {
                self.within("madvise_guard_install", |cx| cx.prepare_anon_vma(id));
            }
            self.changed(ChangeKind::Discarded, part.start, part.end);
        }
        let vma = *self.mm.tree.get(id);
        self.paging().madvise(&vma, part, advice)?;
        self.paging().end_gather();
        Ok(Visited::Held(id))
    }

    /// `madvise_populate`: faults every page in; needs a mapping that allows it everywhere.
    fn madvise_populate(&mut self, range: AddrRange, write: bool) -> Result<(), Errno> {
        let mut start = range.start;
        while start < range.end {
            let id = self.vma_lookup(start).ok_or(Errno::ENOMEM)?;
            let vma = *self.mm.tree.get(id);
            let allowed = if write {
                vma.flags.contains(VmFlags::WRITE)
            } else {
                vma.flags.contains(VmFlags::READ)
            };
            if vma.flags.intersects(VmFlags::IO | VmFlags::PFNMAP) || !allowed {
                return Err(Errno::EINVAL);
            }
            let part = AddrRange::new(start, vma.end.min(range.end));
            let fault = self.within("faultin_page_range", |cx| {
                cx.within("__get_user_pages", |cx| cx.fault_in(id, part, write))
            });
            match fault {
                Fault::Done => {}
                Fault::Bus | Fault::Guard => return Err(Errno::EFAULT),
                Fault::NeedAnonVma | Fault::Oom => return Err(Errno::ENOMEM),
            }
            start = part.end;
        }
        Ok(())
    }

    /// Walking pages looked the VMA and the next one up again, up to 6.16
    /// (`walk_page_range` instead of `walk_page_range_vma`).
    pub(super) fn count_page_walk(&mut self, part: AddrRange) {
        if !self.kernel.madvise_rcu {
            self.count_page_walk_lookups(part);
        }
    }

    /// The two lookups of `walk_page_range` over part of one VMA.
    pub(super) fn count_page_walk_lookups(&mut self, part: AddrRange) {
        self.within("walk_page_range", |cx| {
            if let Some(id) = cx.find_vma(part.start) {
                let end = cx.mm.tree.get(id).end;
                cx.find_vma(end);
            }
        });
    }
}

/// The flags a flag-changing advice leaves a VMA with.
fn advised_flags(vma: &Vma, advice: i32) -> Result<VmFlags, Errno> {
    let old = vma.flags;
    let reads = VmFlags::RAND_READ | VmFlags::SEQ_READ;
    Ok(match advice {
        madv::NORMAL => old.difference(reads),
        madv::SEQUENTIAL => old.difference(reads) | VmFlags::SEQ_READ,
        madv::RANDOM => old.difference(reads) | VmFlags::RAND_READ,
        madv::DONTFORK => old | VmFlags::DONTCOPY,
        madv::DOFORK if old.contains(VmFlags::IO) => return Err(Errno::EINVAL),
        madv::DOFORK => old.difference(VmFlags::DONTCOPY),
        madv::WIPEONFORK if vma.file.is_some() || old.contains(VmFlags::SHARED) => {
            return Err(Errno::EINVAL);
        }
        madv::WIPEONFORK => old | VmFlags::WIPEONFORK,
        madv::KEEPONFORK if old.contains(VmFlags::DROPPABLE) => return Err(Errno::EINVAL),
        madv::KEEPONFORK => old.difference(VmFlags::WIPEONFORK),
        madv::DONTDUMP => old | VmFlags::DONTDUMP,
        madv::DODUMP if old.intersects(SPECIAL | VmFlags::DROPPABLE) => {
            return Err(Errno::EINVAL);
        }
        madv::DODUMP => old.difference(VmFlags::DONTDUMP),
        madv::MERGEABLE => {
            let incompatible = SPECIAL
                | VmFlags::SHARED
                | VmFlags::MAYSHARE
                | VmFlags::HUGETLB
                | VmFlags::DROPPABLE;
            if old.intersects(incompatible) {
                old
            } else {
                old | VmFlags::MERGEABLE
            }
        }
        madv::UNMERGEABLE => old.difference(VmFlags::MERGEABLE),
        madv::HUGEPAGE => old.difference(VmFlags::NOHUGEPAGE) | VmFlags::HUGEPAGE,
        madv::NOHUGEPAGE => old.difference(VmFlags::HUGEPAGE) | VmFlags::NOHUGEPAGE,
        _ => return Err(Errno::EINVAL),
    })
}
