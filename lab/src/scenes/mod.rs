//! The scenes of the benchmarks: those of [`firsttouch_scenes`], and others that only the laboratory measures.
//!
//! The same parameters give the same scene on every machine.

pub mod machines;
pub mod plates;
pub mod tasks;
pub mod wandering;

pub use firsttouch_scenes::*;
