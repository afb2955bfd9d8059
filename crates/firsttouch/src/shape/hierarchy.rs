//! Hierarchies of boxes along the axes, for shapes with millions of small pieces: clouds, octrees and height fields.
//!
//! Each shape stores the least data for a node: a box for a cloud, integers for an octree, a rectangle of a grid and
//! two heights for a height field. All values that an engine needs of a node follow from its box, in `tree::composite`.
//!
//! **Guarantee.** The box of a node, swept by a ball of [`Hierarchy::margin`], contains all its pieces, without any
//! error.

use glam::DVec3;

use super::local::LocalSolid;
use super::triangle::Triangle;
use crate::answer::Part;
use crate::numerics::bound::high_corner;

/// Small pieces under a binary tree of boxes. Node 0 is the root.
pub(crate) trait Hierarchy: Sync {
    /// Returns the children of a node; `None` for a leaf.
    fn children(&self, node: u32) -> Option<[u32; 2]>;

    /// Returns the box around the cores of the pieces of a node: its centre and half its sides, rounded up.
    fn node_box(&self, node: u32) -> NodeBox;

    /// Returns the radius of the ball that sweeps the cores.
    fn margin(&self) -> f64 {
        0.0
    }

    /// Returns the piece of a leaf.
    fn piece(&self, leaf: u32) -> SmallPiece;

    /// Returns the part that the piece of a leaf is reported as.
    fn part(&self, leaf: u32) -> Part;
}

/// The piece of a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SmallPiece {
    Solid(LocalSolid),
    Triangle(Triangle),
}

/// A box along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NodeBox {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
}

impl NodeBox {
    /// Returns the box from one corner to another. The centre may be rounded in any direction; the half sides cover
    /// both corners from there.
    #[inline]
    pub(crate) fn between(low: DVec3, high: DVec3) -> NodeBox {
        let center = 0.5 * (low + high);
        let half = high_corner(high - center, center - low).map(f64::next_up);
        NodeBox { center, half }
    }

    /// Returns the box of a point.
    #[inline]
    pub(crate) fn point(center: DVec3) -> NodeBox {
        NodeBox { center, half: DVec3::ZERO }
    }
}
