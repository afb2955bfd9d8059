//! What the tree engine asks of a side: convex pieces under a hierarchy of volumes.
//!
//! A mesh is its triangles under its tree; a convex solid is one piece, its own volume.

use glam::DVec3;

use crate::answer::Part;
use crate::shape::{Convex, Mesh, Triangle};

/// Convex pieces under a hierarchy, in the frame of the body. Node 0 is the root.
pub trait Composite {
    /// A convex piece.
    type Piece: Convex;

    /// The children of a node; none for a leaf.
    fn children(&self, node: u32) -> Option<[u32; 2]>;

    /// An upper bound of `direction · x` over the node, for a direction of any length, up to
    /// [`EXTENT_ERROR`](crate::shape::convex::EXTENT_ERROR)` · |direction| · reach(node)`.
    fn extent(&self, node: u32, direction: DVec3) -> f64;

    /// A point in the middle of the node.
    fn center(&self, node: u32) -> DVec3;

    /// An upper bound of the distance from the frame's origin to any point of the node.
    fn reach(&self, node: u32) -> f64;

    /// How large the node is: the larger one of a pair is opened first.
    fn size(&self, node: u32) -> f64;

    /// The part of the way from the node's volume to `point` that is outside the volume: the vector from the volume's
    /// closest point, roughly. Zero if the point is inside. A direction to try, nothing more.
    fn way_out(&self, node: u32, point: DVec3) -> DVec3;

    /// The piece of a leaf.
    fn piece(&self, leaf: u32) -> Self::Piece;

    /// What the piece of a leaf is called.
    fn part(&self, leaf: u32) -> Part;
}

impl Composite for Mesh {
    type Piece = Triangle;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.tree().node(node).children()
    }

    #[inline]
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        self.tree().node(node).volume.extent(direction)
    }

    #[inline]
    fn center(&self, node: u32) -> DVec3 {
        self.tree().node(node).volume.center
    }

    #[inline]
    fn reach(&self, node: u32) -> f64 {
        self.tree().node(node).volume.reach
    }

    #[inline]
    fn size(&self, node: u32) -> f64 {
        self.tree().node(node).volume.half.x
    }

    #[inline]
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        self.tree().node(node).volume.way_out(point)
    }

    #[inline]
    fn piece(&self, leaf: u32) -> Triangle {
        self.triangle(self.tree().node(leaf).triangle())
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Triangle(self.tree().node(leaf).triangle())
    }
}

/// A convex solid as its own only piece.
pub struct Solid<'a>(pub &'a (dyn Convex + Sync));

impl<'a> Composite for Solid<'a> {
    type Piece = SolidPiece<'a>;

    #[inline]
    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    #[inline]
    fn extent(&self, _node: u32, direction: DVec3) -> f64 {
        let length = direction.length();
        if length > 0.0 { length * self.0.extent(direction / length) } else { 0.0 }
    }

    #[inline]
    fn center(&self, _node: u32) -> DVec3 {
        self.0.bounds().0
    }

    #[inline]
    fn reach(&self, _node: u32) -> f64 {
        self.0.reach()
    }

    #[inline]
    fn size(&self, _node: u32) -> f64 {
        0.0
    }

    #[inline]
    fn way_out(&self, _node: u32, point: DVec3) -> DVec3 {
        let (center, half) = self.0.bounds();
        let from = point - center;
        from - from.clamp(-half, half)
    }

    #[inline]
    fn piece(&self, _leaf: u32) -> SolidPiece<'a> {
        SolidPiece(self.0)
    }

    fn part(&self, _leaf: u32) -> Part {
        Part::Solid
    }
}

/// A borrowed solid.
pub struct SolidPiece<'a>(&'a (dyn Convex + Sync));

impl Convex for SolidPiece<'_> {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0.support(direction)
    }
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.0.extent(direction)
    }
    #[inline]
    fn margin(&self) -> f64 {
        self.0.margin()
    }
    #[inline]
    fn reach(&self) -> f64 {
        self.0.reach()
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        self.0.bounds()
    }
    fn feature(&self, point: DVec3, normal: DVec3) -> crate::answer::Feature {
        self.0.feature(point, normal)
    }
}
