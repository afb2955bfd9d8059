//! Turns, paths, splines, parents, durations, JSON, warnings and the schema of scene files.

use firsttouch::motion::{Motion, RigidMotion};
use firsttouch::{Answer, Scene};
use firsttouch_io::{SceneFile, build_scene_with_warnings, parse_scene, read_scene, scene_schema};
use glam::DVec3;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn load(name: &str) -> (SceneFile, Scene, Vec<String>) {
    let path = testdata(name);
    let file = read_scene(&path).unwrap_or_else(|e| panic!("{e}"));
    let (scene, warnings) = build_scene_with_warnings(&file, &path).unwrap_or_else(|e| panic!("{e}"));
    (file, scene, warnings.iter().map(ToString::to_string).collect())
}

fn built(text: &str) -> (SceneFile, Scene, Vec<String>) {
    let file = parse_scene(text, "s.toml").unwrap_or_else(|e| panic!("{e}"));
    let (scene, warnings) = build_scene_with_warnings(&file, "s.toml").unwrap_or_else(|e| panic!("{e}"));
    (file, scene, warnings.iter().map(ToString::to_string).collect())
}

fn toi(file: &SceneFile, scene: &Scene) -> f64 {
    let report = scene.check(&file.options()).unwrap().over(file.duration.unwrap_or(1.0));
    match report.answer {
        Answer::Touch(touch) => touch.toi,
        other => panic!("{other:?}"),
    }
}

fn motion_of<'a>(scene: &'a Scene, name: &str) -> &'a Motion {
    scene.bodies()[scene.index_of(name).unwrap()].as_rigid().unwrap().1
}

#[test]
fn a_door_in_toml_and_in_json() {
    let (file, scene, warnings) = load("scenes/door.toml");
    assert_eq!(warnings, Vec::<String>::new());
    let time = toi(&file, &scene);
    assert!(time <= 1.875 && time > 1.875 - 1e-5, "{time}");
    assert_eq!(motion_of(&scene, "door").kinks().collect::<Vec<_>>(), [0.25, 0.75]);
    // At the end the door has slid, and the handle with it, turned by 45 degrees: its end was at (0.45, -0.06, 0) in
    // the frame of the door.
    let at = motion_of(&scene, "handle").pose_at(1.0).translation;
    let (sine, cosine) = (PI4.sin(), PI4.cos());
    // In the frame of the door: about (0.4, -0.06, 0) along y; then a quarter turn about z, at (-2, 0.5, 0).
    let in_door = DVec3::new(0.4 + 0.05 * cosine, -0.06, -0.05 * sine);
    let expected = DVec3::new(-in_door.y, in_door.x, in_door.z) + DVec3::new(-2.0, 0.5, 0.0);
    assert!((at - expected).length() < 1e-14, "{at} {expected}");

    let (json_file, json_scene, _) = load("scenes/door.json");
    assert_eq!(toi(&json_file, &json_scene), time);
    let without_lines = |mut file: SceneFile| {
        file.bodies.iter_mut().for_each(|body| body.line = 0);
        file
    };
    assert_eq!(without_lines(json_file), without_lines(file));
}

const PI4: f64 = std::f64::consts::FRAC_PI_4;

#[test]
fn a_full_turn_touches() {
    let (file, scene, _) = load("scenes/full_turn.toml");
    let expected = 0.75 - 0.15_f64.asin() / std::f64::consts::TAU;
    let time = toi(&file, &scene);
    assert!(time <= expected && time > expected - 1e-5, "{time}");
}

/// It waits at both ends, goes through the poses at their times, and is free.
#[test]
fn a_spline_through_a_gate() {
    let (file, scene, _) = load("scenes/spline.toml");
    assert_eq!(scene.check(&file.options()).unwrap().answer, Answer::Free);
    let motion = motion_of(&scene, "box");
    for (t, x, y) in [(0.0, -2.0, 0.0), (0.5, -2.0, 0.0), (2.0, 0.0, 0.0), (4.0, 1.0, 2.0), (5.0, 1.0, 2.0)] {
        let at = motion.pose_at(t / 5.0).translation;
        assert!((at - DVec3::new(x, y, 0.0)).length() < 1e-14, "{t}: {at}");
    }
    assert_eq!(motion.kinks().count(), 2);
}

/// Parts that an entry of a path leaves out keep their values, also after a turn. A part that a gantry takes up,
/// carries over a fence and puts down, and that is pushed away when the hand is gone: the pusher starts at y = 0.6 at t
/// = 8, and its front is at the part's side, y = 0.04, when it is at y = 0.09.
#[test]
fn a_pick_and_place() {
    let (file, mut scene, warnings) = load("scenes/pick_and_place/cycle.toml");
    // The fence stands on the table.
    scene.leave_out_resting(true);
    assert!(warnings.is_empty(), "{warnings:?}");
    let exact = 8.0 + (0.6 - 0.09) / 0.6;
    let found = toi(&file, &scene);
    assert!(found <= exact && found > exact - 1e-4, "{found}");
    let part = scene.index_of("part").unwrap();
    let x = |t: f64| scene.pose_at(part, t / 9.0).unwrap().translation.x;
    assert!((x(2.0) - 0.3).abs() < 1e-12 && (x(4.5) - 0.55).abs() < 1e-12 && (x(7.0) - 0.8).abs() < 1e-12);
    // It is refused without waypoints, and for a waypoint that the path does not have.
    let path = testdata("scenes/pick_and_place/cycle.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let refused = |from: &str, to: &str| {
        let file = parse_scene(&text.replace(from, to), &path).unwrap();
        build_scene_with_warnings(&file, &path).unwrap_err().to_string()
    };
    let error = refused("path  = \"path.csv\"", "");
    assert!(error.contains("count the waypoints of a `path`, and the robot has none"), "{error}");
    let error = refused("release = 6", "release = 60");
    assert!(error.contains("waypoints between which \"part\" is held"), "{error}");
}

#[test]
fn what_is_left_out_stays() {
    let (_, scene, _) = built(
        "duration = 3\n[[body]]\nname = \"a\"\nshape = { box = [1, 1, 1] }\nmotion = { path = [\n\
         { t = 0, xyz = [1, 0, 0] },\n\
         { t = 1, by = { turn = { axis = [0, 0, 1], radians = 1.5 } } },\n\
         { t = 2, xyz = [0, 0, 7] },\n\
         { t = 3, rpy = [0, 0, 0], by = \"screw\" },\n] }\n",
    );
    let motion = motion_of(&scene, "a");
    let turned = motion.pose_at(2.0 / 3.0);
    assert!((turned.translation - DVec3::Z * 7.0).length() < 1e-14);
    assert!((turned.rotation * DVec3::X - DVec3::new(1.5_f64.cos(), 1.5_f64.sin(), 0.0)).length() < 1e-14);
    assert!((motion.pose_at(1.0).apply(DVec3::X) - DVec3::new(1.0, 0.0, 7.0)).length() < 1e-14);
}

#[test]
fn times_are_those_of_the_file() {
    let text = |head: &str| {
        format!(
            "{head}\n[[body]]\nname = \"a\"\nshape = {{ sphere = {{ radius = 1 }} }}\n\
             motion = {{ linear = {{ from = {{}}, to = {{ xyz = [8, 0, 0] }} }} }}\n\
             [[body]]\nname = \"b\"\nshape = {{ sphere = {{ radius = 1 }} }}\npose = {{ xyz = [4, 0, 0] }}\n"
        )
    };
    let (file, scene, _) = built(&text("duration = 60"));
    let time = toi(&file, &scene);
    assert!(time <= 15.0 && time > 15.0 - 1e-4, "{time}");
    // Free until just before.
    let (file, scene, _) = built(&text("duration = 60\nt_max = 14"));
    assert_eq!(file.options().t_max, 14.0 / 60.0);
    assert_eq!(scene.check(&file.options()).unwrap().answer, Answer::Free);
}

/// Every error with its line, in TOML and in JSON.
#[test]
fn bad_motions_are_refused_with_their_line() {
    let body = |motion: &str| format!("[[body]]\nname = \"a\"\nshape = {{ box = [1, 1, 1] }}\n{motion}\n");
    let cases = [
        ("motion = { turn = { axis = [0, 0, 0], degrees = 9 } }", 4, "axis is zero"),
        ("motion = { turn = { axis = [0, 0, 1] } }", 4, "degrees or radians"),
        ("motion = { turn = { axis = [0, 0, 1], degrees = 9, radians = 1 } }", 4, "degrees or radians"),
        ("motion = { turn = { axis = [0, 0, 1], degrees = nan } }", 4, "degrees is not a finite number"),
        ("motion = { path = [] }", 4, "no entries"),
        ("motion = { path = [\n{ t = 0 },\n{ t = 0 }] }", 6, "t must increase, but 0 follows 0"),
        ("motion = { path = [\n{ t = 0 },\n{ t = 2 }] }", 6, "t must be from 0 to the duration, which is 1"),
        ("motion = { path = [\n{ t = 0, by = \"linear\" }] }", 5, "the first entry of a path"),
        ("motion = { path = [\n{ t = 0 },\n{ t = 1, by = \"fly\" }] }", 6, "\"screw\""),
        (
            "motion = { path = [\n{ t = 0 },\n{ t = 1, by = \"hold\", xyz = [1, 0, 0] }] }",
            6,
            "no pose of its own",
        ),
        (
            "motion = { path = [\n{ t = 0 },\n{ t = 1, xyz = [1, 0, 0], by = { turn = { axis = [1, 0, 0], degrees = 1 } } }] }",
            6,
            "its entry has no pose",
        ),
        ("motion = { path = [\n{ t = 0 },\n{ t = 1, by = { spin = 1 } }] }", 6, "spin"),
        ("motion = { spline = [{ t = 0 }] }", 4, "two entries"),
        ("motion = { spline = [{ t = 0 },\n{ t = 1, by = \"screw\" }] }", 5, "use `path`"),
        (
            "motion = { spline = [{ t = 0, rpy = [0, 0, 1], rpy_deg = [0, 0, 1] },\n{ t = 1 }] }",
            4,
            "rpy or rpy_deg",
        ),
        ("pose = {}\nmotion = { spline = [{ t = 0 }, { t = 1 }] }", 2, "`pose` does not go with `motion`"),
        ("parent = \"b\"", 2, "the parent \"b\" of \"a\" is not a rigid body of this scene"),
        ("parent = \"a\"", 2, "is its own parent"),
    ];
    for (motion, line, expected) in cases {
        let error = parse_scene(&body(motion), "s.toml").expect_err(expected);
        assert_eq!(error.line(), Some(line), "{error} in {motion}");
        assert!(error.to_string().contains(expected), "{error}: {expected}");
    }
    for (head, expected) in
        [("duration = 0", "positive"), ("duration = nan", "finite"), ("t_max = 2", "in (0, 1]")]
    {
        let error = parse_scene(&format!("{head}\n{}", body("")), "s.toml").unwrap_err();
        assert!(error.line() == Some(1) && error.to_string().contains(expected), "{error}");
    }
    // A ring of parents, and one that hangs on it.
    let of = |name: &str, parent: &str| {
        format!("[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nshape = {{ box = [1, 1, 1] }}\n")
    };
    let error = parse_scene(&[of("x", "a"), of("a", "b"), of("b", "a")].concat(), "s.toml").unwrap_err();
    assert!(error.to_string().contains("parent"), "{error}");
    let robot = "[[body]]\nname = \"r\"\nrobot = { urdf = \"r.urdf\" }\nparent = \"a\"\n";
    assert!(parse_scene(robot, "s.toml").unwrap_err().to_string().contains("`parent` goes with a `shape`"));
    let json = [
        ("{\"body\": [\n{\"name\": \"a\",\n\"shape\": {\"box\": [1, 1]}}]}", 3, "expected 3 numbers"),
        ("{\"body\": [\n{\"name\": \"a\",,}]}", 2, "key must be a string"),
        ("{\"tolerance\": 1,\n\"body\": null}", 2, "null"),
        ("[1, 2]", 1, "one object"),
        ("{\"body\": [], \"bodyy\": []}", 1, "bodyy"),
        (
            "{\"allow\": [[\"\\u0041\\/\", \"b\"]],\n\"body\": [{\"name\": \"a\",\n \"shape\": {}}]}",
            3,
            "exactly one of",
        ),
    ];
    for (text, line, expected) in json {
        let error = parse_scene(text, "s.json").expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}: {expected}");
        assert_eq!(error.line(), Some(line), "{error}");
    }
}

/// A turn given by `rpy` that is larger than half a turn used to be read as the shorter one, without a warning: a full
/// turn was a body at rest, and the answer "free".
#[test]
fn doubtful_angles_are_warned_about() {
    let text = |kind: &str, yaw: &str| {
        format!(
            "[[body]]\nname = \"a\"\nshape = {{ box = [1, 1, 1] }}\n\
             motion = {{ {kind} = {{ from = {{}}, to = {{ {yaw} }} }} }}\n"
        )
    };
    for (kind, yaw, warned) in [
        ("linear", "rpy = [0, 0, 6.283]", true),
        ("linear", "rpy_deg = [0, -190, 0]", true),
        ("screw", "rpy_deg = [360, 0, 0]", true),
        ("linear", "rpy = [0, 0, 3.141592653589793]", false),
        ("linear", "rpy_deg = [0, 0, 180]", false),
        ("linear", "quat = [0, 0, 0, 1]", false),
    ] {
        let (_, _, warnings) = built(&text(kind, yaw));
        assert_eq!(warnings.len(), usize::from(warned), "{yaw}: {warnings:?}");
        for warning in warnings {
            assert!(warning.starts_with("s.toml:4: ") && warning.contains("use `turn`"), "{warning}");
        }
    }
}

#[test]
fn a_part_inside_of_a_mesh_is_warned_about() {
    let path = testdata("scenes/s.toml");
    let scene = |mesh: &str, head: &str| {
        let text = format!(
            "{head}[[body]]\nname = \"shell\"\nshape = {{ {mesh} = \"octahedron.obj\", scale = 3 }}\n\
             [[body]]\nname = \"part\"\nshape = {{ sphere = {{ radius = 0.01 }} }}\npose = {{ xyz = [0.1, 0, 0] }}\n\
             [[body]]\nname = \"outside\"\nshape = {{ sphere = {{ radius = 0.01 }} }}\npose = {{ xyz = [2.5, 2.5, 0] }}\n"
        );
        let file = parse_scene(&text, &path).unwrap();
        build_scene_with_warnings(&file, &path).unwrap().1
    };
    let warnings = scene("mesh", "");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let text = warnings[0].to_string();
    assert!(text.contains(":5: \"part\" begins inside of the mesh \"shell\""), "{text}");
    assert!(scene("hull", "").is_empty() && scene("mesh", "allow = [[\"part\", \"shell\"]]\n").is_empty());
}

#[test]
fn millimetres_beside_metres_are_warned_about() {
    let folder = std::env::temp_dir().join(format!("firsttouch_units_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let corner =
        |x: f64| format!("v {x} 0 0\nv 0 {x} 0\nv 0 0 {x}\nv 0 0 0\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n");
    std::fs::write(folder.join("part.obj"), corner(250.0)).unwrap();
    let path = folder.join("s.toml");
    let warnings = |scale: &str, side: &str| {
        let text = format!(
            "[[body]]\nname = \"part\"\nshape = {{ mesh = \"part.obj\"{scale} }}\n\
             [[body]]\nname = \"table\"\nshape = {{ box = [{side}] }}\npose = {{ xyz = [-9, 0, 0] }}\n"
        );
        let file = parse_scene(&text, &path).unwrap();
        build_scene_with_warnings(&file, &path).unwrap().1
    };
    let found = warnings("", "1.2, 0.8, 0.04");
    assert!(found.len() == 1 && found[0].to_string().contains("add `scale = 0.001`"), "{found:?}");
    assert!(warnings(", scale = 0.001", "1.2, 0.8, 0.04").is_empty());
    assert!(warnings("", "1200, 800, 40").is_empty());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Returns the schema's judgement of a value, for the keywords that the schema uses.
fn validate(schema: &Value, root: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(schema) = schema.as_object() else { return Err(format!("{at}: not a schema")) };
    for (keyword, rule) in schema {
        let all = |rules: &Value| -> Vec<bool> {
            rules.as_array().unwrap().iter().map(|rule| validate(rule, root, value, at).is_ok()).collect()
        };
        let number = || value.as_f64().zip(rule.as_f64());
        let is_kept = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                validate(&root["$defs"][name], root, value, at)?;
                true
            }
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "number" => value.is_number(),
                "integer" => value.is_u64() || value.is_i64(),
                "boolean" => value.is_boolean(),
                other => panic!("the test does not know the type {other}"),
            },
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if let Some(rule) = rule.get(key) {
                        validate(rule, root, value, &format!("{at}/{key}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if schema.get("properties").is_none_or(|known| known.get(key).is_none()) {
                        if rule == &Value::Bool(false) {
                            return Err(format!("{at}: {key} is not a key"));
                        }
                        validate(rule, root, value, &format!("{at}/{key}"))?;
                    }
                }
                true
            }
            "required" => {
                rule.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some())
            }
            "items" => {
                for (k, value) in value.as_array().into_iter().flatten().enumerate() {
                    validate(rule, root, value, &format!("{at}/{k}"))?;
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.len() as u64 >= rule.as_u64().unwrap()),
            "minimum" => number().is_none_or(|(x, least)| x >= least),
            "exclusiveMinimum" => number().is_none_or(|(x, least)| x > least),
            "enum" => rule.as_array().unwrap().contains(value),
            "oneOf" => all(rule).into_iter().filter(|&fits| fits).count() == 1,
            "anyOf" => all(rule).contains(&true),
            "not" => validate(rule, root, value, at).is_err(),
            other => panic!("the test does not know the keyword {other}"),
        };
        if !is_kept {
            return Err(format!("{at}: {keyword}"));
        }
    }
    Ok(())
}

/// The schema accepts every scene among the test files that the reader accepts, and refuses the keys that the reader
/// refuses.
#[test]
fn the_schema_agrees_with_the_reader() {
    let schema: Value = serde_json::from_str(scene_schema()).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for folder in ["scenes", "scene"] {
        for entry in std::fs::read_dir(testdata(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let value: Option<Value> = match path.extension().and_then(|e| e.to_str()) {
                Some("toml") => toml::from_str(&text).ok(),
                Some("json") => serde_json::from_str(&text).ok(),
                _ => continue,
            };
            // NaN does not exist in JSON, and bad TOML has no value.
            let Some(value) = value else { continue };
            let fits = validate(&schema, &schema, &value, "");
            if parse_scene(&text, &path).is_ok() {
                assert_eq!(fits, Ok(()), "{}", path.display());
                valid += 1;
            }
        }
    }
    for text in [
        "{\"body\": [{\"shape\": {\"box\": [1, 1, 1]}}]}",
        "{\"body\": [{\"name\": \"a\"}]}",
        "{\"body\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1]}}]}",
        "{\"body\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1, 0]}}]}",
        "{\"body\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1, 1], \"mesh\": \"b\"}}]}",
        "{\"body\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1, 1]}, \"motion\": {\"turn\": {\"axis\": [0, 0, 1]}}}]}",
        "{\"body\": [{\"name\": \"a\", \"shape\": {\"box\": [1, 1, 1]}, \"pose\": {\"rpy\": [0, 0, 1], \"rpy_deg\": [0, 0, 1]}}]}",
        "{\"bodies\": []}",
        "{\"duration\": 0}",
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert!(validate(&schema, &schema, &value, "").is_err(), "{text}");
        assert!(parse_scene(text, "s.json").is_err(), "{text}");
        invalid += 1;
    }
    assert!(valid >= 16 && invalid == 9, "{valid} valid, {invalid} invalid");
}
