//! Point clouds, octrees and heights.
//!
//! One file per format. Readers work on bytes and return plain lists. They have the same errors and limits as the
//! readers of meshes: memory is reserved only after the count in a header is compared with the number of bytes left.
//!
//! PCD, XYZ, NPY and OctoMap are read without a crate. `pcd-rs` 0.13 allocates by the header's count and ends at the
//! first point it cannot parse without a line; `npyz` brings seven dependencies for one array of numbers; there is no
//! maintained crate for OctoMap.

mod heights;
mod npy;
mod octomap;
mod pcd;
mod xyz;

pub(crate) use heights::scale_to_unit;
pub use heights::{HeightData, read_mujoco_heights, read_png_heights};
pub use npy::read_npy;
pub use octomap::{OctreeData, read_octomap};
pub use pcd::read_pcd;
pub use xyz::read_xyz;

use crate::error::{Place, Problem, Result};
use crate::files::Files;
use crate::mesh::{extension, read_ply_within as read_ply, unknown};
use glam::DVec3;
use std::path::Path;

/// The tables of the formats, for the test of the documentation.
#[cfg(test)]
pub(crate) static TABLES: [&[crate::parts::Parts]; 2] = [&pcd::TABLES, &octomap::TABLES];

const POINT_EXTENSIONS: &str = ".ply, .pcd, .xyz, .txt, .csv or .npy";

/// Reads the points of a file in the format that its extension names: PLY, PCD, XYZ (also as `.txt` or `.csv`) or NPY.
///
/// ```
/// let points = firsttouch_io::read_points("../../testdata/pcd/corner.pcd".as_ref())?;
/// assert_eq!(points.len(), 8);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_points(path: &Path) -> Result<Vec<DVec3>> {
    Files::default().read_points(path)
}

impl Files {
    /// Like [`read_points`].
    pub fn read_points(&self, path: &Path) -> Result<Vec<DVec3>> {
        type Reader = fn(&Files, &[u8], &Path) -> Result<Vec<DVec3>>;
        let read: Reader = match extension(path).as_str() {
            "ply" => |files, bytes, path| {
                let mesh = read_ply(bytes, path, files)?;
                if !(mesh.triangles.is_empty() && mesh.edges.is_empty()) {
                    let text = "the faces and edges are not part of a cloud of points, which has the vertices only: read the file as a mesh";
                    files.warn(path, Place::File, text);
                }
                Ok(mesh.positions)
            },
            "pcd" => |files, bytes, path| pcd::read(bytes, path, files),
            "xyz" | "txt" | "csv" => |_, bytes, path| read_xyz(bytes, path),
            "npy" => npy::read,
            _ => return Err(unknown(path, POINT_EXTENSIONS)),
        };
        let points = read(self, &self.load(path)?, path)?;
        let bytes = size_of_val(&points[..]) as u64;
        self.keep(bytes, "the points").map_err(|problem| problem.at(Place::File).in_file(path))?;
        Ok(points)
    }

    /// Reads an octree: OctoMap's `.bt` or `.ot`. The first line tells which.
    pub fn read_octree(&self, path: &Path) -> Result<OctreeData> {
        let data = octomap::read(&self.load(path)?, self).map_err(|fault| fault.in_file(path))?;
        let bytes = size_of_val(&data.cells[..]) as u64;
        self.keep(bytes, "the octree").map_err(|problem| problem.at(Place::File).in_file(path))?;
        Ok(data)
    }

    /// Reads heights from a grey PNG picture.
    pub fn read_heights(&self, path: &Path) -> Result<HeightData> {
        if extension(path) != "png" {
            return Err(unknown(path, ".png"));
        }
        let data = heights::read(&self.load(path)?, path, self)?;
        let bytes = size_of_val(&data.values[..]) as u64;
        self.keep(bytes, "the heights").map_err(|problem| problem.at(Place::File).in_file(path))?;
        Ok(data)
    }
}

/// Refuses an empty list. This is the last step of every reader of points.
fn not_empty(points: Vec<DVec3>) -> Result<Vec<DVec3>, crate::error::Fault> {
    if points.is_empty() { Err(Problem::Empty { what: "points" }.at(Place::File)) } else { Ok(points) }
}
