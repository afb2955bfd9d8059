//! A scenario for a robot: the robot, its obstacles and its steps.
//!
//! The scenes of articulated bodies are scenarios. Several robots in one scenario are one [`Robot`] whose root, the
//! ground, carries each of them by a floating joint. So links of different robots are checked against each other like
//! any two links.

use firsttouch::articulated::{
    Checker, Joint, JointKind, LinkPart, Robot, RobotMotion, RobotStep, StepReport,
};
use firsttouch::motion::Pose;
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{Body, Options, Result, Scene};
use glam::{DQuat, DVec3};

use crate::Frame;

/// A robot among obstacles and its steps.
#[derive(Debug, Clone)]
pub struct RobotScenario {
    /// The robot, or all robots as one.
    pub robot: Robot,
    /// The obstacles.
    pub obstacles: Vec<Body>,
    /// Each from one configuration to another. A step that a touch stops may be followed by one that begins there.
    pub steps: Vec<[Vec<f64>; 2]>,
}

impl RobotScenario {
    /// Creates a scenario that steps through configurations in order, regardless of touches.
    pub fn key_framed(robot: Robot, obstacles: Vec<Body>, configurations: &[Vec<f64>]) -> RobotScenario {
        let steps = configurations.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
        RobotScenario { robot, obstacles, steps }
    }

    /// Returns the checker for its steps.
    pub fn checker(&self) -> Result<Checker> {
        Checker::new(self.robot.clone(), Pose::IDENTITY, self.obstacles.clone())
    }

    /// Checks every step.
    pub fn check(&self, options: &Options) -> Result<Vec<StepReport>> {
        let checker = self.checker()?;
        self.steps.iter().map(|[from, to]| checker.check_step(from, to, options)).collect()
    }

    /// Returns one of its steps as a scene: the body "robot", and the obstacles. Returns `None` if there is no such
    /// step.
    ///
    /// ```
    /// let scenario = firsttouch_scenes::mannequin::walk([1_000, 4_000], 3)?;
    /// assert_eq!(scenario.scene(0).unwrap()?.bodies().len(), 18);
    /// assert!(scenario.scene(3).is_none());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn scene(&self, step: usize) -> Option<Result<Scene>> {
        let [from, to] = self.steps.get(step)?.clone();
        Some(RobotStep::new(self.robot.clone(), Pose::IDENTITY, from, to).and_then(|step| {
            let mut scene = Scene::default();
            scene.add(Body::robot("robot", step))?;
            for body in &self.obstacles {
                scene.add(body.clone())?;
            }
            Ok(scene)
        }))
    }

    /// Returns the configuration at each frame: the start of each step, and the end of the last one.
    pub fn configurations(&self) -> Vec<Vec<f64>> {
        let begins = self.steps.iter().map(|step| step[0].clone());
        begins.chain(self.steps.last().map(|step| step[1].clone())).collect()
    }

    /// Returns the triangles of the robot and of the obstacles.
    pub fn triangles(&self) -> [usize; 2] {
        let of_robot = self.robot.links().iter().flat_map(|link| link.parts());
        let of = |shape: &Shape| as_mesh(shape).map_or(0, |mesh| mesh.triangles().len());
        [
            of_robot.map(|part| of(&part.shape)).sum(),
            self.obstacles.iter().filter_map(Body::as_rigid).map(|(shape, _)| of(shape)).sum(),
        ]
    }

    /// Returns all meshes in a configuration of the robot. The obstacles of the scenarios in this crate are at rest.
    pub fn frame(&self, configuration: &[f64]) -> Result<Frame> {
        let mut frame = Frame::default();
        let motion = RobotMotion::new(&self.robot, Pose::IDENTITY, configuration, configuration)?;
        for (link, described) in self.robot.links().iter().enumerate() {
            let at = motion.link_pose(link, 0.0);
            for LinkPart { shape, pose } in described.parts() {
                if let Some(mesh) = as_mesh(shape) {
                    let turned = DQuat::from_mat3(&at.rotation) * pose.rotation();
                    frame.add(mesh, &Pose::new(at.apply(pose.translation()), turned)?);
                }
            }
        }
        for (shape, motion) in self.obstacles.iter().filter_map(Body::as_rigid) {
            if let Some(mesh) = as_mesh(shape) {
                frame.add(mesh, &crate::bouncing::pose_at(motion, 0.0));
            }
        }
        Ok(frame)
    }

    /// Returns [`RobotScenario::frame`] of every configuration.
    pub fn frames(&self) -> Result<Vec<Frame>> {
        self.configurations().iter().map(|configuration| self.frame(configuration)).collect()
    }
}

fn as_mesh(shape: &Shape) -> Option<&Mesh> {
    match shape {
        Shape::Mesh(mesh) => Some(mesh),
        _ => None,
    }
}

/// Builds a configuration by the names of joints. Joints that are not set stay at zero.
#[derive(Debug, Clone)]
pub(crate) struct Posture<'a> {
    robot: &'a Robot,
    pub(crate) values: Vec<f64>,
}

impl<'a> Posture<'a> {
    pub(crate) fn new(robot: &'a Robot) -> Posture<'a> {
        Posture { robot, values: robot.zero() }
    }

    /// Sets a joint with one variable, or one variable of a joint. Names that the robot does not have have no effect.
    pub(crate) fn set(&mut self, variable: &str, value: f64) {
        if let Some(i) = self.robot.variable(variable) {
            self.values[i] = value;
        }
    }

    /// Sets a floating joint.
    pub(crate) fn place(&mut self, joint: &str, translation: DVec3, rotation: DQuat) {
        if let Some(i) = self.robot.variable(&format!("{joint}/trans_x")) {
            let [x, y, z, w] = rotation.to_array();
            let values = [translation.x, translation.y, translation.z, x, y, z, w];
            self.values[i..i + 7].copy_from_slice(&values);
        }
    }

    /// Turns a ball joint.
    pub(crate) fn turn(&mut self, joint: &str, rotation: DQuat) {
        self.place(joint, DVec3::ZERO, rotation);
    }
}

/// Returns a joint at `at` in its parent's frame. A ball joint is a floating one that is never moved away.
pub fn joint(name: &str, parent: &str, child: &str, at: DVec3, kind: JointKind) -> Result<Joint> {
    Ok(Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::from_translation(at)?,
        kind,
        limits: None,
        mimic: None,
    })
}

/// Returns a mesh in its link's own frame.
pub fn part(mesh: Mesh) -> LinkPart {
    LinkPart { shape: mesh.into(), pose: Pose::IDENTITY }
}
