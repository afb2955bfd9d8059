//! From robot files to a robot: URDF or MJCF and SRDF become checked links, shapes and joints.
//!
//! If a joint mimics a joint that mimics another, it follows the last one: the chain is multiplied out. Axes and mimics
//! of fixed joints are ignored.

use std::collections::HashMap;
use std::path::Path;

use firsttouch::Body;
use firsttouch::articulated::{Joint, JointKind, LinkPart, Mimic, Robot};
use firsttouch::motion::Motion;
use firsttouch::shape::{Hull, Mesh, Shape};

use crate::error::{Error, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::scene::{Pose, ShapeFile};
use crate::scene_build::{CLOUD_BYTES_PER_POINT, MESH_BYTES_PER_TRIANGLE, primitive};
use crate::srdf::SrdfFile;
use crate::urdf::{self, JointFile, RobotFile, RobotMeshes, RobotWarning};

/// Reads a robot from a URDF or MJCF file with its meshes and, if given, an SRDF file. Also returns warnings about
/// parts of the files that are ignored.
///
/// A model with planes is more than a robot and is refused; see [`Files::robot_and_scenery`].
///
/// ```
/// let (robot, warnings) = firsttouch_io::read_robot(
///     "../../testdata/robots/plain.urdf".as_ref(),
///     Some("../../testdata/robots/plain.srdf".as_ref()),
/// )?;
/// assert_eq!(robot.links().len(), 3);
/// assert!(warnings.is_empty());
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_robot(urdf: &Path, srdf: Option<&Path>) -> Result<(Robot, Vec<Error>)> {
    Files::default().read_robot(urdf, srdf)
}

impl Files {
    /// Like [`read_robot`].
    pub fn read_robot(&self, urdf: &Path, srdf: Option<&Path>) -> Result<(Robot, Vec<Error>)> {
        self.robot_of(&self.read_robot_file(urdf)?, srdf)
    }

    /// Builds a robot from a file that has been read, with its meshes and, if given, an SRDF file. Also returns
    /// warnings. A model with planes is refused; see [`Files::robot_and_scenery`].
    pub fn robot_of(&self, file: &RobotFile, srdf: Option<&Path>) -> Result<(Robot, Vec<Error>)> {
        refuse_scenery(file)?;
        let (robot, _, warnings) = self.robot_and_scenery(file, srdf)?;
        Ok((robot, warnings))
    }

    /// Like [`Files::robot_of`], with what stands around the robot: the planes of an MJCF model. The robot alone would
    /// pass through them.
    ///
    /// ```
    /// use firsttouch_io::{Files, parse_mjcf};
    /// let text = br#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
    ///     <body name="foot"><geom size="0.5"/><body name="ball" pos="0 0 3"><joint name="lift" type="slide" axis="0 0 1"/><geom size="1"/></body></body>
    /// </worldbody></mujoco>"#;
    /// let file = parse_mjcf(text, "crane.xml")?;
    /// assert!(Files::default().robot_of(&file, None).is_err());
    /// let (robot, scenery, _) = Files::default().robot_and_scenery(&file, None)?;
    /// assert_eq!((robot.variables().len(), &scenery[0].name[..]), (1, "floor"));
    /// // What is fixed to the world is not checked against the floor; what moves is.
    /// assert_eq!(scenery[0].allowed, ["foot"]);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn robot_and_scenery(
        &self,
        file: &RobotFile,
        srdf: Option<&Path>,
    ) -> Result<(Robot, Vec<Scenery>, Vec<Error>)> {
        let srdf = srdf.map(|path| self.read_srdf(path, file)).transpose()?.unwrap_or_default();
        let meshes = self.read_robot_meshes(file)?;
        let triangles = meshes.meshes.iter().map(|mesh| mesh.triangles.len() as u64).sum::<u64>();
        let without_files = file.links.iter().flat_map(|link| &link.collisions);
        let without_files: u64 = without_files.map(|collision| bytes_of(&collision.geometry)).sum();
        let bytes = triangles * MESH_BYTES_PER_TRIANGLE + without_files;
        let room = self.keep(bytes, "all meshes of the robot together");
        room.map_err(|problem| problem.at(Place::File).in_file(&file.path))?;
        let robot = links_and_joints(file, &meshes, &srdf)?;
        let of_file = file.warnings.iter().map(RobotWarning::to_error);
        let warnings = of_file.chain(srdf.warnings).chain(self.take_warnings()).collect();
        Ok((robot, scenery(file)?, warnings))
    }
}

/// A body at rest around a robot: a plane of an MJCF model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scenery {
    /// Its own name, which no link has.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// The pose in the frame of the robot's base.
    pub pose: firsttouch::motion::Pose,
    /// The links that are not checked against it.
    pub allowed: Vec<String>,
}

impl Scenery {
    /// Returns it as a body with another name, for a robot with this base.
    ///
    /// ```
    /// use firsttouch::motion::{Pose, RigidMotion};
    /// use firsttouch_io::{Files, parse_mjcf};
    /// let text = br#"<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 2"/></worldbody></mujoco>"#;
    /// let (_, scenery, _) = Files::default().robot_and_scenery(&parse_mjcf(text, "m.xml")?, None)?;
    /// let base = Pose::from_translation(glam::DVec3::Z * 3.0).unwrap();
    /// let floor = scenery[0].body("floor", base).unwrap();
    /// assert_eq!(floor.as_rigid().unwrap().1.pose_at(0.0).translation.z, 5.0);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn body(&self, name: &str, base: firsttouch::motion::Pose) -> firsttouch::Result<Body> {
        let place = base.translation() + base.rotation() * self.pose.translation();
        let pose = firsttouch::motion::Pose::new(place, base.rotation() * self.pose.rotation())?;
        Ok(Body::new(name, self.shape.clone(), Motion::fixed(pose)))
    }
}

fn scenery(file: &RobotFile) -> Result<Vec<Scenery>> {
    let built = file.scenery.iter().map(|described| {
        let at = |error: firsttouch::Error| {
            malformed(error.to_string()).at(Place::Line(described.line)).in_file(&file.path)
        };
        Ok(Scenery {
            name: described.name.clone(),
            shape: primitive(&described.geometry).map_err(at)?,
            pose: pose(&described.origin).map_err(at)?,
            allowed: described.allowed.clone(),
        })
    });
    built.collect()
}

/// Refuses scenery: a robot that passes through its floor is not the one of the file.
fn refuse_scenery(file: &RobotFile) -> Result<()> {
    let Some(first) = file.scenery.first() else { return Ok(()) };
    let text = "a plane that takes part in contacts, where only a robot is read: give it as a half_space of the scene instead";
    Err(Problem::Unsupported(text.into()).at(Place::Line(first.line)).in_file(&file.path))
}

/// Returns the memory of a shape that is in the robot's file itself.
fn bytes_of(shape: &ShapeFile) -> u64 {
    match shape {
        ShapeFile::Heights { heights, .. } => heights.len() as u64 * CLOUD_BYTES_PER_POINT,
        ShapeFile::Triangles { triangles, .. } => triangles.len() as u64 * MESH_BYTES_PER_TRIANGLE,
        _ => 0,
    }
}

/// Builds a robot from a parsed file. A model with planes is refused; see [`Files::robot_and_scenery`].
///
/// ```
/// use firsttouch_io::{SrdfFile, build_robot, read_robot_meshes, read_urdf};
/// let file = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let robot = build_robot(&file, &read_robot_meshes(&file)?, &SrdfFile::default())?;
/// assert_eq!(robot.variables()[1].name, "lift");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn build_robot(file: &RobotFile, meshes: &RobotMeshes, srdf: &SrdfFile) -> Result<Robot> {
    refuse_scenery(file)?;
    links_and_joints(file, meshes, srdf)
}

/// Refuses a robot without shapes: it could never touch anything, and every motion of it would be free.
fn refuse_without_shapes(file: &RobotFile) -> Result<()> {
    if !file.scenery.is_empty() || file.links.iter().any(|link| !link.collisions.is_empty()) {
        return Ok(());
    }
    let mut text = String::from(
        "no link has a collision shape, so nothing could touch the robot: give links a <collision> (in MJCF a geom whose contype or conaffinity \
         is not zero); visuals are not checked",
    );
    if let Some(RobotWarning { line, text: doubt, .. }) = file.warnings.first() {
        text += &format!(" (line {line}: {doubt})");
    }
    Err(malformed(text).at(Place::File).in_file(&file.path))
}

/// Limits of velocity outside of this range are none.
const LIMITS_OF_VELOCITY: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

fn links_and_joints(file: &RobotFile, meshes: &RobotMeshes, srdf: &SrdfFile) -> Result<Robot> {
    refuse_without_shapes(file)?;
    let at = |line: usize, error: firsttouch::Error| {
        malformed(error.to_string()).at(Place::Line(line)).in_file(&file.path)
    };
    // Each distinct mesh and its hierarchy are built once and shared, and so is each hull.
    let mut shared: [Vec<Option<Shape>>; 2] = [0, 1].map(|_| vec![None; meshes.meshes.len()]);
    let mut links = Vec::with_capacity(file.links.len());
    for (link, mesh_of) in file.links.iter().zip(&meshes.of_link) {
        let mut parts = Vec::with_capacity(link.collisions.len());
        for (collision, mesh) in link.collisions.iter().zip(mesh_of) {
            let shape = match (&collision.geometry, mesh) {
                (ShapeFile::Mesh { .. } | ShapeFile::Hull { .. }, Some(index)) => {
                    let is_hull = matches!(collision.geometry, ShapeFile::Hull { .. });
                    let slot = &mut shared[usize::from(is_hull)][*index];
                    match slot {
                        Some(shape) => shape.clone(),
                        None => {
                            let data = &meshes.meshes[*index];
                            let shape = if is_hull {
                                Hull::new(&data.positions).map(Shape::from)
                            } else {
                                Mesh::new(data.positions.clone(), data.triangles.clone()).map(Shape::from)
                            };
                            slot.insert(shape.map_err(|error| at(collision.line, error))?).clone()
                        }
                    }
                }
                (geometry, _) => primitive(geometry).map_err(|error| at(collision.line, error))?,
            };
            parts.push(LinkPart { shape, pose: pose(&collision.origin).map_err(|e| at(collision.line, e))? });
        }
        links.push((link.name.clone(), parts));
    }
    let mimics = mimics(file)?;
    let mut joints = Vec::with_capacity(file.joints.len());
    let mut velocities = Vec::new();
    for (joint, mimic) in file.joints.iter().zip(mimics) {
        velocities.extend(velocity(joint, mimic.as_ref()));
        joints.push(Joint {
            name: joint.name.clone(),
            parent: joint.parent.clone(),
            child: joint.child.clone(),
            origin: pose(&joint.origin).map_err(|error| at(joint.line, error))?,
            kind: kind(joint),
            limits: joint.limits.map(|limits| [limits.lower, limits.upper]),
            mimic,
        });
    }
    let whole = |error: firsttouch::Error| malformed(error.to_string()).at(Place::File).in_file(&file.path);
    let mut robot = Robot::new(&file.name, links, joints).map_err(whole)?;
    for [a, b] in file.allowed.iter().chain(&srdf.disabled) {
        robot.allow(a, b).map_err(whole)?;
    }
    for (name, largest) in velocities {
        let known = robot.variable(&name).and_then(|variable| robot.variables()[variable].velocity);
        if known.is_none_or(|known| largest < known) && LIMITS_OF_VELOCITY.contains(&largest) {
            robot.limit_velocity(&name, largest).map_err(whole)?;
        }
    }
    if !file.zero.is_empty() {
        let mut zero = robot.zero();
        for (name, &value) in &file.zero {
            let missing = || malformed(format!("\"{name}\" is not a joint that can move"));
            let index = robot.variable(name).ok_or_else(|| missing().at(Place::File).in_file(&file.path))?;
            zero[index] = value;
        }
        robot.set_zero(&zero).map_err(whole)?;
    }
    Ok(robot)
}

/// The variable that a limit of velocity applies to, and the limit there: a joint that others follow is as slow as its
/// followers need it.
fn velocity(joint: &JointFile, mimic: Option<&Mimic>) -> Option<(String, f64)> {
    let largest = joint.velocity?;
    match mimic {
        None => Some((joint.name.clone(), largest)),
        Some(mimic) => Some((mimic.joint.clone(), largest / mimic.multiplier.abs())),
    }
}

fn pose(pose: &Pose) -> firsttouch::Result<firsttouch::motion::Pose> {
    firsttouch::motion::Pose::new(pose.xyz, pose.quat)
}

fn kind(joint: &JointFile) -> JointKind {
    match joint.kind {
        urdf::JointKind::Revolute | urdf::JointKind::Continuous => JointKind::Revolute { axis: joint.axis },
        urdf::JointKind::Prismatic => JointKind::Prismatic { axis: joint.axis },
        urdf::JointKind::Planar => JointKind::Planar { normal: joint.axis },
        urdf::JointKind::Floating => JointKind::Floating,
        urdf::JointKind::Ball => JointKind::Ball,
        urdf::JointKind::Fixed => JointKind::Fixed,
    }
}

/// Returns, for each joint, the joint at the end of its chain of mimics, and the factor and offset of the chain. Every
/// part of a chain is multiplied out once, however many joints follow it.
fn mimics(file: &RobotFile) -> Result<Vec<Option<Mimic>>> {
    let index_of: HashMap<&str, usize> =
        file.joints.iter().enumerate().map(|(i, joint)| (&joint.name[..], i)).collect();
    let leader = |i: usize| {
        let mimic = file.joints[i].mimic.as_ref()?;
        Some((mimic, *index_of.get(&mimic.joint[..])?))
    };
    let mut known: Vec<Option<Mimic>> = vec![None; file.joints.len()];
    for start in 0..file.joints.len() {
        // Up to a joint that follows none, or whose chain is known. The reader has excluded cycles.
        let mut chain = Vec::new();
        let mut at = start;
        while known[at].is_none()
            && let Some((mimic, next)) = leader(at)
        {
            chain.push((at, mimic));
            at = next;
        }
        for (i, mimic) in chain.into_iter().rev() {
            let (factor, offset) = (mimic.multiplier, mimic.offset);
            let total = match &known[at] {
                None => Mimic { joint: mimic.joint.clone(), multiplier: factor, offset },
                Some(rest) => Mimic {
                    joint: rest.joint.clone(),
                    multiplier: factor * rest.multiplier,
                    offset: factor * rest.offset + offset,
                },
            };
            if !(total.multiplier.is_finite() && total.offset.is_finite()) {
                let text = "the multipliers and offsets of the joints that it mimics are too large together";
                return Err(malformed(text).at(Place::Line(file.joints[i].line)).in_file(&file.path));
            }
            known[i] = Some(total);
            at = i;
        }
    }
    for (joint, mimic) in file.joints.iter().zip(&mut known) {
        if joint.kind == urdf::JointKind::Fixed {
            *mimic = None;
        }
    }
    Ok(known)
}
