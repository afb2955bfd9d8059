//! Ellipsoids by algebra: their relation at rest, exactly, and the times of contact under rational motions.

mod characteristic;
mod chord;
mod equation;
mod exact;
mod fit;
mod form;
mod group;
mod intervals;
mod pair;
mod shoot;
mod stationary;
mod track;

pub use equation::Equation;
pub use fit::enclosing;
pub use group::{Directions, Group, GroupOutcome, GroupStats};
pub use intervals::{LOOP_RESOLUTION, Overlap, OverlapKind, RESOLUTION};
pub use pair::{MovingEllipsoid, first_touch, overlap_intervals};
pub use shoot::FirstContact;
pub use stationary::{ContactPoint, Plane, Posed, Relation};
pub use track::Track;

