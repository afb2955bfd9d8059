//! The interface of one side for the tree engine: convex pieces under a hierarchy of volumes.
//!
//! A mesh consists of its triangles under its tree; a convex solid is one piece, its own volume. Both keep their
//! shape. A deforming mesh does not: its volumes and pieces depend on the time, and its frame is the world frame.

mod any_piece;
mod boxes;
mod changing;
mod mesh;
mod solid;
mod unbounded;

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::shape::{Convex, SolidMesh};

pub use any_piece::AnyPiece;
pub use boxes::Boxes;
pub use solid::Solid;
pub use unbounded::UnboundedSolid;

/// Convex pieces under a hierarchy, in the frame of the body. Node 0 is the root.
pub trait Composite {
    /// Returns the children of a node; `None` for a leaf.
    fn children(&self, node: u32) -> Option<[u32; 2]>;

    /// Returns an upper bound of `direction · x` over the node, for a direction of any length, up to
    /// [`EXTENT_ERROR`](crate::shape::convex::EXTENT_ERROR)` · |direction| · reach(node)`.
    fn extent(&self, node: u32, direction: DVec3) -> f64;

    /// Returns a point in the middle of the node.
    fn center(&self, node: u32) -> DVec3;

    /// Returns an upper bound of the distance from the frame's origin to any point of the node.
    fn reach(&self, node: u32) -> f64;

    /// Like [`Composite::reach`], for the cores of its pieces, which are what a rotation moves.
    #[inline]
    fn core_reach(&self, node: u32) -> f64 {
        self.reach(node)
    }

    /// Like [`Composite::extent`], for the cores of its pieces.
    #[inline]
    fn core_extent(&self, node: u32, direction: DVec3) -> f64 {
        self.extent(node, direction)
    }

    /// Returns the size of the node. The larger node of a pair is opened first.
    fn size(&self, node: u32) -> f64;

    /// Returns the vector from roughly the closest point of the node's volume to `point`; zero if the point is
    /// inside. It is only a direction to try.
    fn way_out(&self, node: u32, point: DVec3) -> DVec3;

    /// Returns the piece of a leaf.
    fn piece(&self, leaf: u32) -> AnyPiece<'_>;

    /// Returns the part that the piece of a leaf is reported as.
    fn part(&self, leaf: u32) -> Part;

    /// Returns the convex hull of everything, if its evaluation costs less than it can save.
    fn hull(&self) -> Option<&dyn Convex>;

    /// Returns whether it is a surface: its pieces are triangles, which have no inside.
    fn is_surface(&self) -> bool {
        // All pieces are of one kind.
        let mut node = 0;
        while let Some([child, _]) = self.children(node) {
            node = child;
        }
        matches!(self.piece(node), AnyPiece::Triangle(_) | AnyPiece::Deforming(_))
    }

    /// Returns the closed mesh whose inside belongs to it too, though no piece covers the inside; see `inside`.
    #[inline]
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        None
    }

    /// Returns whether it has no end. Engines then take the part of it that the other side can reach; see `unbounded`.
    #[inline]
    fn is_unbounded(&self) -> bool {
        false
    }

    /// Returns the part of it that stands for all of it if the other side stays within a distance of the origin of its frame.
    #[inline]
    fn reachable(self, _within: f64) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Converts a feature of the piece of a leaf to its index in the whole.
    fn feature(&self, _leaf: u32, feature: Feature) -> Feature {
        feature
    }

    /// Like [`Composite::extent`], for the node at time `t`.
    #[inline]
    fn extent_at(&self, node: u32, direction: DVec3, _t: f64) -> f64 {
        self.extent(node, direction)
    }

    /// Returns an upper bound of the rate at which [`Composite::extent_at`] grows at `t`, for a constant direction
    /// that may be off by a vector of length `off`.
    #[inline]
    fn extent_speed(&self, _node: u32, _direction: DVec3, _off: f64, _t: f64) -> f64 {
        0.0
    }

    /// Returns an upper bound of the magnitude of the second time derivative of [`Composite::extent_at`], for a
    /// direction of unit length.
    #[inline]
    fn extent_acceleration(&self, _node: u32) -> f64 {
        0.0
    }

    /// Like [`Composite::center`], at `t`.
    #[inline]
    fn center_at(&self, node: u32, _t: f64) -> DVec3 {
        self.center(node)
    }

    /// Like [`Composite::way_out`], at `t`.
    #[inline]
    fn way_out_at(&self, node: u32, point: DVec3, _t: f64) -> DVec3 {
        self.way_out(node, point)
    }
}

impl<C: Composite + ?Sized> Composite for &C {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        (**self).children(node)
    }
    #[inline]
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        (**self).extent(node, direction)
    }
    #[inline]
    fn center(&self, node: u32) -> DVec3 {
        (**self).center(node)
    }
    #[inline]
    fn reach(&self, node: u32) -> f64 {
        (**self).reach(node)
    }
    #[inline]
    fn core_reach(&self, node: u32) -> f64 {
        (**self).core_reach(node)
    }
    #[inline]
    fn core_extent(&self, node: u32, direction: DVec3) -> f64 {
        (**self).core_extent(node, direction)
    }
    #[inline]
    fn size(&self, node: u32) -> f64 {
        (**self).size(node)
    }
    #[inline]
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        (**self).way_out(node, point)
    }
    #[inline]
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        (**self).piece(leaf)
    }
    fn part(&self, leaf: u32) -> Part {
        (**self).part(leaf)
    }
    fn hull(&self) -> Option<&dyn Convex> {
        (**self).hull()
    }
    #[inline]
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        (**self).solid_mesh()
    }
    #[inline]
    fn is_unbounded(&self) -> bool {
        (**self).is_unbounded()
    }
    fn feature(&self, leaf: u32, feature: Feature) -> Feature {
        (**self).feature(leaf, feature)
    }
    #[inline]
    fn extent_at(&self, node: u32, direction: DVec3, t: f64) -> f64 {
        (**self).extent_at(node, direction, t)
    }
    #[inline]
    fn extent_speed(&self, node: u32, direction: DVec3, off: f64, t: f64) -> f64 {
        (**self).extent_speed(node, direction, off, t)
    }
    #[inline]
    fn extent_acceleration(&self, node: u32) -> f64 {
        (**self).extent_acceleration(node)
    }
    #[inline]
    fn center_at(&self, node: u32, t: f64) -> DVec3 {
        (**self).center_at(node, t)
    }
    #[inline]
    fn way_out_at(&self, node: u32, point: DVec3, t: f64) -> DVec3 {
        (**self).way_out_at(node, point, t)
    }
}
