//! Small solids by value: the pieces of shapes that have too many pieces to store each as an object.

use glam::DVec3;

use super::convex::Convex;
pub(crate) use super::half_space::Plate;
use crate::answer::Feature;
use crate::numerics::rounding::{TINY_LENGTH, UNIT, up};

/// A solid in the frame of its shape, small enough to be copied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LocalSolid {
    /// A point of a cloud: a ball about a point.
    Ball(Ball),
    /// An occupied cell of an octree: a box along the axes.
    Cell(Cell),
    /// The part of a half-space that the other side can reach.
    Plate(Plate),
}

impl LocalSolid {
    #[inline]
    pub(crate) fn get(&self) -> &(dyn Convex + Sync) {
        match self {
            LocalSolid::Ball(ball) => ball,
            LocalSolid::Cell(cell) => cell,
            LocalSolid::Plate(plate) => plate,
        }
    }
}

/// A ball about a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

impl Convex for Ball {
    #[inline]
    fn support(&self, _direction: DVec3) -> DVec3 {
        self.center
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.center.dot(direction) + self.radius
    }

    #[inline]
    fn margin(&self) -> f64 {
        self.radius
    }

    #[inline]
    fn reach(&self) -> f64 {
        up(self.core_reach() + self.radius)
    }

    #[inline]
    fn core_reach(&self) -> f64 {
        length_up(self.center)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (self.center, DVec3::splat(self.radius))
    }

    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(0)
    }
}

/// A box along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
}

impl Convex for Cell {
    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let side = |half: f64, along: f64| half.copysign(along);
        let Cell { center, half } = self;
        *center + DVec3::new(side(half.x, direction.x), side(half.y, direction.y), side(half.z, direction.z))
    }

    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.center.dot(direction) + self.half.dot(direction.abs())
    }

    #[inline]
    fn reach(&self) -> f64 {
        length_up(self.center.abs() + self.half)
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (self.center, self.half)
    }

    fn feature(&self, point: DVec3, normal: DVec3) -> Feature {
        // The face, as of a box: 2 for each axis, the lower one first. Only the label depends on it.
        let from = (point - self.center).abs() / self.half;
        let slack = 1e-9;
        let on: [bool; 3] = [0, 1, 2].map(|k| from[k] >= 1.0 - slack);
        let axis = (0..3).filter(|&k| on[k]).max_by(|&i, &j| normal[i].abs().total_cmp(&normal[j].abs()));
        let axis = axis.unwrap_or_else(|| normal.abs().max_position());
        Feature::Face(2 * axis as u32 + u32::from(point[axis] > self.center[axis]))
    }
}

/// Returns the length of a vector, rounded up: at most five roundings, and squares that underflow.
#[inline]
pub(crate) fn length_up(vector: DVec3) -> f64 {
    up(vector.length() * (1.0 + 8.0 * UNIT)) + TINY_LENGTH
}
