//! `contact_screw`: the screw between two placements, timed by a pair of in-between functions.
//!
//! **Problem.** Move a body from one placement to another so that contact is decided by polynomials of low degree.
//!
//! **Method.** By Chasles' theorem the second placement is the first, rotated by `ω` about an axis and shifted by `s`
//! along it. With the functions `α` and `β` of [`InBetween`] the body is rotated by `ω α(t)` and shifted by `s β(t)`.
//! 1. The orientation is that of [`SteadyRotation`] at `α(t)`.
//! 2. The displacement `Δ` of the origin is split into `Δ∥` along the axis and `Δ⊥` across it. As for `screw`, the
//!    origin is at `p + Δ∥ β + g(α) Δ⊥` with `g(α) = sin(ωα/2) / sin(ω/2) · e^{iω(α − 1)/2}`, which does not need the
//!    position of the axis.
//! 3. `g' = G e^{iω(α − 1/2)}` with `G = ω / (2 sin(ω/2))` in `[1, π/2]` and `|g''| = ω G`. The velocity of the
//!    origin is `Δ∥ β' + G α' e^{iω(α − 1/2)} Δ⊥`, the angular velocity `ω α'` about the axis. A point at distance
//!    `r` from the origin has an acceleration of at most `|Δ∥| |β''| + (G |Δ⊥| + ω r) |α''| + (G |Δ⊥| + ω r) ω α'²`.
//!
//! **Error.** As for `screw`, with `δ` the error of the rotation vector:
//! - the path is `p + Δ β + (g − β) Δ⊥`, and `|g − β| <= |g − α| + |α − β| <= 3ω` by the obligations of
//!   [`InBetween`]; a tilt of the axis by `δ/ω` changes `Δ⊥`, and the meaning of multiplication by `i`, by at most
//!   `3 |Δ| δ/ω`: together `9 δ |Δ|`. The derivatives of `g` and `β` by `ω` are at most 1: `2 δ |Δ|` more, `12 δ |Δ|`
//!   rounded up;
//! - the velocity in the same way, with `|G α' e^{i..} − β'| <= 4ω` (the arc leaves 1 by at most `ω`, `G` by less, the
//!   rates by at most `ω` each): so `12 δ |Δ|`, and `4 δ |Δ|` for the derivatives by `ω` of `g'` and `β'`, at most 2
//!   and 2.5;
//! - `64u` of the sizes for the arithmetic, and [`VALUE_ERROR`] for `α` and `β`, both against `|Δ|` and against
//!   `ω <= π`.
//!
//! **The kink.** At a jump of `β'` there is no second derivative: [`RigidMotion::acceleration`] is infinite over a
//! window with the kink strictly inside. At the kink itself the velocity is the one after it.
//!
//! **Departures.** See `in_between` for angles near half a turn. The paper's motion is that of one body relative to
//! another. Here it is the motion of one body in the world, so any number of bodies moves consistently.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 2.

use glam::DVec3;

use super::in_between::VALUE_ERROR;
use super::steady_rotation::around;
use super::{
    Course, HalfTangent, InBetween, Pose, PoseAt, PoseError, RigidMotion, SteadyRotation, Velocity,
    VelocityBounds,
};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    EnclosureVec3, Interval, IntervalVec3, TaylorMat3, TaylorModel, TaylorTransform, Window, sin_cos,
};

/// The motion of the 2001 paper.
pub type ContactScrew = InBetweenScrew<HalfTangent>;

/// A screw timed by a pair of in-between functions.
///
/// ```
/// use firsttouch::motion::{ContactScrew, Pose, RigidMotion};
/// use glam::{DQuat, DVec3};
/// // A quarter turn about the z axis through (1, 1, 0), and up by 3.
/// let quarter = DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
/// let to = Pose::new(DVec3::new(2.0, 0.0, 3.0), quarter)?;
/// let motion = ContactScrew::new(Pose::IDENTITY, to);
/// let axis = motion.axis();
/// assert!((axis.point.unwrap() - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
/// assert!((axis.shift - 3.0).abs() < 1e-15 && axis.direction == DVec3::Z);
/// // At half time it is up by 3 tan 22.5° / tan 45°.
/// let height = motion.pose_at(0.5).translation.z;
/// assert!((height - 3.0 * (2.0_f64.sqrt() - 1.0)).abs() < 1e-14);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InBetweenScrew<F> {
    turn: SteadyRotation,
    start: DVec3,
    /// The displacement along the axis.
    along: DVec3,
    /// The displacement across the axis, and the same vector rotated by a right angle about the axis.
    across: DVec3,
    aside: DVec3,
    /// `sin(ω/2)`, and `G`.
    half_sine: f64,
    growth: f64,
    pace: F,
}

/// A screw: a rotation about an axis and a shift along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewAxis {
    /// The direction of the axis, of unit length up to rounding.
    pub direction: DVec3,
    /// The point of the axis nearest to the initial position of the body's origin, up to the shift along the axis;
    /// `None` without a rotation. It goes to infinity as the angle goes to 0.
    pub point: Option<DVec3>,
    /// The angle, in `[0, π]`.
    pub angle: f64,
    /// The shift along the direction.
    pub shift: f64,
}

impl<F: InBetween> InBetweenScrew<F> {
    /// Creates the motion that is at `from` at time 0 and at `to` at time 1, rotating the shorter way.
    pub fn new(from: Pose, to: Pose) -> InBetweenScrew<F> {
        let turn = SteadyRotation::between(from.rotation(), to.rotation());
        let displacement = to.translation() - from.translation();
        // Without a rotation any direction is an axis. The direction of the displacement makes all of it a shift.
        let axis =
            if turn.angle() == 0.0 { displacement.try_normalize().unwrap_or(DVec3::Z) } else { turn.axis() };
        let (along, across) = if turn.angle() == 0.0 {
            (displacement, DVec3::ZERO)
        } else {
            let along = axis * axis.dot(displacement);
            (along, displacement - along)
        };
        let half_sine = sin_cos(0.5 * turn.angle()).0;
        let growth = if turn.angle() == 0.0 { 1.0 } else { 0.5 * turn.angle() / half_sine };
        InBetweenScrew {
            turn,
            start: from.translation(),
            along,
            across,
            aside: axis.cross(across),
            half_sine,
            growth,
            pace: F::between([from.rotation(), to.rotation()], turn.angle(), along.dot(axis)),
        }
    }

    /// Returns the screw, in world coordinates.
    pub fn axis(&self) -> ScrewAxis {
        let angle = self.turn.angle();
        let direction =
            if angle == 0.0 { self.along.try_normalize().unwrap_or(DVec3::Z) } else { self.turn.axis() };
        // (1 − e^{iω}) (c − p) = Δ⊥ gives c − p = (1 + i cot(ω/2)) Δ⊥ / 2.
        let cotangent = sin_cos(0.5 * angle).1 / self.half_sine;
        let point = (angle > 0.0).then(|| self.start + (self.across + self.aside * cotangent) * 0.5);
        ScrewAxis { direction, point, angle, shift: self.along.dot(direction) }
    }

    /// Returns the displacement of the body's origin, up to rounding.
    pub fn displacement(&self) -> DVec3 {
        self.along + self.across
    }

    /// Returns the in-between functions.
    pub fn pace(&self) -> &F {
        &self.pace
    }

    /// Returns the sum of the displacements along and across the axis.
    fn size(&self) -> f64 {
        self.along.length() + self.across.length()
    }

    /// Returns an upper bound of the error of the computed velocity of the origin; see the header.
    fn velocity_error(&self) -> f64 {
        (256.0 * UNIT + 16.0 * self.turn.error()) * self.size()
    }

    /// Returns the velocity when the in-between functions have these values and rates.
    fn velocity(&self, turned: f64, turning: f64, shifting: f64) -> Velocity {
        let (s, c) = sin_cos(self.turn.angle() * (turned - 0.5));
        let origin = self.along * shifting + (self.across * c + self.aside * s) * (self.growth * turning);
        Velocity { origin, angular: self.turn.angular_velocity() * turning }
    }
}

impl<F: InBetween> RigidMotion for InBetweenScrew<F> {
    fn pose_at(&self, t: f64) -> PoseAt {
        let angle = self.turn.angle();
        let (turned, shifted) = (self.pace.turned(t), self.pace.shifted(t));
        let g = if angle == 0.0 {
            DVec3::ZERO
        } else {
            let ratio = sin_cos(0.5 * angle * turned).0 / self.half_sine;
            let (s, c) = sin_cos(0.5 * angle * (turned - 1.0));
            self.across * (ratio * c) + self.aside * (ratio * s)
        };
        PoseAt { rotation: self.turn.at(turned), translation: self.start + self.along * shifted + g }
    }

    fn pose_error(&self) -> PoseError {
        let translation = (12.0 * self.turn.error() + 2.0 * VALUE_ERROR) * self.size()
            + 64.0 * UNIT * (self.start.length() + self.size());
        PoseError { rotation: self.turn.error() + 4.0 * VALUE_ERROR, translation }
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let now = Window::between(t, t);
        let (turning, shifting) = (self.pace.turning(now), self.pace.shifting(now));
        self.velocity(self.pace.turned(t), turning.rate.mid(), shifting.rate.mid())
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let (turning, shifting) = (self.pace.turning(window), self.pace.shifting(window));
        let (angle, across) = (self.turn.angle(), self.across.length() * self.growth);
        let rate = turning.rate.mag();
        // The part across the axis rotates with the angle: it differs from its value in the middle by at most the
        // chord.
        let turned = angle * turning.value.radius();
        let turned = if turned < 2.0 { turned } else { 2.0 };
        let origin_radius =
            self.along.length() * shifting.rate.radius() + across * (turning.rate.radius() + rate * turned);
        VelocityBounds {
            center: self.velocity(turning.value.mid(), turning.rate.mid(), shifting.rate.mid()),
            origin_radius: origin_radius * (1.0 + 16.0 * UNIT) + self.velocity_error() * (1.0 + rate),
            angular_radius: (angle * turning.rate.radius() + self.turn.error() * rate) * (1.0 + 16.0 * UNIT),
        }
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        // The velocity bounds are loose over a long window, but the part across the axis never leaves its plane.
        let bounds = self.velocity_bounds(window);
        let (turning, shifting) = (self.pace.turning(window), self.pace.shifting(window));
        let rate = turning.rate.mag();
        let across = self.across.length() * self.growth * rate;
        let rise = self.along.dot(n);
        let cone = upper_max(rise * shifting.rate.lo(), rise * shifting.rate.hi())
            + across * self.turn.axis().cross(n).length();
        let middle = bounds.center.origin.dot(n) + bounds.origin_radius;
        let lever = (n.cross(bounds.center.angular).length() + bounds.angular_radius) * reach;
        let rounding = 32.0 * UNIT * self.turn.angle() * rate * reach + self.velocity_error() * (1.0 + rate);
        middle.min(cone) + lever + rounding // not a bound: either holds alone
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        let (turning, shifting) = (self.pace.turning(window), self.pace.shifting(window));
        if turning.acceleration.is_infinite() || shifting.acceleration.is_infinite() {
            return f64::INFINITY;
        }
        let error = 16.0 * self.turn.error();
        let angle = self.turn.angle() + error;
        let lever = self.across.length() * self.growth + error * self.size() + angle * reach;
        let rate = turning.rate.mag();
        let along = self.along.length() + error * self.size();
        // An axis tilted by δ/ω makes Δ∥ and Δ⊥ longer by |Δ| δ/ω, while |β''| <= 5ω and |g''| <= (π/2) ω. For any ω,
        // this is together less than 7 δ |Δ|; and |∂β''/∂ω| <= 24.
        let tilt = 2.0 * error * self.size() * (1.0 + turning.acceleration + rate * rate);
        (along * shifting.acceleration + lever * (turning.acceleration + angle * rate * rate) + tilt)
            * (1.0 + 32.0 * UNIT)
    }

    fn jump_after(&self, t: f64) -> Option<f64> {
        self.pace.kink().filter(|&kink| t < kink)
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let angle = self.turn.angle();
        let middle = Window::between(window.mid(), window.mid());
        // Each function is its value in the middle plus a rate times the time from there.
        let since = TaylorModel::affine(Interval::point(-window.mid()), Interval::ONE, &window);
        let model = |course: Course, middle: Course| {
            TaylorModel::constant(middle.value) + since.scale_by(course.rate)
        };
        let shifted = model(self.pace.shifting(window), self.pace.shifting(middle));
        let (turning, turned_middle) = (self.pace.turning(window), self.pace.turning(middle).value);
        let turned = model(turning, self.pace.turning(middle));
        // ω α(t) = phase + pace · t; the spread of the rate is added to the phase.
        let rate = Interval::point(turning.rate.mid());
        let spread = Interval::symmetric(turning.rate.radius()) * Interval::symmetric(window.half_width());
        let pace = rate * angle;
        let phase = (turned_middle - rate * window.mid() + spread) * angle;

        // As for `screw`: g by the product formulas. For small angles the chord is used, |g − α| <= ω / 4.
        let (real, imaginary) = if angle < 1e-3 {
            let off = TaylorModel::constant(Interval::symmetric(0.25 * angle * (1.0 + 4.0 * UNIT)));
            (turned + off, off)
        } else {
            let half = Interval::point(0.5 * angle);
            let (half_sine, half_cosine) = half.sin_cos();
            let scale = (half_sine * 2.0).recip();
            let (sine, cosine) = TaylorModel::sin_cos_affine(phase - half, pace, &window);
            (
                (sine + TaylorModel::constant(half_sine)).scale_by(scale),
                (TaylorModel::constant(half_cosine) - cosine).scale_by(scale),
            )
        };
        // The formulas hold for the computed axis and angle; the exact path is within `pose_error` of it.
        let error = self.pose_error();
        let off = Interval::symmetric(error.translation);
        let path = |k: usize| {
            TaylorModel::constant(Interval::point(self.start[k]) + off)
                + shifted.scale(self.along[k])
                + real.scale(self.across[k])
                + imaginary.scale(self.aside[k])
        };
        let start = around(&self.turn.start(), error.rotation);
        let rotation = if angle == 0.0 {
            start
        } else {
            let axis =
                IntervalVec3::unit(self.turn.axis()).expect("the axis has unit length, up to rounding");
            TaylorMat3::rotation(axis, phase, pace, &window) * start
        };
        TaylorTransform { rotation, translation: EnclosureVec3([path(0), path(1), path(2)]) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Screw, in_between::Steady};
    use super::*;
    use glam::DQuat;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(state: &mut u64) -> DVec3 {
        DVec3::new(draw(state), draw(state), draw(state))
    }

    /// Returns pairs of poses whose rotation angles range from zero to half a turn.
    fn poses(state: &mut u64, case: usize) -> (Pose, Pose) {
        let axis = vector(state);
        let half = [0.0, 1e-12, 1e-7, 1e-3, 0.2, 0.7, 1.04, 1.05, 1.3, 1.57][case % 10];
        let first = DQuat::from_xyzw(draw(state), draw(state), draw(state), draw(state));
        let v = axis.normalize() * f64::sin(half);
        let turn = DQuat::from_xyzw(v.x, v.y, v.z, f64::cos(half));
        let from = Pose::new(vector(state) * 3.0, first).unwrap();
        let to = Pose::new(vector(state) * 3.0, turn * from.rotation()).unwrap();
        (from, to)
    }

    #[test]
    fn leads_from_the_first_placement_to_the_second() {
        let mut state = 5;
        for case in 0..200 {
            let (from, to) = poses(&mut state, case);
            let motion = ContactScrew::new(from, to);
            for (t, pose) in [(0.0, from), (1.0, to)] {
                let (now, then) = (motion.pose_at(t), pose.at());
                let error = motion.pose_error();
                assert!((now.translation - then.translation).length() <= error.translation);
                let off = now.rotation - then.rotation;
                for column in [off.x_axis, off.y_axis, off.z_axis] {
                    assert!(column.length() <= error.rotation + 32.0 * UNIT);
                }
                assert!(error.rotation < 1e-12 && error.translation < 1e-11);
            }
        }
    }

    #[test]
    fn with_steady_timing_it_is_the_screw() {
        let mut state = 6;
        for case in 0..100 {
            let (from, to) = poses(&mut state, case);
            let (ours, screw) = (InBetweenScrew::<Steady>::new(from, to), Screw::new(from, to));
            for k in 0..=10 {
                let t = f64::from(k) / 10.0;
                let (a, b) = (ours.pose_at(t), screw.pose_at(t));
                assert!((a.translation - b.translation).length() < 1e-14);
                assert_eq!(a.rotation, b.rotation);
                let (v, w) = (ours.velocity_at(t), screw.velocity_at(t));
                assert!((v.origin - w.origin).length() < 1e-13 && (v.angular - w.angular).length() < 1e-14);
            }
        }
    }

    #[test]
    fn bounds_hold_at_every_sampled_time() {
        let mut state = 7;
        for case in 0..120 {
            let (from, to) = poses(&mut state, case);
            let motion = ContactScrew::new(from, to);
            let point = vector(&mut state);
            let n = vector(&mut state).normalize();
            let at = |t: f64| motion.pose_at(t).apply(point);
            for (t0, t1) in [(0.0, 1.0), (0.0, 0.5), (0.5, 1.0), (0.2, 0.3), (0.45, 0.55), (0.9, 0.91)] {
                let window = Window::new(t0, t1).unwrap();
                let enclosure = motion.enclosure(window).apply(point);
                let speed = motion.speed_along(n, point.length(), window);
                let bounds = motion.velocity_bounds(window);
                let bound = motion.acceleration(point.length(), window);
                let h = (t1 - t0) / 16.0;
                for k in 0..=16 {
                    let t = (t0 + f64::from(k) * h).min(t1);
                    for (range, x) in enclosure.range().into_iter().zip(at(t).to_array()) {
                        assert!(range.lo() <= x && x <= range.hi(), "{case} {t}");
                    }
                    let velocity = motion.velocity_at(t);
                    if t != 0.5 {
                        let off = (velocity.origin - bounds.center.origin).length();
                        assert!(off <= bounds.origin_radius + 1e-14);
                    }
                }
                for k in 0..16 {
                    let t = t0 + f64::from(k) * h;
                    let quotient = (at(t + h) - at(t)).dot(n) / h;
                    assert!(quotient <= speed + 1e-12, "{case} {t}: {quotient} > {speed}");
                }
                for k in 1..16 {
                    let t = t0 + f64::from(k) * h;
                    let second = (at(t + h) - 2.0 * at(t) + at(t - h)).length() / (h * h);
                    assert!(second <= bound + 1e-8, "{case} {t}: {second} > {bound}");
                }
            }
        }
    }

    #[test]
    fn the_axis_stays_in_place() {
        let mut state = 8;
        for case in 0..100 {
            let (from, to) = poses(&mut state, case);
            let motion = ContactScrew::new(from, to);
            let axis = motion.axis();
            let Some(point) = axis.point else {
                assert_eq!(axis.angle, 0.0);
                continue;
            };
            let in_body = motion.pose_at(0.0).to_body(point);
            for t in [0.25, 0.5, 1.0] {
                let expected = point + axis.direction * (axis.shift * motion.pace().shifted(t));
                let off = (motion.pose_at(t).apply(in_body) - expected).length();
                assert!(off < 1e-13 * (1.0 + point.length()), "{case}: {off} at {t}");
            }
        }
    }
}
