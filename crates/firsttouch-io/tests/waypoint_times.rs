//! Times and velocities in waypoint files, and patterns in scenes.

use firsttouch_io::{RobotFile, parse_scene, parse_urdf, parse_waypoints};

fn robot() -> RobotFile {
    let text = br#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="x" type="prismatic"><parent link="a"/><child link="b"/></joint>
        <joint name="y" type="prismatic"><parent link="b"/><child link="c"/></joint></robot>"#;
    parse_urdf(text, "r.urdf").unwrap()
}

#[test]
fn columns_in_any_order() {
    let text = b"y/velocity, y, time, \"x\"\n1,2,0,3\n4,5,0.5,6\n\n7,8,0,9\n1,1,1,1\n";
    let read = parse_waypoints(text, "q.csv", &robot()).unwrap();
    assert_eq!(read.joints, ["y", "x"]);
    let first = &read.paths[0];
    assert_eq!(first.rows, [[2.0, 3.0], [5.0, 6.0]]);
    assert_eq!(first.times, Some(vec![0.0, 0.5]));
    assert_eq!(first.velocities, Some(vec![vec![1.0, 0.0], vec![4.0, 0.0]]));
    // Another path has its own time.
    assert_eq!(read.paths[1].times, Some(vec![0.0, 1.0]));
    let plain = parse_waypoints(b"x\n0\n1\n", "q.csv", &robot()).unwrap();
    assert_eq!((&plain.paths[0].times, &plain.paths[0].velocities), (&None, &None));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, says) in [
        ("time,x\n0,0\n0,1\n", "q.csv:3: the time 0 is not after 0, that of the row before"),
        ("time,x,time\n0,0,0\n", "q.csv:1: there are two columns called time"),
        ("x,y/velocity\n0,0\n", "q.csv:1: there is no column \"y\" for \"y/velocity\""),
        ("x,x/velocity,x/velocity\n0,0,0\n", "q.csv:1: there are two columns called \"x/velocity\""),
        ("time\n0\n1\n", "q.csv:1: the first line names no joint"),
        ("time,x\n0,1\ninf,2\n", "q.csv:3: time is not a finite number: inf"),
        ("time,x\n0,1\n1\n", "q.csv:3: a row needs 2 values, one per column, but has 1"),
    ] {
        let error = parse_waypoints(text.as_bytes(), "q.csv", &robot()).unwrap_err().to_string();
        assert_eq!(error, says);
    }
}

/// A pattern stands for all bodies that match, and must match one.
#[test]
fn patterns_in_allow() {
    let ball = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = {{ radius = 1 }} }}\n");
    let bodies = ball("left_1") + &ball("left_2") + &ball("right");
    let read = parse_scene(&format!("allow = [[\"left_?\", \"*\"]]\n{bodies}"), "s.toml").unwrap();
    let expected = [["left_1", "left_2"], ["left_1", "right"], ["left_2", "left_1"], ["left_2", "right"]];
    assert_eq!(read.allow, expected);
    let error = parse_scene(&format!("allow = [[\"up*\", \"right\"]]\n{bodies}"), "s.toml").unwrap_err();
    assert_eq!(error.to_string(), "s.toml:1: allow: there is no body called \"up*\"");
}
