//! The laboratory of firsttouch: the tables of the papers, methods for comparison, and the support code of the
//! benchmarks.
//!
//! - [`scenes`]: the scenes of `firsttouch-scenes`, and those that only the benchmarks use;
//! - [`papers`]: the tables of the five papers, with their figures and ours side by side (the program `papers`);
//! - [`plot`]: growth curves as SVG;
//! - [`comparison`]: methods that the library does not use, for comparison;
//! - [`methods`]: the papers' own methods on files of a user, beside the product;
//! - [`ratios`]: the ratios that the texts state, for counts of instructions;
//! - [`benches`]: the shared code of the benchmark programs in `src/bin`.
//!
//! The library never depends on this crate. Its interface is not stable.

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
