//! The properties of a convex solid that the engines need, in its own frame.
//!
//! A solid is a *core* (a point, a segment, a box, ...) swept by a ball of radius [`Convex::margin`]. Closest points
//! are computed between cores, which keeps spheres and capsules exact and fast. Proofs use [`Convex::extent`], which
//! includes the margin.

use glam::DVec3;

use super::placed::Placed;
use crate::answer::Feature;

/// A convex solid in its own frame. [`Shape::custom`](super::Shape::custom) brings your own solid into a scene.
///
/// # Obligations
/// All proofs rest on these. [`check_convex`](crate::testing::check_convex) tests them by sampling.
///
/// - There is one exact solid: a closed convex set, not empty, that is a core swept by a ball of radius
///   [`Convex::margin`].
/// - [`Convex::extent`] is its support function, up to [`EXTENT_ERROR`] times [`Convex::reach`]. A larger value is safe
///   and only makes the answers coarser; a smaller value leads to a false `Free`.
/// - [`Convex::support`] is a point of the core, up to [`SURFACE_ERROR`] times the reach. It should be the farthest
///   one. A poor point of the core costs time and never gives a false answer, but a point outside the core makes gaps
///   too small.
/// - [`Convex::reach`], [`Convex::core_reach`] and [`Convex::bounds`] contain the solid, or the core, without any
///   error: round up.
/// - The methods always return the same values, and do not panic for any direction, including zero and NaN.
pub trait Convex {
    /// Returns a point of the core that is farthest along `direction` (which need not have unit length), up to
    /// rounding. It steers the search; proofs use only that it lies on the solid, up to `SURFACE_ERROR` times
    /// [`Convex::reach`].
    fn support(&self, direction: DVec3) -> DVec3;

    /// Returns the largest value of `direction · x` over the solid, for a direction whose length is 1 up to rounding,
    /// within `EXTENT_ERROR` times [`Convex::reach`] of the exact value.
    fn extent(&self, direction: DVec3) -> f64;

    /// Returns [`Convex::extent`] along a direction for which [`Convex::support`] returned `support`, with the same
    /// bits. If one search finds both, this saves the second search.
    #[doc(hidden)]
    fn extent_with(&self, direction: DVec3, _support: DVec3) -> f64 {
        self.extent(direction)
    }

    /// Returns the radius of the ball that sweeps the core.
    fn margin(&self) -> f64 {
        0.0
    }

    /// Returns an upper bound of the distance from the frame's origin to any point of the solid.
    fn reach(&self) -> f64;

    /// Returns an upper bound of the distance from the frame's origin to any point of the core. A rotation moves the
    /// core and not the ball that sweeps it, so speed bounds use this distance: a ball that rotates about its centre
    /// does not move at all.
    fn core_reach(&self) -> f64 {
        self.reach()
    }

    /// Returns the centre of an axis-aligned box, in this frame, that contains the solid, and half its side lengths.
    /// Rounded up.
    fn bounds(&self) -> (DVec3, DVec3);

    /// Returns a vector across the solid where it is flat: the normal of a triangle, of any length. It is a direction
    /// to try first, not a bound.
    fn across(&self) -> Option<DVec3> {
        None
    }

    /// Returns the shape and its place if this is a [`Placed`], so that a compound of such pieces can be taken apart
    /// and built again.
    fn as_placed(&self) -> Option<&Placed> {
        None
    }

    /// Returns the feature that `point`, on the surface up to rounding, belongs to when seen along the outward
    /// direction `normal`.
    fn feature(&self, point: DVec3, normal: DVec3) -> Feature;
}

/// The largest error, relative to the reach, of [`Convex::extent`].
///
/// The longest formula is the cylinder's, `r sqrt(x² + y²) + h |z|`: at most 7 roundings of terms that are at
/// most `reach` each; the dot products of a hull have 5. Both are below `8 UNIT · 2 · reach`.
pub const EXTENT_ERROR: f64 = 16.0 * crate::numerics::rounding::UNIT;

/// The largest distance of [`Convex::support`] outside the exact solid, relative to the reach.
///
/// The ellipsoid's point `a² d / |a d|` has 8 roundings per coordinate.
pub const SURFACE_ERROR: f64 = 16.0 * crate::numerics::rounding::UNIT;

/// Returns the box around at least one point: its centre and half its side lengths, rounded up.
pub(crate) fn bounds_of<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
    let mut points = points.into_iter();
    let first = points.next().copied().unwrap_or_default();
    let (mut low, mut high) = (first, first);
    for &point in points {
        (low, high) = (low.min(point), high.max(point));
    }
    let center = 0.5 * (low + high);
    let half = (high - center).max(center - low);
    (center, half.map(f64::next_up))
}
