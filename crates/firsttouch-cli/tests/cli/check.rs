//! `check`: every answer, every error, the JSON.

use serde_json::{Value, json};

use crate::firsttouch;
use crate::limits::with_input;

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_touch_says_everything() {
    let run = firsttouch(&["check", "touch.toml", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let json = run.json();
    let expected =
        ["answer", "bodies", "features", "free_until", "gap", "normal", "parts", "points", "stats", "toi"];
    assert_eq!(keys(&json), expected);
    assert_eq!(json["answer"], "touch");
    // Two balls of radius 1, centres at -9 + 20 t and 0: exact at 0.35.
    let toi = json["toi"].as_f64().unwrap();
    assert!(toi <= 0.35 && toi > 0.35 - 1e-6 / 20.0);
    assert_eq!(json["free_until"], json["toi"]);
    assert!(json["gap"].as_f64().unwrap() <= 1e-6);
    assert_eq!(json["bodies"], json!(["flying", "resting"]));
    assert_eq!(json["parts"], json!(["solid", "solid"]));
    assert_eq!(json["features"], json!(["face 0", "face 0"]));
    assert_eq!(json["normal"], json!([1.0, 0.0, 0.0]));
    for side in 0..2 {
        assert!((json["points"][side][0].as_f64().unwrap() + 1.0).abs() < 1e-6);
    }
    let expected =
        "advanced allowed boxes_apart iterations later pairs part_pairs parts piece_pairs volume_pairs";
    assert_eq!(keys(&json["stats"]).join(" "), expected);
    assert_eq!(json["stats"]["pairs"], 1);
}

#[test]
fn free() {
    let run = firsttouch(&["check", "free.toml", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(keys(&run.json()), ["answer", "stats"]);
    assert_eq!(run.json()["answer"], "free");
}

/// A scene with one body has no pair that could touch. One without bodies is the result of a failed write, and gets no
/// answer.
#[test]
fn nothing_to_check() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lonely.toml");
    std::fs::write(&path, "[[body]]\nname = \"only\"\nshape = { box = [1, 1, 1] }\n").unwrap();
    let run = firsttouch(&["check", path.to_str().unwrap(), "--json"]);
    assert_eq!((run.status, &run.json()["stats"]["pairs"]), (0, &json!(0)));
    std::fs::write(&path, "").unwrap();
    let run = firsttouch(&["check", path.to_str().unwrap(), "--json"]);
    assert_eq!((run.status, &run.json()["code"]), (2, &json!("empty")));
    assert!(run.stderr.ends_with("lonely.toml: there are no bodies\n"), "{}", run.stderr);
}

#[test]
fn touching_at_the_start() {
    let run = firsttouch(&["check", "start.toml", "--json"]);
    assert_eq!(run.status, 1);
    let json = run.json();
    assert_eq!(json["answer"], "touching_at_start");
    assert_eq!((json["toi"].as_f64(), json["free_until"].as_f64()), (Some(0.0), Some(0.0)));
    assert_eq!(json["bodies"], json!(["table", "crate"]));
    let run = firsttouch(&["check", "start.toml", "--start", "report", "--json"]);
    assert_eq!(run.json()["answer"], "touching_at_start");
}

/// A box on a table slides by half a unit, and a wall is in its way after 0.25 of it. The file leaves the contact with
/// the table out, and the command line overrides it.
#[test]
fn contacts_at_the_start_are_left_out() {
    let file = r#"
        start = "ignore"
        [[body]]
        name = "table"
        shape = { box = [4, 4, 1] }
        pose = { xyz = [0, 0, -0.5] }
        [[body]]
        name = "box"
        shape = { box = [1, 1, 1] }
        motion = { linear = { from = { xyz = [0, 0, 0.5] }, to = { xyz = [0.5, 0, 0.5] } } }
        [[body]]
        name = "wall"
        shape = { box = [1, 1, 1] }
        pose = { xyz = [1.125, 0, 0.5] }
    "#;
    let run = with_input(&["check", "-", "--json"], file.as_bytes());
    let json = run.json();
    assert_eq!((run.status, &json["answer"], &json["bodies"]), (1, &json!("touch"), &json!(["box", "wall"])));
    let toi = json["toi"].as_f64().unwrap();
    assert!(toi <= 0.25 && toi > 0.25 - 1e-5, "{toi}");
    let run = with_input(&["check", "-", "--start", "report", "--json"], file.as_bytes());
    assert_eq!(run.json()["answer"], "touching_at_start");
}

#[test]
fn undecided_when_the_steps_run_out() {
    let run = firsttouch(&["check", "undecided.toml", "--max-iterations", "2", "--json"]);
    assert_eq!(run.status, 3);
    let json = run.json();
    assert_eq!(keys(&json), ["answer", "bodies", "free_until", "reason", "stats"]);
    assert_eq!((&json["answer"], &json["reason"]), (&"undecided".into(), &"steps".into()));
    let free_until = json["free_until"].as_f64().unwrap();
    assert!(free_until > 0.0 && free_until < 1.0);
    // With enough of them it is free.
    assert_eq!(firsttouch(&["check", "undecided.toml"]).status, 0);
}

#[test]
fn text_for_people() {
    let cases = [
        ("touch.toml", "touch at t = 0.34999"),
        ("free.toml", "free: nothing touches in [0, 1]"),
        ("start.toml", "touching at the start"),
    ];
    for (scene, begin) in cases {
        let run = firsttouch(&["check", scene]);
        assert!(run.stdout.starts_with(begin), "{}", run.stdout);
        assert_eq!(run.stdout, firsttouch(&["check", scene]).stdout);
    }
    let text = firsttouch(&["check", "touch.toml"]).stdout;
    for word in ["flying", "resting", "face 0", "(-1.000000, 0.000000, 0.000000)", "normal", "gap", "pairs"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    let text = firsttouch(&["check", "undecided.toml", "--max-iterations", "2"]).stdout;
    assert!(text.starts_with("undecided: free until t = 0."), "{text}");
    assert!(text.contains("used up their steps; --max-iterations allows more"), "{text}");
}

/// A solid mesh that touches at the start cannot be followed with `start = "ignore"`. The command used to say that the
/// iterations had run out, beside a count of 0 steps.
#[test]
fn a_contact_that_cannot_be_followed_is_the_reason() {
    let body = |name: &str, x: f64| {
        let shape = "shape = { mesh = \"octahedron.obj\", solid = true }";
        let to = x + 5.0;
        let motion = format!(
            "motion = {{ linear = {{ from = {{ xyz = [{x}, 0, 0] }}, to = {{ xyz = [{to}, 0, 0] }} }} }}"
        );
        format!("[[body]]\nname = \"{name}\"\n{shape}\n{}\n", if x > 0.0 { motion } else { String::new() })
    };
    let scene = format!("start = \"ignore\"\n{}{}", body("one", 0.0), body("two", 0.5));
    let run = with_input(&["check", "-", "--json"], scene.as_bytes());
    let json = run.json();
    assert_eq!(
        (run.status, &json["answer"], &json["reason"]),
        (3, &"undecided".into(), &"contact_at_start".into()),
        "{json}"
    );
    assert_eq!(json["stats"]["iterations"], 0, "{json}");
    let text = with_input(&["check", "-"], scene.as_bytes()).stdout;
    assert!(text.contains("--start report") && !text.contains("ran out"), "{text}");
}

#[test]
fn all_pairs() {
    let run = firsttouch(&["check", "many.toml", "--mode", "all", "--json"]);
    assert_eq!(run.status, 1);
    let json = run.json();
    let pairs = json["pairs"].as_array().unwrap();
    // The ball is on the list of allowed pairs, one hull is out of the way.
    let partners: Vec<&Value> = pairs.iter().map(|pair| &pair["bodies"][1]).collect();
    assert_eq!(partners, ["box", "capsule", "cylinder", "ellipsoid"]);
    assert!(pairs.iter().all(|pair| pair["answer"] == "touch" && pair["bodies"][0] == "sweeper"));
    assert!(pairs.is_sorted_by_key(|pair| pair["toi"].as_f64().unwrap()));
    assert_eq!(json["toi"], pairs[0]["toi"]);
    assert_eq!(json["stats"]["allowed"], 1);
    let text = firsttouch(&["check", "many.toml", "--mode", "all"]).stdout;
    assert_eq!(text.lines().filter(|line| line.starts_with("touch  ")).count(), 4, "{text}");
    // The list is there even without a touch.
    assert_eq!(firsttouch(&["check", "free.toml", "--mode", "all", "--json"]).json()["pairs"], json!([]));
}

/// A surface falls, point first, from z = 4 to z = 0 onto a box with its top at z = 0.5: at 1.5 they touch.
#[test]
fn meshes() {
    let json = firsttouch(&["check", "mesh.toml", "--json"]).json();
    let toi = json["toi"].as_f64().unwrap();
    assert!(toi <= 0.625 && toi > 0.625 - 1e-6);
    assert!(json["parts"][1].as_str().unwrap().starts_with("tri "), "{json}");
}

#[test]
fn any_agrees_with_first() {
    for (scene, status) in [("touch.toml", 1), ("free.toml", 0), ("many.toml", 1), ("start.toml", 1)] {
        assert_eq!(firsttouch(&["check", scene, "--mode", "any"]).status, status, "{scene}");
    }
}

#[test]
fn the_command_line_wins_over_the_file() {
    let gap = |arguments: &[&str]| {
        let json = firsttouch(&[&["check", "many.toml", "--json"], arguments].concat()).json();
        json["gap"].as_f64().unwrap()
    };
    // The file says 1e-5.
    assert!(gap(&[]) > 1e-6 && gap(&[]) <= 1e-5);
    assert!(gap(&["--tolerance", "1e-9"]) <= 1e-9);
    // The ball flies by at a distance of 0.5.
    assert_eq!(firsttouch(&["check", "free.toml", "--min-separation", "0.499"]).status, 0);
    assert_eq!(firsttouch(&["check", "free.toml", "--min-separation", "0.501"]).status, 1);
    // Options of every command may stand in front of it as well.
    assert_eq!(firsttouch(&["--min-separation", "0.501", "check", "free.toml"]).status, 1);
}

#[test]
fn the_same_answer_with_any_number_of_threads() {
    for (scene, mode) in
        [("many.toml", "first"), ("many.toml", "all"), ("start.toml", "any"), ("touch.toml", "all")]
    {
        let with =
            |threads| firsttouch(&["check", scene, "--mode", mode, "--json", "--threads", threads]).stdout;
        let one = with("1");
        assert!(one.contains("\"answer\":\"touch"));
        for threads in ["2", "4", "0"] {
            assert_eq!(one, with(threads), "{scene}, {mode}, {threads} threads");
        }
    }
}

#[test]
fn repeated_for_the_median_time() {
    let run = firsttouch(&["check", "touch.toml", "--repeat", "10", "--json"]);
    assert_eq!(run.status, 1);
    let median = run.json()["median_us"].as_f64().unwrap();
    assert!(median > 0.0 && median < 1e6);
    assert!(run.stderr.is_empty(), "a progress bar off the terminal");
    let text = firsttouch(&["check", "touch.toml", "--repeat", "3"]).stdout;
    assert!(text.contains("median of 3"), "{text}");
    let run = firsttouch(&["check", "touch.toml", "--repeat", "0"]);
    assert_eq!(run.status, 2);
}

#[test]
fn robots_what_they_hold_and_cloth_in_one_scene() {
    let run = firsttouch(&["check", "mixed.toml", "--json", "--mode", "all"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let json = run.json();
    // The loose point of the cloth falls through its triangle at a quarter of the time.
    assert_eq!(json["bodies"][0], "cloth");
    assert!((json["toi"].as_f64().unwrap() - 0.25).abs() < 1e-12);
    // The ball comes round at a radius of 1, and stops 0.15 from the side of the post at y = 0.1.
    let pairs = json["pairs"].as_array().unwrap();
    let ball = pairs.iter().find(|pair| pair["bodies"].to_string().contains("ball")).unwrap();
    let turned = std::f64::consts::FRAC_PI_2 - 0.25_f64.asin();
    assert!((ball["toi"].as_f64().unwrap() - turned / 2.0).abs() < 2e-6, "{ball}");
    assert_eq!(pairs.len(), 2);
    let stats = &json["stats"];
    assert_eq!((stats["pairs"].as_u64(), stats["parts"].as_u64()), (Some(8), Some(6)));
    for threads in ["2", "3"] {
        let again = firsttouch(&["check", "mixed.toml", "--json", "--mode", "all", "--threads", threads]);
        assert_eq!(again.stdout, run.stdout);
    }
    let timed = firsttouch(&["check", "mixed.toml", "--repeat", "3", "--json"]).json();
    assert!(timed["stats"]["seconds"]["broad"].as_f64().unwrap() > 0.0);
}

/// A ball that grows from radius 1 to 3 while another passes it: they touch where 10 − 20 t = 2 + 2 t, and part where
/// 20 t − 10 = 2 + 2 t.
#[test]
fn overlaps_of_ellipsoids() {
    let run = firsttouch(&["check", "affine.toml", "--json", "--mode", "all"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let json = run.json();
    let overlaps = json["pairs"][0]["overlaps"].as_array().unwrap();
    assert_eq!(overlaps.len(), 1);
    let at = |key: &str| overlaps[0][key].as_f64().unwrap();
    assert!((at("from") - 8.0 / 22.0).abs() < 1e-8 && (at("to") - 12.0 / 18.0).abs() < 1e-8, "{json}");
    assert!((json["toi"].as_f64().unwrap() - 8.0 / 22.0).abs() < 1e-7);
    assert_eq!(overlaps[0]["certain"], true);
    let text = firsttouch(&["check", "affine.toml", "--mode", "all"]).stdout;
    assert!(text.contains("balloon and pea, from 0.3636363"), "{text}");
}

#[test]
fn numbers_come_back_bit_for_bit() {
    let text = firsttouch(&["check", "many.toml"]).stdout;
    let toi: f64 = text.lines().next().unwrap().trim_start_matches("touch at t = ").parse().unwrap();
    assert_eq!(firsttouch(&["check", "many.toml", "--json"]).json()["toi"].as_f64(), Some(toi));
}

#[test]
fn errors_say_what_and_where() {
    for (arguments, message) in [
        (&["no_such_file.toml"][..], "no_such_file.toml: No such file"),
        (&["."], ".: Is a directory"),
        (&["bad_toml.toml"], "bad_toml.toml:3: "),
        (&["octahedron.obj"], "octahedron.obj:2: "),
        (&["nan.toml"], "nan.toml:4: xyz is not a finite number"),
        (&["duplicate.toml"], "duplicate.toml:6: a second body called \"twin\""),
        (&["missing_mesh.toml"], "missing_mesh.toml:2: body \"bunny\": no_such_file.obj: No such file"),
        (
            &["affine_box.toml"],
            "affine_box.toml:2: not supported: body \"crate\": an `affine` motion is for ellipsoids only",
        ),
        (&["touch.toml", "--tolerance", "0"], "tolerance must be positive, but is 0"),
        (&["touch.toml", "--tolerance", "-1"], "tolerance must be positive, but is -1"),
        (&["touch.toml", "--tolerance", "nan"], "tolerance is not finite"),
        (&["touch.toml", "--min-separation", "-1"], "min_separation must be zero or more, but is -1"),
        (&["touch.toml", "--max-iterations", "0"], "max_iterations must be at least 1, but is 0"),
    ] {
        let run = firsttouch(&[&["check"], arguments].concat());
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.starts_with(&format!("error: {message}")), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);

        let run = firsttouch(&[&["check", "--json"], arguments].concat());
        assert_eq!(run.status, 2);
        assert!(run.json()["error"].as_str().unwrap().starts_with(message));
        assert!(run.stderr.starts_with("error: "));
    }
}
