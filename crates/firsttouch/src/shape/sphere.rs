//! A ball centred at the origin of its frame.

use glam::DVec3;

use super::convex::Convex;
use crate::answer::Feature;
use crate::error::{Result, positive};

/// A solid ball. Its surface is face 0.
///
/// ```
/// use firsttouch::shape::{Convex, Sphere};
/// let ball = Sphere::new(0.5)?;
/// assert_eq!(ball.extent(glam::DVec3::X), 0.5);
/// assert!(Sphere::new(-1.0).is_err());
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// Creates a ball. Returns an error for a radius that is not positive and finite.
    pub fn new(radius: f64) -> Result<Sphere> {
        Ok(Sphere { radius: positive(|| "sphere radius".into(), radius)? })
    }

    /// Returns the radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Convex for Sphere {
    #[inline]
    fn support(&self, _direction: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn extent(&self, _direction: DVec3) -> f64 {
        self.radius
    }

    #[inline]
    fn margin(&self) -> f64 {
        self.radius
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.radius
    }

    #[inline]
    fn core_reach(&self) -> f64 {
        0.0
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, DVec3::splat(self.radius))
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}
