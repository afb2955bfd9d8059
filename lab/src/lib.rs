//! The laboratory of firsttouch: the tables of the papers, methods to compare with, and what the benchmarks need.
//!
//! - [`scenes`]: the scenes of `firsttouch-scenes`, and those that only the benchmarks use;
//! - [`papers`]: the tables of the five papers, with their figures and ours side by side (the program `papers`);
//! - [`plot`]: growth curves as SVG;
//! - [`comparison`]: methods that the library does not use, for comparison;
//! - [`methods`]: the papers' own methods on files of a user, beside the product;
//! - [`ratios`]: the ratios that the texts state, for counts of instructions;
//! - [`benches`]: what the benchmark programs in `src/bin` share.
//!
//! The library never depends on this crate. Nothing in it is a stable interface.

pub mod benches;
pub mod comparison;
pub mod error;
pub mod methods;
pub mod papers;
pub mod plot;
pub mod ratios;
pub mod scenes;
#[cfg(test)]
mod tests;

pub use error::{Error, Result};

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
