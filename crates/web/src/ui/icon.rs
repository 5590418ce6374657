//! Line icons, drawn here so that nothing is fetched.

use yew::prelude::*;

/// Which icon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Points down: opens a list.
    Down,
    /// Two nodes and a line.
    Share,
    /// Half a disc: theme by system.
    ThemeAuto,
    /// Sun.
    ThemeLight,
    /// Moon.
    ThemeDark,
    /// Question mark.
    Help,
    /// Cross.
    Close,
    /// Plus.
    Plus,
    /// One step back.
    Back,
    /// One step on.
    Forward,
    /// Start playing.
    Play,
    /// Stop playing.
    Pause,
    /// To the next difference.
    NextDifference,
    /// Two sheets: copy.
    Copy,
}

impl Shape {
    fn path(self) -> &'static str {
        match self {
            Self::Down => "M4 6l4 4 4-4",
            Self::Share => "M8 10V2M5 4.5L8 2l3 2.5M4 8H3v6h10V8h-1",
            Self::ThemeAuto => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M10 3v10M12 5v6",
            Self::ThemeLight => {
                "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1"
            }
            Self::ThemeDark => "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
            Self::Help => "M5.6 6a2.4 2.4 0 1 1 3.6 2.1C8.3 8.6 8 9 8 10M8 12.6v.1",
            Self::Close => "M4 4l8 8M12 4l-8 8",
            Self::Plus => "M8 3v10M3 8h10",
            Self::Back => "M10 3L5 8l5 5",
            Self::Forward => "M6 3l5 5-5 5",
            Self::Play => "M5 3l8 5-8 5z",
            Self::Pause => "M5.5 3v10M10.5 3v10",
            Self::NextDifference => "M3 3l5 5-5 5M8 3l5 5-5 5",
            Self::Copy => "M6 6h7v8H6zM10 6V2H3v8h3",
        }
    }
}

/// Properties of [`Icon`].
#[derive(Properties, PartialEq)]
pub struct IconProps {
    /// Which.
    pub shape: Shape,
}

/// An icon; its button says in words what it does.
#[component]
pub fn Icon(props: &IconProps) -> Html {
    html! {
        <svg class="icon-svg" viewBox="0 0 16 16" aria-hidden="true">
            <path d={props.shape.path()} />
        </svg>
    }
}
