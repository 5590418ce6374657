//! Every bound on what text may ask for, in one place. Each has its own error, which names the
//! bound; nothing is cut off in silence.

/// Bounds on a scenario's text and on the program it makes. The defaults are meant for a page
/// that must stay responsive and stay under 1 GiB; a command line may raise them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest text, in bytes (`limit-text`).
    pub text_bytes: usize,
    /// Most lines (`limit-lines`).
    pub lines: usize,
    /// Most statements in a program (`limit-statements`).
    pub statements: usize,
    /// Deepest nesting of `repeat` and `measure` (`limit-nesting`).
    pub nesting: usize,
    /// Deepest nesting of parentheses in one expression (`limit-expression`).
    pub expression_depth: usize,
    /// Longest call, in lines it is broken over (`limit-call-lines`).
    pub call_lines: usize,
    /// Most names a text can bind (`limit-names`).
    pub names: usize,
    /// Most diagnostics reported one by one; the rest are counted (`limit-diagnostics`).
    pub diagnostics: usize,
    /// Most notes kept one by one; the rest are counted (`limit-notes`).
    pub notes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 256 << 20,
            lines: 2_000_000,
            statements: 2_000_000,
            nesting: 64,
            expression_depth: 64,
            call_lines: 64,
            names: 65_536,
            diagnostics: 1_000,
            notes: 100_000,
        }
    }
}

/// Default bound on the calls and loop iterations that one run makes (`limit-calls`).
pub const CALLS_RUN: u64 = 100_000_000;

/// Longest `/proc/PID/maps` text, in bytes (`limit-maps`).
pub const MAPS_BYTES: usize = 64 << 20;
/// Most mappings in one maps text (`limit-maps-lines`); Linux's own default is 65,530.
pub const MAPS_LINES: usize = 1_000_000;

/// Longest share link that is decoded, in bytes after the `#` (`limit-link`).
pub const LINK_PACKED_BYTES: usize = 4 << 20;
/// Largest state a share link may unpack to, in bytes (`limit-link-unpacked`).
pub const LINK_UNPACKED_BYTES: usize = 32 << 20;
/// Longest link that chat tools pass on whole, in characters.
pub const LINK_CHAT_CHARS: usize = 2_000;
