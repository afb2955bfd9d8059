//! Closest points of shapes at rest.

pub(crate) mod coarse;
mod frame;
pub mod gjk;
mod mesh_cuts;
pub(crate) mod rounded_hull;
mod simplex;
