//! Messages between a page and the worker that simulates for it.
//!
//! A page sends `{v, id, kind, body}`; the worker answers with the same `id`, any number of times
//! `progress` and once `done` or `error`. Ids grow, so that an answer to a question that nobody
//! asks any more can be told and dropped. What a view shows is asked for window by window: a trace
//! of a hundred thousand calls never crosses in one piece.
//!
//! Plain data only: both sides are compiled apart, and an outside page may write the messages by
//! hand.

use serde::{Deserialize, Serialize};

mod view;

pub use sealab_scenario::link::{LinkState, LinkVariant};
pub use view::*;

/// Version of the messages. A worker refuses any other, so that a page that was cached together
/// with an older worker says so instead of misreading it.
pub const VERSION: u32 = 1;

/// What a page can ask, by the `kind` of its message.
pub mod kind {
    /// Body [`super::RunRequest`], answer [`super::Overview`]: simulate, and hold the result.
    pub const RUN: &str = "run";
    /// Body `{"id": …}`: stop that question. It is answered with the error `cancelled`.
    pub const CANCEL: &str = "cancel";
    /// Body [`super::StepRequest`], answer [`super::SpaceView`]: the address spaces after a step.
    pub const SPACE: &str = "space";
    /// Body [`super::RowsRequest`], answer [`super::Rows`]: a window of the calls.
    pub const ROWS: &str = "rows";
    /// Body [`super::StepRequest`], answer [`super::StepDetail`]: one call's counts and walks.
    pub const STEP: &str = "step";
    /// Body [`super::RunId`], answer [`super::CostView`]: what the run cost, and why.
    pub const COST: &str = "cost";
    /// Body [`super::PagesRequest`], answer [`super::PagesView`]: pages, folios, contiguous blocks
    /// and TLB entries of a stretch of memory after a step.
    pub const PAGES: &str = "pages";
    /// Body [`super::TextRequest`], answer: the text's tokens, in UTF-16 units.
    pub const TOKENS: &str = "tokens";
    /// Body [`super::CursorRequest`], answer: what may be written there.
    pub const COMPLETE: &str = "complete";
    /// Body [`super::CursorRequest`], answer: help on what stands there, or null.
    pub const HOVER: &str = "hover";
    /// Body [`super::LinkState`], answer: the link's fragment, with its `#`.
    pub const ENCODE_LINK: &str = "encodeLink";
    /// Body [`super::TextRequest`] with a fragment, answer [`super::LinkState`].
    pub const DECODE_LINK: &str = "decodeLink";
    /// No body, answer [`super::Catalogue`]: what can be chosen from.
    pub const CATALOGUE: &str = "catalogue";
    /// Body [`super::RunId`], answer: the result as a Markdown table.
    pub const MARKDOWN: &str = "markdown";
    /// Body [`super::ReportRequest`], answer: the whole report (`sealab-report/1`).
    pub const REPORT: &str = "report";
    /// Body [`super::RunId`], answer: the calls as CSV.
    pub const CSV: &str = "csv";
    /// Body [`super::PictureRequest`], answer: [`super::Drawn`], a view as a file.
    pub const PICTURE: &str = "picture";
}

/// How a question went, by the `kind` of the answer.
pub mod answer {
    /// Body [`super::Progress`]; more follow.
    pub const PROGRESS: &str = "progress";
    /// Body as the question's kind says; the last answer.
    pub const DONE: &str = "done";
    /// Body [`super::Fault`]; the last answer.
    pub const ERROR: &str = "error";
    /// Sent once with id 0, unasked: the worker has started and listens.
    pub const READY: &str = "ready";
}

/// How far a long question is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps done.
    pub done: u64,
    /// Steps in all, as far as is known; 0 where it is not.
    pub total: u64,
}

/// Why a question has no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Stable name: `cancelled`, `superseded`, `version`, `message`, `link`, `gone`, `internal`.
    pub code: String,
    /// For a person: what happened and what to do.
    pub message: String,
}

impl Fault {
    /// A fault with a stable `code` and words for a person.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

/// Names one run, so that a view cannot mix two: the id of the message that asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunId {
    /// The id.
    pub run: u64,
}

/// Simulate this.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The scenario.
    pub text: String,
    /// Under which variants, in order.
    pub variants: Vec<Variant>,
    /// The process of a trace to take; the first that makes memory calls when absent.
    #[serde(default)]
    pub pid: Option<i64>,
    /// The starting `/proc/PID/maps`, if any; a bare process when absent.
    #[serde(default)]
    pub maps: Option<String>,
}

/// One step of one run. Step 0 is the start, step n is after the nth call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRequest {
    /// Which run.
    pub run: u64,
    /// Which step.
    pub step: usize,
}

/// A view of a run at a step, as a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PictureRequest {
    /// Which run.
    pub run: u64,
    /// Which step; the first at which the variants differ when absent, else the last.
    pub step: Option<usize>,
    /// `space` or `calls`.
    pub view: String,
    /// `auto`, `light` or `dark`.
    pub theme: String,
    /// Least width, in CSS pixels; a usual one when 0.
    pub width: f64,
    /// The link that reproduces it, for the metadata.
    pub link: String,
}

/// A view drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// The step it shows.
    pub step: usize,
    /// How many steps there are.
    pub steps: usize,
    /// The step in words.
    pub caption: String,
    /// The picture, as SVG text.
    pub svg: String,
    /// The calls around the step as an HTML table.
    pub table: String,
    /// Where the designs differ, a sentence each.
    pub differences: Vec<String>,
}

/// A window of a run's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsRequest {
    /// Which run.
    pub run: u64,
    /// Place of the first row among those that pass the filter.
    pub first: usize,
    /// How many rows.
    pub count: usize,
    /// Only rows in which the variants differ, or one differs from what was recorded.
    #[serde(default)]
    pub differing: bool,
}

/// Pages of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagesRequest {
    /// Which run.
    pub run: u64,
    /// After which step.
    pub step: usize,
    /// Which stretch of memory; the one that the step is about where absent.
    #[serde(default)]
    pub region: Option<usize>,
    /// First byte, counted from the stretch's start.
    #[serde(default)]
    pub from: u64,
    /// How many bytes; 0: as many as are shown at first.
    #[serde(default)]
    pub len: u64,
}

/// A whole report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRequest {
    /// Which run.
    pub run: u64,
    /// With every page at the end, and what each call did to contiguous blocks.
    #[serde(default)]
    pub pages: bool,
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRequest {
    /// The text.
    pub text: String,
}

/// A place in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorRequest {
    /// The text.
    pub text: String,
    /// The place, in UTF-16 units.
    pub offset: usize,
}
