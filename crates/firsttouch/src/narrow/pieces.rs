//! The pieces of every kind of side, behind one type.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::deformable::MovingTree;
use crate::ellipsoid::ChangingEllipsoid;
use crate::shape::{Compound, Convex, Mesh, Shape, SolidMesh};
use crate::tree::composite::{AnyPiece, Boxes, Composite, Solid, UnboundedSolid};

/// Any shape, as pieces under a hierarchy.
#[derive(Clone, Copy)]
pub enum Pieces<'a> {
    /// One convex solid.
    Solid(Solid<'a>),
    /// The triangles of a mesh.
    Mesh(&'a Mesh),
    /// Several convex solids.
    Compound(&'a Compound),
    /// The triangles of a mesh with an inside.
    SolidMesh(&'a SolidMesh),
    /// Very many small pieces.
    Boxes(Boxes<'a>),
    /// A half-space.
    Unbounded(UnboundedSolid<'a>),
    /// The triangles, loose edges and points of a deforming mesh.
    Deforming(&'a MovingTree),
    /// An ellipsoid that changes its shape.
    Changing(&'a ChangingEllipsoid),
}

impl<'a> Pieces<'a> {
    /// Returns the pieces of a shape. This `match` has no catch-all: a new shape does not compile until it defines what its pieces
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
            Shape::Custom(solid) => Pieces::Solid(Solid(solid.get())),
            Shape::Compound(pieces) => Pieces::Compound(pieces),
            Shape::Cone(solid) => Pieces::Solid(Solid(solid)),
            Shape::HalfSpace(shape) => Pieces::Unbounded(UnboundedSolid::new(shape)),
            Shape::SolidMesh(solid) => Pieces::SolidMesh(solid),
            Shape::PointCloud(cloud) => Pieces::Boxes(Boxes(cloud.as_ref())),
            Shape::Octree(tree) => Pieces::Boxes(Boxes(tree.as_ref())),
            Shape::HeightField(field) => Pieces::Boxes(Boxes(field.as_ref())),
        }
    }
}

/// Forwards a method to the pieces at hand.
macro_rules! forward {
    ($self:ident, $pieces:ident => $call:expr) => {
        match $self {
            Pieces::Solid($pieces) => $call,
            Pieces::Mesh($pieces) => $call,
            Pieces::Compound($pieces) => $call,
            Pieces::SolidMesh($pieces) => $call,
            Pieces::Boxes($pieces) => $call,
            Pieces::Unbounded($pieces) => $call,
            Pieces::Deforming($pieces) => $call,
            Pieces::Changing($pieces) => $call,
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
    fn core_reach(&self, node: u32) -> f64 {
        forward!(self, pieces => pieces.core_reach(node))
    }
    #[inline]
    fn core_extent(&self, node: u32, direction: DVec3) -> f64 {
        forward!(self, pieces => pieces.core_extent(node, direction))
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
    #[inline]
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        forward!(self, pieces => pieces.solid_mesh())
    }
    #[inline]
    fn is_unbounded(&self) -> bool {
        matches!(self, Pieces::Unbounded(_))
    }
    fn reachable(self, within: f64) -> Self {
        match self {
            Pieces::Unbounded(solid) => Pieces::Unbounded(solid.reachable(within)),
            bounded => bounded,
        }
    }
    fn feature(&self, leaf: u32, feature: Feature) -> Feature {
        forward!(self, pieces => pieces.feature(leaf, feature))
    }
    #[inline]
    fn extent_at(&self, node: u32, direction: DVec3, t: f64) -> f64 {
        forward!(self, pieces => pieces.extent_at(node, direction, t))
    }
    #[inline]
    fn extent_speed(&self, node: u32, direction: DVec3, off: f64, t: f64) -> f64 {
        forward!(self, pieces => pieces.extent_speed(node, direction, off, t))
    }
    #[inline]
    fn extent_acceleration(&self, node: u32) -> f64 {
        forward!(self, pieces => pieces.extent_acceleration(node))
    }
    #[inline]
    fn center_at(&self, node: u32, t: f64) -> DVec3 {
        forward!(self, pieces => pieces.center_at(node, t))
    }
    #[inline]
    fn way_out_at(&self, node: u32, point: DVec3, t: f64) -> DVec3 {
        forward!(self, pieces => pieces.way_out_at(node, point, t))
    }
}
