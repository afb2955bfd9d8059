//! Many bodies of any kind, and the first touch among them.
//!
//! - [`Body`]: rigid bodies, deforming meshes, robots, and bodies attached to robots.
//! - [`Scene`]: bodies, the pairs that are not checked, and the separations of pairs.
//! - `parts`: everything that moves in one piece. `check`: the query.

mod candidates;
mod certify;
mod check;
mod checker;
mod contact_pair;
mod grasps;
mod least;
mod pair;
mod pair_rules;
mod pairs;
mod parts;
mod penetration;
mod questions;
mod report;
mod robot_overlaps;
mod simulated_robot;
mod spans;
mod world;

use std::collections::HashMap;

use contact_pair::ContactChoice;
use grasps::SceneGrasp;

use crate::body::{Body, BodyKind};
pub use penetration::Penetration;
pub use report::{Reason, Report, StageSeconds, Stats};

use crate::error::{Error, Result};
use crate::motion::{Motion, Pose};
use crate::options::Options;
use crate::robot::LinkPart;
use crate::shape::Shape;
use crate::world::{BodyId, Directory, IdPair, Rules};

/// Bodies, and the pairs of them that are not checked.
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
#[derive(Debug, Clone, Default)]
pub struct Scene {
    bodies: Vec<Body>,
    directory: Directory,
    rules: Rules,
    /// The pairs that CONTACT decides.
    contacts: HashMap<IdPair, ContactChoice>,
    /// The bodies that are attached to robots.
    attached: Vec<BodyId>,
    /// True if pairs of bodies at rest are left out.
    leaves_out_resting: bool,
    /// The bodies that robots on trajectories take up.
    grasps: Vec<SceneGrasp>,
}

/// Scenes are equal if their bodies and the settings of their pairs are equal. Bodies that were removed make no
/// difference.
impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        self.bodies == other.bodies
            && self.leaves_out_resting == other.leaves_out_resting
            && self.grasps().eq(other.grasps())
            && self.pair_rules() == other.pair_rules()
            && self.paddings() == other.paddings()
            && self.pairs_by_contact() == other.pairs_by_contact()
    }
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
        Ok(self.push(body))
    }

    /// Attaches a body to a robot and returns its index. It moves with a link of the robot, at `pose` in the link's
    /// frame. It is checked against everything, the robot included, except that link and those in `touch_links`.
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
        let shape = shape.into();
        if let Shape::Mesh(mesh) = &shape {
            mesh.hull();
        }
        let part = LinkPart { shape, pose };
        let held = match self.bodies[robot_index].kind_mut() {
            BodyKind::Robot(step) => step.hold(link, name, part, touch_links)?,
            BodyKind::RobotPath(path) => path.hold(link, name, part, touch_links)?,
            BodyKind::Rigid { .. }
            | BodyKind::Affine(_)
            | BodyKind::Deforming(_)
            | BodyKind::Attached { .. } => {
                return Err(Error::Unsupported {
                    what: format!("\"{robot}\" is not a robot and holds nothing"),
                });
            }
        };
        let index = self.push(Body::attached(name.into(), robot_index, held));
        self.attached.push(self.directory.id_of(index));
        Ok(index)
    }

    fn push(&mut self, body: Body) -> usize {
        self.bodies.push(body);
        self.directory.push(&self.bodies);
        self.bodies.len() - 1
    }

    /// Gives a rigid body another motion. Everything else about it stays.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("moving", Sphere::new(1.0)?, Motion::linear(at(-9.0)?, at(-5.0)?)))?;
    /// scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::fixed(at(0.0)?)))?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// // The next step of a simulation.
    /// scene.set_motion("moving", Motion::linear(at(-5.0)?, at(-1.0)?))?;
    /// assert!(scene.check(&Options::default())?.answer.touch().is_some());
    /// scene.set_pose("resting", at(5.0)?)?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_motion(&mut self, name: &str, motion: Motion) -> Result<()> {
        let (_, known) = self.rigid_mut(name, "has no motion of its own to set")?;
        *known = motion;
        Ok(())
    }

    /// Puts a rigid body at rest at a pose.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("a", Sphere::new(1.0)?, Motion::fixed(at(0.0)?)))?;
    /// scene.add(Body::new("b", Sphere::new(1.0)?, Motion::fixed(at(1.0)?)))?;
    /// scene.set_pose("b", at(3.0)?)?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_pose(&mut self, name: &str, pose: Pose) -> Result<()> {
        self.set_motion(name, Motion::fixed(pose))
    }

    /// Gives a rigid body another shape. A shape that several bodies share (`Arc<Mesh>`) is kept once.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("a", Sphere::new(1.0)?, Motion::fixed(at(0.0)?)))?;
    /// scene.add(Body::new("b", Sphere::new(1.0)?, Motion::fixed(at(1.5)?)))?;
    /// scene.replace_shape("b", Sphere::new(0.25)?)?;
    /// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn replace_shape(&mut self, name: &str, shape: impl Into<Shape>) -> Result<()> {
        let (known, _) = self.rigid_mut(name, "has no shape of its own to replace")?;
        *known = shape.into();
        let id = self.directory.id_of(self.place_of(name)?);
        self.forget_contact_trees(id);
        Ok(())
    }

    /// Removes a body and all settings of its pairs, and returns it. The indices in [`Scene::bodies`] of bodies that
    /// were added after it decrease by one; names stay. Returns an error for an attached body, and for a robot with
    /// attached bodies.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Scene};
    /// let mut scene = Scene::default();
    /// for name in ["a", "b", "c"] {
    ///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// }
    /// scene.remove("a")?;
    /// assert_eq!((scene.index_of("a"), scene.index_of("c")), (None, Some(1)));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn remove(&mut self, name: &str) -> Result<Body> {
        let place = self.place_of(name)?;
        let holds =
            |i: usize| matches!(*self.bodies[i].kind(), BodyKind::Attached { robot, .. } if robot == place);
        let attached: Vec<usize> =
            self.attached.iter().filter_map(|&id| self.directory.index_of(id)).collect();
        if attached.iter().any(|&i| i == place || holds(i)) || self.is_grasping(place) {
            return Err(Error::Unsupported {
                what: format!("removing \"{name}\", which is attached to a robot or has something attached"),
            });
        }
        for i in attached {
            if let BodyKind::Attached { robot, .. } = self.bodies[i].kind_mut()
                && *robot > place
            {
                *robot -= 1;
            }
        }
        let body = self.bodies.remove(place);
        let id = self.directory.remove(place, name);
        self.rules.remove(id);
        self.contacts.retain(|pair, _| !pair.contains(&id));
        Ok(body)
    }

    fn rigid_mut(&mut self, name: &str, refusal: &str) -> Result<(&mut Shape, &mut Motion)> {
        let place = self.place_of(name)?;
        match self.bodies[place].kind_mut() {
            BodyKind::Rigid { shape, motion } => Ok((shape, motion)),
            BodyKind::Affine(_)
            | BodyKind::Deforming(_)
            | BodyKind::Robot(_)
            | BodyKind::RobotPath(_)
            | BodyKind::Attached { .. } => {
                Err(Error::Unsupported { what: format!("\"{name}\" is not rigid and {refusal}") })
            }
        }
    }

    fn place_of(&self, name: &str) -> Result<usize> {
        self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })
    }

    /// Leaves out, or checks again, all pairs of two rigid bodies at rest ([`Motion::Fixed`]). Use it if only the
    /// touches of moving bodies are of interest, not those within the scenery. Such pairs are checked unless this is
    /// called. A pair with a separation of its own ([`Scene::keep_apart`]) is checked in any case. [`Stats::resting`]
    /// counts the pairs that are left out.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// // Two balls that overlap and rest, and one that rests far away: three pairs.
    /// let mut scene = Scene::default();
    /// for (name, x) in [("a", 0.0), ("b", 1.0), ("c", 9.0)] {
    ///     let there = Motion::fixed(Pose::from_translation(glam::DVec3::X * x)?);
    ///     scene.add(Body::new(name, Sphere::new(1.0)?, there))?;
    /// }
    /// assert!(matches!(scene.check(&Options::default())?.answer, Answer::TouchingAtStart(_)));
    /// scene.leave_out_resting(true);
    /// let report = scene.check(&Options::default())?;
    /// assert_eq!((report.answer, report.stats.resting), (Answer::Free, 3));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn leave_out_resting(&mut self, leaves_out: bool) {
        self.leaves_out_resting = leaves_out;
    }

    /// Returns true if a pair is left out because both bodies rest. A pair with a separation of its own was requested,
    /// and is not left out.
    fn both_rest(&self, [i, j]: [usize; 2]) -> bool {
        self.leaves_out_resting
            && i != j
            && self.bodies[i].is_at_rest()
            && self.bodies[j].is_at_rest()
            && self.separation_given([i, j]).is_none()
    }

    /// Checks the options. Refuses two half-spaces of which one moves, because no engine decides them. Half-spaces at
    /// rest surround a scene and are not checked against each other.
    fn validate(&self, options: &Options) -> Result<()> {
        options.validate()?;
        self.validate_contact_pairs(options)?;
        let half_spaces = || (0..self.bodies.len()).filter(|&i| self.bodies[i].is_unbounded());
        let rests =
            |i: usize| matches!(self.bodies[i].kind(), BodyKind::Rigid { motion: Motion::Fixed(_), .. });
        for i in half_spaces().filter(|&i| !rests(i)) {
            if let Some(j) = half_spaces().find(|&j| j != i && !self.is_allowed([i.min(j), i.max(j)])) {
                let [a, b] = [i, j].map(|k| self.bodies[k].name());
                let what = format!(
                    "the half-space \"{a}\" that moves beside the half-space \"{b}\"; allow the pair to leave it out"
                );
                return Err(Error::Unsupported { what });
            }
        }
        Ok(())
    }

    /// Returns the bodies, in the order in which they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Returns the index of the body with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.directory.find(&self.bodies, name)
    }

    fn pair_of(&self, a: &str, b: &str) -> Result<[usize; 2]> {
        let [a, b] = [self.place_of(a)?, self.place_of(b)?];
        Ok([a.min(b), a.max(b)])
    }

    fn ids_of(&self, pair: [usize; 2]) -> IdPair {
        pair.map(|i| self.directory.id_of(i))
    }

    fn indices_of(&self, [a, b]: IdPair) -> Option<[usize; 2]> {
        Some([self.directory.index_of(a)?, self.directory.index_of(b)?])
    }
}
