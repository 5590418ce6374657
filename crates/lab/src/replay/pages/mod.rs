//! Recorded experiments on the page tables of arm64 kernels, made again: after every call each
//! page of each process is compared, and every folio's identity up to renaming.

mod calls;
mod compare;
mod record;

use std::path::{Path, PathBuf};

use sealab_core::addr::PageSize;
use sealab_core::call::{Call, MemorySystem as _, Outcome, ProcessId};
use sealab_core::kernel::{Kernel, KernelId};
use sealab_core::machine::{Config, Machine};
use sealab_core::meter::Counts;
use sealab_core::paging::{Arch, ContPte, FileSystem, MemoryDesign, ShmemHuge, THP_DIR};

use calls::Request;
use compare::Folios;
pub use record::{Experiment, read};

/// Takes the files of experiments (`.jsonl`, `.jsonl.gz`) out of `paths`, those in folders to any
/// depth too. Folders stay, for the cases that may lie in them, unless experiments are all they
/// hold.
///
/// # Errors
/// A folder that cannot be read.
pub fn take_files(paths: &mut Vec<PathBuf>) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut rest = Vec::new();
    for path in paths.drain(..) {
        let mut inside = Vec::new();
        let only = find(&path, &mut inside)?;
        if inside.is_empty() || !only {
            rest.push(path);
        }
        found.append(&mut inside);
    }
    *paths = rest;
    Ok(found)
}

/// Adds the experiments' files at or below `path`; says whether there is nothing else (notes and
/// kernel ids aside).
fn find(path: &Path, found: &mut Vec<PathBuf>) -> Result<bool, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() {
        let fault = |e: std::io::Error| format!("cannot read {}: {e}", path.display());
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(path).map_err(fault)? {
            entries.push(entry.map_err(fault)?.path());
        }
        entries.sort();
        let mut only = true;
        for entry in entries {
            only &= find(&entry, found)?;
        }
        return Ok(only);
    }
    if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
        found.push(path.to_owned());
        return Ok(true);
    }
    Ok(name.ends_with(".md") || name == "KERNEL-ID")
}

/// How an experiment's replay ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PagesVerdict {
    /// Everything agrees.
    Passed,
    /// The first step after which something differs, and what.
    Failed {
        /// Step, from 0.
        step: usize,
        /// The call.
        call: String,
        /// What differs, one a line.
        differences: Vec<String>,
    },
    /// What it is about is not simulated, for this reason.
    NotModelled(&'static str),
}

/// Replays one experiment up to the first step after which something differs.
///
/// # Errors
/// A record that cannot be understood.
pub fn replay(experiment: &Experiment) -> Result<PagesVerdict, String> {
    let place = format!("{}/{}", experiment.config, experiment.name);
    if let Some(why) = calls::not_modelled(experiment) {
        return Ok(PagesVerdict::NotModelled(why));
    }
    let mut machine = start(experiment)?;
    let mut folios = Folios::default();
    let mut processes = Processes::from([("P0".to_owned(), ProcessId(0))]);
    for (number, step) in experiment.steps.iter().enumerate() {
        let wrong = |e: String| format!("{place}: step {number}: {e}");
        let by = *processes
            .get(&step.by)
            .ok_or_else(|| wrong(format!("{}: no process", step.by)))?;
        let mut outcome = None;
        for request in calls::requests(step, experiment.page_size).map_err(wrong)? {
            outcome = perform(&mut machine, by, experiment, step, request).map_err(wrong)?;
        }
        if let (true, Some(Outcome::Value(child))) = (step.call == "fork()", outcome) {
            // Names of processes are given anew once one has ended.
            processes.insert(
                step.ret.clone(),
                ProcessId(u32::try_from(child).unwrap_or(0)),
            );
            outcome = None;
        }
        let expected = calls::expected(step).map_err(wrong)?;
        let mut differences = Vec::new();
        if let (Some(outcome), Some(expected)) = (outcome, expected)
            && outcome != expected
        {
            differences.push(format!(
                "result: recorded {expected:?}, simulated {outcome:?}"
            ));
        }
        if let Some(state) = &step.state {
            compare::state(
                &mut machine,
                state,
                &processes,
                &mut folios,
                &mut differences,
            )
            .map_err(wrong)?;
        }
        if !differences.is_empty() {
            return Ok(PagesVerdict::Failed {
                step: number,
                call: format!("{} {} = {}", step.by, step.call, step.ret),
                differences,
            });
        }
    }
    Ok(PagesVerdict::Passed)
}

/// Which process a name (`P0`, `P1`…) stands for now.
type Processes = std::collections::HashMap<String, ProcessId>;

/// End of user addresses on arm64 with 48 bits.
const USER_SPACE: u64 = 1 << 48;

/// The machine that the experiment was recorded on.
fn start(experiment: &Experiment) -> Result<Machine, String> {
    let kernel = match experiment.release.split('.').next() {
        Some("6") => KernelId::V6_12,
        Some("7") => KernelId::V7,
        _ => return Err(format!("{}: no kernel known for it", experiment.release)),
    };
    let page_size = match experiment.page_size {
        4096 => PageSize::K4,
        16384 => PageSize::K16,
        65536 => PageSize::K64,
        other => return Err(format!("{other}: no page size")),
    };
    let mut memory = MemoryDesign::from_parts(experiment.config.clone(), page_size)
        .with_contpte(ContPte::Merged)
        .on(Arch::Arm64);
    if kernel == KernelId::V7 {
        memory = memory.with_exec_folio(64 << 10);
    }
    // The one machine without FEAT_HAFDBS says so in its name.
    memory.hardware_af_dirty = !experiment.config.contains("noHAFDBS");
    let mut config = Config::new(Kernel::by_id(kernel), memory);
    config.limits.task_size = USER_SPACE;
    let mut machine = Machine::new(config);
    apply_settings(&mut machine, experiment)?;
    Ok(machine)
}

fn apply_settings(machine: &mut Machine, experiment: &Experiment) -> Result<(), String> {
    let settings = &experiment.settings;
    let mut write = |file: String, value: &str| {
        machine
            .memory_mut()
            .set_sysfs(&format!("{THP_DIR}{file}"), value)
            .map_err(|e| format!("{file} = {value}: {}", e.name()))
    };
    write("enabled".into(), &settings.enabled)?;
    for (sizes, file) in [
        (&settings.anon, "enabled"),
        (&settings.shmem, "shmem_enabled"),
    ] {
        let others = sizes.get("(others)").map_or("never", String::as_str);
        for order in 1..=13 {
            let kib = experiment.page_size >> 10 << order;
            // Not every kernel has every size: those named as on in a record where it has not
            // are off there too.
            let value = sizes.get(&kib.to_string()).map_or(others, String::as_str);
            let _ = write(format!("hugepages-{kib}kB/{file}"), value);
        }
    }
    Ok(())
}

fn perform(
    machine: &mut Machine,
    by: ProcessId,
    experiment: &Experiment,
    step: &record::Step,
    request: Request,
) -> Result<Option<Outcome>, String> {
    match request {
        Request::Nothing => Ok(None),
        Request::Call(call) => Ok(Some(machine.call(by, &call))),
        Request::File {
            path,
            flags,
            size,
            written,
        } => {
            let open = Call::Open {
                path: path.clone(),
                flags,
                fd: step.ret.parse().ok().filter(|_| written.is_none()),
                size: Some(size),
            };
            let outcome = machine.call(by, &open);
            let inode = machine
                .files()
                .inode_by_path(&path)
                .ok_or_else(|| format!("{path}: not opened"))?;
            machine
                .memory_mut()
                .set_file_system(inode, file_system(&path, experiment)?);
            // "Warm": an earlier experiment wrote the file in pieces of 1 MiB.
            let warm = experiment
                .note
                .as_deref()
                .is_some_and(|n| n.contains("warm"));
            if let Some(chunk) = written.or(warm.then_some(1 << 20)) {
                write_in_chunks(machine, inode, size, chunk);
            }
            Ok(Some(outcome).filter(|_| written.is_none()))
        }
    }
}

fn write_in_chunks(
    machine: &mut Machine,
    inode: sealab_core::file::InodeId,
    size: u64,
    chunk: u64,
) {
    // Filling the page cache is no work of the experiment's calls.
    let mut uncounted = Counts::default();
    let mut from = 0;
    while from < size {
        let to = (from + chunk.max(1)).min(size);
        machine
            .memory_mut()
            .write_file(&mut uncounted, inode, from, to);
        from = to;
    }
}

/// The file system a path stands for. How a tmpfs was mounted is in the experiment's note:
/// `tmpfs mounted huge=always; …`.
fn file_system(path: &str, experiment: &Experiment) -> Result<FileSystem, String> {
    match path.split('/').nth(2) {
        Some("ext4") => Ok(FileSystem::Ext4),
        Some("xfs") => Ok(FileSystem::Xfs),
        Some("t") => experiment
            .note
            .as_deref()
            .and_then(|note| note.split_once("huge="))
            .and_then(|(_, rest)| ShmemHuge::parse(rest.split(';').next().unwrap_or("")))
            .map(FileSystem::Tmpfs)
            .ok_or_else(|| format!("{path}: the note does not say huge=")),
        None if path == "/init" => Ok(FileSystem::Ramfs),
        _ => Err(format!("{path}: no file system known for it")),
    }
}
