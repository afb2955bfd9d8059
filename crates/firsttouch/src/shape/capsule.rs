//! A capsule along z: all points within a radius of a segment.

use glam::DVec3;

use super::along_z::checked_sizes;
use super::convex::Convex;
use crate::answer::Feature;
use crate::error::Result;
use crate::numerics::rounding::up;

/// A solid capsule along z. Face 0 is the side, face 1 the cap at −z, face 2 the cap at +z.
///
/// `length` is the length of the straight part, between the centres of the caps.
///
/// ```
/// use firsttouch::shape::{Capsule, Convex};
/// let capsule = Capsule::new(0.5, 2.0)?;
/// assert_eq!(capsule.extent(glam::DVec3::Z), 1.5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    radius: f64,
    half: f64,
}

impl Capsule {
    /// Creates a capsule. Returns an error for a radius or length that is not positive and finite.
    pub fn new(radius: f64, length: f64) -> Result<Capsule> {
        let [radius, half] = checked_sizes("capsule", radius, length)?;
        Ok(Capsule { radius, half })
    }

    /// Returns the radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the length of the straight part.
    pub fn length(&self) -> f64 {
        2.0 * self.half
    }
}

impl Convex for Capsule {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::new(0.0, 0.0, self.half.copysign(direction.z))
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.half * direction.z.abs() + self.radius
    }

    #[inline]
    fn margin(&self) -> f64 {
        self.radius
    }

    #[inline]
    fn reach(&self) -> f64 {
        up(self.half + self.radius)
    }

    #[inline]
    fn core_reach(&self) -> f64 {
        self.half
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, DVec3::new(self.radius, self.radius, self.reach()))
    }

    fn feature(&self, point: DVec3, _normal: DVec3) -> Feature {
        match point.z {
            z if z < -self.half => Feature::Face(1),
            z if z > self.half => Feature::Face(2),
            _ => Feature::Face(0),
        }
    }
}
