//! Shared scaffolding of the benchmarks.

pub mod bunnies;
pub mod feature_trees;
pub mod growth;
pub mod hierarchies;
