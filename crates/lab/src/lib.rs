//! Experiments: a program run under several kernels, lined up, compared, priced and reported.

pub mod report;
