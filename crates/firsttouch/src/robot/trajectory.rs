//! A robot's trajectory over time: waypoints with times, joined by lines, cubics or splines, or polynomials.
//!
//! Between two knots every variable is one polynomial, so the trajectory is a sequence of segments, each with a
//! [`RobotStep`] over its own time from 0 to 1. On the common clock segment `k` takes the time from knot `k` to knot
//! `k + 1`.

use std::ops::Range;
use std::sync::Arc;

use super::model::Robot;
use super::step::RobotStep;
use crate::error::{Error, Result};
use crate::motion::{JointPiece, JointTrajectory, Pose};

/// The trajectory of a robot over the time from 0 to 1.
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
    /// Its span on the common clock.
    clock: [f64; 2],
}

#[derive(Debug, Clone, PartialEq)]
enum Course {
    /// Waypoints: every joint moves at a constant rate between them, orientations the shorter way.
    Linear(Vec<Vec<f64>>),
    /// One trajectory for each variable, with the same knots. The second field is the first segment that counts.
    Smooth(Vec<JointTrajectory>, usize),
}

impl Trajectory {
    /// Creates the trajectory on which every joint moves at a constant rate from one waypoint to the next. Returns an
    /// error for times that do not increase, and for waypoints that are not configurations of the robot.
    pub fn linear(robot: &Robot, times: &[f64], waypoints: &[Vec<f64>]) -> Result<Trajectory> {
        validate(robot, times, waypoints)?;
        // A joint that does not move has the knots.
        let knots = JointTrajectory::linear(times, &vec![0.0; times.len()])?.knots().to_vec();
        Ok(Trajectory { knots, course: Course::Linear(waypoints.to_vec()), clock: [0.0, 1.0] })
    }

    /// Creates cubics with the given velocities at the waypoints, one for each variable, in the unit of the times. The
    /// orientation of a ball or floating joint must not change.
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

    /// Returns the natural cubic spline of each variable through the waypoints. The orientation of a ball or floating
    /// joint must not change.
    pub fn spline(robot: &Robot, times: &[f64], waypoints: &[Vec<f64>]) -> Result<Trajectory> {
        validate(robot, times, waypoints)?;
        let of = |k: usize| waypoints.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let joints = (0..robot.variables().len()).map(|k| JointTrajectory::spline(times, &of(k)));
        Trajectory::new(robot, joints.collect::<Result<_>>()?)
    }

    /// Creates the trajectory from one trajectory for each variable of the robot, in order, all with the same knots:
    /// for example polynomials of degree up to 7. The orientation of a ball or floating joint must not change.
    pub fn new(robot: &Robot, joints: Vec<JointTrajectory>) -> Result<Trajectory> {
        same_length(joints.len(), robot.variables().len(), "trajectories of joints")?;
        let Some(first) = joints.first() else {
            return Err(Error::Empty { what: "list of trajectories of joints".into() });
        };
        let knots = first.knots().to_vec();
        if joints.iter().any(|joint| joint.knots() != knots) {
            return Err(Error::Unsupported { what: "joints of one trajectory with different times".into() });
        }
        let trajectory = Trajectory { knots, course: Course::Smooth(joints, 0), clock: [0.0, 1.0] };
        for k in 0..trajectory.segments() {
            robot.validate(&trajectory.waypoint(k))?;
        }
        Ok(trajectory)
    }

    /// Returns the trajectory over its own span, from `start` to `end`, of the common clock, which runs from 0 to 1 for
    /// all bodies. Returns an error unless `0 <= start < end <= 1`.
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
        // Every segment must take some time, even after rounding.
        match (0..trajectory.segments()).map(|k| trajectory.span(k)).find(|[start, end]| start >= end) {
            None => Ok(trajectory),
            Some([start, _]) => Err(Error::OutOfRange {
                what: "time of a waypoint".into(),
                expected: "later than the one before, by more than rounding",
                value: start,
            }),
        }
    }

    /// Returns some of the segments as a trajectory of their own, which takes the same time of the clock: knots and
    /// times are the same numbers.
    ///
    /// ```
    /// # use firsttouch::articulated::{Joint, JointKind, Robot, Trajectory};
    /// # use firsttouch::motion::Pose;
    /// # use glam::DVec3;
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "hand".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("hand".into(), vec![])], vec![slide])?;
    /// let way = Trajectory::linear(&robot, &[0.0, 1.0, 4.0], &[vec![0.0], vec![2.0], vec![6.0]])?;
    /// let rest = way.part(1..2)?;
    /// assert_eq!((rest.segments(), rest.span(0)), (1, [0.25, 1.0]));
    /// assert_eq!(rest.waypoint(0), [2.0]);
    /// assert!(way.part(1..3).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn part(&self, segments: Range<usize>) -> Result<Trajectory> {
        if segments.is_empty() || segments.end > self.segments() {
            let what = format!("part of a trajectory of {} segments", self.segments());
            let value = segments.end as f64;
            return Err(Error::OutOfRange { what, expected: "one segment or more of it", value });
        }
        let waypoints = segments.start..segments.end + 1;
        let course = match &self.course {
            Course::Linear(all) => Course::Linear(all[waypoints.clone()].to_vec()),
            Course::Smooth(joints, first) => Course::Smooth(joints.clone(), first + segments.start),
        };
        Ok(Trajectory { knots: self.knots[waypoints].to_vec(), course, clock: self.clock })
    }

    /// Returns the times on the clock at which a segment begins and ends. The next segment begins at its end.
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

    /// Returns the index of the segment that contains a time; at a knot the segment after it, and at the end the last
    /// one.
    pub fn segment_at(&self, t: f64) -> usize {
        self.knots[1..self.segments()].partition_point(|&knot| knot <= t)
    }

    /// Returns the values of all variables at a time, up to rounding: an estimate, not a bound. Orientations of ball
    /// and floating joints are those at the beginning of the segment, unless the time is 1.
    pub fn at(&self, t: f64) -> Vec<f64> {
        match &self.course {
            Course::Smooth(joints, _) => joints.iter().map(|joint| joint.at(t)).collect(),
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
            Course::Smooth(joints, first) => {
                let (k, last) = (first + k, joints.first().map_or(0, |joint| joint.knots().len() - 2));
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
            Course::Smooth(joints, first) => {
                RobotStep::driven(robot.into(), base, pieces(joints, first + segment))
            }
        }
    }

    /// Returns true if every joint moves at a constant rate from one waypoint to the next.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self.course, Course::Linear(_))
    }

    /// Returns the ends of a segment if every joint moves at a constant rate, or else the polynomials of all variables.
    pub(crate) fn segment(&self, segment: usize) -> SegmentCourse<'_> {
        match &self.course {
            Course::Linear(waypoints) => SegmentCourse::Linear(&waypoints[segment], &waypoints[segment + 1]),
            Course::Smooth(joints, first) => SegmentCourse::Smooth(pieces(joints, first + segment)),
        }
    }
}

fn pieces(joints: &[JointTrajectory], segment: usize) -> Vec<JointPiece> {
    joints.iter().map(|joint| joint.piece(segment).clone()).collect()
}

/// The motion of a robot on a segment.
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
