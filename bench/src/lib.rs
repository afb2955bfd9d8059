//! Shared scaffolding of the benchmarks.

pub mod bunnies;
pub mod hierarchies;
