//! Geometry at rest: the convex solids and the triangle mesh.

pub mod hull;
mod monotone_chain;
mod quickhull;
