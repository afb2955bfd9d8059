//! `firsttouch view`: every kind of input gives a page whose document follows the format, and a server that serves it
//! to this machine alone. The tests in `viewer/` cover the page in a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use base64::Engine;
use serde_json::Value;

use crate::{command, firsttouch};

/// A new folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("view").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A document with its numbers decoded.
struct Shown {
    page: String,
    json: Value,
    bytes: Vec<u8>,
}

/// Makes the page of an input and reads its document back.
#[track_caller]
fn shown(name: &str, arguments: &[&str]) -> Shown {
    let file = folder(name).join("page.html");
    let run = firsttouch(&[&["view"], arguments, &["--out", file.to_str().unwrap()]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let shown = Shown::new(std::fs::read_to_string(&file).unwrap());
    shown.follows_the_format();
    shown
}

impl Shown {
    #[track_caller]
    fn new(page: String) -> Shown {
        let start = "<script type=\"application/json\" id=\"firsttouch-document\">";
        let after = page.split_once(start).expect("the page has a document").1;
        let text = after.split_once("</script>").unwrap().0;
        assert!(!text.contains('<'));
        let json: Value = serde_json::from_str(text).expect("the document is JSON");
        let mut bytes = Vec::new();
        if let Some(buffer) = json["buffers"].get(0) {
            assert_eq!(buffer["encoding"], "deflate-base64");
            let deflated = base64::prelude::BASE64_STANDARD.decode(buffer["data"].as_str().unwrap()).unwrap();
            flate2::read::ZlibDecoder::new(&deflated[..]).read_to_end(&mut bytes).unwrap();
            assert_eq!(buffer["bytes"], bytes.len());
        }
        Shown { page, json, bytes }
    }

    /// Returns the numbers of a view.
    #[track_caller]
    fn numbers(&self, view: &Value) -> Vec<f64> {
        let [offset, count] = ["offset", "count"].map(|name| view[name].as_u64().unwrap() as usize);
        let size = match view["type"].as_str().unwrap() {
            "u16" => 2,
            "u32" | "f32" => 4,
            "f64" => 8,
            other => panic!("{other}"),
        };
        assert!(view["buffer"] == 0 && offset % size == 0 && offset + count * size <= self.bytes.len());
        let number = |b: &[u8]| match view["type"].as_str().unwrap() {
            "u16" => u16::from_le_bytes(b.try_into().unwrap()).into(),
            "u32" => u32::from_le_bytes(b.try_into().unwrap()).into(),
            "f32" => f32::from_le_bytes(b.try_into().unwrap()).into(),
            _ => f64::from_le_bytes(b.try_into().unwrap()),
        };
        self.bytes[offset..offset + count * size].chunks_exact(size).map(number).collect()
    }

    fn list<'a>(&'a self, name: &str) -> &'a [Value] {
        self.json[name].as_array().unwrap()
    }

    fn run(&self) -> &Value {
        &self.list("runs")[0]
    }

    /// Returns the index of the body of that name.
    #[track_caller]
    fn body(&self, name: &str) -> usize {
        self.list("bodies").iter().position(|body| body["name"] == name).expect(name)
    }

    /// Checks the demands of `viewer/FORMAT.md` on every document.
    #[track_caller]
    fn follows_the_format(&self) {
        assert_eq!((&self.json["format"], &self.json["version"]), (&"firsttouch-view".into(), &1.into()));
        for geometry in self.list("geometries") {
            if geometry["kind"] == "mesh" {
                let vertices = self.numbers(&geometry["positions"]).len();
                assert_eq!(vertices % 3, 0);
                for view in ["indices", "edges", "points"].map(|name| &geometry[name]) {
                    let inside = |index: &f64| *index < (vertices / 3) as f64;
                    assert!(view.is_null() || self.numbers(view).iter().all(inside));
                }
                for frame in geometry["frames"]["positions"].as_array().into_iter().flatten() {
                    assert_eq!(self.numbers(frame).len(), vertices);
                }
            }
        }
        let geometries = self.list("geometries").len() as u64;
        for shape in self.list("bodies").iter().flat_map(|body| body["shapes"].as_array().unwrap()) {
            assert!(shape["geometry"].as_u64().unwrap() < geometries);
        }
        assert!(!self.list("runs").is_empty());
        self.list("runs").iter().for_each(|run| self.run_follows_the_format(run));
    }

    #[track_caller]
    fn run_follows_the_format(&self, run: &Value) {
        let bodies = self.list("bodies").len() as u64;
        let duration = run["duration"].as_f64().unwrap();
        let pairs = run["pairs"].as_array().map(Vec::as_slice).unwrap_or_default();
        for answer in [&run["answer"]].into_iter().chain(pairs) {
            let word = answer["answer"].as_str().unwrap();
            assert!(["free", "touch", "touching_at_start", "undecided"].contains(&word));
            let touches = word.starts_with("touch");
            for field in ["time", "gap", "bodies", "parts", "features", "points", "normal", "marks"] {
                assert_eq!(
                    !answer[field].is_null(),
                    touches || (field == "bodies" && word == "undecided"),
                    "{field}"
                );
            }
            let inside = |body: &Value| body.as_u64().unwrap() < bodies;
            assert!(answer["bodies"].as_array().into_iter().flatten().all(inside));
            assert!((0.0..=duration).contains(&answer["time"].as_f64().unwrap_or(0.0)));
        }
        for motion in run["motions"].as_array().unwrap() {
            assert!(motion["body"].as_u64().unwrap() < bodies);
            let times = self.numbers(&motion["times"]);
            assert!(times.is_sorted() && times[0] == 0.0 && *times.last().unwrap() == duration);
            assert_eq!(self.numbers(&motion["positions"]).len(), 3 * times.len());
            if !motion["matrices"].is_null() {
                assert_eq!(self.numbers(&motion["matrices"]).len(), 9 * times.len());
            }
            if !motion["quaternions"].is_null() {
                let quaternions = self.numbers(&motion["quaternions"]);
                let turns: Vec<&[f64]> = quaternions.chunks_exact(4).collect();
                assert_eq!(turns.len(), times.len());
                for (pair, time) in turns.windows(2).zip(times.windows(2)) {
                    let cosine: f64 = pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum();
                    let turn = 2.0 * cosine.abs().min(1.0).acos().to_degrees();
                    assert!(turn <= 30.1 || time[0] == time[1], "{turn} degrees");
                }
            }
            // The picture at the touch is exact.
            if let Some(time) = run["answer"]["time"].as_f64() {
                assert!(times.iter().any(|t| same(*t, time)), "no sample at {time}");
            }
        }
    }

    /// Returns the position of a body's sample at a time.
    #[track_caller]
    fn position(&self, body: usize, time: f64) -> [f64; 3] {
        let motions = self.run()["motions"].as_array().unwrap();
        let motion = motions.iter().find(|motion| motion["body"] == body).expect("it moves");
        let at = self.numbers(&motion["times"]).iter().position(|t| same(*t, time)).expect("a sample");
        self.numbers(&motion["positions"])[3 * at..][..3].try_into().unwrap()
    }
}

/// Equal up to the last digit, which the JSON reader of this test may get wrong; a browser's reader does not.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2.0 * f64::EPSILON * b.abs()
}

/// Returns the distance of a point of the answer from the plane, line or point that its marks span.
fn off_marks(answer: &Value, side: usize) -> f64 {
    let vector = |value: &Value| glam::DVec3::from_array([0, 1, 2].map(|k| value[k].as_f64().unwrap()));
    let marks: Vec<_> = answer["marks"][side].as_array().unwrap().iter().map(vector).collect();
    let offset = vector(&answer["points"][side]) - marks[0];
    match marks[..] {
        [_] => offset.length(),
        [a, b] => offset.cross((b - a).normalize()).length(),
        [a, b, c, ..] => offset.dot((b - a).cross(c - a).normalize()).abs(),
        [] => f64::NAN,
    }
}

/// The ball of radius 1 is at x = -2 when it touches, and the page shows it at its proven place.
#[test]
fn a_touch_of_two_balls() {
    let shown = shown("touch", &["touch.toml"]);
    assert_eq!(shown.json["title"], "touch.toml");
    assert_eq!(shown.json["command"], "firsttouch check touch.toml");
    let answer = &shown.run()["answer"];
    let time = answer["time"].as_f64().unwrap();
    assert!(time <= 0.35 && time > 0.35 - 1e-6);
    let [x, y, z] = shown.position(0, time);
    assert!((x - (-9.0 + 20.0 * time)).abs() < 1e-14 && y == 0.0 && z == 0.0, "{x}");
    assert_eq!(shown.list("geometries").len(), 1, "two equal balls are one geometry");
    assert_eq!(answer["marks"], serde_json::json!([[], []]), "curved faces have none");
    assert_eq!(shown.run()["stats"]["pairs"], 1);
    let checked = firsttouch(&["check", "touch.toml", "--json"]).json();
    assert_eq!(answer["time"], checked["toi"], "all digits of the command's answer");
}

/// The tip of an octahedron on the top of a box: a corner, and the four corners of a face.
#[test]
fn the_features_of_a_touch_are_marked() {
    let shown = shown("mesh", &["mesh.toml"]);
    let answer = &shown.run()["answer"];
    assert_eq!(answer["bodies"], serde_json::json!([shown.body("floor"), shown.body("teapot")]));
    assert_eq!(answer["marks"][0].as_array().unwrap().len(), 4, "{answer}");
    for side in [0, 1] {
        assert!(off_marks(answer, side) < 1e-5, "{answer}");
    }
}

#[test]
fn every_pair_of_a_scene() {
    let shown = shown("many", &["many.toml", "--mode", "all"]);
    assert_eq!((&shown.json["mode"], &shown.json["tolerance"]), (&"all".into(), &1e-5.into()));
    let run = shown.run();
    let pairs = run["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 4, "the sweeper meets four of them");
    // The sweeper has a sample at each of its touches.
    for pair in pairs {
        shown.position(shown.body("sweeper"), pair["time"].as_f64().unwrap());
    }
    let ellipsoids = shown_overlaps();
    assert_eq!(ellipsoids.len(), 1);
    assert_eq!(ellipsoids[0]["certain"], true);
}

/// The overlaps of a growing ball and one that passes it, which is drawn by matrices.
fn shown_overlaps() -> Vec<Value> {
    let shown = shown("affine", &["affine.toml", "--mode", "all"]);
    let balloon = shown.body("balloon");
    assert_eq!(shown.list("bodies")[balloon]["kind"], "ellipsoid");
    let motions = shown.run()["motions"].as_array().unwrap();
    let motion = motions.iter().find(|motion| motion["body"] == balloon).unwrap();
    let matrices = shown.numbers(&motion["matrices"]);
    assert_eq!(matrices[..9], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(matrices[matrices.len() - 9], 3.0);
    shown.run()["pairs"][0]["overlaps"].as_array().unwrap().clone()
}

/// A robot is shown as its links, with the bodies that it holds; a cloth has two frames.
#[test]
fn robots_cloths_and_held_parts() {
    let shown = shown("mixed", &["mixed.toml"]);
    let body = |name: &str| &shown.list("bodies")[shown.body(name)];
    for (name, kind, group) in
        [("hand", "link", Some("arm")), ("ball", "attached", Some("arm")), ("post", "box", None)]
    {
        assert_eq!((&body(name)["kind"], body(name)["group"].as_str()), (&kind.into(), group));
    }
    let cloth = &shown.list("geometries")[body("cloth")["shapes"][0]["geometry"].as_u64().unwrap() as usize];
    assert_eq!(cloth["frames"]["times"], serde_json::json!([0.0, 1.0]));
    assert_eq!(cloth["frames"]["positions"][0], cloth["positions"]);
    for scene in ["rational.toml", "contact_screw.toml", "start.toml", "undecided.toml", "free.toml"] {
        self::shown("others", &[scene]);
    }
}

/// A run per path. Waypoints appear twice, and the touch of a segment is at its own time in the run.
#[test]
fn paths_of_a_robot() {
    let folder = folder("path-files");
    // Visual and collision geometry differ; one visual cannot be found, which is no reason to fail.
    let arm = r#"<robot name="arm">
      <link name="frame"/>
      <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
      <link name="upper">
        <visual><origin xyz="0.5 0 0"/><geometry><cylinder radius="0.05" length="0.6"/></geometry></visual>
        <visual><geometry><mesh filename="gone.stl"/></geometry></visual>
        <collision><origin xyz="0.5 0 0"/><geometry><box size="0.6 0.1 0.1"/></geometry></collision>
      </link>
      <joint name="stand" type="fixed"><parent link="frame"/><child link="base"/></joint>
      <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
    </robot>"#;
    let wall =
        "[[body]]\nname = \"wall\"\nshape = { box = [0.2, 0.2, 2.0] }\npose = { xyz = [0.0, 0.6, 0.0] }\n";
    for (file, text) in
        [("arm.urdf", arm), ("wall.toml", wall), ("way.csv", "shoulder\n0\n1\n\n0\n0.5\n3\n\n0\n-40\n")]
    {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let path = |file: &str| folder.join(file).to_str().unwrap().to_string();
    let more = ["--clearance", "--contacts"];
    let shown = shown(
        "path",
        &[&[&path("arm.urdf"), &path("way.csv"), "--scene", &path("wall.toml")], &more[..]].concat(),
    );
    let names: Vec<&str> = shown.list("bodies").iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["base", "upper", "wall"], "a link without a shape is not shown");
    let roles: Vec<&Value> =
        shown.list("bodies")[1]["shapes"].as_array().unwrap().iter().map(|shape| &shape["role"]).collect();
    assert_eq!(roles, ["collision", "visual"]);
    let [free, touch, round] = shown.list("runs") else { panic!("three paths") };
    assert_eq!(free["answer"], serde_json::json!({ "answer": "free" }));
    let answer = &touch["answer"];
    assert_eq!((&answer["segment"], &touch["duration"]), (&1.into(), &2.0.into()));
    assert!(same(answer["time"].as_f64().unwrap(), 1.0 + answer["toi"].as_f64().unwrap()));
    assert_eq!(answer["bodies"], serde_json::json!([1, 2]));
    assert_eq!(answer["parts"], serde_json::json!(["solid", "solid"]), "the link is the body");
    assert!(off_marks(answer, 0) < 1e-5 && off_marks(answer, 1) < 1e-5, "{answer}");
    let times = shown.numbers(&touch["motions"][1]["times"]);
    assert_eq!(times.iter().filter(|time| **time == 1.0).count(), 2, "a waypoint is a kink");
    // The arm ends at x = 0.8, and at the angle of 1 it is as close to the wall as it gets.
    let curve = &free["clearance"];
    let upper: Vec<f64> = curve["upper"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(upper.windows(2).all(|pair| pair[1] <= pair[0]), "it comes closer all the time");
    assert_eq!(curve["least"]["bodies"], serde_json::json!([1, 2]));
    assert!((curve["least"]["upper"].as_f64().unwrap() - upper[upper.len() - 1]).abs() < 2e-6);
    assert_eq!(touch["clearance"]["least"]["lower"], 0.0);
    assert!(!touch["contacts"].as_array().unwrap().is_empty() && free["contacts"].is_null());
    // Six turns and more in one segment, no two samples further apart than 30 degrees.
    assert!(shown.numbers(&round["motions"][1]["times"]).len() > 76);
}

/// A part stands on a table, is taken, carried over a fence and put down. On the page it is one body that rests, moves
/// with the hand, and rests again; if it touches something in the hand, the page names that body.
#[test]
fn a_part_that_is_taken_up_and_put_down() {
    let cell =
        ["pick_and_place/gantry.urdf", "pick_and_place/path.csv", "--scene", "pick_and_place/cell.toml"];
    let shown = self::shown("pick", &cell);
    let names: Vec<&str> = shown.list("bodies").iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| **name == "part").count(), 1, "{names:?}");
    assert_eq!(shown.run()["answer"]["answer"], "free");
    let part = shown.body("part");
    for (time, at) in
        [(0.0, [0.3, 0.0, 0.04]), (2.5, [0.3, 0.0, 0.04]), (4.0, [0.3, 0.0, 0.4]), (9.0, [0.8, 0.0, 0.04])]
    {
        let there = shown.position(part, time);
        assert!((0..3).all(|k| (there[k] - at[k]).abs() < 1e-9), "at {time}: {there:?}");
    }
    // The least distance is that of the command, between the same two, while the hand carries the part; and on a
    // smooth course too.
    for more in [&["--interpolation", "linear"][..], &["--interpolation", "spline", "--contacts"]] {
        let asked = [&cell[..], &["--clearance"], more].concat();
        let file = self::folder("pick-curve").join("page.html");
        let run = firsttouch(&[&["view"], &asked[..], &["--out", file.to_str().unwrap()]].concat());
        assert!(run.status < 2, "{}", run.stderr);
        let curve = Shown::new(std::fs::read_to_string(&file).unwrap());
        let least = &curve.run()["clearance"]["least"];
        let found = firsttouch(&[&["path"], &asked[..], &["--json"]].concat()).json();
        let found = &found["paths"][0]["clearance"];
        assert_eq!((&least["lower"], &least["upper"]), (&found["lower"], &found["upper"]), "{more:?}");
        let names: Vec<&str> =
            curve.list("bodies").iter().map(|body| body["name"].as_str().unwrap()).collect();
        let shown = [0, 1].map(|side| names[least["bodies"][side].as_u64().unwrap() as usize]);
        let shown = shown.map(|name| name.rsplit('/').next().unwrap());
        let told = [0, 1].map(|side| {
            let [body, part] = ["bodies", "parts"].map(|key| found[key][side].as_str().unwrap());
            if body == "gantry" { part } else { body }
        });
        assert_eq!(shown, told, "{more:?}");
    }
    // A higher fence: the part hits it on its way.
    let folder = folder("pick-files");
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/scenes/pick_and_place/cell.toml"
    ))
    .unwrap();
    std::fs::write(folder.join("cell.toml"), text.replace("[0.02, 1, 0.3]", "[0.02, 1, 0.44]")).unwrap();
    let scene = folder.join("cell.toml");
    let shown = self::shown("pick-touch", &[cell[0], cell[1], "--scene", scene.to_str().unwrap()]);
    let answer = &shown.run()["answer"];
    let checked =
        firsttouch(&["path", cell[0], cell[1], "--scene", scene.to_str().unwrap(), "--json"]).json();
    assert_eq!(answer["toi"], checked["paths"][0]["toi"]);
    assert_eq!(answer["segment"], checked["paths"][0]["segment"]);
    let pair = [shown.body("part"), shown.body("fence")];
    let bodies: Vec<usize> =
        answer["bodies"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap() as usize).collect();
    assert!(bodies == pair || bodies == [pair[1], pair[0]], "{answer}");
    assert!(off_marks(answer, 0) < 1e-5 && off_marks(answer, 1) < 1e-5, "{answer}");
}

/// The same as one scene, in which the gantry, its part and a pusher keep one time. The part is shown in the hand while
/// the hand carries it, not at its place before. A body that touches the part in the hand touches it there.
#[test]
fn a_part_that_a_robot_of_the_scene_carries() {
    let shown = self::shown("carried", &["pick_and_place/cycle.toml"]);
    let (part, hand) = (shown.body("part"), shown.body("hand"));
    let places =
        [(0.0, [0.3, 0.0, 0.04]), (3.0, [0.3, 0.0, 0.04]), (4.0, [0.3, 0.0, 0.4]), (5.0, [0.8, 0.0, 0.4])];
    for (time, at) in places.into_iter().chain([(6.0, [0.8, 0.0, 0.04]), (9.0, [0.8, 0.0, 0.04])]) {
        let there = shown.position(part, time);
        assert!((0..3).all(|k| (there[k] - at[k]).abs() < 1e-9), "at {time}: {there:?}");
    }
    // Half way over the fence, 0.1 below the hand, as at every moment in between.
    let motions = shown.run()["motions"].as_array().unwrap();
    let motion = motions.iter().find(|motion| motion["body"] == part).unwrap();
    let times = shown.numbers(&motion["times"]);
    let carried: Vec<f64> = times.into_iter().filter(|time| (3.0..=6.0).contains(time)).collect();
    assert!(carried.len() > 30, "{carried:?}");
    for time in carried {
        let [part, hand] = [part, hand].map(|body| shown.position(body, time));
        assert!((hand[0] - part[0]).abs() < 1e-9 && (hand[2] - part[2] - 0.1).abs() < 1e-9, "{time}");
    }
    // A higher fence: the marks are on the part where it is, in the hand.
    let folder = folder("carried-files");
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scenes/pick_and_place");
    for file in ["cycle.toml", "gantry.urdf", "path.csv"] {
        let text = std::fs::read_to_string(from.join(file)).unwrap();
        std::fs::write(folder.join(file), text.replace("[0.02, 1, 0.3]", "[0.02, 1, 0.44]")).unwrap();
    }
    let scene = folder.join("cycle.toml");
    let shown = self::shown("carried-touch", &[scene.to_str().unwrap()]);
    let answer = &shown.run()["answer"];
    let checked = firsttouch(&["check", scene.to_str().unwrap(), "--json"]).json();
    assert!(same(answer["time"].as_f64().unwrap(), checked["toi"].as_f64().unwrap()), "{answer}");
    let pair = [shown.body("part"), shown.body("fence")];
    let bodies: Vec<usize> =
        answer["bodies"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap() as usize).collect();
    assert!(bodies == pair || bodies == [pair[1], pair[0]], "{answer}");
    assert!(off_marks(answer, 0) < 1e-5 && off_marks(answer, 1) < 1e-5, "{answer}");
}

/// An MJCF robot is shown by its geoms, with the planes of its model around it.
#[test]
fn a_robot_on_its_floor() {
    let folder = folder("rover-files");
    std::fs::write(folder.join("way.csv"), "drive,lift\n0,0\n0,-0.1\n8,-0.1\n").unwrap();
    let way = folder.join("way.csv");
    let shown = self::shown("rover", &["../robots/terrain.xml", way.to_str().unwrap()]);
    let answer = &shown.run()["answer"];
    assert_eq!((&answer["answer"], &answer["segment"]), (&"touch".into(), &1.into()), "{answer}");
    let pair = ["rover", "rover/wall"].map(|name| shown.body(name));
    let bodies: Vec<usize> =
        answer["bodies"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap() as usize).collect();
    assert!(bodies == pair || bodies == [pair[1], pair[0]], "{answer}");
    assert_eq!(shown.list("bodies")[shown.body("hill")]["shapes"].as_array().unwrap().len(), 3);
    let model = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/robots/terrain.xml");
    let text = format!("[[body]]\nname = \"it\"\nrobot = {{ mjcf = {model:?} }}\nto = {{ drive = 8 }}\n");
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    let shown = self::shown("rover-scene", &[folder.join("scene.toml").to_str().unwrap()]);
    let answer = &shown.run()["answer"];
    assert_eq!(answer["bodies"], serde_json::json!([shown.body("rover"), shown.body("it/wall")]), "{answer}");
}

/// Options of a path have the same meaning on the page.
#[test]
fn curves_padding_and_the_base() {
    let robot = ["../robots/plain.urdf", "../robots/plain.csv", "--scene", "touch.toml"];
    for options in [&["--interpolation", "spline"][..], &["--padding", "0.2"], &["--base", "9 0 0 0 0 0"]] {
        let arguments = [&robot[..], options].concat();
        let shown = self::shown("course", &arguments);
        let checked = firsttouch(&[&["path"], &arguments[..], &["--json"]].concat()).json();
        for (run, path) in shown.list("runs").iter().zip(checked["paths"].as_array().unwrap()) {
            assert_eq!(run["answer"]["answer"], path["answer"], "{options:?}");
            assert_eq!(run["answer"]["toi"], path["toi"], "{options:?}");
        }
        assert!(shown.json["command"].as_str().unwrap().contains(options[0]));
    }
}

/// The input of `plan` is shown as the path that is planned: the same waypoints, and every edge free. Without a path,
/// the straight way is shown, with its touch.
#[test]
fn a_planned_path() {
    let robot = ["../robots/plain.urdf", "--srdf", "../robots/plain.srdf"];
    let ends = ["--from", "-1, 0.2", "--to", "2,0.5"];
    let shown = self::shown("plan", &[&robot[..], &ends].concat());
    let planned = firsttouch(&[&["plan"], &robot[..], &ends, &["--json"]].concat()).json();
    assert_eq!((&planned["answer"], &shown.run()["answer"]["answer"]), (&"free".into(), &"free".into()));
    assert_eq!(shown.run()["duration"].as_f64().unwrap(), planned["edges"].as_f64().unwrap());
    assert!(shown.json["command"].as_str().unwrap().contains("plan ../robots/plain.urdf"));

    let wall = folder("plan-files").join("wall.toml");
    std::fs::write(&wall, "[[body]]\nname = \"room\"\nshape = { box = [9.0, 9.0, 9.0] }\n").unwrap();
    let page = folder("plan").join("blocked.html");
    let out = ["--scene", wall.to_str().unwrap(), "--out", page.to_str().unwrap()];
    let run = firsttouch(&[&["view"], &robot[..], &ends, &out].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("--from touches") && run.stderr.contains("the straight way is shown"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("touching at the start"), "{}", run.stdout);
}

#[test]
fn two_frames_of_a_mesh() {
    let shown = shown("deform", &["falling0.obj", "falling1.obj", "--mode", "all"]);
    let checked = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--mode", "all", "--json"]).json();
    let answer = &shown.run()["answer"];
    assert_eq!((&answer["answer"], &answer["time"]), (&checked["answer"], &checked["toi"]));
    assert_eq!(answer["bodies"], serde_json::json!([0, 0]));
    assert_eq!(shown.run()["pairs"].as_array().unwrap().len(), checked["pairs"].as_array().unwrap().len());
    for side in [0, 1] {
        assert!(off_marks(answer, side) < 1e-9, "{answer}");
    }
}

/// Times on the page are those of the scene file, which lasts as long as its `duration`.
#[test]
fn times_are_those_of_the_file() {
    let shown = shown("door", &["door.toml", "--mode", "all"]);
    let run = shown.run();
    assert_eq!(run["duration"], 4.0);
    let checked = firsttouch(&["check", "door.toml", "--json"]).json();
    assert_eq!(run["answer"]["time"], checked["toi"]);
    let door = &run["motions"][0];
    let times = shown.numbers(&door["times"]);
    assert_eq!((times[0], times[times.len() - 1]), (0.0, 4.0));
    shown.position(door["body"].as_u64().unwrap() as usize, checked["toi"].as_f64().unwrap());
    let overlap = &run["pairs"][0]["overlaps"][0];
    let [from, to] = ["from", "to"].map(|key| overlap[key].as_f64().unwrap());
    assert!(from <= run["pairs"][0]["time"].as_f64().unwrap() && from < to && to <= 4.0, "{overlap}");
    // The same scene as JSON.
    assert_eq!(self::shown("door-json", &["door.json"]).run()["answer"]["time"], checked["toi"]);
}

/// The curve of the least distance is that of the motion, and its least is the one that the command proves.
#[test]
fn the_clearance_is_a_curve() {
    // The balls are |20 t - 9| - 2 apart until they touch.
    let shown = shown("curve", &["touch.toml", "--clearance", "--contacts"]);
    let clearance = &shown.run()["clearance"];
    let list = |key: &str| clearance[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap());
    assert!(list("times").count() > 100);
    for ((t, lower), upper) in list("times").zip(list("lower")).zip(list("upper")) {
        let exact = ((20.0 * t - 9.0).abs() - 2.0).max(0.0);
        assert!(
            lower <= exact + 1e-12 && exact <= upper + 1e-12 && upper - lower < 1e-9,
            "{t}: {lower} {exact} {upper}"
        );
    }
    assert_eq!(clearance["least"]["lower"], 0.0);
    assert_eq!(shown.run()["contacts"].as_array().unwrap().len(), 1);
    let free = self::shown("curve-free", &["free.toml", "--clearance"]);
    let checked = firsttouch(&["check", "free.toml", "--clearance", "--json"]).json();
    let least = &free.run()["clearance"]["least"];
    assert_eq!(
        (&least["lower"], &least["time"]),
        (&checked["clearance"]["lower"], &checked["clearance"]["t"])
    );
    let cloth = self::shown("curve-cloth", &["falling0.obj", "falling1.obj", "--clearance", "--contacts"]);
    assert_eq!(cloth.run()["clearance"]["least"]["lower"], 0.0);
    assert!(!cloth.run()["contacts"].as_array().unwrap().is_empty());
}

#[test]
fn a_built_in_scene() {
    let shown = shown("demo", &["--demo", "near_miss"]);
    assert_eq!(shown.run()["answer"]["answer"], "free");
}

/// Names come from untrusted files. They cannot end the script, and they are shown as they are.
#[test]
fn hostile_names_are_text() {
    let folder = folder("hostile-files");
    let name = "</script><script>alert(1)</script><!-- firsttouch-document -->";
    let scene = folder.join("hostile.toml");
    std::fs::write(&scene, format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = {{ radius = 1 }} }}\n"))
        .unwrap();
    let shown = shown("hostile", &[scene.to_str().unwrap()]);
    assert_eq!(shown.list("bodies")[0]["name"], name);
    assert!(!shown.page.contains("<script>alert"));
}

/// 100,000 triangles, quantised and deflated, make a page of at most 5 MB.
#[test]
fn a_large_mesh_is_a_small_page() {
    let folder = folder("large-files");
    let n = 224;
    let mut obj = String::new();
    let wave = |i: u32, j: u32| {
        (0.37 * f64::from(i)).sin() * (0.21 * f64::from(j)).cos() + 0.01 * (f64::from(i * j)).sin()
    };
    for i in 0..=n {
        for j in 0..=n {
            obj += &format!("v {i} {j} {}\n", wave(i, j));
        }
    }
    for i in 0..n {
        for j in 0..n {
            let a = i * (n + 1) + j + 1;
            obj += &format!("f {a} {} {} {}\n", a + 1, a + n + 2, a + n + 1);
        }
    }
    std::fs::write(folder.join("large.obj"), obj).unwrap();
    let scene = folder.join("large.toml");
    let text = "[[body]]\nname = \"sea\"\nshape = { mesh = \"large.obj\" }\n\n[[body]]\nname = \"moon\"\nshape = { sphere = { radius = 1 } }\npose = { xyz = [0, 0, 50] }\n";
    std::fs::write(&scene, text).unwrap();
    let shown = shown("large", &[scene.to_str().unwrap()]);
    let triangles = shown.list("geometries")[0]["indices"]["count"].as_u64().unwrap() / 3;
    assert!(triangles >= 100_000, "{triangles}");
    assert!(shown.page.len() <= 5_000_000, "{} bytes", shown.page.len());
}

#[test]
fn what_cannot_be_shown() {
    for (arguments, says) in [
        (&["arm.urdf"][..], "a robot needs the waypoints"),
        (&["way.csv", "arm.urdf"], "waypoints come after their robot"),
        (&["octahedron.obj"], "a mesh alone does not move"),
        (&["touch.toml", "free.toml"], "a scene file is shown by itself"),
        (&["notes.txt"], "notes.txt: what to show is SCENE.toml, ROBOT.urdf WAYPOINTS.csv, or two frames"),
        (&["nowhere.toml"], "nowhere.toml: "),
        (&["touch.toml", "--srdf", "arm.srdf"], "--srdf and --scene are for"),
        (&["touch.toml", "--padding", "0.1"], "are for ROBOT.urdf"),
        (&["touch.toml", "--from", "0", "--to", "1"], "--from and --to are for ROBOT.urdf"),
        (&["arm.urdf", "way.csv", "--from", "0", "--to", "1"], "without waypoints"),
        (&["arm.urdf", "--from", "0"], "--to"),
        (&["touch.toml", "--start", "ignore"], "--start is for two frames"),
        (&["arm.urdf", "way.csv", "--mode", "all"], "a path has first and any"),
        (&["--demo", "nothing"], "there is no scene called \"nothing\""),
    ] {
        let out = folder("refused").join("page.html");
        let run = firsttouch(&[&["view"], arguments, &["--out", out.to_str().unwrap()]].concat());
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains(says), "{}", run.stderr);
        assert!(!out.exists());
    }
    let run = firsttouch(&["view", "-"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--out or --png writes it once"), "{}", run.stderr);
}

#[test]
fn a_picture_without_a_browser() {
    let out = folder("picture").join("touch.png");
    let mut command = command(&["view", "touch.toml", "--png", out.to_str().unwrap()]);
    let output = command.env_remove("CHROME").env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--png needs Chromium or Chrome, and none was found"), "{said}");
    let output = command.env("CHROME", "/nowhere/chrome").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("$CHROME names no program: /nowhere/chrome"), "{said}");
}

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn new(scene: &str) -> Server {
        let mut child = command(&["view", scene, "--no-open", "--json", "--timeout", "60"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let json: Value = serde_json::from_str(&line).expect("the address as JSON");
        let address = json["address"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap().trim_end_matches('/').to_string();
        Server { child, address }
    }

    fn send(&self, head: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    fn answer(&self, head: &str) -> String {
        let mut text = String::new();
        self.send(head).read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The page is for this machine: a request by another name, as from a page of another site, is refused. When the file
/// changes, the page announces it and has another content.
#[test]
fn the_page_is_served_to_this_machine() {
    let folder = folder("served");
    let scene = folder.join("scene.toml");
    let ball =
        |radius: f64| format!("[[body]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = {radius} }} }}\n");
    std::fs::write(&scene, ball(1.0)).unwrap();
    let server = Server::new(scene.to_str().unwrap());
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
    let get = |path: &str, host: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");

    let answer = server.answer(&get("/", &server.address));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{}", &answer[..80]);
    let shown = Shown::new(answer);
    shown.follows_the_format();
    let live = shown.json["live"].as_str().unwrap();
    assert_eq!(live, "/changes?since=0");
    for (head, status) in [
        (get("/", "evil.example"), "403"),
        (get("/changes?since=0", "evil.example"), "403"),
        ("GET / HTTP/1.1\r\n\r\n".to_string(), "403"),
        (get("/../../etc/passwd", &server.address), "404"),
        (get("/", &server.address).replace("GET", "POST"), "405"),
        ("nonsense\r\n\r\n".to_string(), "400"),
    ] {
        let answer = server.answer(&head);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head}: {answer}");
        assert!(!answer.contains("ball"));
    }

    let mut events = BufReader::new(server.send(&get(live, &server.address)));
    let mut until = |wanted: &str| {
        let mut line = String::new();
        while !line.starts_with(wanted) {
            line.clear();
            assert!(events.read_line(&mut line).unwrap() > 0, "the stream ended before {wanted}");
        }
    };
    until("retry:");
    // A file that cannot be read leaves the page as it is.
    std::fs::write(&scene, "[[body]]\nname = ").unwrap();
    std::thread::sleep(Duration::from_millis(600));
    assert!(server.answer(&get("/", &server.address)).contains("\"radius\":1.0"));
    std::fs::write(&scene, ball(2.5)).unwrap();
    until("data: 1");
    let shown = Shown::new(server.answer(&get("/", &server.address)));
    assert_eq!(shown.json["geometries"][0]["radius"], 2.5);
    assert_eq!(shown.json["live"], "/changes?since=1");
}
