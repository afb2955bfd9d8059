//! A convex solid of one of the library's own kinds, behind one type.
//!
//! The search for closest points takes a few support points per step, and that of a box takes three instructions.
//! Through `dyn Convex` each is a call, and every vector register is saved before it. A `match` over the kinds is
//! compiled into the search instead. Within a query it always takes the same branch, which the processor predicts. The
//! bits are those of the solid itself: every method forwards.

use glam::DVec3;

use super::{Capsule, Convex, Cuboid, Cylinder, Ellipsoid, Hull, Placed, Shape, Sphere};
use crate::answer::Feature;

/// A reference to a convex solid.
#[derive(Clone, Copy)]
pub(crate) enum KnownSolid<'a> {
    Box(&'a Cuboid),
    Sphere(&'a Sphere),
    Capsule(&'a Capsule),
    Cylinder(&'a Cylinder),
    Ellipsoid(&'a Ellipsoid),
    Hull(&'a Hull),
    /// A solid of any other kind.
    Other(&'a dyn Convex),
}

impl<'a> KnownSolid<'a> {
    /// Returns the solid of a shape that is one.
    pub(crate) fn of(shape: &'a Shape) -> Option<KnownSolid<'a>> {
        Some(match shape {
            Shape::Box(solid) => KnownSolid::Box(solid),
            Shape::Sphere(solid) => KnownSolid::Sphere(solid),
            Shape::Capsule(solid) => KnownSolid::Capsule(solid),
            Shape::Cylinder(solid) => KnownSolid::Cylinder(solid),
            Shape::Ellipsoid(solid) => KnownSolid::Ellipsoid(solid),
            Shape::Hull(solid) => KnownSolid::Hull(solid),
            other => KnownSolid::Other(other.as_convex()?),
        })
    }
}

/// Forwards a method to the solid at hand.
macro_rules! forward {
    ($self:ident, $solid:ident => $call:expr) => {
        match $self {
            KnownSolid::Box($solid) => $call,
            KnownSolid::Sphere($solid) => $call,
            KnownSolid::Capsule($solid) => $call,
            KnownSolid::Cylinder($solid) => $call,
            KnownSolid::Ellipsoid($solid) => $call,
            KnownSolid::Hull($solid) => $call,
            KnownSolid::Other($solid) => $call,
        }
    };
}

impl Convex for KnownSolid<'_> {
    #[inline(always)]
    fn support(&self, direction: DVec3) -> DVec3 {
        forward!(self, solid => solid.support(direction))
    }
    #[inline(always)]
    fn extent(&self, direction: DVec3) -> f64 {
        forward!(self, solid => solid.extent(direction))
    }
    #[inline(always)]
    fn extent_with(&self, direction: DVec3, support: DVec3) -> f64 {
        forward!(self, solid => solid.extent_with(direction, support))
    }
    #[inline]
    fn margin(&self) -> f64 {
        forward!(self, solid => solid.margin())
    }
    #[inline(always)]
    fn reach(&self) -> f64 {
        forward!(self, solid => solid.reach())
    }
    #[inline]
    fn core_reach(&self) -> f64 {
        forward!(self, solid => solid.core_reach())
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        forward!(self, solid => solid.bounds())
    }
    fn across(&self) -> Option<DVec3> {
        forward!(self, solid => solid.across())
    }
    fn as_placed(&self) -> Option<&Placed> {
        forward!(self, solid => solid.as_placed())
    }
    fn feature(&self, point: DVec3, normal: DVec3) -> Feature {
        forward!(self, solid => solid.feature(point, normal))
    }
}
