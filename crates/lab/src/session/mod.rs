//! A scenario that was run under its variants: everything that reports and views are made from.

mod effect;
mod granule;
mod plan;
mod report;
mod rows;
mod spaces;
mod steps;

use sealab_core::call::{Mapping, ProcessId};
use sealab_scenario::maps::{self, MapsText};
use sealab_scenario::program::StatementKind;
use sealab_scenario::{Dialect, ParseOptions, Parsed, parse};

use crate::diff;
use crate::pages::Stretches;
use crate::report::{Diagnostic, Difference, Variant};
use crate::run::{self, Known, Progress, RunError, RunOptions, Setting, VariantRun, Watch};
use crate::start;
use crate::variant::{self, Resolved};

pub use effect::{Effect, merge_ranges};
pub use rows::{cell_text, marked, result_text};
pub(crate) use spaces::made_before;
pub use steps::Step;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The scenario or trace.
    pub text: String,
    /// The process's maps (or smaps) before the first call.
    pub maps: Option<String>,
    /// The process of a trace to take; the first that makes memory calls where absent.
    pub pid: Option<i64>,
}

/// A scenario with its runs.
pub struct Session {
    pub(crate) text: String,
    pub(crate) parsed: Parsed,
    pub(crate) maps: Option<MapsText>,
    pub(crate) runs: Vec<VariantRun>,
    pub(crate) steps: Vec<Step>,
    differences: Vec<Difference>,
    axis: spaces::FixedAxis,
    pub(crate) stretches: Option<Stretches>,
}

impl Session {
    /// Parses `input` and runs it under every variant, in order. `watch` is told how far it is and
    /// says whether to go on.
    ///
    /// # Errors
    /// A variant that there is not, maps that do not fit its pages, or a watch that said no. What
    /// is wrong with the text is no error: it is in [`Self::diagnostics`], and the rest still runs.
    pub fn run(
        input: Input,
        variants: &[Variant],
        options: &RunOptions,
        watch: &mut Watch<'_>,
    ) -> Result<Self, RunError> {
        let variants = variant::resolve_all(variants)?;
        let parse_options = ParseOptions {
            pid: input.pid,
            ..ParseOptions::default()
        };
        let parsed = parse(&input.text, &parse_options);
        let maps = input.maps.as_deref().map(maps::parse_maps);
        let mut runs = Vec::with_capacity(variants.len());
        let each = plan::calls(&parsed.program).min(options.max_calls);
        let mut progress = Progress {
            variants: variants.len(),
            total: each.saturating_mul(variants.len() as u64),
            ..Progress::default()
        };
        for (at, variant) in variants.into_iter().enumerate() {
            let before = progress.done;
            let mut watch_calls = |calls: u64| {
                progress.variant = at;
                progress.done = before.saturating_add(calls);
                watch(progress)
            };
            let setting = setting(&parsed, maps.as_ref(), &variant)?;
            let run = run::run(setting, variant, options, &mut watch_calls)?;
            progress.done = before.saturating_add(run.calls);
            runs.push(run);
        }
        let steps = steps::align(&runs);
        let mut session = Self {
            axis: spaces::FixedAxis::new(&mut runs, &steps),
            text: input.text,
            parsed,
            maps,
            runs,
            steps,
            differences: Vec::new(),
            stretches: None,
        };
        session.differences = diff::differences(&session);
        Ok(session)
    }

    /// How many listed calls there are; step 0 is before the first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The runs, in the order of the variants.
    #[must_use]
    pub fn runs(&self) -> &[VariantRun] {
        &self.runs
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was parsed of it.
    #[must_use]
    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// Where the designs differ, most telling first.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// What is wrong with the text, the maps, and what could not be run, each once.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut out: Vec<Diagnostic> = self.parsed.diagnostics.iter().map(diagnostic).collect();
        for fault in self.maps.iter().flat_map(|m| &m.diagnostics) {
            let mut fault = diagnostic(fault);
            fault.message = format!("in the maps: {}", fault.message);
            out.push(fault);
        }
        for run in &self.runs {
            for fault in run.faults.iter().map(diagnostic) {
                // A name without a value under one variant has none under several, as a rule.
                if !out.contains(&fault) {
                    out.push(fault);
                }
            }
        }
        out.extend(self.granule_warning());
        out
    }

    /// The first process's mappings under variant `variant` after step `step`.
    pub fn maps_at(&mut self, variant: usize, step: usize) -> Vec<Mapping> {
        let made = spaces::made_before(&self.steps, variant, step);
        self.runs.get_mut(variant).map_or_else(Vec::new, |run| {
            run.history
                .mappings(&run.records, made, ProcessId::default())
        })
    }
}

fn setting<'a>(
    parsed: &'a Parsed,
    maps: Option<&MapsText>,
    variant: &Resolved,
) -> Result<Setting<'a>, RunError> {
    let page = variant.memory.page_size;
    let start = match maps {
        Some(maps) => start::from_maps(maps, page),
        None if is_trace(parsed) => start::empty(page),
        None => sealab_core::start::StartState::bare(page),
    };
    if let Some(range) = start::misaligned(&start, page) {
        return Err(RunError::Granule {
            mapping: format!("{range:?}"),
            memory: variant.ids.memory.clone(),
            page: page.bytes(),
        });
    }
    Ok(Setting {
        program: &parsed.program,
        start,
        trace: is_trace(parsed).then_some(if maps.is_some() {
            Known::Maps
        } else {
            Known::Calls
        }),
    })
}

/// Whether a text is what a tool printed: then its results are a record, and what it does not
/// show is inferred. Names and loops are a person's, however many results the calls carry.
#[must_use]
pub fn is_trace(parsed: &Parsed) -> bool {
    let by_hand = parsed.program.statements().iter().any(|s| match s.kind {
        StatementKind::Call { bind, .. } => bind.is_some(),
        StatementKind::Pattern { .. } | StatementKind::Trace { .. } => false,
        _ => true,
    });
    parsed.dialect == Dialect::Trace && !by_hand
}

fn diagnostic(fault: &sealab_scenario::Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: fault.severity.name().to_owned(),
        code: fault.code.to_owned(),
        line: fault.line,
        column: fault.column,
        end_line: fault.end_line,
        end_column: fault.end_column,
        message: fault.message.clone(),
        hint: fault.hint.clone(),
    }
}
