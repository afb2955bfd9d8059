//! Half-spaces.

use glam::DVec3;

use super::{AnyPiece, Composite, Solid, Volume};
use crate::answer::Part;
use crate::shape::local::{LocalSolid, Plate};
use crate::shape::{Convex, HalfSpace};

/// A half-space, or the part of it that the other side can reach. The plate is computed on use, because a side is
/// copied often.
#[derive(Clone, Copy)]
pub struct UnboundedSolid<'a> {
    shape: &'a HalfSpace,
    /// The largest distance of the other side from the origin of its frame; infinite while unknown.
    within: f64,
}

impl<'a> UnboundedSolid<'a> {
    /// Creates the whole half-space.
    pub fn new(shape: &'a HalfSpace) -> UnboundedSolid<'a> {
        UnboundedSolid { shape, within: f64::INFINITY }
    }

    fn plate(&self) -> Plate {
        self.shape.plate(self.within)
    }
}

impl<'s> Composite for UnboundedSolid<'s> {
    type Volume<'a>
        = PlateVolume<'s>
    where
        Self: 'a;

    fn children(&self, _node: u32) -> Option<[u32; 2]> {
        None
    }

    fn volume(&self, _node: u32) -> PlateVolume<'s> {
        PlateVolume { shape: self.shape, plate: self.plate() }
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

/// The part of a half-space that the other side can reach.
#[derive(Clone, Copy)]
pub struct PlateVolume<'a> {
    shape: &'a HalfSpace,
    plate: Plate,
}

impl Volume for PlateVolume<'_> {
    fn extent(&self, direction: DVec3) -> f64 {
        Solid(&self.plate).extent(direction)
    }

    fn center(&self) -> DVec3 {
        self.plate.bounds().0
    }

    fn reach(&self) -> f64 {
        self.plate.reach()
    }

    fn size(&self) -> f64 {
        0.0
    }

    fn way_out(&self, point: DVec3) -> DVec3 {
        self.shape.way_out(point)
    }
}
