//! An ellipsoid whose axes are those of its frame.

use glam::DVec3;

use super::convex::Convex;
use crate::answer::Feature;
use crate::error::{Result, positive};

/// A solid ellipsoid. Its surface is face 0.
///
/// ```
/// use firsttouch::shape::{Convex, Ellipsoid};
/// let egg = Ellipsoid::new(glam::DVec3::new(3.0, 2.0, 1.0))?;
/// assert_eq!(egg.extent(glam::DVec3::Y), 2.0);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    semi_axes: DVec3,
}

impl Ellipsoid {
    /// Creates an ellipsoid. Returns an error for semi-axes that are not positive and finite.
    pub fn new(semi_axes: DVec3) -> Result<Ellipsoid> {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(semi_axes.to_array()) {
            positive(|| format!("ellipsoid semi-axis {axis}"), value)?;
        }
        Ok(Ellipsoid { semi_axes })
    }

    /// Returns the semi-axes along x, y and z.
    pub fn semi_axes(&self) -> DVec3 {
        self.semi_axes
    }
}

impl Convex for Ellipsoid {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        // The gradient condition yields x = a² d / |a d|, with the products taken per axis.
        let scaled = self.semi_axes * direction;
        let length = scaled.length();
        if length > 0.0 { self.semi_axes * scaled / length } else { DVec3::ZERO }
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        (self.semi_axes * direction).length()
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.semi_axes.max_element()
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (DVec3::ZERO, self.semi_axes)
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}
