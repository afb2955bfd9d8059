//! From robot files to a robot: URDF or MJCF and SRDF become checked links, shapes and joints.
//!
//! If a joint mimics a joint that mimics another, it follows the last one: the chain is multiplied out here. Axes and mimics
//! of fixed joints are ignored.

use std::collections::HashMap;
use std::path::Path;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Mimic, Robot};
use firsttouch::shape::{Hull, Mesh, Shape};

use crate::error::{Error, Place, Result, malformed};
use crate::files::Files;
use crate::scene::{Pose, ShapeFile};
use crate::scene_build::{MESH_BYTES_PER_TRIANGLE, primitive};
use crate::srdf::SrdfFile;
use crate::urdf::{self, JointFile, RobotFile, RobotMeshes};

/// Reads a robot from a URDF or MJCF file with its meshes and, if given, an SRDF file. Also returns warnings about parts of the files that are ignored.
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

    /// Builds a robot from a file that has been read, with its meshes and, if given, an SRDF file. Also returns warnings.
    pub fn robot_of(&self, file: &RobotFile, srdf: Option<&Path>) -> Result<(Robot, Vec<Error>)> {
        let srdf = srdf.map(|path| self.read_srdf(path, file)).transpose()?.unwrap_or_default();
        let meshes = self.read_robot_meshes(file)?;
        let triangles = meshes.meshes.iter().map(|mesh| mesh.triangles.len() as u64).sum::<u64>();
        let room = self.keep(triangles * MESH_BYTES_PER_TRIANGLE, "all meshes of the robot together");
        room.map_err(|problem| problem.at(Place::File).in_file(&file.path))?;
        Ok((build_robot(file, &meshes, &srdf)?, srdf.warnings))
    }
}

/// Builds a robot from what was read.
///
/// ```
/// use firsttouch_io::{SrdfFile, build_robot, read_robot_meshes, read_urdf};
/// let file = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let robot = build_robot(&file, &read_robot_meshes(&file)?, &SrdfFile::default())?;
/// assert_eq!(robot.variables()[1].name, "lift");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn build_robot(file: &RobotFile, meshes: &RobotMeshes, srdf: &SrdfFile) -> Result<Robot> {
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
    for (joint, mimic) in file.joints.iter().zip(mimics) {
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

/// For each joint, the joint at the end of its chain of mimics, and the factor and offset of the chain. Every part of a chain is
/// multiplied out once, however many joints follow it.
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
