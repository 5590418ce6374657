//! Experiments: a program run under several kernels, lined up, compared, priced and reported.

pub mod replay;
pub mod report;
