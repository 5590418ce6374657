//! What can be set under `/sys/kernel/mm/transparent_hugepage/`, and what follows for a mapping.

use super::MemoryDesign;
use crate::errno::Errno;
use crate::flags::VmFlags;

/// Where the settings live.
pub const THP_DIR: &str = "/sys/kernel/mm/transparent_hugepage/";
/// How many bytes around a file fault are mapped with it.
pub const FAULT_AROUND: &str = "/sys/kernel/debug/fault_around_bytes";

/// How far files are read ahead unless the disk is set otherwise, in bytes (`read_ahead_kb`).
pub const READ_AHEAD: u64 = 128 << 10;

/// The global switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Enabled {
    Always,
    Madvise,
    Never,
}

/// When tmpfs memory gets large folios (`shmem_enabled`, `huge=`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShmemHuge {
    /// Always.
    Always,
    /// Where the folio lies within the file's size, or with MADV_HUGEPAGE.
    WithinSize,
    /// With MADV_HUGEPAGE.
    Advise,
    /// Never.
    Never,
}

/// Order sets by policy. An order in none of them is `never`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Sizes {
    always: u32,
    within: u32,
    advise: u32,
    inherit: u32,
}

impl Sizes {
    fn clear(&mut self, order: u32) {
        let keep = !(1 << order);
        self.always &= keep;
        self.within &= keep;
        self.advise &= keep;
        self.inherit &= keep;
    }
}

/// The settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    page_shift: u32,
    pmd_order: u32,
    enabled: Enabled,
    anon: Sizes,
    shmem_global: ShmemHuge,
    /// `deny` (nothing) and `force` (everything) of `shmem_enabled`.
    shmem_override: Option<bool>,
    shmem: Sizes,
    pub use_zero_page: bool,
    /// In bytes, a power of two of at least a page.
    pub fault_around: u64,
    /// In bytes.
    pub read_ahead: u64,
}

impl Settings {
    /// A kernel's defaults (`madvise`; PMD size inherits) with the design's anonymous orders on.
    pub fn new(design: &MemoryDesign) -> Self {
        let pmd = 1 << design.pmd_order();
        Self {
            page_shift: design.page_size.shift(),
            pmd_order: design.pmd_order(),
            enabled: Enabled::Madvise,
            anon: Sizes {
                always: design.anon_orders,
                inherit: pmd & !design.anon_orders,
                ..Sizes::default()
            },
            shmem_global: ShmemHuge::Never,
            shmem_override: None,
            shmem: Sizes {
                inherit: pmd,
                ..Sizes::default()
            },
            use_zero_page: true,
            fault_around: 65536,
            read_ahead: READ_AHEAD,
        }
    }

    /// Writes one file.
    ///
    /// # Errors
    /// `ENOENT` for a file that does not exist, `EACCES` for one that cannot be written, `EINVAL`
    /// for a value it does not take.
    pub fn write(&mut self, path: &str, value: &str) -> Result<(), Errno> {
        let value = value.trim_end_matches('\n');
        if path == FAULT_AROUND {
            let bytes: u64 = value.parse().map_err(|_| Errno::EINVAL)?;
            let page = 1 << self.page_shift;
            let most = page << self.pmd_order;
            if bytes > most {
                return Err(Errno::EINVAL);
            }
            self.fault_around = 1 << bytes.max(page).ilog2();
            return Ok(());
        }
        let name = path.strip_prefix(THP_DIR).ok_or(Errno::ENOENT)?;
        match name {
            "enabled" => {
                self.enabled = match value {
                    "always" => Enabled::Always,
                    "madvise" => Enabled::Madvise,
                    "never" => Enabled::Never,
                    _ => return Err(Errno::EINVAL),
                };
                Ok(())
            }
            // How hard a fault tries for a large folio: memory here is never fragmented.
            "defrag" => one_of(
                value,
                &["always", "defer", "defer+madvise", "madvise", "never"],
            ),
            "shmem_enabled" => self.set_shmem_global(value),
            "use_zero_page" => {
                one_of(value, &["0", "1"])?;
                self.use_zero_page = value == "1";
                Ok(())
            }
            "hpage_pmd_size" => Err(Errno::EACCES),
            // khugepaged does not run: its settings are taken and have no effect.
            "khugepaged/defrag" => one_of(value, &["0", "1"]),
            "khugepaged/scan_sleep_millisecs"
            | "khugepaged/alloc_sleep_millisecs"
            | "khugepaged/pages_to_scan"
            | "khugepaged/max_ptes_none"
            | "khugepaged/max_ptes_swap"
            | "khugepaged/max_ptes_shared" => {
                value.parse::<u32>().map(drop).map_err(|_| Errno::EINVAL)
            }
            _ => self.write_size(name, value),
        }
    }

    fn set_shmem_global(&mut self, value: &str) -> Result<(), Errno> {
        self.shmem_override = None;
        match value {
            "deny" => self.shmem_override = Some(false),
            "force" => self.shmem_override = Some(true),
            _ => self.shmem_global = ShmemHuge::parse(value).ok_or(Errno::EINVAL)?,
        }
        Ok(())
    }

    /// `hugepages-<N>kB/enabled` and `hugepages-<N>kB/shmem_enabled`.
    fn write_size(&mut self, name: &str, value: &str) -> Result<(), Errno> {
        let (kib, file) = name
            .strip_prefix("hugepages-")
            .and_then(|rest| rest.split_once("kB/"))
            .ok_or(Errno::ENOENT)?;
        let kib: u64 = kib.parse().map_err(|_| Errno::ENOENT)?;
        let pages = kib.checked_mul(1024).map_or(0, |b| b >> self.page_shift);
        if !pages.is_power_of_two() || pages << self.page_shift != kib * 1024 {
            return Err(Errno::ENOENT);
        }
        let order = pages.ilog2();
        // Order 1 has no place for the list of folios to be split that anonymous ones need.
        let least = if file == "enabled" { 2 } else { 1 };
        if order < least || order > self.pmd_order {
            return Err(Errno::ENOENT);
        }
        let (sizes, shmem) = match file {
            "enabled" => (&mut self.anon, false),
            "shmem_enabled" => (&mut self.shmem, true),
            _ => return Err(Errno::ENOENT),
        };
        let mut new = *sizes;
        new.clear(order);
        match value {
            "always" => new.always |= 1 << order,
            "inherit" => new.inherit |= 1 << order,
            "never" => {}
            "madvise" if !shmem => new.advise |= 1 << order,
            "advise" if shmem => new.advise |= 1 << order,
            "within_size" if shmem => new.within |= 1 << order,
            _ => return Err(Errno::EINVAL),
        }
        *sizes = new;
        Ok(())
    }

    /// Orders an anonymous fault may take in a mapping of these flags
    /// (`thp_vma_allowable_orders` with sysfs enforced).
    pub fn anon_orders(&self, flags: VmFlags) -> u32 {
        if flags.contains(VmFlags::NOHUGEPAGE) {
            return 0;
        }
        let advised = flags.contains(VmFlags::HUGEPAGE);
        let mut orders = self.anon.always;
        if advised {
            orders |= self.anon.advise;
        }
        let global = match self.enabled {
            Enabled::Always => true,
            Enabled::Madvise => advised,
            Enabled::Never => false,
        };
        if global {
            orders |= self.anon.inherit;
        }
        orders
    }

    /// Orders tmpfs memory of the internal mount may take (`shmem_allowable_huge_orders`).
    /// `end` is one past the last page of the file's size; `index` the page wanted.
    pub fn shmem_orders(&self, flags: VmFlags, index: u64, end: u64) -> u32 {
        if flags.contains(VmFlags::NOHUGEPAGE) || self.shmem_override == Some(false) {
            return 0;
        }
        if self.shmem_override == Some(true) {
            return 1 << self.pmd_order;
        }
        let advised = flags.contains(VmFlags::HUGEPAGE);
        let mut orders = self.shmem.always | self.within(self.shmem.within, index, end);
        if advised {
            orders |= self.shmem.advise | self.shmem.within;
        }
        let inherits = match self.shmem_global {
            ShmemHuge::Always => self.shmem.inherit,
            ShmemHuge::WithinSize if advised => self.shmem.inherit,
            ShmemHuge::WithinSize => self.within(self.shmem.inherit, index, end),
            ShmemHuge::Advise if advised => self.shmem.inherit,
            _ => 0,
        };
        orders | inherits
    }

    /// Those of `orders` whose aligned folio around `index` ends within the file.
    pub fn within(&self, orders: u32, index: u64, end: u64) -> u32 {
        (0..=self.pmd_order)
            .filter(|&order| orders & 1 << order != 0)
            .filter(|&order| (index >> order).saturating_add(1) << order <= end)
            .fold(0, |set, order| set | 1 << order)
    }
}

impl ShmemHuge {
    /// The policy sysfs and `huge=` call by that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "always" => Some(Self::Always),
            "within_size" => Some(Self::WithinSize),
            "advise" => Some(Self::Advise),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

fn one_of(value: &str, known: &[&str]) -> Result<(), Errno> {
    if known.contains(&value) {
        Ok(())
    } else {
        Err(Errno::EINVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(s: &mut Settings, file: &str, value: &str) -> Result<(), Errno> {
        s.write(&format!("{THP_DIR}{file}"), value)
    }

    #[test]
    fn a_size_is_on_as_its_file_says() {
        let mut s = Settings::new(&MemoryDesign::BASELINE_4K);
        assert_eq!(s.anon_orders(VmFlags::empty()), 0);
        assert_eq!(
            s.anon_orders(VmFlags::HUGEPAGE),
            1 << 9,
            "PMD size inherits madvise"
        );
        write(&mut s, "hugepages-64kB/enabled", "always\n").unwrap();
        assert_eq!(s.anon_orders(VmFlags::empty()), 1 << 4);
        write(&mut s, "hugepages-64kB/enabled", "madvise").unwrap();
        assert_eq!(s.anon_orders(VmFlags::empty()), 0);
        write(&mut s, "hugepages-64kB/enabled", "inherit").unwrap();
        write(&mut s, "enabled", "always").unwrap();
        assert_eq!(s.anon_orders(VmFlags::empty()), 1 << 9 | 1 << 4);
        assert_eq!(s.anon_orders(VmFlags::NOHUGEPAGE), 0);
        write(&mut s, "enabled", "never").unwrap();
        assert_eq!(s.anon_orders(VmFlags::HUGEPAGE), 0);
    }

    #[test]
    fn what_is_no_file_or_no_value_is_refused() {
        let mut s = Settings::new(&MemoryDesign::BASELINE_4K);
        for file in [
            "hugepages-8kB/enabled",
            "hugepages-48kB/enabled",
            "hugepages-4096kB/enabled",
            "x",
        ] {
            assert_eq!(write(&mut s, file, "always"), Err(Errno::ENOENT), "{file}");
        }
        assert_eq!(
            write(&mut s, "hugepages-18446744073709551615kB/enabled", "always"),
            Err(Errno::ENOENT)
        );
        assert_eq!(
            write(&mut s, "hugepages-64kB/enabled", "advise"),
            Err(Errno::EINVAL)
        );
        assert_eq!(
            write(&mut s, "hugepages-64kB/shmem_enabled", "madvise"),
            Err(Errno::EINVAL)
        );
        assert_eq!(write(&mut s, "hpage_pmd_size", "1"), Err(Errno::EACCES));
        assert_eq!(s.write("/proc/sys/vm/swappiness", "1"), Err(Errno::ENOENT));
        assert_eq!(s.write(FAULT_AROUND, "1000000000"), Err(Errno::EINVAL));
        s.write(FAULT_AROUND, "5000").unwrap();
        assert_eq!(s.fault_around, 4096);
    }

    #[test]
    fn shmem_within_size_looks_at_the_end_of_the_file() {
        let mut s = Settings::new(&MemoryDesign::BASELINE_4K);
        write(&mut s, "hugepages-64kB/shmem_enabled", "within_size").unwrap();
        assert_eq!(s.shmem_orders(VmFlags::empty(), 20, 32), 1 << 4);
        assert_eq!(s.shmem_orders(VmFlags::empty(), 20, 31), 0);
        write(&mut s, "shmem_enabled", "force").unwrap();
        assert_eq!(s.shmem_orders(VmFlags::empty(), 20, 31), 1 << 9);
    }
}
