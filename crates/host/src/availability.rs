//! Whether the kernel underneath can be asked, and which simulated one answers for it.

use sealab_core::kernel::KernelId;

use crate::conditions::Conditions;
use crate::error::HostError;
use crate::spawn;
use crate::system::{Host, RunnerConfig};

/// What is known of the kernel underneath.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// Its release, as `uname -r` says it.
    pub release: String,
    /// The simulated kernel that should answer as it does.
    pub id: KernelId,
    /// Whether `id` was recorded on a kernel of this series; otherwise it is the nearest.
    pub recorded: bool,
    /// What it sets.
    pub conditions: Conditions,
}

/// Whether programs can be run on the kernel underneath.
#[derive(Clone, Debug)]
pub enum Availability {
    /// They can.
    Ready(KernelInfo),
    /// They cannot; why, as a clause.
    Skipped(String),
}

/// Looks at this machine: architecture, kernel, mseal, and whether a runner starts.
#[must_use]
pub fn availability() -> Availability {
    match look() {
        Ok(info) => Availability::Ready(info),
        Err(HostError::Unavailable(reason)) => Availability::Skipped(reason),
        Err(other) => Availability::Skipped(format!("no runner can be started here: {other}")),
    }
}

fn look() -> Result<KernelInfo, HostError> {
    let (release, machine) = spawn::uname().map_err(HostError::io("uname"))?;
    if !spawn::has_runner() {
        return Err(HostError::Unavailable(format!(
            "calls can be run on x86-64 only, and this is {machine}"
        )));
    }
    if let Err(error) = spawn::try_mseal() {
        return Err(HostError::Unavailable(match error.raw_os_error() {
            Some(libc::ENOSYS) => format!("Linux {release} has no mseal (6.10 and later have it)"),
            _ => format!("mseal is refused here, probably by a container's filter: {error}"),
        }));
    }
    let (id, recorded) = kernel_of(&release).ok_or_else(|| {
        HostError::Unavailable(format!(
            "Linux {release} has mseal, but no simulated kernel resembles it"
        ))
    })?;
    let host = Host::open(RunnerConfig::default())?;
    Ok(KernelInfo {
        id,
        recorded,
        conditions: host.conditions().clone(),
        release,
    })
}

/// The simulated kernel for a release with mseal, and whether that very series was recorded.
fn kernel_of(release: &str) -> Option<(KernelId, bool)> {
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(str::parse::<u32>);
    let major = numbers.next()?.ok()?;
    let minor = numbers.next()?.ok()?;
    let patch = numbers.next().and_then(Result::ok).unwrap_or(0);
    Some(match (major, minor) {
        // 6.10.7 took the test by bits back.
        (6, 10) => match patch {
            0..=6 => (KernelId::V6_10, true),
            _ => (KernelId::V6_11, false),
        },
        (6, 11) => (KernelId::V6_11, true),
        (6, 12) => (KernelId::V6_12, true),
        (6, 13..=16) => (KernelId::V6_12, false),
        (6, 17) => (KernelId::V6_18, false),
        (6, 18) => (KernelId::V6_18, true),
        (6, 19..) => (KernelId::V7, false),
        (7, minor) => (KernelId::V7, minor == 2),
        (8.., _) => (KernelId::V7, false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_name_their_kernel() {
        let cases = [
            ("6.18.44-fc-v782", Some((KernelId::V6_18, true))),
            ("6.10.3", Some((KernelId::V6_10, true))),
            ("6.10.7", Some((KernelId::V6_11, false))),
            ("6.12.8+deb13-amd64", Some((KernelId::V6_12, true))),
            ("6.15", Some((KernelId::V6_12, false))),
            ("7.2.8", Some((KernelId::V7, true))),
            ("7.0-rc1", Some((KernelId::V7, false))),
            ("6.8.0-45-generic", None),
            ("unknown", None),
        ];
        for (release, expected) in cases {
            assert_eq!(kernel_of(release), expected, "{release}");
        }
    }
}
