//! From robot files to a robot: URDF and SRDF become checked links, shapes and joints.
//!
//! A joint that mimics one that mimics another follows the last of them: the chain is multiplied out here. Fixed joints
//! may carry axes and mimics; they mean nothing.

use std::path::Path;

use firsttouch::articulated::{Joint, JointKind, LinkPart, Mimic, Robot};
use firsttouch::shape::{Mesh, Shape};

use crate::error::{Error, Place, Result, malformed};
use crate::scene::{Pose, ShapeFile};
use crate::scene_build::primitive;
use crate::srdf::SrdfFile;
use crate::urdf::{self, JointFile, RobotFile, RobotMeshes, read_robot_meshes, read_urdf};

/// Reads a robot from a URDF file with its meshes and, if given, an SRDF file; also returns what was passed over.
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
    let file = read_urdf(urdf)?;
    let srdf = srdf.map(|path| crate::read_srdf(path, &file)).transpose()?.unwrap_or_default();
    let robot = build_robot(&file, &read_robot_meshes(&file)?, &srdf)?;
    Ok((robot, srdf.warnings))
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
    // Each distinct mesh, with its hierarchy, is made once and shared.
    let mut shared: Vec<Option<Shape>> = vec![None; meshes.meshes.len()];
    let mut links = Vec::with_capacity(file.links.len());
    for (link, mesh_of) in file.links.iter().zip(&meshes.of_link) {
        let mut parts = Vec::with_capacity(link.collisions.len());
        for (collision, mesh) in link.collisions.iter().zip(mesh_of) {
            let shape = match (&collision.geometry, mesh) {
                (ShapeFile::Mesh { .. }, Some(index)) => {
                    let slot = &mut shared[*index];
                    match slot {
                        Some(shape) => shape.clone(),
                        None => {
                            let data = &meshes.meshes[*index];
                            let mesh = Mesh::new(data.positions.clone(), data.triangles.clone());
                            slot.insert(mesh.map_err(|error| at(collision.line, error))?.into()).clone()
                        }
                    }
                }
                (geometry, _) => primitive(geometry).map_err(|error| at(collision.line, error))?,
            };
            parts.push(LinkPart { shape, pose: pose(&collision.origin).map_err(|e| at(collision.line, e))? });
        }
        links.push((link.name.clone(), parts));
    }
    let mut joints = Vec::with_capacity(file.joints.len());
    for joint in &file.joints {
        joints.push(Joint {
            name: joint.name.clone(),
            parent: joint.parent.clone(),
            child: joint.child.clone(),
            origin: pose(&joint.origin).map_err(|error| at(joint.line, error))?,
            kind: kind(joint),
            limits: joint.limits.map(|limits| [limits.lower, limits.upper]),
            mimic: if joint.kind == urdf::JointKind::Fixed { None } else { mimic(file, joint) },
        });
    }
    let whole = |error: firsttouch::Error| malformed(error.to_string()).at(Place::File).in_file(&file.path);
    let mut robot = Robot::new(&file.name, links, joints).map_err(whole)?;
    for [a, b] in &srdf.disabled {
        robot.allow(a, b).map_err(whole)?;
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
        urdf::JointKind::Fixed => JointKind::Fixed,
    }
}

/// The joint at the end of a chain of mimics, and what the chain multiplies and adds.
fn mimic(file: &RobotFile, joint: &JointFile) -> Option<Mimic> {
    let first = joint.mimic.as_ref()?;
    let mut chain = Mimic { joint: first.joint.clone(), multiplier: first.multiplier, offset: first.offset };
    // The reader has made sure that following them comes to an end.
    while let Some(next) = file.joint(&chain.joint).and_then(|joint| joint.mimic.as_ref()) {
        chain = Mimic {
            joint: next.joint.clone(),
            multiplier: chain.multiplier * next.multiplier,
            offset: chain.multiplier * next.offset + chain.offset,
        };
    }
    Some(chain)
}
