//! A motion within a moving frame.
//!
//! **Problem.** A handle turns on a door while the door opens: its motion is given in the frame of the door.
//!
//! **Formula.** With the frame at `(R_f, p_f)` and the motion `(R, p)` in it, the pose is `(R_f R, p_f + R_f p)`. For a
//! point at `y = p + R r` in the frame, at most `reach` from the body's origin:
//! 1. the angular velocity is `ω_f + R_f ω`, the velocity of the origin `p_f' + ω_f × R_f p + R_f p'`;
//! 2. `x'' = [p_f'' + (R_f)'' y] + 2 ω_f × R_f y' + R_f y''`. The bracket is the acceleration of a point that rests in
//!    the frame at the distance `|y|` from its origin, so with bounds over the window
//!    **`|x''| <= a_f(|y|) + 2 |ω_f| |y'| + a(reach)`**: the acceleration of the frame, the Coriolis term, and the
//!    acceleration of the motion. The first includes the centripetal term.
//! 3. `|y| <= |p| + reach`, where `|p|` is at most that in the middle of the window plus half the window times the
//!    speed, and `|y'| <= |p'| + |ω| reach`.
//!
//! Over a window of half width `h` the frame turns by at most `h |ω_f|` from the middle, and `R_f p` moves by at most
//! `h (|ω_f| |p| + |p'|)`. So the angular velocity is within `ρ_f + ρ + h |ω_f| |ω_c|` of `ω_fc + R_f ω_c`, with `ρ`
//! the radii and `c` the centres. The velocity of the origin is within
//! `r_f + ρ_f |p| + |ω_fc| h (|ω_f| |p| + |p'|) + h |ω_f| |p_c'| + r` of its value from the centres and the middle.
//!
//! **Guarantee.** Conservative, if the bounds of the two motions are. A jump of either makes the sum of the
//! accelerations infinite. The computed pose is off by `ε_f + ε` in rotation and `ε_f' + ε_f |p| + ε'` in translation,
//! with `12u` for the product of the matrices and `6u` for the sum. The errors of the poses in the middle enter the
//! velocity in the same way. The slack covers terms of second order.

use glam::DVec3;

use super::piecewise::{in_half, largest_rates};
use super::{Motion, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds, swept};
use crate::numerics::rounding::UNIT;
use crate::numerics::{TaylorTransform, Window};

/// A motion that is given in a moving frame.
///
/// ```
/// use firsttouch::motion::{Motion, Pose, RigidMotion};
/// use glam::DVec3;
/// let up = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::Z)?);
/// let along = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 2.0)?);
/// assert_eq!(along.within(&up).pose_at(0.5).translation, DVec3::new(1.0, 0.0, 0.5));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    frame: Motion,
    motion: Motion,
    pose_error: PoseError,
}

/// Bounds over a window of the frame and of the motion in it.
struct Bounds {
    frame: VelocityBounds,
    motion: VelocityBounds,
    /// Upper bounds of the speed and of the rate of rotation of the frame.
    frame_rates: [f64; 2],
    /// The same bounds of the motion.
    rates: [f64; 2],
    /// An upper bound of `|p|`.
    distance: f64,
}

impl Within {
    /// Creates the motion of a body that moves by `motion` in a frame that moves by `frame`.
    pub fn new(frame: Motion, motion: Motion) -> Within {
        let always = Window::between(0.0, 1.0);
        let (of_frame, own) = (frame.pose_error(), motion.pose_error());
        // The largest distances of the origins, by their speeds.
        let [far, arm] = [&frame, &motion].map(|m| distance(m, &m.velocity_bounds(always), always));
        let turned = swept(of_frame.rotation + 16.0 * UNIT, arm);
        let translation = of_frame.translation + turned + own.translation * (1.0 + of_frame.rotation);
        let pose_error = PoseError {
            rotation: (of_frame.rotation + own.rotation) * (1.0 + of_frame.rotation) + 32.0 * UNIT,
            translation: translation * (1.0 + 8.0 * UNIT) + 4.0 * UNIT * far,
        };
        Within { frame, motion, pose_error }
    }

    /// Returns the motion of the frame.
    pub fn frame(&self) -> &Motion {
        &self.frame
    }

    /// Returns the motion in the frame.
    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    fn bounds(&self, window: Window) -> Bounds {
        let (frame, motion) = (self.frame.velocity_bounds(window), self.motion.velocity_bounds(window));
        let (frame_rates, rates) = (largest_rates(&frame), largest_rates(&motion));
        Bounds { frame, motion, frame_rates, rates, distance: distance(&self.motion, &motion, window) }
    }
}

/// Returns an upper bound of the distance of a body's origin from that of its frame.
fn distance(motion: &Motion, bounds: &VelocityBounds, window: Window) -> f64 {
    let middle = motion.pose_at(window.mid()).translation.length();
    let [speed, _] = largest_rates(bounds);
    (middle + in_half(speed, window) + motion.pose_error().translation) * (1.0 + 8.0 * UNIT)
}

impl RigidMotion for Within {
    fn pose_at(&self, t: f64) -> PoseAt {
        let (frame, pose) = (self.frame.pose_at(t), self.motion.pose_at(t));
        PoseAt { rotation: frame.rotation * pose.rotation, translation: frame.apply(pose.translation) }
    }

    fn pose_error(&self) -> PoseError {
        self.pose_error
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let (frame, pose) = (self.frame.pose_at(t), self.motion.pose_at(t));
        let (of_frame, own) = (self.frame.velocity_at(t), self.motion.velocity_at(t));
        let arm = frame.rotation * pose.translation;
        Velocity {
            origin: of_frame.of(arm) + frame.rotation * own.origin,
            angular: of_frame.angular + frame.rotation * own.angular,
        }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let Bounds { frame, motion, frame_rates, rates, distance } = self.bounds(window);
        let (at, pose) = (self.frame.pose_at(window.mid()), self.motion.pose_at(window.mid()));
        let arm = at.rotation * pose.translation;
        let center = Velocity {
            origin: frame.center.of(arm) + at.rotation * motion.center.origin,
            angular: frame.center.angular + at.rotation * motion.center.angular,
        };
        let (error, own_error) = (self.frame.pose_error(), self.motion.pose_error());
        let turned = turned(frame_rates[1], error.rotation, window);
        // The largest distance of `R_f p` from its computed value in the middle.
        let moved = swept(turned, distance) + in_half(rates[0], window) + own_error.translation;
        let rounding = 32.0 * UNIT * (frame_rates[0] + swept(frame_rates[1], distance) + rates[0]);
        let up = 1.0 + 32.0 * UNIT;
        VelocityBounds {
            center,
            origin_radius: (frame.origin_radius
                + swept(frame.angular_radius, distance)
                + swept(frame.center.angular.length(), moved)
                + swept(turned, motion.center.origin.length())
                + motion.origin_radius
                + rounding)
                * up,
            angular_radius: (frame.angular_radius
                + motion.angular_radius
                + swept(turned, motion.center.angular.length())
                + 32.0 * UNIT * (frame_rates[1] + rates[1]))
                * up,
        }
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        let Bounds { frame_rates, rates, distance, .. } = self.bounds(window);
        // The bound by the enclosure of the velocity, as for any motion.
        let bounds = self.velocity_bounds(window);
        let Velocity { origin, angular } = bounds.center;
        let lever = swept(n.cross(angular).length() + bounds.angular_radius, reach);
        let turning = swept(angular.length() + bounds.angular_radius, reach);
        let whole = origin.dot(n) + bounds.origin_radius + lever + 16.0 * UNIT * (origin.length() + turning);
        // The bound by the two motions, each with its own bound of a speed: `n · R_f y' = (R_fᵀ n) · y'`, and the
        // direction turns with the frame.
        let at = self.frame.pose_at(window.mid());
        let error = self.frame.pose_error().rotation;
        let turned = turned(frame_rates[1], error, window);
        let along = at.direction_to_body(n);
        let own_speed = rates[0] + swept(rates[1], reach);
        let parts = self.frame.speed_along(n, (distance + reach) * (1.0 + 4.0 * UNIT), window)
            + self.motion.speed_along(along, reach, window)
            + swept(turned, own_speed) * (1.0 + 8.0 * UNIT);
        let rounding = 16.0 * UNIT * (frame_rates[0] + swept(frame_rates[1], distance + reach) + own_speed);
        lower_of_uppers(whole, parts + rounding)
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        let Bounds { frame_rates, rates, distance, .. } = self.bounds(window);
        let arm = (distance + reach) * (1.0 + 4.0 * UNIT);
        let coriolis = 2.0 * swept(frame_rates[1], rates[0] + swept(rates[1], reach));
        (self.frame.acceleration(arm, window) + coriolis + self.motion.acceleration(reach, window))
            * (1.0 + 16.0 * UNIT)
    }

    fn jump_after(&self, t: f64) -> Option<f64> {
        match (self.frame.jump_after(t), self.motion.jump_after(t)) {
            (Some(a), Some(b)) => Some(if a < b { a } else { b }),
            (a, b) => a.or(b),
        }
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        self.frame.enclosure(window).compose(&self.motion.enclosure(window))
    }
}

/// Returns an upper bound of the norm of the difference between the computed rotation in the middle of a window and the
/// exact one at any time of it. Two rotations never differ by more than 2, which also holds for an unknown rate.
fn turned(rate: f64, error: f64, window: Window) -> f64 {
    let slack = error + 16.0 * UNIT;
    let turned = in_half(rate, window);
    (if turned < 2.0 { turned } else { 2.0 }) + slack
}

/// Returns the smaller of two upper bounds, each of which holds alone. A NaN proves nothing.
fn lower_of_uppers(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => f64::INFINITY,
        (true, false) => b,
        (false, true) => a,
        (false, false) if a < b => a,
        (false, false) => b,
    }
}
