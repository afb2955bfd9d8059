//! The bodies of a scene: named objects that move.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use crate::broad::Aabb;
use crate::deformable::{Deformable, MovingTree};
use crate::ellipsoid::AffineEllipsoid;
use crate::error::{Error, Result};
use crate::motion::{Affine, AffineInterpolant, Motion};
use crate::narrow::Subject;
use crate::numerics::Window;
use crate::robot::{Robot, RobotPath, RobotStep};
use crate::shape::Shape;

/// A named object and its motion.
///
/// ```
/// use firsttouch::Body;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// let body = Body::new("ball", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY));
/// assert_eq!((body.name(), body.kind_name()), ("ball", "sphere"));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Behind a pointer: to remove one of many bodies, a scene moves those after it.
    content: Box<Content>,
}

#[derive(Debug, Clone, PartialEq)]
struct Content {
    name: String,
    kind: BodyKind,
    /// Cleared when `kind` changes.
    swept: SweptBoxes,
}

/// The boxes that the parts of a body never leave in a window, kept from the first query. They hold for this kind of
/// body ([`Body::kind_mut`] clears them), for that window alone, and for all options: of many bodies few change between
/// two queries, and the boxes cost more than all the rest of most queries.
#[derive(Debug, Clone, Default)]
pub(crate) struct SweptBoxes(OnceLock<([f64; 2], SmallVec<[Aabb; 1]>)>);

impl SweptBoxes {
    /// Adds the boxes to a list. They are computed if they are not known for this window.
    pub(crate) fn extend(
        &self,
        boxes: &mut Vec<Aabb>,
        window: Window,
        compute: impl Fn() -> SmallVec<[Aabb; 1]>,
    ) {
        let span = [window.t0(), window.t1()];
        let (known, kept) = self.0.get_or_init(|| (span, compute()));
        if *known == span {
            boxes.extend_from_slice(kept);
        } else {
            boxes.extend(compute());
        }
    }
}

/// Boxes kept from the last query make no difference: two bodies with different ones are equal.
impl PartialEq for SweptBoxes {
    fn eq(&self, _: &SweptBoxes) -> bool {
        true
    }
}

/// The kind of a body. Rigid bodies are the most common kind, so they are stored without a box.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)]
#[non_exhaustive]
pub enum BodyKind {
    /// A shape with a rigid motion.
    Rigid {
        /// The shape of the body.
        shape: Shape,
        /// The motion of the body.
        motion: Motion,
    },
    /// An ellipsoid whose shape changes over time.
    Affine(Box<AffineEllipsoid>),
    /// A mesh whose vertices move on straight lines from one frame to another. It is also checked against itself.
    Deforming(Arc<MovingTree>),
    /// A robot between two configurations. Its links are checked against each other.
    Robot(Box<RobotStep>),
    /// A robot along a trajectory. Its links are checked against each other.
    RobotPath(Box<RobotPath>),
    /// A body that is attached to a robot. It is stored as a link of the robot under another name.
    Attached {
        /// The index of the robot's body.
        robot: usize,
        /// The index of the robot's link that stands for this body.
        link: usize,
    },
}

impl Body {
    fn of_kind(name: String, kind: BodyKind) -> Body {
        Body { content: Box::new(Content { name, kind, swept: SweptBoxes::default() }) }
    }

    /// Creates a rigid body.
    pub fn new(name: impl Into<String>, shape: impl Into<Shape>, motion: Motion) -> Body {
        Body::of_kind(name.into(), BodyKind::Rigid { shape: shape.into(), motion })
    }

    /// Returns the body as it moves from one time to another, over the time from 0 to 1. A robot on a trajectory must
    /// have no waypoint between the two times. Returns an error if the shape of the body changes.
    pub(crate) fn during(&self, start: f64, end: f64) -> Result<Body> {
        if self.is_at_rest() || ([start, end] == [0.0, 1.0] && !matches!(self.kind(), BodyKind::RobotPath(_)))
        {
            return Ok(self.clone());
        }
        match self.kind() {
            BodyKind::Rigid { shape, motion } => {
                Ok(Body::new(self.name(), shape.clone(), motion.during(start, end)?))
            }
            BodyKind::Robot(step) => {
                let kind = BodyKind::Robot(Box::new(step.during([0.0, 1.0], [start, end])?));
                Ok(Body::of_kind(self.name().to_string(), kind))
            }
            BodyKind::RobotPath(path) => {
                let kind = BodyKind::Robot(Box::new(path.during(start, end)?));
                Ok(Body::of_kind(self.name().to_string(), kind))
            }
            BodyKind::Attached { .. } => Ok(self.clone()),
            BodyKind::Affine(_) | BodyKind::Deforming(_) => Err(Error::Unsupported {
                what: format!(
                    "a robot's path of several segments beside \"{}\", whose shape changes",
                    self.name()
                ),
            }),
        }
    }

    /// Creates an ellipsoid whose shape changes over time: the image of the unit ball under an affine motion.
    ///
    /// ```
    /// use firsttouch::motion::{Affine, Motion, Pose};
    /// use firsttouch::shape::Cuboid;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// // A ball grows from radius 1 to 5, beside a wall at x = 3.
    /// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    /// let growing = Affine::from_power_basis(DVec3::ONE, &[unit, unit.map(|x| 4.0 * x)], &[], &[])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::affine("balloon", growing))?;
    /// let wall = Motion::fixed(Pose::from_translation(DVec3::X * 4.0)?);
    /// scene.add(Body::new("wall", Cuboid::new(DVec3::new(2.0, 20.0, 20.0))?, wall))?;
    /// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they touch") };
    /// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn affine(name: impl Into<String>, motion: Affine) -> Body {
        Body::of_kind(name.into(), BodyKind::Affine(Box::new(AffineEllipsoid::new(motion))))
    }

    /// Creates an ellipsoid on its way to another one: the interpolant of Appendix D of the 2009 paper. Returns an
    /// error if the two differ so much that f64 cannot resolve their common axes.
    ///
    /// ```
    /// use firsttouch::motion::{AffineInterpolant, Motion, Pose};
    /// use firsttouch::shape::{Ellipsoid, Sphere};
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use glam::DVec3;
    /// let at = |x: f64| Pose::from_translation(DVec3::X * x);
    /// // A ball of radius 1 goes from x = 0 to x = 8, and another rests at x = 6: they touch at x = 4.
    /// let moving = AffineInterpolant::between(&Ellipsoid::new(DVec3::ONE)?, at(0.0)?, at(8.0)?)?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::interpolant("egg", moving)?)?;
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::fixed(at(6.0)?)))?;
    /// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they touch") };
    /// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn interpolant(name: impl Into<String>, motion: AffineInterpolant) -> Result<Body> {
        Ok(Body::of_kind(name.into(), BodyKind::Affine(Box::new(AffineEllipsoid::interpolant(motion)?))))
    }

    /// Creates a deforming mesh that moves from its frame at time 0 to its frame at time 1.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use firsttouch::{Answer, Body, Options, Scene};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use glam::DVec3;
    /// // A large triangle falls from z = 3 to z = −1 onto a ball of radius 1.
    /// let at = |z: f64| [DVec3::new(-9.0, -9.0, z), DVec3::new(9.0, -9.0, z), DVec3::new(0.0, 9.0, z)].to_vec();
    /// let cloth = Deformable::new(at(3.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![])?;
    /// let mut scene = Scene::default();
    /// scene.add(Body::deforming("cloth", cloth))?;
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
    /// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they touch") };
    /// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn deforming(name: impl Into<String>, mesh: impl Into<Arc<Deformable>>) -> Body {
        Body::of_kind(name.into(), BodyKind::Deforming(Arc::new(MovingTree::new(mesh.into()))))
    }

    /// Creates a robot that moves from one configuration to another.
    ///
    /// ```
    /// use firsttouch::articulated::{Robot, RobotStep};
    /// use firsttouch::motion::Pose;
    /// use firsttouch::{Body, BodyKind};
    /// let robot = Robot::new("post", vec![("post".into(), vec![])], vec![])?;
    /// let body = Body::robot("post", RobotStep::new(robot, Pose::IDENTITY, vec![], vec![])?);
    /// assert!(matches!(body.kind(), BodyKind::Robot(step) if step.robot().links().len() == 1));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn robot(name: impl Into<String>, step: RobotStep) -> Body {
        prepare(step.robot());
        Body::of_kind(name.into(), BodyKind::Robot(Box::new(step)))
    }

    /// Creates a robot that follows a trajectory; see [`RobotPath`]. The scene is checked from waypoint to waypoint,
    /// and everything else in it keeps the same time.
    pub fn robot_along(name: impl Into<String>, path: RobotPath) -> Body {
        prepare(path.robot());
        Body::of_kind(name.into(), BodyKind::RobotPath(Box::new(path)))
    }

    pub(crate) fn attached(name: String, robot: usize, link: usize) -> Body {
        Body::of_kind(name, BodyKind::Attached { robot, link })
    }

    /// Returns the name of the body.
    pub fn name(&self) -> &str {
        &self.content.name
    }

    /// Returns the kind of the body.
    pub fn kind(&self) -> &BodyKind {
        &self.content.kind
    }

    /// Returns the kind of the body, to be changed. Drops the boxes kept from the last query.
    pub(crate) fn kind_mut(&mut self) -> &mut BodyKind {
        self.content.swept = SweptBoxes::default();
        &mut self.content.kind
    }

    /// Returns the boxes that are kept from the last query.
    pub(crate) fn swept(&self) -> &SweptBoxes {
        &self.content.swept
    }

    /// Returns the shape and the motion of a rigid body, and `None` for other kinds.
    pub fn as_rigid(&self) -> Option<(&Shape, &Motion)> {
        match self.kind() {
            BodyKind::Rigid { shape, motion } => Some((shape, motion)),
            BodyKind::Affine(_)
            | BodyKind::Deforming(_)
            | BodyKind::Robot(_)
            | BodyKind::RobotPath(_)
            | BodyKind::Attached { .. } => None,
        }
    }

    /// Returns the robot that moves, for a robot between two configurations or along a trajectory, and `None` for other
    /// kinds.
    ///
    /// ```
    /// use firsttouch::Body;
    /// use firsttouch::articulated::{Robot, RobotStep};
    /// use firsttouch::motion::Pose;
    /// let robot = Robot::new("post", vec![("post".into(), vec![])], vec![])?;
    /// let body = Body::robot("one", RobotStep::new(robot, Pose::IDENTITY, vec![], vec![])?);
    /// assert_eq!(body.as_robot().map(|robot| robot.name()), Some("post"));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn as_robot(&self) -> Option<&Robot> {
        match self.kind() {
            BodyKind::Robot(step) => Some(step.robot()),
            BodyKind::RobotPath(path) => Some(path.robot()),
            BodyKind::Rigid { .. }
            | BodyKind::Affine(_)
            | BodyKind::Deforming(_)
            | BodyKind::Attached { .. } => None,
        }
    }

    /// Returns whether it is rigid and stays at one place.
    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.kind(), BodyKind::Rigid { motion: Motion::Fixed(_), .. })
    }

    /// Returns whether it has no end, as a half-space.
    pub(crate) fn is_unbounded(&self) -> bool {
        self.as_rigid().is_some_and(|(shape, _)| shape.is_unbounded())
    }

    /// Returns the body as one side of a pair. Returns `None` for robots and attached bodies, which have several parts.
    pub(crate) fn as_subject(&self) -> Option<Subject<'_>> {
        match self.kind() {
            BodyKind::Rigid { shape, motion } => Some(Subject::Rigid { shape, motion }),
            BodyKind::Affine(ellipsoid) => Some(Subject::Affine(ellipsoid)),
            BodyKind::Deforming(tree) => Some(Subject::Deforming(tree)),
            BodyKind::Robot(_) | BodyKind::RobotPath(_) | BodyKind::Attached { .. } => None,
        }
    }

    /// Returns the kind of the body as one word.
    pub fn kind_name(&self) -> &'static str {
        match self.kind() {
            BodyKind::Rigid { shape, .. } => shape.kind(),
            BodyKind::Affine(_) => "affine",
            BodyKind::Deforming(_) => "deformable",
            BodyKind::Robot(_) | BodyKind::RobotPath(_) => "robot",
            BodyKind::Attached { .. } => "attached",
        }
    }
}

/// Computes the hulls of a robot's meshes here rather than in the first query.
fn prepare(robot: &Robot) {
    for part in robot.links().iter().flat_map(|link| link.parts()) {
        if let Shape::Mesh(mesh) = &part.shape {
            mesh.hull();
        }
    }
}
