//! A planned path as a trajectory within limits of velocity, acceleration and jerk, which is itself proven free.
//!
//! **Problem.** A proven path says where a robot goes, and not when. A program that smooths the path for its controller
//! leaves it, and may touch. The trajectory that is executed must be the one that is proven.
//!
//! **Method.**
//! 1. *Speeds* (`speeds`). The robot follows the edges of the path, and cuts each corner by a parabola: a constant
//!    acceleration from a velocity along one edge to a velocity along the next. The parabola is a Bézier curve whose
//!    middle control point is the corner. In between it accelerates along the edge, keeps the largest speed, and
//!    brakes. So all joints are quadratics of time.
//! 2. *Jerk* (`average`). With a limit of jerk, the trajectory is replaced by its average over the last `τ` seconds:
//!    cubics, whose jerk is at most `2 a / τ` where the acceleration was at most `a`. An average keeps limits of
//!    velocity and acceleration, and a straight line.
//! 3. *Rows* (`rows`). The trajectory is the cubic through rows of times, configurations and velocities. Interval
//!    arithmetic bounds velocity, acceleration and jerk of each cubic. If one is above its limit by rounding, all times
//!    are stretched a little.
//! 4. *Proof.* [`Checker`] checks each piece on the clock of the obstacles. The corners of a piece that is not proven
//!    free are cut less: half as far from the waypoint, and after [`MOST_TIGHTENINGS`] the robot stops there. Then all
//!    steps are repeated. With stops at all waypoints the robot stays on the planned path, but for waypoints that are a
//!    millionth of the way apart, which count as one.
//!
//! **Guarantee.** Conservative. The returned trajectory is proven free, by the check that `firsttouch path` makes of
//! the same rows. The cubics through these rows keep the limits in exact arithmetic: step 3 counts all roundings. Steps
//! 1 and 2 only propose.
//!
//! **Departures.** Kunz and Stilman blend by circles, which are not polynomials of time when a robot accelerates on
//! them, and integrate the largest speed numerically. Parabolas have a closed form: if the speeds on both sides of a
//! corner are multiplied by `r`, so are the time of the parabola, and, by `r²`, the parts of the edges that it takes.
//! All conditions on neighbouring corners are linear in `r²`. In each piece, at least one joint has its largest speed
//! or its largest acceleration at all times. On 350 planned paths of a Panda no better timing of the same curves was
//! found (TOPP-RA: 0.5 % longer).
//!
//! References: Kunz, Stilman 2012, "Time-optimal trajectory generation for path following with bounded acceleration and
//! velocity"; Kunz, Stilman 2011, "Turning paths into trajectories using parabolic blends"; Biagiotti, Melchiorri 2012,
//! "FIR filters for online trajectory planning with time- and frequency-domain specifications".

mod average;
mod rows;
mod speeds;

use std::collections::BTreeSet;

use rows::TimedRows;
use speeds::CornerPath;

use super::{Plan, moving};
use crate::answer::Answer;
use crate::articulated::{Checker, Trajectory};
use crate::ask::Ask;
use crate::error::{Error, Result, positive};
use crate::options::{Mode, Options};

/// A corner that is cut less this many times and still touches becomes a stop. The last cut is a thousandth of the
/// first.
const MOST_TIGHTENINGS: usize = 10;

/// A corner whose parabola touches is cut this much less.
const TIGHTER: f64 = 0.5;

/// The limits of a robot's motion: one number per variable of the robot, in its unit and in seconds.
///
/// ```
/// use firsttouch::planning::MotionLimits;
/// // Two joints: at most 2 rad/s, and 5 rad/s².
/// let limits = MotionLimits::new(vec![2.0; 2], vec![5.0; 2]);
/// assert_eq!((limits.jerk, limits.clock), (None, None));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MotionLimits {
    /// The largest speed of each joint.
    pub velocity: Vec<f64>,
    /// The largest acceleration of each joint.
    pub acceleration: Vec<f64>,
    /// The largest change of the acceleration of each joint in a second. The acceleration jumps if there is none.
    pub jerk: Option<Vec<f64>>,
    /// The seconds in which obstacles that move go from their start to their end. The robot starts when they do. It is
    /// needed only if an obstacle moves.
    pub clock: Option<f64>,
}

impl MotionLimits {
    /// Limits of velocity and acceleration.
    pub fn new(velocity: Vec<f64>, acceleration: Vec<f64>) -> MotionLimits {
        MotionLimits { velocity, acceleration, jerk: None, clock: None }
    }

    fn validate(&self, variables: usize) -> Result<()> {
        let lists = [("velocity", Some(&self.velocity)), ("acceleration", Some(&self.acceleration))];
        for (what, list) in lists.into_iter().chain([("jerk", self.jerk.as_ref())]) {
            let Some(list) = list else { continue };
            if list.len() != variables {
                let (what, value) = (format!("number of limits of {what}"), list.len() as f64);
                return Err(Error::OutOfRange { what, expected: "one per variable of the robot", value });
            }
            list.iter().enumerate().try_for_each(|(k, &limit)| {
                positive(|| format!("limit of {what} of variable {k}"), limit).map(|_| ())
            })?;
        }
        self.clock.map_or(Ok(()), |clock| positive(|| "clock of the obstacles".into(), clock).map(|_| ()))
    }
}

/// A path in time, proven free: cubics through rows of times, configurations and velocities.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TimedPlan {
    /// The times in seconds, from 0 on.
    pub times: Vec<f64>,
    /// The configuration at each time.
    pub waypoints: Vec<Vec<f64>>,
    /// The velocity of each variable at each time, per second. It is zero at both ends.
    pub velocities: Vec<Vec<f64>>,
    /// The trajectory that is proven: [`Trajectory::cubic`] of these rows, on the clock of the obstacles.
    pub trajectory: Trajectory,
    /// The number of waypoints of the path at which the robot stops on its way.
    pub stops: usize,
    /// The number of pieces that were checked, those of trajectories that are not returned included.
    pub checks: usize,
}

impl TimedPlan {
    /// Returns the seconds that the robot takes.
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }
}

/// The result of [`Plan::timed`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TimedOutcome {
    /// The trajectory is proven free.
    Proven(TimedPlan),
    /// No trajectory is proven free, not even one that stops where the last one touched. So it is where an obstacle
    /// that moves comes in the way.
    NotProven {
        /// The answer for the piece that is not proven free, in its own time from 0 to 1.
        answer: Answer,
        /// The seconds from the start at which it touches, or up to which it is proven free.
        time: f64,
        /// True if the proof was interrupted.
        is_interrupted: bool,
    },
}

impl Plan {
    /// Returns the path as a trajectory within limits, proven free as a whole; see [`timed`].
    pub fn timed<'a>(
        &self,
        checker: &Checker,
        limits: &MotionLimits,
        ask: impl Into<Ask<'a>>,
    ) -> Result<TimedOutcome> {
        timed(checker, &self.waypoints, limits, ask)
    }
}

/// Returns the trajectory along a path through waypoints, at rest at both ends, in nearly the least time that the
/// limits allow. It cuts the corners of the path, and the trajectory itself is proven free, so the path need not be.
///
/// Obstacles may move: see [`MotionLimits::clock`]. The mode and `t_max` of the options are not used.
///
/// ```
/// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::Pose;
/// use firsttouch::planning::{MotionLimits, TimedOutcome, timed};
/// use firsttouch::shape::Sphere;
/// use firsttouch::Options;
/// use glam::DVec3;
/// // A ball that slides along x. With at most 1 m/s and 1 m/s², 3 m take a second to accelerate, 2 seconds, and a
/// // second to brake.
/// let slide = Joint {
///     name: "slide".into(),
///     parent: "rail".into(),
///     child: "ball".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: Some([-10.0, 10.0]),
///     mimic: None,
/// };
/// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
/// let checker = Checker::new(robot, Pose::IDENTITY, vec![])?;
/// let limits = MotionLimits::new(vec![1.0], vec![1.0]);
/// let outcome = timed(&checker, &[vec![0.0], vec![3.0]], &limits, &Options::default())?;
/// let TimedOutcome::Proven(timed) = outcome else { panic!("there is no obstacle") };
/// assert_eq!(timed.times.len(), 4);
/// assert!(timed.duration() >= 4.0 && timed.duration() < 4.0 + 1e-6);
/// assert_eq!((timed.trajectory.at(0.0), timed.trajectory.at(1.0)), (vec![0.0], vec![3.0]));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn timed<'a>(
    checker: &Checker,
    waypoints: &[Vec<f64>],
    limits: &MotionLimits,
    ask: impl Into<Ask<'a>>,
) -> Result<TimedOutcome> {
    let (checker, Ask { options, control, .. }) = &checker.asked(ask.into(), "a trajectory within limits")?;
    let options = &Options { mode: Mode::First, t_max: 1.0, ..*options };
    options.validate_reporting_start("a trajectory within limits")?;
    limits.validate(checker.robot().variables().len())?;
    waypoints.iter().try_for_each(|waypoint| checker.robot().validate(waypoint))?;
    let is_moving = moving(checker).is_some();
    if let (Some(body), None) = (moving(checker), limits.clock) {
        let what = format!("limits without a clock among obstacles that move, here \"{}\"", body.name());
        return Err(Error::Unsupported { what });
    }
    let edges = CornerPath::new(waypoints, limits)?;
    let mut tightenings = vec![0; edges.corners()];
    let mut shares = vec![0.5; edges.corners()];
    let mut checks = 0;
    let mut touch = None;
    loop {
        let rows = edges.rows(&shares, limits)?;
        let clock = limits.clock.filter(|_| is_moving);
        let trajectory = match (on_clock(rows.trajectory(checker.robot())?, rows.duration(), clock), touch) {
            (Ok(trajectory), _) => trajectory,
            // There was time for a trajectory, which touches, but not for a tighter one.
            (Err(_), Some((answer, time))) => {
                return Ok(TimedOutcome::NotProven { answer, time, is_interrupted: false });
            }
            (Err(error), None) => return Err(error),
        };
        // Among obstacles that move, a piece is at another time in a trajectory that is tighter before it. So pieces
        // are checked in order, up to the first that touches. Otherwise all corners come first: they are the likely
        // ones to touch.
        let is_corner = |piece: &usize| !is_moving && !rows.corners_in(*piece).is_empty();
        let (cut, others): (Vec<usize>, Vec<usize>) = (0..rows.pieces()).partition(is_corner);
        let mut refused: Vec<(usize, Answer)> = Vec::new();
        for (pieces, is_one_enough) in [(cut, false), (others, true)] {
            for piece in pieces {
                if !refused.is_empty() && is_one_enough {
                    break;
                }
                let answer = if control.is_interrupted() {
                    Answer::Undecided { free_until: 0.0, bodies: [0, 0] }
                } else {
                    checks += 1;
                    checker.check_segment(&trajectory, piece, options, control)?.answer
                };
                if answer != Answer::Free {
                    refused.push((piece, answer));
                }
            }
        }
        let Some((first, answer)) = refused.first().cloned() else {
            let stops = rows.stops();
            let TimedRows { times, waypoints, velocities, .. } = rows;
            return Ok(TimedOutcome::Proven(TimedPlan {
                times,
                waypoints,
                velocities,
                trajectory,
                stops,
                checks,
            }));
        };
        let near = refused.iter().flat_map(|&(piece, _)| rows.corners_near(piece));
        let corners: BTreeSet<usize> = near.filter(|&corner| shares[corner] > 0.0).collect();
        let (time, is_interrupted) = (rows.time_in(first, answer.free_until(1.0)), control.is_interrupted());
        if corners.is_empty() || is_interrupted {
            return Ok(TimedOutcome::NotProven { answer, time, is_interrupted });
        }
        for corner in corners {
            tightenings[corner] += 1;
            let is_stop = tightenings[corner] > MOST_TIGHTENINGS;
            shares[corner] = if is_stop { 0.0 } else { TIGHTER * rows.share(corner) };
        }
        touch = Some((answer, time));
    }
}

/// The trajectory on the clock of the obstacles, from its beginning on.
fn on_clock(trajectory: Trajectory, duration: f64, clock: Option<f64>) -> Result<Trajectory> {
    match clock {
        None => Ok(trajectory),
        Some(clock) if duration <= clock => trajectory.on_clock(0.0, duration / clock),
        Some(_) => Err(Error::OutOfRange {
            what: "duration of a trajectory".into(),
            expected: "at most that of the obstacles' motion",
            value: duration,
        }),
    }
}
