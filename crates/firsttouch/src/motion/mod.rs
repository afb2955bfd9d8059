//! How bodies move: the pose at any time, and proven bounds over any time window.
//!
//! - [`RigidMotion`] is the interface of a motion for the engines: a pose with its error, a velocity to steer by, and
//!   bounds of velocity and acceleration over a window. Its obligations are stated there.
//! - [`Motion`] is any of the motions of this crate, or a custom motion. Its constructors create motions.
//! - [`Affine`] also changes the shape, of ellipsoids only.
//!
//! A motion does not depend on shapes or queries.

mod affine;
mod contact_screw;
mod custom;
mod during;
mod in_between;
mod joint_trajectory;
mod linear;
mod path;
mod piecewise;
mod pose;
mod rational;
mod screw;
mod spline;
mod steady_rotation;
mod turn;
mod within;

use glam::DVec3;

pub use affine::{Affine, AffineInterpolant};
pub use contact_screw::{ContactScrew, ScrewAxis};
pub use custom::CustomMotion;
pub use in_between::SPLIT_ANGLE;
pub(crate) use joint_trajectory::Piece as JointPiece;
pub use joint_trajectory::{JointBounds, JointTrajectory, LARGEST_GAP};
pub use linear::Linear;
pub use path::{By, Leg, Path};
pub use pose::{FixedPose, Pose, PoseAt, PoseError};
pub use rational::Rational;
pub use screw::Screw;
pub use spline::Spline;
pub use turn::Turn;
pub use within::Within;

// For the laboratory.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use {
    contact_screw::InBetweenScrew,
    in_between::{Course, HalfTangent, InBetween, VALUE_ERROR},
    steady_rotation::SteadyRotation,
};
#[cfg(not(feature = "internals"))]
pub(crate) use {
    in_between::{Course, HalfTangent, InBetween},
    steady_rotation::SteadyRotation,
};

use std::sync::Arc;

pub use crate::numerics::Window;

use crate::error::Result;
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    EnclosureMat3, EnclosureVec3, Interval, IntervalVec3, TaylorMat3, TaylorModel, TaylorTransform,
    TaylorVec3,
};

/// The velocity of a body: the velocity of its origin and the angular velocity, both in world coordinates.
///
/// ```
/// use firsttouch::motion::Velocity;
/// use glam::DVec3;
/// let turning = Velocity { origin: DVec3::ZERO, angular: DVec3::Z };
/// assert_eq!(turning.of(DVec3::X), DVec3::Y);
/// ```
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

/// A line in the world about which a body turns, without any other motion: each point stays on a circle about it, up to
/// `strays`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurningLine {
    /// A point of the line.
    pub point: DVec3,
    /// An upper bound of the distance of that point from the exact line.
    pub off: f64,
    /// The direction of the line, of unit length up to rounding.
    pub axis: DVec3,
    /// An upper bound of the distance of the direction from the exact one.
    pub tilt: f64,
    /// An upper bound of the distance of a point of the body from its circle: `translation`, plus `rotation` times the
    /// point's distance from the body's origin.
    pub strays: PoseError,
}

/// A rigid motion, as the engines need it.
///
/// # Obligations
/// All proofs rest on these. [`check_motion`](crate::testing::check_motion) tests them by sampling.
///
/// - There is one exact motion: a rotation and a translation for every time in `[0, 1]`, continuous in time.
/// - [`pose_at`](RigidMotion::pose_at) returns that motion up to [`pose_error`](RigidMotion::pose_error), and always
///   the same pose for the same time.
/// - The bounds hold for the exact motion, for every point within `reach` of the body's origin and every time in the
///   window. They include their own rounding: upper bounds are rounded up. A bound that cannot be computed is
///   `INFINITY` or NaN, which prove nothing.
/// - If the velocity jumps strictly inside a window, [`acceleration`](RigidMotion::acceleration) over it is `INFINITY`.
/// - No method panics.
///
/// `n` has unit length up to rounding.
pub trait RigidMotion {
    /// Returns the pose at `t`, up to [`RigidMotion::pose_error`].
    fn pose_at(&self, t: f64) -> PoseAt;

    /// Returns an upper bound of the error of [`RigidMotion::pose_at`], at any time in `[0, 1]`.
    fn pose_error(&self) -> PoseError;

    /// Returns the velocity at `t`, computed in plain f64: a guess to steer by, not a bound.
    fn velocity_at(&self, t: f64) -> Velocity {
        custom::velocity_from_bounds(self, t)
    }

    /// Returns an enclosure of the velocity.
    fn velocity_bounds(&self, window: Window) -> VelocityBounds;

    /// Returns an upper bound of `|x''(t)|`.
    fn acceleration(&self, reach: f64, window: Window) -> f64;

    /// Returns an upper bound of `|x'''(t)|`; `INFINITY`, which proves nothing, if none is known, or if the velocity or
    /// the acceleration jumps strictly inside the window. With it, bounds of the least distance over a window are of
    /// third order in the length of the window.
    fn jerk(&self, _reach: f64, _window: Window) -> f64 {
        f64::INFINITY
    }

    /// Returns the first time after `t`, and before 1, at which the velocity jumps, if there is one. Engines check the
    /// times before and after a jump separately, which is faster. No proof depends on this.
    fn jump_after(&self, _t: f64) -> Option<f64> {
        None
    }

    /// Returns the motion if it is [`Linear`]: the poses of two linear motions are computed together.
    #[doc(hidden)]
    fn as_linear(&self) -> Option<&Linear> {
        None
    }

    /// Returns the line about which the body turns throughout a window, if it turns about one line and has no other
    /// motion.
    #[doc(hidden)]
    fn turning_line(&self, _window: Window) -> Option<TurningLine> {
        None
    }

    /// Returns an enclosure of the whole transform over the window. The default uses the bound of the velocity. Take
    /// the steady motion from the pose in the middle of the window, with the velocities in the centre of the bound. The
    /// exact motion differs from it by at most half the window times the radius of the bound, because two rotations
    /// whose angular velocities differ by `ρ` diverge at most at that rate.
    #[doc(hidden)]
    fn enclosure(&self, window: Window) -> TaylorTransform {
        let PoseAt { rotation, translation } = self.pose_at(window.mid());
        let (error, bounds) = (self.pose_error(), self.velocity_bounds(window));
        // Four roundings each in the sums; the middle of the window is off by one more of the time 1.
        let within = |rate: f64, off: f64| {
            let time = window.half_width() + UNIT;
            (swept(rate, time) + off) * (1.0 + 16.0 * UNIT)
        };
        let Velocity { origin, angular } = bounds.center;
        let start = steady_rotation::around(&rotation, error.rotation);
        let rotation = match IntervalVec3::unit(angular) {
            Ok(axis) => {
                let [x, y, z] = angular.to_array().map(Interval::point);
                let rate = (x.sqr() + y.sqr() + z.sqr()).sqrt();
                let strayed = Interval::symmetric(within(bounds.angular_radius, 0.0));
                let turned = TaylorMat3::rotation(axis, -(rate * window.mid()), rate, &window) * start;
                EnclosureMat3(turned.0.map(|row| row.map(|entry| entry + TaylorModel::constant(strayed))))
            }
            // The centre has no rotation, or an unknown one.
            Err(_) => {
                let turned = within(angular.length() + bounds.angular_radius, error.rotation);
                steady_rotation::around(&rotation, turned)
            }
        };
        let moved = Interval::symmetric(within(bounds.origin_radius, error.translation));
        let path = |k: usize| {
            let velocity = Interval::point(origin[k]);
            TaylorModel::affine(
                Interval::point(translation[k]) + moved - velocity * window.mid(),
                velocity,
                &window,
            )
        };
        TaylorTransform { rotation, translation: EnclosureVec3([path(0), path(1), path(2)]) }
    }

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
///
/// ```
/// use firsttouch::motion::{Motion, Pose, RigidMotion};
/// use glam::DVec3;
/// let motion = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 8.0)?);
/// assert_eq!(motion.pose_at(0.25).translation, DVec3::X * 2.0);
/// assert_eq!(motion.kind(), "linear");
/// # Ok::<(), firsttouch::Error>(())
/// ```
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
    /// A rotation about an axis in space, by any angle.
    Turn(Turn),
    /// One leg after another.
    Path(Arc<Path>),
    /// A smooth motion through poses.
    Spline(Arc<Spline>),
    /// A motion within a moving frame.
    Within(Arc<Within>),
    /// Quotients of polynomials in time.
    Rational(Box<Rational>),
    /// A custom motion.
    Custom(CustomMotion),
}

impl Motion {
    /// At rest, with the body's frame equal to the world frame.
    pub const AT_REST: Motion = Motion::Fixed(FixedPose::IDENTITY);

    /// Creates a motion at rest at `pose`.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use firsttouch::glam::DVec3;
    /// let there = Motion::fixed(Pose::from_translation(DVec3::X * 3.0)?);
    /// assert_eq!(there.pose_at(0.7).apply(DVec3::Y), DVec3::new(3.0, 1.0, 0.0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
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

    /// Creates a rotation from `from` about the line through `point` along `axis`, by any angle in radians; see
    /// [`Turn`].
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use glam::DVec3;
    /// // Three quarters of a turn about the z axis through (1, 0, 0).
    /// let turn = Motion::turn(Pose::IDENTITY, DVec3::Z, DVec3::X, 1.5 * std::f64::consts::PI)?;
    /// assert!((turn.pose_at(1.0).translation - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn turn(from: Pose, axis: DVec3, point: DVec3, angle: f64) -> Result<Motion> {
        Turn::new(from, axis, point, angle).map(Motion::Turn)
    }

    /// Returns this motion within a moving frame: `self` gives the pose of the body in that frame. See [`Within`].
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use glam::DVec3;
    /// // At (1, 0, 0) on a door that opens by a quarter turn.
    /// let door = Motion::turn(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, std::f64::consts::FRAC_PI_2)?;
    /// let handle = Motion::fixed(Pose::from_translation(DVec3::X)?).within(&door);
    /// assert!((handle.pose_at(1.0).translation - DVec3::Y).length() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    #[must_use]
    pub fn within(&self, frame: &Motion) -> Motion {
        if *frame == Motion::AT_REST {
            return self.clone();
        }
        Motion::Within(Arc::new(Within::new(frame.clone(), self.clone())))
    }

    /// Returns the first time strictly inside `[0, 1]` at which the velocity jumps, if it does.
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
        self.kinks().next()
    }

    /// Returns all times strictly inside `[0, 1]` at which the velocity jumps, in order.
    ///
    /// ```
    /// use firsttouch::motion::{By, Leg, Motion, Path, Pose};
    /// let legs = [1.0, 2.0, 4.0].map(|until| Leg { until, by: By::Linear(Pose::IDENTITY) });
    /// let path = Motion::from(Path::new(Pose::IDENTITY, &legs, 4.0)?);
    /// assert_eq!(path.kinks().collect::<Vec<_>>(), [0.25, 0.5]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn kinks(&self) -> impl Iterator<Item = f64> + '_ {
        jumps(self)
    }

    /// Creates a custom motion. [`RigidMotion`] states its obligations, and
    /// [`check_motion`](crate::testing::check_motion) tests it by sampling. Refuses a motion whose pose at an end is
    /// not finite or not a rotation.
    ///
    /// ```
    /// use firsttouch::glam::{DMat3, DVec3};
    /// use firsttouch::motion::{Motion, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds, Window};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Options, first_touch, testing::check_motion};
    /// use std::sync::Arc;
    ///
    /// /// Thrown upwards at 4 lengths a unit of time, and falling back: z = 4 t - 4 t².
    /// struct Thrown;
    ///
    /// impl RigidMotion for Thrown {
    ///     fn pose_at(&self, t: f64) -> PoseAt {
    ///         PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::Z * (4.0 * t * (1.0 - t)) }
    ///     }
    ///     fn pose_error(&self) -> PoseError {
    ///         // Three roundings of numbers up to 1.
    ///         PoseError { rotation: 0.0, translation: 4.0 * f64::EPSILON }
    ///     }
    ///     fn velocity_bounds(&self, window: Window) -> VelocityBounds {
    ///         let center = Velocity { origin: DVec3::Z * (4.0 - 8.0 * window.mid()), angular: DVec3::ZERO };
    ///         VelocityBounds { center, origin_radius: 8.0 * window.half_width() + 1e-14, angular_radius: 0.0 }
    ///     }
    ///     fn acceleration(&self, _reach: f64, _window: Window) -> f64 {
    ///         8.0
    ///     }
    /// }
    /// assert!(check_motion(&Thrown, 1).is_ok());
    ///
    /// // A ball of radius 0.125 at the height 1 meets one of radius 0.125 at z = 0.75, where t = 1/4.
    /// let ball = Sphere::new(0.125)?.into();
    /// let above = Motion::fixed(firsttouch::motion::Pose::from_translation(DVec3::Z)?);
    /// let thrown = Motion::custom(Arc::new(Thrown))?;
    /// let answer = first_touch((&ball, &thrown), (&ball, &above), &Options::default())?;
    /// let Answer::Touch(touch) = answer else { panic!("they touch") };
    /// assert!(touch.toi <= 0.25 && touch.toi > 0.25 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn custom(motion: Arc<dyn RigidMotion + Send + Sync>) -> Result<Motion> {
        Ok(Motion::Custom(CustomMotion::new(motion)?))
    }

    /// Returns the quaternion and the origin interpolated linearly, the shorter way round; see [`Rational`] for others.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose, RigidMotion};
    /// use firsttouch::glam::{DQuat, DVec3};
    /// // Half way through a quarter turn about z, the axis x points along the diagonal.
    /// let quarter = Pose::new(DVec3::Z * 2.0, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2))?;
    /// let turning = Motion::rational(Pose::IDENTITY, quarter);
    /// let half_way = turning.pose_at(0.5).apply(DVec3::X);
    /// assert!((half_way - DVec3::new(0.5_f64.sqrt(), 0.5_f64.sqrt(), 1.0)).length() < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
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
            Motion::Turn(_) => "turn",
            Motion::Path(_) => "path",
            Motion::Spline(_) => "spline",
            Motion::Within(_) => "within",
            Motion::Rational(_) => "rational",
            Motion::Custom(_) => "custom",
        }
    }
}

impl From<Rational> for Motion {
    fn from(motion: Rational) -> Motion {
        Motion::Rational(Box::new(motion))
    }
}

impl From<Turn> for Motion {
    fn from(motion: Turn) -> Motion {
        Motion::Turn(motion)
    }
}

impl From<Path> for Motion {
    fn from(motion: Path) -> Motion {
        Motion::Path(Arc::new(motion))
    }
}

impl From<Spline> for Motion {
    fn from(motion: Spline) -> Motion {
        Motion::Spline(Arc::new(motion))
    }
}

/// Returns all times strictly inside `[0, 1]` at which the velocity of a motion jumps, in order.
pub(crate) fn jumps<M: RigidMotion + ?Sized>(motion: &M) -> impl Iterator<Item = f64> + '_ {
    let next = |t: f64| motion.jump_after(t).filter(|&jump| t < jump && jump < 1.0);
    std::iter::successors(next(0.0), move |&t| next(t))
}

/// Forwards a method to the inner motion; the result for a body at rest is given in place.
impl Motion {
    /// Returns the translation of the pose at `t`, without computing the rotation where that costs less.
    #[inline]
    pub(crate) fn origin_at(&self, t: f64) -> DVec3 {
        match self {
            Motion::Linear(linear) => linear.origin_at(t),
            _ => self.pose_at(t).translation,
        }
    }
}

macro_rules! forward {
    ($self:ident, fixed $pose:ident => $fixed:expr, $motion:ident => $call:expr) => {
        match $self {
            Motion::Fixed($pose) => $fixed,
            Motion::Linear($motion) => $call,
            Motion::Screw($motion) => $call,
            Motion::ContactScrew($motion) => $call,
            Motion::Turn($motion) => $call,
            Motion::Path($motion) => $call,
            Motion::Spline($motion) => $call,
            Motion::Within($motion) => $call,
            Motion::Rational($motion) => $call,
            Motion::Custom(custom) => {
                let $motion = custom.get();
                $call
            }
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
            fixed _pose => PoseError { rotation: steady_rotation::START_ERROR, translation: 0.0 },
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

    #[inline]
    fn as_linear(&self) -> Option<&Linear> {
        match self {
            Motion::Linear(linear) => Some(linear),
            _ => None,
        }
    }

    fn jump_after(&self, t: f64) -> Option<f64> {
        forward!(self, fixed _pose => None, motion => motion.jump_after(t))
    }

    fn turning_line(&self, window: Window) -> Option<TurningLine> {
        forward!(self, fixed _pose => None, motion => motion.turning_line(window))
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        forward!(self,
            fixed pose => TaylorTransform {
                rotation: steady_rotation::around(&pose.at().rotation, steady_rotation::START_ERROR),
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

    #[inline]
    fn jerk(&self, reach: f64, window: Window) -> f64 {
        forward!(self, fixed _pose => 0.0, motion => motion.jerk(reach, window))
    }
}

#[cfg(test)]
#[path = "hostile_tests.rs"]
pub(crate) mod hostile;

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod tests;
