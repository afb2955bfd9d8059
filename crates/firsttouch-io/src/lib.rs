//! Files in and out for firsttouch: meshes, scenes, robots and query sets.
//!
//! All input is checked here. A file that is truncated, malformed, too large, contains NaN or was written for another
//! program gives an [`Error`] with its name and the place in it. No input makes a reader panic or loop forever, and no
//! reader trusts a size in a file when it allocates memory.
//!
//! - [`read_mesh`], [`write_mesh`]: OBJ, STL, PLY, OFF, glTF/GLB and COLLADA in; OBJ and PLY out.
//! - [`read_points`], [`read_octomap`], [`read_png_heights`], [`read_mujoco_heights`]: point clouds (PLY, PCD, XYZ,
//!   NPY), octrees and heights.
//! - [`read_scene`]: scene files as plain data; [`build_scene`]: a scene to check from that data.
//! - [`Files::surroundings`]: a scene file as the surroundings of a robot that is not in it.
//! - [`read_urdf`], [`read_mjcf`], [`read_robot_meshes`], [`read_srdf`], [`read_waypoints`]: robots and their paths;
//!   [`build_robot`]: a robot to check.
//! - [`Files`]: the same readers with limits on folders and memory. [`save`]: writes a file completely or not at
//!   all.
//! - [`Stage`]: a motion and its touch as OBJ and GLB, for other programs.
//! - [`page`]: a motion and its answer as a page for a browser.
//! - [`read_queries`]: sets of vertex/face and edge/edge queries with their ground truth.

mod cloud;
pub mod error;
mod files;
mod mesh;
mod mjcf;
pub mod page;
mod parts;
mod queries;
mod robot_build;
mod save;
mod scene;
mod scene_build;
mod scene_doubts;
mod source;
mod spelling;
mod srdf;
mod stage;
mod surroundings;
mod trajectory_build;
mod urdf;
mod vocabulary;
mod waypoints;
mod xml;

pub use cloud::{
    HeightData, OctreeData, read_mujoco_heights, read_npy, read_octomap, read_pcd, read_png_heights,
    read_points, read_xyz,
};
pub use error::{Error, Place, Problem, Result, printable};
pub use files::{Files, MAX_FILE_BYTES, STANDARD_INPUT};
pub use firsttouch::matches_pattern;
pub use mesh::{
    MeshData, PlyEncoding, read_dae, read_frames, read_gltf, read_mesh, read_obj, read_off, read_ply,
    read_stl, write_mesh, write_obj, write_ply,
};
pub use mjcf::{parse_mjcf, read_mjcf};
pub use queries::{Contact, Query, QueryKind, QuerySet, add_contacts, parse_queries, read_queries};
pub use robot_build::{Scenery, build_robot, read_robot};
pub use save::{discard_unfinished, prepare_folder, save};
pub use scene::{
    AttachFile, BodyFile, BodyKind, ByFile, CourseFile, HeldFile, LegFile, MotionFile, PairFile, Pose,
    SceneFile, ShapeFile, TurnFile, Warning, parse_scene, parse_scene_bytes, parse_scene_for, read_scene,
    scene_schema,
};
pub use scene_build::{build_scene, build_scene_with_warnings, leave_out_resting, path_legs};
pub use srdf::{DisabledPair, SrdfFile, parse_srdf, read_srdf, write_srdf};
pub use stage::{Stage, surface};
pub use surroundings::Surroundings;
pub use trajectory_build::{Interpolation, build_trajectories, configurations, waypoint_weights};
pub use urdf::{
    CollisionFile, JointFile, JointKind, JointLimits, LinkFile, MimicFile, RobotFile, RobotMeshes,
    RobotVisuals, RobotWarning, SceneryFile, VisualFile, parse_urdf, read_robot_meshes, read_urdf,
};
pub use vocabulary::{KnownName, RobotFormat, Treatment};
pub use waypoints::{WaypointPath, Waypoints, parse_waypoints, read_waypoints};
