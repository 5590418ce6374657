//! Variants: which kernel, memory and CPU a scenario is run under, by their ids.

use std::fmt;

use sealab_core::addr::PageSize;
use sealab_core::kernel::{KERNELS, Kernel};
use sealab_core::paging::{Arch, ContPte, DESIGNS, MemoryDesign};
use sealab_core::tlb::{NEOVERSE_N1, Profile, SKYLAKE};

use crate::cost::{self, CpuProfile};
use crate::report::Variant;

/// Kernels that a scenario is compared under unless told otherwise.
pub const DEFAULT_KERNELS: [&str; 3] = ["6.8", "6.11", "6.12"];
/// The memory of a variant that names none.
pub const DEFAULT_MEMORY: &str = "baseline-4k";

/// Memories that a comparison of page sizes puts side by side.
pub const GRANULES: [&str; 8] = [
    "baseline-4k",
    "anonfolio",
    "contpte",
    "exefolio",
    "baseline-16k",
    "baseline-64k",
    "contpte-16k",
    "contpte-64k",
];

/// A variant whose ids have been looked up.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Its ids, defaults filled in.
    pub ids: Variant,
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The memory.
    pub memory: MemoryDesign,
    /// The CPU whose weights price the counts.
    pub cpu: &'static CpuProfile,
}

impl Resolved {
    /// The TLBs it has: those of its CPU where they are known, else those of a common one of its
    /// architecture.
    #[must_use]
    pub fn tlb(&self) -> &'static Profile {
        Profile::by_id(&self.ids.cpu).unwrap_or(match self.memory.arch {
            Arch::X86_64 => &SKYLAKE,
            Arch::Arm64 => &NEOVERSE_N1,
        })
    }
}

/// Looks up variants that are compared with one another. Where all have 4K single pages they are
/// on x86-64, whose kernels most recordings are of; beside any other memory all are on arm64,
/// which alone has it.
///
/// # Errors
/// The first id that names nothing.
pub fn resolve_all(variants: &[Variant]) -> Result<Vec<Resolved>, UnknownId> {
    let mut all = variants
        .iter()
        .map(resolve)
        .collect::<Result<Vec<_>, _>>()?;
    if all.iter().all(|v| v.memory == MemoryDesign::BASELINE_4K) {
        for variant in &mut all {
            variant.memory = variant.memory.clone().on(Arch::X86_64);
        }
    }
    Ok(all)
}

/// An id that names nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownId {
    /// `kernel`, `memory` or `cpu`.
    pub what: &'static str,
    /// The id given.
    pub given: String,
    /// What there is.
    pub known: Vec<&'static str>,
    /// How else it may be written, where ids are not all.
    pub also: Option<&'static str>,
}

impl fmt::Display for UnknownId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} {:?}; there are ", self.what, self.given)?;
        for (at, id) in self.known.iter().enumerate() {
            let joint = match at {
                0 => "",
                _ if at + 1 == self.known.len() => " and ",
                _ => ", ",
            };
            write!(f, "{joint}{id}")?;
        }
        match self.also {
            Some(also) => write!(f, ", or {also}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownId {}

/// The variants of a scenario that names none: 6.8, 6.11 and 6.12 with 4K single pages.
#[must_use]
pub fn defaults() -> Vec<Variant> {
    DEFAULT_KERNELS.iter().map(|&k| of(k, "", "")).collect()
}

/// Every kernel of `kernels` with every memory of `memories`, kernels outermost; an empty list
/// stands for the default ones.
#[must_use]
pub fn product(kernels: &[String], memories: &[String], cpu: &str) -> Vec<Variant> {
    let default_kernels: Vec<String> = DEFAULT_KERNELS.iter().map(|&k| k.to_owned()).collect();
    let default_memories = [DEFAULT_MEMORY.to_owned()];
    let kernels = match kernels {
        // Several memories are compared with one another, not times three.
        [] if memories.len() > 1 || memories.iter().any(|m| m == "granules") => {
            default_kernels.get(2..).unwrap_or(&default_kernels)
        }
        [] => &default_kernels,
        some => some,
    };
    let granules: Vec<String> = GRANULES.iter().map(|&m| m.to_owned()).collect();
    let memories = match memories {
        [] => &default_memories,
        [one] if one == "granules" => granules.as_slice(),
        some => some,
    };
    let pairs = kernels
        .iter()
        .flat_map(|kernel| memories.iter().map(move |memory| of(kernel, memory, cpu)));
    pairs.collect()
}

fn of(kernel: &str, memory: &str, cpu: &str) -> Variant {
    Variant {
        kernel: kernel.to_owned(),
        memory: memory.to_owned(),
        cpu: cpu.to_owned(),
    }
}

/// Looks up the ids of `variant`; an empty id stands for the default.
///
/// # Errors
/// The first id that names nothing.
pub fn resolve(variant: &Variant) -> Result<Resolved, UnknownId> {
    let or = |id: &str, default: &'static str| {
        if id.is_empty() {
            default.to_owned()
        } else {
            id.to_owned()
        }
    };
    let [_, _, default_kernel] = DEFAULT_KERNELS;
    let ids = Variant {
        kernel: or(&variant.kernel, default_kernel),
        memory: or(&variant.memory, DEFAULT_MEMORY),
        cpu: or(&variant.cpu, cost::DEFAULT_CPU),
    };
    let kernel = kernel(&ids.kernel)?;
    let memory = memory(&ids.memory)?;
    let cpu = cost::profile(&ids.cpu).ok_or_else(|| UnknownId {
        what: "cpu",
        given: ids.cpu.clone(),
        known: cost::profiles().iter().map(|p| p.id.as_str()).collect(),
        also: None,
    })?;
    Ok(Resolved {
        ids,
        kernel,
        memory,
        cpu,
    })
}

/// The kernel of that id.
///
/// # Errors
/// The kernels that there are.
pub fn kernel(id: &str) -> Result<&'static Kernel, UnknownId> {
    Kernel::by_name(id).ok_or_else(|| UnknownId {
        what: "kernel",
        given: id.to_owned(),
        known: KERNELS.iter().map(|k| k.name).collect(),
        also: None,
    })
}

/// The memory of that id, or of those parts.
///
/// # Errors
/// The memories that there are, and how else one may be written.
pub fn memory(id: &str) -> Result<MemoryDesign, UnknownId> {
    design(id).ok_or_else(|| UnknownId {
        what: "memory",
        given: id.to_owned(),
        known: DESIGNS.iter().map(|d| static_name(d)).collect(),
        also: Some("parts joined by commas, for example 4k,folio=32k,contpte"),
    })
}

fn static_name(design: &'static MemoryDesign) -> &'static str {
    &design.name
}

/// The memory of that id, or put together from parts: a granule (`4k`, `16k`, `64k`) first, then
/// `folio=SIZE` (anonymous folios up to that size), `exec=SIZE` (executable ones of that size),
/// `contpte` or `contpte-v1`, in any order.
fn design(id: &str) -> Option<MemoryDesign> {
    if let Some(known) = MemoryDesign::by_name(id) {
        return Some(known.clone());
    }
    let mut parts = id.split(',').map(str::trim);
    let page_size = match parts.next()?.to_ascii_lowercase().as_str() {
        "4k" => PageSize::K4,
        "16k" => PageSize::K16,
        "64k" => PageSize::K64,
        _ => return None,
    };
    let mut design = MemoryDesign::from_parts(id.to_owned(), page_size);
    for part in parts {
        design = match part.split_once('=') {
            Some(("folio", size)) => design.with_anon_folios_up_to(bytes(size)?),
            Some(("exec", size)) => design.with_exec_folio(bytes(size)?),
            None if part == "contpte" => design.with_contpte(ContPte::Merged),
            None if part == "contpte-v1" => design.with_contpte(ContPte::FirstPosting),
            _ => return None,
        };
    }
    Some(design)
}

/// `64k`, `2m` or a plain number of bytes.
fn bytes(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let (digits, shift) = match text.strip_suffix('k') {
        Some(digits) => (digits, 10),
        None => text
            .strip_suffix('m')
            .map_or((text.as_str(), 0), |d| (d, 20)),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_ids_stand_for_the_defaults() {
        let resolved = resolve(&Variant::default()).expect("defaults exist");
        assert_eq!(resolved.ids.kernel, "6.12");
        assert_eq!(resolved.ids.memory, "baseline-4k");
        assert_eq!(defaults().len(), 3);
    }

    #[test]
    fn memories_can_be_put_together() {
        let design = design("16k,folio=128k,contpte").expect("parts");
        assert_eq!(design.page_size, PageSize::K16);
        assert_eq!(design.anon_orders, 0b1100);
        assert!(design.has_contpte());
        assert!(memory("8k").is_err());
        assert!(memory("4k,folio=lots").is_err());
        assert!(memory("4k,folio=99999999999999999999k").is_err());
    }

    #[test]
    fn an_unknown_id_is_answered_with_what_there_is() {
        let fault = resolve(&of("6.13", "", "")).expect_err("no such kernel");
        assert_eq!(
            fault.to_string(),
            "there is no kernel \"6.13\"; there are 6.8, 6.10, 6.11, 6.11-src-first, 6.12, 6.18 and 7.x"
        );
    }

    #[test]
    fn several_memories_are_compared_under_one_kernel() {
        let variants = product(&[], &["baseline-4k".into(), "contpte".into()], "");
        let ids: Vec<_> = variants.iter().map(|v| (&*v.kernel, &*v.memory)).collect();
        assert_eq!(ids, [("6.12", "baseline-4k"), ("6.12", "contpte")]);
    }
}
