//! The broad phase: finds the pairs that may touch, from bounds over the whole time span.

mod aabb;
mod box_tree;
mod chords;
mod sweep;
mod swept;

pub use aabb::Aabb;
pub(crate) use box_tree::BoxTree;
pub(crate) use chords::chord_box;
pub use chords::one_chord_box;
pub use sweep::overlapping_pairs;
pub(crate) use sweep::overlapping_pairs_up_to;
pub use swept::swept_box;
