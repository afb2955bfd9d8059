//! Points, octrees and heights from files, the shapes of scene files that are made of them, and refusals with their
//! places.

use std::path::{Path, PathBuf};

use firsttouch::shape::{OctreeCell, Shape};
use firsttouch::{Answer, Options};
use firsttouch_io::{
    Files, build_scene, build_scene_with_warnings, parse_scene, read_mesh, read_npy, read_octomap, read_off,
    read_pcd, read_png_heights, read_points, read_scene, read_xyz,
};
use glam::DVec3;

fn testdata(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(file)
}

fn corners() -> Vec<DVec3> {
    let side = |k: u32, bit: u32| f64::from(k >> bit & 1);
    (0..8).map(|k| DVec3::new(side(k, 2), side(k, 1), side(k, 0))).collect()
}

/// One cloud in every format: binary with fields of other sizes in between, compressed with copies, by columns, in the
/// other byte order.
#[test]
fn every_format_gives_the_same_points() {
    for file in [
        "pcd/corner.pcd",
        "pcd/corner_binary.pcd",
        "pcd/corner_compressed.pcd",
        "xyz/corner.xyz",
        "xyz/named.csv",
        "npy/corner.npy",
        "npy/columns.npy",
    ] {
        assert_eq!(read_points(&testdata(file)).unwrap(), corners(), "{file}");
    }
    let mesh = firsttouch_io::MeshData { positions: corners(), ..Default::default() };
    let mut ply = Vec::new();
    firsttouch_io::write_ply(&mut ply, &mesh, firsttouch_io::PlyEncoding::Ascii).unwrap();
    assert_eq!(firsttouch_io::read_ply(&ply, "corner.ply").unwrap().positions, corners());
}

#[test]
fn octrees_are_read_with_their_levels() {
    for file in ["octomap/cells.bt", "octomap/cells.ot"] {
        let map = Files::default().read_octree(&testdata(file)).unwrap();
        assert_eq!(map.resolution, 0.25);
        let mut cells = map.cells;
        cells.sort();
        // Eight cells became one of the next level.
        let expected = [
            OctreeCell { key: [-1, 0, 0], level: 0 },
            OctreeCell { key: [0, 0, 0], level: 1 },
            OctreeCell { key: [2, 0, 1], level: 0 },
        ];
        assert_eq!(cells, expected, "{file}");
    }
}

#[test]
fn heights_are_read_from_low_y() {
    let steps = Files::default().read_heights(&testdata("png/steps.png")).unwrap();
    assert_eq!((steps.columns, steps.rows), (4, 3));
    let third = 85.0 / 255.0;
    assert_eq!(steps.values[..4], [1.0; 4]);
    assert_eq!(steps.values[8..], [0.0, third, 170.0 / 255.0, 1.0]);
}

#[test]
fn off_and_sparse_gltf() {
    assert_eq!(read_mesh(&testdata("off/tetrahedron.off")).unwrap().triangles.len(), 4);
    let quad = read_mesh(&testdata("off/quad.off")).unwrap();
    assert_eq!((quad.positions.len(), quad.triangles.len()), (4, 2));
    let sparse = read_mesh(&testdata("gltf/sparse.gltf")).unwrap();
    assert_eq!(sparse.positions, [DVec3::ZERO, DVec3::X, DVec3::Y]);
    assert_eq!(sparse.triangles, [[0, 1, 2]]);
    let text = std::fs::read_to_string(testdata("gltf/sparse.gltf")).unwrap();
    let error = |text: String| {
        firsttouch_io::read_gltf(text.as_bytes(), "s.gltf", &|_| panic!("no file")).unwrap_err().to_string()
    };
    let far = error(text.replace("\"count\": 3", "\"count\": 2"));
    assert_eq!(far, "s.gltf: accessors[0]: sparse index 2 is out of range: there are only 2");
    let huge = error(text.replace("\"count\": 3", "\"count\": 999999999999"));
    assert!(huge.starts_with("s.gltf: accessors[0]: the accessor needs more memory"), "{huge}");
}

/// Each error has the file, the place in it, and the problem.
#[test]
fn bad_files_are_refused_with_their_place() {
    let refused = |text: &str, found: String| assert_eq!(found, text);
    let pcd = |text: &str| read_pcd(text.as_bytes(), "a.pcd").unwrap_err().to_string();
    let head = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 2\nDATA ";
    refused("a.pcd:6: a point has 3 values, but the line has 2", pcd(&format!("{head}ascii\n0 0\n")));
    refused(
        "a.pcd:7: a coordinate cannot be read as a number: \"x\"",
        pcd(&format!("{head}ascii\n0 0 0\n0 x 0\n")),
    );
    refused(
        "a.pcd:8: the header promises 2 points, but more follow",
        pcd(&format!("{head}ascii\n0 0 0\n0 0 0\n0 0 0\n")),
    );
    assert!(pcd(&format!("{head}ascii\n0 0 0\n")).starts_with("a.pcd:6: "));
    assert!(pcd(&format!("{head}ascii\n0 0 0\n0 0 inf\n")).starts_with("a.pcd:7: "));
    assert!(
        pcd(&format!("{head}binary\nabc")).starts_with("a.pcd: byte 56: "),
        "{}",
        pcd(&format!("{head}binary\nabc"))
    );
    refused("a.pcd:1: \"FELDS\" is no key of a PCD header; did you mean \"FIELDS\"?", pcd("FELDS x\n"));
    let lacking = pcd("FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n");
    refused("a.pcd:5: FIELDS lacks x, y or z", lacking);
    let mut damaged = std::fs::read(testdata("pcd/corner_compressed.pcd")).unwrap();
    let last = damaged.len() - 1;
    damaged.truncate(last);
    assert!(read_pcd(&damaged, "a.pcd").unwrap_err().to_string().starts_with("a.pcd: byte "));

    refused(
        "a.xyz:2: a coordinate cannot be read as a number: \"b\"",
        read_xyz(b"0 0 0\n1 b 2\n", "a.xyz").unwrap_err().to_string(),
    );
    assert!(read_xyz(b"x y z\n", "a.xyz").is_err() && read_xyz(b"0 0 nan\n", "a.xyz").is_err());
    let npy = std::fs::read(testdata("npy/corner.npy")).unwrap();
    let error = read_npy(&npy[..npy.len() - 1], "a.npy").unwrap_err().to_string();
    assert!(error.starts_with("a.npy: byte 10: ") && error.contains('7'), "{error}");
    let flat = String::from_utf8_lossy(&npy[..80]).replace("(8, 3)", "(24, )");
    assert!(read_npy(flat.as_bytes(), "a.npy").is_err());

    let bt = std::fs::read(testdata("octomap/cells.bt")).unwrap();
    let error = read_octomap(&bt[..bt.len() - 1], "a.bt").unwrap_err().to_string();
    assert!(error.starts_with("a.bt: byte "), "{error}");
    refused(
        "a.bt:1: the first line is not that of an OctoMap file",
        read_octomap(b"solid\n", "a.bt").unwrap_err().to_string(),
    );
    refused(
        "a.bt:2: res must be positive",
        read_octomap(b"# Octomap OcTree file\nres 0\ndata\n", "a.bt").unwrap_err().to_string(),
    );
    let png = std::fs::read(testdata("png/ramp.png")).unwrap();
    assert!(read_png_heights(&png[..40], "a.png").unwrap_err().to_string().starts_with("a.png: "));
    assert!(read_png_heights(b"no picture", "a.png").is_err());
    let off = |text: &[u8]| read_off(text, "a.off").unwrap_err().to_string();
    let far = off(b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n");
    refused("a.off:5: vertex index 3 is out of range: there are only 3", far);
    assert!(off(b"OFF\n9999999 1 0\n0 0 0\n").starts_with("a.off:2: "));
    refused("a.off:1: an OFF file begins with OFF, not \"ply\"", off(b"ply\n"));
    let little = Files::default().with_max_memory(1000);
    assert_eq!(little.read_points(&testdata("scenes/scan.pcd")).unwrap_err().code(), "out_of_memory");
}

fn answer(path: &str) -> Answer {
    let path = testdata(path);
    let file = read_scene(&path).unwrap();
    build_scene(&file, &path).unwrap().check(&file.options()).unwrap().answer
}

#[test]
fn the_scenes_with_these_shapes() {
    let scan = answer("scenes/scan.toml");
    let touch = scan.touch().expect("the gripper touches the cup");
    // The cup is at x = 0.2 with a radius of 0.04 and points of 0.005, the fingers are 0.02 thick; their rims meet
    // beside its middle.
    assert!(touch.toi > 0.6 && touch.toi < 0.78, "{touch:?}");
    let shapes = answer("scenes/shapes.toml");
    let touch = shapes.touch().expect("the dart touches the hills");
    assert_eq!(touch.bodies, [1, 4], "{touch:?}");
}

/// As the scene format writes them, in TOML.
#[test]
fn keys_of_shapes() {
    let scene = |shape: &str| {
        let text = format!(
            "[[body]]\nname = \"a\"\nshape = {shape}\n[[body]]\nname = \"b\"\nshape = {{ sphere = {{ radius = 1 }} }}\n"
        );
        parse_scene(&text, testdata("scenes/here.toml"))
            .and_then(|file| build_scene(&file, testdata("scenes/here.toml")))
            .map_err(|error| error.to_string())
    };
    for (shape, kind) in [
        ("{ mesh = \"octahedron.obj\", solid = true }", "solid mesh"),
        ("{ mesh = \"octahedron.obj\", solid = false }", "mesh"),
        (
            "{ compound = [ { shape = { box = [1, 1, 1] }, pose = { xyz = [0, 0, 1] } }, { shape = { sphere = { radius = 1 } } } ] }",
            "compound",
        ),
        ("{ points = \"scan.pcd\", radius = 0.01 }", "points"),
        ("{ points = \"../xyz/corner.xyz\", radius = 0.01, scale = 0.001 }", "points"),
        ("{ octree = \"wall.bt\" }", "octree"),
        ("{ height_field = { file = \"hills.png\", size = [10, 10, 1.5] } }", "height_field"),
        ("{ half_space = { normal = [0, 0, 1], offset = 0 } }", "half_space"),
        ("{ half_space = { normal = [0, 0, 1] } }", "half_space"),
        ("{ cone = { radius = 0.5, length = 1 } }", "cone"),
    ] {
        let built = scene(shape).unwrap();
        assert_eq!(built.bodies()[0].kind_name(), kind);
        assert!(built.check(&Options::default()).is_ok());
    }
    for (shape, expected) in [
        ("{ points = \"scan.pcd\" }", "points need a radius"),
        ("{ sphere = { radius = 1 }, solid = true }", "solid goes with mesh only"),
        ("{ box = [1, 1, 1], radius = 2 }", "radius goes with points only"),
        ("{ octree = \"wall.bt\", scale = 2 }", "scale goes with mesh, hull or points only"),
        ("{ cone = { radius = 0, length = 1 } }", "cone radius"),
        ("{ half_space = { normal = [0, 0, 0] } }", "normal is zero"),
        ("{ compound = [] }", "a compound has no pieces"),
        ("{ compound = [ { shape = { mesh = \"octahedron.obj\" } } ] }", "a mesh as a piece of a compound"),
        ("{ octree = \"scan.pcd\" }", "scan.pcd:1: the first line is not that of an OctoMap file"),
        ("{ height_field = { file = \"scan.pcd\", size = [1, 1, 1] } }", ".png"),
        ("{ mesh = \"../gltf/sparse.gltf\", solid = true }", "3 open edges: from vertex 0 to vertex 1"),
    ] {
        let error = scene(shape).unwrap_err();
        assert!(error.contains(expected) && error.contains("here.toml:"), "{error}");
    }
}

/// A body inside a mesh was free with a warning. The warning says how to make it touch, and that way works.
#[test]
fn a_body_inside_of_a_mesh_is_doubtful() {
    let text = |solid: &str| {
        format!(
            "[[body]]\nname = \"shell\"\nshape = {{ mesh = \"octahedron.obj\"{solid} }}\n[[body]]\nname = \"pea\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\n"
        )
    };
    let build = |solid: &str| {
        let path = testdata("scenes/here.toml");
        build_scene_with_warnings(&parse_scene(&text(solid), &path).unwrap(), &path).unwrap()
    };
    let (scene, warnings) = build("");
    assert_eq!(scene.check(&Options::default()).unwrap().answer, Answer::Free);
    assert!(warnings.len() == 1 && warnings[0].to_string().contains("`solid = true`"), "{warnings:?}");
    let (scene, warnings) = build(", solid = true");
    assert!(matches!(scene.check(&Options::default()).unwrap().answer, Answer::TouchingAtStart(_)));
    assert!(warnings.is_empty(), "{warnings:?}");
    let Some((Shape::SolidMesh(solid), _)) = scene.bodies()[0].as_rigid() else { panic!("a solid") };
    assert_eq!(solid.mesh().triangles().len(), 8);
}

/// Returns a chunk of a PNG file.
fn png_chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [&name[..], data].concat();
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    };
    let crc = !named.iter().fold(!0, step);
    [&(data.len() as u32).to_be_bytes()[..], &named, &crc.to_be_bytes()].concat()
}

/// The orientation of a picture is not applied, and its heights used to be read as if it had none.
#[test]
fn turned_pictures_are_a_warning() {
    let png = std::fs::read(testdata("png/ramp.png")).unwrap();
    let end = png.len() - 12;
    assert_eq!(png_chunk(b"IEND", &[]), png[end..]);
    let first_data = png.windows(4).position(|name| name == b"IDAT").unwrap() - 4;
    let exif = |orientation: u8| {
        // One entry of one short in a list of 26 bytes, little-endian, and the same big-endian.
        let little =
            [b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", &[orientation, 0, 0, 0, 0, 0, 0, 0][..]];
        let big = [b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01", &[0, orientation, 0, 0, 0, 0, 0, 0][..]];
        [little.concat(), big.concat()]
    };
    let folder = std::env::temp_dir().join(format!("firsttouch-turned-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.png");
    let plain = read_png_heights(&png, "a.png").unwrap();
    for (exif, is_turned) in exif(1)
        .map(|exif| (exif, false))
        .into_iter()
        .chain(exif(6).map(|exif| (exif, true)))
        .chain([(b"?".to_vec(), true)])
    {
        for place in [first_data, end] {
            let file = [&png[..place], &png_chunk(b"eXIf", &exif), &png[place..]].concat();
            std::fs::write(&path, file).unwrap();
            let files = Files::default();
            assert_eq!(files.read_heights(&path).unwrap(), plain);
            let warnings = files.take_warnings();
            assert_eq!(warnings.len(), usize::from(is_turned), "{exif:?} at {place}: {warnings:?}");
            assert!(warnings.iter().all(|warning| warning.to_string().contains("EXIF")));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
