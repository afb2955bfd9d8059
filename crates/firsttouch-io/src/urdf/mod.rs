//! Robots from URDF files, as plain data.
//!
//! Reading takes four steps, with one file for each.
//! 1. `parse`: XML into links with their collision geometry and joints with their origins, axes and limits.
//! 2. `tree`: names unique and known, one root, no loops, mimic joints that follow something.
//! 3. `mesh_files`: `package://` and relative paths to files that exist.
//! 4. [`read_robot_meshes`]: the files' meshes, scaled, each file loaded once.
//!
//! Guarantee: no collision geometry is dropped. An element that may contain some and cannot be read (an unknown shape,
//! a missing mesh, a macro that was not expanded) is refused with its line. Otherwise a robot that silently lacks a
//! hand would be proven free, although its hand touches something. Elements without collision geometry are ignored:
//! visuals, inertias, transmissions, elements of Gazebo and other programs, and the axis, limits and mimic of fixed
//! joints. `vocabulary` has the table of all names. Any other name gives a warning, and so do links that have only
//! visuals.
//!
//! Departures from the specification, all of them towards the meaning of files in use:
//! - A revolute or prismatic joint may lack `<limit>`, or its `<limit>` may lack both ends: no limits.
//! - An axis of any length except (nearly) zero is accepted and normalised, as MoveIt and KDL do.
//! - `<capsule>`, `quat_xyzw` in `<origin>`, one number as `scale`, `inf` as a limit.
//!
//! This reader uses `roxmltree` instead of `urdf-rs`: every message needs the line of its element, and the departures
//! and refusals above are decisions about single elements.
//!
//! Reference: <http://wiki.ros.org/urdf/XML>.

pub(crate) mod mesh_files;
mod parse;
pub(crate) mod tree;
mod visuals;

pub use mesh_files::{RobotMeshes, read_robot_meshes};
pub use visuals::{RobotVisuals, VisualFile};

use crate::error::{Error, Place, Result, malformed};
use crate::files::Files;
use crate::scene::{Pose, ShapeFile};
use glam::DVec3;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The contents of a URDF or MJCF file: a tree of links.
///
/// From a reader, the names of links differ, the names of joints differ, and every link except the root is the child of
/// exactly one joint.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotFile {
    /// The file, for messages.
    pub path: PathBuf,
    /// The name of the robot; empty when the file gives none.
    pub name: String,
    /// The links, in the order of the file.
    pub links: Vec<LinkFile>,
    /// The joints, in the order of the file except that each stands after the joint that moves its parent link.
    pub joints: Vec<JointFile>,
    /// The link that no joint moves, as an index into `links`.
    pub root: usize,
    /// Pairs of links that the file itself says need no check: `contact` and the rules of MJCF, none in URDF.
    pub allowed: Vec<[String; 2]>,
    /// The values of variables that are not given, where they differ from the usual ones: `qpos0` of MJCF, none in
    /// URDF. Variables are named as those of a [`Robot`](firsttouch::articulated::Robot).
    pub zero: BTreeMap<String, f64>,
    /// Bodies around the robot that are not part of a link: the planes of MJCF, none in URDF.
    pub scenery: Vec<SceneryFile>,
    /// Parts that are not read although they may have been meant: unknown names, links that have only visuals. Building
    /// the robot returns these with its own warnings.
    pub warnings: Vec<RobotWarning>,
}

/// A part of a robot's file that is ignored, or is probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotWarning {
    /// The file, which may be an included one.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The doubtful part, and what to write instead.
    pub text: String,
}

impl std::fmt::Display for RobotWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_error().fmt(f)
    }
}

impl RobotWarning {
    /// Returns it in the form of other messages about files.
    pub(crate) fn to_error(&self) -> Error {
        malformed(&self.text).at(Place::Line(self.line)).in_file(&self.file)
    }
}

/// A shape that is fixed to the world around a robot.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneryFile {
    /// Unique among the links and the other bodies around the robot.
    pub name: String,
    /// The line where it begins in the file.
    pub line: usize,
    /// Its pose in the frame of the root link.
    pub origin: Pose,
    /// A half-space.
    pub geometry: ShapeFile,
    /// The links that are not checked against it.
    pub allowed: Vec<String>,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkFile {
    /// Not empty, and unique among the links.
    pub name: String,
    /// The line where it begins in the file.
    pub line: usize,
    /// Its collision geometry.
    pub collisions: Vec<CollisionFile>,
}

/// A piece of collision geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionFile {
    /// Its own name, which few files give.
    pub name: Option<String>,
    /// The line where it begins in the file.
    pub line: usize,
    /// Its pose in the frame of the link.
    pub origin: Pose,
    /// A box, sphere, cylinder, capsule or mesh; in MJCF also an ellipsoid, a hull, heights, or triangles.
    pub geometry: ShapeFile,
}

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct JointFile {
    /// Not empty, and unique among the joints.
    pub name: String,
    /// The line where it begins in the file.
    pub line: usize,
    /// The kind of motion of the child.
    pub kind: JointKind,
    /// The name of the link that it sits on.
    pub parent: String,
    /// The name of the link that it moves.
    pub child: String,
    /// The pose of the child in the frame of the parent, at coordinate zero.
    pub origin: Pose,
    /// The axis in the frame of the child: the axis of the turn or of the slide, or (planar) the normal of the plane.
    /// Of length 1 up to rounding. It is x if the file gives none, and for joints that do not use it.
    pub axis: DVec3,
    /// The limits of a revolute or prismatic joint, if given.
    pub limits: Option<JointLimits>,
    /// The largest speed, per second, of a joint that turns or slides, if given.
    pub velocity: Option<f64>,
    /// The joint that it follows.
    pub mimic: Option<MimicFile>,
}

/// The motion of a child relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about the axis, within limits.
    Revolute,
    /// Turns about the axis, without limits.
    Continuous,
    /// Slides along the axis.
    Prismatic,
    /// Fixed.
    Fixed,
    /// Slides in the plane across the axis, and turns about the axis.
    Planar,
    /// Moves freely.
    Floating,
    /// Turns in any way about a point. In MJCF only.
    Ball,
}

/// The range of a joint's coordinate; an end may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimits {
    /// The lowest coordinate.
    pub lower: f64,
    /// The highest; not below `lower`.
    pub upper: f64,
}

/// A joint that follows another: its coordinate is `multiplier * other + offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct MimicFile {
    /// The other joint, which must turn or slide. It may follow a third one; there are no cycles.
    pub joint: String,
    /// The factor; 1 if left out.
    pub multiplier: f64,
    /// The offset; 0 if left out.
    pub offset: f64,
}

impl JointKind {
    /// Returns true if the joint has one coordinate: it turns about or slides along its axis.
    ///
    /// ```
    /// use firsttouch_io::JointKind;
    /// assert!(JointKind::Prismatic.has_one_coordinate() && !JointKind::Floating.has_one_coordinate());
    /// ```
    pub fn has_one_coordinate(self) -> bool {
        matches!(self, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic)
    }

    /// Returns the word for it in a URDF file, if there is one.
    ///
    /// ```
    /// assert_eq!(firsttouch_io::JointKind::Revolute.name(), "revolute");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Revolute => "revolute",
            JointKind::Continuous => "continuous",
            JointKind::Prismatic => "prismatic",
            JointKind::Fixed => "fixed",
            JointKind::Planar => "planar",
            JointKind::Floating => "floating",
            JointKind::Ball => "ball",
        }
    }
}

impl RobotFile {
    /// Returns the link of that name.
    ///
    /// ```
    /// let robot = firsttouch_io::read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
    /// assert_eq!(robot.link("hand").unwrap().collisions.len(), 1);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn link(&self, name: &str) -> Option<&LinkFile> {
        self.links.iter().find(|link| link.name == name)
    }

    /// Returns the joint of that name.
    ///
    /// ```
    /// let robot = firsttouch_io::read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
    /// assert_eq!(robot.joint("lift").unwrap().limits.unwrap().upper, 0.5);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn joint(&self, name: &str) -> Option<&JointFile> {
        self.joints.iter().find(|joint| joint.name == name)
    }
}

/// Reads a URDF file and finds the mesh files that it names.
///
/// `package://name/rest`, `model://`, `$(find name)/rest` and relative paths are searched from the URDF's folder
/// upwards. First `name/rest` (or `rest` in a folder called `name`) is tried in every folder, then `rest` alone; a file
/// name at each place may differ in upper and lower case. The search goes up at most six folders, no further than the
/// folder that holds the package of the URDF (the one with a `package.xml`), and not into the root of the disk.
///
/// ```
/// let robot = firsttouch_io::read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// assert_eq!((robot.links.len(), robot.joints.len()), (3, 2));
/// assert_eq!(robot.links[robot.root].name, "base");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_urdf(path: &Path) -> Result<RobotFile> {
    Files::default().read_urdf(path)
}

impl Files {
    /// Like [`read_urdf`].
    pub fn read_urdf(&self, path: &Path) -> Result<RobotFile> {
        self.robot_from(&self.load(path)?, path)
    }

    /// Reads a robot from the text of a URDF file and finds the mesh files that it names, as [`read_urdf`] does. `path`
    /// is for messages, and the search begins in its folder.
    pub fn robot_from(&self, bytes: &[u8], path: impl AsRef<Path>) -> Result<RobotFile> {
        let path = path.as_ref();
        let mut robot = parse_urdf(bytes, path)?;
        mesh_files::resolve(&mut robot, self).map_err(|fault| fault.in_file(path))?;
        Ok(robot)
    }
}

/// Reads a robot from the text of a URDF file; `path` is for messages. The paths of meshes come back as written.
///
/// ```
/// let text = br#"<robot name="ball"><link name="ball">
///     <collision><geometry><sphere radius="0.5"/></geometry></collision>
/// </link></robot>"#;
/// let robot = firsttouch_io::parse_urdf(text, "ball.urdf")?;
/// assert_eq!(robot.links[0].collisions[0].geometry, firsttouch_io::ShapeFile::Sphere { radius: 0.5 });
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_urdf(bytes: &[u8], path: impl AsRef<Path>) -> Result<RobotFile> {
    let path = path.as_ref();
    parse::robot(bytes, path).map_err(|fault| fault.in_file(path))
}
