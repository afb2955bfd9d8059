//! Robot files whose contents were once ignored in silence, so the answer was a false "free". Each test asserts the
//! right answer.

use firsttouch::articulated::Checker;
use firsttouch::motion::Pose;
use firsttouch::{Answer, Options};
use firsttouch_io::{Files, RobotFile, parse_mjcf, parse_urdf};

fn model(content: &str) -> RobotFile {
    parse_mjcf(format!("<mujoco model=\"m\">{content}</mujoco>").as_bytes(), "m.xml")
        .unwrap_or_else(|error| panic!("{error}"))
}

fn refused(content: &str) -> String {
    parse_mjcf(format!("<mujoco model=\"m\">\n{content}</mujoco>").as_bytes(), "m.xml")
        .unwrap_err()
        .to_string()
}

/// Returns the time of the first touch on the way from one value of a variable to another; the other variables are
/// constant.
fn first_touch(file: &RobotFile, variable: &str, from: f64, to: f64) -> Option<f64> {
    let (robot, scenery, _) = Files::default().robot_and_scenery(file, None).unwrap();
    let index = robot.variable(variable).unwrap();
    let ends = [from, to].map(|value| {
        let mut q = robot.zero();
        q[index] = value;
        q
    });
    let mut checker = Checker::new(robot, Pose::IDENTITY, vec![]).unwrap();
    for standing in scenery {
        checker.add_obstacle(standing.body(&standing.name, Pose::IDENTITY).unwrap()).unwrap();
        standing.allowed.iter().for_each(|link| checker.allow(link, &standing.name).unwrap());
    }
    match checker.check_step(&ends[0], &ends[1], &Options::default()).unwrap().answer {
        Answer::Free => None,
        Answer::Touch(touch) => Some(touch.toi),
        other => panic!("{other:?}"),
    }
}

fn touches_at(file: &RobotFile, variable: &str, from: f64, to: f64, exact: f64) {
    let toi = first_touch(file, variable, from, to).unwrap();
    assert!(toi <= exact && toi > exact - 1e-5, "{toi} {exact}");
}

const TIED: &str = r#"<worldbody><geom name="wall" type="box" size=".1 1 1" pos="2 0 0"/>
    <body name="a"><joint name="s" type="slide" axis="1 0 0"/><geom type="sphere" size=".1" pos="0 5 0"/></body>
    <body name="b"><joint name="u" type="slide" axis="1 0 0"/><geom type="sphere" size=".5"/></body>
    </worldbody>"#;

/// An author who writes `u = 2 s` means it. The constraint was skipped: `u` stayed at zero while `s` went from 0 to 1.
/// The ball on `u` reaches the wall at s = 0.7, but never touched it.
#[test]
fn a_joint_that_follows_another() {
    let file = model(&format!(
        "{TIED}<equality><joint joint1=\"u\" joint2=\"s\" polycoef=\"0 2 0 0 0\"/></equality>"
    ));
    touches_at(&file, "s", 0.0, 1.0, 0.7);
    let mimic = file.joint("u").unwrap().mimic.clone().unwrap();
    assert_eq!((&mimic.joint[..], mimic.multiplier, mimic.offset), ("s", 2.0, 0.0));
    // Values count from those at the start, in radians: y - y0 = a0 + a1 (x - x0). Here MuJoCo says `qpos0` = (0.1745,
    // 0.3491).
    let file = model(
        r#"<worldbody><body name="a"><joint name="x" ref="10"/><geom size="1"/></body>
        <body name="b"><joint name="y" ref="20"/><geom size="1"/></body></worldbody>
        <equality><joint joint1="y" joint2="x" polycoef="1 2"/></equality>"#,
    );
    let mimic = file.joint("y").unwrap().mimic.clone().unwrap();
    assert!((mimic.offset - (20.0_f64.to_radians() + 1.0 - 2.0 * 10.0_f64.to_radians())).abs() < 1e-15);
    assert!(!file.zero.contains_key("y") && file.zero.contains_key("x"));
}

/// A constraint is left out wherever MuJoCo leaves it out: by itself, by its class, by a flag.
#[test]
fn constraints_that_are_not_active() {
    let equality = |more: &str, attribute: &str| {
        model(&format!("{more}{TIED}<equality><joint joint1=\"u\" joint2=\"s\" {attribute}/></equality>"))
    };
    assert!(equality("", "").joint("u").unwrap().mimic.is_some());
    for (more, attribute) in [
        ("", "active=\"false\""),
        ("<default><equality active=\"false\"/></default>", ""),
        ("<default><default class=\"k\"><equality active=\"false\"/></default></default>", "class=\"k\""),
        ("<option><flag equality=\"disable\"/></option>", ""),
        ("<option><flag constraint=\"disable\"/></option>", ""),
    ] {
        assert!(equality(more, attribute).joint("u").unwrap().mimic.is_none(), "{more} {attribute}");
    }
    let file = model(&format!("{TIED}<equality><weld body1=\"a\" body2=\"b\" active=\"false\"/></equality>"));
    assert!(file.warnings.is_empty());
}

/// A weld, a connection, a tendon, a polynomial of a higher degree: none of these is read, and each used to be skipped.
/// The error says how to continue.
#[test]
fn constraints_that_are_not_read() {
    let with = |content: &str| refused(&format!("{TIED}\n{content}"));
    let tendon = "<tendon><fixed name=\"t\"><joint joint=\"s\" coef=\"2\"/><joint joint=\"u\" coef=\"-1\"/></fixed></tendon>";
    let cases = [
        (
            "<equality><weld body1=\"a\" body2=\"b\"/></equality>".to_string(),
            "<weld> in <equality> ties bodies together: remove it",
        ),
        (
            "<equality><connect body1=\"a\" body2=\"b\" anchor=\"0 0 0\"/></equality>".into(),
            "<connect> in <equality>",
        ),
        (format!("{tendon}<equality><tendon tendon1=\"t\"/></equality>"), "<tendon> in <equality>"),
        ("<equality><flex flex=\"f\"/></equality>".into(), "<flex> in <equality>"),
        (
            "<equality><joint joint1=\"u\" joint2=\"s\" polycoef=\"0 1 0.5\"/></equality>".into(),
            "that is not linear",
        ),
        ("<equality><joint joint1=\"u\"/></equality>".into(), "held at a constant: leave out the joint"),
        ("<equality><joint joint1=\"u\" joint2=\"z\"/></equality>".into(), "there is no joint \"z\""),
        ("<equality><joint joint2=\"s\"/></equality>".into(), "needs joint1"),
        ("<equality><joint joint1=\"u\" joint2=\"u\"/></equality>".into(), "mimic each other in a circle"),
        (
            "<equality><joint joint1=\"u\" joint2=\"s\"/><joint joint1=\"u\" joint2=\"s\"/></equality>"
                .into(),
            "a second equality of the joint \"u\"",
        ),
        (
            "<equality><joint joint1=\"u\" joint2=\"s\" active=\"no\"/></equality>".into(),
            "active is true or false",
        ),
        (
            "<equality><joint joint1=\"u\" joint2=\"s\" polycoef=\"0 1 0 0 0 0\"/></equality>".into(),
            "more than 5 numbers",
        ),
    ];
    for (content, expected) in cases {
        let error = with(&content);
        assert!(error.starts_with("m.xml:") && error.contains(expected), "{error}\n{expected}");
    }
    // A tendon alone only exerts forces.
    assert!(model(&format!("{TIED}{tendon}")).warnings.is_empty());
}

const CARRIED: &str = r#"<worldbody><body name="a" pos="0 0 5"><joint name="s" type="slide" axis="1 0 0"/>
    <geom name="ga" type="sphere" size=".5"/>
    <body name="b"><joint name="u" type="slide" axis="1 0 0"/><geom name="gb" type="sphere" size=".5" pos="-2 0 0"/></body></body>
    </worldbody>"#;

const APART: &str = r#"<worldbody><body name="a" pos="0 0 5"><joint name="s" type="slide" axis="1 0 0"/>
    <geom name="ga" type="sphere" size=".5"/></body>
    <body name="b" pos="-2 0 5"><joint name="u" type="slide" axis="1 0 0"/><geom name="gb" type="sphere" size=".5"/></body>
    </worldbody>"#;

/// MuJoCo checks a `<pair>` regardless of the tree, the bits and `<exclude>`. The two balls meet at u = 1. The other
/// rules used to override the pair.
#[test]
fn a_pair_is_checked_in_any_case() {
    let pair = "<pair geom1=\"ga\" geom2=\"gb\"/>";
    // A body and the one that it carries.
    assert!(first_touch(&model(CARRIED), "u", 0.0, 3.0).is_none());
    touches_at(&model(&format!("{CARRIED}<contact>{pair}</contact>")), "u", 0.0, 3.0, 1.0 / 3.0);
    // Excluded.
    let exclude = "<exclude body1=\"a\" body2=\"b\"/>";
    touches_at(&model(APART), "u", 0.0, 3.0, 1.0 / 3.0);
    assert!(first_touch(&model(&format!("{APART}<contact>{exclude}</contact>")), "u", 0.0, 3.0).is_none());
    touches_at(&model(&format!("{APART}<contact>{pair}{exclude}</contact>")), "u", 0.0, 3.0, 1.0 / 3.0);
    // Without a bit in common.
    let bits = "<default><geom contype=\"0\" conaffinity=\"0\"/></default>";
    touches_at(&model(&format!("{bits}{APART}<contact>{pair}</contact>")), "u", 0.0, 3.0, 1.0 / 3.0);
    let error = refused(&format!("{APART}\n<contact><pair geom1=\"ga\" geom2=\"gc\"/></contact>"));
    assert!(error.ends_with(":6: there is no geom \"gc\""), "{error}");
}

/// The geoms of a pair are checked against each other, but the other geoms of their bodies are not: those at a joint
/// overlap.
#[test]
fn a_pair_is_of_geoms() {
    let text = |contact: &str| {
        model(&format!(
            r#"<worldbody><geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
            <body name="a" pos="0 0 5"><joint name="s" type="slide" axis="1 0 0"/><geom size=".5"/><geom name="ga" size=".5" pos="2 0 0"/>
            <body name="b"><joint name="u" type="slide" axis="1 0 0"/><geom size=".5"/>
            <geom name="gb" size=".5" pos="-1 0 0" contype="0" conaffinity="0"/></body></body></worldbody>{contact}"#
        ))
    };
    assert!(first_touch(&text(""), "u", 0.0, 3.0).is_none());
    let paired = "<contact><pair geom1=\"ga\" geom2=\"gb\"/><pair geom1=\"floor\" geom2=\"gb\"/></contact>";
    let paired = text(paired);
    touches_at(&paired, "u", 0.0, 3.0, 2.0 / 3.0);
    // No bit selects the floor, and it counts for the one geom.
    assert_eq!(paired.scenery[0].allowed, ["a", "a/ga", "b"]);
    // A geom of the world, whose body has no other.
    let file = model(
        r#"<worldbody><geom name="post" size=".5" contype="0"/><body name="b" pos="-2 0 0"><joint name="u" type="slide" axis="1 0 0"/>
        <geom name="gb" size=".5" conaffinity="0" contype="0"/></body></worldbody><contact><pair geom1="gb" geom2="post"/></contact>"#,
    );
    touches_at(&file, "u", 0.0, 2.0, 0.5);
}

/// The flag used to be ignored.
#[test]
fn parents_that_are_not_filtered() {
    let file = model(&format!("{CARRIED}<option><flag filterparent=\"disable\"/></option>"));
    touches_at(&file, "u", 0.0, 3.0, 1.0 / 3.0);
    let file = model(&format!("{CARRIED}<option><flag filterparent=\"enable\"/></option>"));
    assert!(first_touch(&file, "u", 0.0, 3.0).is_none());
    let error = refused("<option><flag filterparent=\"no\"/></option><worldbody/>");
    assert!(error.contains("flag filterparent is disable or enable, but not \"no\""), "{error}");
}

/// MuJoCo moves the frame of such a body to the frame of its inertia, ten to the left here, and `qpos` is the pose of
/// that frame. When this was read as the pose of the body, the ball stayed away from the wall.
#[test]
fn coordinates_of_the_inertia() {
    let body = |setting: &str, joint: &str, inside: &str| {
        format!(
            r#"{setting}<worldbody><geom name="wall" type="box" size=".1 1 1" pos="2 0 0"/>
            <body name="a">{joint}<geom type="sphere" size=".5" mass="0.001"/><geom type="sphere" size=".5" pos="-10 0 0" mass="1000"/>{inside}</body>
            </worldbody>"#
        )
    };
    let all = "<compiler alignfree=\"true\"/>";
    for (setting, joint) in
        [("", "<freejoint align=\"true\"/>"), (all, "<freejoint/>"), (all, "<joint type=\"free\"/>")]
    {
        let error = refused(&body(setting, joint, ""));
        assert!(error.starts_with("m.xml:3: not supported: a free joint that is aligned"), "{error}");
        // Only bodies without children are aligned.
        assert!(model(&body(setting, joint, "<frame><body/></frame>")).warnings.is_empty());
    }
    for (setting, joint) in
        [("", "<freejoint/>"), (all, "<freejoint align=\"false\"/>"), ("", "<freejoint align=\"auto\"/>")]
    {
        assert!(model(&body(setting, joint, "")).warnings.is_empty());
    }
}

/// All shapes of this robot are in `<colision>` elements: it had none, and every motion of it was free.
#[test]
fn a_robot_without_shapes() {
    let text = r#"<robot name="r"><link name="base"><colision><origin xyz="2 0 0"/><geometry><box size=".2 2 2"/></geometry></colision></link>
        <link name="mid"/><joint name="f" type="fixed"><parent link="base"/><child link="mid"/></joint>
        <link name="b"><colision><geometry><sphere radius="1"/></geometry></colision></link>
        <joint name="s" type="prismatic"><parent link="mid"/><child link="b"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>"#;
    let file = parse_urdf(text.as_bytes(), "miss.urdf").unwrap();
    let warnings: Vec<(usize, &str)> = file.warnings.iter().map(|w| (w.line, &w.text[..])).collect();
    let expected = "<colision> in <link> is not known: did you mean <collision>?; it is ignored (and so in 1 more place)";
    assert_eq!(warnings, [(1, expected)]);
    let error = Files::default().robot_of(&file, None).unwrap_err().to_string();
    assert!(
        error.starts_with("miss.urdf: no link has a collision shape")
            && error.contains("did you mean <collision>?"),
        "{error}"
    );
    // With the correct spelling.
    let file = parse_urdf(text.replace("colision", "collision").as_bytes(), "miss.urdf").unwrap();
    touches_at(&file, "s", 0.0, 1.0, 0.9);
    // If one of them is right, the other gives a warning.
    let file = parse_urdf(text.replacen("colision", "collision", 2).as_bytes(), "miss.urdf").unwrap();
    let (_, warnings) = Files::default().robot_of(&file, None).unwrap();
    let expected = "miss.urdf:3: <colision> in <link> is not known: did you mean <collision>?; it is ignored";
    assert_eq!(warnings.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    let pictures = r#"<mujoco><worldbody><body><joint/><geom size="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"#;
    let error =
        Files::default().robot_of(&parse_mjcf(pictures.as_bytes(), "m.xml").unwrap(), None).unwrap_err();
    assert!(error.to_string().starts_with("m.xml: no link has a collision shape"), "{error}");
}

/// Links that are visible and touch nothing: one warning for all of them. A link with neither is a frame, which is
/// usual.
#[test]
fn links_with_visuals_alone() {
    let visual = "<visual><geometry><sphere radius=\"1\"/></geometry></visual>";
    let text = |collision: &str| {
        let mut text =
            format!("<robot name=\"r\"><link name=\"base\">{visual}{collision}</link><link name=\"frame\"/>");
        for i in 0..8 {
            text += &format!("\n<link name=\"l{i}\">{visual}</link>");
        }
        for child in (0..8).map(|i| format!("l{i}")).chain(["frame".to_string()]) {
            text += &format!(
                "<joint name=\"j{child}\" type=\"fixed\"><parent link=\"base\"/><child link=\"{child}\"/></joint>"
            );
        }
        parse_urdf((text + "</robot>").as_bytes(), "r.urdf").unwrap()
    };
    let warnings = text("<collision><geometry><sphere radius=\"1\"/></geometry></collision>").warnings;
    assert_eq!(warnings.len(), 1);
    let expected = "visuals without <collision>, so that nothing touches them: \"l0\", \"l1\", \"l2\", \"l3\", \"l4\", \"l5\", 2 more";
    assert_eq!((warnings[0].line, &warnings[0].text[..]), (2, expected));
    // A robot without any shape is refused instead.
    assert!(text("").warnings.is_empty() && Files::default().robot_of(&text(""), None).is_err());
}

/// Every unknown name is compared with the table. In a file with very many of them each used to take time.
#[test]
fn very_many_unknown_names() {
    let mut text = String::from("<robot name=\"r\"><link name=\"a\">");
    (0..20_000).for_each(|i| text += &format!("<colision{i} x{i}=\"1\"/>\n<colision/>"));
    let file = parse_urdf((text + "</link></robot>").as_bytes(), "r.urdf").unwrap();
    assert_eq!(file.warnings.len(), 101);
    let of = |start: &str| file.warnings.iter().find(|warning| warning.text.starts_with(start)).unwrap();
    assert!(of("<colision> in <link>").text.ends_with("(and so in 19999 more places)"));
    assert!(of("more names that are not known").text.ends_with("(and so in 19900 more places)"));
}

/// In MuJoCo the world has no joints; a joint in a frame of the world used to be skipped.
#[test]
fn joints_of_the_world() {
    let error = refused("<worldbody><frame><joint/></frame><geom size=\"1\"/></worldbody>");
    assert_eq!(error, "m.xml:2: the world has no joints");
    let error = refused("<worldbody><freejoint/></worldbody>");
    assert!(
        error.contains("<freejoint> does not belong in <worldbody>: it belongs in <body>, <frame>"),
        "{error}"
    );
}
