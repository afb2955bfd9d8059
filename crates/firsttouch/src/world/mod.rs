//! The common base of scenes, checkers and simulations: names, and rules about pairs.
//!
//! - `directory`: the names and indices of bodies, while bodies are added and removed.
//! - `rules`: the pairs that are not checked, and the separations of the others.
//! - `padding`: the distances by which a robot is enlarged.
//! - `grasps`: the bodies that robots take up and put down, and their places.
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
