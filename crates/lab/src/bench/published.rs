//! Published figures: each table as it was published, with its source and its machine in its first
//! lines. Nothing here is used to predict anything.

/// A published table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// A few words to name it by.
    pub short: &'static str,
    text: &'static str,
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $short:literal, $file:literal;)*) => {
        $($(#[$doc])* pub const $name: Table = Table {
            short: $short,
            text: include_str!(concat!("../../data/published/", $file, ".csv")),
        };)*
        /// All of them.
        pub const ALL: &[Table] = &[$($name),*];
    };
}

tables! {
    /// mmperf in reference cycles.
    MMPERF_CYCLES = "mseal v10, cycles", "mseal_v10_6.8_cycles";
    /// mmperf in nanoseconds.
    MMPERF_NS = "mseal v10, time", "mseal_v10_6.8_time_ns";
    /// will-it-scale mmap1 before and after the in-loop series.
    MMAP1 = "in-loop v3", "mseal_pedro_v3_mmap1";
    /// stress-ng pagemove on a Chromebook, means of 10 and of 100 runs.
    STRESS_NG = "mremap refactor, reply", "mseal_jeff_stressng_stats";
    /// The robot's report.
    ROBOT = "robot's report", "mseal_lkp_report_metrics";
    /// Its profile.
    ROBOT_PROFILE = "robot's report, profile", "mseal_lkp_report_perf_profile";
    /// The robot's re-test of the in-loop series.
    RETEST = "robot's re-test", "mseal_oliver_retest_2024-08-07";
    /// The robot's test of the mremap refactor.
    REFACTOR = "robot, mremap refactor", "mseal_oliver_mremap_refactor_summary";
    /// Kernel compilation, contpte v1.
    COMPILE_V1 = "contpte v1", "contpte_v1_kernel_compile";
    /// Kernel compilation, large anonymous folios v1.
    COMPILE_ANONFOLIO_V1 = "anonfolio v1", "anonfolio_v1_kernel_compile";
    /// Kernel compilation, large anonymous folios v2.
    COMPILE_ANONFOLIO_V2 = "anonfolio v2", "anonfolio_v2_kernel_compile";
    /// Kernel compilation, small-order THP v6.
    COMPILE_MTHP_V6 = "mTHP v6", "mthp_v6_kernel_compile";
    /// Kernel compilation, contpte v4.
    COMPILE_V4 = "contpte v4", "contpte_v4_kernel_compile";
    /// Kernel compilation, contpte v5.
    COMPILE_V5 = "contpte v5", "contpte_v5_kernel_compile";
    /// Peak memory of kernel compilation.
    MEMORY = "memory, 2023-07-10", "anonfolio_memory_2023-07-10";
    /// Speedometer, contpte v1.
    SPEEDOMETER_V1 = "contpte v1", "contpte_v1_speedometer20";
    /// Speedometer, large anonymous folios v1.
    SPEEDOMETER_ANONFOLIO_V1 = "anonfolio v1", "anonfolio_v1_speedometer20";
    /// Speedometer, large anonymous folios v2.
    SPEEDOMETER_ANONFOLIO_V2 = "anonfolio v2", "anonfolio_v2_speedometer20";
    /// Speedometer, small-order THP v6.
    SPEEDOMETER_MTHP_V6 = "mTHP v6", "mthp_v6_speedometer20";
    /// Speedometer, contpte v4 and v5.
    SPEEDOMETER_V4_V5 = "contpte v4, v5", "contpte_v4_v5_speedometer";
}

impl Table {
    /// Where it is from: the mail's subject, author, date and Message-Id.
    #[must_use]
    pub fn source(self) -> &'static str {
        self.remarks().next().unwrap_or("")
    }

    /// The mail in the kernel's public archive, by its Message-Id.
    #[must_use]
    pub fn url(self) -> String {
        let id = self
            .remarks()
            .filter_map(|line| {
                let text = line.split_once('<').map_or(line, |(_, rest)| rest);
                let end = text.find(['>', ' ', ',', ')']).unwrap_or(text.len());
                let id = text.get(..end)?;
                id.contains('@').then_some(id)
            })
            .next();
        // The robot's mail stands without brackets in its table.
        let bare = || {
            self.source()
                .split([' ', ',', '('])
                .find(|word| word.contains('@') && word.contains('.'))
        };
        match id.or_else(bare) {
            Some(id) => format!(
                "https://lore.kernel.org/all/{}/",
                id.trim_matches(['<', '>']).replace('/', "%2F")
            ),
            None => String::new(),
        }
    }

    /// The machine it was measured on; empty where the mail does not say.
    #[must_use]
    pub fn machine(self) -> &'static str {
        self.remarks()
            .find_map(|line| line.strip_prefix("machine: "))
            .or_else(|| self.remarks().nth(1))
            .unwrap_or("")
    }

    fn remarks(self) -> impl Iterator<Item = &'static str> {
        self.text.lines().filter_map(|line| line.strip_prefix("# "))
    }

    /// Its rows.
    pub fn rows(self) -> impl Iterator<Item = Row> {
        let mut lines = self.text.lines().filter(|line| !line.starts_with('#'));
        let head: Vec<&'static str> = lines.next().unwrap_or("").split(',').collect();
        lines.filter(|line| !line.is_empty()).map(move |line| Row {
            fields: head.iter().copied().zip(line.split(',')).collect(),
        })
    }

    /// The row whose column `column` is `value`.
    #[must_use]
    pub fn row(self, column: &str, value: &str) -> Option<Row> {
        self.rows().find(|row| row.text(column) == value)
    }
}

/// A row of a published table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    fields: Vec<(&'static str, &'static str)>,
}

impl Row {
    /// A field as it stands; empty where there is none.
    #[must_use]
    pub fn text(&self, column: &str) -> &'static str {
        let found = self.fields.iter().find(|(name, _)| *name == column);
        found.map_or("", |(_, value)| value)
    }

    /// A field as a number.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_rows_a_source_and_a_link() {
        for table in ALL {
            assert!(table.rows().count() > 0, "{}", table.short);
            assert!(!table.machine().is_empty(), "{}", table.short);
            let url = table.url();
            assert!(
                url.contains('@') && !url.contains(' '),
                "{}: {url}",
                table.short
            );
        }
        assert_eq!(
            MMPERF_CYCLES.url(),
            "https://lore.kernel.org/all/20240415163527.626541-1-jeffxu@chromium.org/"
        );
        assert_eq!(MMPERF_NS.rows().count(), 18);
    }

    #[test]
    fn no_table_has_a_speedometer_row_for_64k_pages() {
        for table in [
            SPEEDOMETER_V1,
            SPEEDOMETER_ANONFOLIO_V1,
            SPEEDOMETER_MTHP_V6,
        ] {
            assert!(
                table
                    .rows()
                    .all(|row| !row.text("kernel").starts_with("baseline-64k")
                        && row.text("kernel") != "64k-page")
            );
        }
    }
}
