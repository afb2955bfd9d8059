//! What the tree engine asks of a side: convex pieces under a hierarchy of volumes.
//!
//! A mesh is its triangles under its tree; a convex solid is one piece, its own volume. Both keep their shape. A deforming
//! mesh does not: its volumes and pieces are asked for by time, and its frame is the world's.

use glam::DVec3;

use crate::answer::{Feature, Part};
use crate::ellipsoid::{ChangingEllipsoid, ChangingPiece};
use crate::numerics::Window;
use crate::pair::piece::{MovingTriangle, Piece};
use crate::shape::{Compound, CompoundContent, Convex, Mesh, Triangle};

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

    /// The same for the cores of its pieces: what a rotation moves.
    #[inline]
    fn core_reach(&self, node: u32) -> f64 {
        self.reach(node)
    }

    /// Like [`Composite::extent`], of the cores of its pieces.
    #[inline]
    fn core_extent(&self, node: u32, direction: DVec3) -> f64 {
        self.extent(node, direction)
    }

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

    /// A feature of the piece of a leaf, by the number it has in the whole.
    fn feature(&self, _leaf: u32, feature: Feature) -> Feature {
        feature
    }

    /// Like [`Composite::extent`], of what the node is at `t`.
    #[inline]
    fn extent_at(&self, node: u32, direction: DVec3, _t: f64) -> f64 {
        self.extent(node, direction)
    }

    /// An upper bound of how fast [`Composite::extent_at`] grows at `t`, for a direction that stays and may be `off` by a small
    /// vector of that length.
    #[inline]
    fn drift(&self, _node: u32, _direction: DVec3, _off: f64, _t: f64) -> f64 {
        0.0
    }

    /// An upper bound of how fast that changes, in either sense, for a direction of unit length.
    #[inline]
    fn bend(&self, _node: u32) -> f64 {
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
    fn feature(&self, leaf: u32, feature: Feature) -> Feature {
        (**self).feature(leaf, feature)
    }
    #[inline]
    fn extent_at(&self, node: u32, direction: DVec3, t: f64) -> f64 {
        (**self).extent_at(node, direction, t)
    }
    #[inline]
    fn drift(&self, node: u32, direction: DVec3, off: f64, t: f64) -> f64 {
        (**self).drift(node, direction, off, t)
    }
    #[inline]
    fn bend(&self, node: u32) -> f64 {
        (**self).bend(node)
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
        AnyPiece::Changing(ChangingPiece::new(self))
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

    fn drift(&self, _node: u32, direction: DVec3, off: f64, t: f64) -> f64 {
        let rate = self.rate(t);
        rate.extent(direction) + off * rate.reach()
    }

    fn bend(&self, _node: u32) -> f64 {
        ChangingEllipsoid::bend(self, Window::between(0.0, 1.0))
    }

    fn center_at(&self, _node: u32, t: f64) -> DVec3 {
        self.at(t).center
    }

    fn way_out_at(&self, _node: u32, point: DVec3, t: f64) -> DVec3 {
        // Out of the box around it.
        let now = self.at(t);
        let rows = now.matrix.transpose();
        let half = DVec3::new(rows.x_axis.length(), rows.y_axis.length(), rows.z_axis.length());
        let from = point - now.center;
        from - from.clamp(-half, half)
    }
}

/// A piece of any shape.
#[derive(Clone, Copy)]
pub enum AnyPiece<'a> {
    /// A convex solid.
    Solid(&'a (dyn Convex + Sync)),
    /// A triangle of a mesh.
    Triangle(Triangle),
    /// A triangle, edge or point of a deforming mesh.
    Deforming(MovingTriangle),
    /// An ellipsoid that changes its shape.
    Changing(ChangingPiece<'a>),
}

impl AnyPiece<'_> {
    /// The piece as a convex solid; one that deforms, as it is at the instant it looks at.
    #[inline]
    pub fn as_convex(&self) -> &dyn Convex {
        match self {
            AnyPiece::Solid(solid) => *solid,
            AnyPiece::Triangle(triangle) => triangle,
            AnyPiece::Deforming(triangle) => triangle.solid(),
            AnyPiece::Changing(ellipsoid) => ellipsoid.solid(),
        }
    }

    /// Whether it keeps its shape.
    #[inline]
    pub fn is_rigid(&self) -> bool {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) => true,
            AnyPiece::Deforming(_) | AnyPiece::Changing(_) => false,
        }
    }
}

impl<'a> Piece for AnyPiece<'a> {
    type Solid = dyn Convex + 'a;

    fn solid(&self) -> &(dyn Convex + 'a) {
        match self {
            AnyPiece::Solid(solid) => *solid,
            AnyPiece::Triangle(triangle) => triangle,
            AnyPiece::Deforming(triangle) => triangle.solid(),
            AnyPiece::Changing(ellipsoid) => ellipsoid.solid(),
        }
    }

    fn look_at(&mut self, t: f64) -> bool {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) => false,
            AnyPiece::Deforming(triangle) => triangle.look_at(t),
            AnyPiece::Changing(ellipsoid) => ellipsoid.look_at(t),
        }
    }

    fn reach(&self) -> f64 {
        match self {
            AnyPiece::Solid(solid) => solid.reach(),
            AnyPiece::Triangle(triangle) => Convex::reach(triangle),
            AnyPiece::Deforming(triangle) => Piece::reach(triangle),
            AnyPiece::Changing(ellipsoid) => Piece::reach(ellipsoid),
        }
    }

    fn core_reach(&self) -> f64 {
        match self {
            AnyPiece::Solid(solid) => solid.core_reach(),
            AnyPiece::Triangle(_) | AnyPiece::Deforming(_) | AnyPiece::Changing(_) => Piece::reach(self),
        }
    }

    fn drift_along(&self, n: DVec3, window: Window) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) => 0.0,
            AnyPiece::Deforming(triangle) => triangle.drift_along(n, window),
            AnyPiece::Changing(ellipsoid) => ellipsoid.drift_along(n, window),
        }
    }

    fn drift(&self, window: Window) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) => 0.0,
            AnyPiece::Deforming(triangle) => triangle.drift(window),
            AnyPiece::Changing(ellipsoid) => ellipsoid.drift(window),
        }
    }

    fn bend(&self, window: Window) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) => 0.0,
            AnyPiece::Deforming(triangle) => triangle.bend(window),
            AnyPiece::Changing(ellipsoid) => ellipsoid.bend(window),
        }
    }

    fn uncertainty(&self) -> f64 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) | AnyPiece::Deforming(_) => 0.0,
            AnyPiece::Changing(ellipsoid) => ellipsoid.uncertainty(),
        }
    }

    fn drift_guess(&self, point: DVec3) -> DVec3 {
        match self {
            AnyPiece::Solid(_) | AnyPiece::Triangle(_) => DVec3::ZERO,
            AnyPiece::Deforming(triangle) => triangle.drift_guess(point),
            AnyPiece::Changing(ellipsoid) => ellipsoid.drift_guess(point),
        }
    }
}
