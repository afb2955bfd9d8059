//! Real files, if the folder with them lies beside the checkout: counts and boxes known from other programs.

use firsttouch_io::{BodyKind, MeshData, ShapeFile, read_mesh, read_queries, read_scene};
use std::path::{Path, PathBuf};

/// Returns the folder, if it is there. If not, the test says on standard error that it had no data; unlike `println!`,
/// that is seen without any option. The tests `meshes`, `scenes` and `query_sets` assert the same of files in
/// `testdata`.
fn data(test: &str) -> Option<PathBuf> {
    use std::io::Write;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
    }
    folder.is_dir().then_some(folder)
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension)) {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn mesh_counts() {
    let Some(data) = data("mesh_counts") else { return };
    let check = |name: &str, vertices: usize, triangles: usize| -> MeshData {
        let mesh = read_mesh(&data.join(name)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
        mesh
    };
    check("rigid/bunny7k.obj", 3485, 6966);
    check("rigid/bunny69k.obj", 35947, 69451);
    check("scenes/cloth-ball/cloth_ball92.ply", 46598, 92230);
    check("scenes/cloth-ball/cloth_ball93.ply", 46598, 92230);
    check("scenes/armadillo-rollers/326.ply", 12135, 24242);
    check("scenes/armadillo-rollers/327.ply", 12135, 24242);
    let link6 = check("robots/panda/meshes/collision/link6.obj", 966, 1308);
    assert_eq!(link6.edges.len(), 19);
    let (low, high) = link6.bounding_box().unwrap();
    assert_eq!(low.to_array(), [-0.047922, -0.051209, -0.044242]);
    assert_eq!(high.to_array(), [0.132309, 0.081648, 0.056396]);
}

#[test]
fn all_robot_meshes() {
    let Some(data) = data("all_robot_meshes") else { return };
    let total = |robot: &str, extension: &str| {
        let mut paths = Vec::new();
        files(&data.join("robots").join(robot), extension, &mut paths);
        let triangles = |path: &PathBuf| {
            let mesh = read_mesh(path).unwrap_or_else(|e| panic!("{e}"));
            assert!(mesh.positions.len() < 3 * mesh.triangles.len() + 1);
            mesh.triangles.len()
        };
        (paths.len(), paths.iter().map(triangles).sum::<usize>())
    };
    assert_eq!(total("panda", "obj"), (10, 3440));
    assert_eq!(total("ur5", "stl"), (13, 96_549));
}

#[test]
fn all_scenes() {
    let Some(data) = data("all_scenes") else { return };
    let mut paths = Vec::new();
    files(&data, "toml", &mut paths);
    assert_eq!(paths.len(), 80);
    let mut bodies = 0;
    for path in paths {
        let scene = read_scene(&path).unwrap_or_else(|e| panic!("{e}"));
        bodies += scene.bodies.len();
        for body in &scene.bodies {
            if let BodyKind::Rigid { shape: ShapeFile::Mesh { path, .. }, .. } = &body.kind {
                assert!(path.exists(), "{}", path.display());
            }
        }
    }
    assert_eq!(bodies, 660);
}

#[test]
fn all_query_sets() {
    let Some(data) = data("all_query_sets") else { return };
    let mut paths = Vec::new();
    files(&data.join("queries"), "csv", &mut paths);
    assert_eq!(paths.len(), 28);
    let (mut queries, mut contacts) = (0, 0);
    for path in paths {
        let set = read_queries(&path, None).unwrap_or_else(|e| panic!("{e}"));
        queries += set.queries.len();
        contacts += set.queries.iter().filter(|q| q.contact.is_some()).count();
    }
    assert_eq!((queries, contacts), (102_648 / 8, 4650 + 27 + 107));
}
