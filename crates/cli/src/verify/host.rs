//! The two kernels, set alike.

use std::path::Path;

use sealab_core::call::{Call, Mapping, Outcome, ProcessId};
use sealab_core::kernel::Kernel;
use sealab_core::machine::{Config, Machine};
use sealab_core::paging::MemoryDesign;
use sealab_host::{Host, HostError, HostSystem, KernelInfo};
use sealab_lab::verify::{Asked, Run, Step};

/// A simulated machine that starts and is limited as the real one is.
pub fn simulated(host: &Host, info: &KernelInfo) -> Machine {
    Machine::new(Config {
        kernel: Kernel::by_id(info.id),
        memory: MemoryDesign::BASELINE_4K.on(sealab_core::paging::Arch::X86_64),
        limits: host.limits().clone(),
        start: host.start_state().clone(),
    })
}

/// Runs a program on the real kernel.
pub fn real(host: &mut Host, program: &[Step]) -> Result<Run, HostError> {
    let run = host.run_program(program)?;
    Ok(Run {
        outcomes: run.outcomes,
        after: run.after,
    })
}

/// Which kernels are compared, and what a reader must know of this machine.
pub fn heading(info: &KernelInfo) -> String {
    let name = Kernel::by_id(info.id).name;
    let mut text = format!("Linux {} against the simulated {name}", info.release);
    if !info.recorded {
        text += " (the nearest: that release was not recorded)";
    }
    for deviation in &info.conditions.deviations {
        text += "\nnote: ";
        text += deviation;
        text += ", which is not simulated; answers may differ for it";
    }
    text
}

/// So that `sealab replay` takes the folder.
pub fn name_kernel(folder: &Path, info: &KernelInfo) -> std::io::Result<()> {
    let name = Kernel::by_id(info.id).name;
    std::fs::write(folder.join("KERNEL-ID"), format!("{name}\n"))
}

/// The real kernel as a scenario asks it.
pub struct Real<'a>(pub HostSystem<'a>);

impl Asked for Real<'_> {
    type Refusal = HostError;

    fn ask(&mut self, by: ProcessId, call: &Call) -> Result<Outcome, HostError> {
        self.0.try_call(by, call)
    }

    fn mappings(&mut self) -> Result<Vec<Mapping>, HostError> {
        self.0.try_mappings(ProcessId(0))
    }
}
