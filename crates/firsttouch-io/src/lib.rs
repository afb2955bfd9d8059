//! Files in and out for firsttouch: meshes, scenes and query sets.
//!
//! Everything that enters is checked here: a file that is truncated, full of garbage, NaN-bearing, too large or
//! written for another program gives an [`Error`] with its name and the place in it. No input makes a reader
//! panic, loop without end, or allocate by a number that the file merely claims.
//!
//! - [`read_mesh`], [`write_mesh`]: OBJ, STL, PLY, glTF/GLB and COLLADA in; OBJ and PLY out.
//! - [`read_scene`]: scene files as plain data, in the words of the file; [`build_scene`]: that data as a scene to check.
//! - [`read_queries`]: sets of vertex/face and edge/edge queries with their ground truth.

pub mod error;
mod mesh;
mod queries;
mod scene;
mod scene_build;
mod source;

pub use error::{Error, Place, Problem, Result};
pub use mesh::{
    MeshData, PlyEncoding, read_dae, read_gltf, read_mesh, read_obj, read_ply, read_stl, write_mesh,
    write_obj, write_ply,
};
pub use queries::{Contact, Query, QueryKind, QuerySet, add_contacts, parse_queries, read_queries};
pub use scene::{
    AttachFile, BodyFile, BodyKind, MotionFile, Pose, SceneFile, ShapeFile, parse_scene, read_scene,
};
pub use scene_build::build_scene;
pub use source::MAX_FILE_BYTES;
