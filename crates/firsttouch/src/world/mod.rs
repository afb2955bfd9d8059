//! What scenes, checkers and simulations have in common: names, and what is said about pairs.
//!
//! - `directory`: which body has which name, while bodies are added and removed.
//! - `rules`: which pairs are not checked, and how far apart the others keep.
//! - `padding`: how much larger a robot is than its shapes.
//! - `grasps`: what robots take up and put down, and where it is.
//! - `both`: one answer from two, for two sets of pairs.
//! - `part_pairs`: the one form of a pair of parts, for the engines and back.
//! - `pair_report`: the answer of one pair of bodies.

mod both;
pub(crate) mod directory;
mod grasps;
pub(crate) mod padding;
mod pair_report;
pub(crate) mod part_pairs;
pub(crate) mod rules;

pub(crate) use both::both;
pub(crate) use directory::{BodyId, Directory};
pub use grasps::Grasp;
pub(crate) use grasps::{Hold, hold, validate_times};
pub(crate) use padding::{Padding, padded, valid_separation};
pub use pair_report::PairReport;
pub(crate) use rules::{IdPair, Links, PairRule, Rules};
