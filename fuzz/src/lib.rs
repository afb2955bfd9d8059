//! The bodies of the fuzz targets: each reads its bytes, and checks the promises of a reader that accepts them.
//!
//! The bodies are plain functions so that they run under cargo-fuzz and, fed with mutated seeds, in the ordinary
//! test suite (`crates/firsttouch-io/tests/hostile.rs` includes this file).

use firsttouch_io::{Interpolation, MeshData, PlyEncoding, QueryKind, Result, RobotFile, build_trajectories};
use std::sync::LazyLock;

/// A fuzz target: its name and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All targets, by the names of their files under `fuzz_targets/`.
pub const TARGETS: [Target; 18] = [
    ("obj", obj),
    ("stl", stl),
    ("ply", ply),
    ("gltf", gltf),
    ("dae", dae),
    ("queries", queries),
    ("check", check),
    ("urdf", urdf),
    ("mjcf", mjcf),
    ("srdf", srdf),
    ("waypoints", waypoints),
    ("off", off),
    ("pcd", pcd),
    ("xyz", xyz),
    ("npy", npy),
    ("octomap", octomap),
    ("png", png),
    ("hfield", hfield),
];

/// Wavefront OBJ.
pub fn obj(data: &[u8]) {
    mesh(firsttouch_io::read_obj(data, "fuzz.obj"));
}

/// STL, both kinds.
pub fn stl(data: &[u8]) {
    mesh(firsttouch_io::read_stl(data, "fuzz.stl"));
}

/// PLY, all three kinds.
pub fn ply(data: &[u8]) {
    mesh(firsttouch_io::read_ply(data, "fuzz.ply"));
}

/// glTF and GLB. No file can be reached; any buffer file holds a few zero bytes.
pub fn gltf(data: &[u8]) {
    mesh(firsttouch_io::read_gltf(data, "fuzz.gltf", &|_| Ok(vec![0; 64])));
}

/// COLLADA.
pub fn dae(data: &[u8]) {
    mesh(firsttouch_io::read_dae(data, "fuzz.dae"));
}

/// OFF.
pub fn off(data: &[u8]) {
    mesh(firsttouch_io::read_off(data, "fuzz.off"));
}

/// PCD, all three kinds.
pub fn pcd(data: &[u8]) {
    points(firsttouch_io::read_pcd(data, "fuzz.pcd"));
}

/// XYZ.
pub fn xyz(data: &[u8]) {
    points(firsttouch_io::read_xyz(data, "fuzz.xyz"));
}

/// NPY.
pub fn npy(data: &[u8]) {
    points(firsttouch_io::read_npy(data, "fuzz.npy"));
}

/// OctoMap, both kinds. Accepted cells make a shape.
pub fn octomap(data: &[u8]) {
    let Ok(map) = described(firsttouch_io::read_octomap(data, "fuzz.bt")) else { return };
    assert!(!map.cells.is_empty() && map.resolution > 0.0);
    if map.resolution < 1e90 && map.resolution > 1e-90 {
        assert!(firsttouch::shape::Octree::new(map.resolution, map.cells).is_ok());
    }
}

/// Heights in PNG pictures.
pub fn png(data: &[u8]) {
    let Ok(heights) = described(firsttouch_io::read_png_heights(data, "fuzz.png")) else { return };
    assert_eq!(heights.values.len(), heights.columns * heights.rows);
    assert!(heights.values.iter().all(|height| (0.0..=1.0).contains(height)));
}

/// Heights in MuJoCo's binary files.
pub fn hfield(data: &[u8]) {
    let Ok(heights) = described(firsttouch_io::read_mujoco_heights(data, "fuzz.hf")) else { return };
    assert_eq!(heights.values.len(), heights.columns * heights.rows);
    assert!(heights.values.iter().all(|height| (0.0..=1.0).contains(height)));
}

/// Accepted points are finite, and there is at least one.
fn points(read: Result<Vec<firsttouch::glam::DVec3>>) {
    let Ok(points) = described(read) else { return };
    assert!(!points.is_empty() && points.iter().all(|point| point.is_finite()));
}

/// Query sets. The bytes after a zero byte are the `.toi` file.
pub fn queries(data: &[u8]) {
    let end = data.iter().position(|&b| b == 0).unwrap_or(data.len());
    let (csv, toi) = data.split_at(end);
    let Ok(mut set) = described(firsttouch_io::parse_queries(csv, QueryKind::VertexFace, "fuzz.csv")) else {
        return;
    };
    let points = set.queries.iter().flat_map(|q| q.points_t0.iter().chain(&q.points_t1));
    assert!(points.into_iter().all(|p| p.is_finite()));
    if let Some(toi) = toi.get(1..)
        && described(firsttouch_io::add_contacts(&mut set, toi, "fuzz.toi")).is_ok()
    {
        for contact in set.queries.iter().filter_map(|q| q.contact.as_ref()) {
            assert!(0.0 <= contact.below && contact.below <= contact.nearest && contact.nearest <= 1.0);
        }
    }
}

/// The keys of shapes that have a file.
const FILES: [&str; 5] = ["mesh", "hull", "points", "octree", "height_field"];

/// Scene files.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(scene) = described(firsttouch_io::parse_scene(text, "fuzz.toml")) else { return };
    let names: std::collections::HashSet<&str> = scene.bodies.iter().map(|b| &b.name[..]).collect();
    assert_eq!(names.len(), scene.bodies.len());
    // Few shapes without files, so that the check is fast, and a budget of steps.
    if scene.bodies.len() > 16 || FILES.iter().any(|key| text.contains(key)) {
        return;
    }
    let Ok(built) = described(firsttouch_io::build_scene(&scene, "fuzz.toml")) else { return };
    let options = firsttouch::Options { max_iterations: 200, ..scene.options() };
    let Ok(report) = built.check(&options) else { return };
    if let Some(touch) = report.answer.touch() {
        assert!((0.0..=options.t_max).contains(&touch.toi) && touch.normal.is_finite());
        // A pair may have its own separation.
        let own = scene.pairs.iter().filter_map(|pair| pair.min_separation);
        let apart = own.fold(options.min_separation, f64::max);
        assert!(touch.gap <= apart + options.tolerance);
    }
}

/// Robots. An accepted robot is a tree whose joints are ordered from the root on.
pub fn urdf(data: &[u8]) {
    robot(firsttouch_io::parse_urdf(data, "fuzz.urdf"));
}

/// Robots of MuJoCo. No file can be included.
pub fn mjcf(data: &[u8]) {
    robot(firsttouch_io::parse_mjcf(data, "fuzz.xml"));
}

fn robot(read: Result<RobotFile>) {
    let Ok(robot) = described(read) else { return };
    assert_eq!(robot.joints.len() + 1, robot.links.len());
    let mut placed = std::collections::HashSet::from([&robot.links[robot.root].name[..]]);
    for joint in &robot.joints {
        assert!(placed.contains(&joint.parent[..]) && placed.insert(&joint.child));
        assert!((joint.axis.length() - 1.0).abs() < 1e-12 && joint.origin.xyz.is_finite());
        assert!(joint.limits.is_none_or(|limits| limits.lower <= limits.upper));
    }
    assert!(robot.links.iter().all(|link| placed.contains(&link.name[..])));
    let collisions = robot.links.iter().flat_map(|link| &link.collisions);
    assert!(collisions.into_iter().all(|c| c.origin.xyz.is_finite() && c.origin.quat.is_finite()));
    for standing in &robot.scenery {
        assert!(standing.origin.xyz.is_finite() && standing.origin.quat.is_finite());
        assert!(standing.allowed.iter().all(|link| placed.contains(&link[..])));
    }
}

/// SRDF, for the robot of the seeds.
pub fn srdf(data: &[u8]) {
    let Ok(srdf) = described(firsttouch_io::parse_srdf(data, "fuzz.srdf", &ROBOT)) else { return };
    assert!(srdf.disabled.as_flattened().iter().all(|name| ROBOT.link(name).is_some()));
    srdf.warnings.into_iter().for_each(|warning| drop(described::<()>(Err(warning))));
}

/// Waypoints, for the robot of the seeds.
pub fn waypoints(data: &[u8]) {
    let Ok(way) = described(firsttouch_io::parse_waypoints(data, "fuzz.csv", &ROBOT)) else { return };
    assert!(!way.paths.is_empty() && way.joints.iter().all(|name| ROBOT.joint(name).is_some()));
    for path in &way.paths {
        assert!(path.rows.len() >= 2 && path.rows.len() == path.lines.len() && path.lines.is_sorted());
        assert!(
            path.rows.iter().all(|row| row.len() == way.joints.len() && row.iter().all(|x| x.is_finite()))
        );
        let times = path.times.as_deref().unwrap_or_default();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times.iter().all(|t| t.is_finite()));
        if let Some(pieces) = &path.polynomials {
            assert_eq!((pieces.len() + 1, times.len()), (path.rows.len(), path.rows.len()));
            for joints in pieces {
                assert_eq!(joints.len(), way.joints.len());
                assert!(
                    joints.iter().all(|c| (1..=12).contains(&c.len()) && c.iter().all(|x| x.is_finite()))
                );
            }
        }
        // Accepted waypoints make a trajectory, or are refused with a message.
        for interpolation in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Spline] {
            let _ = described(build_trajectories(&BUILT, &way, interpolation, "fuzz.csv".as_ref()));
        }
    }
    way.warnings.into_iter().for_each(|warning| drop(described::<()>(Err(warning))));
}

/// The robot of the untidy seeds.
static ROBOT: LazyLock<RobotFile> = LazyLock::new(|| {
    let text = include_bytes!("../../testdata/robots/untidy.urdf");
    firsttouch_io::parse_urdf(text, "fuzz.urdf").expect("the tests read it too")
});

/// The same robot, with balls in place of its meshes.
static BUILT: LazyLock<firsttouch::articulated::Robot> = LazyLock::new(|| {
    let mut plain = ROBOT.clone();
    for collision in plain.links.iter_mut().flat_map(|link| &mut link.collisions) {
        collision.geometry = firsttouch_io::ShapeFile::Sphere { radius: 0.1 };
    }
    let meshes = firsttouch_io::read_robot_meshes(&plain).expect("there is no file to read");
    let none = firsttouch_io::SrdfFile::default();
    firsttouch_io::build_robot(&plain, &meshes, &none).expect("a robot of balls")
});

/// An accepted mesh is valid, and every format that is written gives it back bit for bit.
fn mesh(read: Result<MeshData>) {
    let Ok(mesh) = described(read) else { return };
    assert!(!mesh.positions.is_empty());
    assert!(mesh.positions.iter().all(|p| p.is_finite()));
    let indices = mesh.triangles.as_flattened().iter().chain(mesh.edges.as_flattened()).chain(&mesh.points);
    assert!(indices.into_iter().all(|&i| (i as usize) < mesh.positions.len()));
    assert!(mesh.degenerate_triangles() <= mesh.triangles.len());

    let mut obj = Vec::new();
    firsttouch_io::write_obj(&mut obj, &mesh).expect("a Vec takes all bytes");
    same(&mesh, firsttouch_io::read_obj(&obj, "again.obj"));
    for encoding in [PlyEncoding::Ascii, PlyEncoding::BinaryLittleEndian] {
        let mut ply = Vec::new();
        firsttouch_io::write_ply(&mut ply, &mesh, encoding).expect("a Vec takes all bytes");
        same(&mesh, firsttouch_io::read_ply(&ply, "again.ply"));
    }
}

fn same(mesh: &MeshData, again: Result<MeshData>) {
    let again = again.expect("what was written can be read");
    assert_eq!(mesh.triangles, again.triangles);
    assert_eq!(mesh.edges, again.edges);
    assert_eq!(mesh.points, again.points);
    let bits = |m: &MeshData| m.positions.iter().map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>();
    assert_eq!(bits(mesh), bits(&again));
}

/// An error names its file and fits on a screen.
fn described<T>(result: Result<T>) -> Result<T> {
    if let Err(error) = &result {
        let text = error.to_string();
        assert!(text.starts_with("fuzz.") && text.len() < 1000, "{text}");
    }
    result
}
