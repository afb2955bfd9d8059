//! `firsttouch path`: an arm of two boxes that turns towards a wall, and every possible error in its files.

use std::path::PathBuf;

use crate::{Run, firsttouch};

pub(crate) const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.6 0.1 0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
</robot>
"#;

/// Straight ahead of the shoulder is the wall's corner, 0.1 to the side and 0.5 ahead.
pub(crate) const WALL: &str = r#"[[body]]
name  = "wall"
shape = { box = [0.2, 0.2, 2.0] }
pose  = { xyz = [0.0, 0.6, 0.0] }
"#;

/// A folder with the arm, the wall and a waypoint file.
struct Files(PathBuf);

impl Files {
    fn new(name: &str, arm: &str, waypoints: &str) -> Files {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("path").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in [("arm.urdf", arm), ("wall.toml", WALL), ("way.csv", waypoints)] {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Files(folder)
    }

    fn run(&self, more: &[&str]) -> Run {
        let [arm, wall, way] =
            ["arm.urdf", "wall.toml", "way.csv"].map(|file| self.0.join(file).to_str().unwrap().to_string());
        firsttouch(&[&["path", &arm, &way, "--scene", &wall], more].concat())
    }
}

#[track_caller]
fn refused(name: &str, arm: &str, waypoints: &str, says: &str) {
    let run = Files::new(name, arm, waypoints).run(&[]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains(says), "{}", run.stderr);
}

/// The arm's upper edge, 0.05 from its axis, meets the wall's corner at (0.1, 0.5) when the arm is turned by
/// atan2(0.5, 0.1) - asin(0.05 / sqrt(0.26)) = 1.27518 of 3 radians.
#[test]
fn the_first_touch_of_each_path() {
    let files = Files::new("answers", ARM, "shoulder\n0\n1\n\n0\n0.5\n3\n\n0\n3\n");
    let run = files.run(&["--json"]);
    assert_eq!(run.status, 1);
    let json = run.json();
    assert_eq!((json["free"].as_u64(), json["touch"].as_u64()), (Some(1), Some(2)));
    assert_eq!(json["segments"], 4);
    assert_eq!(json["paths"][0]["answer"], "free");
    assert_eq!(json["paths"][1]["segment"], 1);
    let last = &json["paths"][2];
    assert_eq!(
        (&last["bodies"][0], &last["parts"][0], &last["bodies"][1]),
        (&"arm".into(), &"upper".into(), &"wall".into())
    );
    assert_eq!((&last["part_paths"][0], &last["part_paths"][1]), (&"upper".into(), &"solid".into()));
    assert_eq!(last["free_until"], last["toi"]);
    let exact = (0.5_f64.atan2(0.1) - (0.05 / 0.26_f64.sqrt()).asin()) / 3.0;
    let toi = last["toi"].as_f64().unwrap();
    assert!(toi <= exact && toi > exact - 1e-5, "{toi} {exact}");
    assert_eq!(last["free_until"].as_f64(), Some(toi));
}

/// The separation of a pair in the scene holds on a path as it does in `check`, for the robot, for a link and for a
/// pattern; the last rule about a link counts. A name of no body, and a link name that fits two, are refused.
#[test]
fn pairs_of_the_scene_are_obeyed() {
    let exact = (0.5_f64.atan2(0.1) - (0.15 / 0.26_f64.sqrt()).asin()) / 3.0;
    let files = Files::new("pairs", ARM, "shoulder\n0\n3\n");
    let robot = "[[body]]\nname = \"arm\"\nrobot = { urdf = \"arm.urdf\" }\nto = { shoulder = 3 }\n";
    for (name, separation) in [("arm", 0.1), ("arm/upper", 0.1), ("arm/*", 0.1), ("arm/base", 0.0)] {
        let pair = format!("[[pair]]\nbodies = [\"wall\", \"{name}\"]\nmin_separation = {separation}\n");
        std::fs::write(files.0.join("wall.toml"), format!("{WALL}{pair}")).unwrap();
        std::fs::write(files.0.join("scene.toml"), format!("{WALL}{robot}{pair}")).unwrap();
        let far: &[&str] = if separation > 0.0 { &[] } else { &["--min-separation", "0.1"] };
        let of_path = files.run(&[&["--json"], far].concat()).json();
        let scene = files.0.join("scene.toml");
        let of_scene = firsttouch(&[&["check", scene.to_str().unwrap(), "--json"], far].concat()).json();
        for toi in [&of_path["paths"][0]["toi"], &of_scene["toi"]] {
            let toi = toi.as_f64().unwrap_or_else(|| panic!("{name}: {of_path} {of_scene}"));
            assert!(toi <= exact && toi > exact - 1e-5, "{name}: {toi} {exact}");
        }
    }
    for (pair, says) in [
        ("[\"arm/elbow\", \"wall\"]", "pair: nothing is called \"arm/elbow\""),
        ("[\"upper\", \"wall\"]", "pair: there is no body called \"upper\""),
    ] {
        let text = format!("{WALL}[[pair]]\nbodies = {pair}\nmin_separation = 0.1\n");
        std::fs::write(files.0.join("wall.toml"), text).unwrap();
        let run = files.run(&[]);
        assert!(run.status == 2 && run.stderr.contains(says), "{}", run.stderr);
    }
}

/// With any number of threads some touch is found, and the same paths are free.
#[test]
fn any_touch_of_each_path() {
    let files = Files::new("any", ARM, "shoulder\n0\n1\n\n0\n0.5\n3\n\n0\n3\n");
    for threads in ["1", "2"] {
        let run = files.run(&["--json", "--mode", "any", "--threads", threads]);
        let json = run.json();
        let answers: Vec<&str> =
            json["paths"].as_array().unwrap().iter().map(|path| path["answer"].as_str().unwrap()).collect();
        assert_eq!((run.status, answers), (1, vec!["free", "touch", "touch"]));
        let toi = json["paths"][2]["toi"].as_f64().unwrap();
        assert!((0.42..=0.68).contains(&toi), "{toi}: the arm is not in the wall then");
        let exact = (0.5_f64.atan2(0.1) - (0.05 / 0.26_f64.sqrt()).asin()) / 3.0;
        let free_until = json["paths"][2]["free_until"].as_f64().unwrap();
        assert!(free_until <= exact && free_until <= toi, "{free_until}: the arm touches at {exact}");
        assert!(json["mean_us_per_segment"].as_f64().unwrap() > 0.0);
    }
}

/// Reading, building and checking are timed apart, and the mean is that of the one check. A second figure is given on
/// request only: the command used to check short paths twice, and printed the faster figure first.
#[test]
fn where_the_time_goes() {
    let files = Files::new("seconds", ARM, "shoulder\n0\n0.1\n0.2\n0.3\n");
    let json = files.run(&["--json"]).json();
    let seconds = |stage: &str| json["seconds"][stage].as_f64().unwrap();
    assert!(seconds("read") > 0.0 && seconds("build") > 0.0 && seconds("check") > 0.0, "{json}");
    let mean = json["mean_us_per_segment"].as_f64().unwrap();
    assert!((seconds("check") * 1e6 - 3.0 * mean).abs() <= 1e-6 * mean, "{json}");
    assert!(json.get("warm_us_per_segment").is_none(), "{json}");

    let json = files.run(&["--json", "--repeat", "4"]).json();
    assert!(json["warm_us_per_segment"].as_f64().unwrap() > 0.0, "{json}");
    let text = files.run(&["--repeat", "4"]).stdout;
    assert!(text.contains(" each (") && text.contains(" when repeated)"), "{text}");
}

#[test]
fn values_outside_the_limits_are_warned_of() {
    let run = Files::new("limits", ARM, "shoulder\n0\n-4\n").run(&[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning: "), "{}", run.stderr);
    assert!(run.stderr.contains("way.csv:3: shoulder = -4 is outside its limits -3 to 3"), "{}", run.stderr);
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    refused(
        "joint",
        ARM,
        "elbow\n0\n1\n",
        "way.csv:1: there is no joint called \"elbow\"; the robot has shoulder",
    );
    refused("ragged", ARM, "shoulder\n0\n1,2\n", "way.csv:3: a row needs 1 values, one per joint, but has 2");
    refused("word", ARM, "shoulder\n0\nx\n", "way.csv:3: shoulder cannot be read as a number: \"x\"");
    refused("empty", ARM, "shoulder\n", "way.csv: there are no configurations");
    let with_mesh = ARM.replace("<box size=\"0.6 0.1 0.1\"/>", "<mesh filename=\"arm.obj\"/>");
    refused("missing", &with_mesh, "shoulder\n0\n1\n", "arm.urdf:3: mesh \"arm.obj\" was not found");
    let files = Files::new("unreadable", &with_mesh, "shoulder\n0\n1\n");
    std::fs::write(files.0.join("arm.obj"), "v 0 0 0\nno mesh").unwrap();
    let run = files.run(&[]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("arm.urdf:3: ") && run.stderr.contains("arm.obj:2: "), "{}", run.stderr);
}
