//! How the time of contact of a robot's step changes with its two configurations, and that of a trajectory with its course; all times of overlap
//! along a trajectory.

use crate::answer::Answer;
use crate::articulated::{Checker, PathReport};
use crate::ask::Ask;
use crate::body::Body;
use crate::clearance::Clearance;
use crate::ellipsoid::Overlap;
use crate::error::Result;
use crate::gradient::{CourseGradient, Gradient, MotionGradient, StepGradient};
use crate::options::{Mode, Options};
use crate::robot::{RobotPath, RobotStep, Trajectory};
use crate::world::PairRule;

use super::Scene;

impl Checker {
    /// Returns how the time of the first touch between two configurations changes with both; `None` if the step is free or
    /// undecided. See [`Scene::toi_gradient`](crate::Scene::toi_gradient).
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
        let (options, control) = ask.into().plain("the derivative of a touch")?;
        let options = Options { mode: Mode::First, ..options };
        let answer = self.check_step(from, to, Ask::from(&options).control(&control))?.answer;
        let (Answer::Touch(touch) | Answer::TouchingAtStart(touch)) = answer else { return Ok(None) };
        let gradient = self.as_scene(from, to)?.toi_gradient(&touch, &options)?;
        let [MotionGradient::Joints { from, to }, _] = gradient.bodies else { return Ok(None) };
        Ok(Some(StepGradient { toi: touch.toi, from, to, degenerate: gradient.degenerate }))
    }

    /// Returns how the least distance between two configurations changes with both. The clearance must be that of this step.
    pub fn clearance_gradient(&self, from: &[f64], to: &[f64], clearance: &Clearance) -> Result<Gradient> {
        Ok(self.as_scene(from, to)?.clearance_gradient(clearance))
    }

    /// Finds the first touch along a trajectory, as [`Checker::check_trajectory`] does, and returns how its time changes with the course; `None` if
    /// nothing touches.
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
        let (options, control) = ask.into().plain("the derivative of a touch")?;
        let options = Options { mode: Mode::First, ..options };
        let ask = Ask::from(&options).control(&control);
        let PathReport { answer, segment, .. } = self.check_trajectory(trajectory, ask, |_| ())?;
        let (Answer::Touch(touch) | Answer::TouchingAtStart(touch), Some(segment)) = (answer, segment) else {
            return Ok(None);
        };
        let step = trajectory.step(self.robot().clone(), self.base(), segment)?;
        let [start, end] = trajectory.span(segment);
        let obstacles = self.obstacles().map(|body| body.during(start, end)).collect::<Result<Vec<_>>>()?;
        let robot = Body::robot(self.unused_name(), step);
        let scene = self.scene_of(robot, obstacles.into_iter().enumerate())?;
        let gradient = scene.toi_gradient(&touch, &options)?;
        let [of_robot, _] = gradient.bodies;
        let shift = match of_robot {
            MotionGradient::Shift(shift) => shift,
            MotionGradient::Joints { from, to } => from.iter().zip(&to).map(|(x, y)| x + y).collect(),
            _ => return Ok(None),
        };
        Ok(Some(CourseGradient { segment, toi: touch.toi, shift, degenerate: gradient.degenerate }))
    }

    /// Returns all times at which the robot touches an obstacle along a trajectory, or itself for `None`, in order and on the clock of the
    /// trajectory, from 0 to 1; see [`Scene::overlaps`]. Obstacles that move are on the same clock.
    pub fn overlaps_along<'a>(
        &self,
        trajectory: &Trajectory,
        obstacle: Option<usize>,
        ask: impl Into<Ask<'a>>,
    ) -> Result<Vec<Overlap>> {
        let ask = ask.into();
        let path = RobotPath::new(self.robot().clone(), self.base(), trajectory.clone())?;
        let name = self.unused_name();
        let body = Body::robot_along(&name[..], path);
        let Some(index) = obstacle else {
            return self.scene_of(body, [])?.overlaps(&name, &name, ask);
        };
        let other = self.obstacle(index);
        let scene = self.scene_of(body, [(index, other.clone())])?;
        scene.overlaps(&name, other.name(), ask)
    }

    /// A name of the robot that no obstacle has.
    fn unused_name(&self) -> String {
        let mut name = self.robot().name().to_string();
        while self.index_of(&name).is_some() {
            name.push('\'');
        }
        name
    }

    /// A step as a scene. The robot is body 0, and the obstacles follow in their order, as in the answers of a checker.
    fn as_scene(&self, from: &[f64], to: &[f64]) -> Result<Scene> {
        let step = RobotStep::new(self.robot().clone(), self.base(), from.to_vec(), to.to_vec())?;
        let robot = Body::robot(self.unused_name(), step);
        self.scene_of(robot, self.obstacles().cloned().enumerate())
    }

    /// The robot in some motion and obstacles, each with its index here, under the rules of the checker: obstacles are not checked against
    /// each other.
    fn scene_of(&self, robot: Body, obstacles: impl IntoIterator<Item = (usize, Body)>) -> Result<Scene> {
        let mut scene = Scene::default();
        scene.add(robot)?;
        scene.follow_own_rules(0, self.own_rule(), self.padding());
        for (index, obstacle) in obstacles {
            let place = scene.add(obstacle)?;
            scene.follow_rule([0, place], self.rule_of(index));
        }
        scene.leave_out_resting(true);
        let obstacles = 1..scene.bodies.len();
        let moving: Vec<usize> = obstacles.clone().filter(|&i| !scene.bodies[i].is_at_rest()).collect();
        for i in moving {
            for j in obstacles.clone().filter(|&j| j != i) {
                scene.follow_rule([i.min(j), i.max(j)], &PairRule::ALLOWED);
            }
        }
        Ok(scene)
    }
}
