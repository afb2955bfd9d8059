//! A robot on a whole trajectory, as a body of a scene.
//!
//! A segment of the path is a [`RobotStep`]. A part of a segment is a step whose variables are the same polynomials,
//! restricted to that part. So several robots with waypoints at different times share one clock. Before its trajectory
//! begins and after it ends, the robot rests.

use std::sync::Arc;

use super::model::{LinkPart, Robot};
use super::step::RobotStep;
use super::trajectory::Trajectory;
use crate::error::{Error, Result};
use crate::motion::Pose;

/// A robot with its base at rest that follows a [`Trajectory`].
///
/// ```
/// use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotPath, Trajectory};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Options, Scene};
/// use glam::DVec3;
/// # let slide = Joint {
/// #     name: "slide".into(),
/// #     parent: "rail".into(),
/// #     child: "ball".into(),
/// #     origin: Pose::IDENTITY,
/// #     kind: JointKind::Prismatic { axis: DVec3::X },
/// #     limits: None,
/// #     mimic: None,
/// # };
/// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
/// // A ball of radius 1 on a rail moves from x = 0 to 4 in half the time and waits. Another ball approaches: it is at
/// // 16 - 16 t.
/// let there = Trajectory::linear(&robot, &[0.0, 1.0, 2.0], &[vec![0.0], vec![4.0], vec![4.0]])?;
/// let mut scene = Scene::default();
/// scene.add(Body::robot_along("slider", RobotPath::new(robot, Pose::IDENTITY, there)?))?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// scene.add(Body::new("other", Sphere::new(1.0)?, Motion::linear(at(16.0)?, at(0.0)?)))?;
/// // They meet at t = 5/8, with the other ball at x = 6.
/// let toi = scene.check(&Options::default())?.answer.touch().unwrap().toi;
/// assert!(toi <= 0.625 && toi > 0.625 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RobotPath {
    robot: Arc<Robot>,
    base: Pose,
    trajectory: Trajectory,
    is_adaptive: bool,
}

impl RobotPath {
    /// Creates the path. Returns an error for a trajectory that does not belong to this robot.
    pub fn new(robot: impl Into<Arc<Robot>>, base: Pose, trajectory: Trajectory) -> Result<RobotPath> {
        let path = RobotPath { robot: robot.into(), base, trajectory, is_adaptive: false };
        (0..path.trajectory.segments()).try_for_each(|segment| path.step(segment).map(drop))?;
        Ok(path)
    }

    /// Returns the path for a check that reuses the proofs of earlier segments:
    /// [`Simulated`](crate::adaptive::Simulated) follows the robot from waypoint to waypoint. The answers are the same
    /// within the tolerance; a long robot with few joints moving at a time takes less time. Returns an error for a
    /// trajectory on which joints do not move at constant rates.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot, RobotPath, Trajectory};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options, Scene, glam::DVec3};
    /// # let slide = Joint {
    /// #     name: "slide".into(),
    /// #     parent: "rail".into(),
    /// #     child: "ball".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis: DVec3::X },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("ball".into(), vec![ball])], vec![slide])?;
    /// // A ball of radius 1 on a rail goes from x = 0 to 4 and on to 8. Another rests at x = 8: they touch at x = 6.
    /// let there = Trajectory::linear(&robot, &[0.0, 1.0, 2.0], &[vec![0.0], vec![4.0], vec![8.0]])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot_along("slider", RobotPath::new(robot, Pose::IDENTITY, there)?.adaptive()?))?;
    /// let post = Motion::fixed(Pose::from_translation(DVec3::X * 8.0)?);
    /// scene.add(Body::new("post", Sphere::new(1.0)?, post))?;
    /// let toi = scene.check(&Options::default())?.answer.touch().unwrap().toi;
    /// assert!(toi <= 0.75 && toi > 0.75 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn adaptive(self) -> Result<RobotPath> {
        if !self.trajectory.is_linear() {
            let what = "an adaptive check of a smooth trajectory: interpolate linearly".into();
            return Err(Error::Unsupported { what });
        }
        Ok(RobotPath { is_adaptive: true, ..self })
    }

    /// Returns true if [`RobotPath::adaptive`] was called.
    pub fn is_adaptive(&self) -> bool {
        self.is_adaptive
    }

    /// Returns the robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Returns the pose of its base.
    pub fn base(&self) -> Pose {
        self.base
    }

    /// Returns the trajectory.
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    /// Returns a segment as a step, over its own time from 0 to 1.
    pub fn step(&self, segment: usize) -> Result<RobotStep> {
        self.trajectory.step(Arc::clone(&self.robot), self.base, segment)
    }

    /// Returns the segment at a time of the clock, and the time within the segment, up to rounding. Before the
    /// trajectory begins, it is the start of the first segment; after it ends, the end of the last.
    pub fn segment_at(&self, t: f64) -> (usize, f64) {
        let last = self.trajectory.segments() - 1;
        let segment = (0..last).find(|&k| t < self.trajectory.span(k)[1]).unwrap_or(last);
        let [start, end] = self.trajectory.span(segment);
        (segment, ((t - start) / (end - start)).clamp(0.0, 1.0))
    }

    /// Returns the times of the clock at which a segment begins or ends, increasing.
    pub(crate) fn times(&self) -> impl Iterator<Item = f64> {
        let ends = (0..self.trajectory.segments()).map(|segment| self.trajectory.span(segment)[1]);
        std::iter::once(self.trajectory.span(0)[0]).chain(ends)
    }

    /// Returns the robot during a span of the clock that has none of [`RobotPath::times`] inside, over the time from 0
    /// to 1.
    pub(crate) fn during(&self, start: f64, end: f64) -> Result<RobotStep> {
        let last = self.trajectory.segments() - 1;
        if end <= self.trajectory.span(0)[0] {
            return self.step(0)?.resting_at(0.0);
        }
        if start >= self.trajectory.span(last)[1] {
            return self.step(last)?.resting_at(1.0);
        }
        let at = |segment: &usize| self.trajectory.span(*segment)[1] > start;
        let segment = (0..last).find(at).unwrap_or(last);
        self.step(segment)?.during(self.trajectory.span(segment), [start, end])
    }

    /// Attaches a shape to a link; see [`Robot::hold`].
    pub(crate) fn hold(
        &mut self,
        link: &str,
        name: &str,
        part: LinkPart,
        touch_links: &[&str],
    ) -> Result<usize> {
        Arc::make_mut(&mut self.robot).hold(link, name, part, touch_links)
    }
}
