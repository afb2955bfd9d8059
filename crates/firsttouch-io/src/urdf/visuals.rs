//! The visuals of a robot: the `<visual>` elements of its file. They are only for pictures; no query sees them.
//!
//! A visual that cannot be read (a mesh that is not found, a shape that URDF does not know) gives a warning, and the
//! others are shown: no answer depends on it.

use super::mesh_files::{Folders, inside, scaled};
use super::parse;
use crate::error::{Error, Place, Problem, Result};
use crate::files::Files;
use crate::mesh::MeshData;
use crate::mjcf::is_mjcf;
use crate::scene::{Pose, ShapeFile};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The visuals of a robot.
#[derive(Debug, Default)]
pub struct RobotVisuals {
    /// The visuals of each link, by the name of the link.
    pub of_link: BTreeMap<String, Vec<VisualFile>>,
    /// The distinct meshes, scaled.
    pub meshes: Vec<MeshData>,
    /// Visuals that could not be read.
    pub warnings: Vec<Error>,
}

/// One visual.
#[derive(Debug, Clone, PartialEq)]
pub struct VisualFile {
    /// Its pose in the frame of the link.
    pub origin: Pose,
    /// A box, sphere, cylinder, capsule or mesh.
    pub geometry: ShapeFile,
    /// For a mesh, its index in [`RobotVisuals::meshes`].
    pub mesh: Option<usize>,
}

impl Files {
    /// Reads the visuals of a URDF file and their meshes. An MJCF file has none: its geoms are shown.
    ///
    /// ```
    /// use firsttouch_io::Files;
    /// let visuals = Files::default().read_visuals("../../testdata/robots/untidy.urdf".as_ref())?;
    /// // It has one, a torus, which URDF does not know.
    /// assert!(visuals.of_link.is_empty());
    /// assert_eq!(visuals.warnings.len(), 1);
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn read_visuals(&self, urdf: &Path) -> Result<RobotVisuals> {
        let bytes = self.load(urdf)?;
        if is_mjcf(&bytes) {
            return Ok(RobotVisuals::default());
        }
        let links = parse::visuals(&bytes).map_err(|fault| fault.in_file(urdf))?;
        let folders = Folders::of(urdf, self);
        let mut all = RobotVisuals::default();
        let mut known = HashMap::new();
        for (name, visuals) in links {
            for visual in visuals {
                let read = visual.map_err(|fault| fault.in_file(urdf)).and_then(|visual| {
                    let mesh = mesh(self, &folders, &visual.geometry, &mut known, &mut all.meshes)
                        .map_err(|problem| problem.at(Place::Line(visual.line)).in_file(urdf))?;
                    Ok(VisualFile { origin: visual.origin, geometry: visual.geometry, mesh })
                });
                match read {
                    Ok(visual) => all.of_link.entry(name.clone()).or_default().push(visual),
                    Err(warning) => all.warnings.push(warning),
                }
            }
        }
        Ok(all)
    }
}

/// Returns the index of a visual's mesh, and reads the mesh if it is new.
fn mesh(
    files: &Files,
    folders: &Folders,
    geometry: &ShapeFile,
    known: &mut HashMap<(PathBuf, [u64; 3]), usize>,
    meshes: &mut Vec<MeshData>,
) -> Result<Option<usize>, Problem> {
    let ShapeFile::Mesh { path, scale } = geometry else { return Ok(None) };
    let file = folders.find(path, files)?;
    let key = (file.clone(), scale.to_array().map(f64::to_bits));
    if let Some(&index) = known.get(&key) {
        return Ok(Some(index));
    }
    meshes.push(scaled(&files.read_mesh(&file).map_err(inside)?, *scale)?);
    known.insert(key, meshes.len() - 1);
    Ok(Some(meshes.len() - 1))
}
