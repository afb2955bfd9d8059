//! Many bodies of any kind, and the first touch among them.
//!
//! - [`Body`]: rigid bodies, deforming meshes, robots, and what robots hold.
//! - [`Scene`]: bodies, the pairs that are not to be checked, and how close which pairs may come.
//! - `parts`: everything that moves in one piece. `check`: the query.

mod body;
mod check;
mod parts;
mod report;

use std::collections::{HashMap, HashSet};

pub use body::{Body, BodyKind};
pub use report::{PairReport, Report, StageSeconds, Stats};

use crate::articulated::LinkPart;
use crate::error::{Error, Result, bounded};
use crate::motion::Pose;
use crate::shape::Shape;

/// Bodies, and which pairs of them are not to be checked.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Body, Options, Scene};
/// use glam::DVec3;
///
/// // A ball of radius 1 flies from x = -9 to x = 11 towards another at rest in the origin: they touch at x = -2.
/// let path = Motion::linear(Pose::from_translation(DVec3::X * -9.0)?, Pose::from_translation(DVec3::X * 11.0)?);
/// let mut scene = Scene::default();
/// scene.add(Body::new("flying", Sphere::new(1.0)?, path))?;
/// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
/// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they must touch") };
/// assert!(touch.toi <= 0.35 && touch.toi > 0.35 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    bodies: Vec<Body>,
    /// Pairs of bodies, lower index first; a body with itself for its own parts.
    allowed: HashSet<[usize; 2]>,
    separations: HashMap<[usize; 2], f64>,
}

impl Scene {
    /// Adds a body and returns its index. Names are unique.
    pub fn add(&mut self, body: Body) -> Result<usize> {
        if self.index_of(body.name()).is_some() {
            return Err(Error::DuplicateName { name: body.name().into() });
        }
        if let BodyKind::Attached { .. } = body.kind() {
            return Err(Error::Unsupported {
                what: format!(
                    "\"{}\" is attached to a robot of another scene; attach it instead",
                    body.name()
                ),
            });
        }
        self.bodies.push(body);
        Ok(self.bodies.len() - 1)
    }

    /// Adds a body that a robot holds: it moves with a link of the robot, at `pose` in the link's frame, and returns its
    /// index. It is checked against everything, the robot included, except that link and those in `touch_links`.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, Robot, RobotStep};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// // A slide along x carries a ball of radius 1 from x = 0 to x = 8, towards another at x = 6: they touch at x = 4.
    /// let slide = Joint {
    ///     name: "slide".into(),
    ///     parent: "rail".into(),
    ///     child: "hand".into(),
    ///     origin: Pose::IDENTITY,
    ///     kind: JointKind::Prismatic { axis: DVec3::X },
    ///     limits: None,
    ///     mimic: None,
    /// };
    /// let robot = Robot::new("crane", vec![("rail".into(), vec![]), ("hand".into(), vec![])], vec![slide])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::robot("crane", RobotStep::new(robot, Pose::IDENTITY, vec![0.0], vec![8.0])?))?;
    /// scene.attach("load", Sphere::new(1.0)?, "crane", "hand", Pose::IDENTITY, &[])?;
    /// let there = Motion::fixed(Pose::from_translation(DVec3::X * 6.0)?);
    /// scene.add(Body::new("post", Sphere::new(1.0)?, there))?;
    /// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they must touch") };
    /// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
    /// assert_eq!(touch.bodies, [1, 2]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn attach(
        &mut self,
        name: &str,
        shape: impl Into<Shape>,
        robot: &str,
        link: &str,
        pose: Pose,
        touch_links: &[&str],
    ) -> Result<usize> {
        if self.index_of(name).is_some() {
            return Err(Error::DuplicateName { name: name.into() });
        }
        let robot_index = self.index_of(robot).ok_or_else(|| Error::UnknownName { name: robot.into() })?;
        let BodyKind::Robot(step) = &mut self.bodies[robot_index].kind else {
            return Err(Error::Unsupported { what: format!("\"{robot}\" is not a robot and holds nothing") });
        };
        let shape = shape.into();
        if let Shape::Mesh(mesh) = &shape {
            mesh.hull();
        }
        let held = step.hold(link, name, LinkPart { shape, pose }, touch_links)?;
        self.bodies.push(Body::attached(name.into(), robot_index, held));
        Ok(self.bodies.len() - 1)
    }

    /// Leaves a pair of bodies out of every check; a body and itself: its own parts against each other.
    pub fn allow(&mut self, a: &str, b: &str) -> Result<()> {
        let pair = self.pair_of(a, b)?;
        self.allowed.insert(pair);
        Ok(())
    }

    /// Two bodies, or the parts of one, that count as touching when they are closer than this, whatever the options say.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let path = Motion::linear(Pose::from_translation(DVec3::X * -9.0)?, Pose::from_translation(DVec3::X * 11.0)?);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", Sphere::new(1.0)?, path))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// scene.keep_apart("flying", "resting", 1.0)?;
    /// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they must touch") };
    /// assert!(touch.toi <= 0.3 && touch.toi > 0.3 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn keep_apart(&mut self, a: &str, b: &str, min_separation: f64) -> Result<()> {
        let pair = self.pair_of(a, b)?;
        let value = bounded(|| format!("min_separation of \"{a}\" and \"{b}\""), min_separation)?;
        if value < 0.0 {
            return Err(Error::OutOfRange {
                what: format!("min_separation of \"{a}\" and \"{b}\""),
                expected: "zero or more",
                value,
            });
        }
        self.separations.insert(pair, value);
        Ok(())
    }

    /// The bodies, in the order they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The index of the body with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name() == name)
    }

    fn pair_of(&self, a: &str, b: &str) -> Result<[usize; 2]> {
        let index = |name: &str| self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() });
        let (a, b) = (index(a)?, index(b)?);
        Ok([a.min(b), a.max(b)])
    }

    /// How close two bodies may come.
    fn separation(&self, pair: [usize; 2], options: &crate::Options) -> f64 {
        if self.separations.is_empty() {
            return options.min_separation;
        }
        self.separations.get(&pair).copied().unwrap_or(options.min_separation)
    }
}
