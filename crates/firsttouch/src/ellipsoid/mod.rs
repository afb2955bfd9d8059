//! Ellipsoids by algebra: their relation at rest, exactly, and the times of contact under rational motions.

mod characteristic;
mod equation;
mod exact;
mod form;
mod shoot;
mod stationary;
mod track;

pub use equation::Equation;
pub use shoot::FirstContact;
pub use stationary::{ContactPoint, Plane, Posed, Relation};
pub use track::Track;
