//! Experiments: a program run under several kernels, lined up, compared, priced and reported.

pub mod cost;
pub mod replay;
pub mod report;
pub mod run;
pub mod start;
pub mod variant;
pub mod words;
