//! Scenes from a workplace: a door, a pick and place, and a whole cycle of an arm beside a belt. Files with the same
//! scenes are in `testdata/scenes`.

use std::f64::consts::FRAC_PI_2;

use firsttouch::articulated::{Grasp, Joint, JointKind, LinkPart, Mimic, Robot, RobotPath, Trajectory};
use firsttouch::motion::{By, Leg, Motion, Path, Pose};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Shape, Sphere};
use firsttouch::{Body, Result, Scene};
use glam::{DQuat, DVec3};

fn at(x: f64, y: f64, z: f64) -> Result<Pose> {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn block(x: f64, y: f64, z: f64) -> Result<Shape> {
    Ok(Cuboid::new(DVec3::new(x, y, z))?.into())
}

/// A door opens by 90 degrees about its hinge, slides aside and waits; a handle turns on it. It meets a post at
/// `x = -1` while it slides from `x = 0` to `x = -2` during the times from 1/4 to 3/4. The door is 0.05 thick, and the
/// post has the radius 0.1.
///
/// ```
/// let scene = firsttouch_scenes::workplace::door()?;
/// let toi = scene.check(&firsttouch::Options::default())?.answer.touch().unwrap().toi;
/// assert!(toi <= 0.25 + 0.875 / 4.0 && toi > 0.25 + 0.875 / 4.0 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn door() -> Result<Scene> {
    let quarter = DQuat::from_rotation_z(FRAC_PI_2);
    let legs = [
        Leg { until: 1.0, by: By::Turn { axis: DVec3::Z, point: DVec3::ZERO, angle: FRAC_PI_2 } },
        Leg { until: 3.0, by: By::Linear(Pose::new(DVec3::new(-2.0, 0.5, 0.0), quarter)?) },
        Leg { until: 4.0, by: By::Hold },
    ];
    let opening = Motion::from(Path::new(at(0.5, 0.0, 0.0)?, &legs, 4.0)?);
    let lying = Pose::new(DVec3::new(0.45, -0.06, 0.0), DQuat::from_rotation_y(FRAC_PI_2))?;
    let pressed = Motion::turn(lying, DVec3::Y, DVec3::new(0.4, -0.06, 0.0), 0.25 * std::f64::consts::PI)?;
    let mut scene = Scene::default();
    scene.add(Body::new("door", block(1.0, 0.05, 2.0)?, opening.clone()))?;
    scene.add(Body::new("handle", Capsule::new(0.01, 0.1)?, pressed.within(&opening)))?;
    scene.add(Body::new("post", Sphere::new(0.1)?, Motion::fixed(at(-1.0, 0.5, 0.0)?)))?;
    Ok(scene)
}

/// A gantry takes a part from a table, carries it over a fence and puts it down. When its hand is gone, a pusher comes
/// and touches the part.
///
/// ```
/// let scene = firsttouch_scenes::workplace::pick_and_place()?;
/// let answer = scene.check(&firsttouch::Options::default())?.answer;
/// let toi = answer.touch().unwrap().toi;
/// // The pusher starts at y = 0.6 with the last of nine segments, and touches the part when it is at y = 0.09.
/// let exact = (8.0 + 0.51 / 0.6) / 9.0;
/// assert!(toi <= exact && toi > exact - 1e-5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn pick_and_place() -> Result<Scene> {
    let robot = gantry()?;
    let (open, shut) = (0.03, 0.0);
    let waypoints = [
        [0.0, 0.5, open],
        [0.3, 0.5, open],
        [0.3, 0.14, open],
        [0.3, 0.14, shut],
        [0.3, 0.5, shut],
        [0.8, 0.5, shut],
        [0.8, 0.14, shut],
        [0.8, 0.14, open],
        [0.8, 0.5, open],
        [0.0, 0.5, open],
    ];
    let waypoints: Vec<Vec<f64>> = waypoints.iter().map(|row| row.to_vec()).collect();
    let times: Vec<f64> = (0..waypoints.len()).map(|k| k as f64).collect();
    let way = Trajectory::linear(&robot, &times, &waypoints)?;
    let mut scene = Scene::default();
    scene.leave_out_resting(true);
    scene.add(Body::robot_along("gantry", RobotPath::new(robot, Pose::IDENTITY, way)?))?;
    scene.add(Body::new("table", block(2.0, 1.0, 0.1)?, Motion::fixed(at(0.5, 0.0, -0.05)?)))?;
    scene.add(Body::new("fence", block(0.02, 1.0, 0.3)?, Motion::fixed(at(0.55, 0.0, 0.15)?)))?;
    scene.add(Body::new("part", block(0.08, 0.08, 0.08)?, Motion::fixed(at(0.3, 0.0, 0.04)?)))?;
    let legs = [Leg { until: 8.0, by: By::Hold }, Leg { until: 9.0, by: By::Linear(at(0.8, 0.0, 0.1)?) }];
    let pushing = Motion::from(Path::new(at(0.8, 0.6, 0.1)?, &legs, 9.0)?);
    scene.add(Body::new("pusher", block(0.1, 0.1, 0.1)?, pushing))?;
    scene.grasp(
        "gantry",
        Grasp {
            body: "part".into(),
            link: "hand".into(),
            touch_links: vec!["finger_left".into(), "finger_right".into()],
            may_touch: vec!["table".into()],
            from: 3,
            until: Some(6),
        },
    )?;
    Ok(scene)
}

/// The gantry slides along x and z, and two fingers close on the part between them.
fn gantry() -> Result<Robot> {
    let finger = || -> Result<Vec<LinkPart>> {
        Ok(vec![LinkPart { shape: block(0.02, 0.02, 0.1)?, pose: at(0.0, 0.0, -0.07)? }])
    };
    let links = vec![
        ("frame".to_string(), vec![]),
        ("beam".to_string(), vec![]),
        ("hand".to_string(), vec![LinkPart { shape: block(0.14, 0.04, 0.04)?, pose: Pose::IDENTITY }]),
        ("finger_left".to_string(), finger()?),
        ("finger_right".to_string(), finger()?),
    ];
    let slide = |name: &str, parent: &str, child: &str, origin: Pose, axis: DVec3| Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin,
        kind: JointKind::Prismatic { axis },
        limits: None,
        mimic: None,
    };
    let mut right = slide("grip_right", "hand", "finger_right", at(0.05, 0.0, 0.0)?, DVec3::X);
    right.mimic = Some(Mimic { joint: "grip".into(), multiplier: 1.0, offset: 0.0 });
    let joints = vec![
        slide("x", "frame", "beam", Pose::IDENTITY, DVec3::X),
        slide("z", "beam", "hand", Pose::IDENTITY, DVec3::Z),
        slide("grip", "hand", "finger_left", at(-0.05, 0.0, 0.0)?, DVec3::NEG_X),
        right,
    ];
    Robot::new("gantry", links, joints)
}

/// An arm with the axes and lengths of a UR5, in capsules, goes through a whole cycle on a spline, while a box on a
/// belt waits and then passes: it arrives when the arm is in the way.
///
/// ```
/// let scene = firsttouch_scenes::workplace::work_cycle()?;
/// assert!(scene.check(&firsttouch::Options::default())?.answer.touch().is_some());
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn work_cycle() -> Result<Scene> {
    let robot = six_axes()?;
    let [reach, lowered] = [[0.4, 1.2, 1.0], [0.9, 1.2, 0.8]];
    let row = |pan: f64, [lift, elbow, bend]: [f64; 3]| vec![pan, lift, elbow, bend, 0.25 * pan, 0.2];
    let home = row(0.0, [0.2, 0.8, 0.5]);
    let waypoints = [
        home.clone(),
        row(1.2, reach),
        row(1.2, lowered),
        row(1.2, reach),
        row(-1.2, reach),
        row(-1.2, lowered),
        row(-1.2, reach),
        home,
    ];
    let way = Trajectory::spline(&robot, &[0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0], &waypoints)?;
    let mut scene = Scene::default();
    scene.leave_out_resting(true);
    scene.add(Body::robot_along("arm", RobotPath::new(robot, Pose::IDENTITY, way)?))?;
    scene.add(Body::new("floor", block(4.0, 4.0, 0.1)?, Motion::fixed(at(0.0, 0.0, -0.8)?)))?;
    let legs = [
        Leg { until: 2.5, by: By::Hold },
        Leg { until: 5.0, by: By::Linear(at(0.6, 1.8, 0.35)?) },
        Leg { until: 8.0, by: By::Hold },
    ];
    let belt = Motion::from(Path::new(at(0.6, -1.5, 0.35)?, &legs, 8.0)?);
    scene.add(Body::new("box", block(0.3, 0.3, 0.3)?, belt))?;
    Ok(scene)
}

fn six_axes() -> Result<Robot> {
    let bone = |radius: f64, length: f64, z: f64| -> Result<Vec<LinkPart>> {
        Ok(vec![LinkPart { shape: Capsule::new(radius, length)?.into(), pose: at(0.0, 0.0, z)? }])
    };
    let ball = |radius: f64| -> Result<Vec<LinkPart>> {
        Ok(vec![LinkPart { shape: Sphere::new(radius)?.into(), pose: Pose::IDENTITY }])
    };
    let foot = LinkPart { shape: Cylinder::new(0.075, 0.03)?.into(), pose: at(0.0, 0.0, 0.0)? };
    let links = vec![
        ("base".to_string(), vec![foot]),
        ("shoulder".to_string(), ball(0.06)?),
        ("upper".to_string(), bone(0.055, 0.25, 0.23)?),
        ("forearm".to_string(), bone(0.045, 0.22, 0.21)?),
        ("wrist1".to_string(), ball(0.045)?),
        ("wrist2".to_string(), ball(0.04)?),
        ("tool".to_string(), bone(0.03, 0.03, 0.075)?),
    ];
    let names = ["pan", "lift", "elbow", "bend", "swing", "twist"];
    let axes = [DVec3::Z, DVec3::Y, DVec3::Y, DVec3::Y, DVec3::Z, DVec3::Y];
    // The lengths of a UR5: 89 mm to the shoulder, 425 and 392 mm from there to the wrist, and 95 and 82 mm within it.
    let origins = [
        at(0.0, 0.0, 0.089)?,
        Pose::IDENTITY,
        at(0.0, 0.0, 0.425)?,
        at(0.0, 0.0, 0.392)?,
        at(0.0, 0.0, 0.095)?,
        at(0.0, 0.0, 0.082)?,
    ];
    let joints = (0..6).map(|k| Joint {
        name: names[k].into(),
        parent: links[k].0.clone(),
        child: links[k + 1].0.clone(),
        origin: origins[k],
        kind: JointKind::Revolute { axis: axes[k] },
        limits: None,
        mimic: None,
    });
    let joints = joints.collect();
    let mut robot = Robot::new("six_axes", links, joints)?;
    // Links that are two joints apart are close all the time.
    for (a, b) in [("base", "upper"), ("forearm", "wrist2"), ("wrist1", "tool"), ("forearm", "tool")] {
        robot.allow(a, b)?;
    }
    Ok(robot)
}
