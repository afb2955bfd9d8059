//! A small simulation: boxes and balls fall, land on each other and come to rest. Nothing ever tunnels.
//!
//! Each step checks the motion under gravity. The two bodies of a touch are slowed down along the normal so that they
//! stop before it, and the scene is checked again, until the whole step is proven free. So every step begins and ends
//! with a gap of at least `GAP` between all bodies. Run it with `cargo run -p firsttouch --example resting_bodies`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Shape, Sphere};
use firsttouch::{Answer, Body, Options, Result, Scene};
use glam::{DVec3, dvec3};

/// Bodies come no closer to each other than this.
const GAP: f64 = 1e-3;

/// Shorter approaches are not made: at the start of a step the gap must be larger than `GAP` by more than the
/// tolerance.
const SHORT: f64 = 1e-4;

/// The length of a step in seconds: long enough for a falling ball to pass through the floor in one step.
const SECONDS: f64 = 0.05;

/// Gravity in m/s².
const GRAVITY: DVec3 = dvec3(0.0, 0.0, -9.81);

struct Falling {
    name: &'static str,
    position: DVec3,
    velocity: DVec3,
}

fn main() -> Result<()> {
    let mut scene = Scene::default();
    // The floor is 1 cm thick and its top is at z = 0.
    let floor = Pose::from_translation(dvec3(0.0, 0.0, -0.005))?;
    scene.add(Body::new("floor", Cuboid::new(dvec3(20.0, 20.0, 0.01))?, Motion::fixed(floor)))?;
    let mut bodies = Vec::new();
    let mut drop = |name: &'static str, shape: Shape, position: DVec3, velocity: DVec3| -> Result<()> {
        scene.add(Body::new(name, shape, Motion::fixed(Pose::from_translation(position)?)))?;
        bodies.push(Falling { name, position, velocity });
        Ok(())
    };
    drop("lower box", Cuboid::new(DVec3::splat(1.0))?.into(), dvec3(0.0, 0.0, 1.0), DVec3::ZERO)?;
    drop("upper box", Cuboid::new(DVec3::splat(0.6))?.into(), dvec3(0.1, 0.0, 3.0), DVec3::ZERO)?;
    drop("ball", Sphere::new(0.25)?.into(), dvec3(0.1, 0.1, 5.0), DVec3::ZERO)?;
    drop("sliding ball", Sphere::new(0.25)?.into(), dvec3(-4.0, 0.0, 0.5), dvec3(2.0, 0.0, 0.0))?;

    let mut checks = 0;
    for _ in 0..60 {
        checks += step(&mut scene, &mut bodies)?;
    }
    println!("after 3 seconds, 60 steps and {checks} checks:");
    for body in &bodies {
        println!("  {:<12} z = {:.6}, speed {:.6}", body.name, body.position.z, body.velocity.length());
    }

    // The stack stands: 0.5, then 1 + 0.3, then 1.6 + 0.25, each with gaps of 1 mm below it, and not much more.
    for (body, (height, gaps)) in bodies.iter().zip([(0.5, 1.0), (1.3, 2.0), (1.85, 3.0), (0.25, 1.0)]) {
        let above = body.position.z - (height + gaps * GAP);
        assert!((0.0..1e-3).contains(&above), "{} is {above} above its place", body.name);
    }
    // The sliding ball hit the lower box, whose near side is at x = -0.5, and stopped there.
    let above = -0.5 - 0.25 - GAP - bodies[3].position.x;
    assert!((0.0..1e-3).contains(&above), "the sliding ball is {above} from its place");
    Ok(())
}

/// Moves all bodies by one step, or by the part of it that is proven free. Returns the number of checks of the scene.
fn step(scene: &mut Scene, bodies: &mut [Falling]) -> Result<u32> {
    let options = Options { min_separation: GAP, ..Options::default() };
    let mut moves: Vec<DVec3> =
        bodies.iter().map(|body| (body.velocity + GRAVITY * SECONDS) * SECONDS).collect();
    for check in 1..=100 {
        for (body, &by) in bodies.iter().zip(&moves) {
            let [from, to] = [body.position, body.position + by].map(Pose::from_translation);
            scene.set_motion(body.name, Motion::linear(from?, to?))?;
        }
        let touch = match scene.check(&options)?.answer {
            Answer::Free => {
                for (body, by) in bodies.iter_mut().zip(moves) {
                    (body.position, body.velocity) = (body.position + by, by / SECONDS);
                }
                return Ok(check);
            }
            Answer::Touch(touch) => touch,
            answer => panic!("a step begins with a gap between all bodies: {answer:?}"),
        };
        // Each body keeps 0.9 of its approach to the touch, and nothing of an approach that is already short. Its
        // motion along the surface stays.
        for (side, towards) in [touch.normal, -touch.normal].into_iter().enumerate() {
            // Body 0 of the scene is the floor.
            if let Some(moved) = touch.bodies[side].checked_sub(1) {
                let closing = moves[moved].dot(towards).max(0.0);
                let approach = closing * touch.toi;
                moves[moved] -= towards * (closing - if approach > SHORT { 0.9 * approach } else { 0.0 });
            }
        }
    }
    panic!("100 checks are enough for a few bodies");
}
