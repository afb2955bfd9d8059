//! Closest points of shapes at rest.

pub mod gjk;
pub(crate) mod rounded_hull;
mod simplex;
