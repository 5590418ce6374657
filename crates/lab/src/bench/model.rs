//! How counts of a workload become shares of time: few weights, fitted to declared rows of the
//! published tables (`data/bench/altra.json`, written by the `fit` example).

use std::sync::OnceLock;

use sealab_core::meter::Counter;
use serde::{Deserialize, Serialize};

use super::workload::Observed;

/// Weights of the two workloads on one processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkloadModel {
    /// The processor's profile.
    pub cpu: String,
    /// Kernel compilation.
    pub compile: CompileWeights,
    /// Speedometer.
    pub speedometer: SpeedometerWeights,
    /// Which rows the weights were fitted to.
    pub fitted: Vec<String>,
}

/// Weights of kernel compilation, in percent of the baseline's kernel, user or whole time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompileWeights {
    /// Of kernel time: page-table entries and what goes by pages.
    pub entries: f64,
    /// Of kernel time: faults.
    pub faults: f64,
    /// Of kernel time, more for a fault that zeroes a large folio.
    pub large: f64,
    /// Of kernel time, less in the series of 2023-06 as posted, which also copied large folios on
    /// write and zapped in batches.
    pub posted: f64,
    /// Of user time: walks of fetches.
    pub fetches: f64,
    /// Of user time: walks of loads and stores.
    pub data: f64,
    /// The kernel's share of all time, with up to 16 jobs.
    pub share: f64,
    /// The same with more jobs than the machine runs at once.
    pub share_many: f64,
    /// Of memory: the edges of files and mappings, for each KiB that a page is larger; few jobs.
    pub edges: f64,
    /// The same with many jobs.
    pub edges_many: f64,
    /// Of memory: how much of the workload's own growth shows; few jobs.
    pub growth: f64,
    /// The same with many jobs.
    pub growth_many: f64,
}

/// Weights of Speedometer, in percent of the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeedometerWeights {
    /// For each percent of kernel time saved.
    pub kernel: f64,
    /// Walks of fetches.
    pub fetches: f64,
    /// Walks of loads and stores.
    pub data: f64,
    /// Of memory: how much of the workload's own growth shows.
    pub growth: f64,
}

/// From how many jobs on the processors are oversubscribed.
pub const MANY_JOBS: u32 = 16;

/// What a workload takes under a memory, relative to the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Relative {
    /// Page-table entries written and cleared.
    pub entries: f64,
    /// Faults.
    pub faults: f64,
    /// Faults that zeroed a large folio, to the baseline's faults.
    pub large: f64,
    /// Walks of fetches.
    pub fetches: f64,
    /// Walks of loads and stores.
    pub data: f64,
    /// Resident memory.
    pub resident: f64,
    /// KiB that a page is larger than 4.
    pub page_more: f64,
}

impl Relative {
    /// `other` against `base`.
    #[must_use]
    pub fn of(base: &Observed, other: &Observed, page_bytes: u64) -> Self {
        let ratio = |a: u64, b: u64| a as f64 / b.max(1) as f64;
        let entries =
            |o: &Observed| o.counts.get(Counter::PteWrite) + o.counts.get(Counter::PteClear);
        let faults = base.counts.get(Counter::PageFault);
        Self {
            entries: ratio(entries(other), entries(base)),
            faults: ratio(other.counts.get(Counter::PageFault), faults),
            large: ratio(other.counts.get(Counter::LargeFolioZeroed), faults),
            fetches: ratio(other.fetch_walks, base.fetch_walks),
            data: ratio(other.data_walks, base.data_walks),
            resident: ratio(other.resident, base.resident),
            page_more: page_bytes as f64 / 1024.0 - 4.0,
        }
    }

    /// What kernel-time weights multiply: entries and faults saved, and large folios, which cost.
    #[must_use]
    pub fn kernel_terms(&self) -> [f64; 3] {
        [1.0 - self.entries, 1.0 - self.faults, -self.large]
    }

    /// What user-time weights multiply: walks saved.
    #[must_use]
    pub fn user_terms(&self) -> [f64; 2] {
        [1.0 - self.fetches, 1.0 - self.data]
    }
}

impl CompileWeights {
    /// Change of kernel time in percent; `posted`: under the series as posted in 2023-06.
    #[must_use]
    pub fn kern(&self, relative: &Relative, posted: bool) -> f64 {
        let [entries, faults, large] = relative.kernel_terms();
        let saved = entries * self.entries + faults * self.faults + large * self.large;
        -saved - if posted { self.posted } else { 0.0 }
    }

    /// Change of user time in percent.
    #[must_use]
    pub fn user(&self, relative: &Relative) -> f64 {
        let [fetches, data] = relative.user_terms();
        -(fetches * self.fetches + data * self.data)
    }

    /// Change of elapsed time in percent: the kernel's and the user's, by their shares.
    #[must_use]
    pub fn real(&self, kern: f64, user: f64, jobs: u32) -> f64 {
        let share = if jobs > MANY_JOBS {
            self.share_many
        } else {
            self.share
        };
        share * kern + (1.0 - share) * user
    }

    /// Change of the peak of memory in percent.
    #[must_use]
    pub fn memory(&self, relative: &Relative, jobs: u32) -> f64 {
        let (edges, growth) = if jobs > MANY_JOBS {
            (self.edges_many, self.growth_many)
        } else {
            (self.edges, self.growth)
        };
        let own = if relative.page_more > 0.0 {
            0.0
        } else {
            (relative.resident - 1.0) * 100.0
        };
        edges * relative.page_more + growth * own
    }
}

impl SpeedometerWeights {
    /// Change of the rate in percent, with the kernel time saved as `kern` says.
    #[must_use]
    pub fn rate(&self, relative: &Relative, kern: f64) -> f64 {
        let [fetches, data] = relative.user_terms();
        -kern * self.kernel + fetches * self.fetches + data * self.data
    }

    /// Change of the peak of memory in percent.
    #[must_use]
    pub fn memory(&self, relative: &Relative) -> f64 {
        self.growth * (relative.resident - 1.0) * 100.0
    }
}

/// The fitted weights.
#[must_use]
pub fn altra() -> &'static WorkloadModel {
    static MODEL: OnceLock<WorkloadModel> = OnceLock::new();
    // The project's own data, held valid by the test below.
    MODEL.get_or_init(|| {
        serde_json::from_str(include_str!("../../data/bench/altra.json")).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_there_and_none_is_negative() {
        let weights = altra().compile;
        assert!(weights.faults > 0.0 && weights.entries > 0.0 && weights.share > 0.0);
        assert!(weights.fetches >= 0.0 && weights.data > 0.0 && weights.large >= 0.0);
        assert!(altra().speedometer.data > 0.0);
        assert!(!altra().fitted.is_empty());
    }

    #[test]
    fn elapsed_time_lies_between_the_kernels_and_the_users() {
        let real = altra().compile.real(-40.0, -2.0, 8);
        assert!(real > -40.0 && real < -2.0);
    }
}
