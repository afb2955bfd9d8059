//! The mesh files of a robot: found, loaded once each, and scaled.
//!
//! A `package://` path names a package, and only a ROS installation knows where its packages are. The meshes of a URDF
//! are usually near it. So folders are searched from the URDF's own upwards, up to [`HIGHEST`] above it. Packages lie
//! side by side: the search ends in the folder that holds the URDF's own package, if a `package.xml` says where that
//! is. The root of the disk is not searched, nor are folders that [`Files::within`] excludes.
//! 1. `package/rest` in every folder, or `rest` in a folder that is itself called `package`.
//! 2. `rest` alone in every folder. This comes after all of (1), so that a robot does not get `meshes/arm.stl` from the
//!    folder of a neighbour while its own file exists.
//!
//! At each place the name as written is tried first, then a file whose name differs only in upper and lower case, if
//! there is exactly one. A mesh that is not found is an error with the list of the places.

use super::{CollisionFile, RobotFile};
use crate::error::{Error, Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::mesh::MeshData;
use crate::scene::ShapeFile;
use crate::source::shown;
use glam::DVec3;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The meshes of a robot. Collisions with the same file and scale share one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotMeshes {
    /// The distinct meshes, scaled, in the order of their first use. Each has triangles.
    pub meshes: Vec<MeshData>,
    /// For every link and every collision of it, the index of its mesh; `None` for other shapes.
    pub of_link: Vec<Vec<Option<usize>>>,
}

/// The number of folders above the URDF's own that are searched. Workspaces nest less deeply, and folders further up
/// belong to other projects.
const HIGHEST: usize = 6;

/// Reads the meshes of a robot from [`read_urdf`](crate::read_urdf). An error has the line of the URDF and, where the
/// mesh file is at fault, its name and line as well.
///
/// ```
/// use firsttouch_io::{read_robot_meshes, read_urdf};
/// let robot = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let meshes = read_robot_meshes(&robot)?;
/// assert_eq!(meshes.of_link, [vec![None], vec![None], vec![Some(0)]]);
/// assert_eq!(meshes.meshes[0].triangles.len(), 4);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_robot_meshes(robot: &RobotFile) -> Result<RobotMeshes> {
    Files::default().read_robot_meshes(robot)
}

impl Files {
    /// Like [`read_robot_meshes`].
    pub fn read_robot_meshes(&self, robot: &RobotFile) -> Result<RobotMeshes> {
        read(self, robot)
    }
}

fn read(from: &Files, robot: &RobotFile) -> Result<RobotMeshes> {
    let mut files: HashMap<PathBuf, MeshData> = HashMap::new();
    let mut index_of: HashMap<(PathBuf, [u64; 3]), usize> = HashMap::new();
    let mut all = RobotMeshes::default();
    let mut mesh = |collision: &CollisionFile| -> Result<Option<usize>, Problem> {
        let (ShapeFile::Mesh { path, scale } | ShapeFile::Hull { path, scale }) = &collision.geometry else {
            return Ok(None);
        };
        // Several paths may lead to the same file.
        let file = path.canonicalize().unwrap_or_else(|_| path.clone());
        let key = (file.clone(), scale.to_array().map(f64::to_bits));
        if let Some(&known) = index_of.get(&key) {
            return Ok(Some(known));
        }
        let loaded = match files.entry(file) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let mesh = from.read_mesh(path).map_err(inside)?;
                from.warn_of_loose_parts(&mesh, path);
                entry.insert(mesh)
            }
        };
        if loaded.triangles.is_empty() {
            return Err(malformed(format!("{}: there are no triangles", path.display())));
        }
        // Scales let a small file describe many large meshes.
        from.keep(loaded.bytes(), "all meshes of the robot together")?;
        all.meshes.push(scaled(loaded, *scale)?);
        index_of.insert(key, all.meshes.len() - 1);
        Ok(Some(all.meshes.len() - 1))
    };
    let mut of_link = Vec::with_capacity(robot.links.len());
    for link in &robot.links {
        let of_collisions = link.collisions.iter().map(|collision| {
            mesh(collision).map_err(|problem| problem.at(Place::Line(collision.line)).in_file(&robot.path))
        });
        of_link.push(of_collisions.collect::<Result<Vec<_>>>()?);
    }
    all.of_link = of_link;
    Ok(all)
}

/// Returns an error in a mesh file as an error of the robot's file that names it.
pub(super) fn inside(error: Error) -> Problem {
    Problem::Named { context: String::new(), error: Box::new(error) }
}

pub(super) fn scaled(mesh: &MeshData, scale: DVec3) -> Result<MeshData, Problem> {
    let mut mesh = mesh.clone();
    for position in &mut mesh.positions {
        *position *= scale;
        if !position.is_finite() {
            return Err(Problem::NotFinite { what: "a scaled position".into(), value: position.to_string() });
        }
    }
    Ok(mesh)
}

/// The places where the mesh files of a URDF file are searched.
pub(super) struct Folders {
    folders: Vec<PathBuf>,
    /// The name of the URDF's own folder.
    own_name: Option<String>,
}

impl Folders {
    pub(super) fn of(urdf: &Path, files: &Files) -> Folders {
        let folder = urdf.parent().unwrap_or(Path::new(""));
        // The folder as the caller wrote it, so messages look familiar; above it, as it really is.
        let mut folders = vec![folder.to_path_buf()];
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let full = here.canonicalize().unwrap_or_default();
        let above = full.ancestors().skip(1).take(HIGHEST).filter(|folder| folder.parent().is_some());
        // The folder above the one with a package.xml is the last.
        let mut in_package = full.join("package.xml").is_file();
        for folder in above {
            if !files.allows(folder) {
                break;
            }
            folders.push(folder.to_path_buf());
            if in_package {
                break;
            }
            in_package = folder.join("package.xml").is_file();
        }
        let own_name = full.file_name().map(|name| name.to_string_lossy().into_owned());
        Folders { folders, own_name }
    }

    /// Returns the file that a path as written stands for.
    pub(super) fn find(&self, written: &Path, files: &Files) -> Result<PathBuf, Problem> {
        find(&written.to_string_lossy(), &self.folders, self.own_name.as_deref(), files)
    }
}

/// Replaces the paths as written by the files that exist.
pub(crate) fn resolve(robot: &mut RobotFile, files: &Files) -> Result<(), Fault> {
    let folders = Folders::of(&robot.path, files);
    let mut known: HashMap<PathBuf, PathBuf> = HashMap::new();
    for collision in robot.links.iter_mut().flat_map(|link| &mut link.collisions) {
        let (ShapeFile::Mesh { path, .. } | ShapeFile::Hull { path, .. }) = &mut collision.geometry else {
            continue;
        };
        if let Some(file) = known.get(path) {
            path.clone_from(file);
            continue;
        }
        let file = folders.find(path, files).map_err(|problem| problem.at(Place::Line(collision.line)))?;
        known.insert(std::mem::replace(path, file.clone()), file);
    }
    Ok(())
}

/// Returns the first of the places that holds a file.
fn find(
    written: &str,
    folders: &[PathBuf],
    own_name: Option<&str>,
    files: &Files,
) -> Result<PathBuf, Problem> {
    let mut places = places(written, folders, own_name)?;
    places.retain(|place| files.allows(place));
    if let Some(file) = places.iter().find_map(|place| existing(place)).filter(|file| files.allows(file)) {
        return Ok(file);
    }
    let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    let tried = if tried.is_empty() {
        "it is outside the only folder that may be read".into()
    } else {
        format!("tried {}", tried.join(", "))
    };
    let text = format!("mesh \"{}\" was not found; {tried}", shown(written.as_bytes()));
    // The whole list helps the user. It is shortened only for names that no real file has.
    Err(if written.len() <= 300 { Problem::Malformed(text) } else { malformed(text) })
}

fn places(written: &str, folders: &[PathBuf], own_name: Option<&str>) -> Result<Vec<PathBuf>, Problem> {
    // Windows' separator; no mesh file in use has it in its name.
    let written = written.replace('\\', "/");
    let path = strip_scheme(&written, "file://").unwrap_or(&written);
    let packaged = ["package://", "model://"]
        .iter()
        .find_map(|scheme| strip_scheme(path, scheme))
        .map(|rest| rest.trim_start_matches('/'))
        .map(|rest| rest.split_once('/').unwrap_or(("", rest)))
        .or_else(|| path.strip_prefix("$(find ")?.split_once(')'))
        .map(|(package, rest)| (package.trim(), rest.trim_start_matches('/')));
    let Some((package, rest)) = packaged else {
        if path.contains("://") {
            return Err(Problem::Unsupported(format!("mesh \"{}\": only files", shown(path.as_bytes()))));
        }
        return Ok(if Path::new(path).is_absolute() {
            vec![PathBuf::from(path)]
        } else {
            folders.iter().map(|folder| folder.join(path)).collect()
        });
    };
    let mut places = Vec::new();
    for (i, folder) in folders.iter().enumerate() {
        let name = if i == 0 { own_name } else { folder.file_name().and_then(|name| name.to_str()) };
        if name == Some(package) {
            places.push(folder.join(rest));
        }
        places.push(folder.join(package).join(rest));
    }
    for folder in folders {
        let place = folder.join(rest);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Returns the file at that place, or the only one there whose name differs only in upper and lower case.
fn existing(place: &Path) -> Option<PathBuf> {
    if place.is_file() {
        return Some(place.to_path_buf());
    }
    let name = place.file_name()?.to_str()?;
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let alike = |file: &PathBuf| {
        file.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.eq_ignore_ascii_case(name))
            && file.is_file()
    };
    let mut found = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(alike);
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}
