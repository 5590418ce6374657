//! Address spaces and results as pictures.
//!
//! [`axis`] and [`strip`] say where everything stands: the page draws live elements from them, and
//! [`space`] and [`calls`] write files that stand alone, as SVG and HTML text, with colours and
//! faces inlined. Text from a scenario is escaped wherever it goes ([`markup`]). There is no script
//! and no style sheet in what is written, so that it may stand in any page.

pub mod axis;
pub mod calls;
pub mod embed;
pub mod markup;
pub mod scene;
pub mod space;
pub mod strip;
pub mod theme;

pub use scene::{Picture, Scene, View};
pub use theme::Theme;
