//! Robots from MJCF files.

use firsttouch::articulated::{Robot, RobotMotion};
use firsttouch::motion::{Pose, RigidMotion};
use firsttouch_io::{
    Files, JointKind, ShapeFile, SrdfFile, build_robot, parse_mjcf, read_mjcf, read_robot_meshes,
};
use glam::DVec3;
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/robots").join(name)
}

fn model(content: &str) -> String {
    format!("<mujoco>\n{content}\n</mujoco>")
}

fn robot(content: &str) -> Robot {
    let file = parse_mjcf(model(content).as_bytes(), "m.xml").unwrap();
    build_robot(&file, &read_robot_meshes(&file).unwrap(), &SrdfFile::default()).unwrap()
}

fn refused(content: &str) -> String {
    parse_mjcf(model(content).as_bytes(), "m.xml").unwrap_err().to_string()
}

/// Returns the place of the first part of a link.
fn place(robot: &Robot, link: &str, q: &[f64]) -> DVec3 {
    let motion = RobotMotion::new(robot, Pose::IDENTITY, q, q).unwrap();
    motion.part(robot.link(link).unwrap(), 0).pose_at(0.0).translation
}

/// The model with everything in it: an include, classes, all kinds of joints and geoms. `tests/mjcf/compare.py`
/// compares its poses with MuJoCo's; the largest difference over 200 configurations is 2e-15.
#[test]
fn everything() {
    let file = read_mjcf(&testdata("arm.xml")).unwrap();
    let kinds: Vec<(&str, JointKind)> =
        file.joints.iter().map(|joint| (&joint.name[..], joint.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("worldbody_fixed", JointKind::Fixed),
            ("pan", JointKind::Continuous),
            ("tilt", JointKind::Revolute),
            ("roll", JointKind::Continuous),
            ("base_fixed", JointKind::Fixed),
            ("upper_mounted", JointKind::Fixed),
            ("shoulder", JointKind::Ball),
            ("elbow", JointKind::Revolute),
            ("stretch", JointKind::Prismatic),
            ("wrist", JointKind::Revolute),
            ("finger_fixed", JointKind::Fixed),
            ("puck", JointKind::Floating),
        ]
    );
    let limits = file.joint("elbow").unwrap().limits.unwrap();
    assert!((limits.upper - 120.0_f64.to_radians()).abs() < 1e-15);
    // The size of the class, with the radius of the geom.
    let finger = &file.link("finger").unwrap().collisions[0];
    assert_eq!(finger.geometry, ShapeFile::Box { sides: DVec3::new(0.02, 0.04, 0.04) });
    // A picture takes no part in contacts. The hand has four geoms.
    assert_eq!(file.link("upper").unwrap().collisions.len(), 1);
    assert_eq!(file.link("hand").unwrap().collisions.len(), 4);
    assert!(matches!(file.link("hand").unwrap().collisions[2].geometry, ShapeFile::Hull { .. }));
    assert!((file.zero["elbow"] - 15.0_f64.to_radians()).abs() < 1e-15);
    assert_eq!((file.zero["stretch"], file.zero["puck/trans_x"], file.zero["puck/rot_y"]), (0.05, 0.5, -0.5));
    // Welded, carried, and excluded.
    for pair in [["hand", "finger"], ["lower", "finger"], ["upper", "puck"], ["worldbody", "base"]] {
        assert!(file.allowed.iter().any(|allowed| *allowed == pair), "{pair:?}");
    }
    let (robot, _) = Files::default().read_robot(&testdata("arm.xml"), None).unwrap();
    let link = |name: &str| robot.link(name).unwrap();
    // Bodies that hang on the world are checked against the world.
    assert!(
        !robot.is_allowed(link("worldbody"), link("upper"))
            && !robot.is_allowed(link("worldbody"), link("puck"))
    );
    // As in MuJoCo, a body that turns on a part that is fixed to the world is checked against that part.
    assert!(!robot.is_allowed(link("base"), link("upper")) && robot.is_allowed(link("upper"), link("lower")));
    assert_eq!(robot.links()[link("hand")].parts().len(), 4);
    let names: Vec<&str> = robot.variables().iter().map(|variable| &variable.name[..]).collect();
    assert!(names.contains(&"shoulder/rot_w") && names.contains(&"puck/trans_z"), "{names:?}");
    assert!(place(&robot, "puck", &robot.zero()).distance(DVec3::new(0.5, 0.51, 0.2)) < 0.02);
}

/// By hand: a hinge at a point, with a reference angle, then a slide in the turned frame.
#[test]
fn joints_in_order() {
    let text = r#"<compiler angle="radian"/><worldbody><body name="b" pos="1 0 0">
        <joint name="turn" axis="0 0 2" pos="0 1 0" ref="0.5"/>
        <joint name="slide" type="slide" axis="1 0 0"/>
        <geom size="0.1"/>
    </body></worldbody>"#;
    let robot = robot(text);
    // At the reference nothing has moved.
    assert_eq!(robot.zero(), [0.5, 0.0]);
    assert!(place(&robot, "b", &[0.5, 0.0]).distance(DVec3::X) < 1e-15);
    // A quarter turn about (1, 1, 0) takes the origin of the body to (2, 1, 0); the slide then goes along y.
    let quarter = std::f64::consts::FRAC_PI_2;
    assert!(place(&robot, "b", &[0.5 + quarter, 0.0]).distance(DVec3::new(2.0, 1.0, 0.0)) < 1e-15);
    assert!(place(&robot, "b", &[0.5 + quarter, 0.25]).distance(DVec3::new(2.0, 1.25, 0.0)) < 1e-15);
}

#[test]
fn contacts_by_bits() {
    let robot = robot(
        r#"<worldbody>
        <body name="a"><joint/><geom size="1" contype="1" conaffinity="2"/></body>
        <body name="b"><joint/><geom size="1" contype="4" conaffinity="8"/></body>
        <body name="c"><joint/><geom size="1" contype="8" conaffinity="1"/></body>
        <body name="d"><joint/><geom size="1" contype="0" conaffinity="0"/></body>
        <body><joint/><geom name="e" size="1" contype="0" conaffinity="0"/></body>
        </worldbody><contact><pair geom1="e" geom2="e"/></contact>"#,
    );
    let is_allowed = |a: &str, b: &str| robot.is_allowed(robot.link(a).unwrap(), robot.link(b).unwrap());
    assert!(is_allowed("a", "b") && !is_allowed("a", "c") && !is_allowed("b", "c"));
    assert!(robot.links()[robot.link("d").unwrap()].parts().is_empty());
    // A geom that a pair names is a separate link.
    assert_eq!(robot.links()[robot.link("body5/e").unwrap()].parts().len(), 1);
    assert!(robot.links()[robot.link("body5").unwrap()].parts().is_empty());
}

/// Bad input: the problem, and the line.
#[test]
fn what_is_wrong_is_said_with_its_line() {
    let world = |content: &str| refused(&format!("<worldbody>\n{content}\n</worldbody>"));
    let cases = [
        (world("<geom size=\"x\"/>"), "m.xml:3: geom size cannot be read as a number: \"x\""),
        (world("<geom size=\"-1\"/>"), "m.xml:3: the size of a sphere must be positive"),
        (world("<geom type=\"box\" size=\"1 2\"/>"), "m.xml:3: a box needs 3 numbers as size, but has 2"),
        (world("<geom type=\"torus\" size=\"1\"/>"), "m.xml:3: \"torus\" is not a type of geom"),
        (world("<geom type=\"mesh\" mesh=\"m\"/>"), "m.xml:3: there is no mesh \"m\""),
        (world("<geom size=\"1\" class=\"k\"/>"), "m.xml:3: there is no class \"k\""),
        (world("<geom size=\"1\" quat=\"0 0 0 0\"/>"), "m.xml:3: quat is zero"),
        (world("<geom size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"), "one orientation is enough"),
        (world("<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>"), "m.xml:3: the ends of fromto"),
        (world("<geom size=\"1\" contype=\"a\"/>"), "m.xml:3: geom contype is not an integer"),
        (world("<geom type=\"hfield\"/>"), "m.xml:3: a geom of type hfield needs hfield"),
        (world("<geom type=\"hfield\" hfield=\"h\"/>"), "m.xml:3: there is no height field \"h\""),
        (world("<geom type=\"plane\" size=\"a\"/>"), "m.xml:3: geom size cannot be read as a number"),
        (
            world("<body>\n<joint/>\n<geom type=\"plane\" size=\"1 1 1\"/></body>"),
            "m.xml:5: a plane belongs to the world or to a body that is fixed to it, not to one that moves",
        ),
        (
            world("<body><joint/><body>\n<geom type=\"hfield\" hfield=\"h\"/></body></body>"),
            "m.xml:4: a height field belongs to the world",
        ),
        (
            world("<composite/>"),
            "m.xml:3: not supported: <composite> in <worldbody>: it may contain geometry",
        ),
        (world("<body><joint type=\"screw\"/></body>"), "m.xml:3: \"screw\" is not a type of joint"),
        (world("<body><joint axis=\"0 0 0\"/></body>"), "m.xml:3: the axis of a joint is zero"),
        (world("<body><joint range=\"2 1\"/></body>"), "m.xml:3: the lower limit"),
        (world("<body>\n<body><freejoint/></body></body>"), "m.xml:4: a free joint must be the only one"),
        (world("<body name=\"a\"/>\n<body name=\"a\"/>"), "a second body called \"a\""),
        (world("<body childclass=\"k\"/>"), "m.xml:3: there is no class \"k\""),
        (
            world("<frame pos=\"1e308 0 0\"><body pos=\"1e308 0 0\"/></frame>"),
            "m.xml:3: the pose that results here",
        ),
        (refused("<compiler angle=\"grad\"/>"), "m.xml:2: compiler angle is degree or radian"),
        (refused("<compiler eulerseq=\"xyw\"/>"), "m.xml:2: eulerseq has three letters"),
        (refused("<compiler coordinate=\"global\"/>"), "m.xml:2: not supported: global coordinates"),
        (refused("<default><default/></default>"), "m.xml:2: a nested <default> needs class"),
        (refused("<asset><mesh vertex=\"0 0 0\"/></asset>"), "m.xml:2: not supported: a mesh without a file"),
        (refused("<contact><exclude body1=\"a\" body2=\"b\"/></contact>"), "m.xml:2: there is no body \"a\""),
        (refused("<include file=\"other.xml\"/>"), "m.xml:2: "),
        (
            parse_mjcf(b"<mujoco>", "m.xml").unwrap_err().to_string(),
            "m.xml:1: the file ends in the middle of <mujoco>",
        ),
        (parse_mjcf(b"<robot/>", "m.xml").unwrap_err().to_string(), "m.xml:1: the root element is <robot>"),
    ];
    for (error, expected) in cases {
        assert!(error.contains(expected), "{error}\n{expected}");
    }
    let deep = "<body>".repeat(300) + &"</body>".repeat(300);
    assert!(world(&deep).contains("nested more than 200 deep"));
}

/// An error in an included file names that file; a file is included once.
#[test]
fn includes() {
    let folder = std::env::temp_dir().join(format!("firsttouch-mjcf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("main.xml", "<mujoco>\n<include file=\"part.xml\"/>\n</mujoco>");
    write("part.xml", "<mujocoinclude>\n<worldbody>\n<geom size=\"0\"/></worldbody></mujocoinclude>");
    let error = read_mjcf(&folder.join("main.xml")).unwrap_err();
    assert!(error.file.ends_with("part.xml") && error.line() == Some(3), "{error}");
    write("part.xml", "<mujoco><include file=\"part.xml\"/></mujoco>");
    let error = read_mjcf(&folder.join("main.xml")).unwrap_err().to_string();
    assert!(error.contains("\"part.xml\" is included twice"), "{error}");
    write("main.xml", "<mujoco>\n<include file=\"none.xml\"/>\n</mujoco>");
    let error = read_mjcf(&folder.join("main.xml")).unwrap_err();
    assert_eq!((error.line(), error.code()), (Some(2), "not_found"));
    std::fs::remove_dir_all(&folder).unwrap();
}
