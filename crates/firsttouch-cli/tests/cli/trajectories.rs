//! `firsttouch path` over time: smooth trajectories, one clock, padding, grasped bodies, and `firsttouch srdf`.

use std::path::PathBuf;

use crate::{Run, firsttouch};

/// A ball of radius 0.1 on a rail along x, and another one fixed 0.5 behind it.
const RAIL: &str = r#"<robot name="r">
  <link name="rail"/>
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="tail"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="hand"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="10" effort="1" velocity="1"/>
  </joint>
  <joint name="weld" type="fixed"><origin xyz="-0.5 0 0"/><parent link="hand"/><child link="tail"/></joint>
</robot>
"#;

fn post(x: f64, more: &str) -> String {
    format!(
        "[[body]]\nname = \"post\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\npose = {{ xyz = [{x}, 0, 0] }}\n{more}"
    )
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trajectories").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Folder(folder)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().into()
    }

    fn run(&self, more: &[&str]) -> Run {
        let [robot, way, scene] = ["r.urdf", "way.csv", "scene.toml"].map(|file| self.path(file));
        firsttouch(&[&["path", &robot, &way, "--scene", &scene, "--json"], more].concat())
    }
}

fn asked(name: &str, way: &str, scene: &str, more: &[&str]) -> Run {
    Folder::new(name, &[("r.urdf", RAIL), ("way.csv", way), ("scene.toml", scene)]).run(more)
}

#[track_caller]
fn touch_at(run: &Run, segment: u64, toi: f64, time: Option<f64>) {
    let json = run.json();
    let path = &json["paths"][0];
    assert_eq!((run.status, &path["answer"]), (1, &"touch".into()), "{json} {}", run.stderr);
    assert_eq!(path["segment"], segment, "{json}");
    let found = path["toi"].as_f64().unwrap();
    assert!(found <= toi && found > toi - 1e-4, "{found} instead of {toi}");
    match time {
        Some(time) => assert!((path["time"].as_f64().unwrap() - time).abs() < 1e-3, "{json}"),
        None => assert!(path["time"].is_null(), "{json}"),
    }
}

/// The natural spline through 0, 1, 0 is at 11/16 halfway to the waypoint, the cubic at rest at both ends at 1/2.
#[test]
fn smooth_courses() {
    let way = "time,slide\n0,0\n1,1\n2,0\n";
    let scene = post(0.2 + 11.0 / 16.0, "");
    touch_at(&asked("spline", way, &scene, &["--interpolation", "spline"]), 0, 0.5, Some(0.5));
    touch_at(&asked("linear", way, &scene, &[]), 0, 11.0 / 16.0, Some(11.0 / 16.0));
    let way = "slide/velocity,slide\n0,0\n0,1\n";
    touch_at(&asked("cubic", way, &post(0.7, ""), &["--interpolation", "cubic"]), 0, 0.5, None);
    let run = asked("no_velocities", "slide\n0\n1\n", &scene, &["--interpolation", "cubic"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("way.csv:2: cubic interpolation needs columns JOINT/velocity"),
        "{}",
        run.stderr
    );
}

/// On a smooth trajectory the time changes with every waypoint. The cubic has the speed 3/2 halfway, where both of its
/// waypoints count for a half. The spline has the speed 9/8 at t = 1/2, where its waypoints have the weights 13/32,
/// 11/16 and -3/32.
#[test]
fn gradients_along_courses() {
    let close = |run: &Run, exact: &[f64]| {
        let json = run.json();
        let found = json["paths"][0]["gradient"]["waypoints"].as_array().unwrap_or_else(|| panic!("{json}"));
        assert_eq!(found.len(), exact.len(), "{json}");
        for (row, exact) in found.iter().zip(exact) {
            assert!((row[0].as_f64().unwrap() - exact).abs() < 1e-6, "{json}");
        }
    };
    let cubic = "slide/velocity,slide\n0,0\n0,1\n";
    let run = asked("cubic_gradient", cubic, &post(0.7, ""), &["--interpolation", "cubic", "--gradient"]);
    close(&run, &[-1.0 / 3.0, -1.0 / 3.0]);
    let way = "time,slide\n0,0\n1,1\n2,0\n";
    let scene = post(0.2 + 11.0 / 16.0, "");
    let run = asked("spline_gradient", way, &scene, &["--interpolation", "spline", "--gradient"]);
    close(&run, &[-13.0 / 36.0, -11.0 / 18.0, 1.0 / 12.0]);
    // Polynomials have no waypoints: x = t².
    let run = asked("polynomial_gradient", "duration,slide^2\n1,1\n", &post(0.45, ""), &["--gradient"]);
    let json = run.json();
    let shift = json["paths"][0]["gradient"]["shift"][0].as_f64().unwrap_or_else(|| panic!("{json}"));
    assert!((shift + 1.0).abs() < 1e-6, "{json}");
}

/// The hand goes to 1 and back. It touches the post from 11/16 on until it is back there.
#[test]
fn overlaps_along_a_path() {
    let scene = post(0.2 + 11.0 / 16.0, "");
    let span = |name: &str, way: &str, more: &[&str]| -> [f64; 2] {
        let json = asked(name, way, &scene, &[&["--mode", "all"], more].concat()).json();
        let overlaps =
            json["paths"][0]["pairs"][0]["overlaps"].as_array().unwrap_or_else(|| panic!("{json}"));
        assert!(overlaps.len() == 1 && overlaps[0]["certain"] == true, "{json}");
        ["from", "to"].map(|end| overlaps[0][end].as_f64().unwrap())
    };
    let close = |found: [f64; 2], exact: [f64; 2]| {
        assert!(found[0] <= exact[0] && found[0] > exact[0] - 1e-4, "{found:?} {exact:?}");
        assert!(found[1] >= exact[1] && found[1] < exact[1] + 1e-4, "{found:?} {exact:?}");
    };
    close(span("overlaps", "slide\n0\n1\n0\n", &[]), [0.6875, 1.3125]);
    close(span("overlaps_timed", "time,slide\n1,0\n3,1\n5,0\n", &[]), [2.375, 3.625]);
    close(span("overlaps_spline", "slide\n0\n1\n0\n", &["--interpolation", "spline"]), [0.5, 1.5]);
    // A padding of 0.01 counts as a touch: 0.01 of the way earlier, and as much later.
    close(span("overlaps_padded", "slide\n0\n1\n0\n", &["--link-padding", "hand=0.01"]), [0.6775, 1.3225]);
}

/// The hand goes from 0 at the time 1 to 1 at the time 3, and rests there. A ball crosses its way at x = 1,
/// at y = 2 (t - 3). They overlap from 3 - 0.2 / sqrt(17/4) on, and still do when the path ends.
#[test]
fn overlaps_end_with_the_path() {
    let scene = "duration = 4\n[[body]]\nname = \"ball\"\nshape = { sphere = { radius = 0.1 } }\n\
                 motion = { linear = { from = { xyz = [1, -6, 0] }, to = { xyz = [1, 2, 0] } } }\n";
    let json = asked("overlaps_clocked", "time,slide\n1,0\n3,1\n", scene, &["--mode", "all"]).json();
    let overlaps = &json["paths"][0]["pairs"][0]["overlaps"];
    let (from, exact) = (overlaps[0]["from"].as_f64().unwrap(), 3.0 - 0.2 / 4.25_f64.sqrt());
    assert!(overlaps.as_array().unwrap().len() == 1 && overlaps[0]["to"] == 3.0, "{json}");
    assert!(from <= exact && from > exact - 1e-4, "{json}");
}

/// A rover on its floor, before a wall at x = 3, both planes of its MJCF model. They are obstacles without a scene,
/// which move with the base and may be allowed by name.
#[test]
fn the_planes_of_a_model() {
    let way = "drive,lift\n0,0\n8,0\n\n0,0\n-4,-4\n\n0,0\n1,1\n";
    let scene = "allow = [[\"rover/floor\", \"rover/rover\"]]\n[[body]]\nname = \"far\"\nshape = { box = [1, 1, 1] }\npose = { xyz = [0, 90, 0] }\n";
    let folder = Folder::new("planes", &[("way.csv", way), ("scene.toml", scene)]);
    let (way, scene) = (folder.path("way.csv"), folder.path("scene.toml"));
    let run =
        |more: &[&str]| firsttouch(&[&["path", "../robots/terrain.xml", &way, "--json"], more].concat());
    for base in ["0 0 0 0 0 0", "3 4 5 0.1 0.2 0.3"] {
        let found = run(&["--base", base]);
        let json = found.json();
        assert_eq!(found.status, 1, "{json} {}", found.stderr);
        let touches = |path: usize, name: &str, exact: f64| {
            let path = &json["paths"][path];
            let toi = path["toi"].as_f64().unwrap_or_else(|| panic!("{json}"));
            assert!(toi <= exact && toi > exact - 1e-5, "{json}");
            assert_eq!(path["bodies"], serde_json::json!(["rover", name]), "{json}");
        };
        touches(0, "rover/wall", 3.9 / 8.0);
        touches(1, "rover/floor", 0.7 / 4.0);
        assert_eq!(json["paths"][2]["answer"], "free", "{json}");
    }
    let json = run(&["--scene", &scene]).json();
    assert_eq!(json["paths"][1]["answer"], "free", "{json}");
    assert_eq!(json["paths"][0]["answer"], "touch", "{json}");
    // The padding of obstacles, and pairs of links alone.
    let json = run(&["--padding", "0.5"]).json();
    assert!((json["paths"][1]["toi"].as_f64().unwrap() - 0.2 / 4.0).abs() < 1e-5, "{json}");
    let run = firsttouch(&["srdf", "../robots/terrain.xml"]);
    assert!(run.status == 0 && !run.stdout.contains("floor"), "{} {}", run.stdout, run.stderr);
    let ends = ["--from", "drive=0", "--to", "drive=3", "--range", "drive=-1:4", "--range", "lift=-1:1"];
    let run = firsttouch(&[&["plan", "../robots/terrain.xml", "--json"], &ends[..]].concat());
    assert_eq!((run.status, &run.json()["answer"]), (0, &"free".into()), "{}", run.stderr);
}

/// The hand is at 4 from the time 1 on. A ball comes at 16.2 - 4 t: they touch at 3, two thirds through the second
/// segment.
#[test]
fn one_clock() {
    let ball = "motion = { linear = { from = { xyz = [16.2, 0, 0] }, to = { xyz = [0.2, 0, 0] } } }\n";
    let scene = |duration: &str| {
        format!("{duration}[[body]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\n{ball}")
    };
    let way = "time,slide\n0,0\n1,4\n4,4\n";
    touch_at(&asked("clock", way, &scene("duration = 4\n"), &[]), 1, 2.0 / 3.0, Some(3.0));
    // A path that takes a part of the time.
    let part = "time,slide\n2,4\n3.5,4\n";
    touch_at(&asked("clock_part", part, &scene("duration = 4\n"), &[]), 0, 2.0 / 3.0, Some(3.0));
    let run = asked("clock_short", way, &scene(""), &[]);
    assert!(run.status == 2 && run.stderr.contains("set its `duration`"), "{}", run.stderr);
}

#[test]
fn padding_and_base() {
    let (way, scene) = ("slide\n0\n1\n", post(1.5, ""));
    assert_eq!(asked("free", way, &scene, &[]).status, 0);
    // At the end the gap is 0.3.
    assert_eq!(asked("padding", way, &scene, &["--padding", "0.29"]).status, 0);
    touch_at(&asked("padded", way, &scene, &["--padding", "0.4"]), 0, 0.9, None);
    touch_at(&asked("link", way, &scene, &["--link-padding", "hand=0.4"]), 0, 0.9, None);
    assert_eq!(asked("other_link", way, &scene, &["--link-padding", "tail=0.4"]).status, 0);
    touch_at(&asked("base", way, &scene, &["--base", "0.5 0 0 0 0 0"]), 0, 0.8, None);
    for (name, more) in [
        ("nan", ["--padding", "nan"]),
        ("name", ["--link-padding", "nose=1"]),
        ("five", ["--base", "1 2 3 4 5"]),
    ] {
        assert_eq!(asked(name, way, &scene, &more).status, 2, "{name}");
    }
}

/// The hand takes a ball in front of it at the second waypoint and leaves it at the third. Then it goes on, and the
/// tail meets the ball.
#[test]
fn pick_and_place() {
    let way = "slide\n0\n1\n3\n4\n";
    let part = |more: &str| {
        format!(
            "{more}\n[[body]]\nname = \"part\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\npose = {{ xyz = [1.25, 0, 0] }}\n\
             attach = {{ robot = \"r\", link = \"hand\", at = 1, release = 2 }}\n"
        )
    };
    // It is left at 3.25; the tail is 0.5 behind the hand and touches it when the hand is at 3.55.
    let run = asked("place", way, &part(""), &[]);
    touch_at(&run, 2, 0.55, None);
    assert_eq!(run.json()["paths"][0]["bodies"], serde_json::json!(["r", "part"]));
    assert_eq!(asked("place_allowed", way, &part("allow = [[\"r/t*l\", \"part\"]]"), &[]).status, 0);
    // On the way it meets a post, as a link of the robot.
    let run = asked("carried", way, &(part("") + &post(2.5, "")), &[]);
    touch_at(&run, 1, (2.3 - 1.25) / 2.0, None);
    assert_eq!(run.json()["paths"][0]["parts"][0], "part");
    // The body on which it stands may touch it, as long as a rule says so.
    let table = "[[body]]\nname = \"table\"\nshape = { box = [20, 1, 1] }\npose = { xyz = [0, 0, -0.6] }\n";
    let shy = "allow = [[\"r\", \"table\"], [\"part\", \"table\"], [\"r/tail\", \"part\"]]";
    assert_eq!(asked("table", way, &(part(shy) + table), &[]).status, 0);
    // It is held all the time.
    let held = "[[body]]\nname = \"tool\"\nshape = { sphere = { radius = 0.1 } }\nattach = { robot = \"r\", link = \"hand\", pose = { xyz = [0.3, 0, 0] } }\n";
    touch_at(&asked("held", way, &(held.to_string() + &post(2.5, "")), &[]), 1, 0.5, None);
    for (name, scene, says) in [
        ("late", part("").replace("release = 2", "release = 9"), "waypoints between which \"part\" is held"),
        (
            "before",
            part("").replace("release = 2", "release = 1"),
            "scene.toml:3: \"part\": `release` must be after `at`",
        ),
        ("nothing", part("allow = [[\"r/none*\", \"part\"]]"), "nothing is called \"r/none*\""),
        (
            "where",
            part("").replace("at = 1,", "at = 1, pose = {},"),
            "scene.toml:3: \"part\": `pose` in `attach`",
        ),
    ] {
        let run = asked(name, way, &scene, &[]);
        assert!(run.status == 2 && run.stderr.contains(says), "{name}: {}", run.stderr);
    }
    // A scene without a path has no waypoints.
    let folder = Folder::new("check", &[("scene.toml", &part(""))]);
    assert_eq!(firsttouch(&["check", &folder.path("scene.toml")]).status, 2);
}

/// A ball on a conveyor crosses the way of a part while the hand carries it, and all questions know where the part is.
#[test]
fn pick_and_place_beside_a_conveyor() {
    let way = "time,slide\n0,0\n1,1\n2,3\n3,4\n";
    // It is at y = 3 - 2 t, the part at x = 1.25 + 2 s in the second segment, s = t - 1.
    let scene = |x: f64| {
        format!(
            "duration = 3\nallow = [[\"r/tail\", \"part\"]]\n\
             [[body]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\n\
             motion = {{ linear = {{ from = {{ xyz = [{x}, 3, 0] }}, to = {{ xyz = [{x}, -3, 0] }} }} }}\n\
             [[body]]\nname = \"part\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\npose = {{ xyz = [1.25, 0, 0] }}\n\
             attach = {{ robot = \"r\", link = \"hand\", at = 1, release = 2 }}\n"
        )
    };
    let toi = 0.5 - 0.1 / 2.0_f64.sqrt();
    let run = asked("conveyor", way, &scene(2.25), &["--contacts", "--clearance", "--mode", "all"]);
    touch_at(&run, 1, toi, Some(1.0 + toi));
    let json = run.json();
    let path = &json["paths"][0];
    assert_eq!((&path["parts"][0], &path["bodies"][1]), (&"part".into(), &"ball".into()), "{json}");
    assert_eq!(path["contacts"][0]["parts"][0], "part", "{json}");
    assert_eq!(
        (path["clearance"]["segment"].as_u64(), path["clearance"]["upper"].as_f64()),
        (Some(1), Some(0.0)),
        "{json}"
    );
    let pairs = path["pairs"].as_array().unwrap();
    assert!(pairs.len() == 1 && pairs[0]["segment"] == 1 && pairs[0]["parts"][0] == "part", "{json}");
    // A smooth way goes by the same places at the same times if it is straight.
    let straight = "time,slide\n0,-1\n1,1\n2,3\n3,5\n";
    let run = asked("conveyor_spline", straight, &scene(2.25), &["--interpolation", "spline"]);
    touch_at(&run, 1, toi, Some(1.0 + toi));
    // Far away: the hand comes closest when it has left the part, at x = 3.8 and y = -2.6 of the ball.
    let run = asked("conveyor_free", way, &scene(9.0), &["--clearance"]);
    let json = run.json();
    assert_eq!((run.status, &json["paths"][0]["answer"]), (0, &"free".into()), "{json} {}", run.stderr);
    let clearance = &json["paths"][0]["clearance"];
    let upper = clearance["upper"].as_f64().unwrap();
    assert!(clearance["segment"] == 2 && (upper - 33.8_f64.sqrt() + 0.2).abs() < 1e-5, "{json}");
    for more in ["--gradient", "--out"] {
        let more = if more == "--out" { vec![more, "nowhere"] } else { vec![more] };
        let run = asked("conveyor_refused", way, &scene(2.25), &more);
        assert!(run.status == 2 && run.stderr.contains("does not go with bodies"), "{}", run.stderr);
    }
}

/// Three balls in a row: the first and the last cannot meet, but a wider turn lets them.
#[test]
fn pairs_of_links() {
    let row = |limit: f64| {
        let ball = |name: &str| {
            format!(
                "<link name=\"{name}\"><collision><geometry><sphere radius=\"0.4\"/></geometry></collision></link>\n"
            )
        };
        let joint = |parent: &str, child: &str| {
            format!(
                "<joint name=\"to_{child}\" type=\"revolute\"><origin xyz=\"1 0 0\"/><parent link=\"{parent}\"/><child link=\"{child}\"/>\
                 <axis xyz=\"0 0 1\"/><limit lower=\"-{limit}\" upper=\"{limit}\" effort=\"1\" velocity=\"1\"/></joint>\n"
            )
        };
        let fixed = "<joint name=\"f\" type=\"fixed\"><parent link=\"c\"/><child link=\"cap\"/></joint>\n\
                     <joint name=\"g\" type=\"fixed\"><origin xyz=\"0 0 2\"/><parent link=\"c\"/><child link=\"lid\"/></joint>\n";
        format!(
            "<robot name=\"row\">\n{}{}{}{}{}{}{}{fixed}</robot>\n",
            ball("a"),
            ball("b"),
            ball("c"),
            ball("cap"),
            ball("lid"),
            joint("a", "b"),
            joint("b", "c")
        )
    };
    let folder = Folder::new("row", &[("r.urdf", &row(1.0)), ("wide.urdf", &row(3.0))]);
    let (robot, out) = (folder.path("r.urdf"), folder.path("r.srdf"));
    let run = firsttouch(&["srdf", &robot, "--samples", "50", "--out", &out]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(&out).unwrap();
    for line in [
        "<disable_collisions link1=\"a\" link2=\"b\" reason=\"Adjacent\"/>",
        "<disable_collisions link1=\"a\" link2=\"c\" reason=\"Never\"/> <!-- proven within the joint limits -->",
        "<disable_collisions link1=\"b\" link2=\"cap\" reason=\"Never\"/> <!-- proven within the joint limits -->",
        "<disable_collisions link1=\"cap\" link2=\"lid\" reason=\"Never\"/> <!-- joined by fixed joints, apart -->",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let again = firsttouch(&["srdf", &robot, "--samples", "50"]);
    assert_eq!(again.stdout, text);
    let json = firsttouch(&["srdf", &folder.path("wide.urdf"), "--samples", "200", "--json"]).json();
    let finding = |a: &str, b: &str| {
        let pairs = json["pairs"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair["links"] == serde_json::json!([a, b])).unwrap();
        pair["finding"].as_str().unwrap().to_string()
    };
    assert_eq!(finding("a", "c"), "sometimes touching");
    assert_eq!(finding("c", "cap"), "adjacent");
    // Without an SRDF, a path reports the pairs that touch at the start. The cap is at the place of the second ball,
    // and cannot leave it.
    let arm = row(0.1).replace("<child link=\"cap\"/>", "<origin xyz=\"-1 0 0\"/><child link=\"cap\"/>");
    let folder = Folder::new(
        "note",
        &[("r.urdf", &arm), ("way.csv", "to_b\n0\n0.1\n"), ("scene.toml", &post(9.0, ""))],
    );
    let out = folder.path("r.srdf");
    // An earlier run of this test may have left it.
    let _ = std::fs::remove_file(&out);
    let run = folder.run(&[]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("b and cap") && run.stderr.contains("firsttouch srdf"), "{}", run.stderr);
    assert_eq!(firsttouch(&["srdf", &folder.path("r.urdf"), "--samples", "50", "--out", &out]).status, 0);
    assert_eq!(folder.run(&["--srdf", &out]).status, 0);
    // The command that would overwrite it is not proposed.
    let run = folder.run(&[]);
    assert!(run.stderr.contains("--srdf") && !run.stderr.contains("firsttouch srdf"), "{}", run.stderr);
}

/// An MJCF robot on a path, with the columns of a ball joint.
#[test]
fn mujoco_models() {
    let robot = r#"<mujoco model="m"><worldbody><body name="arm"><joint name="j" type="ball"/>
        <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/></body></worldbody></mujoco>"#;
    // Half a turn about z, at constant rate: at y after half the time.
    let way = "j/rot_x,j/rot_y,j/rot_z,j/rot_w\n0,0,0,1\n0,0,1,0.0000001\n";
    let scene =
        "[[body]]\nname = \"post\"\nshape = { sphere = { radius = 0.05 } }\npose = { xyz = [0, 0.5, 0] }\n";
    let folder = Folder::new("mjcf", &[("r.urdf", robot), ("way.csv", way), ("scene.toml", scene)]);
    let run = folder.run(&[]);
    let json = run.json();
    assert_eq!(json["paths"][0]["parts"][0], "arm", "{} {json}", run.stderr);
    // It touches when the distance of the post from the axis is 0.1: 0.5 sin(angle) = 0.1 before the half.
    let exact = (std::f64::consts::FRAC_PI_2 - 0.2_f64.asin()) / std::f64::consts::PI;
    let toi = json["paths"][0]["toi"].as_f64().unwrap();
    assert!((toi - exact).abs() < 1e-5, "{toi} {exact}");
    let scene = "[[body]]\nname = \"m\"\nrobot = { mjcf = \"r.urdf\" }\n".to_string() + scene;
    let folder = Folder::new("mjcf_scene", &[("r.urdf", robot), ("scene.toml", &scene)]);
    assert_eq!(firsttouch(&["check", &folder.path("scene.toml")]).status, 0);
}

/// The scenes in `testdata`: a gantry takes a part over a fence, and the same with a higher fence, which the outer face
/// of a finger meets when the hand is at x = 0.48: 0.36 of the way from 0.3 to 0.8.
#[test]
fn a_gantry_picks_and_places() {
    let run = |scene: &str| {
        firsttouch(&[
            "path",
            "pick_and_place/gantry.urdf",
            "pick_and_place/path.csv",
            "--scene",
            scene,
            "--json",
        ])
    };
    let free = run("pick_and_place/cell.toml");
    assert_eq!(free.status, 0, "{} {}", free.stdout, free.stderr);
    let text = include_str!("../../../../testdata/scenes/pick_and_place/cell.toml");
    let high = text.replace("box = [0.02, 1, 0.3]", "box = [0.02, 1, 0.5]");
    let folder = Folder::new("fence", &[("cell.toml", &high)]);
    let touch = run(&folder.path("cell.toml"));
    touch_at(&touch, 4, 0.36, None);
    assert_eq!(touch.json()["paths"][0]["bodies"], serde_json::json!(["gantry", "fence"]));
    // A pattern stands for both fingers.
    let pattern = text.replace("\"finger_left\"", "\"finger_*\"");
    let folder = Folder::new("pattern", &[("cell.toml", &pattern)]);
    assert_eq!(run(&folder.path("cell.toml")).status, 0);
    // The error had neither file nor line.
    let unknown = text.replace("\"finger_left\"", "\"thumb_*\"");
    let folder = Folder::new("unknown", &[("cell.toml", &unknown)]);
    let refused = run(&folder.path("cell.toml"));
    assert_eq!(refused.status, 2);
    let error = "cell.toml:15: body \"part\": the robot \"gantry\" has no link \"thumb_*\"";
    assert!(refused.stderr.contains(error), "{}", refused.stderr);
}

/// An arm of six joints on a spline of eight seconds, and a box on a belt on the same clock. A dense sampling of the
/// same formulas in another program finds the first overlap at 3.696, in steps of 0.008; the box that comes early is
/// never closer than 0.17.
#[test]
fn a_whole_cycle_beside_a_belt() {
    let run = |scene: &str, more: &[&str]| {
        let files = [
            "path",
            "cycle/six_axes.urdf",
            "cycle/cycle.csv",
            "--scene",
            scene,
            "--interpolation",
            "spline",
            "--json",
        ];
        firsttouch(&[&files, more].concat())
    };
    let early = run("cycle/early.toml", &[]);
    assert_eq!(early.status, 0, "{} {}", early.stdout, early.stderr);
    assert_eq!(run("cycle/early.toml", &["--padding", "0.17"]).status, 0);
    assert_eq!(run("cycle/early.toml", &["--padding", "0.18"]).status, 1);
    let late = run("cycle/late.toml", &[]);
    let json = late.json();
    let path = &json["paths"][0];
    assert_eq!((late.status, &path["segment"]), (1, &3.into()), "{json} {}", late.stderr);
    let time = path["time"].as_f64().unwrap();
    assert!(time > 3.68 && time <= 3.697, "{time}");
    assert_eq!(path["bodies"], serde_json::json!(["six_axes", "box"]));
    let threads = run("cycle/late.toml", &["--threads", "4"]);
    assert_eq!(threads.json()["paths"][0], *path);
}

/// The same cycle as one scene: the robot and the box on one clock. The answer is that of `path`, on the clock of the
/// scene.
#[test]
fn a_whole_cycle_as_a_scene() {
    let scene = firsttouch(&["check", "cycle/cell.toml", "--json"]);
    let path = firsttouch(&[
        "path",
        "cycle/six_axes.urdf",
        "cycle/cycle.csv",
        "--scene",
        "cycle/late.toml",
        "--interpolation",
        "spline",
        "--json",
    ]);
    let (json, path) = (scene.json(), path.json());
    assert_eq!(scene.status, 1, "{json} {}", scene.stderr);
    let [toi, time] = [&json["toi"], &path["paths"][0]["time"]].map(|t| t.as_f64().unwrap());
    assert!((toi - time).abs() < 1e-4, "{toi} {time}");
    assert!(toi <= 3.697, "{toi}");
    assert_eq!(json["bodies"], serde_json::json!(["arm", "box"]));
    assert_eq!(json["parts"][0], path["paths"][0]["parts"][0]);
    // All questions, and the motion as files.
    let folder = Folder::new("cell", &[]);
    let more = firsttouch(&[
        "check",
        "cycle/cell.toml",
        "--json",
        "--mode",
        "all",
        "--clearance",
        "--contacts",
        "--out",
        &folder.path("out"),
    ]);
    let json = more.json();
    assert_eq!(more.status, 1, "{}", more.stderr);
    assert_eq!(json["pairs"].as_array().unwrap().len(), 1, "{json}");
    let overlaps = json["pairs"][0]["overlaps"].as_array().unwrap();
    assert!(!overlaps.is_empty() && overlaps[0]["from"].as_f64().unwrap() <= 3.697, "{json}");
    assert!(json["clearance"]["upper"].as_f64().unwrap() <= 1e-6, "{json}");
    assert_eq!(json["contacts"][0]["bodies"], serde_json::json!(["arm", "box"]));
    assert!(folder.0.join("out/scene.glb").exists());
    let page = folder.path("cell.html");
    assert_eq!(firsttouch(&["view", "cycle/cell.toml", "--out", &page]).status, 0);
}

/// Polynomials by their coefficients, along a path and in a scene. The ball is at x = 3 t^2 and meets a post at 2.4:
/// its surface is 0.1 before the centre on both sides, so it touches at 2.2 = 3 t^2.
#[test]
fn polynomials() {
    let way = "duration,slide^0,slide^1,slide^2\n0.5,0,0,3\n1.5,0.75,3,3\n";
    let exact = (2.2_f64 / 3.0).sqrt();
    let found = asked("polynomials", way, &post(2.4, ""), &[]);
    touch_at(&found, 1, (exact - 0.5) / 1.5, Some(exact));
    let scene = format!(
        "duration = 4\n[[body]]\nname = \"r\"\nrobot = {{ urdf = \"r.urdf\" }}\npath = \"way.csv\"\n{}",
        post(2.4, "")
    );
    let folder = Folder::new("polynomials", &[("scene.toml", &scene)]);
    let found = firsttouch(&["check", &folder.path("scene.toml"), "--json"]);
    let toi = found.json()["toi"].as_f64().unwrap();
    assert!(toi <= exact && toi > exact - 1e-5, "{toi} {exact}");
    // An arm on polynomials of degree 5.
    let reach = firsttouch(&["path", "cycle/six_axes.urdf", "cycle/reach.csv", "--json"]);
    assert_eq!(reach.status, 0, "{} {}", reach.stdout, reach.stderr);
}

/// An error in a path of a scene names both files and both lines.
#[test]
fn paths_of_scenes_are_refused_with_their_places() {
    let robot = "[[body]]\nname = \"r\"\nrobot = { urdf = \"r.urdf\" }\n";
    let cases = [
        (
            "path = \"way.csv\"\n",
            "slide\n0\nx\n",
            "scene.toml:2: body \"r\": ",
            "way.csv:3: slide cannot be read as a number",
        ),
        (
            "path = \"way.csv\"\n",
            "time,slide\n0,0\n2,1\n",
            "scene.toml:2: body \"r\": ",
            "way.csv:2: the path takes the time from 0 to 2",
        ),
        (
            "path = \"way.csv\"\n",
            "slide\n0\n1\n\n1\n2\n",
            "scene.toml:2: ",
            "way.csv:5: a robot of a scene follows one path",
        ),
        (
            "path = \"way.csv\"\ninterpolation = \"cubic\"\n",
            "slide\n0\n1\n",
            "scene.toml:2: ",
            "way.csv:2: cubic interpolation needs columns",
        ),
        (
            "path = \"way.csv\"\ninterpolation = \"quick\"\n",
            "slide\n0\n1\n",
            "scene.toml:5: ",
            "interpolation must be",
        ),
        (
            "path = \"way.csv\"\nto = { slide = 1 }\n",
            "slide\n0\n1\n",
            "scene.toml:2: ",
            "`to` does not go with `path`",
        ),
        (
            "interpolation = \"linear\"\n",
            "slide\n0\n1\n",
            "scene.toml:4: ",
            "`interpolation` goes with `path`",
        ),
        (
            "path = \"way.csv\"\n",
            "duration,slide^12\n1,0\n",
            "scene.toml:2: ",
            "way.csv:1: \"slide^12\": the degree",
        ),
        (
            "path = \"way.csv\"\n",
            "slide^0\n1\n",
            "scene.toml:2: ",
            "way.csv:1: a file of polynomials needs a column called duration",
        ),
        (
            "path = \"way.csv\"\n",
            "duration,slide^0\n0,1\n",
            "scene.toml:2: ",
            "way.csv:2: the duration must be positive",
        ),
        (
            "path = \"way.csv\"\n",
            "duration,slide^0\n0.5,1\n0.5,2\n",
            "scene.toml:2: ",
            "way.csv:2: slide: gap between polynomials",
        ),
        (
            "path = \"way.csv\"\ninterpolation = \"spline\"\n",
            "duration,slide^0\n1,1\n",
            "scene.toml:2: ",
            "way.csv:2: the file gives polynomials",
        ),
    ];
    for (k, (keys, way, place, text)) in cases.into_iter().enumerate() {
        let scene = format!("{robot}{keys}");
        let files = [("r.urdf", RAIL), ("way.csv", way), ("scene.toml", &scene)];
        let folder = Folder::new(&format!("refused{k}"), &files);
        let run = firsttouch(&["check", &folder.path("scene.toml")]);
        assert_eq!(run.status, 2, "{k}: {}", run.stdout);
        assert!(run.stderr.contains(place) && run.stderr.contains(text), "{k}: {}", run.stderr);
    }
}

/// A shelf whose boards touch, and a ball that passes by. By default only pairs with a moving body are checked, the
/// answer gives the number of the other pairs, and `--resting` checks them. If the whole scene is at rest, all pairs
/// are checked.
#[test]
fn resting_scenery() {
    let board = |name: &str, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 1, 0.1] }}\npose = {{ xyz = [0, 0, {z}] }}\n"
        )
    };
    let ball = "[[body]]\nname = \"ball\"\nshape = { sphere = { radius = 0.1 } }\n\
                motion = { linear = { from = { xyz = [-2, 0, 1] }, to = { xyz = [2, 0, 1] } } }\n";
    let shelf = [board("low", 0.0), board("high", 0.1), board("far", -3.0)].concat();
    let folder = Folder::new("resting", &[("shelf.toml", &shelf), ("ball.toml", &(shelf.clone() + ball))]);
    let run =
        |file: &str, more: &[&str]| firsttouch(&[&["check", &folder.path(file), "--json"], more].concat());
    let free = run("ball.toml", &["--clearance"]);
    let json = free.json();
    assert_eq!((free.status, &json["left_out"]["resting_pairs"]), (0, &3.into()), "{json}");
    let lower = json["clearance"]["lower"].as_f64().unwrap();
    assert!(lower <= 0.75 && lower > 0.75 - 1e-5, "{json}");
    let text = firsttouch(&["check", &folder.path("ball.toml")]);
    assert!(
        text.stdout.contains("3 pairs of bodies that both rest; --resting checks them"),
        "{}",
        text.stdout
    );
    let all = run("ball.toml", &["--resting"]);
    assert_eq!((all.status, &all.json()["answer"]), (1, &"touching_at_start".into()));
    assert!(all.json().get("left_out").is_none());
    // A pair with its own separation counts as requested: the boards are 2.9 apart.
    let pair = "[[pair]]\nbodies = [\"low\", \"far\"]\nmin_separation = 5\n";
    std::fs::write(folder.path("pair.toml"), shelf.clone() + ball + pair).unwrap();
    let asked = run("pair.toml", &[]);
    assert_eq!((asked.status, &asked.json()["answer"]), (1, &"touching_at_start".into()), "{}", asked.stdout);
    let bodies = asked.json()["bodies"].to_string();
    assert!(bodies.contains("low") && bodies.contains("far"), "{bodies}");
    assert_eq!(asked.json()["left_out"]["resting_pairs"], 2);
    let still = run("shelf.toml", &[]);
    assert_eq!((still.status, &still.json()["answer"]), (1, &"touching_at_start".into()));
    assert!(still.json().get("left_out").is_none());
}

/// All queries along a spline, as along lines: by hand, the ball turns back at x = 1, 0.2 before the post at 1.4
/// touches it.
#[test]
fn questions_along_smooth_courses() {
    let way = "time,slide,slide/velocity\n0,0,0\n1,1,0\n2,0,0\n";
    let two = post(1.4, "") + &post(0.7, "").replace("\"post\"", "\"near\"");
    let course = ["--interpolation", "cubic"];
    let free = asked("smooth", way, &post(1.4, ""), &[&course[..], &["--clearance"]].concat());
    let clearance = &free.json()["paths"][0]["clearance"];
    let [lower, upper] = ["lower", "upper"].map(|key| clearance[key].as_f64().unwrap());
    assert!(free.status == 0 && lower <= 0.2 && upper >= 0.2 - 1e-12 && upper - lower <= 1e-6, "{clearance}");
    // Padding keeps the post away and leaves the distance as it is; the contact is the padded one.
    let padded = ["--padding", "0.25", "--clearance", "--contacts"];
    let touch = asked("smooth", way, &post(1.4, ""), &[&course[..], &padded].concat());
    let path = touch.json()["paths"][0].clone();
    assert_eq!((touch.status, &path["segment"]), (1, &0.into()), "{path}");
    assert!((path["clearance"]["upper"].as_f64().unwrap() - 0.2).abs() < 1e-5, "{path}");
    assert_eq!(path["contacts"].as_array().unwrap().len(), 1, "{path}");
    // Each pair has its first touch. A ball at 0.5 on a cubic that rests at both ends is there at half of its time.
    let all = asked("smooth_pairs", way, &two, &[&course[..], &["--mode", "all"]].concat());
    let path = all.json()["paths"][0].clone();
    let pairs = path["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "{path}");
    assert_eq!(pairs[0]["bodies"], serde_json::json!(["r", "near"]));
    let toi = pairs[0]["toi"].as_f64().unwrap();
    assert!(toi <= 0.5 && toi > 0.5 - 1e-5 && pairs[0]["segment"] == 0, "{path}");
    let lines = asked("pairs", "slide\n0\n2\n", &two, &["--mode", "all"]);
    let pairs = lines.json()["paths"][0]["pairs"].clone();
    let found: Vec<(String, f64)> = pairs
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["bodies"][1].as_str().unwrap().into(), pair["toi"].as_f64().unwrap()))
        .collect();
    assert_eq!(found.len(), 2, "{pairs}");
    for ((name, toi), (expected, exact)) in found.iter().zip([("post", 0.6), ("near", 0.25)]) {
        assert!(name == expected && *toi <= exact && *toi > exact - 1e-5, "{pairs}");
    }
    let folder = Folder::new("smooth_out", &[("r.urdf", RAIL), ("way.csv", way), ("scene.toml", &two)]);
    let out = folder.path("out");
    assert_eq!(folder.run(&[&course[..], &["--out", &out]].concat()).status, 1);
    assert!(folder.0.join("out/path0.glb").exists());
}

/// A robot that is checked with proofs from earlier segments has the same answer as one that is checked without them.
#[test]
fn an_adaptive_robot_on_a_path() {
    let adaptive = firsttouch(&["check", "adaptive.toml", "--json"]);
    let testdata = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes");
    let text = std::fs::read_to_string(format!("{testdata}/adaptive.toml")).unwrap();
    let plain = text.replace("adaptive = true", "").replace("cycle/", &format!("{testdata}/cycle/"));
    let folder = Folder::new("plain", &[("plain.toml", &plain)]);
    let plain = firsttouch(&["check", &folder.path("plain.toml"), "--json"]);
    assert_eq!(adaptive.status, plain.status, "{} {}", adaptive.stdout, adaptive.stderr);
    assert!(adaptive.status < 2, "{}", adaptive.stderr);
    let (adaptive, plain) = (adaptive.json(), plain.json());
    for key in ["answer", "bodies", "parts"] {
        assert_eq!(adaptive[key], plain[key], "{key}");
    }
    if let [Some(a), Some(b)] = [&adaptive, &plain].map(|json| json["toi"].as_f64()) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
    assert_eq!(adaptive["stats"]["pairs"], plain["stats"]["pairs"]);
}
