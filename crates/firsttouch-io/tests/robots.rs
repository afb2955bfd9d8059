//! Robots: a tidy and an untidy file of every kind, every way to get one wrong, and where meshes are searched.

use firsttouch_io::{
    JointKind, JointLimits, MimicFile, Pose, RobotFile, ShapeFile, SrdfFile, build_robot, parse_srdf,
    parse_urdf, parse_waypoints, read_robot_meshes, read_srdf, read_urdf, read_waypoints,
};
use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/robots")
}

fn robot(name: &str) -> RobotFile {
    read_urdf(&folder().join(name)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn tidy() {
    let robot = robot("plain.urdf");
    assert_eq!(robot.name, "plain");
    assert_eq!(robot.links.iter().map(|l| &l.name[..]).collect::<Vec<_>>(), ["base", "arm", "hand"]);
    assert_eq!(robot.links.iter().map(|l| l.line).collect::<Vec<_>>(), [3, 14, 27]);
    let turn = robot.joint("turn").unwrap();
    assert_eq!((turn.kind, turn.line, turn.limits, &turn.mimic), (JointKind::Continuous, 8, None, &None));
    assert_eq!((&turn.parent[..], &turn.child[..], turn.axis), ("base", "arm", DVec3::Z));
    assert_eq!(turn.origin.xyz, DVec3::new(0.0, 0.0, 0.25));
    assert!((turn.origin.quat * DVec3::X - DVec3::Y).length() < 1e-15);
    let lift = robot.joint("lift").unwrap();
    assert_eq!(lift.limits, Some(JointLimits { lower: 0.1, upper: 0.5 }));
    assert_eq!((turn.velocity, lift.velocity), (None, Some(1.0)));
    let tube = &robot.link("arm").unwrap().collisions[0];
    assert_eq!((tube.name.as_deref(), tube.line), (Some("tube"), 15));
    assert_eq!(tube.geometry, ShapeFile::Cylinder { radius: 0.1, length: 1.0 });
    assert_eq!(tube.origin, Pose { xyz: DVec3::new(0.0, 0.0, 0.5), quat: DQuat::IDENTITY });
    let meshes = read_robot_meshes(&robot).unwrap();
    assert_eq!(meshes.meshes[0].bounding_box(), Some((DVec3::ZERO, DVec3::splat(0.1))));

    let srdf = read_srdf(&folder().join("plain.srdf"), &robot).unwrap();
    assert_eq!((srdf.disabled, srdf.warnings.len()), (vec![["base".to_string(), "hand".into()]], 0));
    let waypoints = read_waypoints(&folder().join("plain.csv"), &robot).unwrap();
    assert_eq!(waypoints.paths[0].rows, [[0.0, 0.1], [1.0, 0.5]]);
    assert_eq!(waypoints.paths[1].lines, [5, 6, 7]);
    assert!(waypoints.warnings.is_empty());
}

#[test]
fn untidy() {
    let robot = robot("untidy.urdf");
    // The tip's joint stands first in the file, but its parent is moved by the wrist's.
    let order: Vec<&str> = robot.joints.iter().map(|j| &j.name[..]).collect();
    assert_eq!(order, ["wrist_joint", "tip_joint", "left", "right", "slide", "fly"]);
    assert_eq!(robot.links[robot.root].name, "base");
    let joint = |name: &str| robot.joint(name).unwrap();
    let tip = joint("tip_joint");
    assert_eq!((tip.kind, tip.axis, tip.limits, &tip.mimic), (JointKind::Fixed, DVec3::X, None, &None));
    let wrist = joint("wrist_joint");
    assert_eq!((wrist.kind, wrist.axis), (JointKind::Revolute, DVec3::new(0.0, 0.6, 0.8)));
    assert_eq!(wrist.limits, Some(JointLimits { lower: f64::NEG_INFINITY, upper: 0.5 }));
    assert_eq!(wrist.origin, Pose::IDENTITY);
    assert_eq!((joint("left").axis, joint("left").limits), (DVec3::X, None));
    let mimic = MimicFile { joint: "left".into(), multiplier: -1.0, offset: 0.01 };
    assert_eq!(joint("right").mimic, Some(mimic));
    assert_eq!((joint("slide").kind, joint("slide").axis), (JointKind::Planar, DVec3::Z));
    assert_eq!(joint("fly").origin.quat, DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0));

    let base = &robot.links[0].collisions;
    let plate = folder().join("untidy_description/Meshes/plate.STL");
    assert_eq!(base[0].geometry, ShapeFile::Mesh { path: plate.clone(), scale: DVec3::ONE });
    assert_eq!(base[1].geometry, ShapeFile::Mesh { path: plate, scale: DVec3::new(1.0, -2.0, 0.5) });
    assert_eq!(base[2].geometry, ShapeFile::Capsule { radius: 0.1, length: 0.4 });
    assert_eq!(base[2].origin.xyz, DVec3::new(0.1, -0.5, 2.0));
    assert!((base[2].origin.quat * DVec3::X + DVec3::Z).length() < 1e-15);
    assert_eq!(base[3].name.as_deref(), Some("post"));

    let meshes = read_robot_meshes(&robot).unwrap();
    assert_eq!(meshes.of_link[..2], [vec![Some(0), Some(1), None, None], vec![Some(2)]]);
    let expected = [DVec3::new(0.0, 0.0, 0.5), DVec3::new(1.0, 0.0, 0.5), DVec3::new(0.0, -2.0, 0.5)];
    assert_eq!(meshes.meshes[1].positions, expected);

    let srdf = read_srdf(&folder().join("untidy.srdf"), &robot).unwrap();
    assert_eq!(srdf.disabled, [["tip", "base"]]);
    let warnings: Vec<String> = srdf.warnings.iter().map(|w| w.to_string()).collect();
    let start = folder().join("untidy.srdf").display().to_string();
    let expected = [
        ":1: this is for the robot \"untidier\", but the URDF has \"untidy\"",
        ":7: <disable_default_collisions> in <robot>: its pairs are checked; name them with <disable_collisions>",
        ":5: \"tail\" is not a link of the robot: the pair is ignored",
        ":6: \"tip\" is paired with itself, which means nothing",
    ];
    assert_eq!(warnings, expected.map(|text| start.clone() + text));

    let waypoints = read_waypoints(&folder().join("untidy.csv"), &robot).unwrap();
    assert_eq!(waypoints.joints, ["wrist_joint", "left"]);
    assert_eq!(waypoints.paths.len(), 2);
    assert_eq!(
        (&waypoints.paths[0].rows[1][..], &waypoints.paths[0].lines[..]),
        (&[0.7, -0.5][..], &[5, 7][..])
    );
    assert_eq!(
        (&waypoints.paths[1].rows[1][..], &waypoints.paths[1].lines[..]),
        (&[0.1, 0.0][..], &[9, 10][..])
    );
    let warning = waypoints.warnings[0].to_string();
    let text = "csv:7: wrist_joint = 0.7 is outside its limits -inf to 0.5, and so in 1 more rows";
    assert!(warning.ends_with(text) && waypoints.warnings.len() == 1, "{warning}");
}

/// Returns the problem with a robot of two links and a joint after one line of it is replaced.
#[test]
fn urdf_errors() {
    let lines = [
        "<robot name='r'>",
        "<link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision></link>",
        "<link name='b'/>",
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>",
        "<origin xyz='0 0 0' rpy='0 0 0'/>",
        "<axis xyz='0 0 1'/>",
        "<limit lower='-1' upper='1'/>",
        "</joint>",
        "</robot>",
    ];
    parse_urdf(lines.join("\n").as_bytes(), "r.urdf").unwrap();
    let check = |line: usize, replacement: &str, expected: &str| {
        let mut lines = lines;
        lines[line - 1] = replacement;
        let text = lines.join("\n");
        let error = parse_urdf(text.as_bytes(), "r.urdf").map(drop).map_err(|e| e.to_string());
        assert_eq!(error, Err(format!("r.urdf{expected}")), "{replacement}");
    };
    let geometry = |inside: &str, expected: &str| {
        let line = format!("<link name='a'><collision>{inside}</collision></link>");
        check(2, &line, expected);
    };
    check(1, "<sdf>", ":9: XML: expected 'sdf' tag, not 'robot' at 9:1");
    check(9, "", ":8: the file ends in the middle of <robot>");
    check(1, "<!DOCTYPE r><robot>", ":1: XML: XML with DTD detected");
    // Names.
    check(3, "<link name='b'/>\n<link name='a'/>", ":4: a second link called \"a\"; the first is in line 2");
    check(3, "<link/>", ":3: <link> needs name=\"...\"");
    check(3, "<link name='c'/>", ":4: the child of joint \"j\" is \"b\", which is not a link of the robot");
    check(2, "", ":4: the parent of joint \"j\" is \"a\", which is not a link of the robot");
    let second = |name: &str, parent: &str, child: &str| {
        format!("<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>")
    };
    let after = |more: String| format!("</joint>\n{more}");
    check(8, &after(second("j", "a", "b")), ":9: a second joint called \"j\"; the first is in line 4");
    // Trees.
    let loop_text = ":9: link \"b\" has two parents: \"a\" by joint \"j\" (line 4) and \"a\" by joint \"k\"; a robot is a \
                     tree here";
    check(8, &after(second("k", "a", "b")), loop_text);
    check(
        8,
        &after(second("k", "b", "a")),
        ":4: the joints \"j\", \"k\" form a loop; a robot is a tree here",
    );
    check(
        4,
        "<joint name='j' type='fixed'><parent link='a'/><child link='a'/>",
        ":4: the joints \"j\" form a loop; a robot is a tree here",
    );
    check(
        3,
        "<link name='b'/><link name='c'/>\n<link name='d'/>",
        ":3: links \"a\" (line 2) and \"c\" both have no parent, nor have 1 more; a robot is one tree",
    );
    assert_eq!(parse_urdf(b"<robot/>", "r.urdf").unwrap_err().to_string(), "r.urdf: there are no links");
    // Joints.
    check(
        4,
        "<joint name='j' type='hinge'><parent link='a'/><child link='b'/>",
        ":4: \"hinge\" is not a type of joint: use revolute, continuous, prismatic, fixed, planar, floating",
    );
    check(4, "<joint name='j' type='fixed'><child link='b'/>", ":4: joint \"j\" has no <parent>");
    check(6, "<axis xyz='0 0 0'/>", ":6: the axis of joint \"j\" is zero, or nearly");
    check(6, "<axis xyz='0 1e-320 0'/>", ":6: the axis of joint \"j\" is zero, or nearly");
    check(6, "<axis xyz='0 1e200 0'/>", ":6: the axis of joint \"j\" is too long to be normalised");
    check(6, "<axis xyz='0 0 nan'/>", ":6: axis xyz is not a finite number: nan");
    check(6, "<axis xyz='0 0'/>", ":6: axis xyz needs 3 numbers, but has 2");
    check(5, "<origin xyz='0 0 1,5'/>", ":5: origin xyz cannot be read as a number: \"1,5\"");
    check(5, "<origin/>\n<origin/>", ":6: a second <origin>; the first is in line 5");
    check(5, "<origin rpy='${pi} 0 0'/>", ":5: rpy=\"${pi} 0 0\" is for xacro: expand the file first");
    check(
        5,
        "<origin quat_xyzw='0 0 0 0'/>",
        ":5: quat_xyzw is zero, or too large or too small to be normalised",
    );
    check(7, "<limit lower='x'/>", ":7: limit lower cannot be read as a number: \"x\"");
    check(7, "<limit lower='1' upper='-1'/>", ":7: joint \"j\": the lower limit 1 is above the upper -1");
    check(7, "<mimic joint='k'/>", ":4: joint \"j\" mimics \"k\", which is not a joint of the robot");
    check(7, "<mimic joint='j'/>", ":4: the joints \"j\" mimic each other in a circle");
    let held =
        "<mimic joint='k'/><limit/></joint><joint name='k' type='fixed'><parent link='b'/><child link='c'/>";
    let held = format!("<link name='c'/><link name='d'/>{}", lines[3]) + held;
    check(4, &held.replace("<link name='d'/>", ""), ":4: joint \"j\" mimics \"k\", which is fixed (line 4)");
    // Geometry.
    geometry("", ":2: <collision> has no <geometry>");
    geometry("<geometry/>", ":2: <geometry> needs exactly one shape");
    geometry("<geometry><box size='1 0 1'/></geometry>", ":2: box size must be positive, but is 0");
    geometry("<geometry><box/></geometry>", ":2: <box> needs size=\"...\"");
    geometry("<geometry><sphere radius='1 1'/></geometry>", ":2: sphere radius needs 1 number, but has 2");
    geometry("<geometry><mesh/></geometry>", ":2: <mesh> needs filename=\"...\"");
    geometry(
        "<geometry><mesh filename='a.stl' scale='1 0 1'/></geometry>",
        ":2: mesh scale must not be zero",
    );
    let cone = ":2: not supported: <cone> as geometry: use box, sphere, cylinder, capsule or mesh";
    geometry("<geometry><cone/></geometry>", cone);
    // Things that xacro should have turned into links.
    let include = "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><xacro:include filename='x'/>";
    check(1, include, ":1: <xacro:include> is for xacro: expand the file first");
    check(8, "</joint>\n<xacro:arm/>", ":9: <xacro:arm> is for xacro: expand the file first");
}

#[test]
fn a_default_namespace_and_latin_comments() {
    let text =
        b"<robot xmlns='http://ros.org'><!-- \xe9t\xe9 --><link name='a'><x:y xmlns:x='x'/></link></robot>";
    assert_eq!(parse_urdf(text, "r.urdf").unwrap().links.len(), 1);
}

/// A hundred thousand links in a chain, last joint first: linear time and no recursion.
#[test]
fn a_long_chain() {
    let mut text = String::from("<robot><link name='0'/>");
    for i in (1..100_000).rev() {
        text += &format!(
            "<link name='{i}'/>\n<joint name='{i}' type='fixed'><parent link='{}'/><child link='{i}'/></joint>",
            i - 1
        );
    }
    let start = std::time::Instant::now();
    let robot = parse_urdf((text + "</robot>").as_bytes(), "r.urdf").unwrap();
    assert_eq!(robot.joints.len(), 99_999);
    assert!(robot.joints.iter().enumerate().all(|(i, joint)| joint.child == (i + 1).to_string()));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

/// Two packages with a mesh of the same name beside each other: each file gets its own.
#[test]
fn mesh_places() {
    let top = std::env::temp_dir().join(format!("firsttouch-mesh-places-{}", std::process::id()));
    let write = |name: &str, text: &str| {
        let path = top.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let triangle = |size: f64| format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nf 1 2 3\n");
    write("one/meshes/arm.obj", &triangle(1.0));
    write("two/meshes/arm.obj", &triangle(2.0));
    write("one/meshes/Hand.OBJ", &triangle(3.0));
    let absolute = write("far/away.obj", &triangle(4.0));
    let broken = write("one/meshes/broken.obj", "v 0 0 0\nf 1 2 3\n");
    write("one/meshes/points.obj", "v 0 0 0\n");
    write("one/meshes/Twice.obj", &triangle(5.0));
    write("one/meshes/TWICE.obj", &triangle(6.0));
    let sizes = |filename: &str| -> Result<f64, String> {
        let text = format!(
            "<robot><link name='a'>\n<collision><geometry><mesh filename='{filename}'/></geometry></collision></link></robot>"
        );
        let robot = read_urdf(&write("one/urdf/one.urdf", &text)).map_err(|e| e.to_string())?;
        let meshes = read_robot_meshes(&robot).map_err(|e| e.to_string())?;
        Ok(meshes.meshes[0].positions[1].x)
    };
    assert_eq!(sizes("package://one/meshes/arm.obj"), Ok(1.0));
    assert_eq!(sizes("package://two/meshes/arm.obj"), Ok(2.0));
    assert_eq!(sizes("model://two/meshes/arm.obj"), Ok(2.0));
    assert_eq!(sizes("$(find two)/meshes/arm.obj"), Ok(2.0));
    assert_eq!(sizes("file://$(find two)/meshes/arm.obj"), Ok(2.0));
    assert_eq!(sizes("package://three/meshes/arm.obj"), Ok(1.0));
    assert_eq!(sizes("../meshes/arm.obj"), Ok(1.0));
    assert_eq!(sizes("meshes\\hand.obj"), Ok(3.0));
    assert_eq!(sizes("package://one/meshes/hand.obj"), Ok(3.0));
    assert_eq!(sizes(&absolute.display().to_string()), Ok(4.0));
    assert_eq!(sizes(&format!("file://{}", absolute.display())), Ok(4.0));
    let urdf = top.join("one/urdf/one.urdf").display().to_string();
    let missing = sizes("package://one/meshes/leg.obj").unwrap_err();
    let real = top.canonicalize().unwrap();
    assert!(
        missing
            .starts_with(&format!("{urdf}:2: mesh \"package://one/meshes/leg.obj\" was not found; tried "))
    );
    for place in ["one/meshes/leg.obj", "one/one/meshes/leg.obj", "meshes/leg.obj"] {
        assert!(missing.contains(&real.join(place).display().to_string()), "{missing}");
    }
    // Two files that differ in case only: neither is meant. (Some file systems cannot hold both.)
    if !top.join("one/meshes/twice.obj").exists() {
        assert!(sizes("meshes/twice.obj").unwrap_err().contains("was not found"));
    }
    assert!(sizes("http://a.b/c.obj").unwrap_err().contains("not supported"));
    let text = format!(
        "{urdf}:2: {}:2: vertex index 3 is out of range: there are only 1",
        broken.canonicalize().unwrap().display()
    );
    assert_eq!(sizes("meshes/broken.obj"), Err(text));
    assert!(sizes("meshes/points.obj").unwrap_err().contains("points.obj: there are no triangles"));
    std::fs::remove_dir_all(&top).unwrap();
}

#[test]
fn srdf_errors() {
    let robot = robot("plain.urdf");
    let check = |text: &str, expected: &str| {
        let error = parse_srdf(text.as_bytes(), "r.srdf", &robot).expect_err(expected);
        assert_eq!(error.to_string(), format!("r.srdf{expected}"));
    };
    check(
        "<robot>\n<disable_collisions link1='base'/></robot>",
        ":2: <disable_collisions> needs link2=\"...\"",
    );
    check("<robot>\n", ":1: the file ends in the middle of <robot>");
    check("<scene/>", ":1: the root element is <scene>, but should be <robot>");
}

#[test]
fn waypoint_errors() {
    let (plain, untidy) = (robot("plain.urdf"), robot("untidy.urdf"));
    let check = |robot: &RobotFile, text: &str, expected: &str| {
        let error = parse_waypoints(text.as_bytes(), "w.csv", robot).expect_err(expected);
        assert_eq!(error.to_string(), format!("w.csv{expected}"), "{text}");
    };
    check(&plain, "", ": there are no joint names");
    check(&plain, "# nothing\n\n", ": there are no joint names");
    check(&plain, "turn,lift\n\n", ": there are no configurations under the joint names");
    check(&plain, "0.5,1\n0,0\n", ":1: the first line holds numbers, but must name the joints");
    let known = "the robot has turn, lift";
    check(
        &plain,
        "\nturn,lif\n0,0\n",
        &format!(":2: there is no joint called \"lif\"; {known}; did you mean \"lift\"?"),
    );
    check(&plain, "turn,lift,turn\n", ":1: joint \"turn\" is named twice");
    check(&plain, "turn,,lift\n", ":1: column 2 has no joint name");
    check(&plain, "turn,lift\n0,0\n0\n", ":3: a row needs 2 values, one per joint, but has 1");
    check(&plain, "turn,lift\n0,0\n0,0,\n", ":3: a row needs 2 values, one per joint, but has 3");
    check(&plain, "turn,lift\n0,0\n0,\n", ":3: lift cannot be read as a number: \"\"");
    check(&plain, "turn,lift\n0,0\n0,1.0.0\n", ":3: lift cannot be read as a number: \"1.0.0\"");
    check(&plain, "turn,lift\n0,0\nNaN,0\n", ":3: turn is not a finite number: NaN");
    check(&plain, "turn,lift\n0,0\n1e999,0\n", ":3: turn is not a finite number: 1e999");
    let single = "a path needs at least two rows, but this is the only one";
    check(&plain, "turn\n0\n1\n\n2\n\n3\n4\n", &format!(":5: {single}"));
    check(&plain, "turn\n0", &format!(":2: {single}"));
    check(&untidy, "left,right\n", ":1: joint \"right\" follows \"left\" (mimic)");
    check(&untidy, "tip_joint\n", ":1: joint \"tip_joint\" is fixed");
    check(&untidy, "slide\n", ":1: joint \"slide\" is planar: its columns are slide/x, slide/y, slide/theta");
    check(&untidy, "slide/x,slide/x\n", ":1: joint \"slide/x\" is named twice");
    check(&untidy, "slide/z\n", ":1: there is no joint called \"slide/z\"; the robot has wrist_joint, left");
}

/// Pieces of polynomials: the waypoints are their ends, and powers without a column are zero.
#[test]
fn polynomial_files() {
    let plain = robot("plain.urdf");
    let text = b"lift^1, turn^0 ,duration,turn^2\n0.5,1,2,0.25\n0,2,0.5,0\n\n1,0,1,0\n";
    let read = parse_waypoints(text, "w.csv", &plain).unwrap();
    assert_eq!(read.joints, ["lift", "turn"]);
    assert_eq!(read.paths.len(), 2);
    let path = &read.paths[0];
    assert_eq!(path.times.as_deref().unwrap(), [0.0, 2.0, 2.5]);
    assert_eq!(path.rows, [[0.0, 1.0], [0.0, 2.0], [0.0, 2.0]]);
    assert_eq!(path.lines, [2, 2, 3]);
    let pieces = path.polynomials.as_ref().unwrap();
    assert_eq!(pieces[0], [vec![0.0, 0.5], vec![1.0, 0.0, 0.25]]);
    assert_eq!(read.paths[1].lines, [5, 5]);
    let check = |text: &str, expected: &str| {
        let error = parse_waypoints(text.as_bytes(), "w.csv", &plain).expect_err(expected);
        assert_eq!(error.to_string(), format!("w.csv{expected}"), "{text}");
    };
    check("lift^0\n1\n", ":1: a file of polynomials needs a column called duration");
    check("duration,duration,lift^0\n", ":1: there are two columns called duration");
    check("duration,lift^0,lift^0\n", ":1: there are two columns called \"lift^0\"");
    check("duration,lift^12\n", ":1: \"lift^12\": the degree of a polynomial is at most 11");
    check(
        "duration,lift^0,turn\n",
        ":1: column 3 of a file of polynomials must be duration or JOINT^K, but is \"turn\"",
    );
    check(
        "duration,lif^0\n",
        ":1: there is no joint called \"lif\"; the robot has turn, lift; did you mean \"lift\"?",
    );
    check("duration,lift^0\n-1,0\n", ":2: the duration must be positive, but is -1");
    check("duration,lift^0\n1\n", ":2: a row needs 2 values, one per column, but has 1");
    check("duration,lift^7\n1e300,1e300\n", ":2: the polynomial of joint 1 is too large at its end");
}

/// A robot of one link and no joint, as mobile bases and fixtures are described.
#[test]
fn a_robot_without_joints() {
    let text = b"<robot name='post'><link name='post'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    let file = parse_urdf(text, "post.urdf").unwrap();
    assert_eq!((file.links.len(), file.joints.len()), (1, 0));
    let robot =
        firsttouch_io::build_robot(&file, &read_robot_meshes(&file).unwrap(), &Default::default()).unwrap();
    assert!(robot.variables().is_empty() && robot.links()[0].parts().len() == 1);
}

/// Real robots, if the folder with them lies beside the checkout; the numbers stand in its description.
#[test]
fn shared_robots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/robots");
    if !folder.is_dir() {
        return skipped("shared_robots");
    }
    let check = |name: &str, moving: usize, links: usize, triangles: usize, files: usize, sets: &[&str]| {
        let robot = read_urdf(&folder.join(format!("{name}/{name}.urdf"))).unwrap_or_else(|e| panic!("{e}"));
        let meshes = read_robot_meshes(&robot).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(robot.joints.iter().filter(|j| j.kind != JointKind::Fixed).count(), moving);
        assert_eq!(meshes.of_link.iter().filter(|list| list.iter().any(Option::is_some)).count(), links);
        let used = meshes.of_link.iter().flatten().flatten();
        assert_eq!(used.map(|&i| meshes.meshes[i].triangles.len()).sum::<usize>(), triangles);
        assert_eq!(meshes.meshes.len(), files);
        let srdf =
            read_srdf(&folder.join(format!("{name}/{name}.srdf")), &robot).unwrap_or_else(|e| panic!("{e}"));
        println!("{name}: {} disabled pairs; {:?}", srdf.disabled.len(), srdf.warnings);
        let mut count = 0;
        for set in sets {
            for k in 1..=20 {
                let path = folder.join(format!("{name}/{set}/{k}.csv"));
                let waypoints = read_waypoints(&path, &robot).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(waypoints.joints.len(), moving);
                assert_eq!(waypoints.paths.len(), 23);
                assert_eq!(waypoints.paths.iter().map(|p| p.rows.len() - 1).sum::<usize>(), 29);
                assert!(waypoints.warnings.is_empty(), "{:?}", waypoints.warnings);
                count += 1;
            }
        }
        count
    };
    let panda = check("panda", 7, 11, 3472, 10, &["bookshelf_small", "table_pick"]);
    let ur5 = check("ur5", 6, 17, 104_185, 13, &["table_pick"]);
    assert_eq!(panda + ur5, 60);
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}

/// The limit of a joint that follows twice as fast holds for its leader, and that of a joint that turns without end is
/// read. A limit of zero is none.
#[test]
fn limits_of_velocity() {
    let joint = |name: &str, kind: &str, velocity: &str, more: &str| {
        format!(
            "<link name='{name}_link'/><joint name='{name}' type='{kind}'><parent link='base'/><child link='{name}_link'/>
            <axis xyz='0 0 1'/><limit velocity='{velocity}'/>{more}</joint>"
        )
    };
    let follows = "<mimic joint='leader' multiplier='-2'/>";
    let text = [
        joint("leader", "revolute", "3", ""),
        joint("follower", "revolute", "4", follows),
        joint("wheel", "continuous", "7", ""),
        joint("free", "prismatic", "0", ""),
    ];
    let text = format!(
        "<robot name='r'><link name='base'><collision><geometry><sphere radius='1'/></geometry></collision></link>{}</robot>",
        text.concat()
    );
    let file = parse_urdf(text.as_bytes(), "r.urdf").unwrap();
    let robot = build_robot(&file, &read_robot_meshes(&file).unwrap(), &SrdfFile::default());
    let robot = robot.unwrap_or_else(|error| panic!("{error}"));
    let limit = |name: &str| robot.variables()[robot.variable(name).unwrap()].velocity;
    assert_eq!(["leader", "wheel", "free"].map(limit), [Some(2.0), Some(7.0), None]);
    assert_eq!(robot.variables().len(), 3);
}
