//! Two shapes in motion: when do they first touch, and where?
//!
//! A cube of side 2 makes a quarter turn about z, and a ball of radius 1 stands beside it. Run it with
//! `cargo run -p firsttouch --example two_shapes`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

use std::f64::consts::FRAC_PI_2;

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Answer, Body, Options, Result, Scene};
use glam::{DQuat, DVec3};

fn main() -> Result<()> {
    let quarter_turn = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(FRAC_PI_2))?;
    let cube =
        Body::new("cube", Cuboid::new(DVec3::splat(2.0))?, Motion::linear(Pose::IDENTITY, quarter_turn));
    let ball = Body::new("ball", Sphere::new(1.0)?, at_rest(2.4)?);

    let mut scene = Scene::default();
    scene.add(cube)?;
    scene.add(ball)?;
    let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!("they touch") };
    println!("touch at t = {}", touch.toi);
    println!("  points {} and {}", touch.points[0], touch.points[1]);
    println!("  normal {}, gap at most {:.1e}", touch.normal, touch.gap);

    // The edge at (1, -1) is sqrt(2) away from the axis. At the angle a it has turned to the direction a - 45 degrees.
    // It reaches the ball when it is 1 away from the centre at x = 2.4: 2 + 2.4^2 - 2 * 2.4 * sqrt(2) * cos(a - 45
    // degrees) = 1.
    let cosine = (2.0 + 2.4 * 2.4 - 1.0) / (2.0 * 2.4 * 2.0_f64.sqrt());
    let exact = 0.5 - cosine.acos() / FRAC_PI_2;
    println!("  exact time {exact}");
    // The reported time is never late, and at that time the gap is within the tolerance of 1e-6.
    assert!(touch.toi <= exact && touch.toi > exact - 1e-5);
    assert!(touch.gap <= 1e-6);

    // The cube never reaches further than sqrt(2) = 1.414.., so a ball whose near side is at x = 1.42 is never touched.
    scene.set_motion("ball", at_rest(2.42)?)?;
    let answer = scene.check(&Options::default())?.answer;
    println!("with the ball at x = 2.42: {answer:?}");
    assert_eq!(answer, Answer::Free);
    Ok(())
}

/// At rest on the x axis.
fn at_rest(x: f64) -> Result<Motion> {
    Ok(Motion::fixed(Pose::from_translation(DVec3::X * x)?))
}
