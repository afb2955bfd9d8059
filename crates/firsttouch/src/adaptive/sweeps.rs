//! Bounds of a transform over a step: three kinds, behind one tree.
//!
//! - [`Enclosed`] by intervals: every entry of the matrix and of the translation, as in the paper. The entries do not
//!   keep that they belong to one rotation and depend on one time, so products become wider with every joint that
//!   moves.
//! - [`Enclosed`] by Taylor models of order 3, which keep the dependence on time. Tight for long steps.
//! - [`Chord`]: the transform at both ends of the step, and how much a point can accelerate in between. A point whose
//!   acceleration is at most `a` strays from the chord of its path by at most `a T² / 8`. Tight for short steps, as
//!   those of a simulation are, and ten times cheaper than Taylor models. In the bounds of a product, `W` is the sum of
//!   the rates at which its joints turn. `S` and `A` bound the origin's velocity and acceleration, and `ℓ` bounds its
//!   distance from the origin of the outer frame:
//!   ```text
//!   R'' = R_1'' R_2 + 2 R_1' R_2' + R_1 R_2''     |R_i'| <= W_i and |R_i''| <= W_i² give |R'| <= W and |R''| <= W², W = W_1 + W_2
//!   p' = p_1' + R_1' p_2 + R_1 p_2'               S = S_1 + S_2 + W_1 ℓ_2
//!   p'' = p_1'' + R_1'' p_2 + 2 R_1' p_2' + R_1 p_2''            A = A_1 + A_2 + W_1² ℓ_2 + 2 W_1 S_2
//!   ```
//!   A point at distance `r` from the frame's origin accelerates by at most `A + W² r`.
//!
//! All of them contain the transform at the start, with its error, which the exact stage needs.
//!
//! Guarantee: rigorous, including all rounding. A bound that is not finite contains everything.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 2.3; Zhang, Redon, Lee, Kim 2007, Sec. 5, for Taylor models.

use glam::DVec3;

use super::transforms::{Placed, Transform};
use crate::broad::{Aabb, swept_box};
use crate::motion::PoseAt;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{Enclosure, EnclosureTransform, Window};
use crate::robot::JointMotion;

/// A bound of a transform over a step.
pub(super) trait Sweep: Transform {
    /// The bound of a joint's transform.
    fn of(moves: &JointMotion, window: Window) -> Self;
    /// The transform at the start of the step.
    fn start(&self) -> Placed;
    /// The box that a point which is fixed in the frame never leaves.
    fn path(&self, point: DVec3) -> Aabb;
    /// The box that a box which is fixed in the frame never leaves.
    fn swept_box(&self, center: DVec3, half: DVec3) -> Aabb;
}

/// Entries enclosed by intervals or by Taylor models.
#[derive(Debug, Clone, Copy)]
pub(super) struct Enclosed<E> {
    step: EnclosureTransform<E>,
    start: Placed,
}

impl<E: Enclosure> Transform for Enclosed<E> {
    fn identity() -> Self {
        Enclosed { step: EnclosureTransform::identity(), start: Placed::identity() }
    }
    fn compose(&self, inner: &Self) -> Self {
        Enclosed { step: self.step.compose(&inner.step), start: self.start.compose(&inner.start) }
    }
}

impl<E: Enclosure> Sweep for Enclosed<E> {
    fn of(moves: &JointMotion, window: Window) -> Self {
        Enclosed { step: moves.enclosure(window), start: placed(moves, 0.0) }
    }
    fn start(&self) -> Placed {
        self.start
    }
    fn path(&self, point: DVec3) -> Aabb {
        let path = self.step.apply(point).range();
        Aabb { low: DVec3::from_array(path.map(|x| x.lo())), high: DVec3::from_array(path.map(|x| x.hi())) }
    }
    fn swept_box(&self, center: DVec3, half: DVec3) -> Aabb {
        swept_box(&self.step, center, half)
    }
}

/// The transforms at both ends, and bounds of the motion in between; see the header for the symbols.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chord {
    ends: [Placed; 2],
    /// The time between the ends; 0 where nothing moves.
    time: f64,
    /// `W`, `S`, `A` and `ℓ`.
    turning: f64,
    speed: f64,
    acceleration: f64,
    length: f64,
}

/// Bounds are rounded up by this factor: none of the expressions has more than two dozen roundings.
const UP: f64 = 1.0 + 32.0 * UNIT;

impl Transform for Chord {
    fn identity() -> Self {
        Chord {
            ends: [Placed::identity(); 2],
            time: 0.0,
            turning: 0.0,
            speed: 0.0,
            acceleration: 0.0,
            length: 0.0,
        }
    }

    fn compose(&self, inner: &Self) -> Self {
        let ends = [self.ends[0].compose(&inner.ends[0]), self.ends[1].compose(&inner.ends[1])];
        let time = upper_max(self.time, inner.time);
        let acceleration = (self.acceleration
            + inner.acceleration
            + self.turning * self.turning * inner.length
            + 2.0 * self.turning * inner.speed)
            * UP;
        // The origin itself is never far from its chord, which is the better bound where the parts fold up.
        let at_end = |end: &Placed| end.pose.translation.length() + end.error.translation;
        let along_chord = upper_max(at_end(&ends[0]), at_end(&ends[1])) + acceleration * time * time / 8.0;
        Chord {
            ends,
            time,
            turning: (self.turning + inner.turning) * UP,
            speed: (self.speed + inner.speed + self.turning * inner.length) * UP,
            acceleration,
            length: (self.length + inner.length).min(along_chord) * UP, // not a bound: either holds alone
        }
    }
}

impl Chord {
    /// The transforms at both ends.
    pub(super) fn ends(&self) -> &[Placed; 2] {
        &self.ends
    }

    /// Returns how far a point at this distance from the frame's origin strays from its chord, up to a few roundings.
    pub(super) fn bulge(&self, reach: f64) -> f64 {
        let acceleration = self.acceleration + self.turning * self.turning * reach;
        acceleration * self.time * self.time / 8.0
    }

    /// The box around both ends of a set that reaches `reach` from the frame's origin. `at_end` bounds the set at
    /// either end, if the computed pose of the end is exact.
    fn between(&self, reach: f64, at_end: impl Fn(&PoseAt) -> Aabb) -> Aabb {
        let bulge = self.bulge(reach);
        let boxes = self.ends.map(|Placed { pose, error }| {
            let bounds = at_end(&pose);
            // At most 8 roundings of terms no larger than that.
            let size = pose.translation.abs().max_element() + reach;
            bounds.inflated((error.rotation * reach + error.translation + 16.0 * UNIT * size + bulge) * UP)
        });
        if boxes.iter().all(|bounds| bounds.low.is_finite() && bounds.high.is_finite()) {
            boxes[0].union(&boxes[1])
        } else {
            Aabb { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY }
        }
    }
}

impl Sweep for Chord {
    fn of(moves: &JointMotion, window: Window) -> Self {
        if moves.is_computed_at_rest() {
            let at_rest = placed(moves, 0.0);
            return Chord { ends: [at_rest; 2], length: moves.length(), ..Chord::identity() };
        }
        let (turning, speed) = moves.rates();
        Chord {
            ends: [placed(moves, 0.0), placed(moves, window.t1())],
            // The window begins at 0.
            time: window.t1(),
            turning,
            speed,
            acceleration: 0.0,
            length: moves.length(),
        }
    }

    fn start(&self) -> Placed {
        self.ends[0]
    }

    fn path(&self, point: DVec3) -> Aabb {
        self.between(point.length() * UP, |pose| {
            let at = pose.apply(point);
            Aabb { low: at, high: at }
        })
    }

    fn swept_box(&self, center: DVec3, half: DVec3) -> Aabb {
        self.between((center.length() + half.length()) * UP, |pose| {
            let at = pose.apply(center);
            let extent = pose.box_extent(half);
            Aabb { low: at - extent, high: at + extent }
        })
    }
}

fn placed(moves: &JointMotion, t: f64) -> Placed {
    let (pose, error) = moves.placed_at(t);
    Placed { pose, error }
}
