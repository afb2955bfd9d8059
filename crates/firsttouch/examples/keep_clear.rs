//! A small trajectory optimiser: it pushes a path of an arm with the kinematics of a Panda to a clearance of 5 cm, and
//! ends with a proof.
//!
//! The hand of the arm goes from one side of a column to the other, under a shelf. Each round finds where the whole
//! path is closest to anything, and how that distance changes with the two waypoints around it. The waypoints in
//! between are moved along that direction; the ends stay. Run it with `cargo run -p firsttouch --example keep_clear`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid};
use firsttouch::{Answer, Body, MotionGradient, Options, Result};
use glam::{DQuat, DVec3, dvec3};

const WANTED: f64 = 0.05;

fn main() -> Result<()> {
    let block = |name: &str, at: DVec3, sides: DVec3| -> Result<Body> {
        Ok(Body::new(name, Cuboid::new(sides)?, Motion::fixed(Pose::from_translation(at)?)))
    };
    let obstacles = vec![
        block("column", dvec3(0.31, 0.0, 0.235), dvec3(0.1, 0.1, 0.47))?,
        block("shelf", dvec3(0.45, 0.0, 0.92), dvec3(0.5, 1.2, 0.04))?,
        block("table", dvec3(0.45, 0.0, -0.05), dvec3(0.6, 1.2, 0.1))?,
    ];
    let checker = Checker::new(arm()?, Pose::IDENTITY, obstacles)?;
    // The usual pose above the table, turned from one side of the column to the other.
    let pose = |turn: f64| vec![turn, -FRAC_PI_4, 0.0, -3.0 * FRAC_PI_4, 0.0, FRAC_PI_2, FRAC_PI_4];
    let mut path: Vec<Vec<f64>> = (0..=6).map(|k| pose(-0.9 + 0.3 * f64::from(k))).collect();
    let options = Options { tolerance: 1e-5, ..Options::default() };

    let mut rounds = 0;
    let last = loop {
        let found = checker.clearance(&path, &options)?.expect("there are shelves");
        let (k, clearance) = (found.segment, &found.clearance);
        // A little more than wanted, so that the proof below does not end within its tolerance.
        let is_reached = clearance.lower > WANTED + 10.0 * options.tolerance;
        if rounds % 10 == 0 || is_reached {
            println!("round {rounds:>3}: {:.4} in segment {k} at t = {:.3}", clearance.lower, clearance.t);
        }
        if is_reached || rounds == 400 {
            break clearance.lower;
        }
        rounds += 1;
        let gradient = checker.clearance_gradient(&path[k], &path[k + 1], clearance)?;
        let [MotionGradient::Joints { from, to }, _] = &gradient.bodies else { panic!("the arm is a robot") };
        // Only waypoints in between may move.
        let (first, end) = (k == 0, k + 2 == path.len());
        let free =
            |fixed: bool, part: &[f64]| if fixed { 0.0 } else { part.iter().map(|x| x * x).sum::<f64>() };
        let steepness = free(first, from) + free(end, to);
        if steepness < 1e-12 {
            break clearance.lower;
        }
        // Far enough to gain the missing clearance, and a little more, but in small steps.
        let step = ((WANTED + 0.002 - clearance.lower).min(0.01) / steepness).min(0.1 / steepness.sqrt());
        for (waypoint, part, fixed) in [(k, from, first), (k + 1, to, end)] {
            if !fixed {
                path[waypoint].iter_mut().zip(part).for_each(|(q, by)| *q += step * by);
            }
        }
    };

    assert!(last >= WANTED, "stopped at a clearance of {last}");
    // The proof: the whole path, with a separation of 5 cm to be kept.
    let report = checker.check_path(&path, &Options { min_separation: WANTED, ..options }, |_| ())?;
    assert_eq!(report.answer, Answer::Free);
    println!("after {rounds} rounds all {} segments are proven to keep {WANTED}", report.segments);
    Ok(())
}

/// An arm with the joints of a Panda, its links as capsules and its hand as a box.
fn arm() -> Result<Robot> {
    let quarter = DQuat::from_rotation_x(FRAC_PI_2);
    // The place of each joint in the frame of the link before it. All turn about z.
    let joints = [
        (dvec3(0.0, 0.0, 0.333), DQuat::IDENTITY),
        (DVec3::ZERO, quarter.inverse()),
        (dvec3(0.0, -0.316, 0.0), quarter),
        (dvec3(0.0825, 0.0, 0.0), quarter),
        (dvec3(-0.0825, 0.384, 0.0), quarter.inverse()),
        (DVec3::ZERO, quarter),
        (dvec3(0.088, 0.0, 0.0), quarter),
    ];
    // Radius, length and height of the middle of each link's capsule, which is along z.
    let capsules = [
        (0.06, 0.15, 0.08),
        (0.06, 0.2, -0.14),
        (0.06, 0.12, 0.0),
        (0.06, 0.15, -0.12),
        (0.06, 0.12, 0.0),
        (0.06, 0.2, -0.2),
        (0.05, 0.08, 0.0),
        (0.04, 0.08, 0.06),
    ];
    let part = |(radius, length, middle): (f64, f64, f64)| -> Result<Vec<LinkPart>> {
        let pose = Pose::from_translation(DVec3::Z * middle)?;
        Ok(vec![LinkPart { shape: Capsule::new(radius, length)?.into(), pose }])
    };
    let mut links = Vec::new();
    for (k, capsule) in capsules.into_iter().enumerate() {
        links.push((format!("link{k}"), part(capsule)?));
    }
    let hand = LinkPart {
        shape: Cuboid::new(dvec3(0.06, 0.2, 0.1))?.into(),
        pose: Pose::from_translation(DVec3::Z * 0.05)?,
    };
    links.push(("hand".into(), vec![hand]));
    let joint = |name: String, parent: usize, child: &str, origin: Pose, kind: JointKind| Joint {
        name,
        parent: format!("link{parent}"),
        child: child.into(),
        origin,
        kind,
        limits: None,
        mimic: None,
    };
    let mut described = Vec::new();
    for (k, (at, turned)) in joints.into_iter().enumerate() {
        let origin = Pose::new(at, turned)?;
        let kind = JointKind::Revolute { axis: DVec3::Z };
        described.push(joint(format!("joint{}", k + 1), k, &format!("link{}", k + 1), origin, kind));
    }
    let flange = Pose::new(DVec3::Z * 0.107, DQuat::from_rotation_z(-FRAC_PI_4))?;
    described.push(joint("flange".into(), 7, "hand", flange, JointKind::Fixed));
    let mut robot = Robot::new("panda", links, described)?;
    // Links that are close along the arm overlap at the joints between them.
    let names: Vec<String> = (0..8).map(|k| format!("link{k}")).chain(["hand".to_string()]).collect();
    for (k, name) in names.iter().enumerate() {
        for other in names.iter().skip(k + 2).take(3) {
            robot.allow(name, other)?;
        }
    }
    Ok(robot)
}
