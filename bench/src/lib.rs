//! Shared scaffolding of the benchmarks.
