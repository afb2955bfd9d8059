//! Ellipsoids by algebra: their relation at rest, exactly, and the times of contact under rational motions.

mod characteristic;
mod equation;
mod exact;
mod form;
mod group;
mod intervals;
mod pair;
mod shoot;
mod stationary;
mod track;

pub use equation::Equation;
pub use group::{Directions, Group, GroupOutcome, GroupStats};
pub use intervals::{Overlap, OverlapKind, RESOLUTION};
pub use pair::{MovingEllipsoid, first_touch, overlap_intervals};
pub use shoot::FirstContact;
pub use stationary::{ContactPoint, Plane, Posed, Relation};
pub use track::Track;
#[cfg(test)]
mod dbg;
