//! The effect of each part of a format: it changes the result, it gives a warning, it is refused, or it is known to
//! have no effect. A valid file that is silently read as the wrong shape gives a false "free".

use firsttouch::Answer;
use firsttouch_io::{
    Files, MeshData, build_scene, build_scene_with_warnings, parse_scene, parse_waypoints, read_urdf,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// The contents of a file as text, or the error; and the warnings.
pub(crate) type Reading = (Result<String, String>, Vec<String>);

/// Reads bytes as a file of that name, from the disk as the front ends do.
pub(crate) fn reading(name: &str, bytes: &[u8]) -> Reading {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("firsttouch-parts-{}-{number}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    let files = Files::default();
    let extension = name.rsplit('.').next().unwrap();
    let shown = |error: firsttouch_io::Error| error.to_string();
    let is_cloud = name.starts_with("points");
    let result = match extension {
        _ if is_cloud => files.read_points(&path).map(|points| format!("{points:?}")).map_err(shown),
        "bt" | "ot" => files.read_octree(&path).map(|data| format!("{data:?}")).map_err(shown),
        "png" => files.read_heights(&path).map(|data| format!("{data:?}")).map_err(shown),
        _ => files.read_mesh(&path).map(|mesh| text_of(&mesh)).map_err(shown),
    };
    std::fs::remove_dir_all(&folder).unwrap();
    // The folder has a different name each time.
    let plain = |text: String| text.replace(&format!("{}/", folder.display()), "");
    (result.map_err(plain), files.take_warnings().iter().map(|warning| plain(warning.to_string())).collect())
}

/// Returns the shape of a mesh: unused vertices are not part of it.
fn text_of(mesh: &MeshData) -> String {
    let at = |i: u32| mesh.positions[i as usize];
    let triangles: Vec<_> = mesh.triangles.iter().map(|t| t.map(at)).collect();
    let edges: Vec<_> = mesh.edges.iter().map(|e| e.map(at)).collect();
    let points: Vec<_> = mesh.points.iter().map(|&p| at(p)).collect();
    format!("{triangles:?} {edges:?} {points:?}")
}

/// The effect of a change of a valid file.
enum Outcome {
    /// Another shape, without a word.
    Honoured,
    /// The same shape, without a word.
    Same,
    /// A warning with this text.
    Warned(&'static str),
    /// An error with this text.
    Refused(&'static str),
}
use Outcome::{Honoured, Refused, Same, Warned};

/// A file, a text in it, its replacement, and the effect.
type Row = (&'static str, &'static str, &'static str, Outcome);

const ANIMATION: &str = "an animation moves parts of the file";

const GLTF: [Row; 36] = [
    ("gltf/still.gltf", "\"scene\": 0", "\"scene\": 0, \"extras\": {\"mesh\": 7}", Same),
    ("gltf/still.gltf", "\"generator\": \"by hand\"", "\"copyright\": \"none\"", Same),
    (
        "gltf/still.gltf",
        "\"generator\": \"by hand\"",
        "\"minVersion\": \"2.1\"",
        Refused("asset: not supported: glTF version 2.1"),
    ),
    ("gltf/still.gltf", "\"scene\": 0", "\"animations\": [{\"channels\": []}]", Warned(ANIMATION)),
    ("gltf/still.gltf", "\"scene\": 0", "\"scene\": 1", Refused("scene 1 is out of range")),
    ("gltf/still.gltf", "\"scene\": 0", "\"extensionsUsed\": [\"MY_shapes\"]", Same),
    ("gltf/still.gltf", "\"scene\": 0", "\"extensionsRequired\": [\"KHR_materials_unlit\"]", Same),
    (
        "gltf/still.gltf",
        "\"scene\": 0",
        "\"extensionsRequired\": [\"MY_shapes\"]",
        Refused("the required extension MY_shapes"),
    ),
    (
        "gltf/still.gltf",
        "\"scene\": 0",
        "\"extensionsRequired\": [\"KHR_mesh_quantization\"]",
        Refused("uncompressed"),
    ),
    (
        "gltf/still.gltf",
        "\"scene\": 0",
        "\"extensionsRequired\": [\"EXT_meshopt_compression\"]",
        Refused("uncompressed"),
    ),
    (
        "gltf/still.gltf",
        "\"scene\": 0",
        "\"extensions\": {\"MY_shapes\": {}}",
        Warned("the extension \"MY_shapes\" is not known here"),
    ),
    ("gltf/still.gltf", "\"scene\": 0", "\"extensions\": {\"KHR_lights_punctual\": {\"lights\": []}}", Same),
    ("gltf/still.gltf", "\"scene\": 0", "\"cameras\": [], \"materials\": [], \"skins\": []", Same),
    ("gltf/still.gltf", "\"name\": \"flag\"", "\"camera\": 0", Same),
    (
        "gltf/still.gltf",
        "\"name\": \"flag\"",
        "\"skin\": 0",
        Refused("nodes[0]: not supported: a skinned mesh"),
    ),
    ("gltf/still.gltf", "\"name\": \"flag\"", "\"translation\": [0, 0, 1]", Honoured),
    ("gltf/still.gltf", "\"name\": \"flag\"", "\"rotation\": [0, 0, 1, 0]", Honoured),
    ("gltf/still.gltf", "\"name\": \"flag\"", "\"scale\": [1, 2, 1]", Honoured),
    ("gltf/still.gltf", "\"name\": \"flag\"", "\"matrix\": [2,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]", Honoured),
    (
        "gltf/still.gltf",
        "\"name\": \"flag\"",
        "\"matrix\": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2]",
        Refused("the last row of a matrix"),
    ),
    (
        "gltf/still.gltf",
        "\"name\": \"flag\"",
        "\"matrix\": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], \"scale\": [1, 1, 1]",
        Refused("not both"),
    ),
    (
        "gltf/still.gltf",
        "\"name\": \"flag\"",
        "\"extensions\": {\"EXT_mesh_gpu_instancing\": {}}",
        Refused("copies are not read"),
    ),
    (
        "gltf/still.gltf",
        "\"name\": \"flag\"",
        "\"extensions\": {\"KHR_node_visibility\": {\"visible\": false}}",
        Warned("hidden nodes are read"),
    ),
    (
        "gltf/still.gltf",
        "\"name\": \"flag\"",
        "\"extensions\": {\"OMI_collider\": {}}",
        Warned("\"OMI_collider\""),
    ),
    ("gltf/still.gltf", "0.5", "0.25", Honoured),
    ("gltf/still.gltf", "\"weights\": [0.5]", "\"camera\": 0", Honoured),
    (
        "gltf/still.gltf",
        "\"weights\": [0.5]",
        "\"weights\": [0.5, 0.5]",
        Refused("2 weights for 1 morph targets"),
    ),
    ("gltf/still.gltf", "[{\"POSITION\": 1}]", "[{\"NORMAL\": 1}]", Honoured),
    (
        "gltf/still.gltf",
        "{\"POSITION\": 0}",
        "{\"POSITION\": 0, \"NORMAL\": 0, \"TEXCOORD_0\": 0, \"_MINE\": 0}",
        Same,
    ),
    ("gltf/still.gltf", "{\"POSITION\": 0}", "{\"NORMAL\": 0}", Refused("without positions")),
    ("gltf/still.gltf", "\"targets\"", "\"material\": 0, \"targets\"", Same),
    ("gltf/still.gltf", "\"targets\"", "\"mode\": 0, \"targets\"", Honoured),
    ("gltf/still.gltf", "\"targets\"", "\"mode\": 2, \"targets\"", Honoured),
    (
        "gltf/still.gltf",
        "{\"nodes\": [0]}",
        "{\"nodes\": []}, {\"nodes\": [0]}",
        Refused("there are no vertices"),
    ),
    (
        "gltf/still.gltf",
        "\"weights\": [0.5]}",
        "\"weights\": [0.5]}, {\"mesh\": 0}",
        Warned("not in the scene that is read"),
    ),
    (
        "gltf/still.gltf",
        "\"weights\": [1.0]}]",
        "\"weights\": [1.0]}, {\"primitives\": []}]",
        Warned("no node has the mesh"),
    ),
];

const DAE: [Row; 45] = [
    (
        "dae/still.dae",
        "meter=\"1\"/>",
        "meter=\"1\"/><unit meter=\"2\"/>",
        Refused("a second <unit> in <asset>"),
    ),
    ("dae/still.dae", "<unit meter=\"1\"/>", "<unit>0.01</unit>", Warned("the text \"0.01\" in <unit>")),
    ("dae/still.dae", "<up_axis>", "<up_axis>Y_UP</up_axis><up_axis>", Refused("a second <up_axis>")),
    ("dae/still.dae", "<scene>", "<scene/><scene>", Refused("a second <scene>")),
    ("dae/still.dae", "<mesh>", "<mesh/><mesh>", Refused("a second <mesh>")),
    ("dae/still.dae", "<node id=\"n\">", "<node id=\"n\">0 9 0", Warned("the text \"0 9 0\" in <node>")),
    (
        "dae/still.dae",
        "<input semantic=\"POSITION\"",
        "<input semantic=\"POSITION\" source=\"#s\"/><input semantic=\"POSITION\"",
        Refused("a second input POSITION"),
    ),
    (
        "dae/still.dae",
        "<input semantic=\"VERTEX\"",
        "<input semantic=\"VERTEX\" source=\"#v\"/><input semantic=\"VERTEX\"",
        Refused("a second input VERTEX"),
    ),
    ("dae/still.dae", "<vcount>", "<vcount>3</vcount><vcount>", Refused("a second <vcount>")),
    (
        "dae/still.dae",
        "<float_array",
        "<float_array count=\"0\"/><float_array",
        Refused("a second <float_array>"),
    ),
    (
        "dae/still.dae",
        "<geometry",
        "<geometry id=\"g\"/><geometry",
        Refused("a second <geometry> with the id"),
    ),
    ("dae/still.dae", "meter=\"1\"", "meter=\"2\"", Honoured),
    ("dae/still.dae", "Z_UP", "Y_UP", Warned("up_axis Y_UP is not applied")),
    ("dae/still.dae", "<title>a</title>", "<title>b</title>", Same),
    ("dae/still.dae", "<scene>", "<library_materials><material/></library_materials><scene>", Same),
    ("dae/still.dae", "<scene>", "<library_animations/><scene>", Same),
    (
        "dae/still.dae",
        "<scene>",
        "<library_animations><animation/></library_animations><scene>",
        Warned(ANIMATION),
    ),
    (
        "dae/still.dae",
        "<scene>",
        "<library_physics_models><a/></library_physics_models><scene>",
        Warned("for physics are not read"),
    ),
    ("dae/still.dae", "<scene>", "<library_joints><joint/></library_joints><scene>", Warned("URDF or MJCF")),
    ("dae/still.dae", "<scene>", "<library_controllers><controller/></library_controllers><scene>", Same),
    ("dae/still.dae", "<scene>", "<extra><technique><mesh/></technique></extra><scene>", Same),
    ("dae/still.dae", "<scene>", "<scene><instance_physics_scene url=\"#p\"/>", Warned("")),
    (
        "dae/still.dae",
        "<instance_geometry url=\"#g\"/>",
        "<instance_controller url=\"#g\"/>",
        Refused("a skin or morph controller"),
    ),
    (
        "dae/still.dae",
        "<instance_geometry url=\"#g\"/>",
        "<instance_geometry url=\"b.dae#g\"/>",
        Refused("only \"#id\""),
    ),
    ("dae/still.dae", "<node id=\"n\">", "<node id=\"n\"><translate>1 0 0</translate>", Honoured),
    ("dae/still.dae", "<node id=\"n\">", "<node id=\"n\"><rotate>0 0 1 90</rotate>", Honoured),
    ("dae/still.dae", "<node id=\"n\">", "<node id=\"n\"><scale>1 2 1</scale>", Honoured),
    (
        "dae/still.dae",
        "<node id=\"n\">",
        "<node id=\"n\"><matrix>1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix>",
        Honoured,
    ),
    (
        "dae/still.dae",
        "<node id=\"n\">",
        "<node id=\"n\"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>",
        Refused("the last row of a matrix"),
    ),
    (
        "dae/still.dae",
        "<node id=\"n\">",
        "<node id=\"n\"><lookat>0 0 0 1 0 0 0 0 1</lookat>",
        Refused("write it as a `<matrix>`"),
    ),
    (
        "dae/still.dae",
        "<node id=\"n\">",
        "<node id=\"n\"><skew>1 0 0 1 0 0 1</skew>",
        Refused("write it as a `<matrix>`"),
    ),
    ("dae/still.dae", "<node id=\"n\">", "<node id=\"n\"><instance_light url=\"#l\"/>", Same),
    ("dae/still.dae", "<node id=\"n\">", "<node id=\"n\"><instance_node url=\"#n\"/>", Refused("nested")),
    (
        "dae/still.dae",
        "<node id=\"n\">",
        "<node/></visual_scene><visual_scene id=\"t\"><node id=\"n\">",
        Refused("no vertices"),
    ),
    (
        "dae/still.dae",
        "</visual_scene>",
        "</visual_scene><visual_scene id=\"t\"/>",
        Warned("which is left out"),
    ),
    (
        "dae/still.dae",
        "</library_geometries>",
        "<geometry id=\"h\"><mesh/></geometry></library_geometries>",
        Warned("a geometry is not in the scene"),
    ),
    ("dae/still.dae", "<mesh>", "<convex_mesh/><mesh>", Refused("export the geometry as a `<mesh>`")),
    (
        "dae/still.dae",
        "<polylist count=\"1\">",
        "<polylist count=\"2\">",
        Warned("count=\"2\", but there are 1"),
    ),
    ("dae/still.dae", "name=\"X\"", "name=\"Z\"", Warned("taken in their order")),
    (
        "dae/still.dae",
        "name=\"X\" type=\"float\"/><param name=\"Y\"",
        "name=\"Y\" type=\"float\"/><param name=\"X\"",
        Honoured,
    ),
    ("dae/still.dae", "name=\"X\"", "id=\"X\"", Refused("parameters called X, Y and Z")),
    ("dae/still.dae", "<vcount>4</vcount><p>", "<vcount>3</vcount><p>", Refused("more corners than vcount")),
    ("dae/still.dae", "<asset>", "<asset><revision>2</revision>", Same),
    (
        "dae/still.dae",
        "<library_geometries>",
        "<library_geometries><asset><unit meter=\"2\"/></asset>",
        Refused("a unit of a part of the file"),
    ),
    (
        "dae/still.dae",
        "<mesh>",
        "<mash/><mesh>",
        Warned("\"mash\" is not known here and is not read; did you mean \"mesh\"?"),
    ),
];

const OTHERS: [Row; 67] = [
    ("xyz/points.xyz", "0 1 2", "0,5 1 2", Refused("a decimal comma")),
    ("xyz/points.xyz", "0 1 2", "0;1,5;2", Refused("a decimal comma")),
    ("xyz/points.xyz", "0 1 2", "0,,2,1", Refused("a coordinate cannot be read as a number: \"\"")),
    ("xyz/points.xyz", "0 1 2", "0; 1; 2;", Same),
    ("xyz/points.xyz", "x y z", "x y z x", Refused("a second column \"x\"")),
    // An empty cell is a column, in the names and below.
    ("xyz/points.xyz", "x y z\n0 1 2\n3 4 5\n", "x,name,y,z,i\n0,,1,2,9\n3,b,4,5,9\n", Same),
    ("xyz/points.xyz", "x y z\n0 1 2\n3 4 5\n", "x,,y,z\n0,a,1,2\n3,b,4,5\n", Same),
    ("obj/tetrahedron.obj", "f ", "l ", Honoured),
    ("obj/tetrahedron.obj", "f ", "p ", Honoured),
    ("obj/tetrahedron.obj", "f ", "vn 0 0 1\nvt 0 0\nvp 0 0\no a\ng b\ns 1\nusemtl red\nlod 2\nf ", Same),
    ("obj/tetrahedron.obj", "f ", "surf 0 1 0 1 1 2 3\nf ", Refused("export polygons")),
    ("obj/tetrahedron.obj", "f ", "bzp 1 2 3 4\nf ", Refused("export polygons")),
    ("obj/tetrahedron.obj", "f ", "call other.obj\nf ", Refused("put all of the mesh into one file")),
    ("obj/tetrahedron.obj", "f ", "usemtll red\nf ", Refused("did you mean \"usemtl\"?")),
    ("stl/cube_corner.stl", "endsolid", "endsolid\nsolid", Refused("the middle of a solid")),
    ("stl/cube_corner.stl", "facet normal", "facet normale", Refused("expected \"normal\"")),
    ("ply/plain.ply", "property float x", "property float w\nproperty float x", Refused("too few numbers")),
    ("ply/plain.ply", "float nx", "float w", Warned("coordinates are not divided by it")),
    ("ply/plain.ply", "float nx", "float radius", Warned("points have no size of their own")),
    ("ply/plain.ply", "float nx", "float scalar_C2M", Same),
    ("ply/plain.ply", "float nx", "float shift_x", Warned("the property \"shift_x\" is not known here")),
    ("ply/plain.ply", "float nx", "float X", Warned("did you mean \"x\"?")),
    ("ply/plain.ply", "float nx", "float x", Refused("a second property \"x\"")),
    ("ply/plain.ply", "element face", "element faces", Warned("did you mean \"face\"?")),
    ("ply/plain.ply", "element face", "element range_grid", Warned("write it as `face`")),
    ("ply/plain.ply", "element face", "element tristrips", Same),
    ("ply/plain.ply", "comment", "obj_info", Same),
    ("ply/plain.ply", "element face", "element camera", Warned("where a scanner stood is not applied")),
    ("ply/plain.ply", "element face", "element edge", Refused("needs a integer \"vertex1\"")),
    ("ply/points.ply", "element face", "element face", Warned("read the file as a mesh")),
    ("off/quad.off", "COFF 4 1 0", "COFF 4 0 1", Refused("follows the last face")),
    (
        "pcd/points.pcd",
        "VIEWPOINT 0 0 0 1 0 0 0",
        "VIEWPOINT 0 0 1 1 0 0 0",
        Warned("the VIEWPOINT is not applied"),
    ),
    (
        "pcd/points.pcd",
        "VIEWPOINT 0 0 0 1 0 0 0",
        "VIEWPOINT 0 0 0 0 1 0 0",
        Warned("the VIEWPOINT is not applied"),
    ),
    ("pcd/points.pcd", "VERSION 0.7", "VERSION 0.6", Same),
    ("pcd/points.pcd", "rgb", "intensity", Same),
    ("pcd/points.pcd", "rgb", "radius", Warned("points have no size of their own")),
    ("pcd/points.pcd", "rgb", "w", Warned("coordinates are not divided by it")),
    ("pcd/points.pcd", "rgb", "height", Warned("the field \"height\" is not known here")),
    ("pcd/points.pcd", "rgb", "x", Refused("a second field \"x\"")),
    ("pcd/points.pcd", "x y z", "y x z", Honoured),
    ("pcd/points.pcd", "COUNT 1 1 1 1", "COUNT 2 1 1 1", Refused("it must have one")),
    ("pcd/points.pcd", "WIDTH 2", "WIDTH 1", Refused("POINTS is 2, but WIDTH times HEIGHT is 1")),
    ("pcd/points.pcd", "WIDTH 2", "WIDTH 2\nWIDTH 3", Refused("a second WIDTH")),
    ("pcd/points.pcd", "0 0 1 7", "0 0 nan 7", Honoured),
    ("xyz/points.xyz", "x y z", "y x z", Honoured),
    ("xyz/points.xyz", "x y z", "X Y Z", Same),
    ("xyz/points.xyz", "x y z", "id y z", Refused("rename them")),
    ("xyz/points.xyz", "x y z", "lon lat z", Refused("rename them")),
    ("xyz/points.xyz", "x y z", "# x y z", Same),
    ("xyz/points.xyz", "x y z", "// y x z", Same),
    ("xyz/points.xyz", "0 1 2", "0 1 2 255 0 0", Same),
    ("xyz/points.xyz", "0 1 2", "0 1", Refused("a coordinate is in column 3")),
    ("npy/points.npy", "(2, 4)", "(1, 8)", Warned("8 columns, and those after the third are not read")),
    ("npy/points.npy", "(2, 4)", "(2, 3)", Warned("8 more bytes follow the array")),
    ("npy/points.npy", "(2, 4)", "(4, 2)", Refused("has the shape (N, 3)")),
    ("npy/points.npy", "False", "True ", Honoured),
    ("npy/points.npy", "<f4", "<i4", Refused("use float32 or float64")),
    ("octomap/cells.bt", "id OcTree", "id OcTreeStamped", Refused("use OcTree or ColorOcTree")),
    ("octomap/cells.bt", "id OcTree", "id ColorOcTree", Same),
    ("octomap/cells.bt", "res ", "rez ", Refused("did you mean \"res\"?")),
    ("octomap/cells.bt", "res ", "res 1", Honoured),
    ("octomap/cells.bt", "size ", "size 1", Same),
    ("octomap/cells.ot", "id OcTree", "id ColorOcTree", Refused("")),
    ("octomap/cells.ot", "res ", "res 1", Honoured),
    ("ply/text.ply", "", "", Warned("the property \"group\" is not known here")),
    ("ply/text.ply", "property ushort group", "property ushort label", Same),
    ("gltf/animated.gltf", "", "", Warned(ANIMATION)),
];

/// Files that only this test needs, with every part in its plainest form.
fn made(name: &str) -> Option<Vec<u8>> {
    let text = match name {
        "gltf/still.gltf" => {
            let animated = std::fs::read_to_string(testdata("gltf/animated.gltf")).unwrap();
            let mut root: serde_json::Value = serde_json::from_str(&animated).unwrap();
            let object = root.as_object_mut().unwrap();
            object.remove("animations");
            object["nodes"].as_array_mut().unwrap().truncate(1);
            object["scenes"] = serde_json::json!([{"nodes": [0]}]);
            return Some(root.to_string().replace("\":", "\": ").into_bytes());
        }
        "dae/still.dae" => {
            "<COLLADA version=\"1.4.1\"><asset><title>a</title><unit meter=\"1\"/><up_axis>Z_UP</up_axis></asset>\n\
             <library_geometries><geometry id=\"g\"><mesh>\n\
             <source id=\"s\"><float_array id=\"a\" count=\"12\">0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common>\n\
             <accessor source=\"#a\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>\n\
             <param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\n\
             <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices>\n\
             <polylist count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><vcount>4</vcount><p>0 1 2 3</p></polylist>\n\
             </mesh></geometry></library_geometries>\n\
             <library_visual_scenes><visual_scene id=\"w\"><node id=\"n\"><instance_geometry url=\"#g\"/></node></visual_scene>\n\
             </library_visual_scenes><scene><instance_visual_scene url=\"#w\"/></scene></COLLADA>\n"
        }
        "ply/plain.ply" | "ply/points.ply" => {
            "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             property float nx\nelement face 1\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n\
             0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2 9\n"
        }
        "pcd/points.pcd" => {
            "VERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n\
             POINTS 2\nDATA ascii\n0 0 1 7\n3 2 1 7\n"
        }
        "xyz/points.xyz" => "x y z\n0 1 2\n3 4 5\n",
        "npy/points.npy" => {
            let mut file =
                b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"
                    .to_vec();
            file.resize(10 + 0x46, b' ');
            (0..8).for_each(|k| file.extend((k as f32).to_le_bytes()));
            return Some(file);
        }
        _ => return None,
    };
    Some(text.as_bytes().to_vec())
}

pub(crate) fn bytes_of(name: &str) -> Vec<u8> {
    made(name).unwrap_or_else(|| std::fs::read(testdata(name)).unwrap())
}

/// Returns the text with the first occurrence replaced.
pub(crate) fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes.windows(from.len().max(1)).position(|window| window == from.as_bytes());
    let at = if from.is_empty() { 0 } else { at.unwrap_or_else(|| panic!("there is no {from}")) };
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[test]
fn every_part_of_a_format_has_its_outcome() {
    let (mut counts, mut wrong) = ([0; 4], Vec::new());
    for (file, from, to, outcome) in GLTF.iter().chain(&DAE).chain(&OTHERS) {
        let name = file.rsplit('/').next().unwrap();
        let good = bytes_of(file);
        let (plain, before) = reading(name, &good);
        let plain = plain.unwrap_or_else(|e| panic!("{e}"));
        let bytes = replaced(&good, from, to);
        let (found, mut warnings) = reading(name, &bytes);
        if !from.is_empty() && from != to {
            warnings.retain(|warning| !before.contains(warning));
        }
        let about = format!("{file}: {from} -> {to}: {found:?} {warnings:?}");
        let is_silent = warnings.is_empty();
        let (kind, is_right) = match outcome {
            Honoured => (0, is_silent && found.is_ok_and(|found| found != plain)),
            Same => (1, is_silent && found.is_ok_and(|found| found == plain)),
            Warned(text) => (2, found.is_ok() && warnings.iter().any(|warning| warning.contains(text))),
            Refused(text) => (3, found.is_err_and(|error| error.contains(text))),
        };
        counts[kind] += 1;
        if !is_right {
            wrong.push(about);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.iter().all(|&count| count >= 20), "{counts:?}");
}

/// The default weights of morph targets are the shape at rest. They used to be left out: the triangle of the mesh is 4
/// away from its first positions, half of that by the node's own weight.
#[test]
fn morph_targets_have_their_default_weights() {
    let read = |bytes: &[u8]| firsttouch_io::read_gltf(bytes, "a.gltf", &|_| unreachable!()).unwrap();
    let good = bytes_of("gltf/still.gltf");
    assert!(read(&good).positions.iter().all(|p| p.z == 2.0));
    let of_mesh = replaced(&good, "\"weights\": [0.5]", "\"camera\": 0");
    assert!(read(&of_mesh).positions.iter().all(|p| p.z == 4.0));
}

/// A pair has one separation, and none if it is not checked. The last of several used to be taken without a warning.
#[test]
fn separations_of_one_pair() {
    let scene = |extra: &str| {
        let ball =
            |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = {{ radius = 1 }} }}\n");
        parse_scene(&format!("{extra}{}{}", ball("a"), ball("b")), "s.toml")
            .map_err(|error| error.to_string())
    };
    let pair = |a: &str, b: &str| format!("[[pair]]\nbodies = [\"{a}\", \"{b}\"]\nmin_separation = 1\n");
    assert!(scene(&pair("a", "b")).unwrap().warnings.is_empty());
    let error = scene(&(pair("a", "b") + &pair("b", "a"))).unwrap_err();
    assert_eq!(error, "s.toml:4: a second pair of \"b\" and \"a\"; the first is in line 1");
    let warnings = scene(&("allow = [[\"*\", \"b\"]]\n".to_string() + &pair("a", "b"))).unwrap().warnings;
    assert!(
        warnings.len() == 1 && warnings[0].line == 2 && warnings[0].text.contains("not checked"),
        "{warnings:?}"
    );
}

/// Bytes after the end that a GLB says it has are not read.
#[test]
fn bytes_after_a_glb() {
    let good = bytes_of("gltf/chunked.glb");
    assert!(reading("a.glb", &good).1.is_empty());
    let (result, warnings) = reading("a.glb", &[&good[..], b"glTF"].concat());
    assert!(result.is_ok() && warnings[0].contains("4 more bytes follow the GLB"), "{warnings:?}");
}

/// Loose edges and points are not part of a surface. They used to be dropped without a warning: a ball flew through the
/// pole of a flag. Warnings of mesh files come with those of the scene.
#[test]
fn loose_edges_are_left_out_with_a_warning() {
    let folder = std::env::temp_dir().join(format!("firsttouch-flag-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let solid = std::fs::read_to_string(testdata("obj/tetrahedron.obj")).unwrap();
    std::fs::write(folder.join("flag.obj"), format!("{solid}\nv 0 0 9\nl 1 -1\np -1\n")).unwrap();
    let built = |shape: &str| {
        let ball = "{ linear = { from = { xyz = [-5, 0, 6] }, to = { xyz = [5, 0, 6] } } }";
        let text = format!(
            "[[body]]\nname = \"flag\"\nshape = {{ mesh = \"flag.obj\"{shape} }}\n[[body]]\nname = \"ball\"\n\
             shape = {{ sphere = {{ radius = 0.5 }} }}\nmotion = {ball}\n"
        );
        let path = folder.join("s.toml");
        let file = parse_scene(&text, &path).unwrap();
        let (scene, warnings) = build_scene_with_warnings(&file, &path).unwrap();
        let touch = scene.check(&file.options()).unwrap().answer.touch().map(|touch| touch.toi);
        (touch, warnings.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    for solid in ["", ", solid = true"] {
        let (toi, warnings) = built(solid);
        let is_told = warnings[0].contains("flag.obj: 2 loose edges and points are no part of the surface");
        assert!(toi.is_none() && is_told, "{toi:?} {warnings:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The links that an attached body names are links of the robot. The error did not mention `touch_links`, and in the
/// command it had neither file nor line.
#[test]
fn links_of_attached_bodies_are_known() {
    let error = |attach: &str| {
        let urdf = testdata("robots/plain.urdf");
        let text = format!(
            "[[body]]\nname = \"arm\"\nrobot = {{ urdf = {urdf:?} }}\n\n[[body]]\nname = \"cup\"\n\
             shape = {{ sphere = {{ radius = 0.01 }} }}\nattach = {{ robot = \"arm\", {attach} }}\n"
        );
        build_scene(&parse_scene(&text, "s.toml").unwrap(), "s.toml")
            .map_or_else(|error| error.to_string(), |_| String::new())
    };
    let robot = firsttouch_io::read_robot(&testdata("robots/plain.urdf"), None).unwrap().0;
    let link = robot.links()[1].name();
    assert_eq!(error(&format!("link = \"{link}\"")), "");
    let text = "s.toml:6: body \"cup\": the robot \"arm\" has no link \"sl*\"";
    assert_eq!(error(&format!("link = \"{link}\", touch_links = [\"{link}\", \"sl*\"]")), text);
    let misspelt = error(&format!("link = \"{link}q\""));
    assert!(misspelt.ends_with(&format!("has no link \"{link}q\"; did you mean \"{link}\"?")), "{misspelt}");
}

/// Links of robots in `allow` and `[[pair]]`, with patterns; also in `touch_links`.
#[test]
fn rules_name_links() {
    let urdf = testdata("robots/plain.urdf");
    let checked = |rules: &str, attach: &str| -> Result<Answer, String> {
        let text = format!(
            "min_separation = 0.0\n{rules}\n[[body]]\nname = \"arm\"\nrobot = {{ urdf = {urdf:?} }}\n\
             [[body]]\nname = \"floor\"\nshape = {{ half_space = {{ normal = [0, 0, 1], offset = 0 }} }}\n\
             [[body]]\nname = \"cup\"\nshape = {{ sphere = {{ radius = 0.01 }} }}\n\
             attach = {{ robot = \"arm\", link = \"hand\", pose = {{ xyz = [0, 0, 0.05] }}, {attach} }}\n"
        );
        let (text, pair) = text.split_once("PAIR").map_or((text.clone(), String::new()), |(before, rest)| {
            let (pair, after) = rest.split_once("END").unwrap();
            (format!("{before}{after}"), pair.to_string())
        });
        let file = parse_scene(&format!("{text}{pair}"), "s.toml").map_err(|error| error.to_string())?;
        let scene = build_scene(&file, "s.toml").map_err(|error| error.to_string())?;
        Ok(scene.check(&file.options()).unwrap().answer)
    };
    let hand = "touch_links = [\"ha*\", \"arm\"]";
    // The base is half in the floor, and no other body is close to it.
    assert!(matches!(checked("", hand), Ok(Answer::TouchingAtStart(_))));
    assert_eq!(checked("allow = [[\"arm/base\", \"floor\"]]", hand), Ok(Answer::Free));
    assert_eq!(checked("allow = [[\"floor\", \"arm/b*\"]]", hand), Ok(Answer::Free));
    let close = "PAIR[[pair]]\nbodies = [\"arm/hand\", \"floor\"]\nmin_separation = 9\nEND";
    let answer = checked(&format!("allow = [[\"arm/base\", \"floor\"]]\n{close}"), hand);
    assert!(matches!(answer, Ok(Answer::TouchingAtStart(_))), "{answer:?}");
    let error = checked("allow = [[\"arm/foot*\", \"floor\"]]", hand).unwrap_err();
    assert_eq!(error, "s.toml: allow: nothing is called \"arm/foot*\"");
    let error = checked("", "touch_links = [\"ha*\", \"leg*\"]").unwrap_err();
    assert!(error.contains("the robot \"arm\" has no link \"leg*\""), "{error}");
}

/// The velocities of a waypoint file are used by cubics only.
#[test]
fn velocities_without_cubics_are_a_warning() {
    let robot = read_urdf(&testdata("robots/plain.urdf")).unwrap();
    let waypoints =
        parse_waypoints(b"# c\ntime,lift,lift/velocity\n0,0,1\n1,0.5,0\n", "q.csv", &robot).unwrap();
    for interpolation in [firsttouch_io::Interpolation::Linear, firsttouch_io::Interpolation::Spline] {
        let warning = waypoints.unused_velocities(interpolation, "q.csv").unwrap().to_string();
        assert!(warning.starts_with("q.csv:2: the columns JOINT/velocity are not used"), "{warning}");
    }
}
