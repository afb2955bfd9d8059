//! A convex piece of any shape by value, so that sides of different kinds meet in one engine.

use glam::DVec3;

use crate::ellipsoid::ChangingPiece;
use crate::numerics::Window;
use crate::pair::piece::{MovingTriangle, Piece};
use crate::shape::local::LocalSolid;
use crate::shape::{Convex, Triangle};

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

    /// Returns true if it keeps its shape.
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
