//! What the machine sets that answers depend on, read so that a simulated one can be set alike,
//! and so that what no simulation knows of can be said.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sealab_core::machine::Limits;

use crate::error::HostError;
use crate::spawn;

/// Settings of this machine that calls can run into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// The same, as a simulated machine takes them.
    pub limits: Limits,
    /// Whether the CPU's protection keys are on (Linux makes execute-only mappings of them).
    pub protection_keys: bool,
    /// What is set otherwise than where the simulator's recordings were made, one clause each;
    /// answers may differ for it.
    pub deviations: Vec<String>,
}

/// Limits the runner is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LimitsWanted {
    stack: u64,
    memlock: u64,
}

/// `RLIMIT_MEMLOCK` of the runner: the kernel's default, and where the recordings were made.
const MEMLOCK: u64 = 8 << 20;

impl LimitsWanted {
    /// `stack` bytes of stack, as far as this process may ask for them.
    pub(crate) fn new(stack: u64) -> Result<Self, HostError> {
        let at_most = |resource, wanted: u64, what: &str| {
            let hard = spawn::rlimit(resource)
                .map_err(HostError::io("getrlimit"))?
                .rlim_max;
            if hard < wanted {
                return Err(HostError::Unavailable(format!(
                    "the hard limit of {what} is {hard} bytes, {wanted} are needed"
                )));
            }
            Ok(wanted)
        };
        for (resource, what) in [
            (libc::RLIMIT_AS, "address space (RLIMIT_AS)"),
            (libc::RLIMIT_DATA, "data (RLIMIT_DATA)"),
        ] {
            at_most(resource, libc::RLIM_INFINITY, what)?;
        }
        Ok(Self {
            stack: at_most(libc::RLIMIT_STACK, stack, "the stack (RLIMIT_STACK)")?,
            memlock: at_most(
                libc::RLIMIT_MEMLOCK,
                MEMLOCK,
                "locked memory (RLIMIT_MEMLOCK)",
            )?,
        })
    }

    pub(crate) fn as_rlimits(self) -> Vec<(libc::__rlimit_resource_t, libc::rlimit)> {
        // Soft and hard alike: the runner keeps no way up.
        let both = |value| libc::rlimit {
            rlim_cur: value,
            rlim_max: value,
        };
        vec![
            (libc::RLIMIT_STACK, both(self.stack)),
            (libc::RLIMIT_MEMLOCK, both(self.memlock)),
            (libc::RLIMIT_AS, both(libc::RLIM_INFINITY)),
            (libc::RLIMIT_DATA, both(libc::RLIM_INFINITY)),
            (libc::RLIMIT_CORE, both(0)),
        ]
    }
}

impl Conditions {
    /// Those of this machine, for a runner with these limits whose files live in `files`.
    pub(crate) fn read(wanted: LimitsWanted, files: &Path) -> Self {
        let mut deviations = Vec::new();
        let max_map_count = number("/proc/sys/vm/max_map_count");
        let mmap_min_addr = number("/proc/sys/vm/mmap_min_addr");
        let overcommit = number("/proc/sys/vm/overcommit_memory");
        if let Some(mode) = overcommit.filter(|&mode| mode != 0) {
            deviations.push(format!("vm.overcommit_memory is {mode}, not 0"));
        }
        let huge = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        if huge.is_ok_and(|text| text.contains("[always]")) {
            deviations.push("transparent huge pages are always on".to_owned());
        }
        if number("/sys/kernel/mm/ksm/run").is_some_and(|run| run != 0) {
            deviations.push("kernel samepage merging runs".to_owned());
        }
        let flags = cpu_flags();
        let protection_keys = flags.iter().any(|flag| flag == "ospke");
        if flags.iter().any(|flag| flag == "la57") {
            deviations.push("the CPU has five levels of page tables".to_owned());
        }
        let defaults = Limits::default();
        Self {
            limits: Limits {
                max_map_count: max_map_count.unwrap_or(defaults.max_map_count),
                rlimit_as: u64::MAX,
                rlimit_data: u64::MAX,
                rlimit_memlock: wanted.memlock,
                rlimit_stack: wanted.stack,
                total_memory: total_memory().unwrap_or(defaults.total_memory),
                dac_mmap_min_addr: mmap_min_addr.unwrap_or(defaults.dac_mmap_min_addr),
                privileged: false,
                read_ahead: read_ahead(files).unwrap_or(defaults.read_ahead),
                ..defaults
            },
            protection_keys,
            deviations,
        }
    }
}

/// The number that a file of the kernel's holds.
fn number(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// How far the disk below `folder` is read ahead, in bytes.
fn read_ahead(folder: &Path) -> Option<u64> {
    let device = fs::metadata(folder).ok()?.dev();
    let (major, minor) = (libc::major(device), libc::minor(device));
    let kib = number(&format!("/sys/class/bdi/{major}:{minor}/read_ahead_kb"))?;
    kib.checked_mul(1024)
}

/// Memory and swap, in bytes.
fn total_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = |name: &str| -> Option<u64> {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.trim().strip_suffix("kB")?.trim_end().parse().ok()
    };
    (line("MemTotal:")? + line("SwapTotal:")?).checked_mul(1024)
}

fn cpu_flags() -> Vec<String> {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("flags"));
    let flags = line.and_then(|line| line.split_once(':'));
    flags.map_or_else(Vec::new, |(_, flags)| {
        flags.split_ascii_whitespace().map(str::to_owned).collect()
    })
}
