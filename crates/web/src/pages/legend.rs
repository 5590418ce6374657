//! What the marks of the rows mean.

use yew::prelude::*;

/// The legend.
#[component]
pub fn Legend() -> Html {
    let sample = |class: &'static str, marks: Html, words: &'static str| {
        html! {
            <li>
                <svg class="pages sample" width="26" height="22" aria-hidden="true">
                    <g class={classes!("page-run", class)}>
                        <rect class="face" x="3" y="3" width="20" height="16" rx="1.5" />
                        { marks }
                    </g>
                </svg>
                { words }
            </li>
        }
    };
    let none = Html::default;
    html! {
        <ul class="legend page-legend" aria-label="Legend">
            { sample("cont", html! { <rect class="cont-bar" x="3" y="2" width="20" height="18" rx="4" /> }, "contiguous block, one TLB entry") }
            { sample("cont", html! { <rect class="pmd-bar" x="3" y="2" width="20" height="18" rx="4" /> }, "PMD block") }
            { sample("folio", html! { <path class="edges" d="M8 3v16M13 3v16M18 3v16" /> }, "large folio, not contiguous") }
            { sample("single", html! { <path class="edges" d="M13 3v16" /> }, "single pages") }
            { sample("zero", none(), "page of zeros") }
            { sample("absent", html! { <path class="absent-line" d="M5 19L17 3M11 19L22 5" /> }, "not present") }
            { sample("single", html! { <path class="dirty" d="M11 13h4v4h-4z" /> }, "dirty") }
            { sample("single", html! { <path class="young" d="M11 13h4v4h-4z" /> }, "young, clean") }
            { sample("single", html! { <path class="read-only" d="M9 6h8" /> }, "read-only") }
            { sample("none", html! { <path class="crossed" d="M9 7L17 15M17 7L9 15" /> }, "PROT_NONE") }
            <li>
                <svg class="pages sample" width="26" height="22" aria-hidden="true"><rect class="event-mark" x="2" y="2" width="22" height="18" rx="6" /></svg>
                { "folded, unfolded or missed in this step" }
            </li>
        </ul>
    }
}
