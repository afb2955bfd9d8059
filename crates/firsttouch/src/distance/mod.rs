//! Closest points of shapes at rest.

pub mod gjk;
mod simplex;
