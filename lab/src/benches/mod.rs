//! Shared code of the benchmarks.

pub mod arm;
pub mod bunnies;
pub mod feature_trees;
pub mod growth;
pub mod hierarchies;
pub mod shared_arms;
