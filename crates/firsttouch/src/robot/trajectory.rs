//! A robot's way over time: waypoints with times, joined by lines, cubics or splines, or polynomials.
//!
//! Between two knots every variable is one polynomial, so the way is a row of segments, each with a [`RobotStep`] over its own time from 0
//! to 1. On the common clock segment `k` takes the time from knot `k` to knot `k + 1`.

use std::sync::Arc;

use super::model::Robot;
use super::step::RobotStep;
use crate::error::{Error, Result};
use crate::motion::{JointPiece, JointTrajectory, Pose};

/// A way of a robot over the time from 0 to 1.
///
/// ```
/// use firsttouch::articulated::{Joint, JointKind, Robot, Trajectory};
/// use firsttouch::motion::Pose;
/// use glam::DVec3;
/// # let joint = Joint {
/// #     name: "shoulder".into(),
/// #     parent: "base".into(),
/// #     child: "arm".into(),
/// #     origin: Pose::IDENTITY,
/// #     kind: JointKind::Revolute { axis: DVec3::Z },
/// #     limits: None,
/// #     mimic: None,
/// # };
/// # let robot = Robot::new("crane", vec![("base".into(), vec![]), ("arm".into(), vec![])], vec![joint])?;
/// // A robot with one joint, from 0 to 1 and back; the way out takes a quarter of the time.
/// let waypoints = [vec![0.0], vec![1.0], vec![0.0]];
/// let spline = Trajectory::spline(&robot, &[0.0, 1.0, 4.0], &waypoints)?;
/// assert_eq!(spline.knots(), [0.0, 0.25, 1.0]);
/// assert_eq!(spline.at(0.25), [1.0]);
/// // It overshoots: at the waypoint it still goes up.
/// assert!(spline.at(0.3)[0] > 1.0);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    knots: Vec<f64>,
    course: Course,
    /// The span of the common clock that it takes.
    clock: [f64; 2],
}

#[derive(Debug, Clone, PartialEq)]
enum Course {
    /// Every joint at a constant rate between waypoints; orientations the shorter way.
    Linear(Vec<Vec<f64>>),
    /// One trajectory for each variable, with the same knots.
    Smooth(Vec<JointTrajectory>),
}

impl Trajectory {
    /// Every joint moves at a constant rate from one waypoint to the next. Returns an error for times that do not increase, and for waypoints
    /// that are no configurations of the robot.
    pub fn linear(robot: &Robot, times: &[f64], waypoints: &[Vec<f64>]) -> Result<Trajectory> {
        validate(robot, times, waypoints)?;
        // A joint that does not move knows the knots.
        let knots = JointTrajectory::linear(times, &vec![0.0; times.len()])?.knots().to_vec();
        Ok(Trajectory { knots, course: Course::Linear(waypoints.to_vec()), clock: [0.0, 1.0] })
    }

    /// Cubics with the velocities given at the waypoints, one for each variable, in the unit of the times. The orientation of a ball or
    /// floating joint must not change.
    pub fn cubic(
        robot: &Robot,
        times: &[f64],
        waypoints: &[Vec<f64>],
        velocities: &[Vec<f64>],
    ) -> Result<Trajectory> {
        validate(robot, times, waypoints)?;
        same_length(velocities.len(), times.len(), "lists of velocities")?;
        for list in velocities {
            same_length(list.len(), robot.variables().len(), "velocities of a waypoint")?;
        }
        let of = |rows: &[Vec<f64>], k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let joints = (0..robot.variables().len())
            .map(|k| JointTrajectory::cubic(times, &of(waypoints, k), &of(velocities, k)));
        Trajectory::new(robot, joints.collect::<Result<_>>()?)
    }

    /// The natural cubic spline of each variable through the waypoints. The orientation of a ball or floating joint must not change.
    pub fn spline(robot: &Robot, times: &[f64], waypoints: &[Vec<f64>]) -> Result<Trajectory> {
        validate(robot, times, waypoints)?;
        let of = |k: usize| waypoints.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let joints = (0..robot.variables().len()).map(|k| JointTrajectory::spline(times, &of(k)));
        Trajectory::new(robot, joints.collect::<Result<_>>()?)
    }

    /// One trajectory for each variable of the robot, in order, all with the same knots: for example polynomials of degree up to 7. The
    /// orientation of a ball or floating joint must not change.
    pub fn new(robot: &Robot, joints: Vec<JointTrajectory>) -> Result<Trajectory> {
        same_length(joints.len(), robot.variables().len(), "trajectories of joints")?;
        let Some(first) = joints.first() else {
            return Err(Error::Empty { what: "list of trajectories of joints".into() });
        };
        let knots = first.knots().to_vec();
        if joints.iter().any(|joint| joint.knots() != knots) {
            return Err(Error::Unsupported { what: "joints of one trajectory with different times".into() });
        }
        let trajectory = Trajectory { knots, course: Course::Smooth(joints), clock: [0.0, 1.0] };
        for k in 0..trajectory.segments() {
            robot.validate(&trajectory.waypoint(k))?;
        }
        Ok(trajectory)
    }

    /// Returns the trajectory, taking only the time from `start` to `end` of a clock that runs from 0 to 1 for everything else that moves.
    /// Returns an error unless `0 <= start < end <= 1`.
    pub fn on_clock(self, start: f64, end: f64) -> Result<Trajectory> {
        if !(0.0 <= start && start < end && end <= 1.0) {
            let what = format!("span of a trajectory from {start}");
            return Err(Error::OutOfRange {
                what,
                expected: "from 0 to 1, with its end after its start",
                value: end,
            });
        }
        let clock = [start, end];
        let trajectory = Trajectory { clock, ..self };
        // After rounding, too, every segment takes some time.
        match (0..trajectory.segments()).map(|k| trajectory.span(k)).find(|[start, end]| start >= end) {
            None => Ok(trajectory),
            Some([start, _]) => Err(Error::OutOfRange {
                what: "time of a waypoint".into(),
                expected: "later than the one before, by more than rounding",
                value: start,
            }),
        }
    }

    /// Returns the time on the clock at which a segment begins, and that at which it ends: where the next one begins.
    pub fn span(&self, segment: usize) -> [f64; 2] {
        let [start, end] = self.clock;
        [segment, segment + 1].map(|k| match self.knots[k] {
            knot if knot >= 1.0 => end,
            knot => {
                let t = start + (end - start) * knot;
                if t < end { t } else { end }
            }
        })
    }

    /// Returns the times of the waypoints: from 0 to 1, increasing.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Returns the number of segments.
    pub fn segments(&self) -> usize {
        self.knots.len() - 1
    }

    /// Returns the segment in which a time is; at a knot the one after it, and the last one at the end.
    pub fn segment_at(&self, t: f64) -> usize {
        self.knots[1..self.segments()].partition_point(|&knot| knot <= t)
    }

    /// Returns the values of all variables at a time, up to rounding: a value to look at, not a bound. Orientations of ball and floating
    /// joints are those at the beginning of the segment, unless the time is 1.
    pub fn at(&self, t: f64) -> Vec<f64> {
        match &self.course {
            Course::Smooth(joints) => joints.iter().map(|joint| joint.at(t)).collect(),
            Course::Linear(waypoints) => {
                let k = self.segment_at(t);
                let s = ((t - self.knots[k]) / (self.knots[k + 1] - self.knots[k])).clamp(0.0, 1.0);
                waypoints[k].iter().zip(&waypoints[k + 1]).map(|(from, to)| from + (to - from) * s).collect()
            }
        }
    }

    /// Returns a waypoint, up to rounding.
    pub fn waypoint(&self, k: usize) -> Vec<f64> {
        match &self.course {
            Course::Linear(waypoints) => waypoints[k].clone(),
            Course::Smooth(joints) => {
                let last = self.segments() - 1;
                let (piece, s) = if k > last { (last, 1.0) } else { (k, 0.0) };
                joints.iter().map(|joint| joint.piece(piece).at(s)).collect()
            }
        }
    }

    /// Returns a segment as a step of the robot, over its own time from 0 to 1.
    pub fn step(&self, robot: impl Into<Arc<Robot>>, base: Pose, segment: usize) -> Result<RobotStep> {
        match &self.course {
            Course::Linear(waypoints) => {
                RobotStep::new(robot, base, waypoints[segment].clone(), waypoints[segment + 1].clone())
            }
            Course::Smooth(joints) => RobotStep::driven(robot.into(), base, self.pieces(joints, segment)),
        }
    }

    /// Whether every joint moves at a constant rate from one waypoint to the next.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self.course, Course::Linear(_))
    }

    /// The ends of a segment if every joint moves at a constant rate, or else the polynomials of all variables.
    pub(crate) fn segment(&self, segment: usize) -> SegmentCourse<'_> {
        match &self.course {
            Course::Linear(waypoints) => SegmentCourse::Linear(&waypoints[segment], &waypoints[segment + 1]),
            Course::Smooth(joints) => SegmentCourse::Smooth(self.pieces(joints, segment)),
        }
    }

    fn pieces(&self, joints: &[JointTrajectory], segment: usize) -> Vec<JointPiece> {
        joints.iter().map(|joint| joint.piece(segment).clone()).collect()
    }
}

/// How a robot moves on a segment.
pub(crate) enum SegmentCourse<'a> {
    Linear(&'a [f64], &'a [f64]),
    Smooth(Vec<JointPiece>),
}

fn validate(robot: &Robot, times: &[f64], waypoints: &[Vec<f64>]) -> Result<()> {
    same_length(waypoints.len(), times.len(), "waypoints")?;
    waypoints.iter().try_for_each(|waypoint| robot.validate(waypoint))
}

fn same_length(found: usize, wanted: usize, what: &str) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let what = format!("number of {what} of a trajectory");
    Err(Error::OutOfRange { what, expected: "one per time, or one per variable", value: found as f64 })
}
