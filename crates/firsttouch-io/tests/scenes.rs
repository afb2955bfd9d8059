//! Scene files: every key once, and every way to get one wrong.

use firsttouch::Start;
use firsttouch_io::{AttachFile, BodyKind, MotionFile, Pose, ShapeFile, parse_scene, read_scene};
use glam::{DMat3, DQuat, DVec3};
use std::path::{Path, PathBuf};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { xyz: DVec3::new(x, y, z), quat: DQuat::IDENTITY }
}

#[test]
fn everything() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scene");
    let scene = read_scene(&folder.join("everything.toml")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((scene.tolerance, scene.min_separation, scene.t_max), (Some(1e-6), Some(0.0), Some(0.5)));
    assert_eq!(scene.allow, [["cloth", "shelf"]]);
    let body = |name: &str| &scene.bodies.iter().find(|b| b.name == name).unwrap().kind;
    let fixed = |shape, pose| BodyKind::Rigid { shape, motion: MotionFile::Fixed(pose) };
    let moving = |shape, motion| BodyKind::Rigid { shape, motion };

    assert_eq!(scene.bodies[0].line, 8);
    let sides = DVec3::new(1.2, 1.0, 0.04);
    assert_eq!(body("shelf"), &fixed(ShapeFile::Box { sides }, at(0.5, -1.0, 0.2)));
    assert_eq!(body("ball"), &fixed(ShapeFile::Sphere { radius: 0.1 }, Pose::IDENTITY));
    let cylinder = ShapeFile::Cylinder { radius: 0.03, length: 0.14 };
    assert_eq!(body("can"), &fixed(cylinder, at(1.0, 2.0, 3.0)));
    let egg = ShapeFile::Ellipsoid { semi_axes: DVec3::new(1.0, 2.0, 3.0) };
    assert_eq!(body("egg"), &fixed(egg, at(9.0, 0.0, 0.0)));

    let teapot = ShapeFile::Mesh { path: folder.join("teapot.obj"), scale: DVec3::splat(0.1) };
    let turned = Pose { xyz: DVec3::X, quat: DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0) };
    assert_eq!(body("teapot"), &moving(teapot, MotionFile::Linear { from: Pose::IDENTITY, to: turned }));
    let pot = ShapeFile::Hull { path: folder.join("meshes/teapot.obj"), scale: DVec3::new(1.0, -1.0, 2.5) };
    let to = Pose { xyz: DVec3::X, quat: DQuat::from_rotation_z(1.5) };
    assert_eq!(body("pot"), &moving(pot, MotionFile::Screw { from: Pose::IDENTITY, to }));
    let lid = ShapeFile::Hull { path: PathBuf::from("/meshes/lid.obj"), scale: DVec3::ONE };
    let screw = MotionFile::ContactScrew { from: Pose::IDENTITY, to: at(1.0, 0.0, 0.0) };
    assert_eq!(body("lid"), &moving(lid, screw));

    let round = ShapeFile::Ellipsoid { semi_axes: DVec3::ONE };
    let rational = MotionFile::Rational {
        quat: vec![[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
        xyz: vec![DVec3::ZERO, DVec3::X, DVec3::NEG_Z],
        weight: vec![1.0, 1.0],
    };
    assert_eq!(body("comet"), &moving(round.clone(), rational));
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let affine = MotionFile::Affine {
        linear: vec![identity, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
        xyz: vec![DVec3::ZERO],
        weight: vec![1.0],
    };
    assert_eq!(body("drop"), &moving(round, affine));

    let frames = BodyKind::Deformable { from: folder.join("cloth0.ply"), to: folder.join("cloth1.ply") };
    assert_eq!(body("cloth"), &frames);
    let arm = BodyKind::Robot {
        urdf: folder.join("arm.urdf"),
        srdf: Some(folder.join("arm.srdf")),
        cover: None,
        base: at(0.0, 0.0, 1.0),
        from: [("joint1".to_string(), 0.0), ("joint4".to_string(), -1.5)].into(),
        to: [("joint1".to_string(), 1.0)].into(),
        path: None,
    };
    assert_eq!(body("arm"), &arm);
    let attach = AttachFile {
        robot: "arm".into(),
        link: "hand".into(),
        pose: at(0.0, 0.0, 0.1),
        touch_links: vec!["left finger".into()],
        held: None,
    };
    let shape = ShapeFile::Box { sides: DVec3::new(0.05, 0.05, 0.2) };
    assert_eq!(body("part"), &BodyKind::Attached { shape, attach });
}

/// Roll, pitch and yaw as URDF means them: R = Rz(yaw) Ry(pitch) Rx(roll).
#[test]
fn rpy_is_that_of_urdf() {
    let text = "[[body]]\nname = \"a\"\nshape = { box = [1, 1, 1] }\npose = { rpy = [0.1, 0.2, 0.3] }\n";
    let scene = parse_scene(text, "a.toml").unwrap();
    let BodyKind::Rigid { motion: MotionFile::Fixed(pose), .. } = &scene.bodies[0].kind else { panic!() };
    let expected = DMat3::from_rotation_z(0.3) * DMat3::from_rotation_y(0.2) * DMat3::from_rotation_x(0.1);
    assert!(DMat3::from_quat(pose.quat).abs_diff_eq(expected, 1e-15));
}

#[test]
fn errors() {
    let check = |text: &str, expected: &str| {
        let error = parse_scene(text, "a.toml").expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    // The rest of a body whose name stands in line 2, and whose shape, pose, motion ... stand in line 3.
    let body = |rest: &str, expected: &str| check(&format!("[[body]]\nname = \"a\"\n{rest}\n"), expected);
    let moved = |pose: &str, expected: &str| {
        body(&format!("pose = {pose}\nshape = {{ box = [1, 1, 1] }}"), expected);
    };

    check("tolerance = ", "a.toml:1: string values must be quoted, expected literal string");
    check("tolerance = 0.0", "a.toml:1: tolerance must be positive, but is 0");
    check("\ntolerance = nan", "a.toml:2: tolerance is not a finite number: NaN");
    check("min_separation = -1", "a.toml:1: min_separation must be zero or more, but is -1");
    check("t_max = 2", "a.toml:1: t_max must be in (0, 1], but is 2");
    check(
        "\n\ntolerence = 1",
        "a.toml:3: unknown field `tolerence`, expected one of `tolerance`, `min_separation`, `t_max`, `duration`, `start`, `allow`, `pair`, `body`; did you mean \"tolerance\"?",
    );
    check("allow = [[\"a\"]]", "a.toml:1: expected 2 names, found 1");
    let pair = |rest: &str| format!("[[pair]]\nbodies = [\"a\", \"b\"]\n{rest}");
    check(&pair(""), "a.toml:1: a pair needs \"min_separation\" or \"method\"");
    check(&pair("method = \"CONTACT\""), "a.toml:1: method must be \"contact\", but is \"CONTACT\"");
    check(&pair("min_separation = -1"), "a.toml:1: min_separation must be zero or more, but is -1");
    check("allow = [\n[\"a\", \"b\"]]", "a.toml:2: allow: there is no body called \"a\"");
    check("[[body]]\nshape = { box = [1, 1, 1] }", "a.toml:1: a body needs a name");
    check("[[body]]\nname = \"\"", "a.toml:2: a body needs a name");
    let twice = "[[body]]\nname = \"a\"\nshape = { box = [1, 1, 1] }\n".repeat(2);
    check(&twice, "a.toml:5: a second body called \"a\"; the first is in line 2");

    body("", "a.toml:2: \"a\" needs a shape, deformable or robot");
    body(
        "shape = { box = [1, 1, 1] }\ndeformable = { from = \"a\", to = \"b\" }",
        "a.toml:2: \"a\" has both `shape` and `deformable`: give one",
    );
    body("deformable = { from = \"a\", to = \"\" }", "a.toml:3: to is an empty path");
    body(
        "deformable = { from = \"a\", to = \"b\" }\npose = {}",
        "a.toml:2: \"a\": `pose` does not go with `deformable`",
    );
    body("robot = { urdf = \"a\" }\nfrom = { j = inf }", "a.toml:4: joint \"j\" is not a finite number: inf");
    body("robot = { urdf = \"a\" }\nmotion = {}", "a.toml:2: \"a\": `motion` does not go with `robot`");
    body("robot = { srdf = \"a\" }", "a.toml:3: a robot needs either `urdf` or `mjcf`");

    let list = "box, sphere, capsule, cylinder, cone, ellipsoid, half_space, mesh, hull, compound, ellipsoids, points, octree or height_field";
    body("shape = {}", &format!("a.toml:3: a shape is exactly one of {list}"));
    body("shape = { mesh = \"a\", hull = \"b\" }", &format!("a.toml:3: a shape is exactly one of {list}"));
    body("shape = { box = [1, 1] }", "a.toml:3: expected 3 numbers, found 2");
    body("shape = { box = [1, 1, 1, 1] }", "a.toml:3: expected 3 numbers, found 4");
    body("shape = { box = [1, 1, -1] }", "a.toml:3: box side must be positive, but is -1");
    body("shape = { box = [1, 1, \"1\"] }", "a.toml:3: invalid type: string \"1\", expected f64");
    body(
        "shape = { sphere = { radus = 1 } }",
        "a.toml:3: unknown field `radus`, expected `radius`; did you mean \"radius\"?",
    );
    body("shape = { sphere = { radius = 0 } }", "a.toml:3: sphere radius must be positive, but is 0");
    body("shape = { cylinder = { radius = 1 } }", "a.toml:3: missing field `length`");
    body(
        "shape = { capsule = { radius = 1, length = inf } }",
        "a.toml:3: capsule length is not a finite number: inf",
    );
    body("shape = { mesh = \"a\", scale = 0 }", "a.toml:3: scale must be other than zero, but is 0");
    body("shape = { mesh = \"a\", scale = [1, 2] }", "a.toml:3: expected 3 numbers, found 2");
    body(
        "shape = { mesh = \"a\", scale = \"1\" }",
        "a.toml:3: invalid type: string \"1\", expected a number or 3 numbers",
    );
    body("shape = { box = [1, 1, 1], scale = 2 }", "a.toml:3: scale goes with mesh, hull or points only");

    moved("{ quat = [0, 0, 0, 0] }", "a.toml:3: quat is zero, which is not a rotation");
    moved("{ quat = [1e300, 0, 0, 0] }", "a.toml:3: quat is too large or too small to be normalised");
    moved("{ quat = [1, 0, 0] }", "a.toml:3: expected 4 numbers, found 3");
    moved("{ xyz = [1, 0, nan] }", "a.toml:3: xyz is not a finite number: NaN");
    moved("{ rpy = [1, 0, -inf] }", "a.toml:3: rpy is not a finite number: -inf");
    moved("{ quat = [1, 0, 0, 0], rpy = [0, 0, 0] }", "a.toml:3: a pose has quat or rpy, not both");
    moved(
        "{ xzy = [1, 0, 0] }",
        "a.toml:3: unknown field `xzy`, expected one of `xyz`, `quat`, `rpy`, `rpy_deg`; did you mean \"xyz\"?",
    );

    let motion = |motion: &str, expected: &str| {
        body(&format!("motion = {motion}\nshape = {{ box = [1, 1, 1] }}"), expected);
    };
    let list = "fixed, linear, screw, contact_screw, turn, path, spline, rational, affine or interpolant";
    motion("{}", &format!("a.toml:3: a motion is exactly one of {list}"));
    motion(
        "{ fixed = {}, screw = { from = {}, to = {} } }",
        &format!("a.toml:3: a motion is exactly one of {list}"),
    );
    motion("{ linear = { from = {} } }", "a.toml:3: missing field `to`");
    motion("{ rational = { quat = [] } }", "a.toml:3: quat has no coefficients");
    motion("{ rational = { quat = [[0, 0, 0, 0]] } }", "a.toml:3: quat is zero at all times");
    motion("{ rational = { weight = [0, 0] } }", "a.toml:3: weight is zero at all times");
    motion("{ rational = { xyz = [[1, 2, inf]] } }", "a.toml:3: xyz is not a finite number: inf");
    motion("{ affine = { linear = [[1, 2, 3]] } }", "a.toml:3: expected 9 numbers, found 3");
    motion("{ fixed = {} }\npose = {}", "a.toml:2: \"a\": `pose` does not go with `motion`");

    let held = |attach: &str, expected: &str| {
        body(&format!("shape = {{ box = [1, 1, 1] }}\nattach = {attach}"), expected);
    };
    held("{ link = \"b\" }", "a.toml:4: missing field `robot`");
    held(
        "{ robot = \"b\", link = \"l\" }",
        "a.toml:2: \"a\" is attached to \"b\", which is not a robot of this scene",
    );
    held(
        "{ robot = \"a\", link = \"l\" }",
        "a.toml:2: \"a\" is attached to \"a\", which is not a robot of this scene",
    );
    held("{ robot = \"b\", link = \"l\" }\npose = {}", "a.toml:2: \"a\": `pose` does not go with `attach`");
}

#[test]
fn contacts_at_the_start() {
    let parse = |line: &str| {
        parse_scene(
            &format!("{line}\n[[body]]\nname = \"a\"\nshape = {{ box = [1, 1, 1] }}\n"),
            Path::new("s.toml"),
        )
    };
    assert_eq!(parse("").unwrap().options().start, Start::Report);
    assert_eq!(parse("start = \"report\"").unwrap().start, Some(Start::Report));
    assert_eq!(parse("start = \"ignore\"").unwrap().options().start, Start::Ignore);
    let error = parse("start = \"skip\"").unwrap_err().to_string();
    assert!(error.contains("s.toml:1: start must be \"report\" or \"ignore\", but is \"skip\""), "{error}");
}

/// A pair asks for CONTACT. If CONTACT cannot decide the pair, the scene is refused, when it is built or when it is
/// checked.
#[test]
fn a_pair_by_contact() {
    let folder = std::env::temp_dir().join(format!("firsttouch-by-contact-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let scene = |motion: &str, shape: &str, rest: &str| {
        let text = format!(
            "[[body]]\nname = \"flying\"\nshape = {{ mesh = \"t.obj\" }}\n\
             motion = {{ {motion} = {{ from = {{ xyz = [0, 0, 2] }}, to = {{ xyz = [0, 0, -2] }} }} }}\n\
             [[body]]\nname = \"resting\"\nshape = {shape}\n\
             [[pair]]\nbodies = [\"resting\", \"flying\"]\nmethod = \"contact\"\n{rest}"
        );
        let file = parse_scene(&text, folder.join("scene.toml")).unwrap();
        assert!(file.pairs[0].by_contact);
        firsttouch_io::build_scene(&file, folder.join("scene.toml"))
    };
    let mesh = "{ mesh = \"t.obj\" }";
    let options = firsttouch::Options::default();
    let report = scene("contact_screw", mesh, "").unwrap().check(&options).unwrap();
    let toi = report.answer.touch().unwrap().toi;
    assert!(toi <= 0.5 && toi > 0.5 - 1e-6 && report.stats.contact.total() > 0, "{toi}");
    // With its own separation, a quarter of the way less.
    let report = scene("contact_screw", mesh, "min_separation = 1").unwrap().check(&options).unwrap();
    let toi = report.answer.touch().unwrap().toi;
    assert!(toi <= 0.25 && toi > 0.25 - 1e-6 && report.stats.contact.total() > 0, "{toi}");
    let refused = scene("contact_screw", "{ box = [1, 1, 1] }", "").unwrap_err().to_string();
    assert!(refused.contains("scene.toml: pair: ") && refused.contains("\"resting\" (box)"), "{refused}");
    let refused = scene("linear", mesh, "").unwrap().check(&options).unwrap_err().to_string();
    assert!(refused.contains("\"flying\" (linear)"), "{refused}");
    std::fs::remove_dir_all(&folder).unwrap();
}
