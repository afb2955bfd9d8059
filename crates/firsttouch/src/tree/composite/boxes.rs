//! Point clouds, octrees and height fields.

use glam::DVec3;

use super::{AnyPiece, Composite, Volume};
use crate::answer::Part;
use crate::shape::Convex;
use crate::shape::hierarchy::{Hierarchy, NodeBox, SmallPiece};
use crate::shape::local::length_up;

/// Very many small pieces under boxes along the axes.
#[derive(Clone, Copy)]
pub struct Boxes<'a>(pub(crate) &'a dyn Hierarchy);

impl Composite for Boxes<'_> {
    type Volume<'a>
        = BoxVolume
    where
        Self: 'a;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.0.children(node)
    }

    #[inline]
    fn volume(&self, node: u32) -> BoxVolume {
        let NodeBox { center, half } = self.0.node_box(node);
        BoxVolume { center, half, margin: self.0.margin() }
    }

    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        match self.0.piece(leaf) {
            SmallPiece::Solid(solid) => AnyPiece::Local(solid),
            SmallPiece::Triangle(triangle) => AnyPiece::Triangle(triangle),
        }
    }

    fn part(&self, leaf: u32) -> Part {
        self.0.part(leaf)
    }

    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

/// A box along the axes, swept by a ball.
///
/// # Rounding
/// The support function `c · d + h · |d| + m |d|` has at most 8 roundings of terms that are no larger than `reach |d|`
/// each.
#[derive(Clone, Copy)]
pub struct BoxVolume {
    center: DVec3,
    half: DVec3,
    /// The radius of the ball.
    margin: f64,
}

impl Volume for BoxVolume {
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.core_extent(direction) + self.margin * direction.length()
    }

    #[inline]
    fn core_extent(&self, direction: DVec3) -> f64 {
        self.center.dot(direction) + self.half.dot(direction.abs())
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn reach(&self) -> f64 {
        (self.core_reach() + self.margin).next_up()
    }

    #[inline]
    fn core_reach(&self) -> f64 {
        length_up(self.center.abs() + self.half)
    }

    #[inline]
    fn size(&self) -> f64 {
        self.half.max_element()
    }

    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        let from = point - self.center;
        from - from.clamp(-self.half, self.half)
    }
}
