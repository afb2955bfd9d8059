//! Robots from MJCF files (MuJoCo's format), as the same plain data as robots from URDF files.
//!
//! Reading takes five steps, with one file for each, and `height_fields` for the geometry of one kind of asset.
//! 1. `elements`: XML into a tree of elements with `<include>` expanded; every element knows its file and line. All
//!    names are checked against the table in `vocabulary`. It refuses elements that may contain geometry and are not
//!    read (`composite`, `flexcomp`, `replicate`, `attach`).
//! 2. `settings`: `<compiler>` (angles, Euler sequences, limits, folders), flags, and the classes of `<default>`.
//! 3. `bodies`: bodies, joints and geoms into links, joints and collision geometry.
//! 4. `equalities`: joints that follow others.
//! 5. `contacts`: the pairs of bodies that MuJoCo never checks, as pairs that are allowed to touch.
//!
//! # What becomes what
//! - The world is the root link `world`. Its own geoms are the link `worldbody`, fixed to it.
//! - A body is a link. If it has several joints, all but the last one get a link without geometry, called `BODY/JOINT`.
//! - A joint at `pos` carries a link whose frame is at that point; MuJoCo's body frame is beside it. World poses are
//!   the same.
//! - `hinge`, `slide`, `ball` and `free` are joints of the kinds revolute, prismatic, ball and floating. The
//!   coordinates are those of MuJoCo's `qpos`, except that the quaternions of ball and floating joints are written
//!   `rot_x`, `rot_y`, `rot_z`, `rot_w`. A coordinate that is not given has its value of `qpos0`: `ref`, or the pose of
//!   a body with a free joint.
//! - A mesh is its convex hull, because MuJoCo checks the hull.
//! - A plane has no end, regardless of its size: it is a half-space. No link can carry one, so it is
//!   [`RobotFile::scenery`], which stands around the robot. As in MuJoCo, planes and height fields belong to the world
//!   or to bodies that are fixed to it.
//! - A height field is a solid: see `height_fields`.
//! - A geom with `contype` and `conaffinity` zero takes no part in contacts and is left out, unless a `<pair>` names
//!   it.
//! - A geom that a `<pair>` names is a separate link, `BODY/GEOM`, fixed to that of its body. So the pair is checked
//!   regardless of other rules for the bodies, and no other pair of them is.
//! - A linear `<equality><joint>` is a joint that mimics another. MuJoCo enforces it by forces, so the kinematics alone
//!   do not show it; the author of the model means it.
//!
//! Guarantee: no other geometry is left out, and no constraint of joints is. An element that cannot be read and may
//! contain geometry, or tie bodies together (`connect`, `weld`, other `equality` elements that are active), is refused
//! with its line. The range of a ball joint is ignored.
//!
//! Reference: <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.

mod bodies;
mod contacts;
mod elements;
mod equalities;
mod height_fields;
mod settings;

pub(crate) use elements::is_mjcf;

use crate::error::{Error, Place, Problem, Result};
use crate::files::Files;
use crate::urdf::{RobotFile, mesh_files};
use std::path::Path;

/// Reads an MJCF file with the files that it includes, and finds the mesh files that it names.
///
/// ```
/// let robot = firsttouch_io::read_mjcf("../../testdata/robots/arm.xml".as_ref())?;
/// assert_eq!(robot.links[robot.root].name, "world");
/// assert_eq!(robot.joint("shoulder").unwrap().kind, firsttouch_io::JointKind::Ball);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_mjcf(path: &Path) -> Result<RobotFile> {
    Files::default().read_mjcf(path)
}

/// Reads a robot from the text of an MJCF file; `path` is for messages. The paths of meshes come back as written, in
/// the folder that the compiler settings name. Included files are refused: see [`read_mjcf`].
///
/// ```
/// let text = br#"<mujoco model="ball"><worldbody><body name="ball">
///     <joint name="spin" axis="0 0 1"/><geom size="0.5"/>
/// </body></worldbody></mujoco>"#;
/// let robot = firsttouch_io::parse_mjcf(text, "ball.xml")?;
/// assert_eq!(robot.link("ball").unwrap().collisions[0].geometry, firsttouch_io::ShapeFile::Sphere { radius: 0.5 });
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_mjcf(bytes: &[u8], path: impl AsRef<Path>) -> Result<RobotFile> {
    robot(bytes, path.as_ref(), &mut |included| {
        let problem = Problem::Unsupported("an included file where only text is read".into());
        Err(Error { file: included.to_path_buf(), place: Place::File, problem })
    })
}

impl Files {
    /// Like [`read_mjcf`].
    pub fn read_mjcf(&self, path: &Path) -> Result<RobotFile> {
        self.mjcf_from(&self.load(path)?, path)
    }

    /// Reads a robot from the text of an MJCF file, as [`read_mjcf`] does. `path` is for messages, and its folder is
    /// searched for other files.
    pub fn mjcf_from(&self, bytes: &[u8], path: impl AsRef<Path>) -> Result<RobotFile> {
        let path = path.as_ref();
        let mut robot = robot(bytes, path, &mut |included| self.load(included))?;
        mesh_files::resolve(&mut robot, self).map_err(|fault| fault.in_file(path))?;
        Ok(robot)
    }

    /// Reads a robot from a URDF or an MJCF file. The root element decides.
    ///
    /// ```
    /// use firsttouch_io::Files;
    /// for file in ["plain.urdf", "arm.xml"] {
    ///     let path = std::path::Path::new("../../testdata/robots").join(file);
    ///     assert!(Files::default().read_robot_file(&path).is_ok());
    /// }
    /// ```
    pub fn read_robot_file(&self, path: &Path) -> Result<RobotFile> {
        self.robot_file_from(&self.load(path)?, path)
    }

    /// Reads a robot from the text of a URDF or an MJCF file, as [`Files::read_robot_file`] does.
    pub fn robot_file_from(&self, bytes: &[u8], path: impl AsRef<Path>) -> Result<RobotFile> {
        if is_mjcf(bytes) { self.mjcf_from(bytes, path) } else { self.robot_from(bytes, path) }
    }
}

fn robot(bytes: &[u8], path: &Path, load: &mut dyn FnMut(&Path) -> Result<Vec<u8>>) -> Result<RobotFile> {
    let document = elements::Document::read(bytes, path, load)?;
    let warnings = document.check()?;
    let settings = settings::Settings::read(&document)?;
    Ok(RobotFile { warnings, ..bodies::robot(&document, &settings, load)? })
}
