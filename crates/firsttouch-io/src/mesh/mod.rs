//! Triangle meshes in and out.
//!
//! One file per format. Every reader works on bytes, gives the same [`MeshData`] and the same errors with a
//! place, keeps the triangles in the order of the file, and never moves, merges or drops a surface silently:
//! it refuses data that it cannot read.

mod collada;
mod frames;
mod gltf;
mod obj;
mod off;
mod ply;
mod polygon;
mod stl;
mod weld;

pub use collada::read_dae;
pub use frames::read_frames;
pub use gltf::read_gltf;
pub use obj::{read_obj, write_obj};
pub use off::read_off;
pub(crate) use ply::read as read_ply_within;
pub use ply::{PlyEncoding, read_ply, write_ply};
pub use stl::read_stl;

use crate::error::{Error, Fault, Place, Problem, Result, malformed};
use crate::files::{Files, try_reserve};
use glam::{DAffine3, DMat4, DVec3, DVec4};
use std::path::Path;

/// The contents of a mesh file: triangles over shared positions, and loose edges and points.
///
/// From a reader, all positions are finite, all indices are in range, and there is at least one position.
/// Degenerate triangles are kept: the mesh is a soup.
///
/// ```
/// let mesh = firsttouch_io::read_obj(b"v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\nl 1 3\n", "quad.obj")?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(mesh.edges, [[0, 2]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshData {
    /// The vertices.
    pub positions: Vec<DVec3>,
    /// Corners as indices into `positions`, in the order of the file.
    pub triangles: Vec<[u32; 3]>,
    /// Loose edges, which are not part of the surface: OBJ `l`, PLY `edge`, glTF and DAE lines.
    pub edges: Vec<[u32; 2]>,
    /// Loose points, which are not part of the surface: OBJ `p`, glTF points.
    pub points: Vec<u32>,
}

/// The tables of the formats, for the test of the documentation.
#[cfg(test)]
pub(crate) static TABLES: [&[crate::parts::Parts]; 4] =
    [&gltf::TABLES, &collada::TABLES, &obj::TABLES, &ply::TABLES];

const MESH_EXTENSIONS: &str = ".obj, .stl, .ply, .off, .gltf, .glb or .dae";

/// Reads a mesh file in the format that its extension names, in upper or lower case.
///
/// ```
/// let path = std::path::Path::new("../../testdata/obj/tetrahedron.obj");
/// assert_eq!(firsttouch_io::read_mesh(path)?.triangles.len(), 4);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_mesh(path: &Path) -> Result<MeshData> {
    Files::default().read_mesh(path)
}

impl Files {
    /// Like [`read_mesh`].
    pub fn read_mesh(&self, path: &Path) -> Result<MeshData> {
        type Reader = fn(&Files, &[u8], &Path) -> Result<MeshData>;
        let read: Reader = match extension(path).as_str() {
            "obj" => |_, bytes, path| read_obj(bytes, path),
            "stl" => |_, bytes, path| read_stl(bytes, path),
            "ply" => |files, bytes, path| ply::read(bytes, path, files),
            "off" => |_, bytes, path| read_off(bytes, path),
            "dae" => |files, bytes, path| collada::read(bytes, path, files),
            "gltf" | "glb" => |files, bytes, path| {
                let folder = path.parent().unwrap_or(Path::new(""));
                gltf::read(bytes, path, &|uri| files.load(&folder.join(uri)), files)
            },
            _ => return Err(unknown(path, MESH_EXTENSIONS)),
        };
        let mesh = read(self, &self.load(path)?, path)?;
        self.keep(mesh.bytes(), "the mesh").map_err(|problem| problem.at(Place::File).in_file(path))?;
        Ok(mesh)
    }
}

impl Files {
    /// Adds a warning if a mesh that is taken for a rigid surface has loose edges or points.
    pub fn warn_of_loose_parts(&self, mesh: &MeshData, path: &Path) {
        let loose = mesh.edges.len() + mesh.points.len();
        if loose > 0 {
            let text = format!(
                "{loose} loose edges and points are no part of the surface and are left out; a deforming mesh has them, and a thin cylinder can \
                 stand for an edge"
            );
            self.warn(path, Place::File, text);
        }
    }
}

/// Writes a mesh in the format that the extension names: `.obj`, or `.ply` (binary). Positions come back
/// bit for bit when the file is read again.
pub fn write_mesh(path: &Path, mesh: &MeshData) -> Result<()> {
    match extension(path).as_str() {
        "obj" => crate::save(path, |mut out| write_obj(&mut out, mesh)),
        "ply" => crate::save(path, |mut out| write_ply(&mut out, mesh, PlyEncoding::BinaryLittleEndian)),
        _ => Err(unknown(path, ".obj or .ply")),
    }
}

impl MeshData {
    /// Returns the smallest and largest coordinates of the vertices, or `None` if there are none.
    ///
    /// ```
    /// let mesh = firsttouch_io::read_obj(b"v 0 5 1\nv 2 0 0\n", "two.obj")?;
    /// assert_eq!(mesh.bounding_box().unwrap().1.to_array(), [2.0, 5.0, 1.0]);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn bounding_box(&self) -> Option<(DVec3, DVec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p))))
    }

    /// Returns the number of triangles without area: two equal corners, or a cross product that is zero in f64. For
    /// information only; they are part of the mesh like all others.
    ///
    /// ```
    /// let mesh = firsttouch_io::read_obj(b"v 0 0 0\nv 1 0 0\nv 3 0 0\nf 1 2 3\n", "flat.obj")?;
    /// assert_eq!(mesh.degenerate_triangles(), 1);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn degenerate_triangles(&self) -> usize {
        let flat = |t: &&[u32; 3]| {
            let [a, b, c] = t.map(|i| self.positions[i as usize]);
            a == b || b == c || c == a || (b - a).cross(c - a) == DVec3::ZERO
        };
        self.triangles.iter().filter(flat).count()
    }

    /// Returns the size of its lists.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&self.positions[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.edges[..])
            + size_of_val(&self.points[..])) as u64
    }

    /// Adds another mesh, transformed. Refuses positions that overflow f64.
    fn append(&mut self, other: &MeshData, transform: &DAffine3) -> Result<(), Problem> {
        let base = index_u32(self.positions.len() + other.positions.len())? - other.positions.len() as u32;
        try_reserve(&mut self.positions, other.positions.len(), "the mesh")?;
        try_reserve(&mut self.triangles, other.triangles.len(), "the mesh")?;
        try_reserve(&mut self.edges, other.edges.len(), "the mesh")?;
        try_reserve(&mut self.points, other.points.len(), "the mesh")?;
        for &position in &other.positions {
            let moved = transform.transform_point3(position);
            if !moved.is_finite() {
                return Err(Problem::NotFinite {
                    what: "a transformed position".into(),
                    value: moved.to_string(),
                });
            }
            self.positions.push(moved);
        }
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + base)));
        self.edges.extend(other.edges.iter().map(|e| e.map(|i| i + base)));
        self.points.extend(other.points.iter().map(|i| i + base));
        Ok(())
    }

    /// Refuses an empty mesh. This is the last step of every reader.
    fn not_empty(self) -> Result<MeshData, Fault> {
        if self.positions.is_empty() {
            Err(Problem::Empty { what: "vertices" }.at(Place::File))
        } else {
            Ok(self)
        }
    }
}

/// The same limit for the number of times that a part is placed: nodes times primitives is quadratic in a file's size.
const MAX_INSTANCES: u64 = 1 << 20;

/// Formats with instances can describe more data than they hold. This limit keeps a small file from filling the memory:
/// the lists grow to twice their size before they are full.
fn room_for(mesh: &MeshData, more: &MeshData, files: &Files) -> Result<(), Problem> {
    files.fits(2 * (mesh.bytes() + more.bytes()), "the mesh with all its instances")
}

/// Returns a matrix as a map of points. A matrix whose last row is not 0 0 0 1, up to the rounding of exporters, would
/// divide by a different number at every point.
fn affine(matrix: DMat4) -> Result<DAffine3, Problem> {
    if !(matrix.row(3) - DVec4::W).abs().cmple(DVec4::splat(1e-6)).all() {
        return Err(malformed("the last row of a matrix must be 0 0 0 1"));
    }
    Ok(DAffine3::from_mat4(matrix))
}

fn index_u32(index: usize) -> Result<u32, Problem> {
    u32::try_from(index)
        .map_err(|_| Problem::TooLarge { what: "the number of vertices".into(), limit: u64::from(u32::MAX) })
}

pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

pub(crate) fn unknown(path: &Path, expected: &'static str) -> Error {
    let advice = match extension(path).as_str() {
        "step" | "stp" | "iges" | "igs" | "brep" => "; FreeCAD and gmsh convert it to STL",
        "3mf" | "fbx" | "abc" | "usd" | "usda" | "usdc" | "usdz" | "blend" | "wrl" | "x3d" | "dxf"
        | "3ds" => "; Blender and MeshLab export OBJ, STL and glTF",
        "xacro" => "; expand it first: xacro FILE.xacro > FILE.urdf",
        _ if path.is_dir() => "; this is a folder: name a file in it",
        _ => "",
    };
    Problem::UnknownFormat { expected, advice }.at(Place::File).in_file(path)
}
