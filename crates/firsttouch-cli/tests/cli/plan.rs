//! `firsttouch plan`: an arm that has to swing around a wall, the output, and the refusals.

use std::path::PathBuf;

use crate::limits::with_input;
use crate::{Run, firsttouch};

/// A shoulder that turns and a slide that draws the upper arm in.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="turret"/>
  <link name="upper"><collision><origin xyz="0.45 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="turret"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="turret"/><child link="upper"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.5" effort="1" velocity="1"/>
  </joint>
</robot>
"#;

/// Straight ahead of the shoulder: the arm passes only while it is drawn in.
const WALL: &str = r#"[[body]]
name  = "wall"
shape = { box = [0.2, 0.2, 2.0] }
pose  = { xyz = [0.0, 0.9, 0.0] }
"#;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plan").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("arm.urdf"), ARM).unwrap();
    std::fs::write(folder.join("wall.toml"), WALL).unwrap();
    folder
}

fn file(name: &str, file: &str) -> String {
    folder(name).join(file).to_str().unwrap().to_string()
}

fn planned(name: &str, more: &[&str]) -> Run {
    let [arm, wall] = ["arm.urdf", "wall.toml"].map(|it| file(name, it));
    firsttouch(
        &[&["plan", &arm, "--scene", &wall, "--from", "0,0.5", "--to", "shoulder=3,slide=0.5"], more]
            .concat(),
    )
}

/// The written path is accepted by `path` and found free. The straight way is not.
#[test]
fn a_path_that_the_path_command_finds_free() {
    let [arm, wall, way] = ["arm.urdf", "wall.toml", "way.csv"].map(|it| file("way", it));
    let straight = file("way", "straight.csv");
    std::fs::write(&straight, "shoulder,slide\n0,0.5\n3,0.5\n").unwrap();
    assert_eq!(firsttouch(&["path", &arm, &straight, "--scene", &wall]).status, 1);
    for more in [&["--smooth", "2"][..], &["--method", "roadmap"], &["--min-separation", "0.01"]] {
        let run = planned("way", &[&["--out", &way], more].concat());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        assert!(run.stdout.contains("edges, all proven free"), "{}", run.stdout);
        let check = firsttouch(&["path", &arm, &way, "--scene", &wall, "--json"]);
        assert_eq!((check.status, check.stderr.as_str()), (0, ""));
        assert_eq!(check.json()["paths"][0]["answer"], "free");
        assert!(check.json()["segments"].as_u64().unwrap() >= 2);
    }
}

/// Without --out, standard output is the path itself; `path` and `view` read it.
#[test]
fn a_path_on_standard_output() {
    let [arm, wall, page] = ["arm.urdf", "wall.toml", "page.html"].map(|it| file("stdout", it));
    let run = planned("stdout", &["--seed", "3"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("shoulder,slide\n0,0.5\n"), "{}", run.stdout);
    // A reader of tables that knows no comments takes it: each line has a number per joint.
    assert!(
        run.stdout
            .lines()
            .skip(1)
            .all(|line| line.split(',').filter(|x| x.parse::<f64>().is_ok()).count() == 2)
    );
    let check = with_input(&["path", &arm, "-", "--scene", &wall], run.stdout.as_bytes());
    assert_eq!(check.status, 0, "{}", check.stdout);
    let view = with_input(&["view", &arm, "-", "--scene", &wall, "--out", &page], run.stdout.as_bytes());
    assert_eq!(view.status, 0, "{}", view.stderr);
    assert!(std::fs::metadata(&page).unwrap().len() > 1000);
    // The same seed gives the same path, with any number of threads; another seed gives another.
    assert_eq!(planned("stdout", &["--seed", "3", "--threads", "2"]).stdout, run.stdout);
    assert_ne!(planned("stdout", &["--seed", "4"]).stdout, run.stdout);
}

#[test]
fn as_json() {
    let run = planned("json", &["--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["answer"], &json["seed"]), (0, &"free".into(), &0.into()));
    let waypoints = json["waypoints"].as_array().unwrap();
    assert_eq!(json["edges"].as_u64().unwrap() as usize, waypoints.len() - 1);
    assert_eq!(json["joints"], serde_json::json!(["shoulder", "slide"]));
    assert_eq!(waypoints[0], serde_json::json!([0.0, 0.5]));
    assert_eq!(waypoints[waypoints.len() - 1], serde_json::json!([3.0, 0.5]));
    assert!(json["length"].as_f64() <= json["found_length"].as_f64());
    // Each edge is proven; the queries of the search are guesses.
    assert!(json["stats"]["checks"].as_u64() >= json["edges"].as_u64());
    assert!(json["stats"]["guesses"].as_u64().unwrap() > 3 && json["seconds"].as_f64().unwrap() > 0.0);
    assert!(json["clearance"].as_f64().unwrap() > 0.0);
}

/// Finding no way is not a proof: exit status 3, and advice. That the start touches the wall is proven.
#[test]
fn no_path() {
    let [arm, wall] = ["arm.urdf", "wall.toml"].map(|it| file("none", it));
    let ask = |from: &str, to: &str, more: &[&str]| {
        firsttouch(&[&["plan", &arm, "--scene", &wall, "--from", from, "--to", to], more].concat())
    };
    let run = ask("0,0.5", "3,0.5", &["--range", "slide=0.3:0.5", "--max-samples", "300"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(run.stdout.starts_with("no path found, which proves nothing"), "{}", run.stdout);
    let json = ask("0,0.5", "3,0.5", &["--range", "slide=0.3:0.5", "--max-samples", "300", "--json"]).json();
    assert_eq!((&json["answer"], &json["reason"]), (&"undecided".into(), &"samples".into()));
    let run = ask("1.5707,0.5", "3,0.5", &[]);
    assert_eq!((run.status, run.stdout.trim()), (1, "no path: --from touches: arm upper and wall solid"));
    let json = ask("0,0.5", "1.5707,0.5", &["--json"]).json();
    assert_eq!((&json["answer"], &json["end"]), (&"touching_at_start".into(), &"to".into()));
    // The arm is 0.15 from the wall here, and the padding is more.
    let run = ask("1.2,0.1", "3,0.5", &["--padding", "0.3"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.starts_with("no path: --from touches because of the padding: arm"), "{}", run.stdout);
    // The time is over at once; without a way it would continue forever.
    let limits = ["--range", "slide=0.3:0.5", "--max-samples", "1000000000", "--timeout", "0.3", "--json"];
    let run = ask("0,0.5", "3,0.5", &limits);
    assert_eq!((run.status, &run.json()["stopped"]), (3, &"timeout".into()), "{}", run.stderr);
}

#[test]
fn what_is_wrong_is_said() {
    let arm = file("wrong", "arm.urdf");
    for (from, more, says) in [
        ("0", &[][..], "--from: 1 values for 2 joints: shoulder, slide"),
        ("0,x", &[], "--from: \"x\" cannot be read as a number"),
        ("elbow=1", &[], "--from: there is no joint called \"elbow\"; the robot has shoulder, slide"),
        ("0,nan", &[], "--from: "),
        ("4,0", &[], "\"shoulder\" of the start (range -3 to 3) must be within its range, but is 4"),
        ("0,0", &["--range", "slide=1"], "--range slide=1: JOINT=LOW:HIGH"),
        ("0,0", &["--range", "slide=2:1"], "--range slide=2:1: two numbers, the lower one first"),
        ("0,0", &["--out", "/proc/no/way.csv"], "/proc/no"),
    ] {
        let run = firsttouch(&[&["plan", &arm, "--from", from, "--to", "0,0"], more].concat());
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{from} {more:?}");
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
    let help = firsttouch(&["plan", "--help"]).stdout;
    assert!(help.contains("Examples:\n  firsttouch plan arm.urdf"), "{help}");
}

/// The held bodies, the pairs that may touch and the place of the robot are those of `path`. The arm passes the wall
/// only while it is drawn in, by 0.15; the held body at its tip reaches 0.2 farther.
#[test]
fn what_the_robot_holds_and_where_it_stands() {
    let arm = file("held", "arm.urdf");
    let load = r#"[[body]]
name   = "load"
shape  = { box = [0.2, 0.1, 0.1] }
attach = { robot = "arm", link = "upper", pose = { xyz = [0.75, 0, 0] } }
"#;
    let write = |name: &str, text: String| {
        let path = file("held", name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let held = write("held.toml", format!("{WALL}{load}"));
    let allowed = write("allowed.toml", format!("allow = [[\"load\", \"wall\"]]\n{WALL}{load}"));
    let ask = |scene: &str, more: &[&str]| {
        let few = ["--max-samples", "300", "--json"];
        let asked = ["plan", &arm, "--scene", scene, "--from", "0,0.5", "--to", "3,0.5"];
        firsttouch(&[&asked[..], &few, more].concat())
    };
    assert_eq!(ask(&held, &[]).status, 3);
    let run = ask(&allowed, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(run.json()["edges"].as_u64().unwrap() >= 2);
    // One metre away from the wall the straight way is free.
    let run = ask(&held, &["--base", "0 -1 0 0 0 0"]);
    assert_eq!((run.status, run.json()["edges"].as_u64()), (0, Some(1)), "{}", run.stderr);
    // There, the tip passes 0.45 from the wall. To keep 0.6 away, the arm has to be drawn in.
    let run = ask(&held, &["--base", "0 -1 0 0 0 0", "--padding", "0.6"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.json()["edges"].as_u64().unwrap() >= 2);
    // A body that is taken up on the way needs two plans.
    let taken = load.replace(
        "link = \"upper\", pose = { xyz = [0.75, 0, 0] } }",
        "link = \"upper\", at = 1 }\npose = { xyz = [0.75, 0, 3] }",
    );
    let taken = write("taken.toml", format!("{WALL}{taken}"));
    let run = ask(&taken, &[]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("\"load\" is taken up on the way"), "{}", run.stderr);
}

/// The trajectory keeps the limits of the URDF and those given, and `path` reads it as it was proven. The corner at the
/// wall is blended.
#[test]
fn a_trajectory_that_the_path_command_finds_free() {
    let [arm, wall, way] = ["arm.urdf", "wall.toml", "way.csv"].map(|it| file("timed", it));
    let run = planned("timed", &["--timed", "--acceleration", "2", "--out", &way]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(
        run.stdout.contains("edges, all proven free") && run.stdout.contains("s, proven free"),
        "{}",
        run.stdout
    );
    let text = std::fs::read_to_string(&way).unwrap();
    assert!(
        text.starts_with("time,shoulder,slide,shoulder/velocity,slide/velocity\n0,0,0.5,0,0\n"),
        "{text}"
    );
    let check = firsttouch(&["path", &arm, &way, "--scene", &wall, "--interpolation", "cubic", "--json"]);
    assert_eq!((check.status, check.stderr.as_str()), (0, ""), "{}", check.stdout);
    let rows = text.lines().count() - 1;
    assert_eq!(check.json()["segments"].as_u64().unwrap() as usize, rows - 1);
    // As JSON, the same numbers.
    let json =
        planned("timed", &["--timed", "--acceleration", "shoulder=2,slide=2", "--velocity", "1", "--json"])
            .json();
    let timed = &json["timed"];
    assert_eq!((timed["times"].as_array().unwrap().len(), &json["answer"]), (rows, &"free".into()));
    let last: Vec<f64> = text.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    assert_eq!(timed["duration"].as_f64().unwrap(), last[0]);
    assert_eq!(timed["waypoints"][rows - 1], serde_json::json!([3.0, 0.5]));
    // The shoulder turns by 3 at 1 per second, and takes half a second to accelerate and to brake.
    assert!(last[0] >= 3.5 && last[0] < 4.5, "{}", last[0]);
    assert!(timed["velocities"].as_array().unwrap().iter().all(|row| row[0].as_f64().unwrap().abs() <= 1.0));
    // A limit of jerk, to standard output.
    let run = planned("timed", &["--timed", "--acceleration", "2,2", "--jerk", "40"]);
    let check =
        with_input(&["path", &arm, "-", "--scene", &wall, "--interpolation", "cubic"], run.stdout.as_bytes());
    assert_eq!(check.status, 0, "{}", check.stdout);
}

/// A cart comes through the room of the arm, on the clock of the scene. Without `--timed` there is no clock.
#[test]
fn a_trajectory_among_obstacles_that_move() {
    let arm = file("clocked", "arm.urdf");
    let scene = |name: &str, duration: f64, from: f64| {
        let cart = format!(
            "duration = {duration}\n{WALL}[[body]]\nname = \"cart\"\nshape = {{ box = [0.2, 0.2, 0.2] }}\n\
             motion = {{ linear = {{ from = {{ xyz = [{from}, 0.8, 0] }}, to = {{ xyz = [{}, 0.8, 0] }} }} }}\n",
            from + 8.0
        );
        let path = file("clocked", name);
        std::fs::write(&path, cart).unwrap();
        path
    };
    let ask = |scene: &str, more: &[&str]| {
        let asked = ["plan", &arm, "--scene", scene, "--from", "0,0.5", "--to", "1,0.5"];
        firsttouch(&[&asked[..], more].concat())
    };
    let timed = ["--timed", "--acceleration", "2"];
    // At the time t it is at x = t - 7: it comes when the arm is there for long.
    let late = scene("late.toml", 8.0, -7.0);
    assert_eq!(ask(&late, &[]).status, 2);
    let way = file("clocked", "way.csv");
    let run = ask(&late, &[&timed[..], &["--out", &way]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let check = firsttouch(&["path", &arm, &way, "--scene", &late, "--interpolation", "cubic", "--json"]);
    assert_eq!(check.status, 0, "{} {}", check.stdout, check.stderr);
    // Here it is at x = t - 0.6, where the arm gets to.
    let now = scene("now.toml", 8.0, -0.6);
    let run = ask(&now, &timed);
    assert_eq!(run.status, 1, "{} {}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("no trajectory: it touches at ") && run.stdout.contains("cart"),
        "{}",
        run.stdout
    );
    let json = ask(&now, &[&timed[..], &["--json"]].concat()).json();
    assert_eq!((&json["answer"], &json["reason"]), (&"touch".into(), &"timed".into()), "{json}");
    assert!(json["time"].as_f64().unwrap() > 0.2 && json["timed"].is_null(), "{json}");
    // The trajectory takes a second and a half.
    let run = ask(&scene("short.toml", 1.0, -7.0), &timed);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("the obstacles of the scene move for 1 s: set its `duration`"),
        "{}",
        run.stderr
    );
}

#[test]
fn limits_that_are_missing_or_wrong() {
    let arm = file("limits", "arm.urdf");
    let bare = file("limits", "bare.urdf");
    std::fs::write(&bare, ARM.replacen(" velocity=\"1\"", "", 1)).unwrap();
    for (robot, more, says) in [
        (
            &arm,
            &["--timed"][..],
            "--acceleration: --timed needs a limit for shoulder, slide: a number for all",
        ),
        (&arm, &["--timed", "--acceleration", "slide=2"], "--timed needs a limit for shoulder: "),
        (&bare, &["--timed", "--acceleration", "2"], "--velocity: --timed needs a limit for shoulder: "),
        (&arm, &["--timed", "--acceleration", "2,x"], "--acceleration: \"x\" is not a positive number"),
        (&arm, &["--timed", "--acceleration", "0"], "--acceleration: \"0\" is not a positive number"),
        (&arm, &["--timed", "--acceleration", "1,2,3"], "--acceleration: 3 values for 2 joints"),
        (&arm, &["--timed", "--acceleration", "elbow=3"], "there is no joint called \"elbow\""),
        (&arm, &["--acceleration", "3"], "--timed"),
    ] {
        let run = firsttouch(&[&["plan", robot, "--from", "0,0", "--to", "1,0"], more].concat());
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{more:?}");
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
    let run = firsttouch(&[
        "plan",
        &bare,
        "--from",
        "0,0",
        "--to",
        "1,0",
        "--timed",
        "--acceleration",
        "2",
        "--velocity",
        "shoulder=2",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}
