//! Convex solids, alone and as compounds under boxes.

use glam::DVec3;

use super::{AnyPiece, Composite};
use crate::answer::Part;
use crate::shape::{Compound, CompoundContent, Convex};

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
