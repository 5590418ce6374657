//! Files whose writing changes how memory is handled: sysfs settings, and two of the kernel's own
//! test handles.

use crate::cx::Cx;
use crate::errno::Errno;
use crate::vma::area::Vma;

const CLEAR_REFS: &str = "/proc/self/clear_refs";
const SPLIT_FOLIOS: &str = "/sys/kernel/debug/split_huge_pages";

impl Cx<'_> {
    /// Writes `value` to a settings file: those of [`PhysMem::set_sysfs`], clear_refs (1: all
    /// pages are made old; 2 and 3: anonymous and file pages) and split_huge_pages
    /// (`PID,START,END[,ORDER]`, always of the process itself).
    ///
    /// [`PhysMem::set_sysfs`]: crate::paging::PhysMem::set_sysfs
    ///
    /// # Errors
    /// `ENOENT` for a file that is not known, `EINVAL` for a value it does not take.
    pub(super) fn write_setting(&mut self, path: &str, value: &str) -> Result<u64, Errno> {
        let text = value.trim_end_matches('\n');
        match path {
            CLEAR_REFS => self.clear_refs(text)?,
            SPLIT_FOLIOS => self.split_folios(text)?,
            _ => self.mem.set_sysfs(path, value)?,
        }
        Ok(value.len() as u64)
    }

    fn clear_refs(&mut self, value: &str) -> Result<(), Errno> {
        let wanted: fn(&Vma) -> bool = match value {
            "1" => |_| true,
            "2" => |vma| vma.file.is_none(),
            "3" => |vma| vma.file.is_some(),
            _ => return Err(Errno::EINVAL),
        };
        let vmas: Vec<Vma> = self.mm.tree.iter().map(|(_, vma)| *vma).collect();
        for vma in vmas.iter().filter(|vma| wanted(vma)) {
            self.paging().clear_referenced(vma);
        }
        Ok(())
    }

    fn split_folios(&mut self, value: &str) -> Result<(), Errno> {
        let fields: Vec<&str> = value.split(',').collect();
        let ([_, start, end] | [_, start, end, _]) = fields[..] else {
            return Err(Errno::EINVAL);
        };
        let hex = |text: &str| {
            let digits = text.strip_prefix("0x").ok_or(Errno::EINVAL)?;
            u64::from_str_radix(digits, 16).map_err(|_| Errno::EINVAL)
        };
        let range = crate::addr::AddrRange::new(hex(start)?, hex(end)?);
        let order = match fields.get(3) {
            Some(order) => order.parse().map_err(|_| Errno::EINVAL)?,
            None => 0,
        };
        let vmas: Vec<Vma> = self.mm.tree.iter().map(|(_, vma)| *vma).collect();
        for vma in vmas.iter().filter(|vma| vma.range().overlaps(range)) {
            self.paging().split_folios(vma, range, order)?;
        }
        Ok(())
    }
}
