//! `path`: a sequence of legs: straight, on a screw, by a turn, along a spline, or waiting.
//!
//! **Problem.** A door opens by a quarter turn and then slides. No single formula describes that motion, and two
//! separate queries do not give one answer: the first touch over all pieces.
//!
//! **Method.** The legs are the pieces of a [`Piecewise`] motion, whose header has the bounds over windows that span
//! kinks. A `linear` or `screw` leg begins and ends exactly at the poses given. A `turn` ends where its formula ends,
//! which is not an f64 pose. The next leg begins at the nearest f64 pose, `G`, and the turn is corrected to end there:
//! 1. with the turn's own `(R(s), p(s))`, the exact leg is `(Rot(s v) R(s), p(s) + s g)`, where `v` is the rotation
//!    vector from `R(1)` to the rotation of `G`, and `g` the vector from `p(1)` to its translation;
//! 2. `|v|` and `|g|` are measured: the distance of the two computed poses plus the errors of both, a few units in the
//!    last place of the numbers involved. A rotation of this size is at most 1.01 times the norm of the difference of
//!    the matrices;
//! 3. the pose is off by at most `|v|` and `|g|` more, the velocity of the origin by `|g|`, the angular velocity
//!    `v + Rot(s v) ω` by `|v| (1 + |ω|)`, and the acceleration of a point at the distance `r` by
//!    `|v| (|v| + 2|ω| + |ω|²) r`: with `x = Rot(s v) y` for the arm `y` of the turn,
//!    `x'' = v × (v × x) + 2 v × Rot(s v) y' + Rot(s v) y''`.
//!
//! **Guarantee.** Conservative; one exact motion, continuous in time, through all poses given.

use std::sync::Arc;

use glam::DVec3;

use super::piecewise::{Piecewise, largest_rates, unit_knots};
use super::steady_rotation::START_ERROR;
use super::{
    FixedPose, Linear, Motion, Pose, PoseAt, PoseError, RigidMotion, Screw, Spline, Turn, TurningLine,
    Velocity, VelocityBounds,
};
use crate::error::{Error, Result, positive};
use crate::numerics::rounding::UNIT;
use crate::numerics::{Interval, TaylorModel, TaylorTransform, Window};

/// One leg of a [`Path`]: its end and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// The time at which it ends, in the unit of the path's duration.
    pub until: f64,
    /// The kind of the leg.
    pub by: By,
}

/// The motion of a body on a [`Leg`], from its current pose.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum By {
    /// It waits.
    Hold,
    /// To a pose: straight, turning at a constant rate about its origin, the shorter way.
    Linear(Pose),
    /// To a pose, on one constant-speed screw, the shorter way.
    Screw(Pose),
    /// About an axis in space, by any angle.
    Turn {
        /// The direction of the axis; it need not have unit length.
        axis: DVec3,
        /// A point of the axis.
        point: DVec3,
        /// The angle in radians.
        angle: f64,
    },
    /// Along a spline that begins where the body is. Only the ratios of its times count.
    Spline(Spline),
}

/// A motion in several legs.
///
/// ```
/// use firsttouch::motion::{By, Leg, Path, Pose, RigidMotion, Turn};
/// use glam::DVec3;
/// // A door that opens by 90 degrees about its hinge, slides by 2, and waits.
/// let (axis, point, angle) = (DVec3::Z, DVec3::X, std::f64::consts::FRAC_PI_2);
/// let open = Turn::new(Pose::IDENTITY, axis, point, angle)?.end();
/// let by = By::Turn { axis, point, angle };
/// let aside = Pose::new(open.translation() + 2.0 * DVec3::X, open.rotation())?;
/// let legs =
///     [Leg { until: 1.0, by }, Leg { until: 3.0, by: By::Linear(aside) }, Leg { until: 4.0, by: By::Hold }];
/// let door = Path::new(Pose::IDENTITY, &legs, 4.0)?;
/// assert!((door.pose_at(0.5).translation - DVec3::new(2.0, -1.0, 0.0)).length() < 1e-15); // halfway of the slide
/// assert_eq!(door.kinks().collect::<Vec<_>>(), [0.25, 0.75]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    legs: Piecewise<Joined>,
    end: Pose,
}

impl Path {
    /// Creates the motion that is at `from` at time 0 and follows the legs until the time `duration`, which becomes
    /// time 1. If the last leg ends earlier, the body waits.
    ///
    /// Times are divided by the duration, and the quotients as rounded to f64 are the exact times of the knots. Returns
    /// an error for times that do not increase or exceed the duration, for a duration that is not positive, and for a
    /// spline that begins at another pose.
    pub fn new(from: Pose, legs: &[Leg], duration: f64) -> Result<Path> {
        positive(|| "duration of a path".into(), duration)?;
        let mut times = vec![0.0];
        let (mut at, mut pieces) = (from, Vec::with_capacity(legs.len() + 1));
        for (k, leg) in legs.iter().enumerate() {
            if leg.until > duration {
                let what = format!("end of leg {k} of a path");
                return Err(Error::OutOfRange {
                    what,
                    expected: "no later than the duration",
                    value: leg.until,
                });
            }
            times.push(leg.until);
            let (piece, end) = Joined::new(k, at, &leg.by)?;
            pieces.push(piece);
            at = end;
        }
        if times.last().is_some_and(|&last| last != duration) {
            times.push(duration);
            pieces.push(Joined::exact(Motion::Fixed(at.into())));
        }
        Ok(Path { legs: Piecewise::new(unit_knots(&times)?, pieces, false), end: at })
    }

    /// Returns the pose at the end.
    pub fn end(&self) -> Pose {
        self.end
    }

    /// Returns the times in `(0, 1)` at which one leg ends and the next begins.
    pub fn kinks(&self) -> impl Iterator<Item = f64> + '_ {
        let knots = self.legs.knots();
        knots[1..knots.len() - 1].iter().copied()
    }

    /// Returns the legs: the end of each, its formula, and a bound of the distance of the leg from the formula.
    pub(crate) fn legs(&self) -> impl Iterator<Item = (f64, &Motion, PoseError)> {
        let ends = self.legs.knots()[1..].iter();
        ends.zip(self.legs.pieces()).map(|(&until, leg)| (until, &leg.motion, leg.correction))
    }
}

impl RigidMotion for Path {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.legs.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.legs.pose_error()
    }
    fn velocity_at(&self, t: f64) -> Velocity {
        self.legs.velocity_at(t)
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        self.legs.velocity_bounds(window)
    }
    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        self.legs.speed_along(n, reach, window)
    }
    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        self.legs.acceleration(reach, window)
    }
    fn jump_after(&self, t: f64) -> Option<f64> {
        self.legs.jump_after(t)
    }
    fn turning_line(&self, window: Window) -> Option<TurningLine> {
        self.legs.turning_line(window)
    }
    fn enclosure(&self, window: Window) -> TaylorTransform {
        self.legs.enclosure(window)
    }
}

/// A leg that ends exactly where the next begins.
#[derive(Debug, Clone, PartialEq)]
struct Joined {
    motion: Motion,
    /// `|v|` and `|g|` of the header, in its own time.
    correction: PoseError,
}

impl Joined {
    /// Returns a motion that ends exactly at its last pose.
    fn exact(motion: Motion) -> Joined {
        Joined { motion, correction: PoseError::default() }
    }

    /// Returns leg `k`, and the pose at its end.
    fn new(k: usize, from: Pose, by: &By) -> Result<(Joined, Pose)> {
        match by {
            By::Hold => Ok((Joined::exact(Motion::Fixed(from.into())), from)),
            By::Linear(to) => Ok((Joined::exact(Motion::Linear(Linear::new(from, *to))), *to)),
            By::Screw(to) => Ok((Joined::exact(Motion::Screw(Screw::new(from, *to))), *to)),
            By::Turn { axis, point, angle } => Joined::turn(Turn::new(from, *axis, *point, *angle)?),
            By::Spline(spline) => {
                if spline.start() != from {
                    let apart = (spline.start().translation() - from.translation()).length();
                    return Err(Error::OutOfRange {
                        what: format!("distance of the spline on leg {k} of a path from where the body is"),
                        expected: "zero, and the orientation the same",
                        value: apart,
                    });
                }
                Ok((Joined::exact(Motion::Spline(Arc::new(spline.clone()))), spline.end()))
            }
        }
    }

    fn turn(turn: Turn) -> Result<(Joined, Pose)> {
        let (last, error, end) = (turn.pose_at(1.0), turn.pose_error(), turn.end());
        // The translation is the same f64 vector; the Frobenius norm bounds the spectral norm. The difference has a
        // rounding of each entry, and a few more in the sum and the root.
        let apart = (FixedPose::from(end).at().rotation - last.rotation).to_cols_array();
        let apart = apart.iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 + 16.0 * UNIT) + 4.0 * UNIT;
        let rotation = 1.01 * (apart + error.rotation + START_ERROR);
        if rotation.is_nan() || rotation > 0.1 {
            // Beyond 1e12 turns the angle has no digits left.
            return Err(Error::OutOfRange {
                what: "angle of a turn on a path".into(),
                expected: "smaller: its end is not known",
                value: turn.angle(),
            });
        }
        let correction = PoseError { rotation, translation: error.translation };
        Ok((Joined { motion: Motion::Turn(turn), correction }, end))
    }
}

impl RigidMotion for Joined {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.motion.pose_at(t)
    }

    fn pose_error(&self) -> PoseError {
        let PoseError { rotation, translation } = self.motion.pose_error();
        let up = 1.0 + 4.0 * UNIT;
        PoseError {
            rotation: (rotation + self.correction.rotation) * up,
            translation: (translation + self.correction.translation) * up,
        }
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        self.motion.velocity_at(t)
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let mut bounds = self.motion.velocity_bounds(window);
        if self.correction != PoseError::default() {
            let [_, turning] = largest_rates(&bounds);
            let up = 1.0 + 8.0 * UNIT;
            bounds.origin_radius = (bounds.origin_radius + self.correction.translation) * up;
            bounds.angular_radius = (bounds.angular_radius + self.correction.rotation * (1.0 + turning)) * up;
        }
        bounds
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        let speed = self.motion.speed_along(n, reach, window);
        if self.correction == PoseError::default() {
            return speed;
        }
        let [_, turning] = largest_rates(&self.motion.velocity_bounds(window));
        let correction = self.correction.translation + self.correction.rotation * (1.0 + turning) * reach;
        speed + correction * (1.0 + 16.0 * UNIT) + 4.0 * UNIT * speed.abs()
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        let acceleration = self.motion.acceleration(reach, window);
        if self.correction == PoseError::default() {
            return acceleration;
        }
        let [_, turning] = largest_rates(&self.motion.velocity_bounds(window));
        let correction =
            self.correction.rotation * (self.correction.rotation + 2.0 * turning + turning * turning) * reach;
        (acceleration + correction) * (1.0 + 16.0 * UNIT)
    }

    fn turning_line(&self, window: Window) -> Option<TurningLine> {
        // The leg is the turn and a correction that grows from zero.
        self.motion.turning_line(window).map(|line| TurningLine { strays: self.correction, ..line })
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let mut enclosure = self.motion.enclosure(window);
        if self.correction != PoseError::default() {
            let [rotation, translation] = [self.correction.rotation, self.correction.translation]
                .map(|x| TaylorModel::constant(Interval::symmetric(x)));
            enclosure.rotation.0.iter_mut().flatten().for_each(|entry| *entry = *entry + rotation);
            enclosure.translation.0.iter_mut().for_each(|entry| *entry = *entry + translation);
        }
        enclosure
    }
}
