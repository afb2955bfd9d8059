//! The meshes that each reader makes of good files, and its messages about bad ones.

use firsttouch_io::{MeshData, read_dae, read_gltf, read_mesh, read_obj, read_ply, read_stl, write_mesh};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn read(name: &str) -> MeshData {
    read_mesh(&testdata(name)).unwrap_or_else(|e| panic!("{e}"))
}

fn positions(mesh: &MeshData) -> Vec<[f64; 3]> {
    mesh.positions.iter().map(|p| p.to_array()).collect()
}

/// Returns the corners of the triangles, rounded to a picometre to remove the error of a rotation by 90 degrees in f64.
fn corners(mesh: &MeshData) -> Vec<[[f64; 3]; 3]> {
    let tidy = |x: f64| (x * 1e12).round() / 1e12 + 0.0;
    mesh.triangles.iter().map(|t| t.map(|i| mesh.positions[i as usize].to_array().map(tidy))).collect()
}

#[test]
fn obj_of_the_wild() {
    let mesh = read("obj/everything.obj");
    assert_eq!(
        positions(&mesh),
        [[0., 0., 0.], [4., 0., 0.], [1., 1., 0.], [0., 4., 0.], [0.1, 1e-3, -250.], [7., 7., 7.]]
    );
    // The dart 1 2 3 4 is concave at 3: its diagonal is 1-3. The face over two lines counts backwards, one face
    // comes before its vertex, and the last is degenerate.
    let mut dart = mesh.triangles[..2].to_vec();
    dart.iter_mut().for_each(|t| t.sort_unstable());
    dart.sort_unstable();
    assert_eq!(dart, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.triangles[2..], [[0, 1, 3], [5, 0, 1], [0, 0, 1]]);
    assert_eq!(mesh.edges, [[0, 1], [1, 2], [4, 0]]);
    assert_eq!(mesh.points, [3]);
    assert_eq!(mesh.degenerate_triangles(), 1);
}

#[test]
fn obj_errors() {
    let check = |text: &str, expected: &str| {
        let error = read_obj(text.as_bytes(), "a.obj").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    check("", "a.obj: there are no vertices");
    check("v 0 0\n", "a.obj:1: a vertex needs three coordinates");
    check("v 0 0 zero", "a.obj:1: vertex z cannot be read as a number: \"zero\"");
    check("#\n\nv 0 nan 0", "a.obj:3: vertex y is not a finite number: nan");
    check("v 1e999 0 0", "a.obj:1: vertex x is not a finite number: 1e999");
    check("v 0 0 0\nf 1 1", "a.obj:2: a face needs three corners, not 2");
    check("v 0 0 0\nf 1 1 0", "a.obj:2: vertex index 0: OBJ counts from 1");
    check("v 0 0 0\nf 1 1 -2", "a.obj:2: vertex index -2 is out of range: there are only 1");
    check("v 0 0 0\nf 1 1 2\nf 1 1 3\nf 1 1 2", "a.obj:3: vertex index 3 is out of range: there are only 1");
    check(
        "v 0 0 0\nf 1 1 99999999999",
        "a.obj:2: the number of vertices is too large: the limit is 4294967295",
    );
    check("v 0 0 0\nf 1/2/3/4 1 1", "a.obj:2: \"1/2/3/4\" is not a vertex index");
    check("v 0 0 0\nf 1/x 1 1", "a.obj:2: \"1/x\" is not a vertex index");
    check("v 0 0 0\nl 1", "a.obj:2: a line needs two ends, not 1");
    check("v 0 0 0\np", "a.obj:2: a point needs a vertex");
    check(
        "v 0 0 0\ncurv 0 1 1 1",
        "a.obj:2: not supported: the statement \"curv\": free-form geometry is not read; export polygons",
    );
    check("\u{1}\u{2}PNG", "a.obj:1: \"\\u{1}\\u{2}PNG\" is no statement of OBJ");
}

#[test]
fn stl_text_and_binary() {
    let corner = read("stl/cube_corner.stl");
    let marked = [b"\xef\xbb\xbf", &std::fs::read(testdata("stl/cube_corner.stl")).unwrap()[..]].concat();
    assert_eq!(read_stl(&marked, "marked.stl").unwrap(), corner);
    assert_eq!(corner.triangles, [[0, 1, 2], [0, 3, 1]]);
    assert_eq!(corner.positions[0].x, 0.1, "text is not rounded to f32");

    let odd = read("stl/odd_space.STL");
    assert_eq!(odd.triangles, [[0, 1, 2], [0, 2, 3], [0, 4, 0]]);
    assert_eq!(odd.degenerate_triangles(), 1);

    let binary = read("stl/solid_binary.stl");
    assert_eq!(binary.triangles, [[0, 1, 2], [1, 3, 2], [0, 0, 4]]);
    assert_eq!(binary.positions[4].z, f64::from(0.1f32));
}

#[test]
fn stl_errors() {
    let check = |bytes: &[u8], expected: &str| {
        let error = read_stl(bytes, "a.stl").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    let binary = |count: u32, body: &[u8]| [&[b'x'; 80][..], &count.to_le_bytes(), body].concat();
    check(b"", "a.stl: byte 0: the file ends in the middle of the STL header");
    check(b"hello", "a.stl: byte 5: the file ends in the middle of the STL header");
    check(&binary(0, b""), "a.stl: there are no vertices");
    check(
        &binary(2, &[0; 50]),
        "a.stl: byte 80: the header promises 2 triangles, but the file can hold at most 1",
    );
    check(
        &binary(u32::MAX, &[0; 50]),
        "a.stl: byte 80: the header promises 4294967295 triangles, but the file can hold at most 1",
    );
    check(
        &binary(0, &[0; 50]),
        "a.stl: byte 80: the header promises 0 triangles, but 50 more bytes follow them",
    );
    let mut nan = [0; 50];
    nan[28..32].copy_from_slice(&f32::NAN.to_le_bytes());
    check(&binary(1, &nan), "a.stl: byte 108: a coordinate of triangle 0 is not a finite number: NaN");
    let mut solid = binary(2, &[0; 50]);
    solid[..6].copy_from_slice(b"solid ");
    check(&solid, "a.stl: byte 80: the header promises 2 triangles, but the file can hold at most 1");
    check(b"solid a\nfacet\nnormal 0 0 0", "a.stl:3: the file ends in the middle of a solid");
    check(b"solid a\nfacet\nnormal 0 0", "a.stl:3: the file ends in the middle of a normal");
    check(b"solid a\nface", "a.stl:2: expected \"facet\" or \"endsolid\", found \"face\"");
    check(
        b"solid a\nfacet normal 0 0 0 outer loop\nvertex 0 0 inf",
        "a.stl:3: a vertex coordinate is not a finite number: inf",
    );
    check(
        b"solid a\nfacet normal 0 0 0 outer loop\nvertex 0 0 0 endloop",
        "a.stl:2: a loop needs three corners, not 1",
    );
    check(b"solid a\nendsolid a", "a.stl: there are no vertices");
    check(b"solid a\nendsolid a\nmore", "a.stl:3: expected \"solid\", found \"more\"");
}

#[test]
fn ply_in_all_three_encodings() {
    let text = read("ply/text.ply");
    assert_eq!(positions(&text), [[0.1, 0., 0.], [2., 0., 0.], [2., 2., 0.], [0., 2., 0.], [1., 1., 3.]]);
    assert_eq!(text.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 4], [0, 1, 4], [4, 1, 2], [3, 0, 4]]);
    assert_eq!(text.edges, [[2, 4]]);
    assert_eq!(read("ply/little.ply"), text);
    let mut big = read("ply/big.ply");
    assert_eq!(big.positions[0].x, f64::from(0.1f32));
    big.positions[0].x = 0.1;
    assert_eq!(big, text);
}

/// A fast path reads rows of the usual kind in a binary file. Files of such rows, with an unusual row somewhere among
/// them, are read as their text versions are: the same mesh, or an error about the same problem.
#[test]
fn binary_ply_with_usual_and_unusual_rows() {
    type Face<'a> = &'a [i64];
    let plain: Vec<Face<'_>> = vec![&[0, 1, 2], &[2, 1, 3], &[0, 2, 3]];
    let with = |face: Face<'static>| [&plain[..2], &[face], &plain[1..]].concat();
    let faces =
        [plain.clone(), with(&[0, 1, 3, 2]), with(&[0, 1]), with(&[0, -1, 2]), with(&[0, 1, 4]), vec![]];
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.25], [1.0, 1.0, 1.0]];
    let (mut read, mut refused) = (0, 0);
    for case in 0..faces.len() * 2 * 2 * 2 * 2 {
        let (faces, bits) = (&faces[case / 16], case % 16);
        let [big, double, more, odd] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        let (real, index) = (if double { "double" } else { "float" }, if more { "uint" } else { "int" });
        if index == "uint" && faces.iter().any(|face| face.contains(&-1)) {
            continue;
        }
        let header = |format: &str| {
            let extra = if more { "property uchar colour\n" } else { "" };
            format!(
                "ply\nformat {format} 1.0\nelement vertex 4\nproperty {real} x\n{extra}property {real} y\nproperty {real} z\n\
                 element face {}\nproperty list uchar {index} vertex_indices\nend_header\n",
                faces.len()
            )
        };
        let mut text = header("ascii");
        let mut bytes = header(if big { "binary_big_endian" } else { "binary_little_endian" }).into_bytes();
        let mut put = |number: &[u8]| {
            if big { bytes.extend_from_slice(number) } else { bytes.extend(number.iter().rev()) }
        };
        for (i, mut point) in points.into_iter().enumerate() {
            if odd && i == 2 {
                point[1] = f64::INFINITY;
            }
            text +=
                &format!("{:?} {} {:?} {:?}\n", point[0], if more { "7" } else { "" }, point[1], point[2]);
            for (k, x) in point.into_iter().enumerate() {
                if double {
                    put(&x.to_be_bytes())
                } else {
                    put(&(x as f32).to_be_bytes())
                }
                if more && k == 0 {
                    put(&[7]);
                }
            }
        }
        for face in faces {
            text += &format!("{}", face.len());
            put(&[face.len() as u8]);
            for corner in *face {
                text += &format!(" {corner}");
                put(&(*corner as i32).to_be_bytes());
            }
            text += "\n";
        }
        // The problem, without its place.
        let what =
            |result: firsttouch_io::Result<MeshData>| result.map_err(|error| error.problem.to_string());
        let (text, binary) = (what(read_ply(text.as_bytes(), "a.ply")), what(read_ply(&bytes, "a.ply")));
        assert_eq!(binary, text, "{case}");
        if binary.is_ok() {
            read += 1
        } else {
            refused += 1
        }
        if !faces.is_empty() {
            bytes.pop();
            let cut = what(read_ply(&bytes, "a.ply")).unwrap_err();
            assert!(cut.contains("ends in the middle") || binary.is_err(), "{case} {cut}");
        }
    }
    assert_eq!((read, refused), (24, 64));
}

#[test]
fn ply_errors() {
    let check = |text: &str, expected: &str| {
        let error = read_ply(text.as_bytes(), "a.ply").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    let vertex = "property float x\nproperty float y\nproperty float z\n";
    let ascii = |rest: &str| format!("ply\nformat ascii 1.0\nelement vertex 1\n{vertex}{rest}");
    let binary = |count: u64| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{vertex}end_header\n1234567890"
        )
    };
    check("", "a.ply:1: not a PLY file: the first line must be \"ply\"");
    check("ply\nformat ascii", "a.ply:2: \"format ascii\" does not belong in a PLY header");
    check("ply\nformat pdp11 1.0", "a.ply:2: unknown PLY format \"pdp11\"");
    check("ply\nend_header\n", "a.ply:2: the header names no format");
    check("ply\nformat ascii 1.0\n", "a.ply:2: the file ends in the middle of the PLY header");
    check("ply\nproperty int x\n", "a.ply:2: a property before any element");
    check(
        "ply\nelement a 1\nproperty list float int b\n",
        "a.ply:3: bad property \"property list float int b\"",
    );
    check("ply\nelement a 1\nelement a 1\n", "a.ply:3: a second element \"a\"");
    check("ply\nelement a -1\n", "a.ply:2: the count of an element must be a whole number");
    check("ply\nformat ascii 1.0\nend_header\n", "a.ply: there are no vertices");
    check(
        "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n0 0 0\n",
        "a.ply:3: the element \"vertex\" needs a number \"x\"",
    );
    check(
        "ply\nformat ascii 1.0\nelement thing 18446744073709551615\nend_header\n",
        "a.ply:3: the header promises 18446744073709551615 \"thing\" elements, but the file can hold at most 0",
    );
    check(
        &ascii("end_header\n"),
        "a.ply:3: the header promises 1 \"vertex\" elements, but the file can hold at most 0",
    );
    check(&ascii("end_header\n0 0     \n"), "a.ply:8: the line has too few numbers");
    check(&ascii("end_header\n0 0 0 0\n"), "a.ply:8: the line has too many numbers");
    check(&ascii("end_header\n0 x 0\n"), "a.ply:8: \"x\" cannot be read as a number");
    check(&ascii("end_header\n0 nan 0\n"), "a.ply:8: vertex 0 is not a finite number: [0, NaN, 0]");
    check(&ascii("end_header\n0 0 0\n\nmore"), "a.ply:8: 5 more bytes follow the last element");
    let face = "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n";
    check(&ascii(&format!("{face}3 0 0 1\n")), "a.ply:11: vertex index 1 is out of range: there are only 1");
    check(&ascii(&format!("{face}3 0 0 -1\n")), "a.ply:11: vertex index -1 is negative");
    check(&ascii(&format!("{face}3 0 0 0.5\n")), "a.ply:11: \"0.5\" does not fit its integer type");
    check(&ascii(&format!("{face}2 0 0\n")), "a.ply:11: a face needs three corners, not 2");
    check(&ascii(&format!("{face}-3 0 0\n")), "a.ply:11: \"-3\" does not fit its integer type");
    check(&binary(1), "a.ply:3: the header promises 1 \"vertex\" elements, but the file can hold at most 0");
    let list = "ply\nformat binary_big_endian 1.0\nelement face 1\nproperty list uint int vertex_indices\nend_header\n";
    check(
        &format!("{list}\x7f\x7f\x7f\x7f1234"),
        "a.ply: byte 105: the file ends in the middle of an element",
    );
}

#[test]
fn gltf_three_ways() {
    let embedded = read("gltf/embedded.gltf");
    // The first mesh doubled, the second turned by 90 degrees about z, both moved by 10 along x.
    assert_eq!(
        corners(&embedded),
        [
            [[10., 0., 0.], [12., 0., 0.], [10., 2., 0.]],
            [[10., 0., 0.], [10., 2., 0.], [10., 0., 2.]],
            [[10., 0., 0.], [10., 1., 0.], [9., 0., 0.]],
            [[9., 0., 0.], [10., 1., 0.], [10., 0., 1.]],
        ]
    );
    assert_eq!(embedded.edges, [[8, 9], [9, 10], [10, 11]]);
    assert_eq!(read("gltf/external.gltf"), embedded);
    assert_eq!(read("gltf/chunked.glb"), embedded);
}

#[test]
fn gltf_errors() {
    let good = std::fs::read_to_string(testdata("gltf/embedded.gltf")).unwrap();
    let check = |from: &str, to: &str, expected: &str| {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        let error = read_gltf(text.as_bytes(), "a.gltf", &|name| read_missing(name)).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    check(
        "\"2.0\"",
        "\"1.0\"",
        "a.gltf: asset: not supported: glTF version 1.0: export the file as glTF 2.0",
    );
    check(
        "\"scene\": 0",
        "\"extensionsRequired\": [\"KHR_materials_unlit\", \"KHR_draco_mesh_compression\"]",
        "a.gltf: extensionsRequired: not supported: the required extension KHR_draco_mesh_compression; \
         export the mesh uncompressed",
    );
    check("\"scene\": 0", "\"scene\": 7", "a.gltf: scenes: scene 7 is out of range: there are only 1");
    check(
        "\"scale\"",
        "\"skin\": 0, \"scale\"",
        "a.gltf: nodes[1]: not supported: a skinned mesh: apply the armature and export the mesh without it",
    );
    check(
        "   1,\n    2\n",
        "   1, 1, 0\n",
        "a.gltf: nodes[1]: the node is reached twice: nodes must form a forest",
    );
    check(
        "\"count\": 4",
        "\"count\": 5",
        "a.gltf: accessors[0]: the header promises 5 elements, but the file can hold at most 4",
    );
    check(
        "\"count\": 4",
        "\"sparse\": {}, \"count\": 4",
        "a.gltf:76: glTF JSON: missing field `count` at line 76 column 15",
    );
    check(
        "5126",
        "5122",
        "a.gltf: accessors[0]: not supported: expected a VEC3 of type [5126], found VEC3 of type 5122",
    );
    check(
        "\"byteLength\": 48",
        "\"byteLength\": 4800",
        "a.gltf: accessors[0]: the file ends in the middle of the bufferView",
    );
    check(
        "\"byteLength\": 64",
        "\"byteLength\": 65",
        "a.gltf: buffers[0]: the file ends in the middle of its 65 bytes, of which 64 are there",
    );
    check("base64,", "base64,!", "a.gltf: buffers[0]: \"!\" is not a base64 digit");
    check(
        "data:",
        "http://",
        "a.gltf: buffers[0]: not supported: a buffer outside the folder: \"http://application/octet-stream;base64,A...\"",
    );
    check(
        "\"uri\": \"data:",
        "\"uri\": \"gone.bin\", \"x\": \"",
        "a.gltf: buffers[0]: buffer file gone.bin: there are no files",
    );
    check("\"mode\": 5", "\"mode\": 7", "a.gltf: meshes[1].primitives[0]: unknown primitive mode 7");
    check(
        "\"count\": 6",
        "\"count\": 5",
        "a.gltf: meshes[0].primitives[0]: 5 indices do not make groups of 3",
    );
    check(
        "\"POSITION\": 0",
        "\"NORMAL\": 0",
        "a.gltf: meshes[0].primitives[0]: not supported: a primitive without positions (compressed by an extension?)",
    );
    check("\"asset\":", "\"asset\"", "a.gltf:2: glTF JSON: expected `:` at line 2 column 10");
}

fn read_missing(name: &str) -> firsttouch_io::Result<Vec<u8>> {
    let problem = firsttouch_io::Problem::Empty { what: "files" };
    Err(firsttouch_io::Error { file: name.into(), place: firsttouch_io::Place::File, problem })
}

#[test]
fn dae_units_nodes_and_instances() {
    let mesh = read("dae/two_quads.dae");
    assert_eq!(
        corners(&mesh),
        [
            [[3., 0., 0.], [3., 1., 0.], [2., 1., 0.]],
            [[3., 0., 0.], [2., 1., 0.], [2., 0., 0.]],
            [[0., 0., 4.], [2., 0., 4.], [2., 2., 4.]],
            [[0., 0., 4.], [2., 2., 4.], [0., 2., 4.]],
        ]
    );
    assert_eq!(mesh.edges, [[4, 5]]);
    assert!((mesh.positions[5] - glam::DVec3::new(2.94, 0.05, 0.57)).length() < 1e-12);
}

#[test]
fn dae_errors() {
    let good = std::fs::read_to_string(testdata("dae/two_quads.dae")).unwrap();
    let check = |from: &str, to: &str, expected: &str| {
        assert!(good.contains(from), "{from}");
        let error = read_dae(good.replacen(from, to, 1).as_bytes(), "a.dae").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    check("</COLLADA>", "", "a.dae:45: the file ends in the middle of the root element");
    check("<COLLADA", "<!DOCTYPE x [<!ENTITY a \"b\">]><COLLADA", "a.dae:1: XML: XML with DTD detected");
    check("0.01", "0", "a.dae:3: unit meter must be positive, but is 0");
    check("\"12\"", "\"13\"", "a.dae:8: count=\"13\", but there are 12 numbers");
    check("\"4\"", "\"5\"", "a.dae:7: the header promises 5 positions, but the file can hold at most 4");
    check("\"3\"", "\"2\"", "a.dae:7: positions need a stride of at least 3, but it is 2");
    check("100 0 0", "100 nan 0", "a.dae:8: float_array is not a finite number: nan");
    check("<vcount>4", "<vcount>5", "a.dae:12: vcount asks for more corners than <p> has");
    check("<vcount>4", "<vcount>3", "a.dae:12: <p> has 1 more corners than vcount asks for");
    check("0 9 1", "7 9 1", "a.dae:16: vertex index 7 is out of range: there are only 4");
    check("<p>0 9", "<p>0", "a.dae:16: 7 indices do not make corners of 2");
    check("#shared", "#nobody", "a.dae:41: there is no <node> with the id \"nobody\"");
    check(
        "#shared",
        "other.dae#shared",
        "a.dae:41: not supported: url=\"other.dae#shared\": only \"#id\" in this file",
    );
    check("0 0 1 90", "0 0 0 90", "a.dae:37: a rotation without an axis");
    check("<scale>2 2 2<", "<scale>2 2<", "a.dae:41: <scale> needs 3 numbers, but has 2");
    check(
        "<scale>2 2 2</scale>",
        "<skew/>",
        "a.dae:41: not supported: the element \"skew\": write it as a `<matrix>`",
    );
    check(
        "<instance_node url=\"#shared\"/>",
        "<instance_controller url=\"#skin\"/>",
        "a.dae:41: not supported: a skin or morph controller: apply it and export the mesh without it",
    );
    check(
        "<instance_geometry url=\"#quad\"/></node>\n  </library_nodes>",
        "<instance_node url=\"#shared\"/></node>\n  </library_nodes>",
        "a.dae:31: nodes nested more than 128 deep (instances in a circle?)",
    );
}

/// Each node places the next one twice: 2^64 instances in a few kilobytes.
#[test]
fn dae_doubling_chain_ends_in_an_error() {
    let node = |i: usize| {
        let next = format!("<instance_node url=\"#n{}\"/>", i + 1).repeat(2);
        format!("<node id=\"n{i}\">{next}</node>")
    };
    let nodes: String = (0..64).map(node).collect();
    let text = format!(
        "<COLLADA><library_nodes>{nodes}<node id=\"n64\"/></library_nodes><library_visual_scenes><visual_scene>\
         <node><instance_node url=\"#n0\"/></node></visual_scene></library_visual_scenes></COLLADA>"
    );
    let error = read_dae(text.as_bytes(), "a.dae").unwrap_err().to_string();
    assert_eq!(error, "a.dae:1: the number of nodes is too large: the limit is 1048576");
}

#[test]
fn files_by_extension() {
    for (name, advice) in [
        ("part.STEP", "; FreeCAD and gmsh convert it to STL"),
        ("part.3mf", "; Blender and MeshLab export OBJ, STL and glTF"),
        ("arm.xacro", "; expand it first: xacro FILE.xacro > FILE.urdf"),
        ("../../testdata", "; this is a folder: name a file in it"),
    ] {
        let error = read_mesh(Path::new(name)).unwrap_err();
        assert!(
            error.to_string().ends_with(&format!("or .dae{advice}")) && error.code() == "unknown_format",
            "{error}"
        );
    }
    let check = |name: &str, expected: &str| {
        let error = read_mesh(Path::new(name)).expect_err(expected).to_string();
        assert!(error.starts_with(name) && error.contains(expected), "{error}");
    };
    check(
        "mesh.fbx",
        ": unknown file format: the name must end in .obj, .stl, .ply, .off, .gltf, .glb or .dae",
    );
    check("no_extension", ": unknown file format");
    check("missing/mesh.obj", ": No such file or directory");
    let error = write_mesh(Path::new("a.stl"), &MeshData::default()).unwrap_err().to_string();
    assert_eq!(error, "a.stl: unknown file format: the name must end in .obj or .ply");
}

#[test]
fn written_files_come_back_bit_for_bit() {
    let folder = std::env::temp_dir().join(format!("firsttouch-io-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut mesh = read("obj/everything.obj");
    mesh.positions[0] = glam::DVec3::new(f64::MIN_POSITIVE / 3.0, -0.0, -1.0 / 3.0);
    mesh.positions[1] = glam::DVec3::new(f64::MAX, f64::EPSILON, 1e22);
    for name in ["mesh.obj", "mesh.PLY"] {
        let path = folder.join(name);
        write_mesh(&path, &mesh).unwrap();
        let again = read_mesh(&path).unwrap();
        assert_eq!(again, mesh);
        assert!(again.positions[0].y.is_sign_negative());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A sparse file of 5 GiB is refused by its size, not read.
#[test]
fn a_file_over_the_limit_is_refused() {
    let path = std::env::temp_dir().join(format!("firsttouch-io-{}-huge.obj", std::process::id()));
    let file = std::fs::File::create(&path).unwrap();
    let made = file.set_len(5 << 30);
    let result = read_mesh(&path);
    std::fs::remove_file(&path).unwrap();
    if made.is_ok() {
        let error = result.unwrap_err().to_string();
        assert!(error.ends_with("the file, in bytes, is too large: the limit is 4294967296"), "{error}");
    }
}
