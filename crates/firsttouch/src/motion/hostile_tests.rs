//! A motion that uses the full size of its admitted errors, and pairs of a box and a ball in such motions, for the
//! tests of the engines.
//!
//! [`RigidMotion`] allows a pose to be off by its error and a velocity to be off from its centre by its radius. The
//! motions of this crate stay far below their admitted errors, so an engine that forgets an error passes most tests.
//! Here the errors are large, and the exact motion is known in closed form: an engine that forgets an error is late by
//! a visible amount.

use glam::{DMat3, DQuat, DVec3};

use super::{PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::numerics::Window;

/// The exact motion: the origin at `start + velocity t + acceleration t² / 2`, turned by `spin t` after `attitude`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hostile {
    pub(crate) start: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) acceleration: DVec3,
    pub(crate) attitude: DVec3,
    pub(crate) spin: DVec3,
    /// The error of the pose: it is moved and turned by this.
    pub(crate) moved: DVec3,
    pub(crate) turned: DVec3,
    /// The error of the velocity's centre.
    pub(crate) velocity_off: DVec3,
    pub(crate) spin_off: DVec3,
}

impl Hostile {
    /// Returns the exact pose, up to rounding.
    pub(crate) fn exact(&self, t: f64) -> PoseAt {
        let rotation = DQuat::from_scaled_axis(self.spin * t) * DQuat::from_scaled_axis(self.attitude);
        let translation = self.start + self.velocity * t + self.acceleration * (0.5 * t * t);
        PoseAt { rotation: DMat3::from_quat(rotation), translation }
    }
}

impl RigidMotion for Hostile {
    fn pose_at(&self, t: f64) -> PoseAt {
        let PoseAt { rotation, translation } = self.exact(t);
        let turned = DMat3::from_quat(DQuat::from_scaled_axis(self.turned));
        PoseAt { rotation: turned * rotation, translation: translation + self.moved }
    }

    fn pose_error(&self) -> PoseError {
        PoseError { rotation: self.turned.length() + 1e-14, translation: self.moved.length() + 1e-14 }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        VelocityBounds {
            center: Velocity {
                origin: self.velocity + self.acceleration * window.mid() + self.velocity_off,
                angular: self.spin + self.spin_off,
            },
            origin_radius: self.velocity_off.length()
                + self.acceleration.length() * window.half_width()
                + 1e-14,
            angular_radius: self.spin_off.length() + 1e-14,
        }
    }

    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        (self.acceleration.length() + self.spin.length_squared() * reach) * (1.0 + 1e-14)
    }
}

/// A box and a ball in motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxAndBall {
    /// Half the side lengths.
    pub(crate) half: DVec3,
    pub(crate) radius: f64,
    /// The motion of the box, then that of the ball.
    pub(crate) motions: [Hostile; 2],
}

impl BoxAndBall {
    /// Returns the exact distance at `t`, negative if the centre of the ball is deep enough.
    pub(crate) fn distance(&self, t: f64) -> f64 {
        let center = self.motions[0].exact(t).to_body(self.motions[1].exact(t).translation);
        (center - center.clamp(-self.half, self.half)).length() - self.radius
    }

    /// Returns the first time at which they are within `distance`, up to 1e-9; infinite if there is none.
    pub(crate) fn contact(&self, distance: f64) -> f64 {
        const SAMPLES: u32 = 400;
        let time = |i: u32| f64::from(i) / f64::from(SAMPLES);
        let Some(first) = (0..=SAMPLES).find(|&i| self.distance(time(i)) <= distance) else {
            return f64::INFINITY;
        };
        let (mut low, mut high) = (time(first.saturating_sub(1)), time(first));
        while high - low > 1e-10 {
            let middle = 0.5 * (low + high);
            if self.distance(middle) <= distance { high = middle } else { low = middle }
        }
        high
    }

    /// The kinds of [`BoxAndBall::random`].
    pub(crate) const KINDS: usize = 16;

    /// Returns a pair that is apart at the start and often meets. Each kind has at most one error, of one of the two,
    /// so no other error can hide it.
    pub(crate) fn random(state: &mut u64, kind: usize) -> BoxAndBall {
        let mut unit = || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut vector = move || DVec3::new(unit(), unit(), unit());
        let mut motions = [Hostile::default(); 2];
        let ball = vector().normalize_or(DVec3::X) * (1.6 + 0.4 * vector().x);
        motions[1].start = ball;
        let mut towards = -ball.normalize();
        // The body that moves is the one with the error.
        let who = kind % 2;
        if who == 0 {
            towards = -towards;
        }
        let mut half = DVec3::new(1.0, 0.1, 0.1) + 0.05 * vector();
        let mover = &mut motions[who];
        mover.attitude = vector();
        mover.velocity = towards * (1.5 + vector().x) + 0.4 * vector();
        match kind / 2 {
            // The pose is wrong: it seems to be farther away, or turned.
            0 => mover.moved = -towards * 0.2 + 0.1 * vector(),
            1 => mover.turned = 0.3 * vector(),
            // The velocity seems to be smaller, or to lead away.
            2 => mover.velocity_off = -1.2 * mover.velocity + 0.2 * vector(),
            3 => {
                mover.velocity *= 0.3;
                mover.spin = 3.0 * vector();
                mover.spin_off = -mover.spin;
            }
            // The pose and velocity are right, but the body is accelerated from rest, or its velocity seems to be zero.
            4 => {
                mover.acceleration = 4.0 * mover.velocity;
                mover.velocity = 0.2 * vector();
                mover.velocity_off = -mover.velocity;
            }
            5 => {
                mover.velocity *= 0.5;
                mover.spin = 3.0 * vector();
            }
            // The body turns fast, about a wrong axis.
            6 => {
                mover.velocity *= 0.5;
                mover.spin = 5.0 * vector();
                mover.turned = 0.2 * vector();
            }
            // The ball starts near the middle of the box and slides along it. The box seems to be turned away from it.
            _ => {
                let body = DQuat::from_scaled_axis(mover.attitude);
                let [of_box, of_ball] = &mut motions;
                *of_box = Hostile { attitude: body.to_scaled_axis(), ..Hostile::default() };
                of_ball.start = body * DVec3::new(0.0, 0.45, 0.0);
                of_ball.velocity = body * DVec3::new(2.0, -0.15 - 0.1 * vector().x.abs(), 0.0);
                half = DVec3::new(2.2, 0.1, 0.1);
                of_box.turned = body * (DVec3::Z * -0.3 * vector().x.abs());
            }
        }
        // A ball has no orientation, so the box turns.
        if who == 1 && kind / 2 != 7 {
            let [of_box, of_ball] = &mut motions;
            of_box.attitude = of_ball.attitude;
            std::mem::swap(&mut of_box.turned, &mut of_ball.turned);
            std::mem::swap(&mut of_box.spin, &mut of_ball.spin);
            std::mem::swap(&mut of_box.spin_off, &mut of_ball.spin_off);
            half *= 0.8;
        }
        BoxAndBall { half, radius: 0.2 + 0.1 * vector().x, motions }
    }
}

/// At rest, known exactly.
#[derive(Debug)]
pub(crate) struct FixedAt(pub(crate) DVec3);

impl RigidMotion for FixedAt {
    fn pose_at(&self, _t: f64) -> PoseAt {
        PoseAt { rotation: DMat3::IDENTITY, translation: self.0 }
    }
    fn pose_error(&self) -> PoseError {
        PoseError::default()
    }
    fn velocity_bounds(&self, _window: Window) -> VelocityBounds {
        VelocityBounds { center: Velocity::default(), origin_radius: 0.0, angular_radius: 0.0 }
    }
    fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
        0.0
    }
}
