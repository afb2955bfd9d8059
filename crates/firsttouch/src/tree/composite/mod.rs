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
mod volume;

use crate::answer::{Feature, Part};
use crate::shape::{Convex, SolidMesh};

pub use any_piece::AnyPiece;
pub use boxes::{BoxVolume, Boxes};
pub use solid::{CompoundVolume, Solid};
pub use unbounded::{PlateVolume, UnboundedSolid};
pub use volume::Volume;

/// Convex pieces under a hierarchy, in the frame of the body. Node 0 is the root.
pub trait Composite {
    /// The volume that bounds a node.
    type Volume<'a>: Volume
    where
        Self: 'a;

    /// Returns the children of a node; `None` for a leaf.
    fn children(&self, node: u32) -> Option<[u32; 2]>;

    /// Looks up the volume of a node, once for all its queries.
    fn volume(&self, node: u32) -> Self::Volume<'_>;

    /// Returns the piece of a leaf.
    fn piece(&self, leaf: u32) -> AnyPiece<'_>;

    /// Returns the part that the piece of a leaf is reported as.
    fn part(&self, leaf: u32) -> Part;

    /// Returns the convex hull of all pieces, if its evaluation costs less than it can save.
    fn hull(&self) -> Option<&dyn Convex>;

    /// Returns true if it is a surface: its pieces are triangles, which have no inside.
    fn is_surface(&self) -> bool {
        // All pieces are of one kind.
        let mut node = 0;
        while let Some([child, _]) = self.children(node) {
            node = child;
        }
        matches!(self.piece(node), AnyPiece::Triangle(_) | AnyPiece::Deforming(_))
    }

    /// Returns the closed mesh whose inside also belongs to it, although no piece covers the inside; see `inside`.
    #[inline]
    fn solid_mesh(&self) -> Option<&SolidMesh> {
        None
    }

    /// Returns true if it has no end. Engines then take the part of it that the other side can reach; see `unbounded`.
    #[inline]
    fn is_unbounded(&self) -> bool {
        false
    }

    /// Returns the part that stands for the whole if the other side stays within a distance of the origin of its frame.
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
}

impl<C: Composite + ?Sized> Composite for &C {
    type Volume<'a>
        = C::Volume<'a>
    where
        Self: 'a;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        (**self).children(node)
    }
    #[inline]
    fn volume(&self, node: u32) -> Self::Volume<'_> {
        (**self).volume(node)
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
    fn is_surface(&self) -> bool {
        (**self).is_surface()
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
}
