//! What each kernel calls the functions that lead to a walk.
//!
//! The simulated calls name the steps of their way as 6.18 does (or, where 6.18 has no such step,
//! as the last kernel that has it). Where another kernel has another function there, or several, or
//! none, the table below says so. The chains were recorded on instrumented kernels; what those did
//! not see (the handlers of system calls, `shmem_get_unmapped_area`, `thp_get_unmapped_area`) is
//! not named.

use std::ops::RangeInclusive;

use crate::kernel::KernelId;
use crate::kernel::KernelId::{V6_8, V6_10, V6_11SrcFirst, V6_12, V6_18, V7};

/// A step that some kernels name differently.
struct Name {
    step: &'static str,
    /// The step around it, where the name depends on that.
    inside: Option<&'static str>,
    kernels: RangeInclusive<KernelId>,
    /// The functions there, innermost first.
    functions: &'static [&'static str],
}

const fn name(
    step: &'static str,
    kernels: RangeInclusive<KernelId>,
    functions: &'static [&'static str],
) -> Name {
    Name {
        step,
        inside: None,
        kernels,
        functions,
    }
}

const fn inside(around: &'static str, name: Name) -> Name {
    Name {
        inside: Some(around),
        ..name
    }
}

#[rustfmt::skip]
static NAMES: &[Name] = &[
    // System calls with a function of their own below the handler.
    name("munmap", V6_8..=V7, &["__vm_munmap", "munmap"]),
    name("mprotect", V6_8..=V7, &["do_mprotect_pkey", "mprotect"]),
    name("pkey_mprotect", V6_8..=V7, &["do_mprotect_pkey", "pkey_mprotect"]),
    name("madvise", V6_8..=V7, &["do_madvise", "madvise"]),
    name("mseal", V6_8..=V7, &["do_mseal", "mseal"]),
    name("mlock", V6_8..=V7, &["do_mlock", "mlock"]),
    name("mlock2", V6_8..=V7, &["do_mlock", "mlock2"]),
    name("mremap", V6_18..=V7, &["do_mremap", "mremap"]),

    // Walks that 6.8 makes on the tree itself, without the iterator's functions.
    name("vma_iter_area_highest", V6_8..=V6_8, &[]),
    name("vma_iter_area_lowest", V6_8..=V6_8, &[]),
    inside("find_vma_prev", name("vma_iter_load", V6_8..=V6_8, &[])),
    inside("find_mergeable_anon_vma", name("vma_iter_load", V6_8..=V6_8, &[])),

    // Placement.
    name("get_unmapped_area", V6_8..=V6_8, &[]),
    name("__get_unmapped_area", V6_8..=V6_8, &["get_unmapped_area"]),
    name("mm_get_unmapped_area_vmflags", V6_8..=V6_8, &["arch_get_unmapped_area_topdown"]),
    name("mm_get_unmapped_area_vmflags", V6_10..=V6_11SrcFirst,
        &["arch_get_unmapped_area_topdown_vmflags", "mm_get_unmapped_area_vmflags"]),
    name("mm_get_unmapped_area_vmflags", V6_12..=V7,
        &["arch_get_unmapped_area_topdown", "mm_get_unmapped_area_vmflags"]),
    name("mm_get_unmapped_area", V6_8..=V6_8, &["arch_get_unmapped_area_topdown"]),
    name("mm_get_unmapped_area", V6_10..=V6_11SrcFirst,
        &["arch_get_unmapped_area_topdown_vmflags", "arch_get_unmapped_area_topdown", "mm_get_unmapped_area"]),
    name("mm_get_unmapped_area", V6_12..=V6_12,
        &["arch_get_unmapped_area_topdown", "mm_get_unmapped_area"]),
    name("mm_get_unmapped_area", V6_18..=V7,
        &["arch_get_unmapped_area_topdown", "mm_get_unmapped_area_vmflags", "mm_get_unmapped_area"]),
    name("unmapped_area_topdown", V6_8..=V7, &["unmapped_area_topdown", "vm_unmapped_area"]),
    name("unmapped_area", V6_8..=V7, &["unmapped_area", "vm_unmapped_area"]),

    // mmap and flags.
    name("__mmap_prepare", V6_12..=V6_12, &[]),
    name("__mmap_prepare", V7..=V7, &["__mmap_setup"]),
    inside("madvise_update_vma", name("vma_modify_flags", V6_8..=V6_12, &["vma_modify_flags_name"])),

    // mseal.
    name("check_mm_seal", V6_18..=V7, &["range_contains_unmapped"]),
    name("apply_mm_seal", V6_18..=V7, &["mseal_apply"]),
    name("mseal_fixup", V6_18..=V7, &[]),

    // madvise and what walks page tables.
    name("madvise_do_behavior", V6_8..=V6_12, &[]),
    name("faultin_page_range", V6_8..=V6_8, &["faultin_vma_page_range"]),
    name("walk_page_range", V6_18..=V7, &["walk_page_range_mm", "walk_page_range"]),

    // mremap.
    name("vrm_can_expand_in_place", V6_8..=V6_12, &[]),
    name("expand_vma_in_place", V6_8..=V6_12, &[]),
    name("copy_vma_and_data", V6_8..=V6_12, &[]),
    name("unmap_source_vma", V6_8..=V6_12, &[]),

    // Page faults.
    name("do_anonymous_page", V6_8..=V7,
        &["do_anonymous_page", "do_pte_missing", "handle_pte_fault", "__handle_mm_fault"]),
    name("do_cow_fault", V6_8..=V7,
        &["vmf_anon_prepare", "do_cow_fault", "do_fault", "do_pte_missing", "handle_pte_fault", "__handle_mm_fault"]),
    name("do_wp_page", V6_8..=V7,
        &["vmf_anon_prepare", "wp_page_copy", "do_wp_page", "handle_pte_fault", "__handle_mm_fault"]),
    name("__vmf_anon_prepare", V6_8..=V6_11SrcFirst, &[]),
];

/// The functions of `kernel` that lead to a walk made by `entry`, innermost first. `steps` are the
/// simulated call's steps under way, outermost first.
pub fn chain(kernel: KernelId, entry: &'static str, steps: &[&'static str]) -> Vec<&'static str> {
    let mut chain = Vec::with_capacity(steps.len() + 4);
    let mut step = entry;
    for around in steps.iter().rev().copied().map(Some).chain([None]) {
        let known = NAMES.iter().find(|name| {
            name.step == step
                && name.kernels.contains(&kernel)
                && (name.inside.is_none() || name.inside == around)
        });
        match known {
            Some(name) => chain.extend(name.functions),
            None => chain.push(step),
        }
        let Some(around) = around else { break };
        step = around;
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_a_name_of_its_own_is_named_as_it_is() {
        assert_eq!(
            chain(V6_12, "vma_find", &["brk", "do_vmi_munmap"]),
            ["vma_find", "do_vmi_munmap", "brk"]
        );
    }

    #[test]
    fn kernels_name_the_same_step_differently() {
        let steps = ["madvise", "madvise_update_vma", "vma_modify_flags"];
        assert_eq!(
            chain(V6_8, "vma_lookup", &steps),
            [
                "vma_lookup",
                "vma_modify_flags_name",
                "madvise_update_vma",
                "do_madvise",
                "madvise"
            ]
        );
        assert_eq!(
            chain(V6_8, "vma_lookup", &["mprotect", "vma_modify_flags"]),
            [
                "vma_lookup",
                "vma_modify_flags",
                "do_mprotect_pkey",
                "mprotect"
            ]
        );
        assert_eq!(chain(V6_18, "vma_lookup", &steps)[1], "vma_modify_flags");
        assert_eq!(
            chain(
                V6_8,
                "vma_iter_area_highest",
                &["mmap", "unmapped_area_topdown"]
            ),
            ["unmapped_area_topdown", "vm_unmapped_area", "mmap"]
        );
    }
}
