//! How bodies move: the pose at any time, and proven bounds over any time window. A motion does not depend on shapes
//! or queries.

mod affine;
mod contact_screw;
mod in_between;
mod linear;
mod pose;
mod rational;
mod screw;
mod turn;

use glam::DVec3;

pub use affine::{Affine, AffineInterpolant};
pub use contact_screw::{ContactScrew, InBetweenScrew, ScrewAxis};
pub use in_between::{Course, HalfTangent, InBetween, SPLIT_ANGLE, Steady, VALUE_ERROR};
pub use linear::Linear;
pub use pose::{FixedPose, Pose, PoseAt, PoseError};
pub use rational::Rational;
pub use screw::Screw;
pub use turn::Turn;

use crate::numerics::rounding::UNIT;
use crate::numerics::{TaylorTransform, TaylorVec3, Window};

/// The velocity of a body: that of its origin and the angular velocity, both in world coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Velocity {
    /// The velocity of the body's origin.
    pub origin: DVec3,
    /// The angular velocity.
    pub angular: DVec3,
}

impl Velocity {
    /// Returns the velocity of a point at `arm` from the body's origin, in world coordinates.
    #[inline]
    pub fn of(&self, arm: DVec3) -> DVec3 {
        self.origin + self.angular.cross(arm)
    }
}

/// An enclosure of a body's velocity over a window: each part within a radius of a centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VelocityBounds {
    /// The centres of both parts.
    pub center: Velocity,
    /// An upper bound of the distance of the origin's velocity from its centre.
    pub origin_radius: f64,
    /// An upper bound of the distance of the angular velocity from its centre.
    pub angular_radius: f64,
}

/// A rigid motion, as the engines need it.
///
/// The bounds hold for the exact motion, for every point within `reach` of the body's origin and every time in the
/// window; their own rounding is included. `n` has unit length up to rounding.
pub trait RigidMotion {
    /// Returns the pose at `t`, up to [`RigidMotion::pose_error`].
    fn pose_at(&self, t: f64) -> PoseAt;

    /// Returns an upper bound of the error of [`RigidMotion::pose_at`], at any time in `[0, 1]`.
    fn pose_error(&self) -> PoseError;

    /// Returns the velocity at `t`, in plain f64. It steers the search and is not a bound.
    fn velocity_at(&self, t: f64) -> Velocity;

    /// Returns an enclosure of the velocity.
    fn velocity_bounds(&self, window: Window) -> VelocityBounds;

    /// Returns an upper bound of `|x''(t)|`.
    fn acceleration(&self, reach: f64, window: Window) -> f64;

    /// Returns an enclosure of the whole transform over the window.
    fn enclosure(&self, window: Window) -> TaylorTransform;

    /// Returns an upper bound of `x'(t) · n`. It is negative if every point certainly moves against `n`.
    ///
    /// For `x = p + r` it is `x' · n = p' · n + (ω × r) · n <= p' · n + |n × ω| |r|`.
    #[inline]
    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        let bounds = self.velocity_bounds(window);
        let Velocity { origin, angular } = bounds.center;
        let lever = swept(n.cross(angular).length() + bounds.angular_radius, reach);
        // At most 8 roundings, relative to the sizes of the two terms; the error of `n` itself adds a few more.
        let turning = swept(angular.length() + bounds.angular_radius, reach);
        let rounding = 16.0 * UNIT * (origin.length() + turning);
        origin.dot(n) + bounds.origin_radius + lever + rounding
    }
}

/// Returns the product of a rate bound and the distance or duration over which it acts. The result is 0 if `reach` is
/// 0, even if the rate has overflowed to infinity, where the product would be NaN.
#[inline]
pub(crate) fn swept(rate: f64, reach: f64) -> f64 {
    if reach == 0.0 { 0.0 } else { rate * reach }
}

/// Any motion of a rigid body.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// At rest.
    Fixed(FixedPose),
    /// The origin moves on a line at constant velocity; the body rotates about it at a constant rate.
    Linear(Linear),
    /// A constant-speed screw.
    Screw(Screw),
    /// A screw with the timing of the 2001 paper.
    ContactScrew(ContactScrew),
    /// Quotients of polynomials in time.
    Rational(Box<Rational>),
}

impl Motion {
    /// At rest, with the body's frame equal to the world frame.
    pub const AT_REST: Motion = Motion::Fixed(FixedPose::IDENTITY);

    /// Creates a motion at rest at `pose`.
    pub fn fixed(pose: Pose) -> Motion {
        Motion::Fixed(pose.into())
    }

    /// Creates a motion whose origin moves on a straight line at constant velocity, while the body rotates at a
    /// constant rate, the shorter way, about an axis through the origin.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use glam::DVec3;
    /// let motion = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 4.0)?);
    /// assert_eq!(motion.pose_at(0.25).translation, DVec3::X);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn linear(from: Pose, to: Pose) -> Motion {
        Motion::Linear(Linear::new(from, to))
    }

    /// Creates one constant-speed screw from the first pose to the second, rotating the shorter way.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use glam::{DQuat, DVec3};
    /// // Half a turn about the axis through (1, 0, 0) along z takes the origin to (2, 0, 0), by way of (1, ∓1, 0).
    /// let half_turn = Pose::new(DVec3::X * 2.0, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0))?;
    /// let halfway = Motion::screw(Pose::IDENTITY, half_turn).pose_at(0.5).translation;
    /// assert!((halfway - DVec3::new(1.0, -1.0, 0.0)).length() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn screw(from: Pose, to: Pose) -> Motion {
        Motion::Screw(Screw::new(from, to))
    }

    /// Creates one screw from the first pose to the second, rotating the shorter way, with the timing of the 2001
    /// paper: the angle grows linearly and the shift with the tangent of half the angle, in two halves if the
    /// rotation is larger than [`SPLIT_ANGLE`].
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use glam::DVec3;
    /// // Without a rotation it is a straight line at constant speed.
    /// let motion = Motion::contact_screw(Pose::IDENTITY, Pose::from_translation(DVec3::X * 4.0)?);
    /// assert_eq!(motion.pose_at(0.25).translation, DVec3::X);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn contact_screw(from: Pose, to: Pose) -> Motion {
        Motion::ContactScrew(ContactScrew::new(from, to))
    }

    /// Returns the time strictly inside `[0, 1]` at which the velocity jumps, if it does.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use glam::{DQuat, DVec3};
    /// let half_turn = Pose::new(DVec3::Z, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0))?;
    /// assert_eq!(Motion::contact_screw(Pose::IDENTITY, half_turn).kink(), Some(0.5));
    /// assert_eq!(Motion::screw(Pose::IDENTITY, half_turn).kink(), None);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn kink(&self) -> Option<f64> {
        match self {
            Motion::Fixed(_) | Motion::Linear(_) | Motion::Screw(_) | Motion::Rational(_) => None,
            Motion::ContactScrew(motion) => motion.pace().kink(),
        }
    }

    /// Creates a motion with linearly interpolated quaternion and origin, the shorter way; see [`Rational`] for
    /// others.
    pub fn rational(from: Pose, to: Pose) -> Motion {
        Motion::from(Rational::between(from, to))
    }

    /// Returns the name of the kind, in one word, as in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Motion::Fixed(_) => "fixed",
            Motion::Linear(_) => "linear",
            Motion::Screw(_) => "screw",
            Motion::ContactScrew(_) => "contact_screw",
            Motion::Rational(_) => "rational",
        }
    }
}

impl From<Rational> for Motion {
    fn from(motion: Rational) -> Motion {
        Motion::Rational(Box::new(motion))
    }
}

/// Forwards a method to the inner motion; the result for a body at rest is given in place.
macro_rules! forward {
    ($self:ident, fixed $pose:ident => $fixed:expr, $motion:ident => $call:expr) => {
        match $self {
            Motion::Fixed($pose) => $fixed,
            Motion::Linear($motion) => $call,
            Motion::Screw($motion) => $call,
            Motion::ContactScrew($motion) => $call,
            Motion::Rational($motion) => $call,
        }
    };
}

impl RigidMotion for Motion {
    #[inline]
    fn pose_at(&self, t: f64) -> PoseAt {
        forward!(self, fixed pose => pose.at(), motion => motion.pose_at(t))
    }

    fn pose_error(&self) -> PoseError {
        forward!(self,
            fixed _pose => PoseError { rotation: turn::START_ERROR, translation: 0.0 },
            motion => motion.pose_error())
    }

    #[inline]
    fn velocity_at(&self, t: f64) -> Velocity {
        forward!(self, fixed _pose => Velocity::default(), motion => motion.velocity_at(t))
    }

    #[inline]
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        forward!(self,
            fixed _pose => VelocityBounds {
                center: Velocity::default(), origin_radius: 0.0, angular_radius: 0.0 },
            motion => motion.velocity_bounds(window))
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        forward!(self,
            fixed pose => TaylorTransform {
                rotation: turn::around(&pose.at().rotation, turn::START_ERROR),
                translation: TaylorVec3::constant(pose.at().translation) },
            motion => motion.enclosure(window))
    }

    #[inline]
    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        forward!(self, fixed _pose => 0.0, motion => motion.speed_along(n, reach, window))
    }

    #[inline]
    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        forward!(self, fixed _pose => 0.0, motion => motion.acceleration(reach, window))
    }
}
