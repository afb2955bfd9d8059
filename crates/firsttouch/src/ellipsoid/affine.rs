//! An ellipsoid in an affine motion: the motion itself for algebra, and its bounds for advancement.

use super::changing::ChangingEllipsoid;
use crate::motion::Affine;

/// An ellipsoid in an affine motion, with the bounds that the engines need.
#[derive(Debug, Clone, PartialEq)]
pub struct AffineEllipsoid {
    motion: Affine,
    changing: ChangingEllipsoid,
}

impl AffineEllipsoid {
    /// The image of the unit ball under an affine motion.
    pub fn new(motion: Affine) -> AffineEllipsoid {
        let changing = ChangingEllipsoid::from(motion.clone());
        AffineEllipsoid { motion, changing }
    }

    /// The motion.
    pub fn motion(&self) -> &Affine {
        &self.motion
    }

    /// The ellipsoid at any time, with bounds.
    #[doc(hidden)]
    pub fn changing(&self) -> &ChangingEllipsoid {
        &self.changing
    }
}
