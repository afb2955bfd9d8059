//! Point clouds, octrees and height fields.

use glam::DVec3;

use super::{AnyPiece, Composite};
use crate::answer::Part;
use crate::shape::Convex;
use crate::shape::hierarchy::{Hierarchy, NodeBox, SmallPiece};
use crate::shape::local::length_up;

/// Very many small pieces under boxes along the axes. What is asked of a node follows from its box and the margin.
///
/// # Rounding
/// The support function `c · d + h · |d| + m |d|` has at most 8 roundings of terms that are no larger than `reach |d|` each.
#[derive(Clone, Copy)]
pub struct Boxes<'a>(pub(crate) &'a dyn Hierarchy);

impl Composite for Boxes<'_> {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.0.children(node)
    }

    #[inline]
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        self.core_extent(node, direction) + self.0.margin() * direction.length()
    }

    #[inline]
    fn core_extent(&self, node: u32, direction: DVec3) -> f64 {
        let NodeBox { center, half } = self.0.node_box(node);
        center.dot(direction) + half.dot(direction.abs())
    }

    #[inline]
    fn center(&self, node: u32) -> DVec3 {
        self.0.node_box(node).center
    }

    #[inline]
    fn reach(&self, node: u32) -> f64 {
        (self.core_reach(node) + self.0.margin()).next_up()
    }

    #[inline]
    fn core_reach(&self, node: u32) -> f64 {
        let NodeBox { center, half } = self.0.node_box(node);
        length_up(center.abs() + half)
    }

    #[inline]
    fn size(&self, node: u32) -> f64 {
        self.0.node_box(node).half.max_element()
    }

    #[inline]
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        let NodeBox { center, half } = self.0.node_box(node);
        let from = point - center;
        from - from.clamp(-half, half)
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
