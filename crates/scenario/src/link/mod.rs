//! Share links: `#v1/<payload>` and the hand-writable `#src=…`.

use serde::{Deserialize, Serialize};

/// Everything a link carries. A field at its default takes no room in the link.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkState {
    /// The scenario.
    pub text: String,
    /// The variants; empty means the default comparison.
    pub variants: Vec<LinkVariant>,
    /// The starting `/proc/PID/maps`, if any.
    pub maps: Option<String>,
    /// The view that is open, for example `space`.
    pub view: Option<String>,
    /// The step shown, from 0.
    pub step: Option<u64>,
    /// `light` or `dark`; `None` follows the reader's own.
    pub theme: Option<String>,
    /// The process of a trace.
    pub pid: Option<i64>,
}

/// One variant by its ids; an empty id means the default one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkVariant {
    /// Kernel id, for example `6.12`.
    pub kernel: String,
    /// Memory id, for example `contpte`.
    pub memory: String,
    /// CPU id.
    pub cpu: String,
}

/// Why a link could not be read or made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// There is no state in it.
    Empty,
}

/// The fragment, with its `#`, that carries `state`.
///
/// # Errors
/// Where the state is too large for any link.
pub fn encode(_state: &LinkState) -> Result<String, LinkError> {
    Err(LinkError::Empty)
}

/// The state in a fragment (with or without `#`) or in a whole URL.
///
/// # Errors
/// Where it is not a link, is damaged, too large, or of a newer version.
pub fn decode(_link: &str) -> Result<LinkState, LinkError> {
    Err(LinkError::Empty)
}
