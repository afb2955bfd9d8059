//! The pieces of every kind of side, behind one type.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::deformable::{MovingBox, MovingTree};
use crate::ellipsoid::ChangingEllipsoid;
use crate::shape::{Compound, Convex, Mesh, NodeVolume, Shape, SolidMesh};
use crate::tree::composite::{
    AnyPiece, BoxVolume, Boxes, Composite, CompoundVolume, PlateVolume, Solid, UnboundedSolid, Volume,
};

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
    /// Returns the pieces of a shape. This `match` has no catch-all: a new shape does not compile until it defines its
    /// pieces.
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

/// Forwards a method to the variant at hand.
macro_rules! forward {
    ($any:ident, $self:ident, $inner:ident => $call:expr) => {
        match $self {
            $any::Solid($inner) => $call,
            $any::Mesh($inner) => $call,
            $any::Compound($inner) => $call,
            $any::SolidMesh($inner) => $call,
            $any::Boxes($inner) => $call,
            $any::Unbounded($inner) => $call,
            $any::Deforming($inner) => $call,
            $any::Changing($inner) => $call,
        }
    };
}

impl Composite for Pieces<'_> {
    type Volume<'a>
        = PiecesVolume<'a>
    where
        Self: 'a;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        forward!(Pieces, self, pieces => pieces.children(node))
    }
    #[inline]
    fn volume(&self, node: u32) -> PiecesVolume<'_> {
        match self {
            Pieces::Solid(pieces) => PiecesVolume::Solid(pieces.volume(node)),
            Pieces::Mesh(pieces) => PiecesVolume::Mesh(pieces.volume(node)),
            Pieces::Compound(pieces) => PiecesVolume::Compound(pieces.volume(node)),
            Pieces::SolidMesh(pieces) => PiecesVolume::SolidMesh(pieces.volume(node)),
            Pieces::Boxes(pieces) => PiecesVolume::Boxes(pieces.volume(node)),
            Pieces::Unbounded(pieces) => PiecesVolume::Unbounded(pieces.volume(node)),
            Pieces::Deforming(pieces) => PiecesVolume::Deforming(pieces.volume(node)),
            Pieces::Changing(pieces) => PiecesVolume::Changing(pieces.volume(node)),
        }
    }
    #[inline]
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        forward!(Pieces, self, pieces => pieces.piece(leaf))
    }
    fn part(&self, leaf: u32) -> Part {
        forward!(Pieces, self, pieces => pieces.part(leaf))
    }
    fn hull(&self) -> Option<&dyn Convex> {
        forward!(Pieces, self, pieces => Composite::hull(pieces))
    }
    fn is_surface(&self) -> bool {
        forward!(Pieces, self, pieces => pieces.is_surface())
    }
    #[inline]
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        forward!(Pieces, self, pieces => pieces.solid_mesh())
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
        forward!(Pieces, self, pieces => pieces.feature(leaf, feature))
    }
}

/// The volume of a node of any shape.
#[derive(Clone, Copy)]
pub enum PiecesVolume<'a> {
    /// The solid itself.
    Solid(Solid<'a>),
    /// A hull or an oriented box.
    Mesh(NodeVolume<'a>),
    /// A solid or a box.
    Compound(CompoundVolume<'a>),
    /// A hull or an oriented box.
    SolidMesh(NodeVolume<'a>),
    /// A box along the axes.
    Boxes(BoxVolume),
    /// The part of a half-space within reach.
    Unbounded(PlateVolume<'a>),
    /// A moving box.
    Deforming(&'a MovingBox),
    /// The ellipsoid itself.
    Changing(&'a ChangingEllipsoid),
}

impl Volume for PiecesVolume<'_> {
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        forward!(PiecesVolume, self, volume => Volume::extent(volume, direction))
    }
    #[inline]
    fn center(&self) -> DVec3 {
        forward!(PiecesVolume, self, volume => volume.center())
    }
    #[inline]
    fn reach(&self) -> f64 {
        forward!(PiecesVolume, self, volume => Volume::reach(volume))
    }
    #[inline]
    fn core_reach(&self) -> f64 {
        forward!(PiecesVolume, self, volume => volume.core_reach())
    }
    #[inline]
    fn core_extent(&self, direction: DVec3) -> f64 {
        forward!(PiecesVolume, self, volume => volume.core_extent(direction))
    }
    #[inline]
    fn size(&self) -> f64 {
        forward!(PiecesVolume, self, volume => volume.size())
    }
    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        forward!(PiecesVolume, self, volume => volume.way_out(point))
    }
    #[inline]
    fn extent_at(&self, direction: DVec3, t: f64) -> f64 {
        forward!(PiecesVolume, self, volume => volume.extent_at(direction, t))
    }
    #[inline]
    fn extent_speed(&self, direction: DVec3, off: f64, t: f64) -> f64 {
        forward!(PiecesVolume, self, volume => volume.extent_speed(direction, off, t))
    }
    #[inline]
    fn extent_acceleration(&self) -> f64 {
        forward!(PiecesVolume, self, volume => volume.extent_acceleration())
    }
    #[inline]
    fn center_at(&self, t: f64) -> DVec3 {
        forward!(PiecesVolume, self, volume => volume.center_at(t))
    }
    #[inline]
    fn way_out_at(&self, point: DVec3, t: f64) -> DVec3 {
        forward!(PiecesVolume, self, volume => volume.way_out_at(point, t))
    }
}
