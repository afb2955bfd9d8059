//! Convex solids, alone and as compounds under boxes.

use glam::DVec3;

use super::{AnyPiece, Composite, Volume};
use crate::answer::Part;
use crate::shape::{Compound, CompoundContent, CompoundNode, Convex};

/// A convex solid as a composite of one piece.
#[derive(Clone, Copy)]
pub struct Solid<'a>(pub &'a (dyn Convex + Sync));

impl<'s> Composite for Solid<'s> {
    type Volume<'a>
        = Solid<'s>
    where
        Self: 'a;

    #[inline]
    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    #[inline]
    fn volume(&self, _node: u32) -> Solid<'s> {
        *self
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

/// A solid is its own volume.
impl Volume for Solid<'_> {
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        let length = direction.length();
        if length > 0.0 { length * self.0.extent(direction / length) } else { 0.0 }
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.0.bounds().0
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.0.reach()
    }

    #[inline]
    fn core_reach(&self) -> f64 {
        self.0.core_reach()
    }

    #[inline]
    fn core_extent(&self, direction: DVec3) -> f64 {
        self.extent(direction) - direction.length() * self.0.margin()
    }

    #[inline]
    fn size(&self) -> f64 {
        0.0
    }

    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        let (center, half) = self.0.bounds();
        let from = point - center;
        from - from.clamp(-half, half)
    }
}

impl Composite for Compound {
    type Volume<'a> = CompoundVolume<'a>;

    fn children(&self, node: u32) -> Option<[u32; 2]> {
        match self.node(node).content {
            CompoundContent::Piece(_) => None,
            CompoundContent::Halves(halves) => Some(halves),
        }
    }

    fn volume(&self, node: u32) -> CompoundVolume<'_> {
        let node = self.node(node);
        let piece = match node.content {
            CompoundContent::Piece(piece) => Some(Solid(Compound::piece(self, piece as usize))),
            CompoundContent::Halves(_) => None,
        };
        CompoundVolume { node, piece }
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

/// A node of a compound: the piece of a leaf, or a box.
#[derive(Clone, Copy)]
pub struct CompoundVolume<'a> {
    node: &'a CompoundNode,
    piece: Option<Solid<'a>>,
}

impl Volume for CompoundVolume<'_> {
    fn extent(&self, direction: DVec3) -> f64 {
        match self.piece {
            Some(piece) => piece.extent(direction),
            None => self.node.center.dot(direction) + self.node.half.dot(direction.abs()),
        }
    }

    fn center(&self) -> DVec3 {
        self.node.center
    }

    fn reach(&self) -> f64 {
        self.node.reach
    }

    fn core_reach(&self) -> f64 {
        self.node.core_reach
    }

    fn size(&self) -> f64 {
        if self.piece.is_some() { 0.0 } else { self.node.half.max_element() }
    }

    fn way_out(&self, point: DVec3) -> DVec3 {
        let from = point - self.node.center;
        from - from.clamp(-self.node.half, self.node.half)
    }
}

impl Compound {
    /// Returns the piece of a leaf.
    fn piece_of(&self, leaf: u32) -> u32 {
        match self.node(leaf).content {
            CompoundContent::Piece(piece) => piece,
            CompoundContent::Halves(_) => unreachable!("only leaves have a piece"),
        }
    }
}
