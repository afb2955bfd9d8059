//! Planes and height fields of MJCF files: the ground that robots stand on.

use firsttouch::articulated::Checker;
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{HalfSpace, HeightField};
use firsttouch::{Answer, Body, Options};
use firsttouch_io::{
    Files, RobotFile, ShapeFile, build_robot, build_scene, parse_mjcf, parse_scene, read_mjcf, read_robot,
    read_robot_meshes,
};
use glam::{DQuat, DVec2, DVec3};
use std::path::{Path, PathBuf};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// Returns a robot among the bodies around it in its file, and other obstacles.
fn checker(file: &RobotFile, obstacles: Vec<Body>) -> Checker {
    let (robot, scenery, _) = Files::default().robot_and_scenery(file, None).unwrap();
    let mut checker = Checker::new(robot, Pose::IDENTITY, obstacles).unwrap();
    for standing in scenery {
        checker.add_obstacle(standing.body(&standing.name, Pose::IDENTITY).unwrap()).unwrap();
        standing.allowed.iter().for_each(|link| checker.allow(link, &standing.name).unwrap());
    }
    checker
}

fn model(content: &str) -> RobotFile {
    parse_mjcf(format!("<mujoco>{content}</mujoco>").as_bytes(), "m.xml").unwrap()
}

/// Returns a body with this geom that slides along x, y and z and turns.
fn mover(geom: &str) -> String {
    format!(
        r#"<body name="mover"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
        <joint name="z" type="slide" axis="0 0 1"/><joint name="turn" axis="1 2 3"/>{geom}</body>"#
    )
}

struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns the times of the first touch in both, which agree; `None` if both are free.
fn same_answer(a: &Checker, b: &Checker, from: &[f64], to: &[f64]) -> Option<f64> {
    let [a, b] = [a, b].map(|checker| checker.check_step(from, to, &Options::default()).unwrap().answer);
    match (&a, &b) {
        (Answer::Free, Answer::Free) => None,
        (Answer::Touch(x), Answer::Touch(y)) => {
            assert!((x.toi - y.toi).abs() < 1e-4, "{a:?} {b:?}");
            Some(x.toi)
        }
        (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => Some(0.0),
        _ => panic!("{a:?} {b:?}"),
    }
}

/// A plane anywhere in the world is the half-space below it.
#[test]
fn a_plane_is_a_half_space() {
    let geom = r#"<geom type="box" size="0.1 0.2 0.3"/>"#;
    let mut random = Random(3);
    let (mut touched, mut free) = (0, 0);
    for _ in 0..20 {
        let place = DVec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0)));
        let [x, y, z, w] = [(); 4].map(|()| random.between(-1.0, 1.0));
        let turn = DQuat::from_xyzw(x, y, z, w).normalize();
        // In a body that is fixed to the world, with half of the place in the geom.
        let half = 0.5 * place;
        let inner = turn.inverse() * half;
        let plane = format!(
            r#"<body pos="{} {} {}" quat="{w} {x} {y} {z}"><geom name="ground" type="plane" size="0 0 1" pos="{} {} {}"/></body>"#,
            half.x, half.y, half.z, inner.x, inner.y, inner.z
        );
        let with = checker(&model(&format!("<worldbody>{plane}{}</worldbody>", mover(geom))), vec![]);
        let normal = turn * DVec3::Z;
        let ground = HalfSpace::new(normal, normal.dot(place)).unwrap();
        let ground = Body::new("ground", ground, Motion::AT_REST);
        let without = checker(&model(&format!("<worldbody>{}</worldbody>", mover(geom))), vec![ground]);
        for _ in 0..20 {
            let [from, to] = [(); 2].map(|()| [(); 4].map(|()| random.between(-2.0, 2.0)));
            match same_answer(&with, &without, &from, &to) {
                Some(toi) if toi > 0.0 => touched += 1,
                Some(_) => {}
                None => free += 1,
            }
        }
    }
    assert!(touched > 60 && free > 60, "{touched} {free}");
}

/// A body from above touches the surface of a height field, which is the library's own.
#[test]
fn a_height_field_is_a_height_field() {
    let mut random = Random(5);
    let (mut touched, mut free) = (0, 0);
    let (columns, rows, radius, height) = (4, 5, DVec2::new(1.0, 1.5), 0.8);
    for _ in 0..20 {
        // From the highest y to the lowest, as in the file.
        let elevation: Vec<f64> = (0..columns * rows).map(|_| random.between(-3.0, 7.0)).collect();
        let written: Vec<String> = elevation.iter().map(f64::to_string).collect();
        let [low, high] =
            [f64::min, f64::max].map(|choose| elevation.iter().copied().reduce(choose).unwrap());
        let ground = format!(
            r#"<asset><hfield name="h" nrow="{rows}" ncol="{columns}" size="{} {} {height} 0.2" elevation="{}"/></asset>"#,
            radius.x,
            radius.y,
            written.join(" ")
        );
        let body = mover(r#"<geom size="0.05"/>"#);
        let geom = r#"<geom type="hfield" hfield="h" pos="0.5 0 -0.3"/>"#;
        let with = checker(&model(&format!("{ground}<worldbody>{geom}{body}</worldbody>")), vec![]);
        let heights: Vec<f64> = elevation
            .chunks(columns)
            .rev()
            .flatten()
            .map(|value| (value - low) / (high - low) * height)
            .collect();
        let field = HeightField::new(columns, rows, 2.0 * radius, heights).unwrap();
        let there = Pose::from_translation(DVec3::new(0.5, 0.0, -0.3)).unwrap();
        let field = Body::new("field", field, Motion::fixed(there));
        let without = checker(&model(&format!("<worldbody>{body}</worldbody>")), vec![field]);
        for _ in 0..20 {
            let mut place = |z: [f64; 2]| {
                [random.between(-0.4, 1.4), random.between(-1.4, 1.4), random.between(z[0], z[1]), 0.0]
            };
            let (from, to) = (place([0.6, 1.0]), place([-0.3, 0.5]));
            match same_answer(&with, &without, &from, &to) {
                Some(toi) => touched += u32::from(toi > 0.0),
                None => free += 1,
            }
        }
    }
    assert!(touched > 100 && free > 40, "{touched} {free}");
}

/// MuJoCo fills the space below the surface: a ball of radius 0.1 cannot get in from a side or from below. The base is
/// 0.2 deep, and the surface rises from 0 at x = -1 to 0.8 at x = 1.
#[test]
fn a_height_field_is_closed() {
    let file = model(&format!(
        r#"<asset><hfield name="h" nrow="2" ncol="2" size="1 1 0.8 0.2" elevation="3 4 3 4"/></asset>
        <worldbody><geom type="hfield" hfield="h"/>{}</worldbody>"#,
        mover("<geom size=\"0.1\"/>")
    ));
    let checker = checker(&file, vec![]);
    let ways = [
        // Through the wall at x = 1, halfway up, through the one at y = -1 where it is 0.6 high, and through a side of
        // the base.
        ([3.0, 0.0, 0.4, 0.0], [0.0, 0.0, 0.4, 0.0], 1.9 / 3.0),
        ([0.5, -2.0, 0.2, 0.0], [0.5, 0.0, 0.2, 0.0], 0.9 / 2.0),
        ([-3.0, 0.0, -0.1, 0.0], [0.0, 0.0, -0.1, 0.0], 1.9 / 3.0),
        // From below, and from above at x = 0, where the surface has the height 0.4 and the slope 0.4.
        ([0.0, 0.0, -1.2, 0.0], [0.0, 0.0, 0.0, 0.0], 0.9 / 1.2),
        ([0.0, 0.0, 1.4, 0.0], [0.0, 0.0, 0.4, 0.0], 1.0 - 0.1 * 1.16_f64.sqrt()),
    ];
    for (from, to, exact) in ways {
        let answer = checker.check_step(&from, &to, &Options::default()).unwrap().answer;
        let Answer::Touch(touch) = answer else { panic!("{answer:?}") };
        assert!(touch.toi <= exact && touch.toi > exact - 1e-5, "{} {exact}", touch.toi);
    }
    // Above the wall at x = -1, which has no height.
    let step = checker.check_step(&[-3.0, 0.0, 0.12, 0.0], &[-1.0, 0.0, 0.12, 0.0], &Options::default());
    assert_eq!(step.unwrap().answer, Answer::Free);
}

fn heights_of(file: &RobotFile) -> Vec<f64> {
    let collisions = file.links.iter().flat_map(|link| &link.collisions);
    let heights = collisions.filter_map(|collision| match &collision.geometry {
        ShapeFile::Heights { heights, .. } => Some(heights.to_vec()),
        _ => None,
    });
    heights.flatten().collect()
}

/// The attribute, a picture and a binary file; flat heights give the base alone.
#[test]
fn where_heights_come_from() {
    let folder = std::env::temp_dir().join(format!("firsttouch-ground-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    std::fs::copy(testdata("png/ramp.png"), folder.join("assets/ramp.png")).unwrap();
    let mut binary = [2_i32, 2].map(i32::to_le_bytes).concat();
    binary.extend([1.0_f32, 2.0, 3.0, 5.0].map(f32::to_le_bytes).concat());
    std::fs::write(folder.join("assets/hills"), binary).unwrap();
    std::fs::write(folder.join("assets/short"), [2, 0, 0, 0, 2, 0, 0, 0, 0]).unwrap();
    let read = |asset: &str| {
        let text = format!(
            "<mujoco>\n<compiler meshdir=\"assets\"/>\n<asset>\n<hfield name=\"h\" size=\"1 1 8 1\" {asset}/></asset>
            <worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody></mujoco>"
        );
        std::fs::write(folder.join("m.xml"), text).unwrap();
        read_mjcf(&folder.join("m.xml"))
    };
    let heights = |asset: &str| heights_of(&read(asset).unwrap());
    // The first row of the attribute is that of the highest y.
    assert_eq!(heights("nrow=\"2\" ncol=\"2\" elevation=\"0 1 2 4\""), [4.0, 8.0, 0.0, 2.0]);
    let half = 8.0 * 32768.0 / 65535.0;
    assert_eq!(heights("file=\"ramp.png\""), [0.0, half, 8.0, 0.0, half, 8.0]);
    assert_eq!(heights("file=\"hills\""), [0.0, 2.0, 4.0, 8.0]);
    assert_eq!(heights("file=\"hills\" content_type=\"image/vnd.mujoco.hfield\""), [0.0, 2.0, 4.0, 8.0]);
    // The same for any number of them.
    let flat = read("nrow=\"1000000\" ncol=\"1000000\"").unwrap();
    let collisions = &flat.link("worldbody").unwrap().collisions;
    assert_eq!(collisions.len(), 1);
    assert_eq!(collisions[0].geometry, ShapeFile::Box { sides: DVec3::new(2.0, 2.0, 1.0) });
    assert_eq!(collisions[0].origin.xyz, DVec3::new(0.0, 0.0, -0.5));
    let cases = [
        (
            "nrow=\"2\" ncol=\"2\" elevation=\"0 1 2\"",
            "m.xml:4: hfield elevation needs 2 x 2 numbers, but has 3",
        ),
        (
            "nrow=\"2\" ncol=\"2\" elevation=\"0 1 2 x\"",
            "m.xml:4: hfield elevation cannot be read as a number",
        ),
        (
            "nrow=\"2\" ncol=\"2\" elevation=\"-1e308 1e308 0 0\"",
            "m.xml:4: the elevations of a height field are",
        ),
        ("nrow=\"1\" ncol=\"2\" elevation=\"0 1\"", "m.xml:4: a height field needs 2 rows and 2 columns"),
        ("nrow=\"-1\" ncol=\"2\"", "m.xml:4: hfield nrow is not a count: \"-1\""),
        ("", "m.xml:4: a height field needs a file, or nrow and ncol"),
        ("file=\"ramp.png\" nrow=\"2\"", "m.xml:4: a height field with a file has no nrow and ncol"),
        ("file=\"ramp.png\" content_type=\"image/jpeg\"", "m.xml:4: not supported: height fields as"),
        ("file=\"none.png\"", "m.xml:4: "),
        ("file=\"short\"", "2 x 2 heights take 24 bytes, but the file has 9"),
        ("file=\"ramp.png\" content_type=\"image/vnd.mujoco.hfield\"", "m.xml:4: "),
    ];
    for (asset, expected) in cases {
        let error = read(asset).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let size = |size: &str| {
        let text = format!(
            "<mujoco><asset>\n<hfield name=\"h\" {size} nrow=\"2\" ncol=\"2\"/></asset><worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody></mujoco>"
        );
        parse_mjcf(text.as_bytes(), "m.xml").unwrap_err().to_string()
    };
    assert!(size("").starts_with("m.xml:2: a height field needs size="));
    assert!(size("size=\"1 1 1\"").starts_with("m.xml:2: hfield size needs 4 numbers, but has 3"));
    assert!(size("size=\"1 1 0 1\"").starts_with("m.xml:2: the sizes of a height field must be positive"));
    let text = "<mujoco><asset><hfield name=\"h\" file=\"a.png\" size=\"1 1 1 1\"/></asset><worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody></mujoco>";
    let error = parse_mjcf(text.as_bytes(), "m.xml").unwrap_err().to_string();
    assert!(error.contains("where only text is read"), "{error}");
}

/// The feet of a model stand on its floor. Bits and `<exclude>` apply to planes as to all geoms.
#[test]
fn which_links_a_plane_is_checked_against() {
    let file = model(
        r#"<worldbody><geom name="floor" type="plane" size="1 1 1" contype="2" conaffinity="1"/>
        <body name="foot"><geom size="1"/></body>
        <body name="a"><joint/><geom size="1"/></body>
        <body name="b"><joint/><geom size="1"/></body>
        <body name="c"><joint/><geom size="1" contype="4" conaffinity="4"/></body>
        <body name="d"><joint/><geom size="1" contype="0" conaffinity="2"/></body>
        </worldbody><contact><exclude body1="b" body2="world"/></contact>"#,
    );
    assert_eq!((file.scenery.len(), &file.scenery[0].name[..]), (1, "floor"));
    assert_eq!(file.scenery[0].allowed, ["foot", "b", "c"]);
    // Names differ from those of links; a picture is left out.
    let file = model(
        r#"<worldbody><body name="plane"/><geom type="plane" size="1 1 1"/><geom type="plane" size="1 1 1"/>
        <geom type="plane" size="1 1 1" contype="0" conaffinity="0"/></worldbody>"#,
    );
    let names: Vec<&str> = file.scenery.iter().map(|plane| &plane.name[..]).collect();
    assert_eq!(names, ["plane_2", "plane_3"]);
    let many = r#"<geom type="plane" size="1 1 1"/>"#.repeat(101);
    let text = format!("<mujoco><worldbody>{many}</worldbody></mujoco>");
    let error = parse_mjcf(text.as_bytes(), "m.xml").unwrap_err().to_string();
    assert!(error.contains("the number of planes"), "{error}");
    // A robot alone would pass through its floor.
    let error = build_robot(&file, &read_robot_meshes(&file).unwrap(), &Default::default()).unwrap_err();
    assert!(error.to_string().contains("a plane that takes part in contacts, where only a robot is read"));
    let error = read_robot(&testdata("robots/terrain.xml"), None).unwrap_err();
    assert_eq!((error.code(), error.line()), ("unsupported", Some(8)));
}

/// A rover on a stand drives over a ridge. Its cabin, a ball of radius 0.1 at first at (-1, 0, 0.8), touches in turn
/// the ridge, the floor and the wall at x = 3. Each touch is where the file and the pose of the robot in the scene put
/// it.
#[test]
fn a_model_in_a_scene() {
    let check = |to: &str| {
        let text = format!(
            "[[body]]\nname = \"rover\"\nrobot = {{ mjcf = \"robots/terrain.xml\" }}\npose = {{ xyz = [0, 7, 1], rpy_deg = [0, 0, 90] }}\nto = {to}\n"
        );
        let path = testdata("scene.toml");
        let scene = build_scene(&parse_scene(&text, &path).unwrap(), &path).unwrap();
        let names: Vec<&str> = scene.bodies().iter().map(Body::name).collect();
        assert_eq!(names, ["rover", "rover/floor", "rover/wall"]);
        let answer = scene.check(&Options::default()).unwrap().answer;
        let Answer::Touch(touch) = answer else { panic!("{answer:?}") };
        (touch.bodies, touch.toi)
    };
    let close = |(bodies, toi): ([usize; 2], f64), expected: [usize; 2], exact: f64| {
        assert!(bodies == expected && toi <= exact && toi > exact - 1e-5, "{bodies:?} {toi} {exact}");
    };
    close(check("{ drive = 8 }"), [0, 2], 3.9 / 8.0);
    close(check("{ drive = -4, lift = -4 }"), [0, 1], 0.7 / 4.0);
    // The motion would end with its centre on the ridge, which is 0.3 high at (1.5, 0).
    let (bodies, toi) = check("{ drive = 2.5, lift = -0.5 }");
    assert!(bodies == [0, 0] && toi > 0.5 && toi < 1.0, "{bodies:?} {toi}");
}
