//! What the colours and lines of the strips mean.

use yew::prelude::*;

/// The legend.
#[component]
pub fn Legend() -> Html {
    let sample = |class: &'static str| {
        html! {
            <svg class={classes!("vma", class)} width="18" height="14" aria-hidden="true" overflow="visible">
                <rect class="face" width="18" height="14" rx="3" />
                if class.contains("sealed") {
                    <path class="hatch-sample" d="M2 12L12 2M8 13L17 4" />
                    <rect class="seal-line" x="1" y="1" width="16" height="12" rx="2" />
                }
                if class.contains("changed") {
                    <rect class="change-line" x="-1" y="-1" width="20" height="16" rx="4" />
                }
            </svg>
        }
    };
    let kinds = [
        ("rw", "read, write"),
        ("ro", "read"),
        ("rx", "execute"),
        ("rwx", "write and execute"),
        ("none", "no access"),
        ("rw sealed", "sealed"),
        ("rw changed", "changed in this step"),
    ];
    html! {
        <ul class="legend" aria-label="Legend">
            for (class, words) in kinds { <li>{ sample(class) }{ words }</li> }
            <li><svg width="18" height="14" aria-hidden="true"><rect class="differs" y="5" width="18" height="4" rx="1" /></svg>{ "variants differ" }</li>
        </ul>
    }
}
