//! Ellipsoids by algebra: their relation at rest, exactly, and the times of contact under rational motions.

mod characteristic;
mod exact;
mod stationary;

pub use stationary::{ContactPoint, Plane, Posed, Relation};
