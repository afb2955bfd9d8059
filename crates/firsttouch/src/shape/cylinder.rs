//! A cylinder along z.

use glam::DVec3;

use super::along_z::{across, checked_sizes, disc_support};
use super::convex::{Convex, SURFACE_ERROR};
use crate::answer::Feature;
use crate::error::Result;
use crate::numerics::rounding::up;

/// A solid cylinder along z, from `-length / 2` to `length / 2`.
///
/// Face 0 is the side, face 1 the disc at −z, face 2 the disc at +z; edge 0 is the rim at −z, edge 1 the rim at +z.
///
/// ```
/// use firsttouch::shape::{Convex, Cylinder};
/// let can = Cylinder::new(0.5, 2.0)?;
/// assert_eq!(can.extent(glam::DVec3::Z), 1.0);
/// assert_eq!(can.extent(glam::DVec3::X), 0.5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    radius: f64,
    half: f64,
}

impl Cylinder {
    /// Creates a cylinder. Returns an error for a radius or length that is not positive and finite.
    pub fn new(radius: f64, length: f64) -> Result<Cylinder> {
        let [radius, half] = checked_sizes("cylinder", radius, length)?;
        Ok(Cylinder { radius, half })
    }

    /// Returns the radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the length.
    pub fn length(&self) -> f64 {
        2.0 * self.half
    }
}

impl Convex for Cylinder {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        disc_support(self.radius, self.half.copysign(direction.z), direction)
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.radius * across(direction) + self.half * direction.z.abs()
    }

    #[inline]
    fn reach(&self) -> f64 {
        up(self.radius + self.half)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, DVec3::new(self.radius, self.radius, self.half))
    }

    fn feature(&self, point: DVec3, _normal: DVec3) -> Feature {
        // Closest points have the rounding errors of a transform and of a convex combination. A hundred times the
        // error of a support point prevents rims from being labelled as faces. Only the label depends on it.
        let slack = 100.0 * SURFACE_ERROR * self.reach();
        let on_side = point.truncate().length() >= self.radius - slack;
        if point.z <= slack - self.half {
            if on_side { Feature::Edge(0) } else { Feature::Face(1) }
        } else if point.z >= self.half - slack {
            if on_side { Feature::Edge(1) } else { Feature::Face(2) }
        } else {
            Feature::Face(0)
        }
    }
}
