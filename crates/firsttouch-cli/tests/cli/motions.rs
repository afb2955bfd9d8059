//! Turns, paths, splines and durations in scene files; warnings; the schema.

use serde_json::{Value, json};

use crate::firsttouch;
use crate::limits::with_input;

/// A door opens, slides and meets a post 1.875 after the start: times are those of the file, in JSON and in text.
#[test]
fn a_door_in_the_time_of_its_file() {
    for scene in ["door.toml", "door.json"] {
        let run = firsttouch(&["check", scene, "--json"]);
        assert_eq!((run.status, run.stderr.as_str()), (1, ""), "{scene}");
        let json = run.json();
        let toi = json["toi"].as_f64().unwrap();
        assert!(toi <= 1.875 && toi > 1.875 - 1e-5, "{scene}: {toi}");
        assert_eq!((&json["free_until"], &json["bodies"]), (&json["toi"], &json!(["door", "post"])));
        let text = firsttouch(&["check", scene]).stdout;
        assert!(text.starts_with(&format!("touch at t = {toi}")), "{text}");
    }
    let run = firsttouch(&["check", "spline.toml"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.starts_with("free: nothing touches in [0, 5]\n"), "{}", run.stdout);
}

/// Overlaps of ellipsoids as well.
#[test]
fn overlaps_in_the_time_of_the_file() {
    let body = |name: &str, motion: &str| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ ellipsoid = [1, 1, 1] }}\n{motion}\n")
    };
    let flying = body("a", "motion = { rational = { xyz = [[-4, 0, 0], [8, 0, 0]] } }");
    let text = format!("duration = 80\n{flying}{}", body("b", ""));
    let run = with_input(&["check", "-", "--mode", "all", "--json"], text.as_bytes());
    let overlap = &run.json()["pairs"][0]["overlaps"][0];
    let times = ["from", "to"].map(|key| overlap[key].as_f64().unwrap());
    assert!(times[0] <= 20.0 && times[0] > 19.999 && times[1] >= 60.0 && times[1] < 60.001, "{times:?}");
}

/// A full turn by `rpy` is no turn at all; the warning names the alternative.
#[test]
fn warnings_are_on_standard_error() {
    let text = "[[body]]\nname = \"arm\"\nshape = { box = [2, 1, 1] }\n\
                motion = { linear = { from = {}, to = { rpy = [0, 0, 6.283] } } }\n";
    let run = with_input(&["check", "-", "--json"], text.as_bytes());
    assert_eq!((run.status, &run.json()["answer"]), (0, &json!("free")));
    assert!(run.stderr.starts_with("warning: ") && run.stderr.contains(":4: "), "{}", run.stderr);
    assert!(run.stderr.contains("use `turn`"), "{}", run.stderr);
    let run = firsttouch(&["check", "full_turn.toml", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
}

/// Animations of mesh files used to be left out without a warning, and the answer was free although they touch.
#[test]
fn warnings_about_mesh_files_are_on_standard_error() {
    let text = "[[body]]\nname = \"flag\"\nshape = { mesh = \"../gltf/animated.gltf\" }\n\
                [[body]]\nname = \"ball\"\nshape = { sphere = { radius = 1 } }\npose = { xyz = [9, 0, 0] }\n";
    let mesh = "../gltf/animated.gltf";
    for run in [
        with_input(&["check", "-"], text.as_bytes()),
        with_input(&["check", "-", "--json"], text.as_bytes()),
        firsttouch(&["deform", mesh, mesh]),
        firsttouch(&["deform", mesh, mesh, "--json"]),
    ] {
        assert_eq!(run.status, 0, "{}", run.stderr);
        let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(warnings.len(), 2, "{}", run.stderr);
        assert!(
            warnings[0].contains("animated.gltf: animations: ") && warnings[0].contains("rest pose"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn the_schema_is_json() {
    let run = firsttouch(&["schema"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let schema: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(schema["$defs"]["motion"]["properties"]["spline"].is_object());
    assert_eq!(firsttouch(&["schema", "--json"]).json(), schema);
}
