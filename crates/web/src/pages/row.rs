//! One variant's pages, drawn.

use std::fmt::Write as _;

use sealab_protocol::{PageRun, PagesRow, PagesView as Pages, page_flag as flag};
use yew::prelude::*;

use super::Pointed;
use crate::store::Shared;

/// Height of a row in CSS pixels.
const HEIGHT: f64 = 46.0;
/// Top of the pages.
const TOP: f64 = 7.0;
/// Height of the pages.
const TALL: f64 = HEIGHT - 2.0 * TOP;
/// Room at both ends for outlines.
const END_PX: f64 = 3.0;
/// Least width of a page that is drawn with its own edges and marks.
const OWN_PX: f64 = 2.5;
/// More runs than these are not reached with the tab key one by one; the pages as text are.
const TABBABLE_MAX: usize = 60;

/// Properties of [`Row`].
#[derive(Properties, PartialEq)]
pub struct RowProps {
    /// Which row.
    pub index: usize,
    /// What it is called.
    pub name: String,
    /// What is shown.
    pub pages: Shared<Pages>,
    /// Width in CSS pixels.
    pub width: f64,
    /// What is pointed at, in any row.
    pub pointed: Option<Pointed>,
    /// Called when something else is.
    pub on_point: Callback<Option<Pointed>>,
}

/// Places of a row's pages.
#[derive(Clone, Copy)]
struct Scale {
    /// Width of a page in CSS pixels.
    page: f64,
}

impl Scale {
    fn at(self, page: u32) -> f64 {
        END_PX + f64::from(page) * self.page
    }

    fn width(self, pages: u32) -> f64 {
        f64::from(pages) * self.page
    }
}

/// The row.
#[component]
pub fn Row(props: &RowProps) -> Html {
    let Some(row) = props.pages.rows.get(props.index) else {
        return Html::default();
    };
    #[allow(clippy::cast_precision_loss)] // some thousands
    let count = (props.pages.len as f64 / row.page_bytes.max(1) as f64).max(1.0);
    let scale = Scale {
        page: (props.width - 2.0 * END_PX).max(1.0) / count,
    };
    let tabbable = row.runs.len() <= TABBABLE_MAX;
    let leave = {
        let on_point = props.on_point.clone();
        Callback::from(move |_: MouseEvent| on_point.emit(None))
    };
    html! {
        <div class="page-strip" data-v={(row.variant + 1).to_string()}>
            <div class="page-strip-name"><b>{ &props.name }</b>{ " " }<span>{ &row.line }</span></div>
            <svg class="pages" role="group" aria-label={format!("{}: {}; {} TLB entries", props.name, row.line, row.tlb_entries)}
                data-row={props.name.clone()} width={px(props.width)} height={HEIGHT.to_string()} onmouseleave={leave}>
                <defs>
                    <pattern id={format!("absent-{}", props.index)} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect class="absent-line" width="1" height="6" />
                    </pattern>
                </defs>
                for (run_index, run) in row.runs.iter().enumerate() {
                    { draw(props, scale, run_index, run, tabbable, row) }
                }
                for bar in &row.bars {
                    <rect class={if bar.pmd { "pmd-bar" } else { "cont-bar" }} rx="4" x={px(scale.at(bar.first))} y={px(TOP - 2.0)}
                        width={px(scale.width(bar.pages).max(1.0))} height={px(TALL + 4.0)} />
                }
                for &(first, pages) in &row.marks {
                    <rect class="event-mark" rx="6" x={px(scale.at(first) - 1.5)} y={px(TOP - 5.0)}
                        width={px(scale.width(pages) + 3.0)} height={px(TALL + 10.0)} />
                }
            </svg>
        </div>
    }
}

fn px(x: f64) -> String {
    format!("{x:.1}")
}

fn draw(
    props: &RowProps,
    scale: Scale,
    index: usize,
    run: &PageRun,
    tabbable: bool,
    row: &PagesRow,
) -> Html {
    let has = |bit: u16| run.flags & bit != 0;
    let (x, width) = (scale.at(run.first), scale.width(run.pages).max(0.5));
    if !has(flag::MAPPED) && !has(flag::PRESENT) {
        let middle = TOP + TALL / 2.0;
        return html! {
            <path key={run.first} class="page-hole" d={format!("M{:.1} {middle}H{:.1}", x + 1.0, x + width - 1.0)} />
        };
    }
    let at = Pointed {
        row: props.index,
        run: index,
    };
    let point = |to: Option<Pointed>| {
        let on_point = props.on_point.clone();
        move || on_point.emit(to)
    };
    let (enter, focus, click, blur) = (
        point(Some(at)),
        point(Some(at)),
        point(Some(at)),
        point(None),
    );
    let is_pointed = props.pointed == Some(at);
    html! {
        <g key={run.first} class={classes!("page-run", class_of(run), is_pointed.then_some("is-pointed"))}
            tabindex={tabbable.then_some("0")} role="img" aria-label={describe(row, run)}
            onmouseenter={move |_: MouseEvent| enter()} onfocus={move |_: FocusEvent| focus()}
            onclick={move |_: MouseEvent| click()} onblur={move |_: FocusEvent| blur()}>
            <rect class="face" x={px(x)} y={px(TOP)} width={px(width)} height={px(TALL)} rx="1.5" />
            if !has(flag::PRESENT) {
                <rect x={px(x)} y={px(TOP)} width={px(width)} height={px(TALL)} fill={format!("url(#absent-{})", props.index)} />
            }
            <path class="edges" d={edges(scale, run)} />
            { marks(scale, run) }
        </g>
    }
}

/// What the pages are, as a class: colour goes with a mark or an outline everywhere.
fn class_of(run: &PageRun) -> &'static str {
    let has = |bit: u16| run.flags & bit != 0;
    if has(flag::GUARD) {
        "guard"
    } else if !has(flag::PRESENT) {
        "absent"
    } else if has(flag::PROT_NONE) {
        "none"
    } else if has(flag::ZERO) {
        "zero"
    } else if has(flag::CONTIGUOUS) || has(flag::PMD) {
        if run.folio.is_multiple_of(2) {
            "cont"
        } else {
            "cont odd"
        }
    } else if run.folio > 0 {
        if run.folio.is_multiple_of(2) {
            "folio"
        } else {
            "folio odd"
        }
    } else {
        "single"
    }
}

/// Lines between pages, where those are wide enough to be told apart.
fn edges(scale: Scale, run: &PageRun) -> String {
    let mut path = String::new();
    if scale.page >= OWN_PX {
        for page in 1..run.pages {
            let x = scale.at(run.first + page);
            let _ = write!(path, "M{x:.1} {TOP}v{TALL}");
        }
    }
    path
}

/// Dirty and young at the bottom, read-only at the top, PROT_NONE crossed out.
fn marks(scale: Scale, run: &PageRun) -> Html {
    let has = |bit: u16| run.flags & bit != 0;
    if !has(flag::PRESENT) {
        return Html::default();
    }
    let own = scale.page >= OWN_PX;
    let size = (scale.page * 0.4).clamp(1.2, 4.0);
    let y = TOP + TALL - size - 3.0;
    let each = |shape: &dyn Fn(f64) -> String| -> String {
        if own {
            let places = (0..run.pages).map(|page| scale.at(run.first + page) + scale.page / 2.0);
            places.map(shape).collect()
        } else {
            shape(scale.at(run.first) + scale.width(run.pages) / 2.0)
        }
    };
    let half = if own {
        size / 2.0
    } else {
        (scale.width(run.pages) / 2.0 - 1.0).max(0.3)
    };
    let square = |x: f64| {
        format!(
            "M{:.1} {y:.1}h{:.1}v{size:.1}h-{:.1}z",
            x - half,
            2.0 * half,
            2.0 * half
        )
    };
    let bar = |x: f64| format!("M{:.1} {:.1}h{:.1}", x - half * 1.4, TOP + 3.5, 2.8 * half);
    let cross = |x: f64| {
        let (a, b) = (TOP + 8.0, TOP + 8.0 + 2.0 * half.min(4.0));
        let half = half.min(4.0);
        format!(
            "M{:.1} {a:.1}L{:.1} {b:.1}M{:.1} {a:.1}L{:.1} {b:.1}",
            x - half,
            x + half,
            x + half,
            x - half
        )
    };
    html! {
        <>
            if has(flag::DIRTY) {
                <path class="dirty" d={each(&square)} />
            } else if has(flag::YOUNG) {
                <path class="young" d={each(&square)} />
            }
            if has(flag::PROT_NONE) {
                <path class="crossed" d={each(&cross)} />
            } else if !has(flag::WRITABLE) {
                <path class="read-only" d={each(&bar)} />
            }
        </>
    }
}

/// A run in words.
pub fn describe(row: &PagesRow, run: &PageRun) -> String {
    let has = |bit: u16| run.flags & bit != 0;
    let last = run.first + run.pages.saturating_sub(1);
    let mut words = if run.pages == 1 {
        format!("page {}", run.first)
    } else {
        format!("pages {} to {last}", run.first)
    };
    let mut add = |what: &str| {
        words.push_str(", ");
        words.push_str(what);
    };
    if !has(flag::PRESENT) {
        add(match (has(flag::GUARD), has(flag::MAPPED)) {
            (true, _) => "guard",
            (_, true) => "not present",
            _ => "not mapped",
        });
        return words;
    }
    if has(flag::ZERO) {
        add("the shared page of zeros");
    } else if run.folio > 0 {
        add(&format!(
            "folio {} of {}K from its page {}",
            run.folio,
            (row.page_bytes << run.order.min(20)) >> 10,
            run.index
        ));
    } else {
        add(if run.pages == 1 {
            "a single page"
        } else {
            "single pages"
        });
    }
    for (bit, what) in [
        (flag::PMD, "mapped by a PMD block"),
        (flag::CONTIGUOUS, "contiguous"),
        (flag::PROT_NONE, "PROT_NONE"),
        (flag::EXECUTABLE, "executable"),
        (flag::YOUNG, "young"),
        (flag::DIRTY, "dirty"),
        (flag::SHARED, "mapped more than once"),
    ] {
        if has(bit) {
            add(what);
        }
    }
    add(if has(flag::WRITABLE) {
        "writable"
    } else {
        "read-only"
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_whole() {
        let row = PagesRow {
            page_bytes: 4096,
            ..PagesRow::default()
        };
        let run = PageRun {
            first: 16,
            pages: 16,
            flags: flag::MAPPED | flag::PRESENT | flag::CONTIGUOUS | flag::YOUNG | flag::WRITABLE,
            folio: 2,
            order: 4,
            index: 0,
        };
        assert_eq!(
            describe(&row, &run),
            "pages 16 to 31, folio 2 of 64K from its page 0, contiguous, young, writable"
        );
        let absent = PageRun {
            flags: flag::MAPPED,
            pages: 1,
            ..PageRun::default()
        };
        assert_eq!(describe(&row, &absent), "page 0, not present");
    }
}
