//! Two files that are frames of one deforming mesh.

use std::path::Path;

use super::{MeshData, extension};
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
        let (first, second) = self.read_both(from, to);
        alike([first?, second?], from, to)
    }

    /// Reads both files, in parallel where memory is not short. So the messages about memory do not depend on which
    /// file is read first.
    fn read_both(&self, from: &Path, to: &Path) -> (Result<MeshData>, Result<MeshData>) {
        // These formats describe no more than a few times their own size.
        let is_plain = |path: &Path| matches!(extension(path).as_str(), "ply" | "obj" | "off" | "stl");
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        let is_ample = size(from).saturating_add(size(to)).saturating_mul(64) < self.left();
        std::thread::scope(|scope| {
            let ahead = (is_plain(from) && is_plain(to) && is_ample)
                .then(|| std::thread::Builder::new().spawn_scoped(scope, || self.read_mesh(to)).ok())
                .flatten();
            let first = self.read_mesh(from);
            let second = match ahead {
                Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                None => self.read_mesh(to),
            };
            (first, second)
        })
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
