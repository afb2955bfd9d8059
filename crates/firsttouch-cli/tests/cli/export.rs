//! `--out DIR`: the motion as OBJ and GLB, and the answer as JSON.

use std::path::PathBuf;

use serde_json::Value;

use super::firsttouch;

/// A new folder for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("firsttouch-export-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.0.join("answer.json")).unwrap()).unwrap()
    }

    /// Returns the names of the objects of an OBJ file.
    fn objects(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join(name)).unwrap();
        text.lines().filter_map(|line| line.strip_prefix("o ")).map(String::from).collect()
    }

    /// Returns the JSON part and the binary part of a GLB file.
    fn glb(&self, name: &str) -> (Value, Vec<u8>) {
        let bytes = std::fs::read(self.0.join(name)).unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], number(4), number(8)), (&b"glTF"[..], 2, bytes.len()));
        let end = 20 + number(12);
        assert_eq!(&bytes[end + 4..end + 8], b"BIN\0");
        (serde_json::from_slice(&bytes[20..end]).unwrap(), bytes[end + 8..].to_vec())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the numbers of an accessor of floats.
fn floats((json, bytes): &(Value, Vec<u8>), accessor: &Value) -> Vec<f32> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let [start, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
    bytes[start..start + length].chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

fn node<'a>((json, _): &'a (Value, Vec<u8>), name: &str) -> (usize, &'a Value) {
    let nodes = json["nodes"].as_array().unwrap();
    nodes.iter().enumerate().find(|(_, node)| node["name"] == name).expect("the node exists")
}

/// Returns the times and the values of an animated property.
fn track(file: &(Value, Vec<u8>), name: &str, path: &str) -> (Vec<f32>, Vec<f32>) {
    let (index, _) = node(file, name);
    let animation = &file.0["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let channel = channels
        .iter()
        .find(|channel| channel["target"]["node"] == index && channel["target"]["path"] == path)
        .expect("the property is animated");
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    (floats(file, &sampler["input"]), floats(file, &sampler["output"]))
}

/// A ball flies at a wall: the animation has a sample at the touch, times increase, and the mark appears there.
#[test]
fn a_scene_is_written_with_its_motion() {
    let folder = Folder::new("scene");
    let run = firsttouch(&["check", "touch.toml", "--out", folder.text(), "--json"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(run.json(), folder.json(), "the same answer in both places");
    let toi = run.json()["toi"].as_f64().unwrap();
    let names: Vec<String> =
        run.json()["bodies"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().into()).collect();
    let objects = folder.objects("scene.obj");
    assert!(names.iter().all(|name| objects.contains(name)), "{objects:?}");
    assert_eq!(objects.last().unwrap(), "touch");

    let file = folder.glb("scene.glb");
    let (times, scales) = track(&file, "touch", "scale");
    assert_eq!((times, scales), (vec![0.0, toi as f32], vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
    let moving = names.iter().find(|name| {
        let (index, _) = node(&file, name);
        let channels = file.0["animations"][0]["channels"].as_array().unwrap();
        channels.iter().any(|channel| channel["target"]["node"] == index)
    });
    let (times, positions) = track(&file, moving.expect("one of the two moves"), "translation");
    assert_eq!(3 * times.len(), positions.len());
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "times increase");
    assert!(times.contains(&(toi as f32)) && times[0] == 0.0 && times[times.len() - 1] == 1.0);
}

/// An animation lasts as long as the scene says.
#[test]
fn an_animation_lasts_the_duration() {
    let folder = Folder::new("duration");
    let text = include_str!("../../../../testdata/scenes/touch.toml");
    let scene = std::env::temp_dir().join(format!("firsttouch-duration-{}.toml", std::process::id()));
    std::fs::write(&scene, format!("duration = 4.0\n{text}")).unwrap();
    let run = firsttouch(&["check", scene.to_str().unwrap(), "--out", folder.text(), "--json"]);
    std::fs::remove_file(&scene).unwrap();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let toi = run.json()["toi"].as_f64().unwrap();
    let file = folder.glb("scene.glb");
    let (times, _) = track(&file, "touch", "scale");
    assert!((f64::from(times[1]) - toi).abs() < 1e-6 && toi > 1.0, "{times:?} {toi}");
    let (times, _) = track(&file, "flying", "translation");
    assert_eq!((times[0], times[times.len() - 1]), (0.0, 4.0));
}

/// Ellipsoids that change their shape are morphed: nine weights, the entries of the matrix.
#[test]
fn changing_ellipsoids_and_cloth_are_morphed() {
    let folder = Folder::new("morph");
    assert_eq!(firsttouch(&["check", "affine.toml", "--out", folder.text()]).status, 1);
    let file = folder.glb("scene.glb");
    let (times, weights) = track(&file, "balloon", "weights");
    assert_eq!(weights.len(), 9 * times.len());

    let folder = Folder::new("cloth");
    assert_eq!(firsttouch(&["deform", "falling0.obj", "falling1.obj", "--out", folder.text()]).status, 1);
    let file = folder.glb("mesh.glb");
    let (times, weights) = track(&file, "falling0", "weights");
    assert_eq!(times, weights, "vertices move at constant velocities");
    assert_eq!(folder.json()["answer"], "touch");
    // The crate's own reader accepts it, with the surface at time 0.
    let mesh = firsttouch_io::read_mesh(&folder.0.join("mesh.glb")).unwrap();
    assert!(!mesh.triangles.is_empty());
}

/// Each path has its own file, in which every link is an object.
#[test]
fn every_path_is_written() {
    let folder = Folder::new("path");
    let run = firsttouch(&[
        "path",
        "../robots/plain.urdf",
        "../robots/plain.csv",
        "--out",
        folder.text(),
        "--json",
    ]);
    assert!(run.status < 2, "{}", run.stderr);
    let paths = run.json()["paths"].as_array().unwrap().len();
    assert!(paths > 0);
    for index in 0..paths {
        assert!(folder.objects(&format!("path{index}.obj")).iter().any(|name| name.contains('/')));
        let (json, _) = folder.glb(&format!("path{index}.glb"));
        assert!(json["nodes"].as_array().unwrap().len() > 1);
    }
}

/// A folder that cannot be made is noticed before the work.
#[test]
fn a_bad_folder_is_an_error() {
    let run = firsttouch(&["check", "touch.toml", "--out", "touch.toml/below", "--json"]);
    assert_eq!(run.status, 2);
    assert_eq!(run.json()["code"], "io");
}
