//! A small trajectory optimiser: it pushes a path of an arm with seven joints to a clearance of 5 cm, and ends with a proof.
//!
//! Each round finds where the whole path is closest to anything, and how that distance changes with the two waypoints around it. The
//! waypoints in between are moved along that direction; the ends stay. Run it with `cargo run -p firsttouch --example keep_clear`.

use std::f64::consts::FRAC_PI_2;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid};
use firsttouch::{Answer, Body, MotionGradient, Options, Result};
use glam::{DVec3, dvec3};

const WANTED: f64 = 0.05;

fn main() -> Result<()> {
    // Two shelves in front of the arm, one above the other.
    let shelf = |name: &str, z: f64| -> Result<Body> {
        let at = Motion::fixed(Pose::from_translation(dvec3(0.65, 0.0, z))?);
        Ok(Body::new(name, Cuboid::new(dvec3(0.4, 1.2, 0.02))?, at))
    };
    let checker = Checker::new(arm()?, Pose::IDENTITY, vec![shelf("lower", 0.25)?, shelf("upper", 0.95)?])?;
    // The arm reaches out between the shelves at both ends of the path, and swings from one side to the other.
    let pose = |turn: f64, lift: f64| vec![turn, 0.5 + lift, 0.0, FRAC_PI_2 + 0.35, 0.0, -0.4, 0.0];
    let mut path: Vec<Vec<f64>> = (0..=6)
        .map(|k| pose(-0.6 + 0.2 * f64::from(k), 0.28 * (1.0 - (f64::from(k) / 3.0 - 1.0).abs())))
        .collect();
    let options = Options { tolerance: 1e-5, ..Options::default() };

    let mut rounds = 0;
    let last = loop {
        let found = checker.clearance(&path, &options)?.expect("there are shelves");
        let (k, clearance) = (found.segment, &found.clearance);
        if rounds % 10 == 0 || clearance.lower >= WANTED {
            println!("round {rounds:>3}: {:.4} in segment {k} at t = {:.3}", clearance.lower, clearance.t);
        }
        if clearance.lower >= WANTED || rounds == 400 {
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
        // Far enough to gain what is missing, and a little more, but in small steps.
        let step = ((WANTED + 0.002 - clearance.lower).min(0.01) / steepness).min(0.1 / steepness.sqrt());
        for (waypoint, part, fixed) in [(k, from, first), (k + 1, to, end)] {
            if !fixed {
                path[waypoint].iter_mut().zip(part).for_each(|(q, by)| *q += step * by);
            }
        }
    };

    assert!(last >= WANTED, "stopped at a clearance of {last}");
    // The proof: the whole path, with a separation of 5 cm to be kept.
    let report = checker.check_path(&path, &Options { min_separation: WANTED - 1e-4, ..options }, |_| ())?;
    assert_eq!(report.answer, Answer::Free);
    println!(
        "after {rounds} rounds all {} segments are proven to keep {:.4}",
        report.segments,
        WANTED - 1e-4
    );
    Ok(())
}

/// An arm with the proportions of a common one of seven joints, its links as capsules.
fn arm() -> Result<Robot> {
    let link = |length: f64| -> Result<Vec<LinkPart>> {
        let shape = Capsule::new(0.05, length)?.into();
        Ok(vec![LinkPart { shape, pose: Pose::from_translation(DVec3::Z * 0.5 * length)? }])
    };
    let lengths = [0.2, 0.3, 0.1, 0.3, 0.1, 0.2, 0.1];
    let mut links = vec![("base".to_string(), vec![])];
    let mut joints = Vec::new();
    let mut below = 0.2;
    for (k, length) in lengths.into_iter().enumerate() {
        let (name, parent) =
            (format!("link{k}"), if k == 0 { "base".into() } else { format!("link{}", k - 1) });
        links.push((name.clone(), link(length)?));
        joints.push(Joint {
            name: format!("joint{k}"),
            parent,
            child: name,
            origin: Pose::from_translation(DVec3::Z * below)?,
            kind: JointKind::Revolute { axis: if k % 2 == 0 { DVec3::Z } else { DVec3::Y } },
            limits: None,
            mimic: None,
        });
        below = length;
    }
    let mut robot = Robot::new("arm", links, joints)?;
    // Links that are two apart overlap at the joint between them.
    for k in 0..lengths.len() {
        for j in k + 2..lengths.len().min(k + 4) {
            robot.allow(&format!("link{k}"), &format!("link{j}"))?;
        }
    }
    Ok(robot)
}
