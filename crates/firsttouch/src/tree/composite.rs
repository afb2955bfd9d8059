//! The interface of one side for the tree engine: convex pieces under a hierarchy of volumes.
//!
//! A mesh consists of its triangles under its tree; a convex solid is one piece, its own volume. Both keep their
//! shape. A deforming mesh does not: its volumes and pieces depend on the time, and its frame is the world frame.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::ellipsoid::{ChangingEllipsoid, ChangingPiece};
use crate::numerics::Window;
use crate::pair::piece::{MovingTriangle, Piece};
use crate::shape::hierarchy::{Hierarchy, NodeBox, SmallPiece};
use crate::shape::local::{LocalSolid, Plate, length_up};
use crate::shape::{Compound, CompoundContent, Convex, HalfSpace, Mesh, SolidMesh, Triangle};

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

/// Meshes with more triangles than this, or more corners on their hull, do not use the hull: the cost of the support
/// function grows with every corner, while the work of the tree hardly grows. Measured: hulls halve the time of free
/// bunnies of 7,000 triangles, make no difference at 69,000, and cost three times everything else for round bodies of
/// 256,000.
const MOST_HULL_TRIANGLES: usize = 50_000;
const MOST_HULL_VERTICES: usize = 1_500;

impl Composite for Mesh {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.tree().node(node).children()
    }

    #[inline]
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        self.tree().extent(node, direction)
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

/// The triangles of a mesh whose inside belongs to it too.
impl Composite for SolidMesh {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.mesh().children(node)
    }
    #[inline]
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        self.mesh().extent(node, direction)
    }
    #[inline]
    fn center(&self, node: u32) -> DVec3 {
        self.mesh().center(node)
    }
    #[inline]
    fn reach(&self, node: u32) -> f64 {
        self.mesh().reach(node)
    }
    #[inline]
    fn size(&self, node: u32) -> f64 {
        self.mesh().size(node)
    }
    #[inline]
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        self.mesh().way_out(node, point)
    }
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        self.mesh().piece(leaf)
    }
    fn part(&self, leaf: u32) -> Part {
        self.mesh().part(leaf)
    }
    fn hull(&self) -> Option<&dyn Convex> {
        Composite::hull(self.mesh())
    }
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        Some(self)
    }
}

/// A convex solid as a composite of one piece.
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
    fn core_reach(&self, _node: u32) -> f64 {
        self.0.core_reach()
    }

    #[inline]
    fn core_extent(&self, node: u32, direction: DVec3) -> f64 {
        self.extent(node, direction) - direction.length() * self.0.margin()
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

impl Composite for Compound {
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        match self.node(node).content {
            CompoundContent::Piece(_) => None,
            CompoundContent::Halves(halves) => Some(halves),
        }
    }

    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        let volume = self.node(node);
        match volume.content {
            CompoundContent::Piece(piece) => {
                Solid(Compound::piece(self, piece as usize)).extent(0, direction)
            }
            CompoundContent::Halves(_) => volume.center.dot(direction) + volume.half.dot(direction.abs()),
        }
    }

    fn center(&self, node: u32) -> DVec3 {
        self.node(node).center
    }

    fn reach(&self, node: u32) -> f64 {
        self.node(node).reach
    }

    fn core_reach(&self, node: u32) -> f64 {
        self.node(node).core_reach
    }

    fn size(&self, node: u32) -> f64 {
        match self.node(node).content {
            CompoundContent::Piece(_) => 0.0,
            CompoundContent::Halves(_) => self.node(node).half.max_element(),
        }
    }

    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        let volume = self.node(node);
        let from = point - volume.center;
        from - from.clamp(-volume.half, volume.half)
    }

    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Solid(Compound::piece(self, self.piece_of(leaf) as usize))
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Piece(self.piece_of(leaf))
    }

    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

impl Compound {
    /// The piece of a leaf.
    fn piece_of(&self, leaf: u32) -> u32 {
        match self.node(leaf).content {
            CompoundContent::Piece(piece) => piece,
            CompoundContent::Halves(_) => unreachable!("only leaves have a piece"),
        }
    }
}

/// An ellipsoid that changes its shape, as its own only piece.
impl Composite for ChangingEllipsoid {
    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        Composite::reach(self, node) * direction.length()
    }

    fn center(&self, node: u32) -> DVec3 {
        self.center_at(node, 0.5)
    }

    fn reach(&self, _node: u32) -> f64 {
        ChangingEllipsoid::reach(self, Window::between(0.0, 1.0))
    }

    fn size(&self, _node: u32) -> f64 {
        0.0
    }

    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        self.way_out_at(node, point, 0.5)
    }

    fn piece(&self, _leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Affine(ChangingPiece::new(self))
    }

    fn part(&self, _leaf: u32) -> Part {
        Part::Solid
    }

    fn hull(&self) -> Option<&dyn Convex> {
        None
    }

    fn extent_at(&self, _node: u32, direction: DVec3, t: f64) -> f64 {
        ChangingEllipsoid::extent(self, direction, t)
    }

    fn extent_speed(&self, _node: u32, direction: DVec3, off: f64, t: f64) -> f64 {
        let rate = self.rate(t);
        rate.extent(direction) + off * rate.reach()
    }

    fn extent_acceleration(&self, _node: u32) -> f64 {
        ChangingEllipsoid::acceleration(self, Window::between(0.0, 1.0))
    }

    fn center_at(&self, _node: u32, t: f64) -> DVec3 {
        self.at(t).center
    }

    fn way_out_at(&self, _node: u32, point: DVec3, t: f64) -> DVec3 {
        // The way out of the box around it.
        let now = self.at(t);
        let rows = now.matrix.transpose();
        let half = DVec3::new(rows.x_axis.length(), rows.y_axis.length(), rows.z_axis.length());
        let from = point - now.center;
        from - from.clamp(-half, half)
    }
}

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

/// A half-space, or the part of it that the other side can reach. The plate is made when it is needed: a side is copied often.
#[derive(Clone, Copy)]
pub struct UnboundedSolid<'a> {
    shape: &'a HalfSpace,
    /// How far from the origin of its frame the other side gets; infinite before that is known.
    within: f64,
}

impl<'a> UnboundedSolid<'a> {
    /// All of it.
    pub fn new(shape: &'a HalfSpace) -> UnboundedSolid<'a> {
        UnboundedSolid { shape, within: f64::INFINITY }
    }

    fn plate(&self) -> Plate {
        self.shape.plate(self.within)
    }
}

impl Composite for UnboundedSolid<'_> {
    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        Solid(&self.plate()).extent(node, direction)
    }

    fn center(&self, _node: u32) -> DVec3 {
        self.plate().bounds().0
    }

    fn reach(&self, _node: u32) -> f64 {
        self.plate().reach()
    }

    fn size(&self, _node: u32) -> f64 {
        0.0
    }

    fn way_out(&self, _node: u32, point: DVec3) -> DVec3 {
        self.shape.way_out(point)
    }

    fn piece(&self, _leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Local(LocalSolid::Plate(self.plate()))
    }

    fn part(&self, _leaf: u32) -> Part {
        Part::Solid
    }

    fn hull(&self) -> Option<&dyn Convex> {
        None
    }

    fn is_unbounded(&self) -> bool {
        true
    }

    fn reachable(self, within: f64) -> Self {
        UnboundedSolid { within, ..self }
    }
}

/// A piece of any shape.
#[derive(Clone, Copy)]
pub enum AnyPiece<'a> {
    /// A convex solid.
    Solid(&'a (dyn Convex + Sync)),
    /// A triangle of a mesh.
    Triangle(Triangle),
    /// A small solid by value.
    Local(LocalSolid),
    /// A triangle, edge or point of a deforming mesh.
    Deforming(MovingTriangle),
    /// An ellipsoid in an affine motion.
    Affine(ChangingPiece<'a>),
}

impl AnyPiece<'_> {
    /// Returns the piece as a convex solid; a deforming one, at its current instant.
    #[inline]
    pub fn as_convex(&self) -> &dyn Convex {
        match self {
            AnyPiece::Solid(solid) => *solid,
            AnyPiece::Triangle(triangle) => triangle,
            AnyPiece::Local(solid) => solid.get(),
            AnyPiece::Deforming(triangle) => triangle.solid(),
            AnyPiece::Affine(ellipsoid) => ellipsoid.solid(),
        }
    }

    /// Returns whether it keeps its shape.
    #[inline]
    pub fn is_rigid(&self) -> bool {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => true,
            AnyPiece::Deforming(_) | AnyPiece::Affine(_) => false,
        }
    }
}

impl<'a> Piece for AnyPiece<'a> {
    type Solid = dyn Convex + 'a;

    fn solid(&self) -> &(dyn Convex + 'a) {
        match self {
            AnyPiece::Solid(solid) => *solid,
            AnyPiece::Triangle(triangle) => triangle,
            AnyPiece::Local(LocalSolid::Ball(ball)) => ball,
            AnyPiece::Local(LocalSolid::Cell(cell)) => cell,
            AnyPiece::Local(LocalSolid::Plate(plate)) => plate,
            AnyPiece::Deforming(triangle) => triangle.solid(),
            AnyPiece::Affine(ellipsoid) => ellipsoid.solid(),
        }
    }

    fn look_at(&mut self, t: f64) -> bool {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => false,
            AnyPiece::Deforming(triangle) => triangle.look_at(t),
            AnyPiece::Affine(ellipsoid) => ellipsoid.look_at(t),
        }
    }

    fn reach(&self) -> f64 {
        match self {
            AnyPiece::Solid(solid) => solid.reach(),
            AnyPiece::Triangle(triangle) => Convex::reach(triangle),
            AnyPiece::Local(solid) => solid.get().reach(),
            AnyPiece::Deforming(triangle) => Piece::reach(triangle),
            AnyPiece::Affine(ellipsoid) => Piece::reach(ellipsoid),
        }
    }

    fn core_reach(&self) -> f64 {
        match self {
            AnyPiece::Solid(solid) => solid.core_reach(),
            AnyPiece::Local(solid) => solid.get().core_reach(),
            AnyPiece::Triangle(_) | AnyPiece::Deforming(_) | AnyPiece::Affine(_) => Piece::reach(self),
        }
    }

    fn deform_speed_along(&self, n: DVec3, window: Window) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => 0.0,
            AnyPiece::Deforming(triangle) => triangle.deform_speed_along(n, window),
            AnyPiece::Affine(ellipsoid) => ellipsoid.deform_speed_along(n, window),
        }
    }

    fn deform_speed(&self, window: Window) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => 0.0,
            AnyPiece::Deforming(triangle) => triangle.deform_speed(window),
            AnyPiece::Affine(ellipsoid) => ellipsoid.deform_speed(window),
        }
    }

    fn deform_acceleration(&self, window: Window) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => 0.0,
            AnyPiece::Deforming(triangle) => triangle.deform_acceleration(window),
            AnyPiece::Affine(ellipsoid) => ellipsoid.deform_acceleration(window),
        }
    }

    fn uncertainty(&self) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) | AnyPiece::Deforming(_) => 0.0,
            AnyPiece::Affine(ellipsoid) => ellipsoid.uncertainty(),
        }
    }

    fn deform_velocity_guess(&self, point: DVec3) -> DVec3 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Local(_) => DVec3::ZERO,
            AnyPiece::Deforming(triangle) => triangle.deform_velocity_guess(point),
            AnyPiece::Affine(ellipsoid) => ellipsoid.deform_velocity_guess(point),
        }
    }
}
