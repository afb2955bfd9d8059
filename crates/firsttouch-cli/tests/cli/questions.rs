//! `--clearance`, `--contacts`, `--gradient` and the overlaps of `--mode all`.

use std::path::PathBuf;

use serde_json::Value;

use crate::firsttouch;

/// Writes files into a folder of the test and returns their paths.
fn written<const N: usize>(name: &str, files: [(&str, &str); N]) -> [String; N] {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("questions").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    files.map(|(file, text)| {
        let path = folder.join(file);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    })
}

/// A cube of side 2 falls from z = 3 through a floor whose top is at z = 0 and comes to rest at z = -5, below it.
const FALLING: &str = r#"[[body]]
name   = "cube"
shape  = { box = [2, 2, 2] }
motion = { linear = { from = { xyz = [0, 0, 3] }, to = { xyz = [0, 0, -5] } } }

[[body]]
name  = "floor"
shape = { box = [9, 9, 1] }
pose  = { xyz = [0, 0, -0.5] }
"#;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_cube_falls_through_a_floor() {
    let [scene] = written("cube", [("cube.toml", FALLING)]);
    let run =
        firsttouch(&["check", &scene, "--json", "--mode", "all", "--clearance", "--contacts", "--gradient"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let json = run.json();
    assert_eq!(
        (&json["clearance"]["lower"], json["clearance"]["tight"].is_null()),
        (&0.0.into(), true),
        "{json}"
    );
    assert!(number(&json["clearance"]["upper"]) <= 1e-6);
    assert_eq!(json["clearance"]["bodies"], serde_json::json!(["cube", "floor"]));
    let contacts = json["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 4, "{json}");
    assert!(
        contacts
            .iter()
            .all(|contact| number(&contact["gap"]) <= 1e-6 && number(&contact["normal"][2]) < -0.999)
    );
    // It lands flat: no derivative exists.
    assert_eq!(json["gradient"]["degenerate"], "several_features");
    // From z = 1 to z = -2: from t = 2/8 to t = 5/8.
    let overlaps = json["pairs"][0]["overlaps"].as_array().unwrap();
    assert_eq!((overlaps.len(), &overlaps[0]["certain"]), (1, &true.into()), "{json}");
    assert!(
        (number(&overlaps[0]["from"]) - 0.25).abs() < 1e-6
            && (number(&overlaps[0]["to"]) - 0.625).abs() < 1e-6
    );
    let text = firsttouch(&["check", &scene, "--clearance", "--contacts", "--gradient"]).stdout;
    for words in ["clearance", "4 contacts", "degenerate (several_features)"] {
        assert!(text.contains(words), "{text}");
    }
    // The output has none of it unless it was requested.
    let plain = firsttouch(&["check", &scene, "--json"]).json();
    assert!(plain["clearance"].is_null() && plain["contacts"].is_null() && plain["gradient"].is_null());
}

/// A ball passes another of radius 1 at a distance of 3 between their centres.
#[test]
fn a_ball_passes_another() {
    let [scene] = written(
        "passing",
        [(
            "passing.toml",
            "[[body]]\nname = \"a\"\nshape = { sphere = { radius = 1 } }\n\
         motion = { linear = { from = { xyz = [-5, 3, 0] }, to = { xyz = [5, 3, 0] } } }\n\
         [[body]]\nname = \"b\"\nshape = { sphere = { radius = 1 } }\n",
        )],
    );
    let run = firsttouch(&["check", &scene, "--json", "--clearance", "--contacts", "--gradient"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let json = run.json();
    let clearance = &json["clearance"];
    assert!(number(&clearance["lower"]) <= 1.0 && number(&clearance["upper"]) >= 1.0, "{json}");
    assert!(number(&clearance["upper"]) - number(&clearance["lower"]) <= 1e-6);
    assert!((number(&clearance["t"]) - 0.5).abs() < 1e-2);
    assert_eq!((json["contacts"].as_array().unwrap().len(), json["gradient"].is_null()), (0, true));
    // With too small a budget for the request it says so, and is right all the same.
    let little = ["--max-iterations", "1", "--tolerance", "1e-15"];
    let loose = firsttouch(&[&["check", &scene, "--json", "--clearance"], &little[..]].concat()).json();
    let clearance = &loose["clearance"];
    assert_eq!(clearance["tight"], false, "{loose}");
    assert!(number(&clearance["lower"]) <= 1.0 && number(&clearance["upper"]) >= 1.0, "{loose}");
}

/// An arm along x turns about z towards a ball: at the angle q its tip, of radius 0.1 at the distance 1, is the closest
/// point.
#[test]
fn a_path() {
    const ARM: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="tip"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
</robot>
"#;
    const BALL: &str =
        "[[body]]\nname = \"ball\"\nshape = { sphere = { radius = 0.1 } }\npose = { xyz = [0, 1, 0] }\n";
    let [arm, ball, way] =
        written("arm", [("arm.urdf", ARM), ("ball.toml", BALL), ("way.csv", "turn\n0\n0.5\n1\n\n0\n2\n")]);
    let run = firsttouch(&[
        "path",
        &arm,
        &way,
        "--scene",
        &ball,
        "--json",
        "--clearance",
        "--contacts",
        "--gradient",
    ]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let json = run.json();
    let [near, through] = [&json["paths"][0], &json["paths"][1]];
    // At q = 1 the centres are 2 sin((pi / 2 - 1) / 2) apart.
    let exact = 2.0 * ((std::f64::consts::FRAC_PI_2 - 1.0) / 2.0).sin() - 0.2;
    let clearance = &near["clearance"];
    assert!(number(&clearance["lower"]) <= exact && number(&clearance["upper"]) >= exact, "{json}");
    assert_eq!((&clearance["segment"], &clearance["t"]), (&1.into(), &1.0.into()), "{json}");
    assert!(near["contacts"].as_array().unwrap().is_empty() && near["gradient"].is_null());
    assert_eq!(
        (through["contacts"].as_array().unwrap().len(), &through["clearance"]["lower"]),
        (1, &0.0.into()),
        "{json}"
    );
    // At the contact (1 - t) from + t to is constant: d toi / d to = -t / 2.
    let (toi, gradient) = (number(&through["toi"]), &through["gradient"]);
    assert!((number(&gradient["to"][0]) + toi / 2.0).abs() < 1e-6, "{json}");
    assert!((number(&gradient["from"][0]) + (1.0 - toi) / 2.0).abs() < 1e-6, "{json}");
    let text = firsttouch(&["path", &arm, &way, "--scene", &ball, "--clearance", "--gradient"]).stdout;
    assert!(text.contains("path 0  clearance") && text.contains("d toi"), "{text}");
}

/// The point of `falling1.obj` stays 3 below its triangle.
#[test]
fn a_deforming_mesh() {
    let run = firsttouch(&["deform", "falling1.obj", "falling1.obj", "--json", "--clearance"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let clearance = &run.json()["clearance"];
    assert!(number(&clearance["lower"]) <= 3.0 && number(&clearance["upper"]) >= 3.0, "{clearance}");
    let run = firsttouch(&[
        "deform",
        "falling0.obj",
        "falling1.obj",
        "--json",
        "--clearance",
        "--contacts",
        "--gradient",
    ]);
    let json = run.json();
    assert_eq!((run.status, &json["clearance"]["lower"]), (1, &0.0.into()), "{json}");
    assert_eq!(json["contacts"].as_array().unwrap().len(), 1, "{json}");
    // z = 1 - 4 t: moving the point up by 1 at the start delays the touch by (1 - t) / 4 to first order.
    let vertices = json["gradient"]["bodies"][0]["vertices"].as_array().unwrap();
    let point = vertices.iter().find(|vertex| vertex["vertex"] == 3).unwrap();
    assert!((number(&point["from"][2]) - 0.75 / 4.0).abs() < 1e-6, "{json}");
    let text = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--clearance", "--contacts"]).stdout;
    assert!(text.contains("clearance") && text.contains("1 contact\n"), "{text}");
}
