//! One frame of a robot as a rigid motion: its pose, its velocity and their bounds, for the engines.
//!
//! The bounds are those of `kinematics`, in the world or in the frame of an ancestor. Their errors are those of the
//! computed poses and velocities, which are always computed in the world first.

use glam::DVec3;

use super::joint_motion::Bounds;
use super::kinematics::{RobotMotion, UP};
use crate::motion::{PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::numerics::rounding::UNIT;
use crate::numerics::{TaylorTransform, Window};

/// The motion of a part of a robot, in the world or in the frame of another link.
#[derive(Debug, Clone, Copy)]
pub struct LinkMotion<'a> {
    pub(super) robot: &'a RobotMotion<'a>,
    pub(super) frame: usize,
    pub(super) bounds: Bounds,
    pub(super) base: Option<usize>,
}

impl LinkMotion<'_> {
    /// Returns an upper bound of the speed of any point within `reach` of its origin.
    pub(crate) fn fastest(&self, reach: f64) -> f64 {
        (self.bounds.speed + self.bounds.turning * reach) * (1.0 + 16.0 * UNIT)
    }
}

impl RigidMotion for LinkMotion<'_> {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.robot.pose_between(self.frame, self.base, t)
    }

    fn pose_error(&self) -> PoseError {
        match self.base {
            None => {
                PoseError { rotation: self.bounds.rotation_error, translation: self.bounds.translation_error }
            }
            Some(base) => self.robot.error_between(self.frame, base),
        }
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let velocity = self.robot.velocity(t, self.frame);
        match self.base {
            None => velocity,
            Some(base) => {
                let of_base = self.robot.velocity(t, base);
                let (pose, base) = (self.robot.pose(t, self.frame), self.robot.pose(t, base));
                let along = velocity.origin - of_base.of(pose.translation - base.translation);
                Velocity {
                    origin: base.direction_to_body(along),
                    angular: base.direction_to_body(velocity.angular - of_base.angular),
                }
            }
        }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        // At the middle the velocity is the computed one, up to its error.
        let of_frame = self.robot.kinematics.bounds(self.frame);
        let (origin_error, angular_error) = match self.base {
            None => (of_frame.speed_error, of_frame.turning_error),
            // v = R_bᵀ (v_i − v_b − Ω_b × (x_i − x_b)), and Ω in the same way: the errors of the parts, and those of
            // the product.
            Some(base) => {
                let base = self.robot.kinematics.bounds(base);
                let size = of_frame.arm + base.arm;
                let turned = base.rotation_error + 32.0 * UNIT;
                let arm_error = of_frame.translation_error + base.translation_error;
                let origin = of_frame.speed_error
                    + base.speed_error
                    + base.turning_error * size
                    + (base.turning + base.turning_error) * arm_error
                    + turned * (of_frame.speed + base.speed + base.turning * size);
                let angular =
                    of_frame.turning_error + base.turning_error + turned * (of_frame.turning + base.turning);
                (origin, angular)
            }
        };
        let half = window.half_width();
        VelocityBounds {
            center: self.velocity_at(window.mid()),
            origin_radius: (self.bounds.acceleration * half + origin_error) * UP,
            angular_radius: (self.bounds.turning_change * half + angular_error) * UP,
        }
    }

    fn acceleration(&self, reach: f64, _window: Window) -> f64 {
        let Bounds { turning, acceleration, turning_acceleration, .. } = self.bounds;
        (acceleration + (turning * turning + turning_acceleration) * reach) * (1.0 + 16.0 * UNIT)
    }

    fn jerk(&self, reach: f64, _window: Window) -> f64 {
        let Bounds { turning, jerk, twist, .. } = self.bounds;
        (jerk + (turning * turning * turning + twist) * reach) * (1.0 + 16.0 * UNIT)
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        let bounds = self.velocity_bounds(window);
        let Velocity { origin, angular } = bounds.center;
        let lever = n.cross(angular).length() + bounds.angular_radius;
        let rounding = 16.0 * UNIT * (origin.length() + (angular.length() + bounds.angular_radius) * reach);
        let directed = origin.dot(n) + bounds.origin_radius + lever * reach + rounding;
        // The bound of the speed in all directions may be smaller over a long window. Each of the two bounds holds.
        directed.min((self.bounds.speed + self.bounds.turning * reach) * (1.0 + 16.0 * UNIT)) // not a bound: NaN gives way to the other
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let way = self.robot.way(self.frame, self.base);
        way.into_iter().fold(TaylorTransform::identity(), |parent, i| {
            parent.compose(&self.robot.kinematics.enclosure(i, window))
        })
    }
}
