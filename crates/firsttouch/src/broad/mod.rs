//! The broad phase: which pairs can meet at all, from bounds over the whole span of time.

mod aabb;
mod sweep;

pub use aabb::Aabb;
pub use sweep::overlapping_pairs;
