//! What this build was held against, for the badge on the page.
//!
//! The counts of recordings are held to the recordings themselves by a test. The random programs
//! are those of the latest long run of `sealab verify --random`, entered by who ran it; every
//! `cargo xtask test` runs some more.

use serde::{Deserialize, Serialize};

/// The figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Recorded cases by kernel, all of which pass.
    pub recorded: Vec<Recorded>,
    /// Recorded arm64 experiments on page tables, all of which pass.
    pub page_records: u64,
    /// Experiments on what is not modelled (swap, compaction, …), listed by `sealab replay`.
    pub page_records_not_modelled: u64,
    /// Random programs on a real kernel.
    pub random: RandomPrograms,
}

/// Cases of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its id.
    pub kernel: String,
    /// How many.
    pub cases: u64,
}

/// Programs that a real kernel and the simulated one answered alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomPrograms {
    /// How many.
    pub programs: u64,
    /// Release of the real one.
    pub kernel: String,
    /// When.
    pub day: String,
}

/// What this build was held against.
#[must_use]
pub fn checked() -> Checked {
    // A test reads it, so that it cannot be broken in a build that was tested.
    serde_json::from_str(include_str!("../data/checked.json")).unwrap_or_default()
}
