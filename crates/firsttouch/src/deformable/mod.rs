//! Deforming meshes: vertices move on straight lines from one frame to the next. Self-collision is included.
//!
//! The mesh may be any triangle soup with loose edges and points, and its vertices may move in any way. The exact test
//! of [`crate::elementary`] decides each pair of features; this module serves to call it rarely.
//! - [`Deformable`]: the mesh, its frames and its hierarchy; kept from step to step.
//! - `edges`, `links`, `hierarchy`, `surface_order`, `volume`, `fit`: the features, the tree over them, its order,
//!   moving volumes.
//! - `normal_cones`: patches that cannot touch themselves.
//! - `traversal`, `feature_pairs`, `leaf_block`, `corner_lanes`: the pairs of leaves and of their features that may
//!   touch. `advancement`: local advancement of pairs of features.
//! - [`MovingTree`]: the mesh against other bodies, through the tree engine.
//! - `check`, `candidates`: the public queries. `query`: first, any, all. `crossings`: intersections at the start.
//!   `temporal_culling`: the first touch. `enumeration`: all touches. `search`, `event`: one thread's work and its
//!   results.

mod advancement;
mod candidates;
mod check;
mod corner_lanes;
mod crossings;
mod derived;
mod edges;
mod enumeration;
mod event;
mod feature_pairs;
mod fit;
mod hierarchy;
mod leaf_block;
mod links;
mod mesh;
mod moving_tree;
mod normal_cones;
mod query;
mod report;
mod search;
mod surface_order;
mod temporal_culling;
mod traversal;
mod volume;

pub use check::PairFilter;
pub use event::FoundPair;
pub use mesh::Deformable;
pub use moving_tree::{MovingBox, MovingTree};
pub use report::{DeformReport, DeformStats, Settings, Start};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use search::ForeignTest;
pub use volume::Dop;
