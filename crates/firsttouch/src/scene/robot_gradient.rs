//! How the time of contact of a robot's step changes with its two configurations.

use crate::answer::Answer;
use crate::articulated::Checker;
use crate::body::Body;
use crate::clearance::Clearance;
use crate::error::Result;
use crate::gradient::{Gradient, MotionGradient, StepGradient};
use crate::options::{Mode, Options};
use crate::robot::RobotStep;

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

    /// A step as a scene. The robot is body 0, and the obstacles follow in their order, as in the answers of a checker.
    fn as_scene(&self, from: &[f64], to: &[f64]) -> Result<Scene> {
        let mut scene = Scene::default();
        let step = RobotStep::new(self.robot().clone(), self.base(), from.to_vec(), to.to_vec())?;
        let mut name = self.robot().name().to_string();
        while self.index_of(&name).is_some() {
            name.push('\'');
        }
        scene.add(Body::robot(name, step))?;
        for obstacle in self.obstacles() {
            scene.add(obstacle.clone())?;
        }
        Ok(scene)
    }
}
