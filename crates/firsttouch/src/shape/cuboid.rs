//! A box centred at the origin of its frame.

use glam::DVec3;

use super::convex::{Convex, SURFACE_ERROR};
use crate::answer::Feature;
use crate::error::{Result, positive};
use crate::numerics::rounding::up;

/// A solid box, axis-aligned in its own frame and centred at its origin.
///
/// Bit k of the index of a vertex is set if it is on the positive side of axis k. Face `2k` is the negative and face
/// `2k + 1` the positive side of axis k. Edge `4k + i` runs along axis k; the two bits of i are the sides of the other
/// two axes, in order.
///
/// ```
/// use firsttouch::shape::{Convex, Cuboid};
/// let cube = Cuboid::new(glam::DVec3::splat(2.0))?;
/// assert_eq!(cube.extent(glam::DVec3::X), 1.0);
/// assert_eq!(cube.support(glam::DVec3::new(1.0, -1.0, 1.0)), glam::DVec3::new(1.0, -1.0, 1.0));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    half: DVec3,
    reach: f64,
}

impl Cuboid {
    /// Creates a box with these full side lengths, which must be positive and finite.
    pub fn new(sides: DVec3) -> Result<Cuboid> {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(sides.to_array()) {
            positive(|| format!("box side {axis}"), value)?;
        }
        let half = 0.5 * sides;
        // Five roundings in the squared length and one in the root.
        let reach = up(half.length() * (1.0 + 8.0 * crate::numerics::rounding::UNIT));
        Ok(Cuboid { half, reach })
    }

    /// Returns half the side lengths.
    pub fn half(&self) -> DVec3 {
        self.half
    }
}

impl Convex for Cuboid {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::new(
            self.half.x.copysign(direction.x),
            self.half.y.copysign(direction.y),
            self.half.z.copysign(direction.z),
        )
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.half.dot(direction.abs())
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.reach
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, self.half)
    }

    fn feature(&self, point: DVec3, _normal: DVec3) -> Feature {
        // As for the cylinder's rim, only the label depends on the slack, so it may be generous.
        let slack = 100.0 * SURFACE_ERROR * self.reach;
        let side = |k: usize| match point[k] {
            x if x >= self.half[k] - slack => Some(1),
            x if x <= slack - self.half[k] => Some(0),
            _ => None,
        };
        match (side(0), side(1), side(2)) {
            (Some(x), Some(y), Some(z)) => Feature::Vertex(x | y << 1 | z << 2),
            (None, Some(y), Some(z)) => Feature::Edge(y | z << 1),
            (Some(x), None, Some(z)) => Feature::Edge(4 + (x | z << 1)),
            (Some(x), Some(y), None) => Feature::Edge(8 + (x | y << 1)),
            (Some(x), None, None) => Feature::Face(x),
            (None, Some(y), None) => Feature::Face(2 + y),
            (None, None, Some(z)) => Feature::Face(4 + z),
            // The point is inside, because two solids overlap: the nearest face.
            (None, None, None) => {
                let depth = self.half - point.abs();
                let k = if depth.x <= depth.y && depth.x <= depth.z {
                    0
                } else if depth.y <= depth.z {
                    1
                } else {
                    2
                };
                Feature::Face(2 * k as u32 + u32::from(point[k] > 0.0))
            }
        }
    }
}
