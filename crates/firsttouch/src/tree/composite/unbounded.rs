//! Half-spaces.

use glam::DVec3;

use super::{AnyPiece, Composite, Solid};
use crate::answer::Part;
use crate::shape::local::{LocalSolid, Plate};
use crate::shape::{Convex, HalfSpace};

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
