//! Scenes for the adaptive simulation: wooden men, a pendulum, and a fall on pots and plates.
//!
//! Each scene is one robot: a root at rest that carries all moving bodies. [`AdaptiveScene::record`] runs the
//! simulation and returns its steps. They are the same every time, so other methods can check them.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 4, Figure 3.

mod crockery;
mod in_the_loop;
mod pendulum;
#[cfg(test)]
mod tests;
mod wooden_man;

pub use crockery::falling_man;
pub use in_the_loop::InTheLoop;
pub use pendulum::pendulum;
pub use wooden_man::wooden_men;

use std::sync::Arc;

use firsttouch::adaptive::Simulated;
use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::Pose;
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{Answer, Body, Error, Options, Result};
use glam::DVec3;

use crate::Frame;
use crate::bouncing::pose_at;
use crate::dynamics::{Linkage, Setup, Simulation, Spring, StepRecord};

/// A linkage among obstacles, and its start.
#[derive(Debug, Clone)]
pub struct AdaptiveScene {
    /// The name of the scene.
    pub name: &'static str,
    /// The moving bodies.
    pub linkage: Linkage,
    /// The configuration at the start.
    pub start: Vec<f64>,
    /// The springs between bodies.
    pub springs: Vec<Spring>,
    /// The parameters of the simulation.
    pub setup: Setup,
    /// The bodies at rest.
    pub obstacles: Vec<Body>,
}

/// Returns the three scenes at the paper's sizes.
///
/// ```
/// let scenes = firsttouch_scenes::adaptive::all()?;
/// let sizes = scenes.iter().map(|scene| (scene.bodies(), scene.triangles(), scene.static_triangles()));
/// assert_eq!(sizes.collect::<Vec<_>>(), [(58, 31_552, 0), (30, 16_320, 0), (29, 15_776, 44_002)]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn all() -> Result<Vec<AdaptiveScene>> {
    Ok(vec![wooden_men(16_000)?, pendulum(16_400)?, falling_man(16_000, 44_000)?])
}

impl AdaptiveScene {
    /// Returns the rigid bodies that have a shape.
    pub fn bodies(&self) -> usize {
        self.linkage.robot().links().iter().filter(|link| !link.parts().is_empty()).count()
    }

    /// Returns the number of moving triangles.
    pub fn triangles(&self) -> usize {
        let parts = self.linkage.robot().links().iter().flat_map(|link| link.parts());
        parts.map(|part| triangles(&part.shape)).sum()
    }

    /// Returns the number of triangles at rest.
    pub fn static_triangles(&self) -> usize {
        self.obstacles.iter().filter_map(Body::as_rigid).map(|(shape, _)| triangles(shape)).sum()
    }

    /// Returns the simulation at its start, with `active` joints at a time.
    pub fn simulation(&self, active: usize) -> Result<Simulation> {
        let setup = Setup { active, ..self.setup };
        Simulation::new(self.linkage.clone(), self.start.clone(), self.springs.clone(), setup)
    }

    /// Returns the engine of the paper, which finds the first touch of a step and keeps its proofs for the next one.
    ///
    /// ```
    /// let scene = firsttouch_scenes::adaptive::pendulum(500)?;
    /// let (mut run, mut engine) = (scene.simulation(1)?, scene.in_the_loop()?);
    /// for _ in 0..10 {
    ///     run.step(&mut engine)?;
    /// }
    /// // One joint of 30 moves at a time.
    /// assert!(engine.steps >= 10 && engine.transforms < 100 * engine.steps as u64);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn in_the_loop(&self) -> Result<InTheLoop> {
        self.in_the_loop_at(&self.start)
    }

    /// Like [`Self::in_the_loop`], from another configuration.
    pub fn in_the_loop_at(&self, start: &[f64]) -> Result<InTheLoop> {
        let robot = self.linkage.robot().clone();
        let simulated = Simulated::new(robot, Pose::IDENTITY, self.obstacles.clone(), start.to_vec())?;
        Ok(InTheLoop::new(simulated))
    }

    /// Returns the engine for robots, which finds the first touch of a step and keeps nothing.
    pub fn checker(&self) -> Result<impl FnMut(&StepRecord, &Options) -> Result<Answer> + use<>> {
        let checker = Checker::new(self.linkage.robot().clone(), Pose::IDENTITY, self.obstacles.clone())?;
        Ok(move |step: &StepRecord, options: &Options| {
            Ok(checker.check_step(&step.from, &step.to, options)?.answer)
        })
    }

    /// Returns the first `count` steps of the simulation with `active` joints. The list is shorter if it comes to rest
    /// earlier.
    ///
    /// ```
    /// let scene = firsttouch_scenes::adaptive::wooden_men(500)?;
    /// let steps = scene.record(15, 20)?;
    /// // Two floating roots of 7 numbers each, and 15 joints.
    /// assert_eq!((steps.len(), steps[0].moved.len()), (20, 29));
    /// assert_eq!(steps[7].to, steps[8].from);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn record(&self, active: usize, count: usize) -> Result<Vec<StepRecord>> {
        let mut simulation = self.simulation(active)?;
        let mut first_touch = self.in_the_loop()?;
        let mut steps = Vec::with_capacity(count);
        while steps.len() < count && !simulation.is_asleep() {
            steps.extend(simulation.step(&mut first_touch)?.records);
        }
        steps.truncate(count);
        Ok(steps)
    }

    /// Returns the frames of the simulation, including the start, with all bodies at rest.
    pub fn frames(&self, active: usize, count: usize) -> Result<Vec<Frame>> {
        let mut simulation = self.simulation(active)?;
        let mut first_touch = self.in_the_loop()?;
        let mut still = Frame::default();
        for body in &self.obstacles {
            if let Some((Shape::Mesh(mesh), motion)) = body.as_rigid() {
                still.add(mesh, &pose_at(motion, 0.0));
            }
        }
        let mut frames = Vec::with_capacity(count);
        while frames.len() < count {
            let mut frame = simulation.frame()?;
            let first = frame.positions.len() as u32;
            frame.positions.extend(&still.positions);
            frame.triangles.extend(still.triangles.iter().map(|ids| ids.map(|i| first + i)));
            frames.push(frame);
            simulation.step(&mut first_touch)?;
        }
        Ok(frames)
    }

    /// Returns true if all bodies keep a distance from each other in a configuration.
    fn is_free(&self, configuration: &[f64], distance: f64) -> Result<bool> {
        let checker = Checker::new(self.linkage.robot().clone(), Pose::IDENTITY, self.obstacles.clone())?;
        let options = Options { min_separation: distance, tolerance: 0.25 * distance, ..Options::default() };
        Ok(checker.check_step(configuration, configuration, &options)?.answer == Answer::Free)
    }
}

fn triangles(shape: &Shape) -> usize {
    if let Shape::Mesh(mesh) = shape { mesh.triangles().len() } else { 0 }
}

/// Links and joints under construction. The root is called `world` and has no shape.
struct Assembly {
    links: Vec<(String, Vec<LinkPart>)>,
    joints: Vec<Joint>,
}

impl Assembly {
    fn new() -> Assembly {
        Assembly { links: vec![("world".into(), Vec::new())], joints: Vec::new() }
    }

    /// Adds a link of one mesh, in the link's frame, whose joint is at a point of its parent's frame.
    fn add(&mut self, name: &str, parent: &str, at: DVec3, kind: JointKind, mesh: Mesh) -> Result<()> {
        let part = LinkPart { shape: Shape::Mesh(Arc::new(mesh)), pose: Pose::IDENTITY };
        self.links.push((name.into(), vec![part]));
        self.joints.push(Joint {
            name: format!("{name} joint"),
            parent: parent.into(),
            child: name.into(),
            origin: Pose::from_translation(at)?,
            kind,
            limits: None,
            mimic: None,
        });
        Ok(())
    }

    fn build(self, name: &str, density: f64) -> Result<Linkage> {
        let robot = Robot::new(name, self.links, self.joints.clone())?;
        Linkage::new(robot, &self.joints, density)
    }
}

/// The density of wood.
const WOOD: f64 = 600.0;

fn not_free(what: &'static str) -> Error {
    Error::Unsupported { what: format!("{what} without a start in which nothing touches") }
}
