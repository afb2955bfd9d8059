//! How the time of contact of a robot's step changes with its two configurations, and that of a trajectory with its course; all times of overlap
//! along a trajectory.

use crate::answer::Answer;
use crate::articulated::{Checker, PathReport};
use crate::body::Body;
use crate::clearance::Clearance;
use crate::control::Control;
use crate::ellipsoid::Overlap;
use crate::error::{Error, Result};
use crate::gradient::{CourseGradient, Gradient, MotionGradient, StepGradient};
use crate::options::{Mode, Options};
use crate::robot::{RobotPath, RobotStep, Trajectory};

use super::Scene;
use super::grasps::TouchLink;

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
    pub fn toi_gradient(&self, from: &[f64], to: &[f64], options: &Options) -> Result<Option<StepGradient>> {
        let options = Options { mode: Mode::First, ..*options };
        let answer = self.check_step(from, to, &options)?.answer;
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
    pub fn toi_gradient_along(
        &self,
        trajectory: &Trajectory,
        options: &Options,
    ) -> Result<Option<CourseGradient>> {
        let options = Options { mode: Mode::First, ..*options };
        let PathReport { answer, segment, .. } = self.check_trajectory(trajectory, &options, |_| ())?;
        let (Answer::Touch(touch) | Answer::TouchingAtStart(touch), Some(segment)) = (answer, segment) else {
            return Ok(None);
        };
        let step = trajectory.step(self.robot().clone(), self.base(), segment)?;
        let [start, end] = trajectory.span(segment);
        let obstacles = self.obstacles().map(|body| body.during(start, end)).collect::<Result<Vec<_>>>()?;
        let gradient = self.scene_of(step, obstacles)?.toi_gradient(&touch, &options)?;
        let [of_robot, _] = gradient.bodies;
        let shift = match of_robot {
            MotionGradient::Shift(shift) => shift,
            MotionGradient::Joints { from, to } => from.iter().zip(&to).map(|(x, y)| x + y).collect(),
            _ => return Ok(None),
        };
        Ok(Some(CourseGradient { segment, toi: touch.toi, shift, degenerate: gradient.degenerate }))
    }

    /// Returns all times at which the robot touches an obstacle along a trajectory, or itself for `None`, in order and on the clock of the
    /// trajectory, from 0 to 1; see [`Scene::overlaps`]. Obstacles that move are on the same clock. Returns an error for a checker with a padding
    /// of its own for some links.
    pub fn overlaps_along(
        &self,
        trajectory: &Trajectory,
        obstacle: Option<usize>,
        options: &Options,
        control: &Control<'_>,
    ) -> Result<Vec<Overlap>> {
        let Some(padding) = self.common_padding() else {
            return Err(Error::Unsupported {
                what: "times of overlap with a padding of single links".into(),
            });
        };
        let mut scene = Scene::default();
        let path = RobotPath::new(self.robot().clone(), self.base(), trajectory.clone())?;
        let name = self.unused_name();
        scene.add(Body::robot_along(&name[..], path))?;
        let Some(index) = obstacle else { return scene.overlaps_with(&name, &name, options, control) };
        let body = self.obstacle(index).clone();
        let other = body.name().to_string();
        scene.add(body)?;
        scene.keep_apart(&name, &other, (options.min_separation + padding).next_up())?;
        for link in self.links_allowed(index) {
            scene.touch_links.push(TouchLink { robot: 0, link, body: 1 });
        }
        scene.overlaps_with(&name, &other, options, control)
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
        self.scene_of(step, self.obstacles().cloned().collect())
    }

    /// As in a checker, obstacles are not checked against each other, nor against the links that may touch them.
    fn scene_of(&self, step: RobotStep, obstacles: Vec<Body>) -> Result<Scene> {
        let mut scene = Scene::default();
        scene.add(Body::robot(self.unused_name(), step))?;
        for obstacle in obstacles {
            scene.add(obstacle)?;
        }
        scene.leave_out_resting(true);
        let bodies = 1..scene.bodies.len();
        for i in bodies.clone().filter(|&i| !scene.bodies[i].is_at_rest()) {
            for j in bodies.clone().filter(|&j| j != i) {
                scene.settings.allow(scene.ids_of([i.min(j), i.max(j)]));
            }
        }
        for body in bodies {
            let links = self.links_allowed(body - 1);
            scene.touch_links.extend(links.map(|link| TouchLink { robot: 0, link, body }));
        }
        Ok(scene)
    }
}
