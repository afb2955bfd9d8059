//! The broad phase: which pairs can meet at all, from bounds over the whole span of time.

mod aabb;
mod box_tree;
mod sweep;
mod swept;

pub use aabb::Aabb;
pub use sweep::overlapping_pairs;
pub use swept::swept_box;
