//! VMAs: the area itself, the ordered tree that holds them, the iterator that counts how the
//! kernel walks it, splitting, merging, unmapping and placement.

mod anon;
pub mod area;
pub(crate) mod height;
pub(crate) mod iter;
pub(crate) mod merge;
mod modify;
pub(crate) mod place;
mod split;
pub mod tree;
mod unmap;
