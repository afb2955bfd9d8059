//! Deforming meshes: vertices on straight lines from one frame to the next, self-collision included.
//!
//! Any triangle soup with loose edges and points, no assumption on the motion. The final word about a pair of features
//! has the exact test of [`crate::elementary`]; everything here is about asking it rarely.
//! - [`Deformable`]: the mesh, its frames and its hierarchy; kept from step to step.
//! - `edges`, `hierarchy`, `volume`, `fit`: the features, the tree over them, moving volumes.
//! - `normal_cones`: patches that cannot touch themselves.
//! - `advancement`: local advancement of pairs of features. `traversal`: which pairs may touch.
//! - [`MovingTree`]: the mesh against everything else, through the engine for trees.
//! - `query`: first, any, all; a safe step. `temporal_culling`: the first. `crossings`: what crosses at the start.

mod advancement;
mod crossings;
mod edges;
mod fit;
mod hierarchy;
mod mesh;
mod moving_tree;
mod normal_cones;
mod query;
mod report;
mod temporal_culling;
mod threads;
mod traversal;
mod volume;

pub use mesh::Deformable;
pub use moving_tree::MovingTree;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use query::ForeignTest;
pub use query::{FoundPair, PairFilter};
pub use report::{DeformReport, DeformStats, Settings, Start};
pub use volume::Dop;
