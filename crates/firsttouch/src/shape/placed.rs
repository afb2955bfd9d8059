//! A convex solid at a place in another frame: a piece of a compound.
//!
//! # Rounding
//! Let `r` be the reach of the solid and `p` its place. The matrix of a normalized quaternion is off by `40u` (see
//! `motion::steady_rotation`), and a product with it by `9u` more. The solid's own support function or point is off by
//! `16u`, and adding `p` by `6u (r + |p|)`. That is less than `16u (6 r + |p|)`, so a reach of `6 r + |p|` covers it.
//! Only error terms depend on this reach. Bounds of motions use the reach of the core, which is `r_core + |p|`.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::Shape;
use super::convex::Convex;
use crate::answer::Feature;
use crate::error::{Error, Result, bounded_vector};
use crate::numerics::rounding::{UNIT, up};

/// A convex shape, turned and moved in the frame of a compound.
///
/// ```
/// use firsttouch::shape::{Convex, Cuboid, Placed, Shape};
/// use firsttouch::glam::{DQuat, DVec3};
/// use std::sync::Arc;
/// let board = Shape::from(Cuboid::new(DVec3::new(2.0, 4.0, 6.0))?);
/// let placed = Placed::new(&board, DQuat::IDENTITY, DVec3::Z * 10.0)?;
/// assert_eq!(placed.extent(DVec3::Z), 13.0);
/// let table = Shape::compound(vec![Arc::new(placed)])?;
/// assert_eq!(table.kind(), "compound");
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Placed {
    shape: Shape,
    rotation: DMat3,
    quaternion: DQuat,
    given: DQuat,
    translation: DVec3,
}

impl Placed {
    /// Places a convex shape. The quaternion need not have unit length. Returns an error for a shape that is not convex
    /// or has no end, for a place that is not finite, and for an invalid rotation.
    pub fn new(shape: &Shape, rotation: DQuat, translation: DVec3) -> Result<Placed> {
        if shape.as_convex().is_none() {
            let what = format!("a {} as a piece of a compound, which has convex pieces", shape.kind());
            return Err(Error::Unsupported { what });
        }
        bounded_vector(|| "place of a compound's piece".into(), translation)?;
        let largest = rotation.x.abs().max(rotation.y.abs()).max(rotation.z.abs()).max(rotation.w.abs()); // not a bound: scales
        if !rotation.is_finite() || largest == 0.0 {
            return Err(Error::OutOfRange {
                what: "length of the quaternion of a compound's piece".into(),
                expected: "positive and finite",
                value: rotation.length(),
            });
        }
        let quaternion = (rotation * (1.0 / largest)).normalize();
        let shape = shape.clone();
        Ok(Placed { shape, rotation: DMat3::from_quat(quaternion), quaternion, given: rotation, translation })
    }

    /// Returns the shape, in its own frame.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns its rotation, a unit quaternion.
    pub fn rotation(&self) -> DQuat {
        self.quaternion
    }

    /// Returns the quaternion that [`Placed::new`] was given. With this quaternion, `new` creates the same piece, bit
    /// for bit.
    pub fn given_rotation(&self) -> DQuat {
        self.given
    }

    /// Returns its translation.
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    fn solid(&self) -> &(dyn Convex + Sync) {
        self.shape.as_convex().expect("the constructor takes convex shapes only")
    }

    fn to_own(&self, direction: DVec3) -> DVec3 {
        let axes = &self.rotation;
        DVec3::new(axes.x_axis.dot(direction), axes.y_axis.dot(direction), axes.z_axis.dot(direction))
    }
}

impl Convex for Placed {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.rotation * self.solid().support(self.to_own(direction)) + self.translation
    }

    fn extent(&self, direction: DVec3) -> f64 {
        self.solid().extent(self.to_own(direction)) + self.translation.dot(direction)
    }

    fn margin(&self) -> f64 {
        self.solid().margin()
    }

    fn reach(&self) -> f64 {
        up(6.0 * self.solid().reach() + self.translation.length() * (1.0 + 8.0 * UNIT))
    }

    fn core_reach(&self) -> f64 {
        up(self.solid().core_reach() + self.translation.length() * (1.0 + 8.0 * UNIT))
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let (center, half) = self.solid().bounds();
        let moved = self.rotation * center + self.translation;
        let axes = [self.rotation.x_axis.abs(), self.rotation.y_axis.abs(), self.rotation.z_axis.abs()];
        let half = axes[0] * half.x + axes[1] * half.y + axes[2] * half.z;
        // The errors of the header, of the centre and of the half sides.
        let off = 128.0 * UNIT * (center.length() + half.length() + self.translation.length());
        (moved, half + DVec3::splat(off))
    }

    fn as_placed(&self) -> Option<&Placed> {
        Some(self)
    }

    fn across(&self) -> Option<DVec3> {
        self.solid().across().map(|across| self.rotation * across)
    }

    fn feature(&self, point: DVec3, normal: DVec3) -> Feature {
        self.solid().feature(self.to_own(point - self.translation), self.to_own(normal))
    }
}

impl Shape {
    /// Returns several convex shapes, each at its own place, as one shape; see [`Shape::compound`].
    ///
    /// ```
    /// use firsttouch::shape::{Cuboid, Shape, Sphere};
    /// use firsttouch::glam::{DQuat, DVec3};
    /// let (ball, bar) = (Sphere::new(1.0)?.into(), Cuboid::new(DVec3::new(4.0, 1.0, 1.0))?.into());
    /// let place = |shape: &Shape, x: f64| (shape.clone(), DQuat::IDENTITY, DVec3::X * x);
    /// let dumbbell = Shape::compound_of(&[place(&ball, -2.0), place(&bar, 0.0), place(&ball, 2.0)])?;
    /// let (center, half) = dumbbell.bounds();
    /// assert!(center.length() < 1e-12 && (half - DVec3::new(3.0, 1.0, 1.0)).length() < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn compound_of(shapes: &[(Shape, DQuat, DVec3)]) -> Result<Shape> {
        let mut pieces: Vec<Arc<dyn Convex + Send + Sync>> = Vec::new();
        for (shape, rotation, translation) in shapes {
            pieces.push(Arc::new(Placed::new(shape, *rotation, *translation)?));
        }
        Shape::compound(pieces)
    }
}
