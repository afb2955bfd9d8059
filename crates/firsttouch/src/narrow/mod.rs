//! The narrow phase: one method per kind of pair.

pub mod convex_convex;
