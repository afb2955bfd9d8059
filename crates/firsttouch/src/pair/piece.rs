//! A convex piece for advancement: a solid, or a piece whose shape changes with time.
//!
//! A solid is the same at all times in its body's frame. The triangle of a deforming mesh is different at every
//! instant: its corners move on straight lines. For it, advancement needs more than the bounds of a rigid motion:
//! bounds of the speed of its points in their frame, along a direction and in total, and of their acceleration. A piece
//! that deforms is given in the world frame, so its own motion and that of a frame never combine.
//!
//! # Rounding
//! A corner at `t` is `(1 − t) p_0 + t p_1`: three roundings per coordinate, of terms no larger than those of the
//! corner at either end, which is less than `5u` of the reach. The callers' `64u` have room for it: their own errors
//! are 40 and 46.

use glam::DVec3;

use crate::numerics::Window;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::{TINY_LENGTH, UNIT, up};
use crate::shape::{Convex, Triangle};

/// A convex piece in its frame. A piece that deforms must be given in the world frame.
pub trait Piece {
    /// The type of the piece at an instant.
    type Solid: Convex + ?Sized;

    /// Returns the piece at the current instant; initially time 0.
    fn solid(&self) -> &Self::Solid;

    /// Makes `t` the current instant. Returns true if the shape has changed.
    #[inline]
    fn look_at(&mut self, _t: f64) -> bool {
        false
    }

    /// Returns an upper bound of the distance from the frame's origin to any point, at any time.
    fn reach(&self) -> f64;

    /// Like [`Piece::reach`], for the points of its core. A rotation of the frame moves only these.
    #[inline]
    fn core_reach(&self) -> f64 {
        self.reach()
    }

    /// Returns an upper bound of the speed of any of its points along the unit vector `n`, in its frame.
    #[inline]
    fn deform_speed_along(&self, _n: DVec3, _window: Window) -> f64 {
        0.0
    }

    /// Returns an upper bound of the speed of any of its points, in its frame.
    #[inline]
    fn deform_speed(&self, _window: Window) -> f64 {
        0.0
    }

    /// Returns an upper bound of the acceleration of any of its points, in its frame.
    #[inline]
    fn deform_acceleration(&self, _window: Window) -> f64 {
        0.0
    }

    /// Returns an upper bound of the distance of the solid's support points from the exact piece at the current
    /// instant, beyond rounding.
    #[inline]
    fn uncertainty(&self) -> f64 {
        0.0
    }

    /// Returns an estimate of the velocity, in its frame, of its point that is at `point` at the current instant. It
    /// steers the search and is not a bound.
    #[inline]
    fn deform_velocity_guess(&self, _point: DVec3) -> DVec3 {
        DVec3::ZERO
    }
}

impl<S: Convex + ?Sized> Piece for &S {
    type Solid = S;

    #[inline]
    fn solid(&self) -> &S {
        self
    }

    #[inline]
    fn reach(&self) -> f64 {
        (**self).reach()
    }

    #[inline]
    fn core_reach(&self) -> f64 {
        (**self).core_reach()
    }
}

/// A triangle, or with repeated corners an edge or a point, whose corners move linearly from time 0 to time 1.
///
/// ```
/// use firsttouch::pair::piece::{MovingTriangle, Piece};
/// use firsttouch::numerics::Window;
/// use firsttouch::shape::Convex;
/// use glam::DVec3;
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mut falling = MovingTriangle::new(corners, corners.map(|c| c - 4.0 * DVec3::Z), [0, 1, 2], 0);
/// falling.look_at(0.5);
/// assert_eq!(falling.solid().extent(DVec3::Z), -2.0);
/// assert!((falling.deform_speed_along(-DVec3::Z, Window::new(0.0, 1.0)?) - 4.0).abs() < 1e-14);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingTriangle {
    t0: [DVec3; 3],
    t1: [DVec3; 3],
    ids: [u32; 3],
    t: f64,
    now: Triangle,
    reach: f64,
    speed: f64,
}

impl MovingTriangle {
    /// Creates the triangle with these corners at both ends, their indices in the mesh and its own.
    pub fn new(t0: [DVec3; 3], t1: [DVec3; 3], ids: [u32; 3], index: u32) -> MovingTriangle {
        let now = Triangle::new(t0, ids, index);
        let reach = upper_max(now.reach(), Triangle::new(t1, ids, index).reach());
        let speed = largest_upper((0..3).map(|k| (t1[k] - t0[k]).length()));
        // A difference has one rounding per coordinate, the length four.
        MovingTriangle {
            t0,
            t1,
            ids,
            t: 0.0,
            now,
            reach,
            speed: up(speed * (1.0 + 8.0 * UNIT)) + TINY_LENGTH,
        }
    }

    /// Returns the corners at time 0 and at time 1.
    pub fn ends(&self) -> [[DVec3; 3]; 2] {
        [self.t0, self.t1]
    }

    /// Returns the indices of its corners in the mesh.
    pub fn ids(&self) -> [u32; 3] {
        self.ids
    }
}

impl Piece for MovingTriangle {
    type Solid = Triangle;

    #[inline]
    fn solid(&self) -> &Triangle {
        &self.now
    }

    fn look_at(&mut self, t: f64) -> bool {
        if self.t == t {
            return false;
        }
        let at = |k: usize| self.t0[k] * (1.0 - t) + self.t1[k] * t;
        self.now = Triangle::new([at(0), at(1), at(2)], self.ids, self.now.index());
        self.t = t;
        true
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.reach
    }

    fn deform_speed_along(&self, n: DVec3, _window: Window) -> f64 {
        // Every point keeps its barycentric weights, so none is faster than the fastest corner.
        let along = |k: usize| (self.t1[k] - self.t0[k]).dot(n);
        upper_max(upper_max(along(0), along(1)), along(2)) + 16.0 * UNIT * self.speed
    }

    fn deform_speed(&self, _window: Window) -> f64 {
        self.speed
    }

    fn deform_velocity_guess(&self, point: DVec3) -> DVec3 {
        let corners = self.now.corners();
        // The weights of the closest affine combination of the corners; for a flat triangle those of an edge or a
        // point suffice.
        let (u, v, w) = (corners[1] - corners[0], corners[2] - corners[0], point - corners[0]);
        let (uu, uv, vv, wu, wv) = (u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v));
        let area = uu * vv - uv * uv;
        let (s, t) = if area > 1e-12 * uu * vv {
            ((wu * vv - wv * uv) / area, (wv * uu - wu * uv) / area)
        } else if uu >= vv && uu > 0.0 {
            (wu / uu, 0.0)
        } else if vv > 0.0 {
            (0.0, wv / vv)
        } else {
            (0.0, 0.0)
        };
        let velocity = |k: usize| self.t1[k] - self.t0[k];
        velocity(0) * (1.0 - s - t) + velocity(1) * s + velocity(2) * t
    }
}
