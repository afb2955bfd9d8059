//! `demo`: every built-in scene runs, by name and all together.

use crate::firsttouch;

#[test]
fn all_scenes() {
    let run = firsttouch(&["demo", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let json = run.json();
    let scenes = json["scenes"].as_array().unwrap();
    assert_eq!(scenes.len(), firsttouch_models::all().len());
    for scene in scenes {
        let free = scene["scene"] == "near_miss";
        assert_eq!(scene["answer"], if free { "free" } else { "touch" }, "{scene}");
        assert!(scene["median_us"].as_f64().unwrap() > 0.0);
        assert!(scene["stats"]["pairs"].as_u64().unwrap() > 0);
    }
    let text = firsttouch(&["demo"]).stdout;
    assert_eq!(text.lines().count(), 2 + scenes.len(), "{text}");
}

#[test]
fn one_scene_and_the_list() {
    let list = firsttouch(&["demo", "--list"]).stdout;
    for model in firsttouch_models::all() {
        assert!(list.lines().any(|line| line.starts_with(model.name) && line.ends_with('.')), "{list}");
    }
    let listed = firsttouch(&["demo", "--list", "--json"]).json();
    assert_eq!(listed["scenes"][0]["scene"], "tumbling_boxes");

    let run = firsttouch(&["demo", "near_miss", "--json"]);
    assert_eq!(run.json()["scenes"].as_array().unwrap().len(), 1);
    // Asked to stay farther away than it passes, it touches.
    let run = firsttouch(&["demo", "near_miss", "--json", "--min-separation", "1e-3"]);
    assert_eq!(run.json()["scenes"][0]["answer"], "touch");
}

#[test]
fn the_same_answers_with_any_number_of_threads() {
    let answers = |threads| {
        let mut json = firsttouch(&["demo", "--json", "--threads", threads]).json();
        for scene in json["scenes"].as_array_mut().unwrap() {
            scene.as_object_mut().unwrap().remove("median_us");
        }
        json
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

    // What is no part of a run is written as it is at the touch, or at the end.
    let run = firsttouch(&["demo", "tumbling_boxes", "--out", &path]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let boxes = firsttouch_io::read_mesh(&folder.join("tumbling_boxes.obj")).unwrap();
    assert_eq!(boxes.triangles.len(), 24);
    let answer = std::fs::read_to_string(folder.join("tumbling_boxes.json")).unwrap();
    assert!(answer.contains("\"answer\": \"touch\""), "{answer}");
    std::fs::remove_dir_all(&folder).unwrap();
}
