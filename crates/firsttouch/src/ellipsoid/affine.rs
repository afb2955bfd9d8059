//! An ellipsoid that changes its shape: the motion itself for algebra, and its bounds for advancement.

use glam::{DMat3, DVec3};

use super::changing::ChangingEllipsoid;
use super::overlaps::EllipsoidMotion;
use crate::error::Result;
use crate::motion::{Affine, AffineInterpolant};

/// An ellipsoid in an affine motion or on its way to another ellipsoid, with the bounds that the engines need.
#[derive(Debug, Clone, PartialEq)]
pub struct AffineEllipsoid {
    motion: Course,
    changing: ChangingEllipsoid,
}

#[derive(Debug, Clone, PartialEq)]
enum Course {
    Affine(Box<Affine>),
    Interpolant(AffineInterpolant),
}

impl AffineEllipsoid {
    /// Returns the image of the unit ball under an affine motion.
    pub fn new(motion: Affine) -> AffineEllipsoid {
        let changing = ChangingEllipsoid::from(motion.clone());
        AffineEllipsoid { motion: Course::Affine(Box::new(motion)), changing }
    }

    /// Creates the motion of one ellipsoid on its way to another. Returns an error if the two differ so much that f64
    /// cannot resolve their common axes.
    ///
    /// ```
    /// use firsttouch::AffineEllipsoid;
    /// use firsttouch::motion::AffineInterpolant;
    /// use glam::DVec3;
    /// // From radius 1 to radius 1/2: B goes from 1 to 4, so halfway it is 2.5.
    /// let shrinking = [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [4.0, 4.0, 4.0, 0.0, 0.0, 0.0]];
    /// let ball = AffineEllipsoid::interpolant(AffineInterpolant::new(shrinking, [DVec3::ZERO, DVec3::X])?)?;
    /// let (matrix, center) = ball.at(0.5);
    /// assert!((matrix.determinant().abs() - 2.5_f64.powf(-1.5)).abs() < 1e-12 && (center.x - 0.5).abs() < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn interpolant(motion: AffineInterpolant) -> Result<AffineEllipsoid> {
        Ok(AffineEllipsoid { motion: Course::Interpolant(motion), changing: motion.try_into()? })
    }

    /// Returns the motion, for algebra.
    pub fn motion(&self) -> EllipsoidMotion<'_> {
        match &self.motion {
            Course::Affine(motion) => EllipsoidMotion::Affine(motion),
            Course::Interpolant(motion) => EllipsoidMotion::Interpolant(motion),
        }
    }

    /// Returns a matrix that maps the unit ball to the ellipsoid at `t`, and the centre, in plain f64.
    pub fn at(&self, t: f64) -> (DMat3, DVec3) {
        match &self.motion {
            Course::Affine(motion) => motion.at(t),
            Course::Interpolant(_) => {
                let image = self.changing.at(t);
                (image.matrix, image.center)
            }
        }
    }

    /// Returns the ellipsoid at any time, with bounds.
    #[doc(hidden)]
    pub fn changing(&self) -> &ChangingEllipsoid {
        &self.changing
    }
}
