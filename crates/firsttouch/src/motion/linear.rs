//! `linear`: the origin moves on a straight line at constant velocity, and the body rotates at a constant rate about
//! an axis through it. This is the motion between two placements of CATCH, Sec. 3.2.
//!
//! `x(t) = p + v t + R(t) r`, so `x'(t) = v + ω × R(t) r` and `|x''(t)| = |ω × (ω × R(t) r)| <= |ω|² |r|`. Neither
//! bound depends on the time, so a shorter window does not improve it.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 3.2 and Eq. 10 with a single link.

use glam::DVec3;

use super::{
    Pose, PoseAt, PoseError, RigidMotion, SteadyRotation, TurningLine, Velocity, VelocityBounds, swept,
};
use crate::numerics::rounding::UNIT;
use crate::numerics::{EnclosureVec3, Interval, TaylorModel, TaylorTransform, Window};

/// Constant velocity of the origin and constant angular velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    turn: SteadyRotation,
    start: DVec3,
    velocity: DVec3,
    /// The bounds of the velocity, and the lengths of the two vectors in their centre: the same in every window.
    bounds: VelocityBounds,
    lengths: [f64; 2],
}

impl Linear {
    /// Creates the motion that is at `from` at time 0 and at `to` at time 1, rotating the shorter way.
    pub fn new(from: Pose, to: Pose) -> Linear {
        let turn = SteadyRotation::between(from.rotation(), to.rotation());
        let velocity = to.translation() - from.translation();
        let center = Velocity { origin: velocity, angular: turn.angular_velocity() };
        let lengths = [center.origin.length(), center.angular.length()];
        // The velocity is one rounded difference; the rotation vector is as accurate as the rotation at time 1.
        let bounds =
            VelocityBounds { center, origin_radius: UNIT * lengths[0] * 2.0, angular_radius: turn.error() };
        Linear { turn, start: from.translation(), velocity, bounds, lengths }
    }

    /// Returns the poses of two such motions at `t`, with the bits of [`RigidMotion::pose_at`].
    #[inline]
    pub(crate) fn both_at([a, b]: [&Linear; 2], t: f64) -> [PoseAt; 2] {
        let [turned_a, turned_b] = SteadyRotation::both_at([&a.turn, &b.turn], t);
        [
            PoseAt { rotation: turned_a, translation: a.origin_at(t) },
            PoseAt { rotation: turned_b, translation: b.origin_at(t) },
        ]
    }

    #[inline]
    pub(super) fn origin_at(&self, t: f64) -> DVec3 {
        self.start + self.velocity * t
    }
}

impl RigidMotion for Linear {
    #[inline]
    fn pose_at(&self, t: f64) -> PoseAt {
        PoseAt { rotation: self.turn.at(t), translation: self.origin_at(t) }
    }

    fn pose_error(&self) -> PoseError {
        // One rounding each in the difference that yields the velocity, in the product and in the sum.
        let translation = 4.0 * UNIT * (self.start.length() + 2.0 * self.lengths[0]);
        PoseError { rotation: self.turn.error(), translation }
    }

    #[inline]
    fn velocity_at(&self, _t: f64) -> Velocity {
        self.bounds.center
    }

    #[inline]
    fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
        self.bounds
    }

    /// As for any motion, with cached lengths.
    #[inline]
    fn speed_along(&self, n: DVec3, reach: f64, _window: Window) -> f64 {
        let VelocityBounds { center: Velocity { origin, angular }, origin_radius, angular_radius } =
            self.bounds;
        let lever = swept(n.cross(angular).length() + angular_radius, reach);
        let turning = swept(self.lengths[1] + angular_radius, reach);
        let rounding = 16.0 * UNIT * (self.lengths[0] + turning);
        origin.dot(n) + origin_radius + lever + rounding
    }

    #[inline]
    fn as_linear(&self) -> Option<&Linear> {
        Some(self)
    }

    #[inline]
    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        let rate = self.turn.angle() + self.turn.error();
        rate * rate * reach * (1.0 + 8.0 * UNIT)
    }

    #[inline]
    fn jerk(&self, reach: f64, _window: Window) -> f64 {
        let rate = self.turn.angle() + self.turn.error();
        rate * rate * rate * reach * (1.0 + 8.0 * UNIT)
    }

    fn turning_line(&self, _window: Window) -> Option<TurningLine> {
        // The difference of two different numbers is not zero, so the origin rests. The rotation vector is off by at
        // most the error of the rotation; below a fiftieth of its length, that tilts it by at most twice the ratio.
        let tilt = 2.0 * self.turn.error() / self.turn.angle();
        let turns = self.velocity == DVec3::ZERO && tilt < 0.04;
        turns.then(|| TurningLine {
            point: self.start,
            off: 0.0,
            axis: self.turn.axis(),
            tilt,
            strays: PoseError::default(),
        })
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        // The velocity is one rounded difference: the exact one is within one ulp.
        let path = |k: usize| {
            let velocity =
                Interval::point(self.velocity[k]) + Interval::symmetric(UNIT * self.velocity[k].abs());
            TaylorModel::affine(Interval::point(self.start[k]), velocity, &window)
        };
        TaylorTransform {
            rotation: self.turn.enclosure(window),
            translation: EnclosureVec3([path(0), path(1), path(2)]),
        }
    }
}
