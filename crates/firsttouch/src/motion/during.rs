//! A part of a motion, over its own time.
//!
//! **Problem.** A path of a robot is checked one segment after another, each over the time from 0 to 1. Other bodies
//! must move as they do in that span of the common time.
//!
//! **Formula.** With the span from `t_0`, of the width `w`, the motion at `s` is the given one at `t_0 + w s`.
//! Velocities are multiplied by `w`, accelerations by `w²`.
//!
//! **Guarantee.** Conservative, if the bounds of the given motion are. `t_0` and `w` are the stored f64 numbers. The
//! computed time has two roundings of numbers up to 1: it is off by `2u` at most, and the body moves by at most `2u`
//! times its speed. Windows are widened by more than `2u`. If a span ends after 1 by rounding, the motion stays at its
//! end.

use std::sync::Arc;

use super::piecewise::largest_rates;
use super::{Motion, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::error::{Error, Result};
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;

struct During {
    motion: Motion,
    start: f64,
    width: f64,
    pose_error: PoseError,
}

impl Motion {
    /// Returns the part of this motion from `start` to `end`, over the time from 0 to 1. Returns an error unless
    /// `0 <= start < end <= 1`.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use glam::DVec3;
    /// let motion = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 4.0)?);
    /// let last_quarter = motion.during(0.75, 1.0)?;
    /// assert_eq!(last_quarter.pose_at(0.5).translation, DVec3::X * 3.5);
    /// assert!(motion.during(0.5, 0.5).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn during(&self, start: f64, end: f64) -> Result<Motion> {
        if !(0.0 <= start && start < end && end <= 1.0) {
            let what = format!("span of a motion from {start}");
            return Err(Error::OutOfRange {
                what,
                expected: "from 0 to 1, with its end after its start",
                value: end,
            });
        }
        if matches!(self, Motion::Fixed(_)) || (start == 0.0 && end == 1.0) {
            return Ok(self.clone());
        }
        // Rounded up, so that a span that begins where this one ends leaves no gap.
        let width = if end - start == 1.0 { 1.0 } else { (end - start).next_up() };
        let [speed, turning] = largest_rates(&self.velocity_bounds(Window::between(0.0, 1.0)));
        let PoseError { rotation, translation } = self.pose_error();
        let pose_error = PoseError {
            rotation: rotation + 4.0 * UNIT * turning,
            translation: translation + 4.0 * UNIT * speed,
        };
        Motion::custom(Arc::new(During { motion: self.clone(), start, width, pose_error }))
    }
}

impl During {
    fn time(&self, s: f64) -> f64 {
        let t = self.start + self.width * s;
        if t < 1.0 { t } else { 1.0 }
    }

    /// Returns a window of the given motion that contains one of this.
    fn window(&self, window: Window) -> Window {
        let start = self.time(window.t0()) - 4.0 * UNIT;
        let end = self.time(window.t1()) + 4.0 * UNIT;
        Window::between(if start > 0.0 { start } else { 0.0 }, if end < 1.0 { end } else { 1.0 })
    }
}

impl RigidMotion for During {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.motion.pose_at(self.time(t))
    }

    fn pose_error(&self) -> PoseError {
        self.pose_error
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let Velocity { origin, angular } = self.motion.velocity_at(self.time(t));
        Velocity { origin: origin * self.width, angular: angular * self.width }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let bounds = self.motion.velocity_bounds(self.window(window));
        let Velocity { origin, angular } = bounds.center;
        let center = Velocity { origin: origin * self.width, angular: angular * self.width };
        // One rounding of each component, and those of the radius.
        let radius = |radius: f64, size: f64| (radius * self.width + 2.0 * UNIT * size) * (1.0 + 8.0 * UNIT);
        VelocityBounds {
            center,
            origin_radius: radius(bounds.origin_radius, center.origin.length()),
            angular_radius: radius(bounds.angular_radius, center.angular.length()),
        }
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        // A jump inside the widened window but outside the given one makes this infinite, which is also a bound.
        self.motion.acceleration(reach, self.window(window)) * (self.width * self.width) * (1.0 + 8.0 * UNIT)
    }

    fn jump_after(&self, t: f64) -> Option<f64> {
        let jump = (self.motion.jump_after(self.time(t))? - self.start) / self.width;
        (t < jump && jump < 1.0).then_some(jump)
    }
}
