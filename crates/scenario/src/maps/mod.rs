//! `/proc/PID/maps`, `/proc/PID/smaps` and `pmap` text, read and written.

use sealab_core::call::Mapping;
use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// One mapping as such a text shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapsLine {
    /// The mapping; where the text says nothing of `VmFlags`, those that the permissions imply.
    pub mapping: Mapping,
    /// Whether a `VmFlags:` line was there.
    pub has_flags: bool,
    /// Whether an `Rss:` line or column was there.
    pub has_rss: bool,
    /// Line in the text, from 1.
    pub line: u32,
}

/// A maps text that was read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MapsText {
    /// The mappings, in the order of the text.
    pub lines: Vec<MapsLine>,
    /// What was not understood.
    pub diagnostics: Vec<Diagnostic>,
}

/// Which text it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum MapsDialect {
    /// `/proc/PID/maps`
    Maps,
    /// `/proc/PID/smaps`
    Smaps,
    /// `pmap`
    Pmap,
}

/// Reads `text`; never fails.
#[must_use]
pub fn parse_maps(_text: &str) -> MapsText {
    MapsText::default()
}

/// The line of `/proc/PID/maps` for `mapping`, byte for byte as the kernel prints it, without the
/// newline.
#[must_use]
pub fn maps_line(_mapping: &Mapping) -> String {
    String::new()
}

/// The `VmFlags:` line of `/proc/PID/smaps`, without the newline.
#[must_use]
pub fn vm_flags_line(_mapping: &Mapping) -> String {
    String::new()
}

/// The `Rss:` line of `/proc/PID/smaps`, without the newline.
#[must_use]
pub fn rss_line(_mapping: &Mapping) -> String {
    String::new()
}
