//! Meshes: triangles under the tree of the mesh.

use glam::DVec3;

use super::{AnyPiece, Composite, Volume};
use crate::answer::Part;
use crate::shape::{Convex, Mesh, NodeVolume, SolidMesh};

/// The most triangles of a mesh, or corners of its hull, for which the hull is used: the cost of the support function
/// grows with every corner, while the work of the tree stays almost constant. Measured: hulls halve the time of free
/// bunnies of 7,000 triangles, make no difference at 69,000, and cost three times all other work for round bodies of
/// 256,000.
const MOST_HULL_TRIANGLES: usize = 50_000;
const MOST_HULL_VERTICES: usize = 1_500;

impl Composite for Mesh {
    type Volume<'a> = NodeVolume<'a>;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.tree().node(node).children()
    }

    #[inline]
    fn volume(&self, node: u32) -> NodeVolume<'_> {
        self.tree().volume(node)
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

    /// Known without the tree, which may not be built down to a piece yet.
    fn is_surface(&self) -> bool {
        true
    }
}

/// The triangles of a mesh whose inside also belongs to it.
impl Composite for SolidMesh {
    type Volume<'a> = NodeVolume<'a>;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.mesh().children(node)
    }
    #[inline]
    fn volume(&self, node: u32) -> NodeVolume<'_> {
        self.mesh().volume(node)
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
    fn is_surface(&self) -> bool {
        self.mesh().is_surface()
    }
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        Some(self)
    }
}

/// The hull of a node if it has few corners, otherwise the oriented box.
impl Volume for NodeVolume<'_> {
    #[inline(always)]
    fn extent(&self, direction: DVec3) -> f64 {
        NodeVolume::extent(self, direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.bounds().center
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.bounds().reach
    }

    #[inline]
    fn size(&self) -> f64 {
        self.bounds().half.x
    }

    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        self.bounds().way_out(point)
    }
}
