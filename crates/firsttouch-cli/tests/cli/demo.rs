//! `demo`: every built-in scene runs, by name and all together.

use crate::firsttouch;

/// Every scene of the catalogue, at its full size, once.
#[test]
fn all_scenes() {
    let run = firsttouch(&["demo", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let json = run.json();
    let scenes = json["scenes"].as_array().unwrap();
    assert_eq!(scenes.len(), firsttouch_scenes::all().len());
    for scene in scenes {
        let expected = match scene["scene"].as_str().unwrap() {
            "near_miss" => "free",
            // Its fragments fly through each other.
            "explosion" => "touching_at_start",
            _ => "touch",
        };
        assert_eq!(scene["answer"], expected, "{scene}");
        assert!(scene["median_us"].as_f64().unwrap() > 0.0);
        assert!(scene["stats"]["pairs"].as_u64().unwrap() > 0);
    }
    let triangles = |name: &str| {
        let scene = scenes.iter().find(|scene| scene["scene"] == name).unwrap();
        scene["triangles"].as_u64().unwrap()
    };
    // The papers' sizes.
    for (name, expected) in [
        ("walk", 121_000),
        ("excavator", 420_000),
        ("four_trains", 92_000),
        ("wooden_men", 32_000),
        ("falling_man", 60_000),
        ("cloth", 92_000),
        ("n_body", 146_000),
        ("explosion", 252_000),
    ] {
        let ratio = triangles(name) as f64 / f64::from(expected);
        assert!((0.95..1.05).contains(&ratio), "{name}: {}", triangles(name));
    }
}

#[test]
fn one_scene_and_the_list() {
    let list = firsttouch(&["demo", "--list"]).stdout;
    for model in firsttouch_scenes::all() {
        assert!(list.lines().any(|line| line.starts_with(model.name) && line.ends_with('.')), "{list}");
    }
    let listed = firsttouch(&["demo", "--list", "--json"]).json();
    assert_eq!(listed["scenes"][0]["scene"], "tumbling_boxes");

    let run = firsttouch(&["demo", "near_miss", "--json"]);
    assert_eq!(run.json()["scenes"].as_array().unwrap().len(), 1);
    let text = firsttouch(&["demo", "near_miss"]).stdout;
    assert_eq!(text.lines().count(), 3, "{text}");
    // With a larger separation than its distance, it touches.
    let run = firsttouch(&["demo", "near_miss", "--json", "--min-separation", "1e-3"]);
    assert_eq!(run.json()["scenes"][0]["answer"], "touch");
}

#[test]
fn the_same_answers_with_any_number_of_threads() {
    let answers = |threads| {
        let quick = ["tumbling_boxes", "box_pile", "crowd", "mixture", "walk", "boxers", "organs"];
        quick.map(|name| {
            let mut json = firsttouch(&["demo", name, "--json", "--threads", threads]).json();
            json["scenes"][0].as_object_mut().unwrap().remove("median_us");
            json
        })
    };
    let one = answers("1");
    assert_eq!(one, answers("2"));
    assert_eq!(one, answers("4"));
}

#[test]
fn unknown_scene() {
    let run = firsttouch(&["demo", "nothing"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with("error: there is no scene called \"nothing\""), "{}", run.stderr);
}

/// The frames of a run are files that can be read back: the teapot and the potato together.
#[test]
fn frames_are_written() {
    let folder = std::env::temp_dir().join(format!("firsttouch-frames-{}", std::process::id()));
    let path = folder.to_string_lossy().into_owned();
    let run = firsttouch(&["demo", "manipulation", "--json", "--out", &path]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let first = firsttouch_io::read_mesh(&folder.join("manipulation-0000.obj")).unwrap();
    assert!((7_000..9_000).contains(&first.triangles.len()), "{}", first.triangles.len());
    assert!(std::fs::read_dir(&folder).unwrap().count() > 40);
    std::fs::remove_dir_all(&folder).unwrap();

    // A scene that is not part of a run is written as it is at the touch, or at the end.
    let run = firsttouch(&["demo", "tumbling_boxes", "--out", &path]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let boxes = firsttouch_io::read_mesh(&folder.join("tumbling_boxes.obj")).unwrap();
    assert_eq!(boxes.triangles.len(), 24);
    let answer = std::fs::read_to_string(folder.join("tumbling_boxes.json")).unwrap();
    assert!(answer.contains("\"answer\": \"touch\""), "{answer}");
    std::fs::remove_dir_all(&folder).unwrap();
}
