//! Is this edge of a roadmap free? A planar arm with two joints, built in code, and a ball in its way.
//!
//! Run it with `cargo run -p firsttouch --example robot_edge`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

use std::f64::consts::PI;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Answer, Body, Options, Result};
use glam::{DVec3, dvec3};

fn main() -> Result<()> {
    let ball = Body::new("ball", Sphere::new(0.1)?, Motion::fixed(Pose::from_translation(DVec3::Y * 1.5)?));
    let mut checker = Checker::new(arm()?, Pose::IDENTITY, vec![ball])?;
    let options = Options::default();

    // The stretched arm swings from +x over +y to -x. The ball is 1.5 away from the shoulder, and the side of the arm
    // meets it when its centre is 0.1 + 0.05 away from the arm's middle line: asin(0.15 / 1.5) before the arm points
    // along y.
    let (right, left) = ([0.0, 0.0], [PI, 0.0]);
    let report = checker.check_step(&right, &left, &options)?;
    let Answer::Touch(touch) = &report.answer else { panic!("the arm hits the ball") };
    let exact = 0.5 - 0.1_f64.asin() / PI;
    println!("swing: touch at t = {}, exact {exact}", touch.toi);
    println!("  {} touches the ball at {}", checker.robot().part_path(&touch.parts[0]), touch.points[1]);
    assert!(touch.toi <= exact && touch.toi > exact - 1e-5);
    assert_eq!(checker.robot().part_path(&touch.parts[0]), "forearm");

    // With the elbow folded the arm reaches 1.01 at most: fold, swing, unfold.
    let path = [right.to_vec(), vec![0.0, 2.5], vec![PI, 2.5], left.to_vec()];
    let report = checker.check_path(&path, &options, |_| ())?;
    println!("fold, swing, unfold: {:?}, {} segments checked", report.answer, report.checked);
    assert_eq!((report.answer, report.checked), (Answer::Free, 3));

    // The ball moves away, and the checker is told so. The same swing is now proven free.
    checker.move_obstacle("ball", Pose::from_translation(DVec3::Y * 2.2)?)?;
    assert_eq!(checker.check_step(&right, &left, &options)?.answer, Answer::Free);
    // The arm may also stand still below the ball, at a distance of 2.2 - 0.1 - 2 = 0.1, but not closer than 0.11 to
    // it.
    assert_eq!(checker.check_state(&[PI / 2.0, 0.0], &options)?.answer, Answer::Free);
    let wide = Options { min_separation: 0.11, ..options };
    assert_ne!(checker.check_state(&[PI / 2.0, 0.0], &wide)?.answer, Answer::Free);
    println!("with the ball at y = 2.2: free");
    Ok(())
}

/// Two links of length 1 and width 0.1 in the plane z = 0; both joints turn about z.
fn arm() -> Result<Robot> {
    let bar = || -> Result<LinkPart> {
        let shape = Cuboid::new(dvec3(1.0, 0.1, 0.1))?.into();
        Ok(LinkPart { shape, pose: Pose::from_translation(dvec3(0.5, 0.0, 0.0))? })
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| -> Result<Joint> {
        Ok(Joint {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            origin: Pose::from_translation(DVec3::X * x)?,
            kind: JointKind::Revolute { axis: DVec3::Z },
            limits: Some([-PI, PI]),
            mimic: None,
        })
    };
    let links =
        vec![("base".into(), vec![]), ("upper arm".into(), vec![bar()?]), ("forearm".into(), vec![bar()?])];
    let joints =
        vec![joint("shoulder", "base", "upper arm", 0.0)?, joint("elbow", "upper arm", "forearm", 1.0)?];
    Robot::new("arm", links, joints)
}
