//! A list of which only what can be seen is in the page.

use std::ops::Range;

use web_sys::Element;
use yew::prelude::*;

/// Rows kept above and below what can be seen.
const MARGIN: usize = 8;

/// Which rows are in the page.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Window {
    /// Their places.
    pub rows: Range<usize>,
}

/// The rows of `total` that are in sight.
fn window(scroll_top: f64, height: f64, row: f64, total: usize) -> Range<usize> {
    if row <= 0.0 {
        return 0..0;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // floats saturate
    let at = |y: f64| (y / row).floor().max(0.0) as usize;
    let first = at(scroll_top).saturating_sub(MARGIN).min(total);
    let last = at(scroll_top + height)
        .saturating_add(MARGIN + 1)
        .min(total);
    first..last
}

/// Properties of [`VirtualList`].
#[derive(Properties, PartialEq)]
pub struct VirtualListProps {
    /// How many rows there are.
    pub total: usize,
    /// Height of a row in CSS pixels; the style sheet must give it the same.
    pub row_height: f64,
    /// A row to bring into sight whenever it changes.
    #[prop_or_default]
    pub reveal: Option<usize>,
    /// Told which rows are in sight.
    pub on_window: Callback<Window>,
    /// First row of `children`.
    pub first: usize,
    /// The head, which stays in sight.
    pub head: Html,
    /// The rows from `first`.
    pub children: Html,
    /// Classes of the scrolling box.
    #[prop_or_default]
    pub class: Classes,
    /// What it is a table of.
    pub label: AttrValue,
    /// How many columns it has.
    pub columns: usize,
}

/// A scrolling table. The caller makes the rows that it is told are in sight.
#[component]
pub fn VirtualList(props: &VirtualListProps) -> Html {
    let node = use_node_ref();
    let shown = use_mut_ref(|| 0..0);
    let tell = {
        let node = node.clone();
        let shown = shown.clone();
        let (total, row, on_window) = (props.total, props.row_height, props.on_window.clone());
        Callback::from(move |()| {
            let Some(element) = node.cast::<Element>() else {
                return;
            };
            let top = f64::from(element.scroll_top());
            let rows = window(top, f64::from(element.client_height()), row, total);
            if *shown.borrow() != rows {
                shown.replace(rows.clone());
                on_window.emit(Window { rows });
            }
        })
    };
    let size = super::use_width(node.clone());
    use_effect_with((props.total, props.row_height.to_bits(), size.to_bits()), {
        let tell = tell.clone();
        let shown = shown.clone();
        move |_| {
            // The caller's rows are of a former state: say it again even if the range is the same.
            shown.replace(usize::MAX..usize::MAX);
            tell.emit(());
        }
    });
    use_effect_with((props.reveal, props.total), {
        let node = node.clone();
        let row = props.row_height;
        move |&(reveal, _)| {
            let (Some(index), Some(element)) = (reveal, node.cast::<Element>()) else {
                return;
            };
            reveal_row(&element, index, row);
        }
    });
    let on_scroll = tell.reform(|_: Event| ());
    #[allow(clippy::cast_precision_loss)]
    let spacer = |rows: usize| format!("height:{}px", rows as f64 * props.row_height);
    let below = props.total.saturating_sub(props.first);
    html! {
        <div ref={node} class={classes!("rows", props.class.clone())} onscroll={on_scroll}
            role="table" tabindex="0" aria-label={props.label.clone()}
            aria-rowcount={(props.total + 1).to_string()} aria-colcount={props.columns.to_string()}>
            <div class="rows-head" role="rowgroup">{ props.head.clone() }</div>
            <div class="rows-pad" role="presentation" style={spacer(props.first)}></div>
            <div class="rows-body" role="rowgroup" style={spacer(below)}>{ props.children.clone() }</div>
        </div>
    }
}

fn reveal_row(element: &Element, index: usize, row: f64) {
    #[allow(clippy::cast_precision_loss)]
    let top = index as f64 * row;
    let seen = f64::from(element.scroll_top());
    let height = f64::from(element.client_height());
    // The head covers the first row's worth of the box.
    if top < seen || top + 2.0 * row > seen + height {
        #[allow(clippy::cast_possible_truncation)]
        element.set_scroll_top((top - height / 2.0).max(0.0) as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_sight_and_a_margin() {
        assert_eq!(window(0.0, 300.0, 30.0, 100_000), 0..19);
        assert_eq!(window(30_000.0, 300.0, 30.0, 100_000), 992..1019);
    }

    #[test]
    fn never_beyond_the_ends() {
        assert_eq!(window(1e9, 300.0, 30.0, 100), 100..100);
        assert_eq!(window(0.0, 300.0, 30.0, 3), 0..3);
        assert_eq!(window(0.0, 300.0, 0.0, 3), 0..0);
    }
}
