//! What the tree engine asks of a side: convex pieces under a hierarchy of volumes.
//!
//! A mesh is its triangles under its tree; a convex solid is one piece, its own volume.

use glam::DVec3;

use crate::answer::Part;
use crate::shape::{Convex, Mesh, Shape, Triangle};

/// Convex pieces under a hierarchy, in the frame of the body. Node 0 is the root.
pub trait Composite {
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
    fn piece(&self, leaf: u32) -> AnyPiece<'_>;

    /// What the piece of a leaf is called.
    fn part(&self, leaf: u32) -> Part;

    /// The convex hull of everything, where asking it costs less than it can save.
    fn hull(&self) -> Option<&dyn Convex>;
}

/// Meshes with more triangles than this, or more corners on their hull, do without it: with every corner the support
/// function costs more, while the tree's own work hardly grows. Measured: hulls halve the time of free bunnies of 7,000
/// triangles, make no difference at 69,000, and cost three times all the rest for round bodies of 256,000.
const MOST_HULL_TRIANGLES: usize = 50_000;
const MOST_HULL_VERTICES: usize = 1_500;

impl Composite for Mesh {
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
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Triangle(self.triangle(self.tree().node(leaf).triangle()))
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Triangle(self.tree().node(leaf).triangle())
    }

    fn hull(&self) -> Option<&dyn Convex> {
        if self.triangles().len() > MOST_HULL_TRIANGLES {
            return None;
        }
        let hull = Mesh::hull(self);
        if hull.vertices().len() > MOST_HULL_VERTICES { None } else { Some(hull) }
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
}

/// A convex solid as its own only piece.
#[derive(Clone, Copy)]
pub struct Solid<'a>(pub &'a (dyn Convex + Sync));

impl Composite for Solid<'_> {
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
    fn piece(&self, _leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Solid(self.0)
    }

    fn part(&self, _leaf: u32) -> Part {
        Part::Solid
    }

    fn hull(&self) -> Option<&dyn Convex> {
        Some(self.0)
    }
}

/// Any shape, as pieces under a hierarchy.
#[derive(Clone, Copy)]
pub enum Pieces<'a> {
    /// One convex solid.
    Solid(Solid<'a>),
    /// The triangles of a mesh.
    Mesh(&'a Mesh),
}

impl<'a> Pieces<'a> {
    /// The pieces of a shape. This `match` has no catch-all: a new shape does not compile until it says what its pieces
    /// are.
    pub fn of(shape: &'a Shape) -> Pieces<'a> {
        match shape {
            Shape::Box(solid) => Pieces::Solid(Solid(solid)),
            Shape::Sphere(solid) => Pieces::Solid(Solid(solid)),
            Shape::Capsule(solid) => Pieces::Solid(Solid(solid)),
            Shape::Cylinder(solid) => Pieces::Solid(Solid(solid)),
            Shape::Ellipsoid(solid) => Pieces::Solid(Solid(solid)),
            Shape::Hull(solid) => Pieces::Solid(Solid(solid.as_ref())),
            Shape::Mesh(mesh) => Pieces::Mesh(mesh),
        }
    }
}

/// Forwards a method to the pieces at hand.
macro_rules! forward {
    ($self:ident, $pieces:ident => $call:expr) => {
        match $self {
            Pieces::Solid($pieces) => $call,
            Pieces::Mesh($pieces) => $call,
        }
    };
}

impl Composite for Pieces<'_> {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        forward!(self, pieces => pieces.children(node))
    }
    #[inline]
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        forward!(self, pieces => pieces.extent(node, direction))
    }
    #[inline]
    fn center(&self, node: u32) -> DVec3 {
        forward!(self, pieces => pieces.center(node))
    }
    #[inline]
    fn reach(&self, node: u32) -> f64 {
        forward!(self, pieces => pieces.reach(node))
    }
    #[inline]
    fn size(&self, node: u32) -> f64 {
        forward!(self, pieces => pieces.size(node))
    }
    #[inline]
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        forward!(self, pieces => pieces.way_out(node, point))
    }
    #[inline]
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        forward!(self, pieces => pieces.piece(leaf))
    }
    fn part(&self, leaf: u32) -> Part {
        forward!(self, pieces => pieces.part(leaf))
    }
    fn hull(&self) -> Option<&dyn Convex> {
        forward!(self, pieces => Composite::hull(pieces))
    }
}

/// A piece of any shape.
#[derive(Clone, Copy)]
pub enum AnyPiece<'a> {
    /// A convex solid.
    Solid(&'a (dyn Convex + Sync)),
    /// A triangle of a mesh.
    Triangle(Triangle),
}

impl AnyPiece<'_> {
    /// The piece as a convex solid.
    #[inline]
    pub fn as_convex(&self) -> &dyn Convex {
        match self {
            AnyPiece::Solid(solid) => *solid,
            AnyPiece::Triangle(triangle) => triangle,
        }
    }
}
