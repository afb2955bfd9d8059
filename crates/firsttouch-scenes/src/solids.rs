//! Scenes of convex solids: boxes, capsules, cylinders, spheres, ellipsoids and hulls.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_3};

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Shape, Sphere};
use firsttouch::{Body, Result, Scene};
use glam::{DQuat, DVec3, dvec3};

use crate::random::Random;

/// Two boxes fly towards each other, and each turns by a third of a turn or more about its own axis.
///
/// ```
/// use firsttouch::{Answer, Options};
/// let report = firsttouch_scenes::solids::tumbling_boxes()?.check(&Options::default())?;
/// // The centres are at 4 |1 - 2t| of each other. The boxes fit in balls of radius 0.75 and 0.87: no touch before t = 0.29.
/// // They contain balls of radius 0.2 and 0.3: a touch by t = 0.44.
/// assert!(matches!(report.answer, Answer::Touch(touch) if touch.toi > 0.29 && touch.toi < 0.44));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn tumbling_boxes() -> Result<Scene> {
    let turn = |axis: DVec3, angle: f64| DQuat::from_axis_angle(axis.normalize(), angle);
    let left = Motion::linear(
        Pose::new(dvec3(-2.0, 0.0, 0.0), turn(DVec3::Z, 0.4))?,
        Pose::new(dvec3(2.0, 0.0, 0.0), turn(dvec3(1.0, 2.0, 3.0), 2.5))?,
    );
    let right = Motion::linear(
        Pose::new(dvec3(2.0, 0.0, 0.0), turn(DVec3::X, 0.3))?,
        Pose::new(dvec3(-2.0, 0.0, 0.0), turn(dvec3(3.0, -1.0, 1.0), 2.8))?,
    );
    let mut scene = Scene::default();
    scene.add(Body::new("brick", Cuboid::new(dvec3(1.2, 0.8, 0.4))?, left))?;
    scene.add(Body::new("cube", Cuboid::new(dvec3(1.0, 1.2, 0.6))?, right))?;
    Ok(scene)
}

/// An arm of radius 0.1 lies along x, from the vertical axis outwards, and swings by 120 degrees about that axis. Three
/// posts of radius 0.1 stand around: out of reach at 45 degrees, in reach at 90 and at 110 degrees.
///
/// ```
/// use firsttouch::{Answer, Options};
/// let scene = firsttouch_scenes::solids::capsule_sweep()?;
/// let Answer::Touch(touch) = scene.check(&Options::default())?.answer else { panic!() };
/// // The post at 90 degrees and distance 1 is touched when the sine of the angle left is 0.2.
/// let exact = (90.0 - 0.2_f64.asin().to_degrees()) / 120.0;
/// assert!(touch.toi <= exact && touch.toi > exact - 1e-6);
/// assert_eq!(scene.bodies()[touch.bodies[1]].name(), "post at 90");
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn capsule_sweep() -> Result<Scene> {
    let lying = DQuat::from_rotation_y(FRAC_PI_2);
    let arm_at = |angle: f64| {
        let turn = DQuat::from_rotation_z(angle);
        Pose::new(turn * DVec3::X, turn * lying)
    };
    let mut scene = Scene::default();
    scene.add(Body::new(
        "arm",
        Capsule::new(0.1, 1.6)?,
        Motion::screw(arm_at(0.0)?, arm_at(2.0 * FRAC_PI_3)?),
    ))?;
    for (degrees, distance) in [(45.0_f64, 2.2), (90.0, 1.0), (110.0, 1.4)] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let pose = Pose::from_translation(dvec3(cos, sin, 0.0) * distance)?;
        scene.add(Body::new(format!("post at {degrees}"), Cylinder::new(0.1, 1.0)?, Motion::fixed(pose)))?;
    }
    Ok(scene)
}

/// A unit cube rolls, by a quarter turn, above a slab whose top is z = 0. Halfway its lower edge hangs straight down,
/// half a diagonal below the centre; there `gap` remains above the slab.
///
/// ```
/// use firsttouch::{Answer, Options};
/// let scene = firsttouch_scenes::solids::near_miss(1e-4)?;
/// assert_eq!(scene.check(&Options::default())?.answer, Answer::Free);
/// // With a minimum separation of 2e-4 it touches shortly before the middle.
/// let apart = Options { min_separation: 2e-4, ..Options::default() };
/// let Answer::Touch(touch) = scene.check(&apart)?.answer else { panic!() };
/// assert!(touch.toi > 0.48 && touch.toi < 0.5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn near_miss(gap: f64) -> Result<Scene> {
    let height = FRAC_1_SQRT_2 + gap;
    let roll = Motion::linear(
        Pose::from_translation(dvec3(-0.5, 0.0, height))?,
        Pose::new(dvec3(0.5, 0.0, height), DQuat::from_rotation_y(FRAC_PI_2))?,
    );
    let slab = Motion::fixed(Pose::from_translation(dvec3(0.0, 0.0, -0.25))?);
    let mut scene = Scene::default();
    scene.add(Body::new("cube", Cuboid::new(DVec3::ONE)?, roll))?;
    scene.add(Body::new("slab", Cuboid::new(dvec3(4.0, 4.0, 0.5))?, slab))?;
    Ok(scene)
}

/// `n` solids, each in a cell of a cubic grid at the start so that none touch, tumble out of their cells. About half of
/// them are boxes, the rest are of all other kinds; one third stands still, one third moves linearly and one third
/// moves on screws.
///
/// ```
/// use firsttouch::{Answer, Options};
/// let scene = firsttouch_scenes::solids::box_pile(60, 7)?;
/// assert_eq!(scene.bodies().len(), 60);
/// assert_eq!(scene, firsttouch_scenes::solids::box_pile(60, 7)?);
/// assert!(matches!(scene.check(&Options::default())?.answer, Answer::Touch(_)));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn box_pile(n: usize, seed: u64) -> Result<Scene> {
    let mut random = Random::new(seed);
    let side = (1..).find(|side: &usize| side.pow(3) >= n).unwrap_or(1);
    let mut scene = Scene::default();
    for i in 0..n {
        let cell = [i % side, i / side % side, i / (side * side)].map(|k| k as f64);
        let from = Pose::new(DVec3::from_array(cell), random.orientation())?;
        let to = Pose::new(DVec3::from_array(cell) + random.vector(1.2), random.orientation())?;
        let motion = match random.below(3) {
            0 => Motion::fixed(from),
            1 => Motion::linear(from, to),
            _ => Motion::screw(from, to),
        };
        let shape = solid(&mut random)?;
        scene.add(Body::new(format!("{} {i}", shape.kind()), shape, motion))?;
    }
    Ok(scene)
}

/// Returns a random solid within 0.45 of its origin.
fn solid(random: &mut Random) -> Result<Shape> {
    let size = |random: &mut Random| random.between(0.08, 0.22);
    Ok(match random.below(10) {
        0 => Sphere::new(size(random) * 2.0)?.into(),
        1 => Capsule::new(size(random), random.between(0.1, 0.4))?.into(),
        2 => Cylinder::new(size(random), random.between(0.1, 0.6))?.into(),
        3 => Ellipsoid::new(DVec3::from_array(std::array::from_fn(|_| size(random) * 2.0)))?.into(),
        4 => {
            let points: Vec<DVec3> = (0..12).map(|_| random.vector(0.25)).collect();
            Hull::new(&points)?.into()
        }
        _ => Cuboid::new(DVec3::from_array(std::array::from_fn(|_| size(random) * 2.0)))?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::{Answer, Mode, Options};

    /// Some bodies of a pile touch and some do not. Otherwise the scene would test nothing.
    #[test]
    fn the_pile_is_neither_empty_nor_jammed() {
        let options = Options { mode: Mode::All, ..Options::default() };
        let scene = box_pile(200, 1).unwrap();
        let report = scene.check(&options).unwrap();
        assert!(report.pairs.iter().all(|pair| matches!(pair.answer, Answer::Touch(_))));
        assert!((20..400).contains(&report.pairs.len()), "{} pairs", report.pairs.len());
        assert!(report.stats.boxes_apart > 9 * report.stats.pairs / 10);
        assert!(report.stats.advanced > report.pairs.len() as u64, "no pair is free");
    }

    #[test]
    fn piles_of_any_size() {
        assert_eq!(box_pile(0, 1).unwrap().bodies().len(), 0);
        assert_eq!(box_pile(27, 1).unwrap().bodies().len(), 27);
        assert_ne!(box_pile(27, 1).unwrap(), box_pile(27, 2).unwrap());
    }

    #[test]
    fn catalogue_names_are_unique_and_its_scenes_decided() {
        let names: std::collections::HashSet<_> = crate::all().iter().map(|model| model.name).collect();
        assert_eq!(names.len(), crate::all().len());
        // The scenes of the papers take longer to build; the demo's own test runs them all.
        for model in &crate::all()[..6] {
            let answer = model.build().unwrap().check(&Options::default()).unwrap().answer;
            assert_eq!(answer == Answer::Free, model.name == "near_miss", "{}: {answer:?}", model.name);
            assert!(
                !matches!(answer, Answer::Undecided { .. } | Answer::TouchingAtStart(_)),
                "{}",
                model.name
            );
        }
    }
}
