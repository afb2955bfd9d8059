//! A half-space: all points on one side of a plane.
//!
//! A half-space has no end, and every error bound of the engines grows with the size of a shape. So for a query of a
//! half-space and another shape, an engine takes a [`Plate`] of it. This is a box whose upper face lies in the plane,
//! so large that the other side never leaves the space above and inside of it.
//!
//! # Why the plate is as good
//! Let all points `x` of the other side stay within `ρ` of the origin of the half-space's frame. Let the plate reach at
//! least `ρ + |offset|` to all sides from the foot of the origin on the plane, and as deep. A point inside the
//! half-space is then inside the plate. A point outside has its nearest point of the half-space straight below it,
//! within `ρ` of the foot, and that is a point of the plate. So the distances are equal, for every point and at every
//! time.
//!
//! # Rounding
//! The unit normal and the two directions along the plane have three roundings per coordinate, a dot product with them
//! three more. The support function adds at most `9u` of `|offset| + 3 size`, which is less than
//! [`EXTENT_ERROR`](super::EXTENT_ERROR) of the reach, `|offset| + 2 size`.

use glam::DVec3;

use super::convex::Convex;
use crate::answer::Feature;
use crate::error::{Error, Result, bounded, bounded_vector};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::up;

/// The solid half-space of all `x` with `normal · x <= offset`, for the unit vector `normal`. Its surface is face 0.
///
/// Two half-spaces at rest are not checked against each other: they surround a scene, and nearly always cross
/// somewhere. A scene in which one of two half-spaces moves is refused, unless the pair is allowed.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::{HalfSpace, Sphere};
/// use firsttouch::{Answer, Options, first_touch};
/// // A ball of radius 1 falls from z = 10 to z = 0 onto a floor at z = 1: they touch when it is at z = 2.
/// let floor = HalfSpace::new(DVec3::Z, 1.0)?.into();
/// let ball = Sphere::new(1.0)?.into();
/// let at = |z: f64| Pose::from_translation(DVec3::new(100.0, 0.0, z));
/// let falling = Motion::linear(at(10.0)?, at(0.0)?);
/// let answer = first_touch((&floor, &Motion::AT_REST), (&ball, &falling), &Options::default())?;
/// let Answer::Touch(touch) = answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.8 && touch.toi > 0.8 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    normal: DVec3,
    offset: f64,
}

impl HalfSpace {
    /// Creates a half-space. The outward normal may have any length but zero; the offset is a distance along its
    /// direction.
    pub fn new(normal: DVec3, offset: f64) -> Result<HalfSpace> {
        bounded_vector(|| "half-space normal".into(), normal)?;
        // Scaled first, so that the square of a short vector does not underflow.
        let largest = normal.abs().max_element();
        if largest == 0.0 {
            return Err(Error::OutOfRange {
                what: "length of a half-space's normal".into(),
                expected: "positive",
                value: 0.0,
            });
        }
        let offset = bounded(|| "half-space offset".into(), offset)?;
        Ok(HalfSpace { normal: (normal / largest).normalize(), offset })
    }

    /// Returns the outward unit normal.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Returns the distance of the plane from the origin, along the normal.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Returns the vector from the half-space to a point; zero inside.
    pub(crate) fn way_out(&self, point: DVec3) -> DVec3 {
        let height = self.normal.dot(point) - self.offset;
        if height > 0.0 { self.normal * height } else { DVec3::ZERO }
    }

    /// Returns the plate that stands for the half-space if the other side stays within a distance of the origin of its
    /// frame. An unknown distance is infinite: then the plate proves nothing.
    pub(crate) fn plate(&self, within: f64) -> Plate {
        let (u, v) = self.normal.any_orthonormal_pair();
        let size = 1.25 * upper_max(within, 0.0) + self.offset.abs();
        Plate { normal: self.normal, u, v, offset: self.offset, size }
    }
}

/// A box whose upper face lies in the plane of a half-space; see the header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plate {
    normal: DVec3,
    u: DVec3,
    v: DVec3,
    offset: f64,
    /// The reach along the plane from the foot of the origin, to each side, and the depth.
    size: f64,
}

impl Plate {
    /// Returns the middle of the upper face.
    pub(crate) fn foot(&self) -> DVec3 {
        self.normal * self.offset
    }
}

impl Convex for Plate {
    fn support(&self, direction: DVec3) -> DVec3 {
        let depth = if self.normal.dot(direction) < 0.0 { self.offset - self.size } else { self.offset };
        let side = |axis: DVec3| axis * self.size.copysign(axis.dot(direction));
        self.normal * depth + (side(self.u) + side(self.v))
    }

    fn extent(&self, direction: DVec3) -> f64 {
        let [n, u, v] = [self.normal, self.u, self.v].map(|axis| axis.dot(direction));
        self.offset * n + self.size * (upper_max(-n, 0.0) + (u.abs() + v.abs()))
    }

    fn reach(&self) -> f64 {
        up(self.offset.abs() + 2.0 * self.size)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (self.foot(), DVec3::splat(up(2.0 * self.size)))
    }

    fn across(&self) -> Option<DVec3> {
        Some(self.normal)
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}
