//! Two files that are frames of one deforming mesh.

use std::path::Path;

use super::MeshData;
use crate::error::{Place, Result, malformed};
use crate::files::Files;

/// Reads two frames of one mesh: files with the same triangles, loose edges and loose points over as many vertices.
///
/// ```
/// let folder = std::path::Path::new("../../testdata/scenes");
/// let [from, to] = firsttouch_io::read_frames(&folder.join("falling0.obj"), &folder.join("falling1.obj"))?;
/// assert_eq!(from.triangles, to.triangles);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_frames(from: &Path, to: &Path) -> Result<[MeshData; 2]> {
    Files::default().read_frames(from, to)
}

impl Files {
    /// Like [`read_frames`].
    pub fn read_frames(&self, from: &Path, to: &Path) -> Result<[MeshData; 2]> {
        alike([self.read_mesh(from)?, self.read_mesh(to)?], from, to)
    }
}

fn alike([a, b]: [MeshData; 2], from: &Path, to: &Path) -> Result<[MeshData; 2]> {
    let fail = |what: String| Err(malformed(what).at(Place::File).in_file(to));
    let first = from.display();
    for (what, x, y) in [
        ("vertices", a.positions.len(), b.positions.len()),
        ("triangles", a.triangles.len(), b.triangles.len()),
        ("loose edges", a.edges.len(), b.edges.len()),
        ("loose points", a.points.len(), b.points.len()),
    ] {
        if x != y {
            return fail(format!("{y} {what}, but {first} has {x}: not two frames of one mesh"));
        }
    }
    if let Some(i) = (0..a.triangles.len()).find(|&i| a.triangles[i] != b.triangles[i]) {
        return fail(format!(
            "triangle {i} has the vertices {:?}, but in {first} {:?}: not two frames of one mesh",
            b.triangles[i], a.triangles[i]
        ));
    }
    if a.edges != b.edges || a.points != b.points {
        return fail(format!("other loose edges or points than {first}: not two frames of one mesh"));
    }
    if a.triangles.is_empty() && a.edges.is_empty() && a.points.is_empty() {
        return fail("no faces, no edges, no points: nothing to check".into());
    }
    Ok([a, b])
}
