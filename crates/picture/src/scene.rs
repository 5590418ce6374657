//! What a picture shows: a session at a step, taken out of it as plain data.

use sealab_lab::session::Session;
use sealab_lab::view::{Row, Rows, SpaceView};

use crate::markup::fingerprint;
use crate::{Theme, calls, space};

/// Most calls that one picture or table lists; it says how many more there are.
pub const ROWS_MAX: usize = 200;
/// Width of a picture unless told otherwise, in CSS pixels.
pub const WIDTH: f64 = 860.0;
/// Greatest width that can be asked for.
pub const WIDTH_MAX: f64 = 4_000.0;

/// A view of a result that can be drawn as a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The address spaces on one axis.
    #[default]
    Space,
    /// The calls, one a row.
    Calls,
}

impl View {
    /// Every view.
    pub const ALL: [Self; 2] = [Self::Space, Self::Calls];

    /// Its name in links, options and attributes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Calls => "calls",
        }
    }

    /// The view of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// A variant's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// What tells it from the others, for example `6.12`.
    pub id: String,
    /// What its design is called.
    pub label: String,
}

/// A session at a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// What the scenario is called.
    pub title: String,
    /// The step shown: 0 is the start, n is after the nth call.
    pub step: usize,
    /// How many steps there are.
    pub steps: usize,
    /// The step's call.
    pub call: Option<Row>,
    /// The variants, in order.
    pub names: Vec<Name>,
    /// The address spaces.
    pub space: SpaceView,
    /// The calls around the step, at most [`ROWS_MAX`].
    pub rows: Rows,
    /// Where the designs differ, a sentence each.
    pub differences: Vec<String>,
    /// What each variant came to in all.
    pub totals: Vec<String>,
    /// What a reader of the result must be told.
    pub notes: Vec<String>,
}

impl Scene {
    /// `session` at `step`; without one at the first step where the designs differ, else at the
    /// end. A step beyond the last is the last.
    #[must_use]
    pub fn of(session: &mut Session, step: Option<usize>) -> Self {
        let steps = session.steps().len();
        let step = step.unwrap_or_else(|| finding(session)).min(steps);
        let row = |at: usize| session.rows(at, 1, false).rows.into_iter().next();
        let call = step.checked_sub(1).and_then(row);
        let first = step.saturating_sub(ROWS_MAX / 2);
        let first = first.min(steps.saturating_sub(ROWS_MAX));
        let names = session.runs().iter().enumerate().map(|(at, run)| Name {
            id: session.name(at),
            label: run.variant.kernel.label.to_owned(),
        });
        let differences = session.differences().iter();
        Self {
            title: title(session.text()),
            step,
            steps,
            call,
            names: names.collect(),
            rows: session.rows(first, ROWS_MAX, false),
            differences: differences.map(|d| d.sentence.clone()).collect(),
            totals: session.totals(),
            notes: session.notes(),
            space: session.space(step),
        }
    }

    /// The step in words: `Step 3 of 6, line 7: mprotect(…)`.
    #[must_use]
    pub fn caption(&self) -> String {
        let Self { step, steps, .. } = self;
        match &self.call {
            Some(row) => format!("Step {step} of {steps}, line {}: {}", row.line, row.text),
            None => format!("Before the first of {steps} calls"),
        }
    }
}

/// The step that a reader is shown first.
fn finding(session: &Session) -> usize {
    let telling = session.differences().iter().find_map(|d| d.call);
    telling.map_or(session.steps().len(), |call| call.saturating_add(1))
}

/// What a scenario is called: its first comment, else its first line.
#[must_use]
pub fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("Empty scenario");
    let words = line.trim_start_matches(['#', '/']).trim();
    let long = words.chars().nth(80).is_some();
    let mut title: String = words.chars().take(80).collect();
    if long {
        title.push('…');
    }
    title
}

/// A scene and how it is to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture<'a> {
    /// What is shown.
    pub scene: &'a Scene,
    /// As what.
    pub view: View,
    /// In which colours.
    pub theme: Theme,
    /// Least width, in CSS pixels.
    pub width: f64,
    /// The link that reproduces it; goes into the metadata.
    pub link: &'a str,
}

impl<'a> Picture<'a> {
    /// A picture of `scene` as it is drawn unless told otherwise.
    #[must_use]
    pub fn of(scene: &'a Scene) -> Self {
        Self {
            scene,
            view: View::Space,
            theme: Theme::Auto,
            width: WIDTH,
            link: "",
        }
    }

    /// The picture as SVG text: colours and faces inlined, titled and described, escaped.
    #[must_use]
    pub fn svg(&self) -> String {
        match self.view {
            View::Space => space::svg(self),
            View::Calls => calls::svg(self),
        }
    }

    /// A prefix for ids inside the picture: several may stand in one page.
    pub(crate) fn id(&self) -> String {
        let (scene, step) = (self.scene, self.scene.step.to_string());
        let parts = [&scene.title, self.view.name(), self.theme.name(), self.link];
        let calls = scene.rows.rows.iter().map(|row| row.text.as_str());
        let names = scene.names.iter().map(|name| name.id.as_str());
        let all: Vec<&str> = parts.into_iter().chain(names).chain(calls).collect();
        format!("s{}-{step}", fingerprint(&all))
    }
}
