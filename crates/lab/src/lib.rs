//! Experiments: a program run under several kernels, lined up, compared, priced and reported.

pub mod bench;
pub mod checked;
pub mod cost;
pub mod diff;
pub mod gallery;
pub mod names;
pub mod pages;
pub mod random;
pub mod replay;
pub mod report;
pub mod run;
pub mod session;
pub mod space;
pub mod start;
pub mod stats;
pub mod tables;
pub mod variant;
pub mod verify;
pub mod view;
pub mod words;
