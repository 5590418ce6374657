//! The one table of calls, and the tables of flag names. The parser, completion, hover, signature
//! help and the reference are all made from them.

/// A call that a scenario can make.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum CallName {
    Mmap,
}
