//! The questions of a checker besides the check: on one motion, along a path or a trajectory, or in one configuration.

use std::sync::Arc;

use super::checker::Checker;
use super::outline::Candidate;
use super::pairs::CheckerPairs;
use super::path::{PathReport, segment, segments_of};
use super::world::CheckerWorld;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::body::{Body, BodyKind};
use crate::clearance::{Clearance, PathClearance, Question};
use crate::control::Control;
use crate::ellipsoid::Overlap;
use crate::error::{Error, Result};
use crate::gradient::{CourseGradient, Gradient, MotionGradient, StepGradient};
use crate::manifold::ContactPoint;
use crate::numerics::bound::lower_min;
use crate::options::{Mode, Options};
use crate::questions::{
    GoalChange, Least, Margin, Nearest, SafeScale, World, clearance_gradient, contacts, least,
    max_safe_scale, overlaps, toi_gradient, valid_instant,
};
use crate::robot::{RobotMotion, RobotStep, Trajectory};
use crate::world::padded;

impl Checker {
    /// Returns the least distance along a path through waypoints, proven from both sides to the tolerance. Every joint
    /// moves at a constant rate from one waypoint to the next; at a single waypoint the robot rests. Returns `None` if
    /// nothing is checked, and an error for a path without waypoints. Links connected by a joint, and pairs that are
    /// allowed to touch, do not count. Body 0 is the robot, body `1 + k` obstacle `k`. The `t_max` of the options
    /// applies to each segment.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
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
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let found = checker.clearance(&[vec![0.0], vec![4.0], vec![6.0], vec![2.0]], &Options::default())?;
    /// let found = found.expect("there is a post");
    /// // The distance is least at x = 6, at the end of the second segment.
    /// assert!(found.clearance.lower <= 2.0 && found.clearance.upper >= 2.0 && found.clearance.is_tight);
    /// assert_eq!((found.segment, found.clearance.t), (1, 1.0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance<'a>(
        &self,
        waypoints: &[Vec<f64>],
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<PathClearance>> {
        let (checker, ask) = &self.asked(ask.into(), "a least distance of a path")?;
        waypoints.iter().try_for_each(|waypoint| self.robot().validate(waypoint))?;
        let segments = segments_of(waypoints.len())?;
        least_of_segments(segments, ask, |index, question| {
            let [from, to] = segment(waypoints, index);
            Ok(least(&checker.pairs_of(checker.motion(from, to)?), question))
        })
    }

    /// Like [`Checker::clearance`], along a trajectory. Obstacles that move are on the same clock; see
    /// [`Checker::check_trajectory`].
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
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10. The ball goes to 4 and back, by cubics that rest at all ends.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let there = [vec![0.0], vec![4.0], vec![0.0]];
    /// let rest = vec![vec![0.0]; 3];
    /// let way = Trajectory::cubic(checker.robot(), &[0.0, 1.0, 2.0], &there, &rest)?;
    /// let found = checker.clearance_along(&way, &Options::default())?.expect("there is a post").clearance;
    /// assert!(found.lower <= 4.0 && found.upper >= 4.0 && found.is_tight);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn clearance_along<'a>(
        &self,
        trajectory: &Trajectory,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<PathClearance>> {
        let (checker, ask) = &self.asked(ask.into(), "a least distance of a path")?;
        least_of_segments(trajectory.segments(), ask, |segment, question| {
            let own = checker.on_segment(trajectory, segment)?;
            let checker = own.as_ref().unwrap_or(checker);
            Ok(least(&checker.pairs_of(checker.along(trajectory, segment)?), question))
        })
    }

    /// Returns all contacts at the time `t` within a segment of a trajectory; see [`Checker::contacts`].
    pub fn contacts_along<'a>(
        &self,
        trajectory: &Trajectory,
        segment: usize,
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<ContactPoint>> {
        let (checker, ask) = &self.asked(ask.into(), "contacts of a robot")?;
        let own = checker.on_segment(trajectory, segment)?;
        let checker = own.as_ref().unwrap_or(checker);
        checker.contacts_of(checker.along(trajectory, segment)?, t, ask)
    }

    /// Returns the least distance at the time `t` within a segment of a trajectory; see [`Checker::distance`].
    pub fn distance_along<'a>(
        &self,
        trajectory: &Trajectory,
        segment: usize,
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<Clearance>> {
        let (checker, ask) = &self.asked(ask.into(), "a distance")?;
        let own = checker.on_segment(trajectory, segment)?;
        let checker = own.as_ref().unwrap_or(checker);
        checker.distance_of(checker.along(trajectory, segment)?, t, ask)
    }

    /// Returns the least distance in one configuration, as exact as rounding allows. Obstacles that move are taken at
    /// time 0.
    pub fn distance<'a>(&self, configuration: &[f64], ask: impl Into<Ask<'a>>) -> Result<Option<Clearance>> {
        self.distance_at(configuration, configuration, 0.0, ask)
    }

    /// Returns the least distance at the time `t` on the way from one configuration to another, as exact as rounding
    /// allows.
    pub fn distance_at<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<Clearance>> {
        let (checker, ask) = &self.asked(ask.into(), "a distance")?;
        checker.distance_of(checker.motion(from, to)?, t, ask)
    }

    fn distance_of(&self, motion: RobotMotion<'_>, t: f64, ask: &Ask<'_>) -> Result<Option<Clearance>> {
        ask.options.validate()?;
        valid_instant(t)?;
        let exact = Question { span: [t, t], tolerance: f64::MIN_POSITIVE, ..Question::new(&ask.options) };
        let question = Question { watch: ask.control.watch(), ..exact };
        let found = least(&self.pairs_of(motion), &question);
        Ok(found.clearance(ask.options.tolerance))
    }

    /// Returns all contacts at the time `t` on the way from one configuration to another, within
    /// `min_separation + tolerance` and the padding; see [`Scene::contacts`](crate::Scene::contacts). Body 0 is the
    /// robot, body `1 + k` obstacle `k`.
    pub fn contacts<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        t: f64,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<ContactPoint>> {
        let (checker, ask) = &self.asked(ask.into(), "contacts of a robot")?;
        checker.contacts_of(checker.motion(from, to)?, t, ask)
    }

    fn contacts_of(&self, motion: RobotMotion<'_>, t: f64, ask: &Ask<'_>) -> Result<Vec<ContactPoint>> {
        ask.options.validate()?;
        valid_instant(t)?;
        Ok(contacts(&self.pairs_of(motion), t, &ask.options, &ask.control))
    }

    /// Returns all times at which the robot touches an obstacle on the way from one configuration to another, or itself
    /// for `None`, in order; see [`Scene::overlaps`](crate::Scene::overlaps).
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
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
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x goes from x = 0 to x = 20, and touches a post of radius 1 at x = 10 from x = 8 to x = 12.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let found = checker.overlaps(&[0.0], &[20.0], Some(0), &Options::default())?;
    /// assert_eq!(found.len(), 1);
    /// assert!(found[0].start[0] <= 0.4 && found[0].start[1] < 0.4 + 1e-6);
    /// assert!(found[0].end[1] >= 0.6 && found[0].end[0] > 0.6 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn overlaps<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        obstacle: Option<usize>,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<Overlap>> {
        let (checker, Ask { options, control, .. }) = &self.asked(ask.into(), "overlaps of a robot")?;
        options.validate()?;
        let other = obstacle.map(|obstacle| self.body_of(obstacle)).transpose()?.unwrap_or(0);
        Ok(overlaps(&checker.pairs_of(checker.motion(from, to)?), [0, other], options, control))
    }

    /// Returns how the time of the first touch between two configurations changes with both; `None` if the step is free
    /// or undecided. See [`Scene::toi_gradient`](crate::Scene::toi_gradient).
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
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
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x touches a post of radius 1 at x = 10 when it is at x = 8: (1 - t) from + t to = 8.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let found = checker.toi_gradient(&[0.0], &[16.0], &Options::default())?.expect("they touch");
    /// // At t = 1/2 both ends count for half, over a speed of 16.
    /// assert!((found.from[0] + 0.5 / 16.0).abs() < 1e-7 && (found.to[0] + 0.5 / 16.0).abs() < 1e-7);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn toi_gradient<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<StepGradient>> {
        let (checker, ask) = &self.asked(ask.into(), "the derivative of a touch")?;
        let ask = ask.with(Options { mode: Mode::First, ..ask.options });
        let answer = checker.check_step(from, to, ask)?.answer;
        let (Answer::Touch(touch) | Answer::TouchingAtStart(touch)) = answer else { return Ok(None) };
        let world = checker.world_of(from, to)?;
        let gradient = toi_gradient(&world, &touch, &ask.options, &ask.control)?;
        let [MotionGradient::Joints { from, to }, _] = gradient.bodies else { return Ok(None) };
        Ok(Some(StepGradient { toi: touch.toi, from, to, degenerate: gradient.degenerate }))
    }

    /// Returns how the least distance between two configurations changes with both. The clearance must be that of this
    /// step.
    pub fn clearance_gradient(&self, from: &[f64], to: &[f64], clearance: &Clearance) -> Result<Gradient> {
        Ok(clearance_gradient(&self.world_of(from, to)?, clearance, &Control::default()))
    }

    /// Finds the first touch along a trajectory, as [`Checker::check_trajectory`] does, and returns how its time
    /// changes with the course; `None` if nothing touches.
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
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail goes from x = 0 to x = 16 by x = 16 t² (3 - 2 t), and touches a post at x = 8: at t = 1/2, with the speed 24.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let rest = vec![vec![0.0]; 2];
    /// let way = Trajectory::cubic(checker.robot(), &[0.0, 1.0], &[vec![0.0], vec![16.0]], &rest)?;
    /// let found = checker.toi_gradient_along(&way, &Options::default())?.expect("they touch");
    /// // If it is 1 farther along, it touches 1/24 earlier.
    /// assert!((found.shift[0] + 1.0 / 24.0).abs() < 1e-7 && found.segment == 0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn toi_gradient_along<'a>(
        &self,
        trajectory: &Trajectory,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Option<CourseGradient>> {
        let (checker, ask) = &self.asked(ask.into(), "the derivative of a touch")?;
        let ask = ask.with(Options { mode: Mode::First, ..ask.options });
        let PathReport { answer, segment, .. } = checker.check_trajectory(trajectory, ask, |_| ())?;
        let (Answer::Touch(touch) | Answer::TouchingAtStart(touch), Some(segment)) = (answer, segment) else {
            return Ok(None);
        };
        let own = checker.on_segment(trajectory, segment)?;
        let checker = own.as_ref().unwrap_or(checker);
        let step = trajectory.step(Arc::clone(checker.shared_robot()), checker.base(), segment)?;
        let world = CheckerWorld::new(checker, step);
        let gradient = toi_gradient(&world, &touch, &ask.options, &ask.control)?;
        let [of_robot, _] = gradient.bodies;
        let shift = match of_robot {
            MotionGradient::Shift(shift) => shift,
            MotionGradient::Joints { from, to } => from.iter().zip(&to).map(|(x, y)| x + y).collect(),
            _ => return Ok(None),
        };
        Ok(Some(CourseGradient { segment, toi: touch.toi, shift, degenerate: gradient.degenerate }))
    }

    fn world_of(&self, from: &[f64], to: &[f64]) -> Result<CheckerWorld<'_>> {
        let robot = Arc::clone(self.shared_robot());
        let step = RobotStep::new(robot, self.base(), from.to_vec(), to.to_vec())?;
        Ok(CheckerWorld::new(self, step))
    }

    /// Returns a factor by which the goal of a step may be moved along `change`, one number per variable, such that the
    /// step stays free. For every factor from 0 to [`SafeScale::scale`], the way from `from` to `to` plus that multiple
    /// of `change` is proven free.
    ///
    /// Returns an error for a change of the variables of a floating or ball joint.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
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
    /// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// // A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10: it may go up to x = 8. From the goal x = 4 that is half
    /// // of a change by 8.
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
    /// let safe = checker.max_safe_scale(&[0.0], &[4.0], &[8.0], &Options::default())?;
    /// assert!(safe.is_free && safe.scale < 0.5 && safe.scale > 0.5 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn max_safe_scale<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        change: &[f64],
        ask: impl Into<Ask<'a>>,
    ) -> Result<SafeScale> {
        let (checker, ask) = &self.asked(ask.into(), "a safe scale")?;
        let Ask { options, control, .. } = ask;
        options.validate()?;
        let world = checker.world_of(from, to)?;
        let kept = checker.all_kept(options);
        max_safe_scale(world.body(0), &GoalChange::Joints(change.to_vec()), options, control, |changed| {
            let BodyKind::Robot(step) = changed.kind() else { unreachable!("a robot stays a robot") };
            let motion = [step.from().to_vec(), step.to().to_vec()];
            Margin::of_separations(&kept, options.tolerance, |separation| {
                let keeps = |a: &Body, b: &Body| {
                    let obstacle = (!std::ptr::eq(a, b)).then(|| checker.index_of(b.name())).flatten();
                    checker.most_kept(obstacle, options) == separation
                };
                let of_kept = Ask { filter: Some(&keeps), ..*ask };
                let found = checker.clearance(&motion, if kept.len() == 1 { *ask } else { of_kept })?;
                Ok(found.map(|found| found.clearance))
            })
        })
    }

    /// Returns the largest distance that any links keep from an obstacle, or from each other.
    fn most_kept(&self, obstacle: Option<usize>, options: &Options) -> f64 {
        match obstacle {
            None => self.own_rule().most_kept(options.min_separation),
            Some(k) => padded(self.rule_of(k).most_kept(options.min_separation), self.padding().largest()),
        }
    }

    /// Returns all distances that [`Checker::most_kept`] returns, in ascending order.
    fn all_kept(&self, options: &Options) -> Vec<f64> {
        let pairs = std::iter::once(None).chain((0..self.obstacles().len()).map(Some));
        let mut kept: Vec<f64> = pairs.map(|pair| self.most_kept(pair, options)).collect();
        kept.sort_unstable_by(f64::total_cmp);
        kept.dedup();
        kept
    }

    /// Returns the index of an obstacle in an answer.
    fn body_of(&self, obstacle: usize) -> Result<usize> {
        let obstacles = self.obstacles().len();
        if obstacle < obstacles {
            return Ok(1 + obstacle);
        }
        let what = format!("obstacle of a checker with {obstacles}");
        Err(Error::OutOfRange { what, expected: "less than that", value: obstacle as f64 })
    }

    fn pairs_of<'a>(&'a self, motion: RobotMotion<'a>) -> CheckerPairs<'a> {
        CheckerPairs { checker: self, motion }
    }
}

/// The least distance of several segments, each bounded by the upper bound of those before it.
fn least_of_segments(
    segments: usize,
    Ask { options, control, .. }: &Ask<'_>,
    mut least: impl FnMut(usize, &Question) -> Result<Least<Candidate>>,
) -> Result<Option<PathClearance>> {
    options.validate()?;
    let mut lower = f64::INFINITY;
    let mut nearest: Option<(usize, Nearest<Candidate>)> = None;
    for segment in 0..segments {
        let known_upper = nearest.as_ref().map_or(f64::INFINITY, |(_, known)| known.touch.gap);
        let question = Question { known_upper, watch: control.watch(), ..Question::new(options) };
        let found = least(segment, &question)?;
        lower = lower_min(lower, found.lower);
        if let Some(found) = found.nearest {
            nearest = Some((segment, found));
        }
    }
    let Some((segment, nearest)) = nearest else { return Ok(None) };
    let lower = lower_min(lower, nearest.touch.gap);
    let clearance = Least { lower, nearest: Some(nearest) }.clearance(options.tolerance);
    Ok(clearance.map(|clearance| PathClearance { segment, clearance }))
}
