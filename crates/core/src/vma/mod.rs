//! VMAs: the area itself, the ordered tree that holds them, splitting, merging and placement.

pub mod area;
pub mod tree;
