//! `turn`: a rotation at a constant rate about a fixed axis in space, by any angle.
//!
//! **Problem.** Two poses determine a turn only up to whole turns, and `linear` takes the shorter way. A door, a wheel
//! or a stirrer turns about an axis away from its origin, by an angle of possibly several turns.
//!
//! **Formula.** With the axis through the point `c` along the unit vector `u`, the angle `θ` and the start
//! `(R_0, p_0)`: `R(t) = Rot(u, θt) R_0` and `p(t) = c + Rot(u, θt) d`, where `d = p_0 − c`. With `d⊥ = d − u (u · d)`
//! and `e = u × d`:
//! 1. `p(t) = p_0 + (cos θt − 1) d⊥ + sin θt e`, which is `p_0` at time 0;
//! 2. `p'(t) = θ (cos θt e − sin θt d⊥)`, of the constant length `|θ| |d⊥|`, and the angular velocity is `θ u`;
//! 3. a point moves on a circle: `|x''| = θ² · (distance from the axis) <= θ² (|d⊥| + reach)`.
//!
//! **Guarantee.** The exact motion is that of the given numbers, with the axis scaled to unit length exactly. With
//! `δ = 8u` the distance of the computed axis from it (see [`SteadyRotation::about`]):
//! - `d` has one rounding a component; `u (u · d)` is off by `2δ + 6u`, `e` by `δ + 3u`, relative to `|d|`; an axis
//!   tilted by `δ` moves `p` by at most `2δ |d|`. Sine and cosine are off by `8u`, and by `|θ| u` because `θt` is
//!   rounded; the products and sums add `6u |d|` and `3u |p|`. Together less than `(96u + 2|θ|u) |d| + 4u |p_0|`.
//! - The velocity has the same errors times `|θ|`.

use glam::{DQuat, DVec3};

use super::{Pose, PoseAt, PoseError, RigidMotion, SteadyRotation, TurningLine, Velocity, VelocityBounds};
use crate::error::{Error, Result, bounded, bounded_vector};
use crate::numerics::rounding::UNIT;
use crate::numerics::{EnclosureVec3, Interval, TaylorModel, TaylorTransform, Window, sin_cos};

/// A rotation at a constant rate about an axis in space, by any angle, in either direction; it may be several turns.
///
/// ```
/// use firsttouch::motion::{Pose, RigidMotion, Turn};
/// use glam::DVec3;
/// // A wheel whose hub is at (1, 0, 0), two and a quarter turns: the origin goes round twice and ends at (1, -1, 0).
/// let turn = Turn::new(Pose::IDENTITY, DVec3::Z, DVec3::X, 4.5 * std::f64::consts::PI)?;
/// assert!((turn.pose_at(4.0 / 9.0).translation - DVec3::ZERO).length() < 1e-14);
/// assert!((turn.pose_at(1.0).translation - DVec3::new(1.0, -1.0, 0.0)).length() < 1e-14);
/// assert!(Turn::new(Pose::IDENTITY, DVec3::ZERO, DVec3::X, 1.0).is_err());
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    rotation: SteadyRotation,
    start: DVec3,
    /// `d⊥` and `e`.
    across: DVec3,
    aside: DVec3,
    /// An upper bound of `|d|`.
    arm: f64,
    end: Pose,
}

impl Turn {
    /// Creates the motion that starts at `from` and turns by `angle` radians about the line through `point` along
    /// `axis`, counterclockwise seen against the axis. The axis need not have unit length. Returns an error for a zero
    /// axis and for numbers that are not finite.
    pub fn new(from: Pose, axis: DVec3, point: DVec3, angle: f64) -> Result<Turn> {
        bounded_vector(|| "axis of the turn".into(), axis)?;
        bounded_vector(|| "point of the turn".into(), point)?;
        bounded(|| "angle of the turn".into(), angle)?;
        if axis == DVec3::ZERO {
            let what = "length of the axis of the turn".into();
            return Err(Error::OutOfRange { what, expected: "positive", value: 0.0 });
        }
        let rotation = SteadyRotation::about(from.rotation(), axis, angle);
        let arm = from.translation() - point;
        let axis = rotation.axis();
        let (across, aside) = (arm - axis * axis.dot(arm), axis.cross(arm));
        let (half_sine, half_cosine) = sin_cos(0.5 * angle);
        let about = axis * half_sine;
        let about = DQuat::from_xyzw(about.x, about.y, about.z, half_cosine);
        let start = from.translation();
        let mut turn =
            Turn { rotation, start, across, aside, arm: arm.length() * (1.0 + 8.0 * UNIT), end: from };
        turn.end = Pose::new(turn.pose_at(1.0).translation, about * from.rotation())?;
        Ok(turn)
    }

    /// Returns the pose at time 1, up to rounding.
    ///
    /// ```
    /// use firsttouch::motion::{Pose, Turn};
    /// use glam::DVec3;
    /// let half = Turn::new(Pose::IDENTITY, DVec3::Z, DVec3::X, std::f64::consts::PI)?;
    /// assert!((half.end().translation() - 2.0 * DVec3::X).length() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn end(&self) -> Pose {
        self.end
    }

    /// Returns the angle from time 0 to 1, in radians.
    pub fn angle(&self) -> f64 {
        self.rotation.angle()
    }

    /// Returns the direction of the axis, of unit length up to rounding.
    pub fn axis(&self) -> DVec3 {
        self.rotation.axis()
    }

    /// Returns an upper bound of the error of `d⊥`, `e` and of the position relative to `d`; see the header.
    fn arm_error(&self) -> f64 {
        (128.0 + 2.0 * self.angle().abs()) * UNIT * self.arm
    }
}

impl RigidMotion for Turn {
    fn pose_at(&self, t: f64) -> PoseAt {
        let (s, c) = sin_cos(self.angle() * t);
        let translation = self.start + (self.across * (c - 1.0) + self.aside * s);
        PoseAt { rotation: self.rotation.at(t), translation }
    }

    fn pose_error(&self) -> PoseError {
        let translation = self.arm_error() + 4.0 * UNIT * self.start.length();
        PoseError { rotation: self.rotation.error(), translation }
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let (s, c) = sin_cos(self.angle() * t);
        let origin = (self.aside * c - self.across * s) * self.angle();
        Velocity { origin, angular: self.rotation.angular_velocity() }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        // The origin's velocity rotates at the rate θ: it differs from its value in the middle of the window by at most
        // the chord.
        let rate = self.angle().abs();
        let turned = rate * window.half_width();
        let turned = if turned < 2.0 { turned } else { 2.0 };
        let across = self.across.length();
        VelocityBounds {
            center: self.velocity_at(window.mid()),
            origin_radius: (rate * (across * turned + 2.0 * self.arm_error())) * (1.0 + 16.0 * UNIT),
            angular_radius: 16.0 * UNIT * rate,
        }
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        // The velocity bounds are loose over a long window, but the velocity never leaves the plane across the axis.
        let bounds = self.velocity_bounds(window);
        let rate = self.angle().abs();
        let tilted = self.axis().cross(n).length();
        let plane = rate * (self.across.length() * tilted + 2.0 * self.arm_error());
        let middle = bounds.center.origin.dot(n) + bounds.origin_radius;
        let lever = (rate * tilted + bounds.angular_radius) * reach;
        let rounding = 32.0 * UNIT * rate * (reach + self.arm);
        middle.min(plane) + lever + rounding // not a bound: either holds alone
    }

    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        let rate = self.angle().abs();
        rate * rate * (self.across.length() + self.arm_error() + reach) * (1.0 + 16.0 * UNIT)
    }

    fn turning_line(&self, _window: Window) -> Option<TurningLine> {
        // `p_0 − d⊥` is on the exact line, up to the error of `d⊥` and a rounding.
        let point = self.start - self.across;
        let off = self.arm_error() + 4.0 * UNIT * self.start.length();
        Some(TurningLine { point, off, axis: self.axis(), tilt: 8.0 * UNIT, strays: PoseError::default() })
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let angle = Interval::point(self.angle());
        let (sine, cosine) = TaylorModel::sin_cos_affine(Interval::ZERO, angle, &window);
        let less_one = cosine - TaylorModel::constant(Interval::ONE);
        // The formulas hold for the computed vectors; the exact path is within `pose_error` of it.
        let off = Interval::symmetric(self.pose_error().translation);
        let path = |k: usize| {
            TaylorModel::constant(Interval::point(self.start[k]) + off)
                + less_one.scale(self.across[k])
                + sine.scale(self.aside[k])
        };
        TaylorTransform {
            rotation: self.rotation.enclosure(window),
            translation: EnclosureVec3([path(0), path(1), path(2)]),
        }
    }
}
