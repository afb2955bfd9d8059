//! Scene files as plain data.
//!
//! A scene file is TOML: a few options and a list of `[[body]]`. The same keys and values may be written as JSON, which
//! `json` reads into the same tables. Reading takes two steps.
//! 1. `raw`: the text into structures with one field per key, so that a misspelt key is an error and not a
//!    body that silently stands still.
//! 2. `check`: exactly one kind per body, numbers finite and in range, names unique and known, paths relative to
//!    the scene file's folder. `values`: numbers, poses and motions.
//!
//! The result has the contents of the file only: no mesh is loaded and no quaternion is normalised.
//!
//! ```
//! use firsttouch_io::{BodyKind, ShapeFile};
//! let text = r#"
//!     [[body]]
//!     name  = "shelf"
//!     shape = { box = [1.2, 1, 0.04] }
//!     pose  = { xyz = [0.5, -1.0, 0.2] }
//! "#;
//! let scene = firsttouch_io::parse_scene(text, "shelf.toml")?;
//! let BodyKind::Rigid { shape: ShapeFile::Box { sides }, .. } = &scene.bodies[0].kind else { panic!() };
//! assert_eq!(sides.to_array(), [1.2, 1.0, 0.04]);
//! # Ok::<(), firsttouch_io::Error>(())
//! ```

mod check;
mod json;
mod pieces;
mod raw;
mod schema;
mod values;

pub use schema::scene_schema;

use crate::error::{Place, Result, malformed};
use crate::files::Files;
use crate::trajectory_build::Interpolation;
use firsttouch::Start;
use glam::{DQuat, DVec2, DVec3};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The contents of a scene file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneFile {
    /// The largest distance at which a touch is reported. `None` stands for the default.
    pub tolerance: Option<f64>,
    /// The distance that things must keep.
    pub min_separation: Option<f64>,
    /// The end of the checked time, in `(0, duration]`.
    pub t_max: Option<f64>,
    /// The time at which all motions end, in the unit of the file. `None` stands for 1.
    pub duration: Option<f64>,
    /// The treatment of contacts at time 0.
    pub start: Option<Start>,
    /// Pairs of bodies that are not checked against each other. In a scene for a robot outside the file, these may also
    /// be the robot, its links as `robot/link`, and patterns with `*` and `?`.
    pub allow: Vec<[String; 2]>,
    /// Pairs of bodies with their own separation or method.
    pub pairs: Vec<PairFile>,
    /// The bodies, in the order of the file; no two have the same name.
    pub bodies: Vec<BodyFile>,
    /// Contents that can be read in two ways, or are probably a mistake. Building the scene returns these with its own
    /// warnings.
    pub warnings: Vec<Warning>,
}

/// Something in a scene file that is probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The line, counted from 1.
    pub line: usize,
    /// The doubtful part, and what to write instead.
    pub text: String,
}

/// One `[[pair]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFile {
    /// The names of two bodies, or the same name twice for the body's own parts. Links of robots (`robot/link`) and
    /// patterns are also allowed.
    pub bodies: [String; 2],
    /// Their minimum separation, which overrides that of the options; zero or more.
    pub min_separation: Option<f64>,
    /// `method = "contact"`: CONTACT decides the pair.
    pub by_contact: bool,
}

/// One `[[body]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyFile {
    /// Not empty, and unique.
    pub name: String,
    /// The line where it begins in the file, for messages.
    pub line: usize,
    /// The kind of the body and its motion.
    pub kind: BodyKind,
    /// The rigid body in whose frame the pose and the motion are given.
    pub parent: Option<String>,
}

/// The kind of a body and its motion.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyKind {
    /// A shape with its own motion (`shape`, with `pose` or `motion`).
    Rigid {
        /// The shape.
        shape: ShapeFile,
        /// Its motion; with a `pose`, or with neither, it is [`MotionFile::Fixed`].
        motion: MotionFile,
    },
    /// A shape that a robot's link carries (`shape` with `attach`).
    Attached {
        /// The shape.
        shape: ShapeFile,
        /// The place where it is held.
        attach: AttachFile,
    },
    /// A mesh whose vertices move on straight lines between two files (`deformable`).
    Deformable {
        /// The mesh at time 0.
        from: PathBuf,
        /// The mesh at time 1.
        to: PathBuf,
    },
    /// An articulated robot (`robot`).
    Robot {
        /// Its description, in URDF or MJCF.
        urdf: PathBuf,
        /// The SRDF file with the pairs of its links that are not checked against each other.
        srdf: Option<PathBuf>,
        /// The largest number of ellipsoids that replace the shapes of each link; at least 1 (`cover`).
        cover: Option<usize>,
        /// The pose of its base.
        base: Pose,
        /// Joint coordinates at time 0; unnamed joints are at zero.
        from: BTreeMap<String, f64>,
        /// Joint coordinates at time 1; unnamed joints keep their value at time 0.
        to: BTreeMap<String, f64>,
        /// The file with its waypoints, which replaces `from` and `to`.
        path: Option<CourseFile>,
    },
}

/// The path of a robot through waypoints (`path`, with `interpolation` and `adaptive`).
#[derive(Debug, Clone, PartialEq)]
pub struct CourseFile {
    /// The file with the waypoints, as [`read_waypoints`](crate::read_waypoints) reads it.
    pub file: PathBuf,
    /// The interpolation between waypoints.
    pub interpolation: Interpolation,
    /// True if proofs about earlier segments are used for later ones (`adaptive`).
    pub adaptive: bool,
}

/// A shape, in the frame of its body.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ShapeFile {
    /// A solid box about the origin.
    Box {
        /// Full side lengths, all positive.
        sides: DVec3,
    },
    /// A solid sphere about the origin.
    Sphere {
        /// The radius; positive.
        radius: f64,
    },
    /// A solid capsule along z about the origin.
    Capsule {
        /// The radius; positive.
        radius: f64,
        /// The length of the segment between the centres of the caps; positive.
        length: f64,
    },
    /// A solid cylinder along z about the origin.
    Cylinder {
        /// The radius; positive.
        radius: f64,
        /// The height; positive.
        length: f64,
    },
    /// A solid ellipsoid about the origin.
    Ellipsoid {
        /// The semi-axes along x, y and z, all positive.
        semi_axes: DVec3,
    },
    /// The surface in a mesh file.
    Mesh {
        /// The file.
        path: PathBuf,
        /// Factors for x, y and z; not zero, negative ones mirror.
        scale: DVec3,
    },
    /// The solid convex hull of a mesh file's vertices.
    Hull {
        /// The file.
        path: PathBuf,
        /// Factors for x, y and z; not zero, negative ones mirror.
        scale: DVec3,
    },
    /// The closed surface in a mesh file, with its inside (`mesh` with `solid = true`).
    SolidMesh {
        /// The file.
        path: PathBuf,
        /// Factors for x, y and z; not zero, negative ones mirror.
        scale: DVec3,
    },
    /// Several convex shapes, each at its own place.
    Compound {
        /// The pieces, each with its pose in the frame of the body.
        pieces: Vec<(ShapeFile, Pose)>,
    },
    /// Ellipsoids that together contain a shape (`cover = N`).
    Cover {
        /// The shape.
        shape: Box<ShapeFile>,
        /// The largest number of ellipsoids; at least 1.
        most: usize,
    },
    /// A ball about each point of a file.
    Points {
        /// The file.
        path: PathBuf,
        /// The radius of the balls; positive.
        radius: f64,
        /// Factors for x, y and z; not zero, negative ones mirror.
        scale: DVec3,
    },
    /// The occupied cells of an octree file.
    Octree {
        /// The file.
        path: PathBuf,
    },
    /// A surface whose heights are in a picture.
    HeightField {
        /// The file.
        path: PathBuf,
        /// The sides along x and y, and the height of white; all positive.
        size: DVec3,
    },
    /// A surface over a grid, centred in x and y: a height field of an MJCF model.
    Heights {
        /// The number of heights along x.
        columns: usize,
        /// The number of heights along y.
        rows: usize,
        /// The sides along x and y; positive.
        sides: DVec2,
        /// The heights, row by row from low y to high y.
        heights: Arc<[f64]>,
    },
    /// Triangles that are in no file: the walls of a height field of an MJCF model.
    Triangles {
        /// The corners.
        positions: Arc<[DVec3]>,
        /// Three corners each.
        triangles: Arc<[[u32; 3]]>,
    },
    /// Everything on one side of a plane.
    HalfSpace {
        /// The outward direction; not zero.
        normal: DVec3,
        /// The distance of the plane from the origin, along the normal.
        offset: f64,
    },
    /// A solid cone along z about the origin, with its tip at the upper end.
    Cone {
        /// The radius of the base; positive.
        radius: f64,
        /// The height; positive.
        length: f64,
    },
}

/// A motion over the time `[0, 1]`.
#[derive(Debug, Clone, PartialEq)]
pub enum MotionFile {
    /// At rest.
    Fixed(Pose),
    /// Straight line of the origin, with a constant turning rate about an axis through it.
    Linear {
        /// The pose at time 0.
        from: Pose,
        /// The pose at time 1.
        to: Pose,
    },
    /// One constant-speed screw.
    Screw {
        /// The pose at time 0.
        from: Pose,
        /// The pose at time 1.
        to: Pose,
    },
    /// The same screw with the timing that makes its contact equations rational.
    ContactScrew {
        /// The pose at time 0.
        from: Pose,
        /// The pose at time 1.
        to: Pose,
    },
    /// A rotation about an axis in space.
    Turn {
        /// The pose at time 0.
        from: Pose,
        /// The axis and the angle.
        turn: TurnFile,
    },
    /// One leg after another.
    Path {
        /// The pose at the first time, and before it.
        from: Pose,
        /// The time at which it begins to move; zero or more.
        start: f64,
        /// The legs, in the order of time.
        legs: Vec<LegFile>,
    },
    /// A smooth motion through all poses.
    Spline {
        /// The times, which increase, and the poses.
        keyframes: Vec<(f64, Pose)>,
    },
    /// Polynomials in time; entry k is the coefficient of t^k. No list is empty.
    Rational {
        /// The quaternion (w, x, y, z) before it is normalised.
        quat: Vec<[f64; 4]>,
        /// The numerator of the translation.
        xyz: Vec<DVec3>,
        /// The denominator of the translation.
        weight: Vec<f64>,
    },
    /// One ellipsoid on its way to another: the matrix `B` in `(x − c)ᵀ B (x − c) <= 1` and the centre `c` are linear
    /// in time.
    Interpolant {
        /// The pose at time 0.
        from: Pose,
        /// The pose at time 1.
        to: Pose,
        /// The semi-axes at time 1, all positive; if left out, those of the shape.
        semi_axes: Option<DVec3>,
    },
    /// Polynomials in time; entry k is the coefficient of t^k. No list is empty.
    Affine {
        /// The linear part, row by row.
        linear: Vec<[f64; 9]>,
        /// The numerator of the translation.
        xyz: Vec<DVec3>,
        /// The denominator of the translation.
        weight: Vec<f64>,
    },
}

/// A rotation about an axis in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnFile {
    /// The direction of the axis; finite, not zero, not necessarily of length 1.
    pub axis: DVec3,
    /// A point of the axis.
    pub point: DVec3,
    /// The angle in radians.
    pub angle: f64,
}

/// A leg of a `path`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegFile {
    /// The time when it ends.
    pub until: f64,
    /// The motion of the body.
    pub by: ByFile,
}

/// The motion of a body on a leg. Parts of a pose that are not given keep their value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ByFile {
    /// It waits.
    Hold,
    /// Straight, turning the shorter way.
    Linear {
        /// The place at the end.
        xyz: Option<DVec3>,
        /// The orientation at the end, as in [`Pose`].
        quat: Option<DQuat>,
    },
    /// On a screw, turning the shorter way.
    Screw {
        /// The place at the end.
        xyz: Option<DVec3>,
        /// The orientation at the end, as in [`Pose`].
        quat: Option<DQuat>,
    },
    /// About an axis in space.
    Turn(TurnFile),
}

/// A place and an orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// The place of the origin.
    pub xyz: DVec3,
    /// The orientation as given: finite, not zero, not necessarily of length 1. From `rpy` it is
    /// R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF.
    pub quat: DQuat,
}

/// The place where a robot holds a body.
#[derive(Debug, Clone, PartialEq)]
pub struct AttachFile {
    /// The name of a robot body in the same file.
    pub robot: String,
    /// The link that holds it.
    pub link: String,
    /// Its pose in the frame of the link; for a body that is taken up, its pose in the world before that.
    pub pose: Pose,
    /// Further links that may touch it.
    pub touch_links: Vec<String>,
    /// The waypoints at which it is taken up and put down; `None` if it is held all the time.
    pub held: Option<HeldFile>,
}

/// The time during which a robot holds a body: from one waypoint of its path to another, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldFile {
    /// The waypoint at which it is taken up.
    pub at: usize,
    /// The waypoint at which it is put down; `None` if it is kept.
    pub release: Option<usize>,
}

impl Pose {
    /// The pose of a body that is not moved.
    pub const IDENTITY: Pose = Pose { xyz: DVec3::ZERO, quat: DQuat::IDENTITY };
}

impl Default for Pose {
    fn default() -> Self {
        Pose::IDENTITY
    }
}

/// Reads a scene file. Paths in it come back joined to its folder.
///
/// ```
/// let scene = firsttouch_io::read_scene("../../testdata/scene/everything.toml".as_ref())?;
/// assert_eq!(scene.bodies.len(), 15);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_scene(path: &Path) -> Result<SceneFile> {
    Files::default().read_scene(path)
}

impl Files {
    /// Like [`read_scene`].
    pub fn read_scene(&self, path: &Path) -> Result<SceneFile> {
        parse_scene_bytes(&self.load(path)?, path)
    }

    /// Like [`parse_scene_for`], from a file.
    pub fn read_scene_for(&self, path: &Path, robot: &str) -> Result<SceneFile> {
        parse_scene_for(&self.load(path)?, path, robot)
    }
}

/// Like [`parse_scene`], from bytes that must be UTF-8 text.
pub fn parse_scene_bytes(bytes: &[u8], path: impl AsRef<Path>) -> Result<SceneFile> {
    parse_scene(utf8(bytes, path.as_ref())?, path)
}

/// Reads a scene from text; `path` is for messages, and paths in the scene are relative to its folder. The text is JSON
/// if the path ends in `.json` or the text begins with a brace, and TOML otherwise.
///
/// ```
/// let text = r#"{"body": [{"name": "ball", "shape": {"sphere": {"radius": 1}}}]}"#;
/// assert_eq!(firsttouch_io::parse_scene(text, "ball.json")?.bodies[0].name, "ball");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_scene(text: &str, path: impl AsRef<Path>) -> Result<SceneFile> {
    parse(text, path.as_ref(), None)
}

/// Reads the surroundings of a robot that is not in the scene itself, as [`parse_scene_bytes`] does. Bodies may be
/// attached to the robot, and `allow` may name it, one of its links as `robot/link`, or patterns.
///
/// ```
/// let text = br#"
///     allow = [["arm/finger_*", "cup"]]
///     [[body]]
///     name   = "cup"
///     shape  = { sphere = { radius = 0.1 } }
///     pose   = { xyz = [1, 0, 0] }
///     attach = { robot = "arm", link = "hand", at = 2, release = 5 }
/// "#;
/// let scene = firsttouch_io::parse_scene_for(text, "cup.toml", "arm")?;
/// assert_eq!(scene.allow[0][0], "arm/finger_*");
/// assert!(firsttouch_io::parse_scene_bytes(text, "cup.toml").is_err());
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_scene_for(bytes: &[u8], path: impl AsRef<Path>, robot: &str) -> Result<SceneFile> {
    parse(utf8(bytes, path.as_ref())?, path.as_ref(), Some(robot))
}

fn parse(text: &str, path: &Path, robot: Option<&str>) -> Result<SceneFile> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = if json::is_json(text, path) {
        json::scene(text, folder, robot)
    } else {
        check::scene(text, folder, robot)
    };
    read.map_err(|fault| fault.in_file(path))
}

fn utf8<'b>(bytes: &'b [u8], path: &Path) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        malformed("not UTF-8 text").at(Place::Line(line)).in_file(path)
    })
}
