//! The answer: one contact of a manifold.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::pair::PairTouch;

/// One of all contacts at an instant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContactPoint {
    /// The two bodies, in the order of the scene; the same body twice for a contact of its own parts.
    pub bodies: [usize; 2],
    /// The part of each body.
    pub parts: [Part; 2],
    /// The feature of each part.
    pub features: [Feature; 2],
    /// The point on each side, in world coordinates.
    pub points: [DVec3; 2],
    /// The unit normal from the first body to the second.
    pub normal: DVec3,
    /// The distance of the two points along the normal; 0 where the two overlap.
    pub gap: f64,
}

impl ContactPoint {
    pub(crate) fn new(touch: PairTouch, bodies: [usize; 2]) -> ContactPoint {
        let PairTouch { gap, parts, features, points, normal, .. } = touch;
        ContactPoint { bodies, parts, features, points, normal, gap }
    }
}
