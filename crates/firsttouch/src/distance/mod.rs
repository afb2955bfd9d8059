//! Closest points of shapes at rest.

pub(crate) mod coarse;
pub mod gjk;
pub(crate) mod rounded_hull;
mod simplex;
