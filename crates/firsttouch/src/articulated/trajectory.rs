//! Whole trajectories of a robot, with everything else on the same clock.
//!
//! A trajectory is checked one segment after another. In each segment the obstacles move as they do in that span of the
//! clock ([`Motion::during`](crate::motion::Motion::during)), so the robot and its obstacles keep the same time all
//! along.

use super::checker::{Checker, StepReport};
use super::outline::Obstacle;
use super::path::{PathReport, Segment, SegmentDone, check_segments};
use crate::ask::Ask;
use crate::body::{Body, BodyKind};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::motion::Motion;
use crate::options::Options;
use crate::robot::{RobotMotion, Trajectory};

impl Checker {
    /// Finds the first touch along a trajectory. Obstacles that move take the same time: they are at their start when
    /// the trajectory begins, and at their end when it ends; see [`Trajectory::on_clock`] for other times. The answer
    /// is in the time of its segment. The `t_max` of the options applies to each segment.
    ///
    /// Returns an error for obstacles that deform, because they cannot be cut in time.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, Trajectory};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Body, Options};
    /// # use glam::DVec3;
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
    /// # let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// // A ball of radius 1 on a rail goes from x = 0 to 4 and waits. Another comes from x = 16 to x = 0: it is at 16 - 16 t.
    /// let other = Body::new("other", Sphere::new(1.0)?, Motion::linear(at(16.0)?, at(0.0)?));
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![other])?;
    /// let there = Trajectory::linear(checker.robot(), &[0.0, 1.0, 2.0], &[vec![0.0], vec![4.0], vec![4.0]])?;
    /// let report = checker.check_trajectory(&there, &Options::default(), |_| ())?;
    /// // They meet at t = 5/8, a quarter of the way through the second segment.
    /// assert_eq!(report.segment, Some(1));
    /// let toi = report.answer.touch().unwrap().toi;
    /// assert!(toi <= 0.25 && toi > 0.25 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check_trajectory<'a>(
        &self,
        trajectory: &Trajectory,
        ask: impl Into<Ask<'a>>,
        progress: impl Fn(SegmentDone<'_>) + Sync + Send,
    ) -> Result<PathReport> {
        let mut reports = self.check_trajectories(std::slice::from_ref(trajectory), ask, progress)?;
        reports.pop().ok_or_else(|| Error::Empty { what: "list of trajectories".into() })
    }

    /// Like [`Checker::check_trajectory`], for several at once; see [`Checker::check_paths`].
    pub fn check_trajectories<'a>(
        &self,
        trajectories: &[Trajectory],
        ask: impl Into<Ask<'a>>,
        progress: impl Fn(SegmentDone<'_>) + Sync + Send,
    ) -> Result<Vec<PathReport>> {
        let (checker, Ask { options, control, .. }) = &self.asked(ask.into(), "a check of a trajectory")?;
        options.validate_reporting_start("a check of a trajectory")?;
        let mut segments = Vec::new();
        for (path, trajectory) in trajectories.iter().enumerate() {
            // All segments are built once before the threads start, so that the reported error does not depend on them.
            for index in 0..trajectory.segments() {
                self.along(trajectory, index)?;
                segments.push(Segment { path, index, course: trajectory });
            }
        }
        let lengths: Vec<usize> = trajectories.iter().map(Trajectory::segments).collect();
        check_segments(&segments, &lengths, options, control, progress, |segment| {
            checker.check_segment(segment.course, segment.index, options, control)
        })
    }

    /// Checks one segment, without the checks of the question that [`Checker::check_trajectory`] makes.
    pub(crate) fn check_segment(
        &self,
        trajectory: &Trajectory,
        segment: usize,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<StepReport> {
        let own = self.on_segment(trajectory, segment)?;
        let checker = own.as_ref().unwrap_or(self);
        let motion = checker.along(trajectory, segment)?;
        Ok(checker.check_motion_of(&motion, options, control.watch()))
    }

    /// Returns the robot on a segment, in the segment's own time.
    pub(super) fn along(&self, trajectory: &Trajectory, segment: usize) -> Result<RobotMotion<'_>> {
        let course = trajectory.segment(segment);
        RobotMotion::along(self.robot(), self.prepared(), self.base(), &course)
    }

    /// Returns the checker with the obstacles as they move during a segment; `None` if none of them moves.
    pub(super) fn on_segment(&self, trajectory: &Trajectory, segment: usize) -> Result<Option<Checker>> {
        let segments = trajectory.segments();
        if segment >= segments {
            let what = format!("segment of a trajectory of {segments}");
            return Err(Error::OutOfRange { what, expected: "less than that", value: segment as f64 });
        }
        let [start, end] = trajectory.span(segment);
        if self.obstacles().all(is_at_rest) || (start == 0.0 && end == 1.0) {
            return Ok(None);
        }
        let mut checker = self.clone();
        for (index, body) in self.obstacles().enumerate().filter(|(_, body)| !is_at_rest(body)) {
            let moved = body.during(start, end)?;
            let mut obstacle = Obstacle::new(moved, self.outline(), self.base());
            obstacle.rule.clone_from(&self.obstacle_data()[index].rule);
            checker.replace_obstacle(index, obstacle);
        }
        Ok(Some(checker))
    }
}

fn is_at_rest(body: &Body) -> bool {
    matches!(body.kind(), BodyKind::Rigid { motion: Motion::Fixed(_), .. })
}
