//! `screw`: one constant-speed screw from the first placement to the second.
//!
//! By Chasles' theorem there is an axis such that the placement at time 1 is that at time 0 rotated about the axis
//! and shifted along it; here both happen at a constant rate. In contrast to `linear` the origin moves on a helix.
//!
//! 1. The orientation is that of [`SteadyRotation`]: `R(t) = Rot(u, θ t) R_0`.
//! 2. The displacement `Δ` of the origin is split into `Δ∥` along `u` and `Δ⊥` across it. In the plane across `u`,
//!    read as complex numbers with `u × (.)` as multiplication by `i`, the centre `c` of the rotation satisfies
//!    `(1 − e^{iθ}) (c − p) = Δ⊥`, and the origin is at
//!    `p + Δ∥ t + (1 − e^{iθt}) (c − p) = p + Δ∥ t + g(t) Δ⊥`, with
//!    `g(t) = (1 − e^{iθt}) / (1 − e^{iθ}) = sin(θt/2) / sin(θ/2) · e^{iθ(t − 1)/2}`.
//!    This form does not need the position of the axis, which goes to infinity as `θ` goes to 0; the ratio goes to
//!    `t`.
//! 3. `g'(t) = G e^{iθ(t − 1/2)}` with the constant size `G = θ / (2 sin(θ/2))`, which lies in `[1, π/2]`, and
//!    `|g''| = θ G`.
//!
//! # Error
//! Sines and cosines have a relative error of `8u`, so the ratio has `18u`, both parts of `g` have `28u` and the sum
//! `p + Δ∥ t + g Δ⊥` has `64u (|p| + |Δ|)`. An error `δ` of the rotation vector moves the origin by at most
//! `4 δ |Δ|`: the path is `p + Δ t + (g(t) − t) Δ⊥`; `|∂g/∂θ| <= 1`, so `|g − t| <= θ`, and tilting the axis by `δ/θ`
//! changes `Δ⊥`, and the meaning of multiplication by `i`, by at most `3 |Δ| δ/θ`.

use fearless_simd::{Level, Simd, dispatch};
use glam::DVec3;

use super::{Pose, PoseAt, PoseError, RigidMotion, SteadyRotation, Velocity, VelocityBounds};
use crate::numerics::rounding::UNIT;
use crate::numerics::{EnclosureVec3, Interval, TaylorModel, TaylorTransform, Window};
use crate::numerics::{sin_cos, sin_cos_lanes};

/// A constant-speed screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screw {
    turn: SteadyRotation,
    start: DVec3,
    /// The displacement along the axis.
    along: DVec3,
    /// The displacement across the axis, and the same vector rotated by a right angle about the axis.
    across: DVec3,
    aside: DVec3,
    /// `sin(θ/2)`, and `G`.
    half_sine: f64,
    growth: f64,
}

impl Screw {
    /// Creates the screw that is at `from` at time 0 and at `to` at time 1, rotating the shorter way.
    pub fn new(from: Pose, to: Pose) -> Screw {
        let turn = SteadyRotation::between(from.rotation(), to.rotation());
        let displacement = to.translation() - from.translation();
        let axis = turn.axis();
        let along = axis * axis.dot(displacement);
        let across = displacement - along;
        let half_sine = sin_cos(0.5 * turn.angle()).0;
        let growth = if turn.angle() == 0.0 { 1.0 } else { 0.5 * turn.angle() / half_sine };
        Screw { turn, start: from.translation(), along, across, aside: axis.cross(across), half_sine, growth }
    }

    /// Returns the sum of the displacements along and across the axis.
    fn size(&self) -> f64 {
        self.along.length() + self.across.length()
    }

    /// Returns the pose at `t` if there is a rotation. The sines and cosines of its three angles are computed together.
    /// This function is compiled for every level of vector instructions; all levels compute the same bits, because no
    /// operation is reordered or fused.
    #[inline(always)]
    fn turned_at<S: Simd>(&self, _: S, t: f64) -> PoseAt {
        let angle = self.turn.angle();
        let half = 0.5 * angle;
        let (s, c) = sin_cos_lanes(&[angle * t, half * t, half * (t - 1.0), angle * t]);
        let ratio = s[1] / self.half_sine;
        let g = self.across * (ratio * c[2]) + self.aside * (ratio * s[2]);
        PoseAt { rotation: self.turn.turned(s[0], c[0]), translation: self.start + self.along * t + g }
    }

    /// Returns an upper bound of the error of the computed velocity of the origin. As for the position, an error of
    /// the rotation vector counts fourfold; `g'` is at most `π/2` and its derivative by `θ` at most 2.
    fn velocity_error(&self) -> f64 {
        (64.0 * UNIT + 8.0 * self.turn.error()) * self.size()
    }
}

impl RigidMotion for Screw {
    fn pose_at(&self, t: f64) -> PoseAt {
        if self.turn.angle() == 0.0 {
            let translation = self.start + self.along * t + self.across * t;
            return PoseAt { rotation: self.turn.start(), translation };
        }
        dispatch!(Level::new(), simd => self.turned_at(simd, t))
    }

    fn pose_error(&self) -> PoseError {
        let translation =
            4.0 * self.turn.error() * self.size() + 64.0 * UNIT * (self.start.length() + self.size());
        PoseError { rotation: self.turn.error(), translation }
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let (s, c) = sin_cos(self.turn.angle() * (t - 0.5));
        let origin = self.along + (self.across * c + self.aside * s) * self.growth;
        Velocity { origin, angular: self.turn.angular_velocity() }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        // The origin's velocity rotates at the rate θ: it differs from its value in the middle of the window by at
        // most the chord.
        let across = self.across.length() * self.growth;
        let turned = self.turn.angle() * window.half_width();
        let turned = if turned < 2.0 { turned } else { 2.0 };
        VelocityBounds {
            center: self.velocity_at(window.mid()),
            origin_radius: across * turned + self.velocity_error(),
            angular_radius: self.turn.error(),
        }
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        // The velocity bounds are loose over a long window, but the velocity never leaves its cone about the axis.
        let bounds = self.velocity_bounds(window);
        let across = self.across.length() * self.growth;
        let cone = self.along.dot(n) + across * self.turn.axis().cross(n).length();
        let middle = bounds.center.origin.dot(n) + bounds.origin_radius;
        let angular = self.turn.angular_velocity();
        let lever = (n.cross(angular).length() + bounds.angular_radius) * reach;
        let rounding = 16.0 * UNIT * self.turn.angle() * reach + self.velocity_error();
        middle.min(cone) + lever + rounding // not a bound: either holds alone
    }

    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        // An error δ of the rotation vector tilts the axis by δ/θ, which makes the exact Δ⊥ longer by |Δ| δ/θ. Times θ
        // G this adds (π/2) δ |Δ|, for any θ.
        let error = 8.0 * self.turn.error();
        let rate = self.turn.angle() + error;
        let origin = self.across.length() * self.growth;
        (rate * (rate * reach + origin) + error * self.size() * (1.0 + rate)) * (1.0 + 16.0 * UNIT)
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        // g = (sin(θt/2) / sin(θ/2)) e^{iθ(t − 1)/2} = ((sin(θt − θ/2) + sin(θ/2)) + i (cos(θ/2) − cos(θt − θ/2))) /
        // (2 sin(θ/2)), by the product formulas. For small angles the quotient would lose all digits, so the chord is
        // enclosed instead: g differs from t by at most θ t (1 − t) <= θ / 4.
        let angle = self.turn.angle();
        let t = TaylorModel::affine(Interval::ZERO, Interval::ONE, &window);
        let (real, imaginary) = if angle < 1e-3 {
            let off = TaylorModel::constant(Interval::symmetric(0.25 * angle * (1.0 + 4.0 * UNIT)));
            (t + off, off)
        } else {
            let half = Interval::point(0.5 * angle);
            let (half_sine, half_cosine) = half.sin_cos();
            let scale = (half_sine * 2.0).recip();
            let (sine, cosine) = TaylorModel::sin_cos_affine(-half, Interval::point(angle), &window);
            (
                (sine + TaylorModel::constant(half_sine)).scale_by(scale),
                (TaylorModel::constant(half_cosine) - cosine).scale_by(scale),
            )
        };
        // The formulas hold for the computed axis and angle; the exact path is within `pose_error` of it.
        let off = Interval::symmetric(self.pose_error().translation);
        let path = |k: usize| {
            TaylorModel::constant(Interval::point(self.start[k]) + off)
                + t.scale(self.along[k])
                + real.scale(self.across[k])
                + imaginary.scale(self.aside[k])
        };
        TaylorTransform {
            rotation: self.turn.enclosure(window),
            translation: EnclosureVec3([path(0), path(1), path(2)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    /// The pose computed by one sine after the other has the same bits.
    #[test]
    fn lanes_change_no_bit() {
        let mut state = 5_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for case in 0..3000 {
            let mut pose = |turns: bool| {
                let turn = if turns { [draw(), draw(), draw(), draw()] } else { [0.0, 0.0, 0.0, 1.0] };
                Pose::new(DVec3::new(draw(), draw(), draw()), DQuat::from_array(turn)).unwrap()
            };
            let screw = Screw::new(pose(case % 6 != 0), pose(case % 6 != 0));
            let angle = screw.turn.angle();
            assert_eq!(angle == 0.0, case % 6 == 0);
            for t in [0.0, 0.5 + 0.5 * draw(), 1.0] {
                let g = if angle == 0.0 {
                    screw.across * t
                } else {
                    let ratio = sin_cos(0.5 * angle * t).0 / screw.half_sine;
                    let (s, c) = sin_cos(0.5 * angle * (t - 1.0));
                    screw.across * (ratio * c) + screw.aside * (ratio * s)
                };
                let translation = screw.start + screw.along * t + g;
                let expected = PoseAt { rotation: screw.turn.at(t), translation };
                let bits = |pose: PoseAt| {
                    let rotation = pose.rotation.to_cols_array().map(f64::to_bits);
                    (rotation, pose.translation.to_array().map(f64::to_bits))
                };
                assert_eq!(bits(screw.pose_at(t)), bits(expected), "{screw:?} at {t}");
            }
        }
    }
}
