//! The input of the dispatcher: one side of a pair, of any kind, that moves in one piece.

use super::{Pieces, Side};
use crate::deformable::MovingTree;
use crate::ellipsoid::{AffineEllipsoid, EllipsoidMotion};
use crate::motion::{Motion, RigidMotion, jumps};
use crate::shape::Shape;

/// One side of a pair, by its kind. Both sides of a pair use one frame, which need not be the world frame.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    /// A shape in one of the motions of this crate.
    Rigid {
        /// The shape.
        shape: &'a Shape,
        /// Its motion.
        motion: &'a Motion,
    },
    /// An ellipsoid that changes its shape.
    Affine(&'a AffineEllipsoid),
    /// A deforming mesh.
    Deforming(&'a MovingTree),
    /// A shape of a robot's link, or a body attached to the link.
    Link {
        /// The pieces of the shape.
        pieces: Pieces<'a>,
        /// Its motion.
        motion: &'a dyn RigidMotion,
    },
}

impl<'a> Subject<'a> {
    /// Returns the subject as a side for the engine for trees, which takes all kinds.
    pub fn side(&self) -> Side<'a> {
        match *self {
            Subject::Rigid { shape, motion } => Side { pieces: Pieces::of(shape), motion },
            Subject::Affine(ellipsoid) => {
                Side { pieces: Pieces::Changing(ellipsoid.changing()), motion: &Motion::AT_REST }
            }
            Subject::Deforming(tree) => Side { pieces: Pieces::Deforming(tree), motion: &Motion::AT_REST },
            Subject::Link { pieces, motion } => Side { pieces, motion },
        }
    }

    /// Returns the times strictly inside `[0, 1]` at which its velocity jumps.
    pub fn kinks(&self) -> impl Iterator<Item = f64> + 'a {
        let motion: &'a dyn RigidMotion = match *self {
            Subject::Rigid { motion, .. } => motion,
            Subject::Link { motion, .. } => motion,
            Subject::Affine(_) | Subject::Deforming(_) => &Motion::AT_REST,
        };
        jumps(motion)
    }

    /// Returns the subject as an ellipsoid for algebra, if it is one.
    pub fn as_ellipsoid(&self) -> Option<EllipsoidMotion<'a>> {
        match *self {
            Subject::Rigid { shape: Shape::Ellipsoid(shape), motion } => {
                Some(EllipsoidMotion::Rigid(shape, motion))
            }
            Subject::Affine(ellipsoid) => Some(ellipsoid.motion()),
            Subject::Rigid { .. } | Subject::Deforming(_) | Subject::Link { .. } => None,
        }
    }
}
