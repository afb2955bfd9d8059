//! A wooden man falls on pots and plates that stand on the ground.

use firsttouch::motion::{Motion, Pose};
use firsttouch::{Body, Result};
use glam::{DQuat, dvec3};

use super::wooden_man::{articulated, place, posture, wooden_man};
use super::{AdaptiveScene, Assembly, not_free};
use crate::dynamics::Setup;
use crate::random::Random;
use crate::shapes::floor;
use crate::turned::{along, turned};

/// A pot with a bulging wall, 0.4 high, and a plate, 0.06 high: outlines from the middle of the bottom to the middle of
/// the top.
const POT: [(f64, f64); 13] = [
    (0.0, 0.0),
    (0.12, 0.0),
    (0.18, 0.06),
    (0.21, 0.16),
    (0.19, 0.28),
    (0.15, 0.34),
    (0.18, 0.4),
    (0.165, 0.4),
    (0.135, 0.34),
    (0.175, 0.28),
    (0.195, 0.16),
    (0.165, 0.07),
    (0.0, 0.02),
];
const PLATE: [(f64, f64); 9] = [
    (0.0, 0.0),
    (0.12, 0.0),
    (0.14, 0.02),
    (0.24, 0.05),
    (0.25, 0.06),
    (0.235, 0.06),
    (0.14, 0.035),
    (0.12, 0.015),
    (0.0, 0.015),
];

/// Six pots and ten plates stand on a floor.
const POTS: usize = 6;
const PLATES: usize = 10;

/// A man of `triangles` triangles falls, lying in the air, on six pots and ten plates of `static_triangles` in all. A
/// pot has twice as many triangles as a plate.
///
/// ```
/// let scene = firsttouch_scenes::adaptive::falling_man(16_000, 44_000)?;
/// assert_eq!((scene.bodies(), scene.triangles(), scene.static_triangles()), (29, 15_776, 44_002));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn falling_man(triangles: usize, static_triangles: usize) -> Result<AdaptiveScene> {
    let mut man = Assembly::new();
    wooden_man(&mut man, "wooden", triangles)?;
    let linkage = articulated(man, "falling man")?;
    let mut scene = AdaptiveScene {
        name: "falling man",
        start: linkage.robot().zero(),
        linkage,
        springs: vec![],
        setup: Setup::default(),
        obstacles: crockery(static_triangles)?,
    };
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut start = posture(&scene.linkage, &mut random, 0.4);
        // On his back or belly, a little askew.
        let lying = DQuat::from_rotation_y(1.4) * DQuat::from_scaled_axis(random.vector(0.3));
        place(&scene.linkage, "wooden", dvec3(-0.1, 0.0, 1.1), lying, &mut start);
        if scene.is_free(&start, 0.01)? {
            scene.linkage.rest_at(&start)?;
            scene.start = start;
            return Ok(scene);
        }
    }
    Err(not_free("a falling man"))
}

/// Pots and plates in a grid of four by four, and the floor.
fn crockery(triangles: usize) -> Result<Vec<Body>> {
    // Two shares of the triangles for a pot, one for a plate. The ratios make 40 by 50 of 2000 and 25 by 40 of 1000.
    let share = triangles / (2 * POTS + PLATES);
    let (pot, plate) =
        (turned(2 * share, 1.24, |v| along(&POT, v))?, turned(share, 1.59, |v| along(&PLATE, v))?);
    let mut bodies = vec![Body::new("floor", floor(20.0)?, Motion::fixed(Pose::IDENTITY))];
    for i in 0..POTS + PLATES {
        let (row, column) = (i / 4, i % 4);
        // Every third one is a pot.
        let is_pot = i % 3 == 0;
        let at = dvec3(0.55 * (row as f64 - 1.5), 0.55 * (column as f64 - 1.5), 1e-3);
        let mesh = if is_pot { pot.clone() } else { plate.clone() };
        let name = format!("{} {i}", if is_pot { "pot" } else { "plate" });
        bodies.push(Body::new(name, mesh, Motion::fixed(Pose::from_translation(at)?)));
    }
    Ok(bodies)
}
