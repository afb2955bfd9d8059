//! A cone along z.

use glam::DVec3;

use super::along_z::{across, checked_sizes, disc_support};
use super::convex::{Convex, SURFACE_ERROR};
use crate::answer::Feature;
use crate::error::Result;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::up;

/// A solid cone along z: its tip is at `z = length / 2`, its base is the disc at `z = -length / 2`.
///
/// Vertex 0 is the tip, edge 0 the rim of the base, face 0 the side and face 1 the base.
///
/// ```
/// use firsttouch::shape::{Cone, Convex};
/// use glam::DVec3;
/// let cone = Cone::new(0.5, 2.0)?;
/// assert_eq!(cone.extent(DVec3::Z), 1.0);
/// assert_eq!(cone.extent(DVec3::X), 0.5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    radius: f64,
    half: f64,
}

impl Cone {
    /// Creates a cone. Returns an error for a radius or length that is not positive and finite.
    pub fn new(radius: f64, length: f64) -> Result<Cone> {
        let [radius, half] = checked_sizes("cone", radius, length)?;
        Ok(Cone { radius, half })
    }

    /// Returns the radius of the base.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the length, from the base to the tip.
    pub fn length(&self) -> f64 {
        2.0 * self.half
    }
}

impl Convex for Cone {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        if self.half * direction.z >= self.radius * across(direction) - self.half * direction.z {
            DVec3::new(0.0, 0.0, self.half)
        } else {
            disc_support(self.radius, -self.half, direction)
        }
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        let along = self.half * direction.z;
        upper_max(along, self.radius * across(direction) - along)
    }

    #[inline]
    fn reach(&self) -> f64 {
        up(self.radius + self.half)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, DVec3::new(self.radius, self.radius, self.half))
    }

    fn feature(&self, point: DVec3, _normal: DVec3) -> Feature {
        // As for cylinders: only the label depends on the slack.
        let slack = 100.0 * SURFACE_ERROR * self.reach();
        let across = point.truncate().length();
        if point.z >= self.half - slack && across <= slack {
            Feature::Vertex(0)
        } else if point.z <= slack - self.half {
            if across >= self.radius - slack { Feature::Edge(0) } else { Feature::Face(1) }
        } else {
            Feature::Face(0)
        }
    }
}
