//! The example scenarios: what a new page shows, what documentation links to, what the golden
//! reports hold.

/// An example scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Example {
    /// Its name in links and files.
    pub slug: &'static str,
    /// Its text; its first lines, comments, are the title and the explanation.
    pub text: &'static str,
    /// Kernels it is best compared under.
    pub kernels: &'static [&'static str],
    /// Memories it is best compared under.
    pub memories: &'static [&'static str],
}

macro_rules! examples {
    ($($slug:literal: [$($kernel:literal)+] x [$($memory:literal)+];)*) => {
        &[$(Example {
            slug: $slug,
            text: include_str!(concat!("../../../gallery/", $slug, ".seal")),
            kernels: &[$($kernel),+],
            memories: &[$($memory),+],
        }),*]
    };
}

/// All examples; the first is what a new page shows.
pub const EXAMPLES: &[Example] = examples! {
    "mprotect-across-a-seal": ["6.8" "6.11" "6.12"] x ["baseline-4k"];
    "munmap-across-a-seal": ["6.8" "6.11" "6.12"] x ["baseline-4k"];
    "mremap-and-seals": ["6.11" "6.12" "6.18"] x ["baseline-4k"];
    "mremap-walks": ["6.8" "6.11" "6.12"] x ["baseline-4k"];
    "source-first": ["6.11" "6.11-src-first" "6.12"] x ["baseline-4k"];
    "madvise-on-sealed": ["6.10" "6.11" "6.12"] x ["baseline-4k"];
    "map-fixed-over-a-seal": ["6.11" "6.12"] x ["baseline-4k"];
    "loader-seals-a-library": ["6.11" "6.12" "6.18"] x ["baseline-4k"];
    "heap-and-brk": ["6.8" "6.11" "6.12"] x ["baseline-4k"];
    "mmperf": ["6.8" "6.11" "6.12"] x ["baseline-4k"];
    "mmap1": ["6.8" "6.11" "6.12"] x ["baseline-4k"];
    "real-program": ["6.12" "6.18"] x ["baseline-4k"];
    "several-mappings-at-once": ["6.12" "6.18"] x ["baseline-4k"];
    "merging-touched-memory": ["6.12" "6.18"] x ["baseline-4k"];
    "where-memory-is-placed": ["6.11" "6.12"] x ["baseline-4k"];
    "first-touch": ["6.18"] x ["baseline-4k" "anonfolio" "contpte" "baseline-16k" "baseline-64k"];
    "read-then-write": ["6.18"] x ["baseline-4k" "anonfolio" "contpte"];
    "mprotect-one-page": ["6.12" "6.18"] x ["baseline-4k" "contpte" "contpte-v1"];
    "last-page-refolds": ["6.18"] x ["anonfolio" "contpte" "contpte-v1"];
    "fork-and-cow": ["6.12" "6.18"] x ["baseline-4k" "contpte"];
    "misaligned-mremap": ["6.12" "6.18"] x ["baseline-4k" "contpte"];
    "madvise-free-part": ["6.8" "6.12"] x ["anonfolio" "contpte"];
    "mseal-across-a-block": ["6.11" "6.12" "6.18"] x ["contpte"];
    "executable-text": ["6.18"] x ["baseline-4k" "contpte" "exefolio" "contpte-16k"];
    "fault-around-16k": ["6.18"] x ["baseline-4k" "baseline-16k" "baseline-64k"];
    "pages-of-64k-waste": ["6.18"] x ["baseline-4k" "contpte" "baseline-16k" "baseline-64k" "contpte-64k"];
};

impl Example {
    /// The example of that name.
    #[must_use]
    pub fn by_slug(slug: &str) -> Option<&'static Self> {
        EXAMPLES.iter().find(|e| e.slug == slug)
    }

    /// Its title: the first line's comment.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.text.lines().next().map_or("", comment)
    }

    /// What it shows: the comments that follow the title, as one paragraph.
    #[must_use]
    pub fn explanation(&self) -> String {
        let lines = self.text.lines().skip(1);
        let comments = lines.take_while(|line| line.starts_with('#')).map(comment);
        comments.collect::<Vec<_>>().join(" ")
    }

    /// The variants it is best compared under.
    #[must_use]
    pub fn variants(&self) -> Vec<crate::report::Variant> {
        let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        crate::variant::product(
            &owned(self.kernels),
            &owned(self.memories),
            crate::cost::DEFAULT_CPU,
        )
    }
}

fn comment(line: &str) -> &str {
    line.trim_start_matches('#').trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_scenario::{ParseOptions, parse};

    #[test]
    fn every_example_is_titled_and_without_fault() {
        for example in EXAMPLES {
            assert!(!example.title().is_empty(), "{}", example.slug);
            assert!(!example.explanation().is_empty(), "{}", example.slug);
            let parsed = parse(example.text, &ParseOptions::default());
            assert!(
                !parsed.has_errors(),
                "{}: {:?}",
                example.slug,
                parsed.diagnostics
            );
            for variant in example.variants() {
                crate::variant::resolve(&variant).expect("known ids");
            }
        }
    }

    #[test]
    fn slugs_are_unique() {
        for example in EXAMPLES {
            assert_eq!(Example::by_slug(example.slug), Some(example));
        }
    }
}
